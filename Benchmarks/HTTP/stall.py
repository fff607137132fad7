"""Checks that the server does not stall: measures the rate at numbers of connections near multiples of libmicrohttpd's batch.

Its internal thread handles 128 ready connections at once and, after a full batch, waits as if
nothing were left to do. A server that is driven so answers a thousandth of what it can.
"""

import lists
import load
import server as servers

CONNECTIONS = (64, 127, 128, 129, 255, 256, 257, 384, 512)


def measure(program, bench, seconds, connections=CONNECTIONS, loops=(1, 2)):
    """Rates of a read and of a move, and the bare server's, at each number of connections."""
    rows = []
    for threads in loops:
        server = servers.reorderd(program, threads, "memory")
        lists.make(server, [("hot", 100)])
        reads, moves = [lists.read("/lists/hot")], lists.moves(["hot"], 100, 200)
        bare = bench.bare("stall", server, reads, threads)
        try:
            for count in connections:
                row = {"loops": threads, "connections": count}
                for name, each, requests in (
                    ("bare", bare, reads), ("get", server, reads), ("move", server, moves),
                ):
                    path = bench.folder / "requests"
                    load.write_requests(path, requests)
                    row[name] = load.run(each, path, count, seconds)["rate"]
                rows.append(row)
        finally:
            bare.terminate()
            server.terminate()
    return rows


def stalled(rows):
    """The rows where a rate is less than a quarter of what it is at the fewest connections.

    What else the machine does, and more connections, take less; a stall takes nearly all of it.
    """
    first = {row["loops"]: row for row in reversed(rows)}
    return [
        row
        for row in rows
        if any(row[what] < first[row["loops"]][what] / 4 for what in ("get", "move"))
    ]
