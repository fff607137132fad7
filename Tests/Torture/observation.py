"""The part of a list that a response shows: its version, and tasks or the whole document at that version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from history import Record
from wire import Answer

EXPECTED = {200, 201, 204, 304, 404, 409, 412, 428}
Json = dict[str, Any]


@dataclass(slots=True)
class Observation:
    record: Record
    list: str
    version: int | None
    """None if the response says only that something does not exist."""
    changed: bool = False
    """Whether the response says that the request created this version."""
    document: Json | None = None
    tasks: list[Json] = field(default_factory=list)
    placements: list[tuple[str, Json]] = field(default_factory=list)
    """Former placements of tasks: at `version`, or at the version before it if the request created `version`."""
    code: str | None = None
    """The code of a refusal."""


def observe(record: Record) -> list[Observation]:
    """Reads the response of a record: the parts of one list, or of two. The record must have a response."""
    answer = record.answer
    assert answer is not None
    if answer.status >= 400:
        return [_observe_problem(record, answer)]
    if answer.status == 304:
        return [Observation(record, record.list, answer.version)]
    if record.kind == "delete_list":
        return [Observation(record, record.list, answer.version, changed=True)]
    body = record.json()
    if record.kind == "document":
        del body["epoch"]
        return [Observation(record, record.list, body["version"], document=body)]
    if record.kind == "task":
        name = answer.headers["link"].partition(">")[0].removeprefix("</lists/")
        return [Observation(record, name, answer.version, tasks=[body])]
    seen = _observe_write(record, body)
    if "to" not in body:
        return [seen]
    # The response shows the tasks in the list that they moved to.
    target = Observation(record, body["to"]["list"], body["to"]["version"], changed=True)
    target.tasks, seen.tasks = seen.tasks, []
    return [seen, target]


def _observe_problem(record: Record, answer: Answer) -> Observation:
    problem = record.json()
    code = problem["code"]
    if problem.get("pointer") == "/toList":
        return Observation(record, record.target or record.list, None, code=code)
    if record.task:
        # The response does not name the list that holds the task.
        return Observation(record, record.list, None, code=code)
    tasks = problem.get("tasks") or [task for task in [problem.get("task")] if task]
    return Observation(record, record.list, answer.version, tasks=tasks, code=code)


def _observe_write(record: Record, body: Json) -> Observation:
    seen = Observation(record, body["list"], body["version"], changed=body["changed"])
    seen.tasks = body.get("tasks") or [task for task in [body.get("task")] if task]
    if "from" in body:
        before = body["from"] if isinstance(body["from"], list) else [body["from"]]
        names = [task["id"] for task in seen.tasks]
        seen.placements = list(zip(names, before, strict=True))
    if record.kind == "dry_run":
        # The version is the one that the dry run was decided on. Its tasks do not have the shown placements.
        seen.changed = False
        seen.tasks = []
    if rows := body.get("rows"):
        seen.tasks += rows.get("inserted", {}).get("tasks") or []
    return seen


def unexpected(record: Record, allowed: set[int]) -> str | None:
    """The fault of a response that is wrong for any list, or None."""
    answer = record.answer
    assert answer is not None
    if answer.status not in EXPECTED | allowed:
        return f"unexpected status: {record} {answer.body[:300]!r}"
    if answer.status == 503 and "retry-after" not in answer.headers:
        return f"503 without Retry-After: {record}"
    if answer.status < 400 and record.kind not in ("task", "dry_run") and answer.body:
        if record.json()["version"] != answer.version:
            return f"ETag and version differ: {record}"
    return None
