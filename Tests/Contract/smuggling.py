"""Requests that two parsers could understand differently create no list that the client did not intend. They are sent to the
server directly, and through nginx."""

import contextlib
import socket
from concurrent.futures import ThreadPoolExecutor

import contract_server
import nginx
import smuggling_set
from contract_server import ask
from ports import free_port
from waiting import HANG_SECONDS

# Some texts are incomplete requests. After this time, the server or nginx ends their connections. A complete request arrives at
# once.
LIMIT_SECONDS = 5
# Texts that are sent at the same time, because some take that long.
TOGETHER = 24
LAST = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

# How the proxy forwards request bodies: complete, or as they arrive.
WAYS = {"complete": "on", "as they arrive": "off"}
# The Host in these requests is not this machine's name, so the check of names must be off.
OPTIONS = ("--no-auth", "--log-level", "error", "--request-timeout-seconds", str(LIMIT_SECONDS))
# Requests that a proxy must not refuse.
PLAIN = ("one", "two, one behind the other", "chunks", "two chunks")


def run(program, seed, is_long):
    cases = [(name, text + smuggling_set.HIDDEN, "") for name, text in smuggling_set.REFUSED.items()]
    cases += [(name, text, made) for name, (text, made) in smuggling_set.TAKEN.items()]
    with contract_server.running(program, *OPTIONS) as address, ThreadPoolExecutor(TOGETHER) as threads:
        faults = list(filter(None, threads.map(lambda number: alone(address, number, *cases[number]), range(len(cases)))))
    assert not faults, "\n".join(faults)
    print(f"alone: {len(cases)} texts, wrong acceptances 0")
    for way, buffering in WAYS.items():
        with contract_server.running(program, *OPTIONS) as address:
            through_nginx(address, cases, way, buffering)


def names(number):
    """The names of a text's lists, as long as those in the set."""
    return f"A{number:04}", f"B{number:04}"


def alone(address, number, name, text, made):
    lists = names(number)
    answers = send(address, text, lists)
    found = "".join(letter for letter, id in zip("AB", lists) if exists(address, id))
    if found != made:
        return f"{name}: created {found or 'nothing'}, not {made or 'nothing'}: {answers}"
    if name in smuggling_set.REFUSED and not all(400 <= status < 600 for status in answers):
        return f"{name}: the responses are {answers}"
    return None


def send(address, text, lists):
    """The statuses of the responses to a text on one connection."""
    host, port = address.removeprefix("http://").rsplit(":", 1)
    text = text.replace("AAAAA", lists[0]).replace("BBBBB", lists[1])
    received = b""
    with socket.create_connection((host, int(port)), timeout=HANG_SECONDS) as connection:
        with contextlib.suppress(OSError):
            connection.sendall((text + LAST).encode("latin-1"))
            while data := connection.recv(1 << 16):
                received += data
    # No body has a line that begins with this.
    lines = received.split(b"HTTP/1.1 ")[1:]
    return [status for line in lines if (status := int(line[:3])) != 100]


def exists(address, id):
    status, _ = ask(address, "GET", f"/lists/{id}")
    assert status in (200, 404), status
    return status == 200


def through_nginx(address, cases, way, buffering):
    """Each list that exists afterwards was created by a request that nginx also logged as one request, and each
    request that nginx logged with status 201 created its list. So both parsed the same requests."""
    limits = " ".join(
        f"{limit}_timeout {LIMIT_SECONDS}s;" for limit in ("client_header", "client_body", "keepalive", "lingering"))
    port = free_port()
    upstream = f"upstream reorderd {{ server {address.removeprefix('http://')}; keepalive 16; }}"
    passing = 'proxy_pass http://reorderd; proxy_http_version 1.1; proxy_set_header Connection "";'
    server = f"server {{ listen 127.0.0.1:{port}; location / {{ {passing} proxy_request_buffering {buffering}; }} }}"
    text_of = {id: name for number, (name, _, _) in enumerate(cases) for id in names(number)}
    with nginx.running(limits + upstream + server, port) as log, ThreadPoolExecutor(TOGETHER) as threads:
        list(threads.map(lambda number: send(f"http://127.0.0.1:{port}", cases[number][1], names(number)), range(len(cases))))
    asked, passed = set(), 0
    for line in log:
        method, status, path = line.split("\t", 2)
        passed += status not in ("", "-")
        if method == "PUT" and status == "201":
            asked.add(path.rsplit("/", 1)[-1])
    made = {id for id in text_of if exists(address, id)}
    wrong = {id: text_of[id] for id in made ^ asked}
    assert not wrong, f"nginx, {way}: created or logged, but not both: {wrong}"
    assert passed > len(smuggling_set.TAKEN) / 2, f"nginx forwarded only {passed} requests"
    plain = {name for name in smuggling_set.TAKEN if name in PLAIN} - {text_of[id] for id in made}
    assert not plain, f"nginx, {way}: not created: {plain}"
    print(f"nginx, bodies {way}: {passed} requests forwarded, {len(made)} lists created, wrong acceptances 0")
