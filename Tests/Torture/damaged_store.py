"""A store with its servers, whose lists can be damaged."""

from __future__ import annotations

import contextlib
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from postgres import Postgres
from report import Setting
from test_servers import Fleet


class Place(ABC):
    """A store, the servers on it, and ways to damage it."""

    fleet: Fleet

    @abstractmethod
    def run_sql(self, statements: list[str]) -> None: ...

    @abstractmethod
    def damages(self, name: str, version: int, task: str) -> list[list[str]]:
        """Statements that make a version unreadable, and at last some that make all of them unreadable."""

    @contextlib.contextmanager
    def offline(self) -> Iterator[None]:
        """No server has the store open, if commands need that."""
        yield


class SharedPlace(Place):
    def __init__(self, setting: Setting, folder: Path, database: Postgres) -> None:
        self.database = database
        self.url = database.url()
        self.fleet = Fleet(setting, folder, self.url, [])

    def run_sql(self, statements: list[str]) -> None:
        for statement in statements:
            self.database.sql(statement)

    def damages(self, name: str, version: int, task: str) -> list[list[str]]:
        row = f"WHERE list = '{name}' AND version = {version}"
        other = f"convert_to(replace(convert_from(body, 'UTF8'), '\"{task}\"', '\"none\"'), 'UTF8')"
        return [
            [f"UPDATE reorderd.change SET body = 'x' {row}"],
            [f"UPDATE reorderd.change SET body = substring(body FROM 1 FOR 20) {row}"],
            [f"UPDATE reorderd.change SET body = {other} {row}"],
            [f"UPDATE reorderd.snapshot SET body = substring(body FROM 1 FOR 50) WHERE list = '{name}'"],
        ]

    def remove_others(self) -> Postgres:
        """Leaves only the lists of the load."""
        tables = {"change": "list", "snapshot": "list", "task": "list", "list": "id"}
        self.run_sql([f"DELETE FROM reorderd.{table} WHERE {column} NOT LIKE 'list-%'" for table, column in tables.items()])
        return self.database


class FilePlace(Place):
    def __init__(self, setting: Setting, folder: Path) -> None:
        self.path = folder / "lists.db"
        self.url = f"file:{self.path}"
        self.fleet = Fleet(setting, folder, self.url, [], [{}])

    def run_sql(self, statements: list[str]) -> None:
        with contextlib.closing(sqlite3.connect(self.path)) as database, database:
            for statement in statements:
                assert database.execute(statement).rowcount > 0, statement

    def damages(self, name: str, version: int, task: str) -> list[list[str]]:
        key = f"list = (SELECT key FROM list WHERE id = '{name}')"
        row = f"WHERE {key} AND version = {version}"
        return [
            [f"UPDATE journal SET checksum = 0 {row}"],
            [f"UPDATE journal SET body = substr(body, 1, 20) {row}"],
            [f"UPDATE journal SET body = CAST(replace(CAST(body AS TEXT), '{task}', 'none') AS BLOB) {row}"],
            [f"UPDATE snapshot SET checksum = 0 WHERE {key}"],
        ]

    @contextlib.contextmanager
    def offline(self) -> Iterator[None]:
        self.fleet.servers[0].kill()
        yield
        self.fleet.kill(0)

    def remove_others(self) -> Path:
        others = "(SELECT key FROM list WHERE id NOT LIKE 'list-%')"
        tables = {"journal": "list", "snapshot": "list", "task": "list", "head": "list", "list": "key"}
        self.run_sql([f"DELETE FROM {table} WHERE {column} IN {others}" for table, column in tables.items()])
        return self.path
