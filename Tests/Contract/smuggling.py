"""What two readers could understand differently makes nothing that the client did not mean: sent to the server
alone, and through nginx."""

import contextlib
import itertools
import socket
import urllib.error
import urllib.request

import nginx
import server
import smuggling_set

# Few texts need it: those of which the server waits for the rest, longer than the test does. All others have an
# answer by then, on a busy machine, too.
PATIENCE_SECONDS = 5
LAST = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

# How the proxy hands requests on: whole, or as they come.
WAYS = {"whole": "on", "as they come": "off"}
# Whatever name it is asked for by: not even behind nginx it is its machine's.
OPTIONS = ("--no-auth", "--log-level", "error")
# What no proxy may refuse.
PLAIN = ("one", "two, one behind the other", "chunks", "two chunks")


def run(program, seed, is_long):
    cases = [(name, text + smuggling_set.HIDDEN, "") for name, text in smuggling_set.REFUSED.items()]
    cases += [(name, text, made) for name, (text, made) in smuggling_set.TAKEN.items()]
    with server.running(program, *OPTIONS) as address:
        ids = Ids()
        faults = [fault for case in cases if (fault := alone(address, ids, *case))]
    assert not faults, "\n".join(faults)
    print(f"alone: {len(cases)} texts, wrong acceptances 0")
    for way, buffering in WAYS.items():
        with server.running(program, *OPTIONS) as address:
            through_nginx(address, cases, way, buffering)


class Ids:
    """Names as long as those in the set."""

    def __init__(self):
        self._numbers = itertools.count()

    def names(self):
        number = next(self._numbers)
        return f"A{number:04}", f"B{number:04}"


def alone(address, ids, name, text, made):
    lists = ids.names()
    answers = send(address, text, lists)
    found = "".join(letter for letter, id in zip("AB", lists) if exists(address, id))
    if found != made:
        return f"{name}: made {found or 'nothing'}, not {made or 'nothing'}: {answers}"
    if name in smuggling_set.REFUSED and not all(400 <= status < 600 for status in answers):
        return f"{name}: answered {answers}"
    return None


def send(address, text, lists):
    """The statuses that come back for what one connection sends."""
    host, port = address.removeprefix("http://").rsplit(":", 1)
    text = text.replace("AAAAA", lists[0]).replace("BBBBB", lists[1])
    received = b""
    with socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS) as connection:
        with contextlib.suppress(OSError):
            connection.sendall((text + LAST).encode("latin-1"))
            while data := connection.recv(1 << 16):
                received += data
    # No body has a line that begins so.
    lines = received.split(b"HTTP/1.1 ")[1:]
    return [status for line in lines if (status := int(line[:3])) != 100]


def exists(address, id):
    try:
        with urllib.request.urlopen(f"{address}/lists/{id}", timeout=30):
            return True
    except urllib.error.HTTPError as error:
        with error:
            assert error.code == 404, error
            return False


def through_nginx(address, cases, way, buffering):
    """Each list that there is afterwards is one that nginx passed on as a request of its own, and was told
    of, and the other way round: both understood the same requests."""
    ids = Ids()
    names = {}
    with nginx.running(address, f"proxy_request_buffering {buffering};") as (front, log):
        for name, text, _ in cases:
            lists = ids.names()
            names |= dict.fromkeys(lists, name)
            send(front, text, lists)
    asked, passed = set(), 0
    for line in log:
        method, status, path = line.split("\t", 2)
        passed += status not in ("", "-")
        if method == "PUT" and status == "201":
            asked.add(path.rsplit("/", 1)[-1])
    made = {id for id in names if exists(address, id)}
    wrong = {id: names[id] for id in made ^ asked}
    assert not wrong, f"nginx, {way}: made or asked for, and not both: {wrong}"
    assert passed > len(smuggling_set.TAKEN) / 2, f"nginx passed on {passed} requests only"
    plain = {name for name in smuggling_set.TAKEN if name in PLAIN} - {names[id] for id in made}
    assert not plain, f"nginx, {way}: not made: {plain}"
    print(f"nginx, bodies {way}: {passed} requests passed on, {len(made)} lists made, wrong acceptances 0")
