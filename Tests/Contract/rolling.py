"""The configuration and the steps in docs/many-servers.md lose no request: clients read, and write with an Idempotency-Key,
through nginx, while three servers are restarted one after the other, and beside a server that is cut from its database. No client
repeats a request."""

import contextlib
import os

import nginx
import proxies
from contract_server import ask
from ports import free_port
from postgres import Postgres
from proxy_clients import Clients
from relay import Relay
from server_process import ServerProcess
from waiting import wait_until

ROUNDS = 2


def run(program, seed, is_long):
    with contextlib.ExitStack() as ending:
        place = ending.enter_context(nginx.folder())
        database = ending.enter_context(Postgres(place / "postgres").make().start())
        relay = ending.enter_context(Relay(database.port))
        cut = database.url().replace(f":{database.port}", f":{relay.port}")
        servers = [Server(program, url, place / f"server-{number}.log")
                   for number, url in enumerate((database.url(), database.url(), cut))]
        for server in servers:
            server.start()
            ending.callback(server.kill)
        upstreams = {f"reorderd-{number}:8080": server.address for number, server in enumerate(servers, 1)}
        port = ending.enter_context(proxies.through_nginx(upstreams, "many-servers.md"))
        with Clients(port) as clients:
            clients.progress()
            restart(servers, clients)
            report("two rolling restarts of three servers behind nginx", clients.take())
            relay.cut()
            wait_until(lambda: servers[2].readiness() == 503, "the server that is cut from its database is not ready")
            clients.progress(10)
            report("beside a server that is cut from its database", clients.take())
            relay.heal()
            servers[2].wait_until_ready()
        for server in servers:
            clients.check(server.address)


def restart(servers, clients):
    """The documented steps: stop a server, start it, wait until it is ready, continue with the next one."""
    for _ in range(ROUNDS):
        for server in servers:
            server.stop()
            # The server is down while clients send requests to it.
            clients.progress()
            server.start()
            server.wait_until_ready()
            clients.progress()


def report(what, counts):
    for kind in ("read", "write"):
        lost = {status: count for (name, status), count in counts.items() if name == kind and status not in (200, 201)}
        total = sum(count for (name, _), count in counts.items() if name == kind)
        print(f"{what}: {sum(lost.values())} of {total} requests lost ({kind}s) {lost or ''}")
        assert total and not lost


class Server:
    """A server that is restarted at the same address."""

    def __init__(self, program, url, log):
        self._port, self._log = free_port(), log
        self._command = [program, "serve", "--port", self._port]
        self._variables = {
            **os.environ, "REORDERD_STORE": url, "REORDERD_NO_AUTH": "true", "REORDERD_MIGRATE": "true",
            "REORDERD_DRAIN_SECONDS": "1"}
        self.address = f"127.0.0.1:{self._port}"

    def start(self):
        self._process = ServerProcess(self._command, self._log, env=self._variables)

    def stop(self):
        self._process.stop()

    def kill(self):
        self._process.kill()

    def readiness(self):
        return ask(self.address, "GET", "/readyz/writes")[0]

    def wait_until_ready(self):
        wait_until(lambda: self.readiness() == 200, f"{self.address} is ready")
