"""HTTP/1.1 over one persistent connection, with only the features that the tests need."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass

from waiting import HANG_SECONDS


class ConnectionLost(Exception):
    """No complete response arrived, so the request was applied or not."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def version(self) -> int | None:
        """The list's version in the entity tag."""
        tag = self.headers.get("etag")
        # A tag has the version, then the epoch. A task's tag also has the list.
        return int(re.split("[-@]", tag.strip('"'))[0]) if tag else None


class Connection:
    """Connects for the first request, and again after a failure."""

    def __init__(self, port: int, timeout_seconds: float = HANG_SECONDS) -> None:
        self._port = port
        self._timeout = timeout_seconds
        self._socket: socket.socket | None = None
        self._rest = b""

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Answer:
        if body is not None:
            headers = {"Content-Type": "application/json"} | headers
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        elif method in ("POST", "PUT", "PATCH"):
            lines.append("Content-Length: 0")
        try:
            connection = self._open()
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b""))
            return self._receive(connection)
        except OSError as error:
            self.close()
            raise ConnectionLost(str(error)) from error
        except ConnectionLost:
            self.close()
            raise

    def close(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket, self._rest = None, b""

    def _open(self) -> socket.socket:
        if not self._socket:
            self._socket = socket.create_connection(("127.0.0.1", self._port), self._timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._socket

    def _receive(self, connection: socket.socket) -> Answer:
        received = self._rest
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._more(connection)
        status_line, *fields = received[:end].decode("latin-1").split("\r\n")
        status = int(status_line.split(" ", 2)[1])
        headers: dict[str, str] = {}
        for field in fields:
            name, _, value = field.partition(":")
            headers[name.lower()] = value.strip()
        length = 0 if status in (204, 304) else int(headers["content-length"])
        parts, have = [received[end + 4 :]], len(received) - end - 4
        while have < length:
            parts.append(self._more(connection))
            have += len(parts[-1])
        content = b"".join(parts)
        self._rest = content[length:]
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, headers, content[:length])

    @staticmethod
    def _more(connection: socket.socket) -> bytes:
        data = connection.recv(1 << 16)
        if not data:
            raise ConnectionLost("the server closed the connection")
        return data
