"""One end of a connection: HTTP/1.1 by h11 over a pair of asyncio streams."""

from __future__ import annotations

import asyncio
from typing import Literal

import h11

_CHUNK = 1 << 16
_LARGEST_HEAD = 1 << 17

Role = Literal["client", "server"]
Message = h11.Request | h11.Response | h11.InformationalResponse | h11.Data | h11.EndOfMessage | h11.ConnectionClosed


class Peer:
    """Sends and receives h11's events; ``role`` is ours: the server towards the controller."""

    def __init__(self, role: Role, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ours = h11.SERVER if role == "server" else h11.CLIENT
        self._http = h11.Connection(ours, max_incomplete_event_size=_LARGEST_HEAD)
        self._reader = reader
        self._writer = writer

    async def receive(self) -> Message:
        """The next event. Raises ``h11.RemoteProtocolError`` if the other side breaks off within a message."""
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                await self.feed()
            elif event is h11.PAUSED:
                raise h11.RemoteProtocolError("a request before the last one was answered")
            else:
                return event  # type: ignore[return-value]

    async def receive_all(self) -> list[Message]:
        """The next event, and those of the same message that have arrived with it."""
        events = [await self.receive()]
        while not isinstance(events[-1], h11.EndOfMessage | h11.ConnectionClosed):
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                break
            events.append(event)  # type: ignore[arg-type]
        return events

    async def body(self) -> bytes:
        """The rest of the message that is being received, whole."""
        parts = []
        while isinstance(event := await self.receive(), h11.Data):
            parts.append(bytes(event.data))
        return b"".join(parts)

    async def feed(self) -> bool:
        """Waits for bytes, or for the end of the stream: then False."""
        data = await self._reader.read(_CHUNK)
        self._http.receive_data(data)
        return bool(data)

    async def send(self, *events: h11.Event) -> None:
        """Writes the events in one go, before the first await."""
        self._writer.write(b"".join(self._http.send(event) or b"" for event in events))
        await self._writer.drain()

    def next_message(self) -> bool:
        """Ready for another request on this connection; False if it has to be closed."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            return True
        return False

    @property
    def at_end(self) -> bool:
        """Whether the other side has closed."""
        return self._reader.at_eof()

    def close(self) -> None:
        """Closes without a farewell: what was written is sent, an unread rest is dropped."""
        self._writer.close()
