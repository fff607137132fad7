"""Shared by the fault tests: a file with lists, clients that use it, and the check afterwards."""

from __future__ import annotations

from pathlib import Path

import check_command
from checker import Checker
from history import History
from load import Load, make_lists, read_lists
from report import Setting
from server import DidNotStart, Server


class Scene:
    """A store's file, and the checker that follows it over several starts of the server."""

    def __init__(self, setting: Setting, folder: Path, name: str, lists: int = 5) -> None:
        self._setting = setting
        self._lists = lists
        self._count = 0
        self.seed = f"{setting.seed}.{name}"
        self.store = folder / f"{name}.db"
        self.log = self.store.with_name(self.store.name + "-wal")
        self.mark = self.store.with_name(self.store.name + "-mark")
        self.trace = folder / f"{name}.strace"
        self.checker = Checker()
        self.history = History()

    def make(self) -> list[str]:
        """Creates the lists, without any fault."""
        with Server(self._setting.program, self.store) as server:
            make_lists(server.port, self.seed, self._lists, self.history)
            server.kill()
        return self.check()

    def start(self, strace: list[str] | None = None, options: list[str] | None = None) -> Server:
        """Starts the server. With `strace`, it runs under this program."""
        if strace is not None:
            strace = ["-o", str(self.trace), *strace]
        return Server(self._setting.program, self.store, strace, options)

    def load(self, server: Server, clients: int, requests: int | None = None) -> Load:
        return Load(server.port, self._next_seed(), clients, self._lists, self.history, requests).start()

    def read(self, server: Server) -> None:
        """Reads each list, for example to compare it with what was shown before a restart."""
        read_lists(server.port, self._next_seed(), self._lists, self.history)

    def _next_seed(self) -> str:
        self._count += 1
        return f"{self.seed}.{self._count}"

    def check(self, allowed: frozenset[int] = frozenset()) -> list[str]:
        """Compares the file with the records since the last check."""
        found = self.checker.check(self.store, self.history.records, allowed)
        self.history = History()
        return found

    def check_all(self, allowed: frozenset[int] = frozenset()) -> list[str]:
        """Also checks the whole file with `reorderd check`. No server may have it open."""
        return self.check(allowed) + check_command.faults(self._setting.program, self.store)

    def restart_and_check(self) -> list[str]:
        """Starts the server without faults, and checks that the file can be used."""
        try:
            server = self.start()
        except DidNotStart as failure:
            return [f"the server does not start any more: {failure}"]
        with server:
            self.read(server)
            self.load(server, clients=4, requests=100).join()
            server.stop()
        return self.check_all()
