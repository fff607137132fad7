"""Clients that repeat each request until they get a response. Each request must be applied once, and a repeated one must get the
stored response."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import journal
from postgres import Postgres
from server import Server
from wire import Answer, Connection, ConnectionLost

LISTS = 3


@dataclass(slots=True)
class Sent:
    """A request with a key, and its response."""

    name: str
    path: str
    body: bytes
    answer: Answer


@dataclass(slots=True)
class Log:
    """Shared by all clients of a run."""

    headers: dict[str, str]
    """Those of all requests."""
    port: int = 0
    is_over: bool = False
    sent: list[Sent] = field(default_factory=list)
    retries: int = 0
    replays: int = 0
    violations: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def compare_with_journal(self, store: Path | Postgres) -> list[str]:
        """Checks that each request made the version in its response, and no other one."""
        versions: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for change in journal.read(store):
            versions[change.name].append((change.list, change.version))
        found: list[str] = []
        for sent in self.sent:
            body = json.loads(sent.answer.body)
            expected = [(body["list"], body["version"])] if body.get("changed") else []
            if versions[sent.name] != expected:
                found.append(f"{sent.name}: response {expected}, journal {versions[sent.name]}")
        return found


class Retrier:
    """One client. It repeats each request until it knows the outcome."""

    def __init__(self, name: str, seed: str, log: Log) -> None:
        self._name = name
        self._random = Random(f"{seed}.{name}")
        self._log = log
        self._connection = Connection(log.port)
        self._port = log.port
        self._count = 0

    def run(self) -> None:
        while not self._log.is_over:
            self._count += 1
            name = f"{self._name}-{self._count}"
            path = f"/lists/list-{self._random.randrange(LISTS)}"
            if self._random.random() < 0.5:
                self._send(name, f"{path}/tasks", {"title": name})
            else:
                self._send(name, f"{path}/move", {"fromRow": self._random.randrange(4), "toRow": self._random.randrange(4)})
        self._connection.close()

    def _send(self, name: str, path: str, body: Any) -> None:
        """Sends the request until it gets a response, and sometimes once more."""
        text = json.dumps(body).encode()
        sent = Sent(name, path, text, self._answer(name, path, text))
        with self._log.lock:
            self._log.sent.append(sent)
        if self._random.random() < 0.2:
            self.send_again(sent)

    def send_again(self, sent: Sent) -> None:
        first, again = sent.answer, self._answer(sent.name, sent.path, sent.body)
        with self._log.lock:
            self._log.replays += 1
            is_same = (first.status, first.body, first.version) == (again.status, again.body, again.version)
            if not is_same or again.headers.get("idempotent-replay") != "true":
                self._log.violations.append(f"{sent.name}: {first} and then {again}")

    def _answer(self, name: str, path: str, body: bytes) -> Answer:
        headers = self._log.headers | {"Client-Id": name, "Idempotency-Key": f"key-{name}"}
        while True:
            if self._port != self._log.port:
                self._connection.close()
                self._port = self._log.port
                self._connection = Connection(self._port)
            try:
                answer = self._connection.send("POST", path, headers, body)
                if answer.status != 503 and b"request_in_progress" not in answer.body:
                    return answer
            except ConnectionLost:
                with self._log.lock:
                    self._log.retries += 1
                # Long enough that the clients do not take the processor from the starting server.
                time.sleep(0.02)


def make_lists(server: Server, headers: dict[str, str]) -> None:
    for number in range(LISTS):
        name = f"list-{number}"
        tasks = [{"id": f"{name}.{index}", "title": "t"} for index in range(4)]
        server.send("PUT", f"/lists/{name}", {"title": name, "tasks": tasks}, headers)
