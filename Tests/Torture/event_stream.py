"""A list's event stream, read event by event, like a browser does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    identifier: str | None
    """The version and the store's epoch."""
    data: bytes

    @property
    def version(self) -> int:
        """The version in the identifier, which the event must have."""
        assert self.identifier is not None, self
        return int(self.identifier.partition("-")[0])


class StreamRefused(Exception):
    """The response was not a stream."""


class EventText:
    """Takes bytes, and returns complete events. An event that a broken connection leaves incomplete is dropped."""

    def __init__(self, is_chunked: bool) -> None:
        self._is_chunked = is_chunked
        self._received = b""
        self._text = b""

    def take(self, data: bytes) -> None:
        self._received += data

    def events(self) -> Iterator[Event]:
        """The events that are complete."""
        self._unpack()
        while (end := self._text.find(b"\n\n")) >= 0:
            lines, self._text = self._text[:end].split(b"\n"), self._text[end + 2 :]
            fields = dict(line.split(b": ", 1) for line in lines if not line.startswith(b":"))
            if b"event" in fields:
                identifier = fields.get(b"id")
                yield Event(
                    fields[b"event"].decode(),
                    None if identifier is None else identifier.decode(),
                    fields[b"data"],
                )

    def _unpack(self) -> None:
        if not self._is_chunked:
            self._text, self._received = self._text + self._received, b""
            return
        while (line := self._received.find(b"\r\n")) >= 0:
            size = int(self._received[:line], 16)
            if len(self._received) < line + 4 + size:
                return
            self._text += self._received[line + 2 : line + 2 + size]
            self._received = self._received[line + 4 + size :]


class EventStream:
    """A stream over a connection that can be cut."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._text = EventText(is_chunked=False)
        self.has_ended = False

    @classmethod
    async def open(
        cls, port: int, path: str, last: str | None, version: str = "1.1"
    ) -> EventStream:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        field = "" if last is None else f"Last-Event-ID: {last}\r\n"
        writer.write(f"GET {path} HTTP/{version}\r\nHost: localhost\r\n{field}\r\n".encode())
        stream = cls(reader, writer)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        except (OSError, asyncio.IncompleteReadError) as error:
            stream.cut()
            raise ConnectionError from error
        if " 200 " not in head.split("\r\n", 1)[0]:
            stream.cut()
            raise StreamRefused(head)
        stream._text = EventText("transfer-encoding: chunked" in head)
        return stream

    async def read(self, most: int) -> int:
        """Reads at most this number of bytes, and returns their number; 0 at the end."""
        data = await self._reader.read(most)
        self._text.take(data)
        self.has_ended |= not data
        return len(data)

    def events(self) -> Iterator[Event]:
        """The events that are complete."""
        return self._text.events()

    def cut(self) -> None:
        """Closes the connection without sending anything more."""
        self._writer.transport.abort()
