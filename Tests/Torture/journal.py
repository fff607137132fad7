"""Reads the journal of a store without the server's code. Only this file knows the tables. It reads a copy of a file, so
that the original does not change after a crash.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from postgres import Postgres


@dataclass(frozen=True, slots=True)
class Change:
    row: int
    """Its position in the order of all lists' changes."""
    version: int
    at: str
    """The time of the change, as in the contract."""
    name: str | None
    """The Client-Id of its request."""
    ops: list[dict[str, Any]]
    kind: str | None
    """`created` or `deleted`, if it did that to the list."""
    tasks: list[str] | None
    """The tasks after the change, if it restored the list and its snapshot is stored."""


@dataclass(slots=True)
class Journal:
    """Each list's changes after a row, oldest first."""

    changes: dict[str, list[Change]] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)
    """The last version of each list, according to its row."""
    exists: dict[str, bool] = field(default_factory=dict)
    tasks: dict[str, set[str]] = field(default_factory=dict)
    """The tasks of each list, according to the table of tasks."""


class Unreadable(Exception):
    pass


def read(store: Path | Postgres, after_row: int = 0) -> Journal:
    """The journal after a row. Reads a copy of a file and its log."""
    if isinstance(store, Postgres):
        return _read_shared(store, after_row)
    return _read_file(store, after_row)


def _read_file(path: Path, after_row: int) -> Journal:
    with tempfile.TemporaryDirectory(prefix="reorderd-journal-") as folder:
        copied = copy_store(path, Path(folder))
        try:
            with sqlite3.connect(copied) as database:
                return _read(database, after_row)
        except sqlite3.Error as error:
            raise Unreadable(str(error)) from error
        finally:
            database.close()


def copy_store(path: Path, folder: Path) -> Path:
    """Copies the file and its write-ahead log."""
    for suffix in ("", "-wal"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / path.name


def _read(database: sqlite3.Connection, after_row: int) -> Journal:
    journal = Journal()
    lists: dict[int, str] = {}
    for key, identifier, title, version in database.execute(
        "SELECT list.key, id, title, head.version FROM list JOIN head ON head.list = list.key"
    ):
        lists[key] = identifier
        journal.heads[identifier] = version
        journal.exists[identifier] = title is not None
        journal.changes[identifier] = []
        journal.tasks[identifier] = set()
    # Valid staged changes replace rows of the index. Before version 4 of the format there were none.
    has_pieces = database.execute("PRAGMA user_version").fetchone()[0] >= 4
    holders = dict(database.execute("SELECT id, list FROM task"))
    if has_pieces:
        holders.update(
            database.execute(
                "SELECT staged_task.id, staging.list FROM staged_task JOIN staging USING (slot)"
            )
        )
    for task, key in holders.items():
        if key != 0:
            journal.tasks[lists[key]].add(task)
    rows = database.execute(
        "SELECT change, list, version, body FROM journal WHERE change > ? ORDER BY change",
        (after_row,),
    )
    for row, key, version, body in rows:
        document = json.loads(body if body or not has_pieces else _pieces(database, key, version))
        if document["version"] != version:
            raise Unreadable(f"row {row} has version {version}, but its document has {document['version']}")
        snapshot = None
        if _may_be_restored(document):
            statement = "SELECT body FROM snapshot WHERE list = ? AND version = ?"
            snapshot = database.execute(statement, (key, version)).fetchone()
        journal.changes[lists[key]].append(_change(row, document, snapshot and snapshot[0]))
    return journal


def _may_be_restored(change: dict[str, Any]) -> bool:
    return change["version"] > 1 and change.get("kind") == "created"


def _change(row: int, change: dict[str, Any], snapshot: bytes | None) -> Change:
    tasks = [task["id"] for task in json.loads(snapshot)["tasks"]] if snapshot else None
    return Change(
        row, change["version"], change["at"], change.get("client"), change["ops"], change.get("kind"), tasks
    )


def _pieces(database: sqlite3.Connection, key: int, version: int) -> bytes:
    """The body of a long change."""
    rows = database.execute(
        "SELECT body FROM long_body JOIN piece ON piece BETWEEN first AND last "
        "WHERE list = ? AND kind = 0 AND version = ? ORDER BY piece",
        (key, version),
    )
    return b"".join(body for (body,) in rows)


def _read_shared(server: Postgres, after_row: int) -> Journal:
    """PostgreSQL does not store rows in the order of the commits, so the times of the commits give the order."""
    journal = Journal()
    for identifier, version, exists in server.sql(
        "SELECT id, version, title IS NOT NULL FROM reorderd.list"
    ):
        journal.heads[identifier] = int(version)
        journal.exists[identifier] = exists == "t"
        journal.changes[identifier] = []
        journal.tasks[identifier] = set()
    for task, name in server.sql("SELECT id, list FROM reorderd.task"):
        journal.tasks[name].add(task)
    rows = server.sql(
        "SELECT list, version, encode(body, 'hex') FROM reorderd.change "
        f"ORDER BY pg_xact_commit_timestamp(xmin), commit_id OFFSET {after_row}"
    )
    for row, (name, number, body) in enumerate(rows, start=after_row + 1):
        document = json.loads(bytes.fromhex(body))
        if document["version"] != int(number):
            raise Unreadable(f"{name}: version {number} has a document with version {document['version']}")
        snapshot = None
        if _may_be_restored(document):
            found = server.sql(
                "SELECT encode(body, 'hex') FROM reorderd.snapshot "
                f"WHERE list = '{name}' AND version = {number}"
            )
            snapshot = bytes.fromhex(found[0][0]) if found else None
        journal.changes[name].append(_change(row, document, snapshot))
    return journal
