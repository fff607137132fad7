"""Webhooks, while the sender and the receiver are killed: nothing is lost, the order of each list is kept, and what is
repeated has the same id."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from random import Random

from postgres import Postgres
from report import Result, Setting
from server import Server
from waiting import wait_until
from webhook_receiver import Receiver
from wire import Connection, ConnectionLost

LISTS = 5
OPTIONS = ["--webhook-allow-private", "--webhook-allow-http"]


def webhooks(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.webhooks")
    rounds = setting.pick(12, 100)
    receiver = Receiver(f"{setting.seed}.receiver")
    receiver.start()
    store = folder / "lists.db"
    with Server(setting.program, store, options=OPTIONS) as server:
        create(server.port, receiver)
    for number in range(rounds):
        with Server(setting.program, store, options=OPTIONS) as server:
            change(server.port, random, random.randrange(20, 200))
            if random.random() < 0.5:
                receiver.stop()
                change(server.port, random, 20)
                receiver.start()
            # Mostly before everything is delivered.
            time.sleep(random.uniform(0, 0.2))
            if random.random() < 0.8:
                server.kill()
            else:
                server.stop()
        if number % 4 == 3:
            receiver.stop()
            receiver.start()
    receiver.fails = False
    receiver.stop()
    receiver.start()
    # A new start forgets the pauses.
    with Server(setting.program, store, options=OPTIONS) as server:
        wait_for_all(server.port, receiver)
        server.stop()
    receiver.stop()
    return result(f"{rounds} starts", receiver)


def webhook_servers(setting: Setting, folder: Path) -> Result:
    """Three servers on one PostgreSQL. The one that delivers is killed."""
    random = Random(f"{setting.seed}.webhook-servers")
    receiver = Receiver(f"{setting.seed}.receiver")
    receiver.fails = False
    receiver.start()
    rounds = setting.pick(2, 10)
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(Postgres(folder / "postgres").make().start())

        def start(number: int) -> Server:
            options = ["--migrate", *OPTIONS]
            place = folder / f"server-{number}"
            return stack.enter_context(Server(setting.program, place, options=options, url=postgres.url()))

        servers = [start(number) for number in range(3)]
        create(servers[0].port, receiver)
        for number in range(rounds):
            for server in servers:
                change(server.port, random, 20)
            wait_for_all(servers[0].port, receiver)
            sending = [server for server in servers if delivered(server) > 0]
            if len(sending) != 1:
                receiver.violations.append(f"{len(sending)} servers have delivered events")
            for server in sending:
                server.kill()
                servers.remove(server)
            change(servers[0].port, random, 20)
            servers.append(start(3 + number))
        wait_for_all(servers[0].port, receiver)
        for server in servers:
            server.stop()
    receiver.stop()
    return result(f"{rounds} servers that delivered were killed", receiver)


def create(port: int, receiver: Receiver) -> None:
    body = {"url": f"http://127.0.0.1:{receiver.port}/", "lists": ["list-*"]}
    answer = Connection(port).send("POST", "/webhooks", {}, json.dumps(body).encode())
    receiver.secret = json.loads(answer.body)["secret"]
    for number in range(LISTS):
        body = {"id": f"list-{number}", "title": ""}
        Connection(port).send("POST", "/lists", {}, json.dumps(body).encode())


def change(port: int, random: Random, count: int) -> None:
    connection = Connection(port)
    with contextlib.suppress(ConnectionLost):
        for number in range(count):
            body = json.dumps({"title": f"{number} {random.random()}"}).encode()
            connection.send("PATCH", f"/lists/list-{random.randrange(LISTS)}", {}, body)
    connection.close()


def wait_for_all(port: int, receiver: Receiver) -> None:
    """Waits until the receiver has the last change of each list."""
    connection = Connection(port)
    versions = {}
    for number in range(LISTS):
        versions[f"list-{number}"] = connection.send("GET", f"/lists/list-{number}", {}, None).version
    connection.close()
    wait_until(lambda: receiver.versions == versions, f"the changes up to {versions}")


def delivered(server: Server) -> int:
    return int(server.metric('reorderd_webhook_attempts_total{result="delivered"}'))


def result(figures: str, receiver: Receiver) -> Result:
    count = sum(receiver.versions.values())
    if count == 0:
        receiver.violations.append("nothing was delivered")
    return Result(
        f"{figures}, {count} events, {receiver.attempts} attempts, {receiver.repetitions} repetitions",
        receiver.violations,
    )
