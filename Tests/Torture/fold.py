"""Replays the journal change by change, and compares each version with the responses that showed it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from history import Record
from journal import Change, Journal
from model import Diverged, ListModel
from observation import Observation

Json = dict[str, Any]


@dataclass(slots=True)
class ListState:
    """A list at a version, and the requests that created its versions."""

    model: ListModel | None = None
    deleted: ListModel | None = None
    """The deleted list in the bin."""
    version: int = 0
    base: int = 0
    """The version at the beginning of this run."""
    makers: dict[int, Record] = field(default_factory=dict)
    """The request that created each version."""
    existed: dict[int, bool] = field(default_factory=dict)
    restorable: dict[int, bool] = field(default_factory=dict)
    """Whether the bin had the list at each version."""
    rows: dict[int, int] = field(default_factory=dict)
    """The journal row of each version."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The list that holds a task, from a row of the journal on."""

    row: int
    holder: str | None
    maker: Record | None


class Fold:
    """The lists of a store, over several runs of the server."""

    def __init__(self) -> None:
        self.states: dict[str, ListState] = defaultdict(ListState)
        self.last_row = 0
        self.base_row = 0
        """The last row at the beginning of this run."""
        self.whereabouts: dict[str, list[Whereabouts]] = defaultdict(list)
        self.applied: dict[str, list[str]] = {}
        """The lists that each request changed, in the order of the journal."""
        self.compared = 0
        """The number of compared documents and tasks."""
        self._holders: dict[str, str] = {}
        self.found: list[str] = []

    def replay(
        self, journal: Journal, records: dict[str, Record], observations: Iterable[Observation]
    ) -> None:
        """Appends all faults to `found`."""
        due: dict[tuple[str, int], list[Observation]] = defaultdict(list)
        for seen in observations:
            if seen.version is not None:
                due[seen.list, seen.version].append(seen)
                if seen.changed:
                    due[seen.list, seen.version - 1].append(seen)
        for name, state in self.states.items():
            state.base = state.version
            self._compare(name, state, due)
        self.base_row = self.last_row
        changes = [(change, name) for name, made in journal.changes.items() for change in made]
        for change, name in sorted(changes, key=lambda pair: pair[0].row):
            self._apply(change, name, records, due)
        self._look_for_halves(records)
        for name in journal.heads:
            self._compare_with_tables(name, journal)

    # One change

    def _apply(
        self,
        change: Change,
        name: str,
        records: dict[str, Record],
        due: dict[tuple[str, int], list[Observation]],
    ) -> None:
        self.last_row = max(self.last_row, change.row)
        state = self.states[name]
        if state.version == 0:
            self._compare(name, state, due)
        if change.version != state.version + 1:
            self.found.append(f"{name}: version {change.version} follows {state.version}")
        record = records.get(change.name or "")
        changed = self.applied.setdefault(change.name or "", [])
        if changed and (name in changed or not record or not record.target):
            self.found.append(f"applied twice: {name} version {change.version}: {record}")
        elif not record or not (record.task or name in record.lists):
            self.found.append(f"no client sent this: {name} version {change.version} by {change.name}")
        changed.append(name)
        before = set(state.model.tasks) if state.model else set()
        state.version = change.version
        state.rows[change.version] = change.row
        try:
            self._perform(change, state, record)
        except Diverged as error:
            self.found.append(f"does not replay: {name} version {change.version}: {error}")
        self._note(name, state, before, change.row, record)
        if record:
            state.makers[state.version] = record
        self._compare(name, state, due)

    def _new_ids(self, change: Change, model: ListModel, record: Record) -> dict[str, str]:
        """The new ids of restored tasks whose former ids other lists have."""
        former = [task["id"] for task in model.document("", 0)["tasks"]]
        taken = {task for task in former if task in self._holders}
        answer = record.json()
        if answer:
            names: dict[str, str] = answer.get("newIds", {})
        elif change.tasks:
            names = {old: new for old, new in zip(former, change.tasks, strict=True) if old != new}
        elif taken:
            raise Diverged("nothing says which ids the restored tasks have")
        else:
            names = {}
        # A task whose id became free meanwhile can have got a new one, too.
        if not names.keys() >= taken:
            raise Diverged(f"{sorted(taken)} are taken, but these tasks got new ids: {names}")
        return names

    def _perform(self, change: Change, state: ListState, record: Record | None) -> None:
        replaced = None
        if record and record.kind in ("put", "put_lines") and state.model:
            replaced = ListModel(record.document(), change.at, state.model)
        for op in change.ops:
            if op["op"] != "replace":
                if not state.model:
                    raise Diverged(f"{op} on a list that does not exist")
                state.model.apply(op, change.at)
            elif not record:
                raise Diverged("the replacing document is unknown")
            elif record.kind == "delete_list":
                state.deleted = None if record.is_permanent else state.model
                state.model = None
            elif record.kind == "restore":
                if not state.deleted or state.model:
                    raise Diverged("restored a list that is not in the bin")
                state.model, state.deleted = state.deleted, None
                state.model.rename(self._new_ids(change, state.model, record))
            else:
                state.model = ListModel(record.document(), change.at, state.model)
                state.deleted = None
            if replaced and op["op"] == "move":
                replaced.tasks[op["task"]]["updatedAt"] = change.at
        if replaced and state.model and replaced.document("", 0) != state.model.document("", 0):
            raise Diverged("the operations do not lead to the document")

    def _look_for_halves(self, records: dict[str, Record]) -> None:
        """A move to another list changes both lists, in consecutive rows, or neither."""
        for name, record in records.items():
            if record.target and name in self.applied and self.applied[name] != record.lists:
                self.found.append(f"only {self.applied[name]} changed: {record}")

    def _note(
        self, name: str, state: ListState, before: set[str], row: int, maker: Record | None
    ) -> None:
        after = set(state.model.tasks) if state.model else set()
        state.existed[state.version] = state.model is not None
        state.restorable[state.version] = state.deleted is not None
        for task in before - after:
            self.whereabouts[task].append(Whereabouts(row, None, maker))
            self._holders.pop(task, None)
        for task in after - before:
            self._came(task, Whereabouts(row, name, maker))
            holder = self._holders.setdefault(task, name)
            if holder != name:
                self.found.append(f"task {task} is in {holder} and {name} at once")

    def _came(self, task: str, now: Whereabouts) -> None:
        """A move to another list is two changes. Clients never see the state between them, in which no list holds the task."""
        events = self.whereabouts[task]
        if now.maker and events and events[-1].maker is now.maker:
            events.pop()
        events.append(now)

    # Responses

    def _compare(
        self, name: str, state: ListState, due: dict[tuple[str, int], list[Observation]]
    ) -> None:
        observations = due.pop((name, state.version), [])
        if not observations:
            return
        document = state.model.document(name, state.version) if state.model else None
        tasks = {task["id"]: task for task in document["tasks"]} if document else {}
        for seen in observations:
            is_before = seen.changed and seen.version == state.version + 1
            wrong = (
                self._compare_before(seen, tasks)
                if is_before
                else self._compare_after(seen, state, document, tasks)
            )
            if wrong:
                place = f"{name} version {state.version}"
                self.found.append(f"{wrong}: {place}: {seen.record}")

    def _compare_before(self, seen: Observation, tasks: dict[str, Json]) -> str | None:
        for task, placement in seen.placements:
            self.compared += 1
            was = tasks.get(task)
            if not was or any(was[member] != placement[member] for member in placement):
                return f"'from' {placement} is not where {task} was ({was})"
        return None

    def _compare_after(
        self, seen: Observation, state: ListState, document: Json | None, tasks: dict[str, Json]
    ) -> str | None:
        if seen.changed:
            maker = state.makers.get(state.version)
            if maker is not seen.record:
                return f"acknowledged and lost, the version was created by {maker}"
        elif seen.record.name in self.applied:
            return "applied, but the response says that it was not"
        elif wrong := self._compare_before(seen, tasks):
            return wrong
        if seen.document is not None:
            self.compared += 1
            if seen.document != document:
                return f"a document is not the fold: {_difference(seen.document, document)}"
        for task in seen.tasks:
            self.compared += 1
            if tasks.get(task["id"]) != task:
                return f"a task is not as in the fold: {task}, {tasks.get(task['id'])}"
        if seen.code == "task_not_found" and seen.record.task in tasks:
            return "the task exists"
        return None

    def _compare_with_tables(self, name: str, journal: Journal) -> None:
        state = self.states[name]
        if journal.heads[name] != state.version:
            self.found.append(f"{name}: head {journal.heads[name]}, journal {state.version}")
        if journal.exists[name] != (state.model is not None):
            self.found.append(f"{name}: the store is wrong about its existence")
        tasks = set(state.model.tasks) if state.model else set()
        if journal.tasks[name] != tasks:
            self.found.append(f"{name}: the store's tasks differ: {journal.tasks[name] ^ tasks}")


def _difference(shown: Any, right: Any) -> str:
    """The first difference between two documents."""
    if isinstance(shown, dict) and isinstance(right, dict):
        for name in sorted(shown.keys() | right.keys()):
            if shown.get(name) != right.get(name):
                return f"/{name}{_difference(shown.get(name), right.get(name))}"
    if isinstance(shown, list) and isinstance(right, list) and len(shown) == len(right):
        for index, pair in enumerate(zip(shown, right, strict=True)):
            if pair[0] != pair[1]:
                return f"/{index}{_difference(*pair)}"
    return f" {shown!r:.300} instead of {right!r:.300}"
