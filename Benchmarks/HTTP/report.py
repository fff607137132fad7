"""The tables, and the checks of the results."""

import os
import platform
import re
import statistics
import subprocess
import time


def median(runs, field):
    return statistics.median(run[field] for run in runs)


def summary(work, runs):
    """The medians of one kind of work. The share is the median of the rounds' shares."""
    bare, ours = runs["bare"], runs["ours"]
    every = [run for each in runs.values() for run in each]
    shares = [our["rate"] / other["rate"] for our, other in zip(ours, bare)]
    share = statistics.median(shares)
    row = {
        "key": work.key,
        "title": work.title,
        "connections": work.connections,
        "target": work.target,
        "share": share,
        "met": None if work.target is None else share >= work.target,
        "shares": shares,
        "refused": sum(run["refused"] + run["broken"] for run in every),
        "moved": min((run["moved"] for run in ours if "moved" in run), default=None),
        "runs": runs,
    }
    for name, each in runs.items():
        row[name] = {
            field: median(each, field) for field in each[0] if each[0][field] is not None
        }
    return row


def faults(row):
    """The reasons why a row is invalid."""
    found = []
    if row["refused"]:
        found.append(f"{row['refused']} answers other than 2xx and 304, or broken connections")
    # On one list, connections overtake one another: a few moves find their task in place.
    if row["moved"] is not None and row["moved"] < 0.9:
        found.append(f"only {row['moved']:.1%} of the moves changed anything")
    ours, bare = row["ours"]["bytes_an_answer"], row["bare"]["bytes_an_answer"]
    # The bare server's 304 has the length 0, reorderd's that of the list.
    if abs(ours - bare) > max(0.03 * bare, 6):
        found.append(f"answers of {ours:.0f} bytes beside {bare:.0f}")
    return found


COLUMNS = (
    "| work | bare/s | sync alone/s | {}/s | share | target | p50 µs | p99 µs "
    "| CPU µs a request | client's load | moved |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def line(row):
    ours, bare = row["ours"], row["bare"]
    target = "" if row["target"] is None else f"{row['target']:.2f}"
    moved = "" if row["moved"] is None else f"{row['moved']:.1%}"
    synced = f"{row['synced']['rate']:,.0f}" if "synced" in row else ""
    missed = "" if row["met"] in (True, None) else " ✗"
    p50, p99 = (f"{ours[key]:,.0f}" if key in ours else "" for key in ("p50_us", "p99_us"))
    return (
        f"| {row['title']} | {bare['rate']:,.0f} | {synced} | {ours['rate']:,.0f} "
        f"| {row['share']:.2f}{missed} | {target} | {p50} | {p99} "
        f"| {ours['server_cpu_us']:.1f} (bare {bare['server_cpu_us']:.1f}) "
        f"| {ours['client_load']:.0%} (bare {bare['client_load']:.0%}) "
        f"| {moved} |"
    )


EVENT_COLUMNS = (
    "| lists | streams | moves/s | events/s | lost | delay p50 ms | p99 ms | max ms | server's load |\n"
    "|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def event_line(row):
    delays = " | ".join(f"{row[each] / 1e3:,.2f}" for each in ("p50_us", "p99_us", "max_us"))
    return (
        f"| {row['lists']} | {row['streams']:,} | {row['moves'] / row['seconds']:,.0f} "
        f"| {row['events'] / row['seconds']:,.0f} | {row['lost']} | {delays} "
        f"| {row['server_load']:.0%} |"
    )


SLOW_SYNC = (
    "Reads of a list while 16 clients move its tasks, each sync delayed by {delay_ms} ms: p50 {p50_ms:.2f} ms, "
    "p99 {p99_ms:.2f} ms ({reads} reads, {moves_rate:,.0f} moves/s)"
)

STALL_COLUMNS = "| loops | connections | bare/s | reads/s | moves/s |\n|--:|--:|--:|--:|--:|"


def stall_line(row):
    return (
        f"| {row['loops']} | {row['connections']} | {row['bare']:,.0f} | {row['get']:,.0f} "
        f"| {row['move']:,.0f} |"
    )


def machine(root, folder):
    """The machine and the program of the measurement."""
    processor = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    output = lambda *command: subprocess.run(
        command, cwd=root, capture_output=True, text=True
    ).stdout.strip()
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": processor[1] if processor else platform.processor(),
        "processors": os.cpu_count(),
        "kernel": platform.release(),
        "commit": output("git", "describe", "--always", "--dirty"),
        "libmicrohttpd": output("pkg-config", "--modversion", "libmicrohttpd"),
        "file_system": output("stat", "--file-system", "--format=%T", str(folder)),
        "sync_us": sync_microseconds(folder),
        "load_before": os.getloadavg()[0],
    }


def sync_microseconds(folder):
    """The median time of an fdatasync after 4 KiB, 200 times: the minimum time of a commit."""
    times = []
    with open(folder / "sync", "wb", buffering=0) as file:
        for _ in range(200):
            file.write(bytes(4096))
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6
