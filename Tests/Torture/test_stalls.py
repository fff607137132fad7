"""Measures how long requests for small lists wait while a large list is stored, read completely, loaded from the store, moved
to another list and deleted.

The same requests go to a second server that has no other work. The waits there are caused by the machine.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

from postgres import Postgres
from report import Result, Setting
from server import Server
from wire import Answer, Connection

Work = Callable[[Connection], None]

TASKS = 1_000_000
MOST_MILLISECONDS = 250
"""Requests should wait at most 100 ms longer than at rest. The rest is for other work of the machine."""
SMALL_LISTS = 8
READERS = 8
"""Connections that read. They are enough for each event loop to have some."""
WRITERS = 4
PAUSE_SECONDS = 0.005


def stalls(setting: Setting, folder: Path) -> Result:
    measured, violations = _measure(setting, folder)
    with (
        Postgres(folder / "postgres").make().start() as database,
        Postgres(folder / "at-rest").make().start() as at_rest,
    ):
        shared, shared_violations = _measure(setting, folder, database.url(), at_rest.url())
    return Result(
        f"{TASKS} tasks, the longest waits (at rest): {measured}; with PostgreSQL {shared}",
        violations + shared_violations,
    )


def _measure(
    setting: Setting, folder: Path, url: str | None = None, control_url: str | None = None
) -> tuple[str, list[str]]:
    """The longest waits as text, and those that are too long. Without URLs, the stores are files."""
    migrate = ["--migrate"] if url else []
    options = ["--max-body-bytes", str(512 << 20), "--max-bodies-bytes", str(512 << 20), *migrate]
    found: list[str] = []
    violations: list[str] = []

    def during(name: str, server: Server, work: Work) -> None:
        with Waits(server) as waits, Waits(control) as control_waits:
            started = time.monotonic()
            work(Connection(server.port, 600))
            seconds = time.monotonic() - started
        found.append(
            f"{name} {seconds:.1f} s: reads {waits.reads:.0f} ms ({control_waits.reads:.0f} ms), "
            f"moves {waits.moves:.0f} ms ({control_waits.moves:.0f} ms)"
        )
        violations.extend(waits.failures[:3])
        for kind in ("reads", "moves"):
            longest, usual = getattr(waits, kind), getattr(control_waits, kind)
            if longest > MOST_MILLISECONDS + usual:
                violations.append(f"{name}: {kind} waited {longest:.0f} ms, {usual:.0f} ms at rest")

    store = folder / "lists.db"
    with Server(setting.program, folder / "control.db", options=migrate, url=control_url) as control:
        _make_small_lists(control)
        with Server(setting.program, store, options=options, url=url) as server:
            _make_small_lists(server)
            body = _document()
            during("PUT", server, lambda c: _expect(201, c.send("PUT", "/lists/large", {}, body)))
            during("GET of all", server, lambda c: _expect(200, c.send("GET", "/lists/large", {}, None)))
            server.terminate()
        with Server(setting.program, store, options=options, url=url) as server:
            rows = "/lists/large?visible=true&limit=10"
            during("cold GET of 10 rows", server, lambda c: _expect(200, c.send("GET", rows, {}, None)))
            _expect(201, Connection(server.port).send("PUT", "/lists/other", {}, b'{"title": "other"}'))
            move = json.dumps({"task": "top", "toList": "other"}).encode()
            during("toList", server, lambda c: _expect(200, c.send("POST", "/lists/large/move", {}, move)))
            during("DELETE", server, lambda c: _expect(204, c.send("DELETE", "/lists/other", {}, None)))
            server.terminate()
        control.terminate()
    return "; ".join(found), violations


def _document() -> bytes:
    entries = [{"id": "top", "title": "All of them", "collapsed": False}]
    entries += [
        {"id": f"task-{number}", "title": f"Task {number} of very many", "parent": "top"}
        for number in range(TASKS - 1)
    ]
    return json.dumps({"title": "large", "tasks": entries}).encode()


def _make_small_lists(server: Server) -> None:
    connection = Connection(server.port)
    for number in range(SMALL_LISTS):
        tasks = [{"id": f"{number}.{task}", "title": f"Task {task}"} for task in range(10)]
        body = json.dumps({"title": "small", "tasks": tasks}).encode()
        _expect(201, connection.send("PUT", f"/lists/small-{number}", {}, body))
    connection.close()


def _expect(status: int, answer: Answer) -> None:
    assert answer.status == status, (answer.status, answer.body[:300])


class Waits:
    """The longest waits of small requests, in milliseconds, while the context is active."""

    def __init__(self, server: Server) -> None:
        self._port = server.port
        self._ends = threading.Event()
        self.reads = 0.0
        self.moves = 0.0
        self.failures: list[str] = []
        self._threads = [
            threading.Thread(target=self._run, args=(index,), daemon=True)
            for index in range(READERS + WRITERS)
        ]

    def __enter__(self) -> Waits:
        for thread in self._threads:
            thread.start()
        # Waits until all clients have a connection, and their lists are in memory.
        time.sleep(0.2)
        self.reads = self.moves = 0.0
        return self

    def __exit__(self, *_: object) -> None:
        time.sleep(0.2)
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _run(self, index: int) -> None:
        connection = Connection(self._port, 600)
        turn = 0
        while not self._ends.is_set():
            turn += 1
            started = time.monotonic()
            if index < READERS:
                path = "/healthz" if turn % 2 else f"/lists/small-{index % SMALL_LISTS}"
                answer = connection.send("GET", path, {}, None)
            else:
                number = index - READERS
                move = {"task": f"{number}.{turn % 10}", "position": turn // 10 % 10}
                path = f"/lists/small-{number}/move"
                answer = connection.send("POST", path, {}, json.dumps(move).encode())
            waited = (time.monotonic() - started) * 1000
            if answer.status != 200:
                self.failures.append(f"{path} returned {answer.status}")
            if index < READERS:
                self.reads = max(self.reads, waited)
            else:
                self.moves = max(self.moves, waited)
            self._ends.wait(PAUSE_SECONDS)
        connection.close()
