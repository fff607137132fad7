"""The requests of clients and their responses, with times. The checker relies on nothing else."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import Any

from wire import Answer


@dataclass(slots=True)
class Record:
    """One request. `name` is its Client-Id, which the journal stores with its change."""

    name: str
    kind: str
    list: str
    method: str
    path: str
    body: bytes | None
    start: float = 0
    end: float = 0
    answer: Answer | None = None
    """None if no response arrived, so that it is unknown whether the request was applied."""
    target: str | None = None
    """The other list of a move between lists. Both lists change, or neither."""

    @property
    def is_write(self) -> bool:
        return self.method != "GET"

    @property
    def lists(self) -> set[str]:
        """The lists that the request changes."""
        return {self.list, self.target} if self.target else {self.list}

    def json(self) -> Any:
        return json.loads(self.answer.body) if self.answer else None

    def __str__(self) -> str:
        status = self.answer.status if self.answer else "no answer"
        body = (self.body or b"")[:200].decode(errors="replace")
        return f"{self.name}: {self.method} {self.path} {body} -> {status}"


class History:
    """Records of many threads. Equal bodies are stored once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bodies: dict[bytes, bytes] = {}
        self.records: list[Record] = []
        self.unanswered: dict[str, Record] = {}
        """The requests in progress, by their names."""

    def begin(self, record: Record) -> None:
        with self._lock:
            self.unanswered[record.name] = record

    def add(self, record: Record) -> None:
        with self._lock:
            self.unanswered.pop(record.name, None)
            if record.answer and record.answer.body:
                body = self._bodies.setdefault(record.answer.body, record.answer.body)
                record.answer = Answer(record.answer.status, record.answer.headers, body)
            self.records.append(record)
