"""Carries requests and answers between a controller and the API server.

Every connection from the controller has one connection of its own to the API server, so that both end together
and an answer can't reach anyone else. An answer that fills a cache is read ahead into memory while it is held:
the API server gives up on a watcher that does not read.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from typing import Any

import h11
import msgspec

from conformance.beside import beside
from conformance.targets.proxy.asked import Asked, Exchange, read_request
from conformance.targets.proxy.peer import Message, Peer
from conformance.targets.proxy.rules import Rules
from reference.machinery.faults import Amiss, Fault
from reference.server.front import refusal

# Of one connection, not of the message; and the encoding, which is asked for as ``identity`` so that a stream's
# pieces are whole events.
_HOP_BY_HOP = frozenset(
    (b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"host", b"authorization", b"accept-encoding")
)
_BROKEN = (OSError, h11.RemoteProtocolError, EOFError)


class Upstream(msgspec.Struct, frozen=True):
    """The API server: where it is, and who the proxy is to it (a client certificate in ``tls``, or a ``token``).

    Without ``tls`` it is spoken to in plain HTTP.
    """

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    token: str = ""


class Server:
    """The proxy within its event loop. ``prefix`` is the secret first part of every path (``/1f2e…``)."""

    def __init__(self, upstream: Upstream, rules: Rules, prefix: str, tell: Callable[[Exchange], None]) -> None:
        self._upstream = upstream
        self._rules = rules
        self._prefix = prefix
        self._tell = tell
        self._connections: set[asyncio.Task[None]] = set()
        self._own_headers = [
            (b"host", f"{upstream.host}:{upstream.port}".encode()),
            (b"accept-encoding", b"identity"),
            *([(b"authorization", f"Bearer {upstream.token}".encode())] if upstream.token else []),
        ]

    async def listen(self, host: str) -> int:
        """Listens on a free port of ``host``, which is returned."""
        self._listening = await asyncio.start_server(self._accept, host, 0)
        port: int = self._listening.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        """Listens no longer, and breaks off all connections."""
        self._listening.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._serve(Peer("server", reader, writer)))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, controller: Peer) -> None:
        """All requests of one connection, one after the other."""
        server: Peer | None = None
        try:
            while isinstance(request := await controller.receive(), h11.Request):
                body = await controller.body()
                if not request.target.startswith(self._prefix.encode() + b"/"):
                    nothing = h11.Response(status_code=404, headers=[("content-length", "0")])
                    await controller.send(nothing, h11.EndOfMessage())
                    return
                if server is None or server.at_end:
                    server = await self._connect()
                await self._exchange(request, body, controller, server)
                if not controller.next_message():
                    return
                if not server.next_message():
                    server.close()
                    server = None
        except _BROKEN:
            pass  # either side has gone: so does the other, and the controller does what it does about a lost server
        finally:
            controller.close()
            if server is not None:
                server.close()

    async def _connect(self) -> Peer:
        upstream = self._upstream
        reader, writer = await asyncio.open_connection(upstream.host, upstream.port, ssl=upstream.tls)
        return Peer("client", reader, writer)

    async def _exchange(self, request: h11.Request, body: bytes, controller: Peer, server: Peer) -> None:
        """One request there, and its answer back, unless a fault strikes it."""
        target = request.target.decode().removeprefix(self._prefix)
        asked = read_request(request.method.decode(), target, _header(request, b"user-agent"), body)
        fault = self._rules.strike(asked)
        if fault is not None and fault.is_refusal:
            await self._refuse(asked, fault, controller)
            return
        headers = [*_end_to_end(request), *self._own_headers]
        await server.send(
            h11.Request(method=request.method, target=target, headers=headers),
            *((h11.Data(data=body),) if body else ()),
            h11.EndOfMessage(),
        )
        if fault is not None and not asked.fills_a_cache:
            await self._answer_amiss(asked, fault, controller, server)
        elif asked.fills_a_cache:
            with self._rules.watching(asked) as broken:
                await _unless(controller, broken, self._stream(asked, fault, controller, server))
        else:
            await self._answer(asked, controller, server)

    async def _refuse(self, asked: Asked, fault: Fault, controller: Peer) -> None:
        error = fault.refusal(asked.name)
        self._tell(Exchange(asked, error.code, fault))
        status = msgspec.json.encode(refusal(error))
        headers = [("content-type", "application/json"), ("content-length", str(len(status)))]
        if fault.seconds:
            headers.append(("retry-after", str(fault.seconds)))
        await controller.send(
            h11.Response(status_code=error.code, headers=headers), h11.Data(data=status), h11.EndOfMessage()
        )

    async def _answer_amiss(self, asked: Asked, fault: Fault, controller: Peer, server: Peer) -> None:
        """The server's whole answer, late or not at all."""
        answer = [self._seen(asked, await server.receive(), fault)]
        while not isinstance(answer[-1], h11.EndOfMessage):
            answer.append(self._seen(asked, await server.receive(), fault))
        await _mistreated(fault)
        await controller.send(*answer)

    async def _answer(self, asked: Asked, controller: Peer, server: Peer) -> None:
        while True:
            messages = [self._seen(asked, message) for message in await server.receive_all()]
            await controller.send(*messages)
            if isinstance(messages[-1], h11.EndOfMessage):
                return

    async def _stream(self, asked: Asked, fault: Fault | None, controller: Peer, server: Peer) -> None:
        """An answer piece by piece, each when the rules let it pass."""
        arrived: asyncio.Queue[h11.Event | None] = asyncio.Queue()

        async def read_ahead() -> None:
            try:
                while not isinstance(message := self._seen(asked, await server.receive(), fault), h11.EndOfMessage):
                    self._rules.arrived()
                    arrived.put_nowait(message)
                arrived.put_nowait(message)
            except _BROKEN:
                arrived.put_nowait(None)

        async with beside(read_ahead()):
            if fault is not None:
                await _mistreated(fault)
            while (piece := await arrived.get()) is not None:
                await self._rules.passed(asked)
                await controller.send(piece)
                if isinstance(piece, h11.EndOfMessage):
                    return
            await self._rules.passed(asked)
            raise EOFError("the API server broke off")

    def _seen(self, asked: Asked, message: Message, fault: Fault | None = None) -> h11.Event:
        """What of ``message`` goes on to the controller."""
        if isinstance(message, h11.ConnectionClosed):
            raise EOFError("the API server closed the connection")
        if isinstance(message, h11.Response):
            self._tell(Exchange(asked, message.status_code, fault))
            self._rules.answered(asked, message.status_code)
            return h11.Response(status_code=message.status_code, reason=message.reason, headers=_end_to_end(message))
        return message


async def _mistreated(fault: Fault) -> None:
    """What comes before an answer that is late, or in its place if it is lost."""
    if fault.answer is Amiss.LOST:
        raise EOFError("the answer is lost")
    await asyncio.sleep(fault.seconds)


async def _unless(controller: Peer, broken: asyncio.Event, answering: Coroutine[Any, Any, None]) -> None:
    """Runs ``answering`` to its end, or breaks it off when it is ``broken``, or when the controller hangs up."""
    async with (
        beside(answering, *_BROKEN) as answer,
        beside(controller.feed(), *_BROKEN) as more,
        beside(broken.wait()) as end,
    ):
        await asyncio.wait((answer, more, end), return_when=asyncio.FIRST_COMPLETED)
        if end.done():
            raise EOFError("the watch is broken off")
        if more.done() and not answer.done() and not more.result():
            raise EOFError("the controller hung up")
        await answer


def _end_to_end(message: h11.Request | h11.Response) -> list[tuple[bytes, bytes]]:
    named = _HOP_BY_HOP | {name.strip() for name in _header(message, b"connection").lower().encode().split(b",")}
    return [(name, value) for name, value in message.headers if name not in named]


def _header(message: h11.Request | h11.Response, name: bytes) -> str:
    return b", ".join(value for key, value in message.headers if key == name).decode("latin-1")
