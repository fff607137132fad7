"""A PostgreSQL server for the tests, in a temporary folder, and a standby that can be promoted."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

from ports import free_port
from waiting import wait_until

USER = "postgres"
"""PostgreSQL refuses to run as root. If the tests run as root, it runs as this user."""
_LIFE = '"$@" & server=$!; cat >/dev/null; kill -QUIT $server; wait $server'
"""Ends the command when standard input ends, which also happens when these tests are killed."""


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[4])
    if found:
        return found[-1].parent
    if path := shutil.which("initdb"):
        return Path(path).parent
    raise RuntimeError("PostgreSQL's programs are missing: run scripts/setup --checks")


def _as_user() -> list[str]:
    if os.getuid() != 0:
        return []
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--"]


class Postgres:
    """One server on a free port of the loopback address, as durable as in production."""

    def __init__(
        self, folder: Path, settings: dict[str, str] | None = None, archives: bool = False
    ) -> None:
        """`archives`: it can be recovered to an earlier moment."""
        self.folder = folder
        self.settings = settings or {}
        if archives:
            self.settings |= {"archive_mode": "on", "archive_command": f"cp %p {folder}/%f"}
        self._programs = _programs()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        folder.mkdir(parents=True)
        if os.getuid() == 0:
            # PostgreSQL's user must be able to reach the folder.
            for parent in folder.parents:
                if parent.name.startswith("reorderd-torture"):
                    parent.chmod(0o755)
            shutil.chown(folder, USER)

    @property
    def _address(self) -> list[str]:
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "reorderd"]

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def make(self) -> Postgres:
        self._run("initdb", "-D", str(self._data), "-U", "reorderd", "-A", "trust", "-E", "UTF8")
        return self

    def make_standby_of(self, primary: Postgres) -> Postgres:
        """Makes this server a standby of the primary. Its name is its folder's name."""
        self._run(
            "pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "reorderd",
            "-D", str(self._data), "-c", "fast", "-X", "stream",
        )  # fmt: skip
        (self._data / "standby.signal").touch()
        (self._data / "postgresql.auto.conf").write_text(
            f"primary_conninfo = 'host=127.0.0.1 port={primary.port} user=reorderd "
            f"application_name={self.folder.name}'\n"
        )
        return self

    # Going back

    def dump(self, schema: str) -> None:
        """Writes what `restore` brings back."""
        self._run("pg_dump", *self._address, "--schema", schema, "-Fc", "-f", "dump", "postgres")

    def restore(self) -> None:
        """Replaces the tables while they are used. A deadlock with a commit can end the attempt."""
        options = ["--clean", "--if-exists", "--single-transaction", "-d", "postgres", "dump"]

        def attempt() -> bool:
            with contextlib.suppress(subprocess.CalledProcessError):
                self._run("pg_restore", *self._address, *options)
                return True
            return False

        wait_until(attempt, "the dump is restored")

    def back_up(self) -> None:
        """Makes the copy from which `recover_to` begins."""
        self._run("pg_basebackup", *self._address, "-D", "backup", "-c", "fast", "-X", "none")

    def name_moment(self, name: str) -> None:
        self.sql(f"SELECT pg_create_restore_point('{name}')")

    def recover_to(self, moment: str) -> None:
        """Goes back to a moment after the backup. The address stays."""
        file = self.sql("SELECT pg_walfile_name(pg_switch_wal())")[0][0]
        archived = f"SELECT last_archived_wal >= '{file}' FROM pg_stat_archiver"
        wait_until(lambda: self.sql(archived) == [["t"]], "the log is archived")
        self.stop()
        self._data.rename(self.folder / "former")
        (self.folder / "backup").rename(self._data)
        (self._data / "recovery.signal").touch()
        with (self._data / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"restore_command = 'cp {self.folder}/%f %p'\n")
            settings.write(f"recovery_target_name = '{moment}'\nrecovery_target_action = 'promote'\n")
        self.start()

    def start(self) -> Postgres:
        command = [str(self._programs / "postgres"), "-D", str(self._data), "-k", str(self.folder)]
        settings = {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "max_connections": "100",
        } | self.settings
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            ["sh", "-c", _LIFE, "sh", *_as_user(), *command],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )
        wait_until(self._answers, f"PostgreSQL starts: {self.folder / 'log'}")
        return self

    def _answers(self) -> bool:
        assert self._process is not None and self._process.poll() is None, (self.folder / "log").read_text()
        ready = [str(self._programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ready, check=False).returncode == 0

    def stop(self, mode: str = "fast") -> None:
        """The mode `immediate` is like a crash."""
        if self._process is None:
            return
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop")
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._process = None

    def promote(self) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-w", "promote")

    def sql(self, text: str, database: str = "postgres") -> list[list[str]]:
        """Runs SQL and returns the rows. Values must not contain line breaks or vertical bars."""
        said = self._run(
            "psql", *self._address, "-d", database, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text,
        )  # fmt: skip
        return [line.split("|") for line in said.splitlines()]

    def url(self, *others: Postgres, database: str = "postgres") -> str:
        """The URL of the one of these servers that accepts writes."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in (self, *others))
        return f"postgres://reorderd@{hosts}/{database}"

    def end_backends(self) -> None:
        """Closes all connections of reorderd, whatever they are doing."""
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'reorderd'")

    def _run(self, program: str, *arguments: str) -> str:
        return subprocess.run(
            [*_as_user(), str(self._programs / program), *arguments],
            cwd=self.folder,
            # PostgreSQL's user cannot read certificates in our home folder.
            env={**os.environ, "HOME": str(self.folder)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def __enter__(self) -> Postgres:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.stop("immediate")
