"""Reads the journal of a store with other programs than the server's code: the one place here that
knows the tables. Of a file it works on a copy, so that the one under test stays as the crash left it.
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
    """Its place in the order of all lists' changes."""
    version: int
    name: str | None
    """The Client-Id of the request that made it."""
    ops: list[dict[str, Any]]


@dataclass(slots=True)
class Journal:
    """Each list's changes after the version from which they were asked for, oldest first."""

    changes: dict[str, list[Change]] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)
    """The last version of each list, as its row tells it."""
    exists: dict[str, bool] = field(default_factory=dict)
    tasks: dict[str, set[str]] = field(default_factory=dict)
    """Which tasks the store believes that a list holds."""


class Unreadable(Exception):
    pass


def read(store: Path | Postgres, after_row: int = 0) -> Journal:
    """The journal after a row; of a file from a copy of it and its log."""
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
    """The file and its write-ahead log, as they are now."""
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
    for task, key in database.execute("SELECT id, list FROM task"):
        journal.tasks[lists[key]].add(task)
    rows = database.execute(
        "SELECT change, list, version, body FROM journal WHERE change > ? ORDER BY change",
        (after_row,),
    )
    for row, key, version, body in rows:
        document = json.loads(body)
        if document["version"] != version:
            raise Unreadable(f"row {row} has version {version} and says {document['version']}")
        journal.changes[lists[key]].append(
            Change(row, version, document.get("client"), document["ops"])
        )
    return journal


def _read_shared(server: Postgres, after_row: int) -> Journal:
    """PostgreSQL has no rows in the order of all commits; the times of the commits give one."""
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
            raise Unreadable(f"{name}: version {number} says {document['version']}")
        journal.changes[name].append(
            Change(row, int(number), document.get("client"), document["ops"])
        )
    return journal
