"""``deployment-conformance sync``: worlds in, outcomes out, a JSON line each, one at a time.

A line that is no world is an error on stderr, with its number and the field; the others still run, and the exit code
is 2, as it is for a file without any.
After ten of them it stops: the file is something else.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, cast, get_args

import click

from conformance.parameters import KubernetesVersion
from conformance.worlds.runner import Order, ReferenceFault, run_world
from conformance.worlds.world import HOW, ControllerName, MalformedWorld, decode_world, encode_outcome
from reference.versions import LATEST, Version

UNUSABLE = 2
MOST_LEFT_OUT = 10
_OPENS = (b"{", b"[")
_GZIP = b"\x1f\x8b"
_BUFFER = 1 << 18
LONGEST_LINE = 64 << 20
"""Bytes."""


class Unusable(click.ClickException):
    """A file that breaks off, or a stream that is closed or full."""

    exit_code = UNUSABLE


@click.command("sync", short_help="One sync of the reference in each world of a file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--kubernetes", type=KubernetesVersion(), default=LATEST.name, show_default=True)
@click.option("--controller", type=click.Choice(get_args(ControllerName)), help="Default: as each world says.")
@click.option("--order", type=click.Choice(get_args(Order)), default="name", show_default=True, help="Of the caches.")
def sync_command(file: str, kubernetes: Version, controller: ControllerName | None, order: Order) -> None:
    """One sync of the reference in each world of FILE (JSON lines, also gzipped; - is the standard input)."""
    left_out = number = 0
    with _opened(file) as lines, _output() as output:
        for number, line in _numbered(lines, file):
            try:
                outcome = run_world(decode_world(line), kubernetes, controller, order)
            except (MalformedWorld, ReferenceFault) as error:
                if number == 1 and line.strip() in _OPENS:
                    raise Unusable(
                        f"{file}, line {number}: a world is one line, and here one begins that goes on: {HOW}"
                    ) from error
                click.echo(f"{file}, line {number}: {error}", err=True)
                left_out += 1
                if left_out == MOST_LEFT_OUT:
                    click.echo(f"{file}: stopped at line {number}: {left_out} lines have had no outcome", err=True)
                    break
                continue
            output.write(encode_outcome(outcome) + b"\n")
    if not number:
        raise Unusable(f"{file} has no world: nothing ran")
    if left_out:
        raise click.exceptions.Exit(UNUSABLE)


@contextmanager
def _output() -> Iterator[BinaryIO]:
    """The standard output. Ends quietly when whoever reads the outcomes has read enough (``| head``)."""
    if sys.stdout is None:
        raise Unusable("the standard output is closed")
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed at the end
        if not isinstance(error, BrokenPipeError):
            raise Unusable(f"the outcomes cannot be written: {error.strerror}") from error


@contextmanager
def _opened(file: str) -> Iterator[io.BufferedIOBase]:
    """The file's lines, unpacked if they are gzipped."""
    if file == "-" and sys.stdin is None:
        raise Unusable("the standard input is closed")
    with click.open_file(file, "rb") as raw:
        buffered = io.BufferedReader(cast("io.RawIOBase", raw), _BUFFER)
        try:
            packed = buffered.peek(len(_GZIP)).startswith(_GZIP)
        except OSError as error:
            raise Unusable(f"{file} cannot be read: {error.strerror}") from error
        yield gzip.GzipFile(fileobj=buffered) if packed else buffered


def _numbered(lines: io.BufferedIOBase, file: str) -> Iterator[tuple[int, bytes]]:
    """Each line that is not blank, with its number from 1. Raises ``Unusable`` if the gzip is broken or cut off."""
    number = 0
    try:
        for number, line in enumerate(iter(partial(lines.readline, LONGEST_LINE), b""), 1):
            if len(line) == LONGEST_LINE:
                raise Unusable(f"{file}: line {number} is longer than {LONGEST_LINE >> 20} MiB")
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if line and not line.isspace():
                yield number, line
    except (EOFError, OSError, zlib.error) as error:
        raise Unusable(f"{file} cannot be read past line {number}: {error}") from error
