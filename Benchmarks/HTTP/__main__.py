"""The benchmark of the whole server over HTTP; see README.md in the folder above."""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import events
import lists
import report
import server as servers
import slow_sync
import stall
from work import Bench, Size, all_work

SMOKE = "get,get-304,visible,move-many,move-hot,move-memory,mixed,events,slow-sync"
ALTERNATIVE = ("get", "move-many", "move-hot", "mixed")


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    # The programs, which scripts/bench builds.
    for name in ("program", "bare", "streams", "delay"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--alternative", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each row (%(default)s)")
    parser.add_argument("--seconds", type=int, default=2, help="of each run (%(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="event loops")
    parser.add_argument("--rows", help="only these, by their keys: get,move-hot,events,stall")
    parser.add_argument("--json", help="write everything here, each single run too")
    parser.add_argument(
        "--smoke", action="store_true",
        help="one short run of each row on small lists: whether it all works, not how fast",
    )
    options = parser.parse_args()
    if options.smoke:
        options.rounds = options.seconds = 1
        options.rows = options.rows or SMOKE
    return options


class Run:
    """One run of the benchmark: prints its results, and collects them for the JSON output."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.size = Size(lists=50, big=5_000) if options.smoke else Size()
        self.result = {}
        self.faults = []

    def wants(self, key):
        return not self.options.rows or key in self.options.rows.split(",")

    def fault(self, text):
        self.faults.append(text)
        print(f"**{text}**", flush=True)

    def all(self):
        root = pathlib.Path(__file__).parents[2]
        self.result["machine"] = report.machine(root, self.folder)
        print(*(f"{key}: {value}" for key, value in self.result["machine"].items()), sep="\n")
        options = self.options
        bench = Bench(options.program, options.bare, options.threads, self.size, self.folder)
        try:
            self.result["rows"] = self.rows(bench, "reorderd")
            self.memory(bench)
            if self.wants("events"):
                self.events(bench)
            if self.wants("stall"):
                self.stalls(bench)
            if self.wants("slow-sync"):
                self.slow_syncs()
        finally:
            bench.stop()
        if options.alternative:
            self.alternative(bench)

    def rows(self, bench, name, keys=None, server=None):
        print("\n" + report.COLUMNS.format(name), flush=True)
        found = []
        for work in all_work(self.size):
            if not self.wants(work.key) or (keys and work.key not in keys):
                continue
            runs = bench.measure(work, self.options.rounds, self.options.seconds, server)
            row = report.summary(work, runs)
            found.append(row)
            print(report.line(row), flush=True)
            for fault in report.faults(row):
                self.fault(f"{work.title}: {fault}")
            if server is None and row["met"] is False and not self.options.smoke:
                self.fault(f"{work.title}: {row['share']:.2f}, below {work.target:.2f}")
        return found

    def memory(self, bench):
        peaks = {store: server.memory_bytes("VmHWM") for store, server in bench.reorderd.items()}
        self.result["peak_bytes"] = peaks
        text = ", ".join(f"{store} store {peak / 2**20:.0f} MiB" for store, peak in peaks.items())
        print(f"\nPeak memory: {text}", flush=True)

    def events(self, bench):
        rows = events.measure(self.options.streams, bench, self.options.seconds)
        rows += events.measure_feed(self.options.streams, bench, self.options.seconds)
        self.result["events"] = rows
        print("\n" + report.EVENT_COLUMNS)
        print(*map(report.event_line, rows), sep="\n", flush=True)
        if any(row["lost"] for row in rows):
            self.fault("events were lost")

    def stalls(self, bench):
        rows = stall.measure(self.options.program, bench, 1)
        self.result["stall"] = rows
        print("\n" + report.STALL_COLUMNS)
        print(*map(report.stall_line, rows), sep="\n", flush=True)
        for row in stall.stalled(rows):
            self.fault(f"stalls at {row['connections']} connections, {row['loops']} loops")

    def slow_syncs(self):
        options = self.options
        row = slow_sync.measure(options.program, options.delay, self.folder, options.seconds)
        self.result["slow_sync"] = row
        print("\n" + report.SLOW_SYNC.format(**row), flush=True)
        if row["p50_ms"] > slow_sync.TARGET_MS and not options.smoke:
            self.fault(f"reads wait for syncs: {row['p50_ms']:.1f} ms")

    def alternative(self, bench):
        server = servers.alternative(self.options.alternative, self.folder)
        try:
            lists.make(server, [each for each in self.size.all_lists if each[0] != "big"])
            self.result["alternative"] = self.rows(bench, "alternative", ALTERNATIVE, server)
        finally:
            server.terminate()


def main():
    options = arguments()
    # In the project's folder, because /tmp is often in memory, where a sync costs nothing.
    scratch = pathlib.Path(__file__).parents[2] / ".build"
    scratch.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=scratch) as folder:
        run = Run(options, folder)
        run.all()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(run.result, indent=1) + "\n")
    sys.exit(1 if run.faults else 0)


main()
