"""Clients that keep their streams open and read nothing, while a list changes a lot: they are disconnected, use no memory
of the server, delay no other client, and get all changes after they reconnect."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path

from event_stream import EventText
from report import Result, Setting
from server import Server
from waiting import HANG_SECONDS, wait_until
from wire import Connection

SLOW = 40
HEARTBEAT_SECONDS = 2
PATH = "/lists/slow/events"
# The maximum growth of the server's memory. A change has 8 KB, so the slow readers together miss many times this size.
ROOM_BYTES = 32 << 20


class Reader:
    """A stream in HTTP/1.0 with a small receive buffer in the kernel."""

    def __init__(self, port: int, last: str | None = None) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.settimeout(HANG_SECONDS)
        self._socket.connect(("127.0.0.1", port))
        field = "" if last is None else f"Last-Event-ID: {last}\r\n"
        self._socket.sendall(f"GET {PATH} HTTP/1.0\r\n{field}\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._socket.recv(1)
        self._text = EventText(is_chunked=False)
        self.versions: list[int] = []
        self.last_id: str | None = None

    def read(self, until: int | None = None) -> None:
        """Reads until a version has arrived, or to the end of the stream."""
        while until is None or not self.versions or self.versions[-1] < until:
            try:
                data = self._socket.recv(1 << 16)
            except ConnectionResetError:
                break
            if not data:
                break
            self._text.take(data)
            for event in self._text.events():
                self.last_id = event.identifier or self.last_id
                if event.name == "change":
                    self.versions.append(event.version)

    def close(self) -> None:
        self._socket.close()


class Writer:
    """Changes one task repeatedly."""

    def __init__(self, server: Server) -> None:
        self._connection = Connection(server.port)
        self.version = 0

    def send(self, method: str, path: str, body: object) -> None:
        answer = self._connection.send(method, path, {}, json.dumps(body).encode())
        assert answer.version, answer
        self.version = answer.version

    def change(self) -> None:
        data = {"text": f"{self.version}".ljust(8_000, "x")}
        self.send("PATCH", "/tasks/slow.1", {"data": data})


def slow_readers(setting: Setting, folder: Path) -> Result:
    changes = setting.pick(1_000, 20_000)
    options = ["--heartbeat-seconds", str(HEARTBEAT_SECONDS)]
    with Server(setting.program, folder / "lists.db", options=options) as server:
        writer = Writer(server)
        tasks = [{"id": "slow.1", "title": "t"}]
        writer.send("PUT", "/lists/slow", {"title": "slow", "tasks": tasks})
        quick = Reader(server.port)
        reading = threading.Thread(target=lambda: quick.read(until=2 * changes + 1), daemon=True)
        reading.start()
        # First makes the same number of changes, so that the server has allocated its own memory before the measurement.
        for _ in range(changes):
            writer.change()
        resident, sockets = server.resident_bytes, server.sockets
        start = writer.version
        slow = [Reader(server.port) for _ in range(SLOW)]
        grown = 0
        for number in range(changes):
            writer.change()
            if number % 50 == 0:
                grown = max(grown, server.resident_bytes - resident)
        written = time.monotonic()
        wait_until(lambda: server.sockets <= sockets, "the readers are disconnected")
        seconds = time.monotonic() - written
        reading.join(HANG_SECONDS)
        violations = []
        if setting.is_late(seconds, 2 * HEARTBEAT_SECONDS):
            violations.append(f"the last reader was disconnected {seconds:.1f} s after the last change")
        if grown > ROOM_BYTES:
            violations.append(f"the server grew by {grown >> 20} MiB")
        if quick.versions != list(range(2, writer.version + 1)):
            violations.append(f"the quick reader got {len(quick.versions)} changes")
        for reader in slow:
            reader.read()
            reader.close()
            late = len(reader.versions)
            if late == changes:
                violations.append("a reader got all changes, so it was not slow")
        for reader in slow[:3]:
            back = Reader(server.port, last=reader.last_id)
            back.read(until=writer.version)
            back.close()
            if reader.versions + back.versions != list(range(start + 1, writer.version + 1)):
                violations.append(f"a slow reader got {reader.versions} and then {back.versions}")
        quick.close()
        return Result(
            f"{SLOW} clients that do not read, {changes} changes of 8 KB: the server grew by {grown >> 10} KiB; all were disconnected "
            f"{seconds:.1f} s after the last change, and got the rest after they reconnected",
            violations,
        )
