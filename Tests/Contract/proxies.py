"""The configurations in docs/proxies.md work: requests, streams and long polls through nginx and Caddy, below a path, and while the
server behind Caddy restarts."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

import contract_server
import environment
import nginx
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
    with folder() as place:
        ports = [nginx.free_port() for _ in range(count)]

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
    program, port = shutil.which("nginx") or "/usr/sbin/nginx", nginx.free_port()
    servers = block("nginx", page, {**upstreams, "listen 80;": f"listen 127.0.0.1:{port};"})
    if below:
        locations = block("nginx", page, {"# … and": "proxy_set_header Host $http_host; # … and"}, number=1)
        servers = servers.split("    location")[0] + locations + "}"
    paths = "".join(
        f"{kind}_temp_path temporary;" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with folder() as place:
        (place / "temporary").mkdir()
        (place / "temporary").chmod(0o777)
        (place / "nginx.conf").write_text(
            f"pid nginx.pid; error_log error.log; events {{}} http {{ access_log off; {paths}\n{servers}\n}}")
        command = [program, "-p", place, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"]
        with proxy_process(command, port, place / "error.log"):
            yield port


@contextlib.contextmanager
def through_caddy(upstreams, below=False):
    port = nginx.free_port()
    # Caddy would listen on all addresses, where the port may be in use.
    here = f"http://127.0.0.1:{port} {{\n\tbind 127.0.0.1"
    site = block("caddyfile", "proxies.md", {":80 {": here, **upstreams})
    if below:
        site = f"{here}\n{block('caddyfile', 'proxies.md', upstreams, number=1)}}}\n"
    with folder() as place:
        (place / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + site)
        command = ["caddy", "run", "--adapter", "caddyfile", "--config", place / "Caddyfile"]
        with proxy_process(command, port, place / "error.log", HOME=str(place)):
            yield port


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="reorderd-proxy-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextlib.contextmanager
def proxy_process(command, port, errors, **variables):
    with errors.open("a") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **variables})
    try:
        nginx.wait_for(port, process, errors)
        yield
    finally:
        process.terminate()
        process.wait()


def requests_and_streams(port):
    demo = ask(port, "GET", "/lists/demo")
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_SECONDS) as stream:
        stream.sendall(b"GET /lists/demo/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        text = read_until(stream, b"\r\n\r\n")
        # A heartbeat arrives by itself, and an event as soon as it happens.
        text = read_until(stream, b": \n", text)
        version = ask(port, "PATCH", "/lists/demo", {"title": "Through a proxy"})["version"]
        since = f"{version}-{demo['epoch']}"
        read_until(stream, f"id: {since}\n".encode(), text)
    waited = []
    waiting = threading.Thread(
        target=lambda: waited.append(ask(port, "GET", f"/lists/demo/changes?since={since}&wait=60")))
    waiting.start()
    # The poll usually waits by then. If not, it finds the change at once.
    time.sleep(0.5)
    ask(port, "PATCH", "/lists/demo", {"title": demo["title"]})
    waiting.join(HANG_SECONDS)
    assert waited and waited[0]["changes"][0]["version"] == version + 1, waited


def ask(port, method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", body and json.dumps(body).encode(), {"Content-Type": "application/json"},
        method=method)
    with urllib.request.urlopen(request, timeout=HANG_SECONDS) as answer:
        return json.load(answer)


def read_until(connection, end, text=b""):
    while end not in text:
        data = connection.recv(1 << 16)
        assert data, text
        text += data
    return text
