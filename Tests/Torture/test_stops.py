"""SIGTERM under load with open event streams, repeatedly with the same file, and behind a queue of large writes: the server
ends by itself with exit code 0, ends the streams properly, and loses no acknowledged change."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random

import check_command
from report import Result, Setting
from scene import Scene
from server import Server
from waiting import HANG_SECONDS
from wire import Connection, ConnectionLost

LISTS = 5
STREAMS = 8
LARGE_WRITES = 32
# The server's guarantee.
STOP_SECONDS = 10


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
    rounds = setting.pick(3, 100)
    scene = Scene(setting, folder, "stops", LISTS)
    violations = scene.make()
    slowest = 0.0
    streams = 0
    for number in range(rounds):
        found: list[str] = []
        with scene.start() as server:
            scene.read(server)
            watchers = [Watcher(server.port, f"list-{number % LISTS}") for number in range(STREAMS)]
            watchers = [watcher for watcher in watchers if watcher.is_open]
            streams += len(watchers)
            load = scene.load(server, clients=random.choice((4, 16, 48)))
            time.sleep(random.uniform(0.01, 0.5))
            started = time.monotonic()
            server.stop()
            slowest = max(slowest, time.monotonic() - started)
            load.join()
            cut = sum(not watcher.has_ended_well() for watcher in watchers)
            if cut:
                found.append(f"{cut} of {len(watchers)} streams were cut without their last chunk")
        found += scene.check_all(allowed=frozenset({503}))
        violations += [f"stop {number}: {text}" for text in found]
        if found:
            break
    if not streams:
        violations.append("no list had a stream")
    figures = scene.checker.figures
    return Result(
        f"{rounds} stops with {streams} streams open, {figures.requests} requests, "
        f"{figures.acknowledged} changes acknowledged, of {figures.unanswered} unanswered writes "
        f"{figures.unanswered_applied} applied, slowest stop {slowest * 1000:.0f} ms",
        violations,
    )


def queued_stop(setting: Setting, folder: Path) -> Result:
    """SIGTERM at the first response to many large writes, which were sent at the same time: each other write is stored and
    gets a response, is refused and not stored, or has a response that leaves this open."""
    store = folder / "lists.db"
    tasks = setting.pick(2_000, 20_000)
    options = ["--max-body-bytes", str(64 << 20)]
    bodies = [_large_list(number, tasks) for number in range(LARGE_WRITES)]
    # The status of each write. None: the client cannot know whether the write is stored.
    statuses: dict[int, int | None] = {}
    is_answered = threading.Event()
    violations: list[str] = []
    with Server(setting.program, store, options=options) as server:

        def write(number: int) -> None:
            try:
                answer = Connection(server.port).send("PUT", f"/lists/l{number}", {}, bodies[number])
                statuses[number] = None if b'"outcome_unknown"' in answer.body else answer.status
            except ConnectionLost:
                # The server stopped before it had received the whole request.
                statuses[number] = None
            is_answered.set()

        threads = [threading.Thread(target=write, args=(number,)) for number in range(LARGE_WRITES)]
        for thread in threads:
            thread.start()
        assert is_answered.wait(HANG_SECONDS), "no write gets a response"
        started = time.monotonic()
        server.stop()
        seconds = time.monotonic() - started
        for thread in threads:
            thread.join()
    if setting.is_late(seconds, STOP_SECONDS):
        violations.append(f"the server took {seconds:.1f} s to stop")
    counts = Counter(statuses.values())
    if not counts[201] or not set(counts) <= {201, 503, None}:
        violations.append(f"the statuses are {dict(counts)}")
    violations += check_command.faults(setting.program, store)
    with Server(setting.program, store) as server:
        for number, status in statuses.items():
            answer = server.get(f"/lists/l{number}")
            stored = len(json.loads(answer.body)["tasks"]) if answer.status == 200 else None
            allowed = {201: {tasks}, 503: {None}, None: {None, tasks}}.get(status, set())
            if stored not in allowed:
                violations.append(f"l{number}: the response was {status}, and {stored} tasks are stored")
    return Result(
        f"SIGTERM behind {LARGE_WRITES} writes of {tasks} tasks took {seconds:.1f} s; their statuses are {dict(counts)}",
        violations,
    )


def _large_list(number: int, tasks: int) -> bytes:
    content = [{"id": f"l{number}.{task}", "title": f"Task {task}"} for task in range(tasks)]
    return json.dumps({"title": f"l{number}", "tasks": content}).encode()
