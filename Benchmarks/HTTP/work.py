"""The kinds of work, and the bare server that sends the same bytes."""

import dataclasses
import pathlib
import socket

import lists
import load
import server as servers

# Header fields that libmicrohttpd adds to every response.
SENT_ANYWAY = (b"date:", b"connection:", b"content-length:")


HOT = "/lists/hot"


@dataclasses.dataclass
class Work:
    key: str
    title: str
    store: str
    requests: list
    connections: int = 64
    # The required share of the bare server's rate; None if no share is required.
    target: float | None = None
    # The share of requests that are moves.
    moves: float = 0
    # Reads with the list's tag, which get a 304.
    is_conditional: bool = False


@dataclasses.dataclass
class Size:
    lists: int = 1_000
    tasks: int = 100
    big: int = 100_000

    @property
    def names(self):
        return [f"list-{index:04}" for index in range(self.lists)]

    @property
    def all_lists(self):
        return [(name, self.tasks) for name in self.names + ["hot"]] + [("big", self.big)]


def all_work(size):
    """Rows in the order in which they are printed."""
    read_hot = [lists.read(HOT)]
    many = lists.moves(size.names, size.tasks, 8)
    hot = lists.moves(["hot"], size.tasks, 2 * size.tasks)
    reads = [lists.read(f"/lists/{name}") for name in size.names]
    few = lists.moves(size.names, size.tasks, 2, (47, 79))
    one_by_one = lists.moves(["hot"], size.tasks, 2 * size.tasks, (43, 67))
    mixed = [
        few[index // 10] if index % 10 == 9 else reads[index * 7 % len(reads)]
        for index in range(10 * len(few))
    ]
    visible = f"/lists/big?visible=true&offset={size.big // 2}&limit=50"
    return [
        Work("get", "GET, 100 tasks", "file", read_hot, target=0.90),
        Work(
            "get-gzip", "GET, 100 tasks, gzip", "file",
            [lists.read(HOT, "Accept-Encoding: gzip")], target=0.90,
        ),
        Work(
            "get-304", "GET, If-None-Match: 304", "file", [], target=0.90, is_conditional=True
        ),
        Work("visible", "50 visible rows of 100,000", "file", [lists.read(visible)], target=0.75),
        Work("move-many", "durable move, 1,000 lists", "file", many, target=0.42, moves=1),
        Work("move-hot", "durable move, one hot list", "file", hot, target=0.42, moves=1),
        Work("move-memory", "move, memory store", "memory", many, target=0.70, moves=1),
        Work("mixed", "90 % GET, 10 % durable moves", "file", mixed, target=0.70, moves=0.1),
        Work("get-many", "GET, 1,000 lists in turn", "file", reads),
        Work("get-1", "GET, 1 connection", "file", read_hot, 1),
        Work("move-1", "durable move, 1 connection", "file", one_by_one, 1, moves=1),
        Work(
            "move-big", "durable move, list of 100,000", "file",
            lists.moves(["big"], size.big, 2_000), moves=1,
        ),
        Work(
            "move-big-memory", "the same, memory store", "memory",
            lists.moves(["big"], size.big, 2_000), moves=1,
        ),
        Work("move-hot-memory", "move, one hot list, memory store", "memory", hot, moves=1),
    ]


def capture(server, request):
    """One response, without the fields that libmicrohttpd adds."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request)
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(1 << 20)
        head, _, body = received.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        length = sum(
            int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")
        )
        while len(body) < length and not lines[0].startswith(b"HTTP/1.1 304"):
            body += connection.recv(1 << 20)
    kept = [line for line in lines if not line.lower().startswith(SENT_ANYWAY)]
    return b"\r\n".join(kept + [b"", body])


class Bench:
    """The servers, the lists on them, and a bare server for each kind of work."""

    def __init__(self, program, bare_program, threads, size, folder):
        self.bare_program = bare_program
        self.threads = threads
        self.folder = pathlib.Path(folder)
        self.reorderd = {
            "file": servers.reorderd(program, threads, f"file:{folder}/lists.db"),
            "memory": servers.reorderd(program, threads, "memory"),
        }
        for server in self.reorderd.values():
            lists.make(server, size.all_lists)

    def stop(self):
        for server in self.reorderd.values():
            server.terminate()

    def bare(self, name, server, requests, threads=None, syncs=False):
        """A bare server with this server's responses to the first read and write.

        With `syncs` it does so after a sync that its writes share.
        """
        files = []
        for method in (b"GET", b"POST"):
            request = next((each for each in requests if each.startswith(method)), requests[0])
            path = self.folder / f"{name}-{method.decode()}.answer"
            path.write_bytes(capture(server, request))
            files.append(str(path))
        if syncs:
            files.append(str(self.folder / f"{name}.log"))
        return servers.bare(self.bare_program, threads or self.threads, *files)

    def measure(self, work, rounds, seconds, server=None):
        """Measures a server and a bare one in turn, for several rounds; the order alternates too.

        Without a server it is reorderd, whose lists tell how many moves changed something. Beside
        durable moves a bare server runs too that does nothing but sync.
        """
        counts_moves = work.moves and server is None
        server = server or self.reorderd[work.store]
        requests = work.requests
        path = self.folder / "requests"
        if work.is_conditional:
            answer, _ = server.ask("GET", HOT)
            tag = answer.headers["ETag"]
            requests = [lists.read(HOT, f"If-None-Match: {tag}")]
        load.write_requests(path, requests)

        def run(target, first):
            if work.is_conditional:
                return load.run_conditional(target, HOT, tag, work.connections, seconds)
            return load.run(target, path, work.connections, seconds, first)

        others = {"bare": self.bare(work.key, server, requests)}
        if counts_moves and work.store == "file":
            others["synced"] = self.bare(work.key, server, requests, syncs=True)
        runs = {name: [] for name in [*others, "ours"]}
        sent = 0
        try:
            for turn in range(rounds):
                for name in [*runs] if turn % 2 == 0 else reversed([*runs]):
                    if name in others:
                        result = run(others[name], sent)
                    else:
                        before = lists.versions(server) if counts_moves else 0
                        result = run(server, sent)
                        sent += result["requests"]
                        if counts_moves:
                            # Includes requests in progress when wrk stopped counting.
                            changes = lists.versions(server) - before
                            result["moved"] = changes / (result["requests"] * work.moves)
                    runs[name].append(result)
        finally:
            for other in others.values():
                other.terminate()
        return runs
