"""Servers whose clocks are wrong by days. Nothing that can't be undone may happen before its time: the bin keeps its lists, and
the stored responses, changes, tokens and links stay."""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import check_command
from postgres import Postgres
from report import Result, Setting
from retrier import Log, Retrier, make_lists
from server import Server
from test_servers import SERVERS, Fleet
from waiting import HANG_SECONDS, wait_until

CLIENTS = 6
TOKEN = "torture"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
DAY_SECONDS = 86_400
PASS_SECONDS = 61
"""The time between two passes that delete what has expired, and a second more."""

JUMPED = "the system's clock jumped"


class Clock:
    """The clocks of one server, which can be set while it runs."""

    def __init__(self, library: Path, file: Path) -> None:
        self._file = file
        self._days = self._passed = 0
        self.environment = {"LD_PRELOAD": str(library), "WRONG_CLOCK": str(file)}
        file.touch()
        self._write()

    def set(self, days: int) -> None:
        """Sets the time of day: this number of days ahead."""
        self._days = days
        self._write()

    def let_pass(self, seconds: int) -> None:
        """Moves the clock that is never set, as if the whole process had been still for this time."""
        self._passed += seconds
        self._write()

    def _write(self) -> None:
        with self._file.open("r+b", buffering=0) as file:
            file.write(struct.pack("=qq", self._days * DAY_SECONDS, self._passed))


class Clocks:
    """Makes the clocks, and the options of their servers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library = folder / "wrong_clock.so"
        source = Path(__file__).with_name("wrong_clock.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self._library, source], check=True)
        tokens = folder / "tokens.jsonl"
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        tokens.write_text(json.dumps({"name": "t", "sha256": digest, "scope": "admin"}))
        self.options = ["--tokens", str(tokens)]

    def make(self, name: str) -> Clock:
        return Clock(self._library, self._folder / f"{name}.clock")


def let_passes_happen(server: Server, clock: Clock) -> None:
    """Returns after at least one whole pass. Each time that passes is logged as a jump, before the next part of a pass begins."""
    for _ in range(2):
        jumps = server.log.count(JUMPED)
        clock.let_pass(PASS_SECONDS)
        wait_until(lambda jumps=jumps: server.log.count(JUMPED) > jumps, "the server sees the clock")


class Kept:
    """What must stay: lists in the bin, a list's changes, tokens and links."""

    def __init__(self, violations: list[str]) -> None:
        self._violations = violations
        self._gone: set[str] = set()
        self._tokens: list[str] = []
        self._versions = 0
        self.checks = 0

    def add(self, server: Server) -> None:
        number = len(self._gone)
        self._write(server, "PUT", f"/lists/gone-{number}", {"title": "Gone", "tasks": []})
        self._write(server, "DELETE", f"/lists/gone-{number}")
        self._gone.add(f"gone-{number}")
        if number == 0:
            self._write(server, "PUT", "/lists/kept", {"title": "Kept", "tasks": []})
        self._write(server, "POST", "/lists/kept/tasks", {"title": "T"})
        self._versions = number + 2

    def make_tokens(self, server: Server) -> None:
        """This also deletes those that have expired."""
        end = (datetime.now(UTC) + timedelta(days=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
        link = {"scope": "read", "expiresAt": end}
        token = {"name": "guest", "grants": [{"scope": "read"}], "expiresAt": end}
        for path, body in (("/lists/kept/shares", link), ("/tokens", token)):
            self._tokens.append(json.loads(self._write(server, "POST", path, body))["token"])

    def check(self, server: Server, when: str, is_right: bool = True) -> None:
        """`is_right`: the server's time of day is right. Otherwise it may refuse tokens for now."""
        self.checks += 1
        bin_ = json.loads(server.send("GET", "/bin?limit=1000", None, HEADERS).body)
        if missing := self._gone - {entry["id"] for entry in bin_["lists"]}:
            self._fail(f"{when}: the bin lacks {sorted(missing)}")
        changes = json.loads(server.send("GET", "/lists/kept/changes?limit=1000", None, HEADERS).body)["changes"]
        if [change["version"] for change in changes] != list(range(1, self._versions + 1)):
            self._fail(f"{when}: a list has {len(changes)} changes of {self._versions}")
        for token in self._tokens:
            status = server.send("GET", "/lists/kept", None, {"Authorization": f"Bearer {token}"}).status
            if status != 200 and (is_right or status != 401):
                self._fail(f"{when}: a token got {status}")

    def restore(self, server: Server) -> None:
        for name in sorted(self._gone):
            self._write(server, "POST", f"/lists/{name}/restore")

    def _write(self, server: Server, method: str, path: str, body: object = None) -> bytes:
        answer = server.send(method, path, body, HEADERS)
        # A repetition of a request whose response was lost.
        is_repeated = answer.status in (404, 409, 428) and ("gone" in path or path == "/lists/kept")
        if answer.status >= 300 and not is_repeated:
            raise AssertionError(f"{method} {path} got {answer.status} {answer.body[:300]!r}")
        return answer.body

    def _fail(self, text: str) -> None:
        self._violations.append(text)


@contextlib.contextmanager
def clients(seed: str, log: Log, port: Callable[[], int]) -> Iterator[None]:
    """Clients that repeat each request until they know its outcome. Each of them changes its server again and again."""

    def move() -> None:
        while not log.is_over:
            log.port = port()
            time.sleep(0.02)

    log.is_over = False
    log.port = port()
    works = [Retrier(f"{seed}-{number}", seed, log).run for number in range(CLIENTS)]
    threads = [threading.Thread(target=work, daemon=True) for work in (*works, move)]
    for thread in threads:
        thread.start()
    yield
    log.is_over = True
    for thread in threads:
        thread.join(HANG_SECONDS)
        assert not thread.is_alive(), "a client gets no response"


def replay(seed: str, log: Log, server: Server, random: Random) -> None:
    log.port = server.port
    last = Retrier("last", seed, log)
    for sent in random.sample(log.sent, min(len(log.sent), 100)):
        last.send_again(sent)


def _with_servers(setting: Setting, folder: Path, clocks: Clocks, days: list[int], log: Log) -> Kept:
    """In each round one of three servers has a clock that is wrong."""
    random = Random(f"{setting.seed}.wrong-clocks")
    kept = Kept(log.violations)
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(Postgres(folder / "postgres").make().start())
        each = [clocks.make(f"clock-{index}") for index in range(SERVERS)]
        environments = [clock.environment for clock in each]
        fleet = stack.enter_context(Fleet(setting, folder, database.url(), clocks.options, environments))
        any_server = lambda: random.choice(fleet.servers)
        make_lists(any_server(), HEADERS)
        kept.add(any_server())
        kept.make_tokens(any_server())
        for turn, ahead in enumerate(days):
            wrong, other = random.sample(range(SERVERS), 2)
            is_restarted = random.random() < 0.5
            with clients(f"{setting.seed}.{turn}", log, lambda: any_server().port):
                each[wrong].set(ahead)
                if is_restarted:
                    fleet.kill(wrong)
                kept.add(any_server())
                kept.make_tokens(fleet.servers[wrong])
                fleet.kill(other)
                _expire(database, fleet.servers[wrong], each[wrong], f"expired-{turn}")
            for index, server in enumerate(fleet.servers):
                kept.check(server, f"a clock is {ahead} days ahead", index != wrong)
                replay(f"{setting.seed}.{turn}", log, server, random)
            each[wrong].set(0)
            _expire(database, fleet.servers[wrong], each[wrong], f"corrected-{turn}")
            kept.check(fleet.servers[wrong], f"a clock that was {ahead} days ahead is right")
            replay(f"{setting.seed}.{turn}", log, fleet.servers[wrong], random)
        kept.restore(any_server())
        fleet.stop()
        log.violations += log.compare_with_journal(database)
        log.violations += check_command.faults(setting.program, database.url())
    return kept


def _expire(database: Postgres, server: Server, clock: Clock, name: str) -> None:
    """A list that has expired by the database's time is deleted, so passes happen."""
    server.send("PUT", f"/lists/{name}", {"title": "Expired", "tasks": []}, HEADERS)
    server.send("DELETE", f"/lists/{name}", None, HEADERS)
    ago = 31 * DAY_SECONDS * 1_000
    database.sql(f"UPDATE reorderd.list SET deleted_at = deleted_at - {ago} WHERE id = '{name}'")
    let_passes_happen(server, clock)
    row = f"SELECT bin_title IS NULL FROM reorderd.list WHERE id = '{name}'"
    wait_until(lambda: database.sql(row) == [["t"]], f"{name} is deleted for good")


def _with_file(setting: Setting, folder: Path, clocks: Clocks, days: list[int], log: Log) -> Kept:
    """The clock is wrong while the server runs, or after a kill. It is corrected within a day, and in the last round it is not."""
    random = Random(f"{setting.seed}.wrong-clock")
    kept = Kept(log.violations)
    store = folder / "lists.db"
    clock = clocks.make("clock")
    server = Server(setting.program, store, None, clocks.options, None, clock.environment)

    def kill() -> None:
        nonlocal server
        server.kill()
        server = Server(setting.program, store, None, clocks.options, None, clock.environment)

    with contextlib.ExitStack() as stack:
        stack.callback(lambda: server.kill())
        make_lists(server, HEADERS)
        kept.add(server)
        kept.make_tokens(server)
        for turn, ahead in enumerate(days):
            seed = f"{setting.seed}.file-{turn}"
            with clients(seed, log, lambda: server.port):
                kept.add(server)
                let_passes_happen(server, clock)
                if random.random() < 0.5:
                    clock.set(ahead)
                    kill()
                else:
                    kill()
                    clock.set(ahead)
                let_passes_happen(server, clock)
                kept.add(server)
                kill()
                let_passes_happen(server, clock)
            when = f"the clock is {ahead} days ahead"
            kept.check(server, when, is_right=False)
            replay(seed, log, server, random)
            if turn == len(days) - 1:
                break
            clock.set(0)
            let_passes_happen(server, clock)
            kept.check(server, f"{when} no more")
            replay(seed, log, server, random)
        # The server has run for a day with the new time, so it is believed.
        clock.let_pass(DAY_SECONDS)
        let_passes_happen(server, clock)
        entries = json.loads(server.send("GET", "/bin", None, HEADERS).body)["lists"]
        # What was deleted at the new time stays.
        tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        if expired := [entry for entry in entries if entry["deletedAt"] < tomorrow]:
            log.violations.append(f"a time that was right for a day does not delete {expired}")
        server.stop()
    log.violations += [f"file: {fault}" for fault in log.compare_with_journal(store)]
    log.violations += check_command.faults(setting.program, store)
    return kept


def wrong_clocks(setting: Setting, folder: Path) -> Result:
    clocks = Clocks(folder)
    random = Random(f"{setting.seed}.days")
    days = [400, -400, 2, -2, 40, -40] * setting.pick(1, 3)
    random.shuffle(days)
    shared, single = Log(HEADERS), Log(HEADERS)
    first = _with_servers(setting, folder, clocks, days[: setting.pick(2, len(days))], shared)
    # The last time must be such that the bin expires by it.
    second = _with_file(setting, folder, clocks, [*days[: setting.pick(1, len(days))], 400], single)
    sent = len(shared.sent) + len(single.sent)
    return Result(
        f"{first.checks} checks of {SERVERS} servers of which one has a wrong clock, {second.checks} of one with a file, {sent} "
        f"requests with a key, {shared.retries + single.retries} lost responses, {shared.replays + single.replays} replays",
        shared.violations + single.violations,
    )
