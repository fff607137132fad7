"""The configurations in docs/proxies.md work: requests, streams and long polls through nginx and Caddy, below a path, and while the
server behind Caddy restarts."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

import contract_server
import environment
import nginx
from contract_server import ask
from ports import free_port
from server_process import ServerProcess
from waiting import HANG_SECONDS, wait_until


def run(program, seed, is_long):
    for name, front in (("nginx", through_nginx), ("caddy", through_caddy)):
        if front is through_caddy and not shutil.which("caddy"):
            print("caddy: skipped, it is not installed")
            continue
        options = ("--demo", "--heartbeat-seconds", "1", "--log-level", "error")
        with contract_server.running(program, *options) as address, front(
                {"127.0.0.1:8080": address.removeprefix("http://")}) as proxy:
            requests_and_streams(proxy)
        print(f"{name}: requests, streams and long polls work")
        with contract_server.running(program, *options) as address, front(
                {"127.0.0.1:8080": address.removeprefix("http://")}, below=True) as proxy:
            below_a_path(proxy)
        print(f"{name}: the page and creations work below a path")
    if shutil.which("caddy"):
        for count in (1, 2):
            print(f"caddy: {restarts(program, count)} writes while {count} server(s) restart, none lost")


def below_a_path(port):
    address = f"http://127.0.0.1:{port}"
    with urllib.request.urlopen(f"{address}/lists", timeout=HANG_SECONDS) as answer:
        assert answer.url == f"{address}/lists/", answer.url
        page = answer.read().decode()
    for file in re.findall(r'(?:src|href)="(web/[^"]*)"', page):
        urllib.request.urlopen(f"{address}/lists/{file}", timeout=HANG_SECONDS).close()
    request = urllib.request.Request(
        f"{address}/lists/lists", b'{"title": "x"}', {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=HANG_SECONDS) as answer:
        made = urllib.parse.urljoin(address, answer.headers["Location"])
    assert made.startswith(f"{address}/lists/lists/"), made
    urllib.request.urlopen(made, timeout=HANG_SECONDS).close()


def restarts(program, count):
    """Writes through Caddy, over connections that stay open, while servers restart. Returns the number of writes."""
    with nginx.folder() as place:
        ports = [free_port() for _ in range(count)]

        def start(port):
            # The time of the document.
            command = [program, "serve", "--store", "memory", "--drain-seconds", "5", "--port", str(port)]
            return ServerProcess(command, place / "server.log")

        servers = [start(port) for port in ports]
        over, statuses = threading.Event(), []

        def wait_for_writes(count):
            wanted = len(statuses) + count
            wait_until(lambda: len(statuses) >= wanted, "writes go on")

        def write(proxy):
            connection = http.client.HTTPConnection("127.0.0.1", proxy, timeout=HANG_SECONDS)
            while not over.is_set():
                connection.request("POST", "/lists", b'{"title": "x"}', {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                statuses.append(answer.status)
                time.sleep(0.005)

        with through_caddy({"127.0.0.1:8080": " ".join(f"127.0.0.1:{port}" for port in ports)}) as proxy:
            clients = [threading.Thread(target=write, args=(proxy,), daemon=True) for _ in range(4)]
            for client in clients:
                client.start()
            for number in (0, count - 1, 0):
                servers[number].stop()
                servers[number] = start(ports[number])
                # Caddy must notice that this one is back before the next one stops.
                wait_for_writes(400)
            over.set()
            for client in clients:
                client.join(HANG_SECONDS)
        for server in servers:
            server.stop()
    # 503: Caddy had no server, and did not send the write.
    assert set(statuses) <= ({201, 503} if count == 1 else {201}), {status: statuses.count(status) for status in set(statuses)}
    return statuses.count(201)


def block(language, page, changes, number=0):
    """An example of a page, with addresses and files replaced for this test."""
    text = Path(environment.ROOT, "docs", page).read_text()
    example = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)[number]
    for there, here in changes.items():
        assert there in example, f"{page}: {there} is missing"
        example = example.replace(there, here)
    return example


@contextlib.contextmanager
def through_nginx(upstreams, page="proxies.md", below=False):
    port = free_port()
    servers = block("nginx", page, {**upstreams, "listen 80;": f"listen 127.0.0.1:{port};"})
    if below:
        locations = block("nginx", page, {"# … and": "proxy_set_header Host $http_host; # … and"}, number=1)
        servers = servers.split("    location")[0] + locations + "}"
    with nginx.running(servers, port):
        yield port


@contextlib.contextmanager
def through_caddy(upstreams, below=False):
    port = free_port()
    # Caddy would listen on all addresses, where the port may be in use.
    here = f"http://127.0.0.1:{port} {{\n\tbind 127.0.0.1"
    site = block("caddyfile", "proxies.md", {":80 {": here, **upstreams})
    if below:
        site = f"{here}\n{block('caddyfile', 'proxies.md', upstreams, number=1)}}}\n"
    with nginx.folder() as place:
        (place / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + site)
        command = ["caddy", "run", "--adapter", "caddyfile", "--config", place / "Caddyfile"]
        with nginx.proxy(command, port, place / "error.log", env={**os.environ, "HOME": str(place)}):
            yield port


def requests_and_streams(port):
    address = f"127.0.0.1:{port}"
    demo = json.loads(ask(address, "GET", "/lists/demo")[1])
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_SECONDS) as stream:
        stream.sendall(b"GET /lists/demo/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        text = read_until(stream, b"\r\n\r\n")
        # A heartbeat arrives by itself, and an event as soon as it happens.
        text = read_until(stream, b": \n", text)
        version = json.loads(ask(address, "PATCH", "/lists/demo", {"title": "Through a proxy"})[1])["version"]
        since = f"{version}-{demo['epoch']}"
        read_until(stream, f"id: {since}\n".encode(), text)
    waited = []
    waiting = threading.Thread(
        target=lambda: waited.append(ask(address, "GET", f"/lists/demo/changes?since={since}&wait=60")))
    waiting.start()
    # The poll usually waits by then. If not, it finds the change at once.
    time.sleep(0.5)
    ask(address, "PATCH", "/lists/demo", {"title": demo["title"]})
    waiting.join(HANG_SECONDS)
    assert waited and json.loads(waited[0][1])["changes"][0]["version"] == version + 1, waited


def read_until(connection, end, text=b""):
    while end not in text:
        data = connection.recv(1 << 16)
        assert data, text
        text += data
    return text
