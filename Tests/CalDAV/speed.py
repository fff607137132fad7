"""Measures CalDAV with 1,000 tasks, beside Radicale: `python3 Tests/CalDAV/speed.py PROGRAM [FOLDER OF RADICALE'S PROGRAM]`.

A quiet machine and a release build are needed. Nothing is judged: the figures are printed.
"""

import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "Support"))
import worlds
from dav import Collection, Server
from ical import Todo
from ledger import Ledger
from ports import free_port
from waiting import wait_until

TASKS = 1000
TIMES = 30


def text(number):
    return (
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//judge//EN\r\nBEGIN:VTODO\r\nUID:task-{number}\r\nDTSTAMP:20260101T000000Z\r\n"
        f"CREATED:20260101T000000Z\r\nSUMMARY:Task #{number}\r\nX-APPLE-SORT-ORDER:{500_000_000 + 1000 * number}\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")


def milliseconds(act):
    started = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - started)


def median(values):
    return statistics.median(values)


def measure(name, collection):
    """A synchronization after one change, by each way, and a PUT."""
    puts = [milliseconds(lambda number=number: collection.put(f"{collection.path}task-{number}.ics", text(number))) for number in range(TASKS)]
    print(f"{name}: {len(puts)} new tasks, {1000 * len(puts) / sum(puts):.0f} PUT a second")
    (href, (tag, stored)), *_ = collection.read([f"{collection.path}task-500.ics"]).items()
    todo, figures = Todo(stored), {"PUT of a title": [], "sync-collection and multiget": [], "all entity tags and multiget": []}
    for number in range(TIMES):
        _, token = collection.tags()
        known = collection.etags()
        todo.title = f"Changed {number} #500"
        figures["PUT of a title"].append(milliseconds(lambda: collection.put(href, todo.text)))

        def by_token(token=token):
            collection.read(href for href, tag in collection.changes(token)[1].items() if tag)

        def by_tags(known=known):
            collection.tags()
            collection.read(href for href, tag in collection.etags().items() if known.get(href) != tag)

        figures["sync-collection and multiget"].append(milliseconds(by_token))
        figures["all entity tags and multiget"].append(milliseconds(by_tags))
    for what, values in figures.items():
        print(f"{name}: {what}: {median(values):.1f} ms (at most {max(values):.1f})")
    return median(figures["PUT of a title"])


@contextlib.contextmanager
def radicale(folder):
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="reorderd-radicale-") as store:
        options = ["--server-hosts", f"127.0.0.1:{port}", "--auth-type", "none", "--storage-filesystem-folder", store, "--logging-level", "error"]
        process = subprocess.Popen([folder / "radicale", *options])
        try:
            server = Server(f"http://127.0.0.1:{port}", "x", user="anna")

            def answers():
                with contextlib.suppress(OSError):
                    return server.ask("MKCALENDAR", "/anna/list/").status == 201

            wait_until(answers, "Radicale starts")
            yield Collection(server, "/anna/list/", Ledger())
        finally:
            process.terminate()
            process.wait()


def main():
    with worlds.running(sys.argv[1]) as site:
        make, page = site.make("speed")
        put = measure("reorderd", make(Ledger()))
        row = next(row for row in page.rows() if row.number == 500)
        patches = [milliseconds(lambda number=number: page.change(row, title=f"Patched {number} #500")) for number in range(TIMES)]
        print(f"reorderd: PATCH of a title by the API: {median(patches):.1f} ms; a PUT takes {put / median(patches):.2f} times as long")
    if len(sys.argv) > 2:
        with radicale(Path(sys.argv[2])) as collection:
            measure("Radicale", collection)


if __name__ == "__main__":
    main()
