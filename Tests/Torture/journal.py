"""Reads the changes of a store without the server's code. Only this file and `damaged_store.py` know the tables. It reads a copy of
a file, so that the original does not change after a crash.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postgres import Postgres


@dataclass(frozen=True, slots=True)
class Change:
    row: int
    """Its position in the order of all lists' changes; only in a file."""
    list: str
    version: int
    document: dict[str, Any]

    @property
    def name(self) -> str:
        """The Client-Id of its request."""
        return self.document.get("client") or ""


def read(store: Path | Postgres, after_row: int = 0) -> list[Change]:
    """The changes after a row, the oldest one of each list first."""
    if isinstance(store, Postgres):
        rows = store.sql("SELECT list, version, encode(body, 'hex') FROM reorderd.change ORDER BY version")
        return [
            Change(0, name, int(version), json.loads(bytes.fromhex(body))) for name, version, body in rows
        ]
    with tempfile.TemporaryDirectory(prefix="reorderd-journal-") as folder:
        copy = Path(folder) / store.name
        for suffix in ("", "-wal"):
            source = store.with_name(store.name + suffix)
            if source.exists():
                shutil.copyfile(source, Path(folder) / source.name)
        with closing(sqlite3.connect(copy)) as database:
            found = database.execute(
                "SELECT change, id, version, list, body FROM journal JOIN list ON list.key = journal.list "
                "WHERE change > ? ORDER BY change",
                (after_row,),
            ).fetchall()
            return [
                Change(row, name, version, json.loads(body or _pieces(database, key, version)))
                for row, name, version, key, body in found
            ]


def _pieces(database: sqlite3.Connection, key: int, version: int) -> bytes:
    """The body of a long change."""
    rows = database.execute(
        "SELECT body FROM long_body JOIN piece ON piece BETWEEN first AND last "
        "WHERE list = ? AND kind = 0 AND version = ? ORDER BY piece",
        (key, version),
    )
    return b"".join(body for (body,) in rows)
