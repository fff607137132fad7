"""Very many lists: the duration of a start, and the memory of lists in use."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

from report import Result, Setting
from server import Server
from wire import Connection

LISTS, TASKS = 100_000, 100
CLIENTS = 16
SLOWEST_OPENING_SECONDS = 0.5
"""Processor time beyond that of an empty store. Other processes do not count."""
SMALL_CACHE = 16 << 20
LARGEST_GROWTH = 6 * SMALL_CACHE


def many_lists(setting: Setting, folder: Path) -> Result:
    full, empty = folder / "full.db", folder / "empty.db"
    violations: list[str] = []
    with Server(setting.program, full) as server:
        seconds = _make(server.port)
        server.stop()
    with Server(setting.program, empty) as server:
        server.stop()
    size = full.stat().st_size
    (opening, used), (opening_empty, used_empty) = (
        _first_answer(setting, store) for store in (full, empty)
    )
    if used - used_empty > SLOWEST_OPENING_SECONDS:
        violations.append(f"the start takes {used:.2f} s of processor time, {used_empty:.2f} s with an empty store")
    touched = [0, 1_000, 10_000, LISTS]
    usual = _memory(setting, full, touched, [], violations)
    small = _memory(setting, full, touched, ["--cache-bytes", str(SMALL_CACHE)], violations)
    if small[-1] - small[0] > LARGEST_GROWTH:
        violations.append(f"a cache of {SMALL_CACHE} bytes grew by {small[-1] - small[0]} bytes")
    return Result(
        f"{LISTS} lists of {TASKS} tasks in {size / 1e6:.0f} MB, created in {seconds:.0f} s; start to "
        f"first response {opening * 1000:.0f} ms, of an empty store {opening_empty * 1000:.0f} ms; "
        f"resident after touching {touched} lists: {_megabytes(usual)} MB, with a cache of "
        f"{SMALL_CACHE >> 20} MiB {_megabytes(small)} MB",
        violations,
    )


def _make(port: int) -> float:
    # A template with a placeholder for the list's number.
    template = json.dumps(
        {
            "title": "List @",
            "tasks": [
                {"id": f"list-@-task-{task:03}", "title": f"A title of 24 bytes, {task:03}"}
                for task in range(TASKS)
            ],
        }
    )

    def make(client: int) -> None:
        connection = Connection(port)
        for number in range(client, LISTS, CLIENTS):
            body = template.replace("@", str(number)).encode()
            answer = connection.send("PUT", f"/lists/list-{number}", {}, body)
            if answer.status != 201:
                raise RuntimeError(f"list {number}: {answer.status} {answer.body[:300]!r}")
        connection.close()

    started = time.monotonic()
    threads = [threading.Thread(target=make, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - started


def _first_answer(setting: Setting, store: Path) -> tuple[float, float]:
    """The least of five times from the start of the process to the response with the first list, and the least
    processor time."""
    times, used = [], []
    for _ in range(5):
        started = time.monotonic()
        with Server(setting.program, store) as server:
            server.get("/lists/list-0")
            times.append(time.monotonic() - started)
            used.append(server.processor_seconds)
            server.stop()
    return min(times), min(used)


def _memory(
    setting: Setting, store: Path, touched: list[int], options: list[str], violations: list[str]
) -> list[int]:
    """Resident bytes after reading each of these numbers of lists."""
    resident = []
    with Server(setting.program, store, options=options) as server:
        connection = Connection(server.port)
        done = 0
        for count in touched:
            for number in range(done, count):
                if connection.send("GET", f"/lists/list-{number}", {}, None).status != 200:
                    violations.append(f"list-{number} does not exist")
            done = count
            resident.append(server.memory_bytes())
        connection.close()
        server.stop()
    return resident


def _megabytes(sizes: list[int]) -> list[int]:
    return [round(size / 1e6) for size in sizes]
