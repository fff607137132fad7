"""Reads the journal of a store's file with another SQLite than the server's code: the one place
here that knows the tables. Works on a copy, so that the file under test stays as the crash left it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


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


def read(path: Path, after_row: int = 0) -> Journal:
    """The journal after a row, from a copy of the file and its log."""
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
