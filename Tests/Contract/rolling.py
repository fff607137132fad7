"""The configuration and the steps in docs/many-servers.md lose no request: clients read, and write with an Idempotency-Key,
through nginx, while three servers are restarted one after the other, and beside a server that is cut from its database. No client
repeats a request."""

import collections
import contextlib
import json
import os
import threading

import nginx
import proxies
from failover import ask
from postgres import Postgres
from relay import Relay
from server_process import ServerProcess
from waiting import wait_until

# Enough clients that nginx gives some of them to each server.
CLIENTS = 24
ROUNDS = 2


def run(program, seed, is_long):
    with contextlib.ExitStack() as ending:
        place = ending.enter_context(proxies.folder())
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
        status, text = ask(f"127.0.0.1:{port}", "PUT", "/lists/shared", {"title": "Shared"})
        assert status == 201, text
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
            check(server.address, clients.added)


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


def check(address, wanted):
    """Each acknowledged task is in the list once, and no other."""
    status, text = ask(address, "GET", "/lists/shared")
    ids = [task["id"] for task in json.loads(text)["tasks"]]
    assert status == 200 and len(ids) == len(set(ids)) and set(ids) == wanted, f"{len(ids)} of {len(wanted)}"


class Server:
    """A server that is restarted at the same address."""

    def __init__(self, program, url, log):
        self._port, self._log = nginx.free_port(), log
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


class Clients:
    """Each reads and writes in turn, from an address of its own, until the end."""

    def __init__(self, port):
        self._address = f"127.0.0.1:{port}"
        self._counts = collections.Counter()
        self._turns = [0] * CLIENTS
        self._lock = threading.Lock()
        self._is_ending = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(client,)) for client in range(CLIENTS)]
        self.added = set()

    def progress(self, turns=3):
        """Waits until each client has completed a number of turns."""
        goals = [turn + turns + 1 for turn in self._turns]
        wait_until(
            lambda: all(turn >= goal for turn, goal in zip(self._turns, goals, strict=True)),
            lambda: f"all clients continue: {self._turns}, {goals}")

    def take(self):
        """The responses since the last call, by kind and status."""
        with self._lock:
            counts, self._counts = self._counts, collections.Counter()
        return counts

    def _work(self, client):
        while not self._is_ending.is_set():
            task = f"{client}.{self._turns[client]}"
            self._ask(client, "read", "GET", "/lists/shared?limit=1")
            fields = {"Idempotency-Key": f'"{task}"'}
            if self._ask(client, "write", "POST", "/lists/shared/tasks", {"id": task, "title": task}, fields):
                self.added.add(task)
            self._turns[client] += 1

    def _ask(self, client, kind, *request):
        try:
            status, _ = ask(self._address, *request, *[None] * (4 - len(request)), source=f"127.0.1.{client + 1}")
        except Exception as fault:
            status = repr(fault)
        with self._lock:
            self._counts[kind, status] += 1
        return status in (200, 201)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_ending.set()
        for thread in self._threads:
            thread.join()
