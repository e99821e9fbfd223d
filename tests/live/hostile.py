"""A server that answers as no API server does: what each mode sends is at its beginning in ``MODES``."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

VERSION = b'{"gitVersion": "v1.37.2"}'
DEEP = b'{"metadata": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
WEB = {
    "metadata": {"name": "web", "namespace": "default", "uid": "u", "resourceVersion": "50", "generation": 1},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "b"}]}},
        "strategy": {"type": "Recreate"},
    },
}

Send = Callable[[bytes], Awaitable[None]]


class Hostile:
    """Serves ``/MODE/…``, each connection one request after the other. ``asked`` has the paths, by mode."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: dict[str, list[str]] = {}
        self._over = asyncio.Event()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Hostile]:
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=1 << 22)
        self.url = "http://{}:{}".format(*server.sockets[0].getsockname())
        try:
            yield self
        finally:
            self._over.set()
            server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def send(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = next(
                    (line.split(":")[1] for line in head.lower().split("\r\n") if "content-length" in line), "0"
                )
                await reader.readexactly(int(length))
                method, target, _ = head.split("\r\n")[0].split(" ")
                _, mode, path = target.split("/", 2)
                self.asked.setdefault(mode, []).append(f"{method} /{path}")
                await self._answer(mode, method, f"/{path}", head, send)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, mode: str, method: str, path: str, head: str, send: Send) -> None:
        watch = "watch=" in path
        if path.startswith("/version"):
            await send(response(VERSION))
        elif mode in LISTS and method == "GET" and not watch:
            await send(LISTS[mode])
        elif mode in WATCHES and watch:
            await send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for piece in WATCHES[mode]:
                await send(b"%x\r\n%s\r\n" % (len(piece), piece))
            await self._over.wait()
        elif mode in WRITES and method != "GET":
            answer = WRITES[mode]
            await (send(answer.replace(b"AUTHORIZATION", authorization(head))) if answer else self._over.wait())
        elif method == "GET" and not watch:
            items = [WEB] if "/deployments" in path else []
            await send(response(json.dumps({"metadata": {"resourceVersion": "100"}, "items": items}).encode()))
        else:
            await self._over.wait()


def response(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    fields = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{fields}\r\n".encode() + body


def authorization(head: str) -> bytes:
    found = [line for line in head.split("\r\n") if line.lower().startswith("authorization")]
    return "".join(found).encode()


def status(code: str, message: str, **headers: str) -> bytes:
    return response(json.dumps({"kind": "Status", "message": message}).encode(), code, **headers)


LISTS: Mapping[str, bytes] = {
    "list-day": status("429 Too Many Requests", "slow down", Retry_After="86400"),
    "list-huge-wait": status("429 Too Many Requests", "slow down", Retry_After="9" * 400),
    "list-deep": response(DEEP),
    "list-deep-refusal": response(DEEP, "403 Forbidden"),
    "list-gzip": response(gzip.compress(b"[" * 1000), Content_Encoding="gzip"),
    "list-portal": response(b"<html>\x1b[31mlog in</html>", Content_Type="text/html"),
    "list-redirect": response(b"", "307 Temporary Redirect", Location="http://127.0.0.1:1/"),
    "list-version": response(b'{"metadata": {"resourceVersion": "' + b"9" * 5000 + b'"}, "items": []}'),
    "list-pages": response(b'{"metadata": {"resourceVersion": "1", "continue": "more"}, "items": []}'),
}
WATCHES: Mapping[str, list[bytes]] = {
    "watch-long": [b'{"type": "ADDED", "object": "', *([b"a" * (1 << 20)] * 40)],
    "watch-large": [b'{"type": "ADDED", "object": {"metadata": {"x": "' + b"a" * 9_000_000 + b'"}}}\n'],
    "watch-deep": [b'{"type": "ADDED", "object": ' + DEEP + b"}\n"],
    "watch-deep-error": [b'{"type": "ERROR", "object": ' + DEEP + b"}\n"],
    "watch-binary": [bytes(range(256)) + b"\n"],
    "watch-null": [b'{"type": "ADDED", "object": null}\n'],
    "watch-digits": ['{"type": "ADDED", "object": {"metadata": {"resourceVersion": "٣"}}}\n'.encode()],
}
WRITES: Mapping[str, bytes] = {
    "write-day": status("429 Too Many Requests", "slow down", Retry_After="86400"),
    "write-hangs": b"",
    "write-deep": response(DEEP, "201 Created"),
    "write-portal": response(b"<html>"),
    "write-echo": status("401 Unauthorized", "you sent AUTHORIZATION \x1b[31m"),
}
MODES = (*LISTS, *WATCHES, *WRITES)
