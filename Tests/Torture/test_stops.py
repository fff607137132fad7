"""SIGTERM under load with open event streams, repeatedly with the same file: the server ends by itself with exit code 0,
ends the streams properly, and loses no acknowledged change."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from random import Random

import check_command
from checker import Checker
from history import History
from load import Load, make_lists, read_lists
from report import Result, Setting
from server import Server
from waiting import HANG_SECONDS

LISTS = 5
STREAMS = 8


class Watcher:
    """A stream that is read until it ends in any way."""

    def __init__(self, port: int, name: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), HANG_SECONDS)
        self._socket.sendall(f"GET /lists/{name}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self._last = b""
        while b"\r\n\r\n" not in self._last:
            data = self._socket.recv(1 << 16)
            if not data:
                raise ConnectionError(f"no response: {self._last!r}")
            self._last += data
        # The load sometimes deletes lists.
        self.is_open = self._last.startswith(b"HTTP/1.1 200 ")
        if not self.is_open:
            self._socket.close()
            return
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while data := self._socket.recv(1 << 16):
                self._last = (self._last + data)[-64:]
        except OSError as error:
            self._last = str(error).encode()

    def has_ended_well(self) -> bool:
        """Whether the stream ended properly, with its last chunk."""
        self._thread.join(HANG_SECONDS)
        self._socket.close()
        return self._last.endswith(b"\r\n0\r\n\r\n")


def stops(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.stops")
    store = folder / "lists.db"
    rounds = setting.pick(3, 100)
    checker = Checker()
    violations: list[str] = []
    slowest = 0.0
    streams = 0
    for number in range(rounds):
        history = History()
        seed = f"{setting.seed}.{number}"
        found: list[str] = []
        with Server(setting.program, store) as server:
            if number == 0:
                # One more list than the load uses, so that this one is never deleted.
                make_lists(server.port, seed, LISTS + 1, history)
            read_lists(server.port, f"{seed}.restart", LISTS, history)
            watchers = [
                Watcher(server.port, f"list-{index % (LISTS + 1)}") for index in range(STREAMS)
            ]
            watchers = [watcher for watcher in watchers if watcher.is_open]
            streams += len(watchers)
            load = Load(server.port, seed, random.choice((4, 16, 48)), LISTS, history).start()
            time.sleep(random.uniform(0.01, 0.5))
            started = time.monotonic()
            server.stop()
            slowest = max(slowest, time.monotonic() - started)
            load.join()
            cut = sum(not watcher.has_ended_well() for watcher in watchers)
            if cut:
                found.append(f"{cut} of {len(watchers)} streams were cut without their last chunk")
        found += checker.check(store, history.records, allowed={503})
        found += check_command.faults(setting.program, store)
        violations += [f"stop {number}: {text}" for text in found]
        if found:
            break
    figures = checker.figures
    return Result(
        f"{rounds} stops with {streams} streams open, {figures.requests} requests, "
        f"{figures.acknowledged} changes acknowledged, of {figures.unanswered} unanswered writes "
        f"{figures.unanswered_applied} applied, slowest stop {slowest * 1000:.0f} ms",
        violations,
    )
