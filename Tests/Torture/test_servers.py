"""Several servers on one PostgreSQL. Their clients and streams must see one consistent history, also while servers are
killed or paused, connections break, and PostgreSQL is stopped, started, and replaced by its standby."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import check_command
import journal
from checker import Checker
from event_stream import EventStream, StreamRefused
from history import History
from load import Load, make_lists, read_lists
from postgres import Postgres
from report import Result, Setting
from server import Server
from waiting import wait_until

SERVERS = 3
CLIENTS = 64
LISTS = 10
TRY_AGAIN = frozenset({503})
"""Statuses that are also correct: PostgreSQL is unreachable, or other servers overtook the request repeatedly."""


class Fleet:
    """Servers that share a store. Each is started again after it was killed."""

    def __init__(
        self, setting: Setting, folder: Path, url: str, options: list[str], environments: Sequence[dict[str, str]] = SERVERS * ({},)
    ) -> None:
        """`environments`: one for each server."""
        self._program = setting.program
        self._folder = folder
        self._url = url
        self._options = options
        self._random = Random(f"{setting.seed}.fleet")
        self._environments = environments
        self.servers = [self._start(index) for index in range(len(environments))]
        self._still: int | None = None
        self.kills = 0
        self.changed: Callable[[float], set[str]] = lambda _: set()
        """The lists with an acknowledged change whose request began after a time."""

    def _start(self, index: int) -> Server:
        place = self._folder / f"server-{index}-{time.monotonic_ns()}"
        # All servers try to create the tables at once; one of them does.
        migrate = ["--migrate"] if self._url.startswith("postgres:") else []
        return Server(self._program, place, None, [*migrate, *self._options], self._url, self._environments[index])

    def port(self) -> int:
        going = [index for index in range(len(self.servers)) if index != self._still]
        return self.servers[self._random.choice(going)].port

    def kill(self, index: int) -> None:
        self.kills += 1
        self.servers[index].kill()
        self.servers[index] = self._start(index)

    def stand_still(self, index: int, holds_locks: Callable[[], bool], seconds: float) -> None:
        """Pauses a server, if possible while it holds locks. It gets no new requests, and the other servers
        change all lists before it continues."""
        self._still = index
        process = self.servers[index].process
        try:
            for _ in range(40):
                process.send_signal(signal.SIGSTOP)
                start = time.monotonic()
                time.sleep(0.05)
                if holds_locks():
                    break
                process.send_signal(signal.SIGCONT)
                time.sleep(self._random.uniform(0, 0.02))
            process.send_signal(signal.SIGSTOP)
            wanted = {f"list-{number}" for number in range(LISTS)}
            wait_until(lambda: wanted <= self.changed(start), f"changes of {wanted} while a server is paused")
            time.sleep(seconds)
        finally:
            process.send_signal(signal.SIGCONT)
            self._still = None

    def stop(self) -> None:
        for server in self.servers:
            server.stop()

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self.servers:
            server.kill()


class Readers:
    """Event streams of all lists on all servers, reconnected until the test ends."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        keys = [(index, f"list-{number}") for index in range(SERVERS) for number in range(LISTS)]
        self._threads = [threading.Thread(target=self._read, args=key, daemon=True) for key in keys]
        self._last: dict[tuple[int, str], int] = defaultdict(int)
        self._heads: dict[str, int] | None = None
        self.changes: dict[tuple[int, str], list[tuple[int, bytes]]] = defaultdict(list)
        self._refetched: list[tuple[tuple[int, str], int, int]] = []
        """The streams that told a client to fetch the list, with the client's version and the list's."""
        self.missed = self.repeated = 0
        self.violations: list[str] = []

    def start(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def finish(self, heads: dict[str, int]) -> None:
        """Waits until each stream has sent the last version, and ends the streams."""
        self._heads = heads
        late = lambda: [key for key in self.changes if self._last[key] < heads[key[1]]]
        is_over = lambda: not any(thread.is_alive() for thread in self._threads)
        wait_until(is_over, lambda: f"{late()} have sent the last version")

    def _is_done(self, key: tuple[int, str]) -> bool:
        return self._heads is not None and self._last[key] >= self._heads.get(key[1], 0)

    def _read(self, *key: Any) -> None:
        index, name = key
        last_id = ""
        while not self._is_done(key):
            with (
                contextlib.suppress(OSError, StreamRefused),
                EventStream(self._fleet.servers[index].port, f"/lists/{name}/events?since=0", last_id) as stream,
            ):
                for event in stream.events(quiet_seconds=0.5):
                    if event and event.name == "refetch":
                        self._refetched.append((key, self._last[key], event.version))
                        self._last[key] = event.version
                    if event and event.name == "change":
                        self._take(key, event.version, event.data)
                    if event and event.name in ("change", "refetch"):
                        last_id = event.identifier
                    if self._is_done(key):
                        return
            time.sleep(0.05)

    def _take(self, key: tuple[int, str], version: int, data: bytes) -> None:
        last = self._last[key]
        if version <= last:
            self.repeated += 1
            self.violations.append(f"{key}: {version} came after {last}")
        elif version > last + 1:
            self.missed += version - last - 1
            self.violations.append(f"{key}: {version} came right after {last}")
        self._last[key] = version
        self.changes[key].append((version, data))

    def compare(self, database: Postgres) -> None:
        """Checks that each stream sent the history, change by change. Of a former list with the same id, clients get no changes."""
        stored = {(change.list, change.version): change.document for change in journal.read(database)}
        for key, seen in self.changes.items():
            if any(json.loads(data)["ops"] != stored[key[1], version]["ops"] for version, data in seen):
                self.violations.append(f"{key}: a stream sent another history")
        for key, last, version in self._refetched:
            # From the version that the client has: it can be the deletion of the former list. Or the list was deleted and made again
            # before the server, which is behind, read its history.
            kinds = [change["kind"] for (name, number), change in stored.items() if name == key[1] and number >= last and "kind" in change]
            if "deleted" not in kinds:
                self.violations.append(f"{key}: an unexpected refetch event after {last}, at {version}: {kinds}")


Fault = Callable[[Fleet], None]


def _run(
    setting: Setting, folder: Path, database: Postgres, url: str, requests: int,
    faults: list[Fault], options: list[str], final: Callable[[], Postgres],
) -> Result:  # fmt: skip
    history = History()
    seed = f"{setting.seed}.{folder.name}"
    random = Random(f"{seed}.faults")
    with Fleet(setting, folder, url, options) as fleet:
        fleet.changed = lambda since: _changed(history, since)
        make_lists(fleet.port, seed, LISTS, history)
        readers = Readers(fleet).start()
        started = time.monotonic()
        load = Load(
            fleet.port, seed, CLIENTS, LISTS, history, None if faults else requests, survives=True
        ).start()
        found: list[str] = []
        if not faults:
            # The check reads one moment, while the servers write.
            for _ in range(3):
                found += check_command.faults(setting.program, url)
        for fault in faults:
            time.sleep(random.uniform(0.3, 1.5))
            fault(fleet)
        if faults:
            wait_until(lambda: _answered(history) >= requests, lambda: f"{requests} requests, not {_answered(history)}")
            load.stop()
        load.join()
        seconds = time.monotonic() - started
        read_lists(fleet.port, f"{seed}.end", LISTS, history)
        database = final()
        readers.finish({change.list: change.version for change in journal.read(database)})
        fleet.stop()
    # The servers have stopped, so no change is in flight.
    readers.compare(database)
    checker = Checker()
    violations = found + checker.check(database, history.records, TRY_AGAIN)
    violations += readers.violations
    violations += check_command.faults(setting.program, database.url())
    violations += _deadlocks(folder)
    figures = checker.figures
    # Without a fault there are responses with 503, too: on a slow machine, other servers overtake some requests repeatedly.
    if not faults and figures.unanswered:
        violations.append(f"without a fault {figures.unanswered} writes got no response")
    return Result(
        f"{figures.requests} requests of {CLIENTS} clients to {SERVERS} servers, {LISTS} lists, in "
        f"{seconds:.0f} s, {len(faults)} faults; {figures.acknowledged} changes acknowledged, "
        f"{figures.reads} reads, {figures.unavailable} responses with 503, of {figures.unanswered} "
        f"unanswered writes {figures.unanswered_applied} applied, {checker.compared} tasks "
        f"compared; {sum(map(len, readers.changes.values()))} events, missed "
        f"{readers.missed}, repeated {readers.repeated}",
        violations,
    )


def _answered(history: History) -> int:
    """The number of requests that were not refused because something was unreachable."""
    return sum(
        record.answer is not None and record.answer.status not in TRY_AGAIN
        for record in list(history.records)
    )


def _changed(history: History, since: float) -> set[str]:
    return {
        record.list
        for record in list(history.records)
        if record.start >= since and record.answer and b'"changed":true' in record.answer.body
    }


def _deadlocks(folder: Path) -> list[str]:
    """Servers would retry after a deadlock, so clients would not notice it. Deadlocks must not happen anyway."""
    logs = [path for path in folder.glob("*/log") if "deadlock detected" in path.read_text()]
    return [f"{path}: a deadlock" for path in logs]


def servers(setting: Setting, folder: Path) -> Result:
    with Postgres(folder / "postgres").make().start() as database:
        requests = setting.pick(3_000, 100_000)
        usual = _run(
            setting, folder, database, database.url(), requests, [], [], lambda: database
        )
    with Postgres(folder / "polled").make().start() as database:
        requests = setting.pick(1_000, 20_000)
        options = ["--postgres-polling", "--cache-bytes", "0"]
        polled = _run(
            setting, folder, database, database.url(), requests, [], options, lambda: database
        )
    return Result(
        f"{usual.figures}; polling and without a cache {polled.figures}",
        usual.violations + polled.violations,
    )


def server_faults(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.server-faults")
    primary = Postgres(folder / "primary").make().start()
    # By default a standby reconnects to its primary after 5 s, and all writes wait for it.
    settings = {"wal_retrieve_retry_interval": "500ms"}
    standby = Postgres(folder / "standby", settings).make_standby_of(primary).start()
    current = primary

    def kill(fleet: Fleet) -> None:
        fleet.kill(random.randrange(SERVERS))

    def stand_still(fleet: Fleet) -> None:
        fleet.stand_still(random.randrange(SERVERS), holds_locks, random.uniform(0, 2))

    def holds_locks() -> bool:
        # The locks of the other servers do not last this long.
        rows = current.sql(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'reorderd' "
            "AND state = 'idle in transaction' "
            "AND state_change < clock_timestamp() - interval '40 ms'"
        )
        return bool(rows)

    def cut(_: Fleet) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            current.end_backends()

    def restart(_: Fleet) -> None:
        current.stop(random.choice(("fast", "immediate")))
        time.sleep(random.uniform(0, 0.5))
        current.start()

    def promote(_: Fleet) -> None:
        nonlocal current
        # Like a program that supervises both servers: it makes sure that the old primary has stopped before the new one
        # starts.
        primary.stop("immediate")
        standby.promote()
        current = standby

    with primary, standby:
        # Acknowledged changes are on both.
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        primary.sql("SELECT pg_reload_conf()")
        rounds = setting.pick(1, 20)
        before = [kill, cut, restart, cut, stand_still] * rounds
        random.shuffle(before)
        after = [kill, cut, restart, stand_still] * rounds
        random.shuffle(after)
        return _run(
            setting, folder, primary, primary.url(standby), setting.pick(4_000, 100_000),
            [*before, promote, *after], [], lambda: current,
        )  # fmt: skip
