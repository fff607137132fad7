"""The configurations in docs/proxies.md work: requests, streams and long polls through nginx and Caddy."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import contract_server
import environment
import nginx
from waiting import HANG_SECONDS


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


def block(language, page, changes):
    """The example of a page, with addresses and files replaced for this test."""
    text = Path(environment.ROOT, "docs", page).read_text()
    example = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]
    for there, here in changes.items():
        assert there in example, f"{page}: {there} is missing"
        example = example.replace(there, here)
    return example


@contextlib.contextmanager
def through_nginx(upstreams, page="proxies.md"):
    program, port = shutil.which("nginx") or "/usr/sbin/nginx", nginx.free_port()
    servers = block("nginx", page, {**upstreams, "listen 80;": f"listen 127.0.0.1:{port};"})
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
def through_caddy(upstreams):
    port = nginx.free_port()
    # Caddy would listen on all addresses, where the port may be in use.
    here = f"http://127.0.0.1:{port} {{\n\tbind 127.0.0.1"
    site = block("caddyfile", "proxies.md", {":80 {": here, **upstreams})
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
