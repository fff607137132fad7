"""Clients repeat each write until they get a response, across kill -9. Each write must be applied once."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import check_command
import journal
from postgres import Postgres
from report import Result, Setting
from server import Server
from waiting import HANG_SECONDS
from wire import Answer, Connection, ConnectionLost

LISTS = 3
CLIENTS = 8
REPLAY = "idempotent-replay"


@dataclass(slots=True)
class Sent:
    """A request with a key, and its response."""

    name: str
    method: str
    path: str
    body: bytes | None
    answer: Answer


@dataclass(slots=True)
class Log:
    """Shared by all clients of a run."""

    port: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    """Those of all requests."""
    is_over: bool = False
    sent: list[Sent] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    """The unique titles of the tasks to create."""
    lists: list[str] = field(default_factory=list)
    """The unique titles of the lists to create."""
    retries: int = 0
    replays: int = 0
    violations: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Retrier:
    """One client. It repeats each request until it knows the outcome."""

    def __init__(self, name: str, seed: str, log: Log) -> None:
        self._name = name
        self._random = Random(f"{seed}.{name}")
        self._log = log
        self._connection = Connection(log.port)
        self._port = log.port
        self._count = 0
        self._own: list[str] = []

    def run(self) -> None:
        kinds = [self._create, self._move, self._delete, self._refused, self._list, self._ops]
        weights = [5, 8, 2, 1, 1, 6]
        while not self._log.is_over:
            self._random.choices(kinds, weights)[0]()
        self._connection.close()

    # The requests

    def _next(self) -> str:
        self._count += 1
        return f"{self._name}-{self._count}"

    def _any_list(self) -> str:
        return f"list-{self._random.randrange(LISTS)}"

    def _create(self) -> None:
        name = self._next()
        answer = self._keyed(name, "POST", f"/lists/{self._any_list()}/tasks", {"title": name})
        self._made([name])
        self._own.append(json.loads(answer.body)["task"]["id"])

    def _move(self) -> None:
        name = self._any_list()
        body = {"fromRow": self._random.randrange(4), "toRow": self._random.randrange(4)}
        self._keyed(self._next(), "POST", f"/lists/{name}/move", body)

    def _delete(self) -> None:
        if self._own:
            self._keyed(self._next(), "DELETE", f"/tasks/{self._own.pop()}", None)

    def _refused(self) -> None:
        name = self._any_list()
        body = {"task": f"{name}.0", "parent": f"{name}.0.0"}
        self._keyed(self._next(), "POST", f"/lists/{name}/move", body)

    def _list(self) -> None:
        name = self._next()
        self._keyed(name, "POST", "/lists", {"title": name})
        with self._log.lock:
            self._log.lists.append(name)

    def _ops(self) -> None:
        """Operations with ids, without a key, repeated in another order, in other steps and in batches of other sizes."""
        path = f"/lists/{self._any_list()}/batch"
        left = [self._next() for _ in range(self._random.randrange(1, 6))]
        self._made(left)
        while left:
            self._random.shuffle(left)
            some = left[: self._random.randrange(1, len(left) + 1)]
            ops = [{"op": "create", "opId": name, "title": name} for name in some]
            body = {"ops": ops, "atomic": self._random.random() < 0.5}
            if self._random.random() < 0.5:
                half = len(ops) // 2
                body = {"steps": [step for step in (ops[:half], ops[half:]) if step]}
            answer = self._once("POST", path, {"Client-Id": some[0]}, json.dumps(body).encode())
            if answer is None or answer.status == 503:
                continue
            if answer.status != 200:
                self._violation(f"ops {some}: {answer.status} {answer.body!r}")
                return
            for name, result in zip(some, json.loads(answer.body)["results"], strict=True):
                if result["status"] != 201 or result["task"]["title"] != name:
                    self._violation(f"op {name}: {result}")
            if self._random.random() < 0.8:
                left = left[len(some) :]

    # Sending

    def _keyed(self, name: str, method: str, path: str, body: Any) -> Answer:
        """Sends the request until it gets a response, and sometimes once more."""
        text = None if body is None else json.dumps(body).encode()
        headers = {"Client-Id": name, "Idempotency-Key": f"key-{name}"}
        answer = None
        while answer is None or answer.status == 503:
            answer = self._once(method, path, headers, text)
            if answer and b"request_in_progress" in answer.body:
                answer = None
        sent = Sent(name, method, path, text, answer)
        with self._log.lock:
            self._log.sent.append(sent)
        if self._random.random() < 0.2:
            again = self._once(method, path, headers, text)
            if again and again.status != 503:
                self.compare(sent, again)
        return answer

    def compare(self, sent: Sent, again: Answer) -> None:
        with self._log.lock:
            self._log.replays += 1
        first = sent.answer
        same = (first.status, first.body, first.version) == (
            again.status,
            again.body,
            again.version,
        )
        if not same or again.headers.get(REPLAY) != "true":
            self._violation(f"{sent.name}: {first} and then {again}")

    def send_again(self, sent: Sent) -> None:
        headers = {"Client-Id": sent.name, "Idempotency-Key": f"key-{sent.name}"}
        again = self._once(sent.method, sent.path, headers, sent.body)
        while again and again.status == 503:
            again = self._once(sent.method, sent.path, headers, sent.body)
        if again:
            self.compare(sent, again)
        else:
            self._violation(f"{sent.name}: the repeat got no response")

    def _once(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None
    ) -> Answer | None:
        if self._port != self._log.port:
            self._connection.close()
            self._port = self._log.port
            self._connection = Connection(self._port)
        try:
            return self._connection.send(method, path, self._log.headers | headers, body)
        except ConnectionLost:
            with self._log.lock:
                self._log.retries += 1
            # Long enough that the clients do not take the processor from the starting server.
            time.sleep(0.02)
            return None

    def _made(self, names: list[str]) -> None:
        with self._log.lock:
            self._log.made += names

    def _violation(self, text: str) -> None:
        with self._log.lock:
            self._log.violations.append(text)


def retries(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.retries")
    store = folder / "lists.db"
    kills = setting.pick(6, 150)
    log = Log()
    server = Server(setting.program, store)
    log.port = server.port
    try:
        make_lists(log)
        clients = [Retrier(f"c{number}", str(setting.seed), log) for number in range(CLIENTS)]
        threads = [threading.Thread(target=client.run, daemon=True) for client in clients]
        for thread in threads:
            thread.start()
        for _ in range(kills):
            time.sleep(random.uniform(0.05, 0.6))
            server.kill()
            server = Server(setting.program, store)
            log.port = server.port
        log.is_over = True
        for thread in threads:
            thread.join(HANG_SECONDS)
            assert not thread.is_alive(), "a client gets no response"
        server.kill()
        with Server(setting.program, store) as server:
            log.port = server.port
            last = Retrier("last", str(setting.seed), log)
            for sent in random.sample(log.sent, min(len(log.sent), 500)):
                last.send_again(sent)
            titles = read_titles(log)
            server.stop()
    finally:
        server.kill()
    log.violations += compare_with_journal(store, log, titles)
    log.violations += check_command.faults(setting.program, store)
    return Result(
        f"{kills} kills, {len(log.sent)} requests with a key, {len(log.made)} tasks and "
        f"{len(log.lists)} lists created, {log.retries} lost responses, {log.replays} replays",
        log.violations,
    )


def make_lists(log: Log) -> None:
    connection = Connection(log.port)
    for number in range(LISTS):
        name = f"list-{number}"
        tasks = [{"id": f"{name}.{index}", "title": "t"} for index in range(4)]
        tasks.insert(1, {"id": f"{name}.0.0", "title": "t", "parent": f"{name}.0"})
        body = json.dumps({"title": name, "tasks": tasks}).encode()
        assert connection.send("PUT", f"/lists/{name}", log.headers, body).status == 201
    connection.close()


def read_titles(log: Log) -> Counter[str]:
    connection = Connection(log.port)
    titles: Counter[str] = Counter()
    cursor = ""
    while cursor is not None:
        query = f"&cursor={cursor}" if cursor else ""
        page = json.loads(connection.send("GET", f"/lists?limit=1000{query}", log.headers, None).body)
        titles.update(entry["title"] for entry in page["lists"])
        cursor = page["cursor"]
    connection.close()
    return titles


def compare_with_journal(store: Path | Postgres, log: Log, titles: Counter[str]) -> list[str]:
    """Compares the responses with the changes in the journal."""
    found: list[str] = []
    inserted: Counter[str] = Counter()
    versions: dict[str, list[tuple[str, int]]] = {}
    for name, changes in journal.read(store).changes.items():
        for change in changes:
            versions.setdefault(change.name or "", []).append((name, change.version))
            inserted.update(op["task"]["title"] for op in change.ops if op["op"] == "insert")
    found += [f"task {name}: created {inserted[name]} times" for name in log.made if inserted[name] != 1]
    found += [f"list {name}: created {titles[name]} times" for name in log.lists if titles[name] != 1]
    for sent in log.sent:
        body = json.loads(sent.answer.body) if sent.answer.body else {}
        is_done = sent.answer.status < 300 and body.get("changed", False)
        expected = [(body["list"], body["version"])] if is_done else []
        if versions.get(sent.name, []) != expected:
            found.append(f"{sent.name}: response {expected}, journal {versions.get(sent.name)}")
    return found
