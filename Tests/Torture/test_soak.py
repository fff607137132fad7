"""A long run below the server's limit, with reads, durable moves and event streams. Memory and descriptors stay flat, no
response is 5xx, and streams miss nothing.

`wrk` sends as fast as it can for a share of each tenth of a second, and pauses for the rest. The peak is measured first,
in the same way without pauses.

Flat means that the median of the last fifth of the samples exceeds the median of the second fifth by at most 5 % and 8 MiB
(memory), or by at most 4 (descriptors). In the first fifth the server allocates the memory that it needs under load.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from statistics import median

from event_stream import EventStream
from report import Result, Setting
from server import Server
from waiting import wait_until
from wire import Connection

SHARE = 0.7
SLOT_SECONDS = 0.1
CONNECTIONS = 64
LISTS = 200
TASKS = 100
WATCHED = 20
STREAMS = 50
SCRIPT = Path(__file__).parents[2] / "Benchmarks/HTTP/load.lua"


def soak(setting: Setting, folder: Path) -> Result:
    if not shutil.which("wrk"):
        return Result("", ["wrk is missing: scripts/setup --checks installs it"])
    seconds = 600
    requests = folder / "requests"
    requests.write_bytes(b"".join(b"%d\n%b" % (len(text), text) for text in _mixed()))
    with Server(setting.program, folder / "lists.db") as server:
        connection = Connection(server.port)
        for index in range(LISTS):
            tasks = [{"id": f"{index}.{task}", "title": f"Task {task} of it"} for task in range(TASKS)]
            body = json.dumps({"title": "soak", "tasks": tasks}).encode()
            answer = connection.send("PUT", f"/lists/{index}", {}, body)
            assert answer.status == 201, answer
        with Readers(server) as readers:
            peak = _run(server, requests, 10, share=1)
            samples = Samples(server)
            result = _run(server, requests, seconds, SHARE, samples)
            readers.wait_for_last(server)
            violations = samples.violations() + readers.violations(server)
        failed = _failed(server)
        if failed or result["refused"] or result["broken"]:
            violations.append(f"{failed} responses with 5xx, {result}")
        server.stop()
    rate, top = (run["requests"] / run["microseconds"] * 1e6 for run in (result, peak))
    return Result(
        f"{seconds} s at {rate:.0f} requests a second, {rate / top:.0%} of the peak of {top:.0f}: nine reads for each "
        f"move, {STREAMS} streams, {readers.count} events, 5xx {failed}; {samples.figures}",
        violations,
    )


def _mixed() -> list[bytes]:
    """Nine reads for each move; each list in turn."""
    requests = []
    for turn in range(TASKS // 2):
        for index in range(LISTS):
            for read in range(9):
                other = (index * 9 + read + turn) % LISTS
                requests.append(f"GET /lists/{other} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            anchor = (turn + (61, 23)[turn % 2]) % TASKS
            body = json.dumps({"task": f"{index}.{turn}", "after": f"{index}.{anchor}"})
            requests.append(
                f"POST /lists/{index}/move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
    return requests


def _run(
    server: Server, requests: Path, seconds: int, share: float, samples: Samples | None = None
) -> dict[str, int]:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s"]
    command += ["-s", str(SCRIPT), f"http://127.0.0.1:{server.port}/", "--", str(requests), "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        while process.poll() is None:
            started = time.monotonic()
            if samples:
                samples.take()
            time.sleep(max(0, SLOT_SECONDS * share - (time.monotonic() - started)))
            if share < 1:
                process.send_signal(signal.SIGSTOP)
                time.sleep(SLOT_SECONDS * (1 - share))
                process.send_signal(signal.SIGCONT)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
    assert process.stdout
    output = process.stdout.read().decode()
    process.stdout.close()
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    assert lines, output
    return json.loads(lines[0].removeprefix("RESULT "))


def _failed(server: Server) -> int:
    """The number of 5xx responses, according to the server's metrics."""
    text = server.get("/metrics").body.decode()
    counts = re.findall(r'^reorderd_requests_total\{.*status="5..".*\} (\d+)$', text, re.MULTILINE)
    assert "reorderd_requests_total" in text
    return sum(map(int, counts))


class Samples:
    """Memory and descriptors of the server, about once a second."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._memory: list[int] = []
        self._descriptors: list[int] = []
        self._next = 0.0

    def take(self) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 1
        self._memory.append(self._server.memory_bytes())
        self._descriptors.append(self._server.descriptors)

    def _early_and_late(self, values: list[int]) -> tuple[float, float]:
        fifth = max(1, len(values) // 5)
        return median(values[fifth : 2 * fifth]), median(values[-fifth:])

    def violations(self) -> list[str]:
        found = []
        early, late = self._early_and_late(self._memory)
        if late > early * 1.05 + (8 << 20):
            found.append(f"memory grew from {early / 2**20:.0f} to {late / 2**20:.0f} MiB")
        early, late = self._early_and_late(self._descriptors)
        if late > early + 4:
            found.append(f"descriptors grew from {early:.0f} to {late:.0f}")
        return found

    @property
    def figures(self) -> str:
        (early, late), (before, after) = map(
            self._early_and_late, (self._memory, self._descriptors)
        )
        return (
            f"memory {early / 2**20:.1f} to {late / 2**20:.1f} MiB, descriptors {before:.0f} to "
            f"{after:.0f}, {len(self._memory)} samples"
        )


class Readers:
    """Streams of the first lists, each read continuously by a thread."""

    def __init__(self, server: Server) -> None:
        self._last: dict[int, int] = {}
        self._lists: dict[int, int] = {}
        self._streams: list[EventStream] = []
        self._faults: list[str] = []
        self._is_over = False
        self.count = 0
        for number in range(STREAMS):
            self._last[number], self._lists[number] = 1, number % WATCHED
            name = f"{number % WATCHED}"
            stream = EventStream(server.port, f"/lists/{name}/events?since={server.token(name, 1)}")
            self._streams.append(stream)
            threading.Thread(target=self._read, args=(number, stream), daemon=True).start()

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        for stream in self._streams:
            stream.close()

    def _read(self, number: int, stream: EventStream) -> None:
        try:
            for event in stream.events():
                if event is None or event.name != "change":
                    continue
                self.count += 1
                if event.version != self._last[number] + 1:
                    self._faults.append(f"stream {number}: {event.version} after {self._last[number]}")
                self._last[number] = event.version
        except OSError:
            if not self._is_over:
                self._faults.append(f"stream {number} ended")

    def wait_for_last(self, server: Server) -> None:
        """Waits until the streams have sent all changes."""
        versions = {index: self._version(server, index) for index in range(WATCHED)}
        wait_until(
            lambda: all(self._last[number] >= versions[index] for number, index in self._lists.items()),
            "the streams have sent all changes",
        )

    def violations(self, server: Server) -> list[str]:
        found = self._faults[:5]
        for number, index in self._lists.items():
            version = self._version(server, index)
            if self._last[number] != version:
                found.append(f"stream {number} ended at {self._last[number]} of {version}")
        return found

    @staticmethod
    def _version(server: Server, index: int) -> int:
        return server.get(f"/lists/{index}").version or 0
