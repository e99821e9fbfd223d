"""`python -m conformance.upstream.update 1.38.0` adds a Kubernetes version, or moves one to a newer patch release.

It writes all that is generated for a version: `upstream/versions/v1.38.mod` and `.sum`, which pin upstream's code and
its dependencies as upstream itself does, and the tables of its API types in `reference/api/schema/`. `--tables` writes
the tables alone, of every version or of those named.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from conformance.upstream import go
from conformance.upstream.build import ensure
from conformance.upstream.errors import UpstreamUnavailable
from conformance.upstream.versions import SOURCE, Version, find, supported

SCHEMA = SOURCE.parent / "reference" / "api" / "schema"
"""Where the tables of the API types are kept."""

TABLES = ("podtemplate", "types")
"""The tables that `typetables` prints; each is a file a version."""

_OLDEST_GO = "1.26.0"
"""Our own sources need this much, whatever an older Kubernetes asks for."""


def main() -> int:
    """Write the files of the versions named; exit code 2 if that can't be done."""
    parser = argparse.ArgumentParser(prog="python -m conformance.upstream.update", description=__doc__)
    parser.add_argument("releases", metavar="RELEASE", nargs="*", help="a release of Kubernetes, such as 1.38.0")
    parser.add_argument("--tables", action="store_true", help="only the tables of the API types")
    chosen = parser.parse_args()
    if not chosen.releases and not chosen.tables:
        parser.error("name a release, or say --tables")
    try:
        if not chosen.tables:
            for release in chosen.releases:
                _pin(release)
            supported.cache_clear()
        for version in [find(release) for release in chosen.releases] or supported():
            for table in TABLES:
                table_file(table, version).write_text(print_table(table, version))
    except UpstreamUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def table_file(table: str, version: Version) -> Path:
    """Where a table of `TABLES` is kept for a version."""
    return SCHEMA / f"{table}-v{version.minor}.json"


def print_table(table: str, version: Version) -> str:
    """A table of `TABLES` as upstream's types say it. Raises `UpstreamUnavailable` as `ensure` does."""
    program = ensure("typetables", version.patch)
    return subprocess.run([program, table], check=True, capture_output=True, text=True).stdout


def _pin(release: str) -> None:
    """Write the module file of a release: upstream's own requirements, its staging modules at the release's version."""
    if not re.fullmatch(r"v?1\.\d+\.\d+", release):
        raise UpstreamUnavailable(f"{release!r} is no release of Kubernetes: name one such as 1.38.0")
    number = release.removeprefix("v")
    compiler = go.on_path(_OLDEST_GO) or go.packaged(_OLDEST_GO)
    fetched = json.loads(_go(compiler, "mod", "download", "-json", f"k8s.io/kubernetes@v{number}"))
    upstream = json.loads(_go(compiler, "mod", "edit", "-json", fetched["GoMod"]))
    minor = number.rsplit(".", 1)[0]
    modfile = SOURCE / "versions" / f"v{minor}.mod"
    modfile.write_text(module_text(number, upstream))
    modfile.with_suffix(".sum").unlink(missing_ok=True)
    _go(compiler, "mod", "tidy", f"-modfile={modfile}")


def module_text(number: str, upstream: dict[str, Any]) -> str:
    """The text of a module file that requires a release as its own module file does, before Go completes it.

    The settings of GODEBUG are upstream's too: they go by the main module, and a release is not built as one here.
    """
    (etcd,) = (required for required in upstream["Require"] if required["Path"] == "go.etcd.io/etcd/server/v3")
    staging = [replaced["Old"]["Path"] for replaced in upstream["Replace"]]
    oldest_go = max(_OLDEST_GO, upstream["Go"], key=lambda version: [int(part) for part in version.split(".")])
    return "\n".join(
        [
            "module deployment-conformance/upstream",
            f"go {oldest_go}",
            *(f"godebug {setting['Key']}={setting['Value']}" for setting in upstream["GoDebug"] or ()),
            f"require k8s.io/kubernetes v{number}",
            f"require go.etcd.io/etcd/server/v3 {etcd['Version']}",
            *(f"replace {module} => {module} v0{number.removeprefix('1')}" for module in staging),
            "",
        ]
    )


def _go(compiler: go.Go, *arguments: str) -> str:
    done = subprocess.run(
        [compiler.program, *arguments],
        cwd=SOURCE,
        env=go.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = " | ".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-4:])
        raise UpstreamUnavailable(f"`go {' '.join(arguments[:3])}` failed ({said}): see that the release exists")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
