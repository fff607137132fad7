"""Three servers on a PostgreSQL whose asynchronous standby is promoted without the last commits. A server that has seen one
of these commits must notice that, drop what it knows, and begin a new epoch. Nothing may be built on what is lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import check_command
from event_stream import EventStream
from postgres import Postgres
from report import Result, Setting
from server import Server
from waiting import HANG_SECONDS, wait_until
from wire import Answer, Connection, ConnectionLost

SERVERS = 3
LISTS = 4
WRITERS = 6


def _epoch(answer: Answer) -> str:
    return answer.headers["etag"].strip('"').partition("-")[2].partition("@")[0]


@dataclass(slots=True)
class Notes:
    """What clients have seen. Threads add to it."""

    created: list[tuple[str, str, str]] = field(default_factory=list)
    """The acknowledged tasks: the list, the task's id, and the epoch of the response."""
    answers: int = 0
    unavailable: int = 0
    violations: list[str] = field(default_factory=list)


class Writers:
    """Clients that create tasks below tasks that they have seen, on any server, and read the lists."""

    def __init__(self, servers: list[Server], seed: str, notes: Notes) -> None:
        self._notes = notes
        self._ends = threading.Event()
        self._threads = [
            # A test that fails does not wait for them.
            threading.Thread(target=self._run, args=(servers, Random(f"{seed}.{number}"), number), daemon=True)
            for number in range(WRITERS)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _run(self, servers: list[Server], random: Random, number: int) -> None:
        connections = [Connection(server.port) for server in servers]
        seen: dict[str, list[str]] = defaultdict(list)
        count = 0
        while not self._ends.is_set():
            name = f"list-{random.randrange(LISTS)}"
            task = {"id": f"w{number}-{count}-{random.randrange(1 << 30)}", "title": "T"}
            if seen[name] and random.random() < 0.5:
                task["parent"] = seen[name][-1]
            count += 1
            with contextlib.suppress(ConnectionLost):
                answer = random.choice(connections).send(
                    "POST", f"/lists/{name}/tasks", {}, json.dumps(task).encode()
                )
                self._note(answer, f"creation in {name}")
                if answer.status == 201:
                    self._notes.created.append((name, task["id"], _epoch(answer)))
                    # Not deeper than a list may be.
                    if "parent" not in task:
                        seen[name].append(task["id"])
                answer = random.choice(connections).send("GET", f"/lists/{name}", {}, None)
                self._note(answer, f"read of {name}")

    def _note(self, answer: Answer, what: str) -> None:
        self._notes.answers += 1
        if answer.status == 503:
            self._notes.unavailable += 1
            time.sleep(0.01)
        if answer.status >= 500 and answer.status != 503:
            self._notes.violations.append(f"{what}: {answer.status} {answer.body[:300]!r}")


def _settled(server: Server, method: str, path: str, body: object = None, but: str = "") -> Answer:
    """Repeats a request until the server is available, and has not this epoch."""
    connection = Connection(server.port)

    def attempt() -> Answer | None:
        with contextlib.suppress(ConnectionLost):
            text = None if body is None else json.dumps(body).encode()
            answer = connection.send(method, path, {}, text)
            tagged = "etag" in answer.headers
            if answer.status != 503 and not (but and tagged and _epoch(answer) == but):
                return answer
        return None

    answer = wait_until(attempt, f"{method} {path} gets a response")
    connection.close()
    return answer


async def _resume(port: int, path: str, last: str) -> str:
    """The name of the second event of a stream that resumes."""
    stream = await EventStream.open(port, path, last)
    names: list[str] = []
    async with asyncio.timeout(HANG_SECONDS):
        while len(names) < 2 and not stream.has_ended:
            await stream.read(1 << 16)
            names += [event.name for event in stream.events()]
    stream.cut()
    return names[1] if len(names) > 1 else "the end"


def _replayed(primary: Postgres, standby: Postgres) -> bool:
    end = primary.sql("SELECT pg_current_wal_insert_lsn()")[0][0]
    return standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{end}'::pg_lsn")[0][0] == "t"


def _lose(primary: Postgres, standby: Postgres, servers: list[Server], random: Random, notes: Notes) -> list[str]:
    """Makes the servers lose commits, and returns what does not hold afterwards."""
    found: list[str] = []
    fail = found.append
    _settled(servers[0], "PUT", "/lists/l", {"title": "L", "tasks": [{"id": f"t{n}", "title": "T"} for n in range(10)]})
    wait_until(lambda: _replayed(primary, standby), "the standby has everything")
    standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
    standby.sql("SELECT pg_reload_conf()")
    wait_until(lambda: not primary.sql("SELECT pid FROM pg_stat_replication"), "replication stops")

    writers = Writers(servers, f"{random.random()}", notes)
    # The first server does not see what is lost in this list.
    for number in range(5):
        answer = _settled(servers[1], "POST", "/lists/l/tasks", {"id": f"lost-{number}", "title": "T"})
        if answer.status != 201:
            fail(f"a creation got {answer.status}")
    old = _settled(servers[2], "GET", "/lists/l")
    epoch, token = _epoch(old), old.headers["etag"].strip('"')
    time.sleep(random.uniform(0, 0.5))
    primary.stop("immediate")
    standby.promote()

    for number in range(8):
        answer = _settled(servers[0], "POST", "/lists/l/tasks", {"id": f"new-{number}", "title": "T"})
        if answer.status != 201:
            fail(f"a creation after the failover got {answer.status} {answer.body!r}")
    answer = _settled(servers[2], "POST", "/lists/l/tasks", {"id": "child", "title": "T", "parent": "lost-4"})
    if answer.status == 201 or answer.status >= 500:
        fail(f"a creation below a lost task got {answer.status} {answer.body!r}")
    documents = [_settled(server, "GET", "/lists/l", but=epoch) for server in servers]
    writers.stop()
    # The last change of the writers can be younger.
    documents = [_settled(server, "GET", "/lists/l", but=epoch) for server in servers]
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
            if (name := asyncio.run(_resume(server.port, path, last))) != "refetch":
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


def lost_commits(setting: Setting, folder: Path) -> Result:
    rounds = setting.pick(1, 8)
    random = Random(f"{setting.seed}.lost-commits")
    notes = Notes()
    violations: list[str] = []
    for turn in range(rounds):
        place = folder / f"round-{turn}"
        place.mkdir()
        place.chmod(0o755)
        with contextlib.ExitStack() as stack:
            primary = stack.enter_context(Postgres(place / "primary").make().start())
            standby = stack.enter_context(Postgres(place / "standby").make_standby_of(primary).start())
            servers = [
                stack.enter_context(
                    Server(setting.program, place / f"server-{index}", options=["--migrate"], url=primary.url(standby))
                )
                for index in range(SERVERS)
            ]
            for number in range(LISTS):
                _settled(servers[0], "PUT", f"/lists/list-{number}", {"title": "L", "tasks": []})
            notes.created.clear()
            violations += _lose(primary, standby, servers, random, notes)
            for server in servers:
                server.stop()
            violations += check_command.faults(setting.program, standby.url())
    return Result(
        f"{rounds} failovers that lost commits, {SERVERS} servers, {notes.answers} responses to {WRITERS} clients, "
        f"{notes.unavailable} of them 503",
        violations + notes.violations,
    )
