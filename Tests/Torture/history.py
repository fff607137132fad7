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
    list: str
    kind: str
    method: str
    path: str
    body: bytes | None
    start: float
    end: float = 0
    answer: Answer | None = None
    """None if no response arrived, so that it is unknown whether the request was applied."""
    task: str | None = None
    """The task in the path. It can be in any list, so `list` is only a guess."""
    target: str | None = None
    """The other list of a move between lists. Both lists change, or neither."""

    @property
    def is_write(self) -> bool:
        return self.method != "GET"

    @property
    def lists(self) -> list[str]:
        """The lists that the request changes, in the order in which their changes are stored."""
        return [self.list, self.target] if self.target else [self.list]

    @property
    def is_permanent(self) -> bool:
        """Whether a deletion keeps nothing in the bin."""
        return self.path.endswith("?permanent=true")

    def document(self) -> Any:
        """The list that the request sends, as a document or in lines."""
        if self.kind != "put_lines":
            return self.parse(self.body)
        head, *tasks = (json.loads(line) for line in (self.body or b"").splitlines())
        return head | {"tasks": tasks}

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
