"""Measures durable moves and reads through one and through three servers on one PostgreSQL. In the same run, pgbench
updates one indexed row per transaction on the same PostgreSQL."""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "HTTP"), str(HERE.parent.parent / "Tests" / "Support")]

import lists as workload  # noqa: E402
import load  # noqa: E402
from postgres import USER, Postgres  # noqa: E402
from server import Server  # noqa: E402

LISTS, TASKS = 1_000, 100
CONNECTIONS = 64
ROWS = 100_000
STREAMS = 1_000


def start(program: Path, url: str) -> Server:
    command = [program, "serve", "--port", "0", "--store", url, "--migrate", "--log-level", "error"]
    return Server("reorderd", [str(part) for part in command])


def run(servers: list[Server], requests: Path, seconds: int, count: int) -> dict[str, float]:
    """Measures all servers at the same time. They share the connections."""
    connections = CONNECTIONS // len(servers)
    with ThreadPoolExecutor(len(servers)) as threads:
        results = list(
            threads.map(
                lambda place: load.run(
                    servers[place], requests, connections, seconds, place * count // len(servers)
                ),
                range(len(servers)),
            )
        )
    broken = sum(result["refused"] + result["broken"] for result in results)
    if broken:
        raise SystemExit(f"{broken} requests were refused or broken")
    return {
        "rate": sum(result["rate"] for result in results),
        "requests": sum(result["requests"] for result in results),
        "p99_us": max(result["p99_us"] for result in results),
    }


def memory(server: Server, names: list[str]) -> tuple[float, float]:
    """The memory of a list that was read, and of an event stream, in bytes."""
    before = server.memory_bytes()
    connection = server.connect()
    for name in names:
        server.ask("GET", f"/lists/{name}?limit=1", connection=connection)
    loaded = server.memory_bytes()
    streams = []
    for number in range(STREAMS):
        stream = socket.create_connection(("127.0.0.1", server.port))
        path = f"/lists/{names[number % len(names)]}/events"
        stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        if not stream.recv(1 << 16).startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{path} was refused")
        streams.append(stream)
    watched = server.memory_bytes()
    for stream in streams:
        stream.close()
    return (loaded - before) / len(names), (watched - loaded) / STREAMS


def pgbench(database: Postgres, script: Path, seconds: int) -> float:
    """Transactions per second with the same number of connections and prepared statements."""
    said = subprocess.run(
        [
            database._programs / "pgbench", "-h", "127.0.0.1", "-p", str(database.port), "-U",
            "reorderd", "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-j", str(os.cpu_count()),
            "-T", str(seconds), "-f", str(script), "postgres",
        ],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return float(re.search(r"tps = ([\d.]+)", said)[1])


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench-servers", description=__doc__)
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    program, seconds = arguments.program.resolve(), arguments.seconds
    with tempfile.TemporaryDirectory(prefix="reorderd-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with Postgres(folder / "postgres", {"shared_buffers": "256MB"}).make().start() as database:
            measure(program, database, folder, seconds, arguments.rounds)


def measure(
    program: Path, database: Postgres, folder: Path, seconds: int, rounds: int
) -> None:
    servers = [start(program, database.url()) for _ in range(3)]
    try:
        names = [f"list-{number}" for number in range(LISTS)]
        workload.make(servers[0], [(name, TASKS) for name in names])
        moves = workload.moves(names, TASKS, 40)
        load.write_requests(folder / "moves", moves)
        reads = [workload.read(f"/lists/{name}") for name in names]
        load.write_requests(folder / "reads", reads)
        database.sql(
            "CREATE TABLE row_of (id bigint PRIMARY KEY, rank bigint) WITH (fillfactor = 70); "
            f"INSERT INTO row_of SELECT n, n FROM generate_series(1, {ROWS}) AS n"
        )
        database.sql("VACUUM ANALYZE row_of")
        script = folder / "update.sql"
        script.write_text(
            f"\\set id random(1, {ROWS})\nUPDATE row_of SET rank = rank + 1 WHERE id = :id;\n"
        )
        a_list, a_stream = memory(servers[2], names)
        rows: dict[str, list[float]] = {}
        tails: dict[str, list[float]] = {}
        for _ in range(rounds):
            for count in (1, 3):
                for work, requests in (("moves", moves), ("reads", reads)):
                    before = workload.versions(servers[0])
                    result = run(servers[:count], folder / work, seconds, len(requests))
                    if work == "moves":
                        # Only moves that have changed something count.
                        changes = workload.versions(servers[0]) - before
                        result["rate"] *= changes / result["requests"]
                    name = f"{work}, {count} server{'s' if count > 1 else ''}"
                    rows.setdefault(name, []).append(result["rate"])
                    tails.setdefault(name, []).append(result["p99_us"])
            name = "pgbench, one row"
            rows.setdefault(name, []).append(pgbench(database, script, seconds))
        base = median(rows["pgbench, one row"])
        print(f"{os.cpu_count()} processors shared by all, {CONNECTIONS} connections, user {USER}")
        for name, rates in rows.items():
            tail = f", p99 {median(tails[name]) / 1000:.1f} ms" if name in tails else ""
            print(
                f"{name:20} {median(rates):9.0f}/s ({min(rates):.0f} to {max(rates):.0f}), "
                f"{median(rates) / base:5.2f} of pgbench{tail}"
            )
        print(f"a list of {TASKS} tasks takes {a_list / 1e3:.1f} KB, a stream {a_stream / 1e3:.1f} KB")
    finally:
        for server in servers:
            server.terminate()


if __name__ == "__main__":
    main()
