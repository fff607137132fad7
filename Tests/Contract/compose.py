"""Follows compose.many.yaml and docs/many-servers.md with the programs of this machine: starts a primary, a standby, three
servers and nginx like their services. While clients write, a server is killed and the standby is promoted."""

import contextlib
import os
import re
import subprocess
from pathlib import Path

import environment
import nginx
import proxies
from contract_server import ask
from postgres import _LIFE, Postgres, _as_user
from proxy_clients import COUNT, Clients
from server_process import ServerProcess
from waiting import wait_until

PAGE = "many-servers.md"


def run(program, seed, is_long):
    # Imported here, because only this step needs the package.
    environment.use()
    text = Path(environment.ROOT, "compose.many.yaml").read_text()
    services, configs = read(text)
    same_proxy(configs["nginx"]["content"])
    with nginx.folder() as place:
        first = Database(place / "db-1", services["db-1"]).make()
        second = Database(place / "db-2", services["db-2"])
        with first, second:
            first.prepare(configs["allow-standby"]["content"])
            second.follow(first)
            variables = services["reorderd-1"]["environment"]
            url = variables["REORDERD_STORE"].replace("db-1,db-2", f"127.0.0.1:{first.port},127.0.0.1:{second.port}")
            assert "db-" not in url, url
            migrate(program, url, place)
            with contextlib.ExitStack() as ending:
                command, environ = [program, "serve", "--port", "0"], {**os.environ, **variables, "REORDERD_STORE": url}
                servers = [
                    ending.enter_context(ServerProcess(command, place / f"server-{number}.log", env=environ)) for number in range(3)]
                upstreams = {f"reorderd-{number}:8080": server.url.removeprefix("http://") for number, server in enumerate(servers, 1)}
                port = ending.enter_context(proxies.through_nginx(upstreams, PAGE))
                before = list(map(answered, servers))
                with Clients(port, repeats=True) as clients:
                    clients.progress()
                    shares = [answered(server) - count for server, count in zip(servers, before)]
                    assert all(shares), f"a server had no client: {shares}"
                    servers[0].kill()
                    clients.progress()
                    replace(text, first, second)
                    clients.progress()
                for server in servers[1:]:
                    clients.check(server.url)
                counts = clients.take()
            subprocess.run([program, "check", url], check=True, stdout=subprocess.DEVNULL)
            assert second.sql("SELECT pg_is_in_recovery()") == [["f"]]
    failed = {status: count for (_, status), count in counts.items() if status not in (200, 201)}
    assert all(not isinstance(status, int) or status in (502, 503, 504) for status in failed), failed
    print(f"{len(clients.added)} tasks of {COUNT} clients through nginx to three servers, of which one was killed, while the primary was "
          f"stopped and its standby promoted; {sum(failed.values())} requests failed, 0 lost, 0 applied twice")


def answered(server):
    """The number of requests to a server."""
    _, text = ask(server.url, "GET", "/metrics")
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("reorderd_requests_total{"))


def read(text):
    """The file's services and configs, with the variables' defaults."""
    import yaml

    def filled(value):
        match value:
            case dict():
                return {name: filled(part) for name, part in value.items()}
            case list():
                return [filled(part) for part in value]
            case str():
                return re.sub(r"\$(?:(\$)|\{\w+:-([^}]*)\})", lambda found: found[1] or found[2], value)
        return value

    parts = filled(yaml.safe_load(text))
    return parts["services"], parts["configs"]


def same_proxy(configuration):
    """The page and the file have the same configuration."""
    def words(text):
        return [word for line in text.splitlines() for word in line.split("#")[0].split()]

    assert words(configuration) == words(proxies.block("nginx", PAGE, {})), "the page has another configuration of nginx"


def migrate(program, url, place):
    """Creates the tables with the page's command."""
    line = re.search(r"^reorderd migrate [^#]*", proxies.block("sh", PAGE, {}), re.MULTILINE)[0]
    programs = place / "programs"
    programs.mkdir()
    (programs / "reorderd").symlink_to(Path(program).resolve())
    subprocess.run(
        ["sh", "-c", line], check=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "REORDERD_STORE": url})


def replace(text, first, second):
    """Stops the primary and promotes the standby, with the file's own commands."""
    stop, promote = (
        re.search(rf"^# +docker compose -f compose\.many\.yaml {command}", text, re.MULTILINE)
        for command in (r"stop db-1\b", r"exec -u postgres db-2 (.*)"))
    assert stop, "the file has no command to stop the primary"
    first.stop("fast")
    second.command(promote[1].split())


class Database(Postgres):
    """The primary or the standby, like its container, but on a separate port."""

    def __init__(self, folder, service):
        super().__init__(folder)
        self._service = service
        self._variables = {
            **os.environ, **service["environment"], "PGDATA": str(self._data), "PGHOST": str(folder),
            "PGPORT": str(self.port), "PATH": f"{folder}:{self._programs}:{os.environ['PATH']}",
        }

    def _run(self, program, *arguments):
        return self.command([program, *arguments])

    def command(self, words):
        """Runs a command as PostgreSQL's user."""
        done = subprocess.run(
            [*_as_user(), *words], cwd=self.folder, env=self._variables, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def sql(self, text, database="reorderd"):
        user = self._service["environment"]["POSTGRES_USER"]
        said = self.command(["psql", "-U", user, "-d", database, "-qAtX", "-c", text])
        return [line.split("|") for line in said.splitlines()]

    def make(self):
        """Creates the cluster like the image does: connections over the network need the password."""
        variables = self._service["environment"]
        user, password = variables["POSTGRES_USER"], self.folder / "password"
        password.write_text(variables["POSTGRES_PASSWORD"])
        password.chmod(0o644)
        self._run("initdb", "-D", str(self._data), "-U", user, "--pwfile", str(password), "-A", "trust", "-E", "UTF8")
        allowed = self._data / "pg_hba.conf"
        local = [line for line in allowed.read_text().splitlines() if line.startswith("local")]
        allowed.write_text("\n".join([*local, "host all all all scram-sha-256", ""]))
        return self

    def prepare(self, script):
        """Runs the initialization, and starts the server."""
        user = self._service["environment"]["POSTGRES_USER"]
        self.start()
        self._run("createdb", "-U", user, user)
        self.command(["bash", "-c", script])
        self.stop("fast")
        self.start()

    def follow(self, primary):
        """Runs the service's own command, and waits until the primary uses it as its synchronous standby."""
        # Parts of the container: the name of the other host, and the program that changes users.
        variables = {**self._variables, "PGHOSTADDR": "127.0.0.1", "PGPORT": str(primary.port)}
        change = self.folder / "gosu"
        change.write_text(
            'test "$2" != postgres || set -- "$@" -c listen_addresses=127.0.0.1 '
            f'-c port={self.port} -k {self.folder}\nshift\nexec {" ".join(_as_user())} "$@"\n')
        change.write_text(f"#!/bin/sh\n{change.read_text()}")
        change.chmod(0o755)
        command = [*self._service["entrypoint"], *self._service["command"]]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            ["sh", "-c", _LIFE, "sh", *command], stdin=subprocess.PIPE, stdout=log, stderr=log, env=variables)
        followers = lambda: primary.sql("SELECT application_name, sync_state FROM pg_stat_replication")
        wait_until(lambda: ["db-2", "sync"] in followers(), f"the standby follows: {self.folder / 'log'}")
