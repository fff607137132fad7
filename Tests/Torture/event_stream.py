"""A list's event stream, read event by event, like a browser does."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass

from waiting import HANG_SECONDS


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    identifier: str
    """The version and the store's epoch; empty if the event has none."""
    data: bytes

    @property
    def version(self) -> int:
        """The version in the identifier, which the event must have."""
        return int(self.identifier.partition("-")[0])


class StreamRefused(Exception):
    """The response was not a stream."""


class EventStream:
    """A stream in HTTP/1.0, whose body is not chunked."""

    def __init__(self, port: int, path: str, last: str | None = None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), HANG_SECONDS)
        field = f"Last-Event-ID: {last}\r\n" if last else ""
        self._socket.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n{field}\r\n".encode())
        self._text = b""
        while b"\r\n\r\n" not in self._text:
            self._receive()
        head, self._text = self._text.split(b"\r\n\r\n", 1)
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            self.close()
            raise StreamRefused(head)

    def _receive(self) -> None:
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the stream ended")
        self._text += data

    def events(self, quiet_seconds: float = HANG_SECONDS) -> Iterator[Event | None]:
        """The events until the stream ends, with `ConnectionError`. None after each time without an event."""
        self._socket.settimeout(quiet_seconds)
        while True:
            while (end := self._text.find(b"\n\n")) >= 0:
                lines, self._text = self._text[:end].split(b"\n"), self._text[end + 2 :]
                fields = dict(line.split(b": ", 1) for line in lines if not line.startswith(b":"))
                if b"event" in fields:
                    yield Event(fields[b"event"].decode(), fields.get(b"id", b"").decode(), fields[b"data"])
            try:
                self._receive()
            except TimeoutError:
                yield None

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
