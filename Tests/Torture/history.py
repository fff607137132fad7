"""What clients asked and were answered, with the times: all that the checker believes."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import Any

from wire import Answer


@dataclass(slots=True)
class Record:
    """One request. `name` went along as Client-Id, so the journal names its change by it."""

    name: str
    list: str
    kind: str
    method: str
    path: str
    body: bytes | None
    start: float
    end: float = 0
    answer: Answer | None = None
    """None: none came, so that it is unknown whether the request was done."""
    task: str | None = None
    """The one task that the path names, whichever list holds it; `list` then is a guess."""
    target: str | None = None
    """The other list that a move leads into: it changes with `list`, or neither does."""

    @property
    def is_write(self) -> bool:
        return self.method != "GET"

    @property
    def lists(self) -> list[str]:
        """The lists that it changes, in the order in which their changes are stored."""
        return [self.list, self.target] if self.target else [self.list]

    def json(self) -> Any:
        return self.parse(self.answer.body) if self.answer else None

    @staticmethod
    def parse(body: bytes | None) -> Any:
        return json.loads(body) if body else None

    def __str__(self) -> str:
        status = self.answer.status if self.answer else "no answer"
        body = (self.body or b"")[:200].decode(errors="replace")
        return f"{self.name}: {self.method} {self.path} {body} -> {status}"


class History:
    """Records of many threads. Equal bodies are kept once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bodies: dict[bytes, bytes] = {}
        self.records: list[Record] = []

    def add(self, record: Record) -> None:
        with self._lock:
            if record.answer and record.answer.body:
                body = self._bodies.setdefault(record.answer.body, record.answer.body)
                record.answer = Answer(record.answer.status, record.answer.headers, body)
            self.records.append(record)
