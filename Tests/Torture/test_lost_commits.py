"""Three servers on a PostgreSQL that loses commits: its asynchronous standby is promoted without them, a dump is restored into it,
or it is recovered to an earlier moment. A server that has seen one of these commits must notice that, drop what it knows, and
begin a new epoch. Nothing may be built on what is lost."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import check_command
from event_stream import EventStream
from postgres import Postgres
from report import Result, Setting
from server import Server
from test_servers import SERVERS, Fleet
from waiting import wait_until
from wire import Answer, Connection, ConnectionLost

LISTS = 4
WRITERS = 6


def _epoch(answer: Answer) -> str:
    return answer.headers["etag"].strip('"').partition("-")[2].partition("@")[0]


@dataclass(slots=True)
class Notes:
    """What clients have seen. Threads add to it."""

    created: list[tuple[str, str, str]] = field(default_factory=list)
    """The acknowledged tasks: the list, the task's id, and the epoch of the response."""
    contents: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """The document of each list with each entity tag."""
    answers: int = 0
    unavailable: int = 0
    violations: list[str] = field(default_factory=list)


class Writers:
    """Clients that create tasks below tasks that they have seen, on any server, and read the lists."""

    def __init__(self, fleet: Fleet, seed: str, epoch: str, notes: Notes) -> None:
        self._notes = notes
        self._epoch = epoch
        self._ports = {server.port for server in fleet.servers}
        self._ends = threading.Event()
        self._threads = [
            # A test that fails does not wait for them.
            threading.Thread(target=self._run, args=(fleet, Random(f"{seed}.{number}"), number), daemon=True)
            for number in range(WRITERS)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _run(self, fleet: Fleet, random: Random, number: int) -> None:
        connections: dict[int, Connection] = {}

        def send(port: int, method: str, path: str, body: bytes | None = None) -> Answer:
            return connections.setdefault(port, Connection(port)).send(method, path, {}, body)

        def any_port() -> int:
            return random.choice(fleet.servers).port

        seen: dict[str, list[str]] = defaultdict(list)
        count = 0
        while not self._ends.is_set():
            name = f"list-{random.randrange(LISTS)}"
            task = {"id": f"w{number}-{count}-{random.randrange(1 << 30)}", "title": "T"}
            if seen[name] and random.random() < 0.5:
                task["parent"] = seen[name][-1]
            count += 1
            with contextlib.suppress(ConnectionLost):
                answer = send(any_port(), "POST", f"/lists/{name}/tasks", json.dumps(task).encode())
                self._note(answer, f"creation in {name}")
                if answer.status == 201:
                    self._notes.created.append((name, task["id"], _epoch(answer)))
                    # Not deeper than a list may be.
                    if "parent" not in task:
                        seen[name].append(task["id"])
                port = any_port()
                answer = send(port, "GET", f"/lists/{name}")
                self._note(answer, f"read of {name}")
                # A server that was started again has seen nothing. It goes on in the former epoch until another one notices.
                if answer.status == 200 and (port in self._ports or _epoch(answer) != self._epoch):
                    tag = answer.headers["etag"]
                    if self._notes.contents.setdefault((name, tag), answer.body) != answer.body:
                        self._notes.violations.append(f"{name} has two contents with the entity tag {tag}")

    def _note(self, answer: Answer, what: str) -> None:
        self._notes.answers += 1
        if answer.status == 503:
            self._notes.unavailable += 1
            time.sleep(0.01)
        if answer.status >= 500 and answer.status != 503:
            self._notes.violations.append(f"{what}: {answer.status} {answer.body[:300]!r}")


def _document(server: Server, former: str) -> Answer:
    """The list in another epoch."""

    def read() -> Answer | None:
        answer = server.send("GET", "/lists/l")
        return answer if _epoch(answer) != former else None

    return wait_until(read, "the list has another epoch")


def _resume(port: int, path: str, last: str) -> str:
    """The name of the second event of a stream that resumes."""
    with EventStream(port, path, last) as stream:
        events = stream.events()
        next(events)
        return next(events).name


Action = Callable[[], None]


def _lose(fleet: Fleet, random: Random, notes: Notes, mark: Action, go_back: Action) -> list[str]:
    """Makes the servers lose the commits after `mark`, and returns what does not hold afterwards."""
    found: list[str] = []
    fail = found.append
    servers = fleet.servers
    tasks = [{"id": f"t{number}", "title": "T"} for number in range(10)]
    for name in (f"list-{number}" for number in range(LISTS)):
        servers[0].send("PUT", f"/lists/{name}", {"title": "L", "tasks": []})
    epoch = _epoch(servers[0].send("PUT", "/lists/l", {"title": "L", "tasks": tasks}))
    mark()

    writers = Writers(fleet, f"{random.random()}", epoch, notes)
    # The first server does not see what is lost in this list.
    for number in range(5):
        answer = servers[1].send("POST", "/lists/l/tasks", {"id": f"lost-{number}", "title": "T"})
        if answer.status != 201:
            fail(f"a creation got {answer.status}")
    token = servers[2].send("GET", "/lists/l").headers["etag"].strip('"')
    time.sleep(random.uniform(0, 0.5))
    # The last server has seen all that this list loses, and goes on.
    killed, is_before = random.randrange(2), random.random() < 0.5
    if is_before:
        fleet.kill(killed)
    go_back()
    if not is_before:
        fleet.kill(killed)

    for number in range(8):
        answer = servers[0].send("POST", "/lists/l/tasks", {"id": f"new-{number}", "title": "T"})
        if answer.status != 201:
            fail(f"a creation after the loss got {answer.status} {answer.body!r}")
    answer = servers[2].send("POST", "/lists/l/tasks", {"id": "child", "title": "T", "parent": "lost-4"})
    if answer.status == 201 or answer.status >= 500:
        fail(f"a creation below a lost task got {answer.status} {answer.body!r}")
    documents = [_document(server, epoch) for server in servers]
    writers.stop()
    # The last change of the writers can be younger.
    documents = [_document(server, epoch) for server in servers]
    if len({document.body for document in documents}) != 1 or b"lost-" in documents[0].body:
        fail(f"the servers do not agree: {[document.body[:300] for document in documents]}")
    epochs = {_epoch(document) for document in documents}
    if len(epochs) != 1:
        fail(f"the servers have the epochs {epochs}")
    for server in servers:
        page = server.get(f"/lists/l/changes?since={token}")
        if page.status != 410:
            fail(f"changes of the former epoch got {page.status} {page.body!r}")
        for path, last in (("/lists/l/events", token), ("/events", f"p1-{epoch}")):
            if (name := _resume(server.port, path, last)) != "refetch":
                fail(f"{path}: a stream of the former epoch got {name}")
        for number in range(LISTS):
            answer = server.get(f"/lists/list-{number}")
            if answer.status != 200:
                fail(f"list-{number} got {answer.status}")
    lists = {f"list-{number}": servers[0].get(f"/lists/list-{number}").body.decode() for number in range(LISTS)}
    for name, task, when in notes.created:
        if when in epochs and f'"{task}"' not in lists[name]:
            fail(f"{name} lacks {task}, which was acknowledged in epoch {when}")
    if not any("the database went back" in server.log for server in servers):
        fail("no server has logged the loss")
    if not any("went back" in line and "list l " in line for server in servers for line in server.log.splitlines()):
        fail("no server has logged which list went back")
    return found


def _replayed(primary: Postgres, standby: Postgres) -> bool:
    end = primary.sql("SELECT pg_current_wal_insert_lsn()")[0][0]
    return standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{end}'::pg_lsn")[0][0] == "t"


Way = Callable[[contextlib.ExitStack, Path], tuple[str, Action, Action]]
"""Starts PostgreSQL, and returns its URL, what marks the moment, and what goes back to it."""


def _failover(stack: contextlib.ExitStack, place: Path) -> tuple[str, Action, Action]:
    primary = stack.enter_context(Postgres(place / "primary").make().start())
    standby = stack.enter_context(Postgres(place / "standby").make_standby_of(primary).start())

    def mark() -> None:
        wait_until(lambda: _replayed(primary, standby), "the standby has everything")
        standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
        standby.sql("SELECT pg_reload_conf()")
        wait_until(lambda: not primary.sql("SELECT pid FROM pg_stat_replication"), "replication stops")

    def go_back() -> None:
        primary.stop("immediate")
        standby.promote()

    return primary.url(standby), mark, go_back


def _dump(stack: contextlib.ExitStack, place: Path) -> tuple[str, Action, Action]:
    database = stack.enter_context(Postgres(place / "postgres").make().start())
    return database.url(), lambda: database.dump("reorderd"), database.restore


def _recovery(stack: contextlib.ExitStack, place: Path) -> tuple[str, Action, Action]:
    database = stack.enter_context(Postgres(place / "postgres", archives=True).make().start())
    database.back_up()
    return database.url(), lambda: database.name_moment("before"), lambda: database.recover_to("before")


def lost_commits(setting: Setting, folder: Path) -> Result:
    ways: list[Way] = [_failover, _dump, _recovery] * setting.pick(1, 8)
    random = Random(f"{setting.seed}.lost-commits")
    notes = Notes()
    violations: list[str] = []
    for turn, way in enumerate(ways):
        place = folder / f"round-{turn}"
        place.mkdir()
        place.chmod(0o755)
        with contextlib.ExitStack() as stack:
            url, mark, go_back = way(stack, place)
            fleet = stack.enter_context(Fleet(setting, place, url, []))
            notes.created.clear()
            notes.contents.clear()
            faults = _lose(fleet, random, notes, mark, go_back)
            fleet.stop()
            faults += check_command.faults(setting.program, url)
        violations += [f"{way.__name__}: {fault}" for fault in faults]
    return Result(
        f"{len(ways)} times commits were lost, {SERVERS} servers, {len(ways)} kills, {notes.answers} responses to "
        f"{WRITERS} clients, {notes.unavailable} of them 503",
        violations + notes.violations,
    )
