"""Streams break at random bytes, while lists change and the server is killed. At the end each client has received each
change once, in order, and equal to the history."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from random import Random

from event_stream import Event, EventStream, StreamRefused
from report import Result, Setting
from server import Server
from waiting import HANG_SECONDS

LISTS = ("cuts-0", "cuts-1", "cuts-2")
READERS = 24
WRITERS = 6
TASKS = 20


class LiveServer:
    """The current server. After a restart it has another port."""

    def __init__(self, setting: Setting, folder: Path) -> None:
        self._program = setting.program
        self._store = folder / "lists.db"
        self.process = Server(self._program, self._store)

    @property
    def port(self) -> int:
        return self.process.port

    def restart(self) -> None:
        self.process.kill()
        self.process = Server(self._program, self._store)


class Tally:
    def __init__(self) -> None:
        self.cuts = self.events = self.missed = self.repeated = self.refetched = 0
        self.violations: list[str] = []


class Reader:
    """One client that watches a list, and records the changes that it receives."""

    def __init__(self, name: str, list_name: str, random: Random, tally: Tally) -> None:
        self._name = name
        self._path = f"/lists/{list_name}/events?since=0"
        self._random = random
        self._tally = tally
        self.list = list_name
        self.last: int | None = None
        self._last_id: str | None = None
        self.seen: dict[int, bytes] = {}

    async def read(self, server: LiveServer, most: int, until: int | None = None) -> None:
        """One connection, cut after a number of bytes or when a version has arrived."""
        version = self._random.choice(("1.0", "1.1"))
        stream = await EventStream.open(server.port, self._path, self._last_id, version)
        try:
            while most > 0 and not stream.has_ended and (self.last or 0) < (until or 1 << 60):
                size = min(most, self._random.choice((1, 7, 100, 4096)))
                most -= await asyncio.wait_for(stream.read(size), 1 if until is None else HANG_SECONDS)
                for event in stream.events():
                    self._take(event)
        except TimeoutError:
            if until is not None:
                self._tally.violations.append(f"{self._name}: nothing after {self.last}")
                raise
        finally:
            stream.cut()

    def _take(self, event: Event) -> None:
        tally = self._tally
        if event.name == "refetch":
            tally.refetched += 1
        if event.name != "change":
            return
        tally.events += 1
        last = self.last or 0
        if event.version <= last:
            tally.repeated += 1
            tally.violations.append(f"{self._name}: {event.version} came after {last}")
        elif event.version > last + 1:
            tally.missed += event.version - last - 1
            tally.violations.append(f"{self._name}: {event.version} came right after {last}")
        self.last, self._last_id = event.version, event.identifier
        self.seen[event.version] = event.data


async def _request(port: int, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.0\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        answer = await reader.read(-1)
        head_bytes, _, rest = answer.partition(b"\r\n\r\n")
        if not head_bytes:
            raise ConnectionError
        return int(head_bytes.split(b" ", 2)[1]), rest
    finally:
        writer.transport.abort()


async def _write(server: LiveServer, random: Random, stopped: asyncio.Event) -> None:
    while not stopped.is_set():
        name = random.choice(LISTS)
        task = f"{name}.{random.randrange(TASKS)}"
        with contextlib.suppress(OSError, IndexError):
            if random.random() < 0.9:
                body = {"task": task, "position": random.randrange(TASKS)}
                await _request(server.port, "POST", f"/lists/{name}/move", body)
            else:
                title = "x" * random.choice((1, 100, 4000))
                await _request(server.port, "PATCH", f"/tasks/{task}", {"title": title})
        await asyncio.sleep(random.uniform(0, 0.01))


async def _cut(server: LiveServer, reader: Reader, random: Random, tally: Tally, cuts: int) -> None:
    while tally.cuts < cuts and not tally.violations:
        try:
            await reader.read(server, random.choice((40, 300, 2000, 20_000)) + random.randrange(300))
            tally.cuts += 1
        except (OSError, asyncio.IncompleteReadError):
            # The server was killed, and is restarting.
            await asyncio.sleep(0.01)
        except StreamRefused as error:
            tally.violations.append(f"a stream was refused: {error}")


async def _history(port: int, name: str) -> dict[int, object]:
    changes: dict[int, object] = {}
    _, body = await _request(port, "GET", f"/lists/{name}")
    epoch = json.loads(body)["epoch"]
    while True:
        since = f"{len(changes)}-{epoch}"
        _, body = await _request(port, "GET", f"/lists/{name}/changes?since={since}")
        page = json.loads(body)
        changes |= {change["version"]: change for change in page["changes"]}
        if not page["more"]:
            return changes


async def _run(setting: Setting, folder: Path, tally: Tally) -> int:
    cuts, kills = setting.pick(300, 10_000), setting.pick(3, 30)
    random = Random(f"{setting.seed}.stream-cuts")
    server = LiveServer(setting, folder)
    try:
        for name in LISTS:
            tasks = [{"id": f"{name}.{index}", "title": "t"} for index in range(TASKS)]
            await _request(server.port, "PUT", f"/lists/{name}", {"title": name, "tasks": tasks})
        readers = [
            Reader(f"reader {index}", LISTS[index % len(LISTS)], Random(random.random()), tally)
            for index in range(READERS)
        ]
        stopped = asyncio.Event()
        writers = [
            asyncio.create_task(_write(server, Random(random.random()), stopped))
            for _ in range(WRITERS)
        ]
        cutters = [
            asyncio.create_task(_cut(server, reader, Random(random.random()), tally, cuts))
            for reader in readers
        ]
        for kill in range(kills):
            while tally.cuts < cuts * (kill + 1) // (kills + 1) and not tally.violations:
                await asyncio.sleep(0.02)
            server.restart()
        await asyncio.gather(*cutters)
        stopped.set()
        await asyncio.gather(*writers)
        histories = {name: await _history(server.port, name) for name in LISTS}
        for reader in readers:
            history = histories[reader.list]
            if (reader.last or 0) < len(history):
                await reader.read(server, 1 << 40, until=len(history))
            seen = {version: json.loads(data) for version, data in reader.seen.items()}
            if seen != history:
                tally.violations.append(f"{reader.list}: a client received another history")
        return kills
    finally:
        server.process.kill()


def stream_cuts(setting: Setting, folder: Path) -> Result:
    tally = Tally()
    kills = asyncio.run(_run(setting, folder, tally))
    if tally.refetched:
        tally.violations.append(f"{tally.refetched} refetch events, though all changes are stored")
    return Result(
        f"{tally.cuts} cuts, {kills} kills, {tally.events} events; missed {tally.missed}, "
        f"repeated or out of order {tally.repeated}",
        tally.violations,
    )
