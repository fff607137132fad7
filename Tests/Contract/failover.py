"""The configuration in docs/many-servers.md works: one of three servers is killed while clients with many addresses write
through nginx, and all clients continue."""

import contextlib
import http.client
import json
import os
import threading

import proxies
from postgres import Postgres
from server_process import ServerProcess
from waiting import HANG_SECONDS, wait_until

# Enough clients that nginx gives some of them to each server.
CLIENTS = 40
WRITES = 30


def run(program, seed, is_long):
    with proxies.folder() as place, Postgres(place / "postgres").make().start() as database:
        with three_servers(program, database.url(), place) as servers:
            addresses = [address for address, _ in servers]
            upstreams = {f"reorderd-{number}:8080": address for number, address in enumerate(addresses, 1)}
            with proxies.through_nginx(upstreams, "many-servers.md") as port:
                shares, again = write_while(kill, port, addresses, servers[0][1])
            check(addresses[1:])
            print(
                f"{WRITES * CLIENTS} tasks from clients with {CLIENTS} addresses through nginx to three servers, which had "
                f"{shares} requests when the first was killed; {again} requests repeated, 0 lost, 0 applied twice")


def kill(victim):
    victim.kill()
    victim.wait()


@contextlib.contextmanager
def three_servers(program, url, place, **variables):
    """Starts servers. Yields their addresses and processes."""
    with contextlib.ExitStack() as ending:
        servers = []
        for number in range(3):
            settings = variables or {"REORDERD_MIGRATE": "true", "REORDERD_NO_AUTH": "true"}
            server = ServerProcess(
                [program, "serve", "--port", "0"], place / f"server-{number}.log",
                env={**os.environ, **settings, "REORDERD_STORE": url})
            ending.enter_context(server)
            servers.append((server.url.removeprefix("http://"), server.process))
        yield servers


def write_while(happens, port, addresses, *what):
    """Lets clients write while an event happens. Returns the number of requests that each server had before the event, and
    the number of repeated requests."""
    status, _ = ask(f"127.0.0.1:{port}", "PUT", "/lists/shared", {"title": "Shared"})
    assert status == 201, status
    before = [answered(address) for address in addresses]
    written, again, faults = [0] * CLIENTS, [0] * CLIENTS, []
    # No client continues before all have begun, and none ends before the event.
    begun, happened = threading.Barrier(CLIENTS + 1), threading.Event()

    def write(client):
        try:
            for number in range(WRITES):
                if number == WRITES // 3:
                    begun.wait(HANG_SECONDS)
                if number == WRITES - 1:
                    assert happened.wait(HANG_SECONDS), "the event did not happen"
                again[client] += add(port, client, number)
                written[client] += 1
        except Exception as fault:
            faults.append(f"client {client}: {fault!r}")
            begun.abort()

    threads = [threading.Thread(target=write, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    with contextlib.suppress(threading.BrokenBarrierError):
        begun.wait(HANG_SECONDS)
    shares = [answered(address) - count for address, count in zip(addresses, before)]
    try:
        happens(*what)
    finally:
        happened.set()
        for thread in threads:
            thread.join()
    assert not faults, "\n".join(faults)
    assert all(shares), f"a server had no client: {shares}"
    return shares, sum(again)


def check(addresses):
    """Checks that each of these servers has each task once."""
    wanted = {f"{client}.{number}" for client in range(CLIENTS) for number in range(WRITES)}
    for address in addresses:
        status, text = ask(address, "GET", "/lists/shared")
        ids = [task["id"] for task in json.loads(text)["tasks"]]
        assert status == 200 and len(ids) == len(wanted) and set(ids) == wanted, f"{len(ids)} of {len(wanted)}"


def add(port, client, number):
    """Adds a task, and repeats the request until it gets a response. Returns the number of repeats."""
    task, statuses = f"{client}.{number}", []

    def is_added():
        statuses.append(None)
        with contextlib.suppress(OSError, http.client.HTTPException):
            statuses[-1], text = ask(
                f"127.0.0.1:{port}", "POST", "/lists/shared/tasks", {"id": task, "title": task},
                {"Idempotency-Key": f'"{task}"'}, f"127.0.1.{client + 1}")
            assert statuses[-1] in (201, 502, 503, 504), f"{statuses[-1]}: {text}"
        return statuses[-1] == 201

    wait_until(is_added, lambda: f"{task} is added: {statuses[-5:]}")
    return len(statuses) - 1


def answered(address):
    """The number of requests to a server."""
    _, text = ask(address, "GET", "/metrics")
    return sum(
        int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("reorderd_requests_total{"))


def ask(address, method, path, body=None, fields=None, source=None):
    host, port = address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), HANG_SECONDS, source and (source, 0))
    with contextlib.closing(connection):
        fields = {"Content-Type": "application/json", "Host": "localhost", **(fields or {})}
        connection.request(method, path, body and json.dumps(body), fields)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
