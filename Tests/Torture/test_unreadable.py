"""Lists become unreadable, because their stored bytes are damaged, while servers have a load and are killed. The other lists go on.
What reads many lists leaves the unreadable one out, and names it. It can be repaired, also beside running servers, or deleted."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import check_command
from checker import Checker
from damaged_store import FilePlace, SharedPlace
from event_stream import EventStream
from history import History
from load import Load, make_lists, read_lists
from postgres import Postgres
from report import Result, Setting
from server import Server
from test_servers import TRY_AGAIN
from waiting import HANG_SECONDS, wait_until
from wire import Answer, Connection, ConnectionLost

CLIENTS = 12
LISTS = 4
QUIET = ["needle a", "needle b", "needle c"]
"""The titles of a list that the load does not change."""
Json = dict[str, Any]


class Writer:
    """Changes a list on any server, and reads it, while it becomes unreadable and is repaired."""

    CHANGES = 25
    """After more changes, a server that has the list in memory would store all of it again, and it would be readable."""

    def __init__(self, rounds: Rounds, name: str, random: Random) -> None:
        self.changes = self.CHANGES
        """How many more it makes. Then it only reads."""
        self._rounds, self._name, self._random = rounds, name, random
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ends.set()
        self._thread.join(HANG_SECONDS)

    def _run(self) -> None:
        while not self._ends.is_set():
            with contextlib.suppress(ConnectionLost):
                if self.changes > 0:
                    self.changes -= 1
                    self._change()
                self._rounds.take(self._name, self._send("GET", f"/lists/{self._name}"))
            time.sleep(0.01)

    def _change(self) -> None:
        task = f"{self._name}.{self._random.randrange(8)}"
        title = json.dumps({"title": f"needle {self._random.randrange(1 << 30)}"}).encode()
        # A server can have the list in memory.
        answer = self._send("PATCH", f"/tasks/{task}", title)
        if answer.status not in (200, 500, 503):
            self._rounds.fail(f"{task}: {answer.status} {answer.body[:300]!r}")

    def _send(self, method: str, path: str, body: bytes | None = None) -> Answer:
        connection = Connection(self._random.choice(self._rounds.place.fleet.servers).port)
        try:
            return connection.send(method, path, {}, body)
        finally:
            connection.close()


class Rounds:
    """The rounds on one store."""

    def __init__(self, place: SharedPlace | FilePlace, program: Path, folder: Path, random: Random) -> None:
        self.place = place
        self._program, self._folder, self._random = program, folder, random
        self.violations: list[str] = []
        self._contents: dict[str, bytes] = {}
        """The documents by the list's name and the entity tag."""
        self.repairs = self.lost = self.conflicts = self.cached = self.answers = 0

    def send(self, server: Server, method: str, path: str, body: object = None, allowed: set[int] | None = None) -> Json:
        answer = server.send(method, path, body)
        self.answers += 1
        if answer.status not in (allowed or {200, 201, 204}):
            self.fail(f"{method} {path}: {answer.status} {answer.body[:300]!r}")
        return json.loads(answer.body) if answer.body else {}

    def read(self, server: Server, name: str) -> Json | None:
        """The list, or None if the server can't read it."""
        return self.take(name, server.send("GET", f"/lists/{name}"))

    def take(self, name: str, answer: Answer) -> Json | None:
        self.answers += 1
        if answer.status == 503:
            return None
        if answer.status == 500 and json.loads(answer.body)["code"] == "internal_error":
            return None
        if answer.status != 200:
            self.fail(f"{name}: {answer.status} {answer.body[:300]!r}")
            return None
        tag = f"{name} {answer.headers['etag']}"
        if self._contents.setdefault(tag, answer.body) != answer.body:
            self.fail(f"two contents have the entity tag {tag}")
        document: Json = json.loads(answer.body)
        return document

    def fail(self, text: str) -> None:
        self.violations.append(text)

    def _any(self) -> Server:
        return self._random.choice(self.place.fleet.servers)

    # A round

    def damage_one(self, turn: int) -> None:
        random, fleet, name = self._random, self.place.fleet, f"bad-{turn}"
        with EventStream(self._any().port, "/events") as stream:
            start = next(stream.events()).identifier
        tasks = [{"id": f"{name}.{number}", "title": f"needle {number}"} for number in range(8)]
        self.send(self._any(), "PUT", f"/lists/{name}", {"title": "Bad", "tasks": tasks})
        documents, changed = [{}, self.read(self._any(), name)], ["", ""]
        for _ in range(random.randrange(3, 9)):
            one, two = random.sample([task["id"] for task in tasks], 2)
            if random.random() < 0.5:
                self.send(self._any(), "PATCH", f"/tasks/{one}", {"title": f"needle {random.randrange(1 << 30)}"})
            else:
                self.send(self._any(), "POST", f"/lists/{name}/move", {"task": one, "before": two})
            document = self.read(self._any(), name)
            if document and document["version"] == len(documents):
                documents.append(document)
                changed.append(one)
        version = random.randrange(2, len(documents))
        damages = self.place.damages(name, version, changed[version])
        kind = random.randrange(len(damages))
        is_lost = kind == len(damages) - 1
        writer = Writer(self, name, random) if random.random() < 0.5 else None
        with self.place.offline():
            self.place.run_sql(damages[kind])
        killed = random.randrange(len(fleet.servers))
        if isinstance(self.place, SharedPlace):
            fleet.kill(killed)
        cold = fleet.servers[killed]
        if self.read(cold, name) is not None:
            self.fail(f"{name} can be read after {damages[kind]}")
        for server in fleet.servers:
            self._look(server, name)
        self._follow(cold, start, turn)
        self._export(name)
        if is_lost or random.random() < 0.7:
            self._repair(name, None if is_lost else version - 1, documents, writer)
        if writer:
            writer.stop()
        self._delete(name)

    def _look(self, server: Server, name: str) -> None:
        """What reads many lists has the other ones, and names this one unless the server has it in memory."""
        for query in ("q=needle", "q=needle&limit=2", "q=needle&order=data.due", f"ids=q0,{name}.0,q1,q2"):
            was_readable = self.read(server, name) is not None
            titles: list[str] = []
            unreadable: set[str] = set()
            cursor: str | None = ""
            while cursor is not None:
                page = self.send(server, "GET", f"/tasks?{query}" + (f"&cursor={cursor}" if cursor else ""))
                titles += [task["title"] for task in page.get("tasks", []) if task["list"] == "quiet"]
                unreadable |= set(page.get("unreadable", []))
                cursor = page.get("cursor")
            self.cached += was_readable
            if titles != QUIET or not unreadable <= {name} or not (unreadable or was_readable):
                self.fail(f"{query}: {titles}, unreadable: {unreadable}, in memory: {was_readable}")
        entries = [entry["id"] for entry in self.send(server, "GET", "/bin")["lists"]]
        if "binned" not in entries:
            self.fail(f"the bin has {entries}")

    def _follow(self, server: Server, start: str, turn: int) -> None:
        """The feed goes on after the changes of the unreadable list."""
        self.send(self._any(), "PATCH", "/tasks/q0", {"data": {"turn": turn}})
        with EventStream(server.port, f"/events?since={start}") as stream:
            for event in stream.events():
                if event is None:
                    self.fail("the feed ends at an unreadable list")
                if event is None or (b'"list":"quiet"' in event.data and b'"turn":%d}' % turn in event.data):
                    return

    def _command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self._program), *arguments]
        return subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
        )

    def _export(self, name: str) -> None:
        with self.place.offline():
            export = self._command("export", "--store", self.place.url, "--all")
        lists = [json.loads(line)["id"] for line in export.stdout.splitlines()]
        if export.returncode != 65 or f"list {name} is left out" not in export.stderr:
            self.fail(f"export: {export.returncode} {export.stderr}")
        if name in lists or "quiet" not in lists:
            self.fail(f"export wrote {lists}")

    def _repair(self, name: str, version: int | None, documents: list[Any], writer: Writer | None) -> None:
        file = self._folder / f"{name}.jsonl"
        arguments = ["repair", "--store", self.place.url, "-o", str(file), name]
        killer = None
        if isinstance(self.place, SharedPlace):
            killer = threading.Thread(target=self.place.fleet.kill, args=[self._random.randrange(3)])
            killer.start()

        def attempt() -> subprocess.CompletedProcess[str] | None:
            with self.place.offline():
                repair = self._command(*arguments)
            # A server that has the list in memory has changed it meanwhile.
            self.conflicts += repair.returncode == 74
            return None if repair.returncode == 74 else repair

        if writer:
            writer.changes = Writer.CHANGES
        repair = wait_until(attempt, "the repair is stored")
        if killer:
            killer.join()
        if repair.returncode != (65 if version is None else 0):
            self.fail(f"repair: {repair.returncode} {repair.stdout} {repair.stderr}")
            return
        left = {number for line in file.read_text().splitlines() if (number := _left_out(json.loads(line)))}
        if version is None:
            self.lost += 1
            return
        self.repairs += 1
        numbers = re.search(r"version (\d+) of (\d+) is now version (\d+)", repair.stdout)
        assert numbers, repair.stdout
        brought, last, now = map(int, numbers.groups())
        if brought != version or left != set(range(brought + 1, last + 1)) or now != last + 2:
            self.fail(f"repair: {version} was the last version that can be read, {left} were left out: {repair.stdout}")
        if writer:
            writer.stop()
        shown = [self.read(server, name) for server in self.place.fleet.servers]
        if any(document is None or document["version"] < now or document != shown[0] for document in shown):
            self.fail(f"the servers do not agree on {name}: {shown}")
        if not writer and shown[0] and _titles(shown[0]) != _titles(documents[version]):
            self.fail(f"version {version} was {_titles(documents[version])}, and is now {_titles(shown[0])}")
        for server in self.place.fleet.servers:
            self.send(server, "POST", f"/lists/{name}/tasks", {"title": "needle"})

    def _delete(self, name: str) -> None:
        self.send(self._any(), "DELETE", f"/lists/{name}?permanent=true", None, {204, 404})
        for server in self.place.fleet.servers:
            self.send(server, "GET", f"/lists/{name}", None, {404})
            page = self.send(server, "GET", "/tasks?q=needle")
            if "unreadable" in page:
                self.fail(f"{name} is deleted, and still named: {page}")


def _titles(document: Json) -> list[tuple[str, str]]:
    return [(task["id"], task["title"]) for task in document["tasks"]]


def _left_out(line: Json) -> int | None:
    """The version of a change in the file that a repair writes."""
    if stored := line.get("stored"):
        return None if "snapshot" in line else int(stored["version"])
    return line.get("version")


def _rounds(setting: Setting, folder: Path, place: SharedPlace | FilePlace, rounds: int) -> Result:
    seed = f"{setting.seed}.{folder.name}"
    run = Rounds(place, setting.program, folder, Random(seed))
    history = History()
    with place.fleet as fleet:
        tasks = [{"id": f"q{number}", "title": title, "data": {"due": number}} for number, title in enumerate(QUIET)]
        run.send(fleet.servers[0], "PUT", "/lists/quiet", {"title": "Quiet", "tasks": tasks})
        run.send(fleet.servers[0], "PUT", "/lists/binned", {"title": "Binned", "tasks": [{"id": "gone", "title": "needle"}]})
        run.send(fleet.servers[0], "DELETE", "/lists/binned")
        make_lists(fleet.port, seed, LISTS, history)
        load = Load(fleet.port, seed, CLIENTS, LISTS, history, survives=True).start()
        for turn in range(rounds):
            run.damage_one(turn)
        load.stop()
        read_lists(fleet.port, f"{seed}.end", LISTS, history)
        fleet.stop()
    checker = Checker()
    violations = run.violations + check_command.faults(setting.program, place.url.removeprefix("file:"))
    violations += checker.check(place.remove_others(), history.records, TRY_AGAIN)
    return Result(
        f"{rounds} lists damaged, {run.repairs} repaired, {run.lost} lost, {run.conflicts} conflicts with servers, {fleet.kills} kills, "
        f"{run.answers} responses about them, {run.cached} of them from memory; {checker.figures.requests} requests of the load, "
        f"{checker.figures.acknowledged} changes acknowledged, {checker.compared} tasks compared",
        violations,
    )


def unreadable(setting: Setting, folder: Path) -> Result:
    file = folder / "file"
    file.mkdir()
    with Postgres(folder / "postgres").make().start() as database:
        shared = _rounds(setting, folder, SharedPlace(setting, folder, database), setting.pick(4, 40))
    single = _rounds(setting, file, FilePlace(setting, file), setting.pick(3, 20))
    return Result(f"{shared.figures}; with a file {single.figures}", shared.violations + single.violations)
