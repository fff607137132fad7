"""Compares the responses that clients received with the store's changes afterwards. It does not know the rules of lists: the
simulation compares each decision with a model of them, and `reorderd check` replays the changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import journal
from history import Record
from postgres import Postgres

EXPECTED = {200, 201, 204, 304, 404, 409, 412, 428}
Version = tuple[str, int]
"""A list's id, and a version of this list."""
Json = dict[str, Any]


@dataclass(slots=True)
class Figures:
    requests: int = 0
    acknowledged: int = 0
    """Changes that the server acknowledged."""
    unanswered: int = 0
    """Writes without a response. The journal may contain them."""
    unanswered_applied: int = 0
    unavailable: int = 0
    reads: int = 0


@dataclass(slots=True)
class Seen:
    """A version of a list that a response shows, with tasks at that version."""

    record: Record
    list: str
    number: int
    changed: bool = False
    """Whether the response says that the request created this version."""
    tasks: list[Json] = field(default_factory=list)
    is_whole: bool = False
    """Whether these are all tasks of the list."""

    @property
    def version(self) -> Version:
        return self.list, self.number


class Checker:
    """Follows one store through all runs of the server on it."""

    def __init__(self) -> None:
        self.figures = Figures()
        self.makers: dict[Version, Record] = {}
        """The request that created each version."""
        self.seen: list[Seen] = []
        """What the responses since the last check have shown."""
        self.compared = 0
        """The number of comparisons of documents and tasks."""
        self._last_row = 0
        self._heads: dict[str, int] = defaultdict(int)
        """The last version of each list."""
        self._shown: dict[Version, dict[str, Json]] = defaultdict(dict)
        """What responses have shown of a version: the tasks by their ids, and with the id "" the order of all tasks."""

    def check(self, store: Path | Postgres, records: list[Record], allowed: frozenset[int] = frozenset()) -> list[str]:
        """All faults in the records since the last check.

        `store` must not change during the check. `allowed` are statuses that are correct in addition to the
        usual ones, because of an injected fault.
        """
        answered = [record for record in records if record.answer]
        found = [wrong for record in answered if (wrong := _unexpected(record, allowed))]
        self.seen = [seen for record in answered if record.answer.status < 400 for seen in _observe(record)]
        base = dict(self._heads)
        applied, faults = self._read(store, {record.name: record for record in records})
        found += faults
        for record in records:
            lists = applied.get(record.name, [])
            if record.target and lists and set(lists) != record.lists:
                found.append(f"only {lists} changed: {record}")
            if lists and record.answer and record.answer.status >= 400:
                found.append(f"refused, but applied: {record}")
        # Whole lists last: they must have all tasks that other responses have shown.
        for seen in sorted(self.seen, key=lambda seen: seen.is_whole):
            found += self._compare(seen, applied)
        found += self._check_order(base)
        self._shown = defaultdict(dict, {key: self._shown[key] for key in self._heads.items() if key in self._shown})
        self._count(records, len(applied))
        return found

    def _read(self, store: Path | Postgres, sent: dict[str, Record]) -> tuple[dict[str, list[str]], list[str]]:
        """Reads the new changes. Returns the lists that each request has changed, and faults."""
        applied: dict[str, list[str]] = {}
        found: list[str] = []
        for change in journal.read(store, self._last_row):
            self._last_row = change.row
            self._heads[change.list] = change.version
            record = sent.get(change.name)
            changed = applied.setdefault(change.name, [])
            changed.append(change.list)
            place = f"{change.list} version {change.version}"
            if not record or not (record.kind in ("patch", "delete") or change.list in record.lists):
                found.append(f"no client sent this: {place} by {change.name}")
            elif len(set(changed)) < len(changed) or len(changed) > len(record.lists):
                found.append(f"applied twice: {place}: {record}")
            if record:
                self.makers[change.list, change.version] = record
        return applied, found

    def _compare(self, seen: Seen, applied: dict[str, list[str]]) -> Iterator[str]:
        """Compares what a response shows with the changes, and with what other responses have shown of the same version."""
        place = f"{seen.list} version {seen.number}: {seen.record}"
        if seen.number > self._heads[seen.list]:
            yield f"shown and lost: {place}"
        elif seen.changed and self.makers.get(seen.version) is not seen.record:
            yield f"acknowledged and lost, {self.makers.get(seen.version)} made {place}"
        elif not seen.changed and seen.record.name in applied:
            yield f"applied, but the response says that it was not: {place}"
        shown = self._shown[seen.version]
        for task in seen.tasks:
            self.compared += 1
            if shown.setdefault(task["id"], task) != task:
                yield f"another response showed {shown[task['id']]} instead of {task}: {place}"
        if seen.is_whole:
            order = [task["id"] for task in seen.tasks]
            former = shown.setdefault("", {"order": order})["order"]
            if former != order or not shown.keys() <= {"", *order}:
                yield f"other responses showed the order {former} and tasks {shown.keys()}: {place}"

    def _check_order(self, base: dict[str, int]) -> Iterator[str]:
        """A request that begins after the response to another one sees at least the version in that response."""
        by_list: dict[str, list[Seen]] = defaultdict(list)
        for seen in sorted(self.seen, key=lambda seen: seen.record.end):
            by_list[seen.list].append(seen)
        for name, all_seen in by_list.items():
            ends = [seen.record.end for seen in all_seen]
            greatest = list(accumulate((seen.number for seen in all_seen), max, initial=base.get(name, 0)))
            for seen in all_seen:
                # If the clock shows the same time for both, their order is unknown.
                floor = greatest[bisect_left(ends, seen.record.start)]
                if seen.number - seen.changed < floor:
                    yield f"went back: {name} version {seen.number} after {floor} was shown: {seen.record}"

    def _count(self, records: list[Record], applied: int) -> None:
        figures = self.figures
        acknowledged = len({seen.record.name for seen in self.seen if seen.changed})
        figures.requests += len(records)
        figures.acknowledged += acknowledged
        figures.unanswered += sum(record.is_write and not record.answer for record in records)
        figures.unanswered_applied += applied - acknowledged
        figures.unavailable += sum(record.answer is not None and record.answer.status == 503 for record in records)
        figures.reads += sum(not record.is_write for record in records)


def _unexpected(record: Record, allowed: frozenset[int]) -> str | None:
    answer = record.answer
    if answer.status not in EXPECTED | allowed:
        return f"unexpected status: {record} {answer.body[:300]!r}"
    if answer.status == 503 and "retry-after" not in answer.headers:
        return f"503 without Retry-After: {record}"
    return None


def _observe(record: Record) -> Iterator[Seen]:
    answer = record.answer
    if not answer.body:
        yield Seen(record, record.list, answer.version, changed=record.kind == "delete_list")
        return
    body = record.json()
    if record.kind == "document":
        yield Seen(record, record.list, body["version"], tasks=body["tasks"], is_whole=True)
        return
    tasks = body.get("tasks") or [task for task in [body.get("task")] if task]
    if other := body.get("to"):
        # The response shows the tasks in the list that they moved to.
        yield Seen(record, body["list"], body["version"], body["changed"])
        yield Seen(record, other["list"], other["version"], True, tasks)
    else:
        yield Seen(record, body["list"], body["version"], body["changed"], tasks)
