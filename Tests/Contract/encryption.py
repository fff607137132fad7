"""TLS: requests, large bodies, streams, a new certificate while the server runs, and peers that stall, vanish, or do not use
TLS."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import contract_server
from waiting import HANG_SECONDS, wait_until

STALLED = 40


def run(program, seed, is_long):
    with tempfile.TemporaryDirectory(prefix="reorderd-tls-") as folder:
        identity = Identity(Path(folder))
        options = [
            "--tls-cert", identity.certificate, "--tls-key", identity.key, "--demo",
            "--heartbeat-seconds", "1", "--log-level", "warning",
        ]
        with contract_server.process(program, *options, "--request-timeout-seconds", "1") as server:
            stalled_handshakes_end(Client(server.url, identity))
        with contract_server.process(program, *options, "--request-timeout-seconds", str(HANG_SECONDS)) as server:
            assert server.url.startswith("https://127.0.0.1:"), server.url
            client = Client(server.url, identity)
            health(program, client, identity)
            for step in (
                curl, versions, kept_alive, large_bodies, pipelined, slow_reader, streams, vanished_peers, vanished_polls,
                plain_text, stalled_handshakes, new_certificate, broken_certificate,
            ):
                step(client, server)
                print(f"  {step.__name__.replace('_', ' ')}", flush=True)
            # This stream stays open until the server is stopped, at the end of this block.
            stream = Stream(client, "/lists/demo/events")
            server.send_signal(signal.SIGTERM)
            events = stream.read_to_end()
            assert "event: stopping" in events, events


class Identity:
    """A self-signed certificate for this machine's address."""

    def __init__(self, folder):
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"
        self.make()

    def make(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=reorderd", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", self.key, "-out", self.certificate],
            check=True, stderr=subprocess.DEVNULL)

    @property
    def bytes(self):
        return ssl.PEM_cert_to_DER_cert(self.certificate.read_text())


class Client:
    def __init__(self, address, identity):
        self.identity = identity
        self.address = address
        self.port = int(address.rsplit(":", 1)[1])

    def context(self, lowest=ssl.TLSVersion.TLSv1_2, highest=ssl.TLSVersion.TLSv1_3):
        context = ssl.create_default_context(cafile=self.identity.certificate)
        context.set_alpn_protocols(["http/1.1"])
        context.minimum_version, context.maximum_version = lowest, highest
        return context

    def open(self, context=None, buffer=None):
        plain = socket.socket()
        if buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        plain.settimeout(HANG_SECONDS)
        plain.connect(("127.0.0.1", self.port))
        return (context or self.context()).wrap_socket(plain, server_hostname="127.0.0.1")

    def connection(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=HANG_SECONDS, context=self.context())


def ask(connection, method, path, body=None, **headers):
    connection.request(method, path, body and json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def health(program, client, identity):
    """The container's health check uses TLS if the server does, and accepts any certificate."""
    asks = [program, "health", "--port", str(client.port)]
    for options, variables, code in (
        (["--tls"], {}, 0), ([], {"REORDERD_TLS_CERT": str(identity.certificate)}, 0),
        (["--tls", "--path", "/none"], {}, 1), ([], {}, 1),
    ):
        ended = subprocess.run(asks + options, env={**os.environ, **variables}, capture_output=True, text=True)
        assert ended.returncode == code, f"{options} {variables}: {ended}"


def curl(client, server):
    command = ["curl", "--silent", "--show-error", "--cacert", client.identity.certificate, "--max-time", str(HANG_SECONDS)]
    seen = subprocess.run(
        [*command, "--write-out", "%{http_version} %{ssl_verify_result} %{num_connects}", "--output", os.devnull,
         f"{client.address}/lists/demo", "--output", os.devnull, f"{client.address}/healthz"],
        check=True, capture_output=True, text=True).stdout
    assert seen == "1.1 0 11.1 0 0", seen


def versions(client, server):
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with client.open(client.context(version, version)) as connection:
            assert connection.version() == version.name.replace("_", "."), connection.version()
            assert connection.selected_alpn_protocol() == "http/1.1"
    old = client.context(ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1)
    old.set_ciphers("ALL:@SECLEVEL=0")
    with contextlib.suppress(ssl.SSLError, ConnectionResetError), client.open(old) as connection:
        raise AssertionError(f"{connection.version()} was accepted")


def kept_alive(client, server):
    connection = client.connection()
    for _ in range(300):
        assert ask(connection, "GET", "/lists/demo")[0] == 200
    own = connection.sock
    assert ask(connection, "GET", "/healthz")[0] == 200 and connection.sock is own
    connection.close()


def large_bodies(client, server):
    tasks = [{"id": f"large.{number}", "title": f"{number} ".ljust(4_000, "x")} for number in range(2_000)]
    connection = client.connection()
    status, body = ask(connection, "PUT", "/lists/large", {"title": "", "tasks": tasks})
    assert status == 201, body
    status, body = ask(connection, "GET", "/lists/large")
    assert len(body) > 8_000_000 and [task["title"] for task in json.loads(body)["tasks"]] == [
        task["title"] for task in tasks]
    status, body = ask(connection, "POST", "/lists", {"title": "x" * (9 << 20)})
    assert status == 413, status
    connection.close()


def pipelined(client, server):
    with client.open() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        received = b""
        while received.count(b"HTTP/1.1 200") < 50:
            received += connection.recv(1 << 16)


def slow_reader(client, server):
    with client.open(buffer=4096) as connection:
        connection.sendall(b"GET /lists/large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        time.sleep(0.5)
        count = 0
        while data := connection.recv(16 << 10):
            count += len(data)
        assert count > 8_000_000, count


class Stream:
    def __init__(self, client, path, last=None):
        self.socket = client.open()
        field = f"Last-Event-ID: {last}\r\n" if last is not None else ""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{field}\r\n".encode())
        self.text = ""
        self.read_until("\r\n\r\n")
        assert self.text.startswith("HTTP/1.1 200"), self.text

    def read_until(self, end):
        while end not in self.text:
            data = self.socket.recv(1 << 16)
            assert data, self.text
            self.text += data.decode()

    def read_to_end(self):
        # Raises if the connection ends without TLS's close notification.
        while data := self.socket.recv(1 << 16):
            self.text += data.decode()
        self.socket.close()
        return self.text


def streams(client, server):
    connection = client.connection()
    status, body = ask(connection, "GET", "/lists/demo")
    version, epoch = json.loads(body)["version"], json.loads(body)["epoch"]
    stream = Stream(client, "/lists/demo/events")
    stream.read_until("\n: \n")  # A heartbeat.
    for number in range(20):
        ask(connection, "PATCH", "/lists/demo", {"title": f"{number}"})
    stream.read_until(f"id: {version + 20}-{epoch}\n")
    stream.socket.close()
    for number in range(20):
        ask(connection, "PATCH", "/lists/demo", {"title": f"{number}"})
    again = Stream(client, "/lists/demo/events", f"{version + 20}-{epoch}")
    again.read_until(f"id: {version + 40}-{epoch}\n")
    found = [int(number) for number in re.findall(r"id: (\d+)-\w+\nevent: change\n", again.text)]
    assert found == list(range(version + 21, version + 41)), found
    again.socket.close()
    connection.close()


def vanished_peers(client, server):
    before = server.descriptors
    opened = [Stream(client, "/lists/demo/events") for _ in range(20)]
    assert server.descriptors > before
    for number, stream in enumerate(opened):
        if number % 2:
            # A reset: neither TLS nor TCP closes the connection properly.
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stream.socket.close()
    wait_until(lambda: server.descriptors <= before, "the end of streams of vanished peers")


def vanished_polls(client, server):
    connection = client.connection()
    demo = json.loads(ask(connection, "GET", "/lists/demo")[1])
    connection.close()

    def poll():
        stream = Stream(client, "/healthz")
        path = f"/lists/demo/changes?since={demo['version']}-{demo['epoch']}&wait=60"
        stream.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return stream.socket

    first = poll()
    before = server.descriptors
    others = [poll() for _ in range(20)]
    assert server.descriptors > before
    for number, other in enumerate(others):
        if number % 2:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        other.close()
    wait_until(lambda: server.descriptors <= before, "the end of polls of vanished peers")
    first.setblocking(False)
    with contextlib.suppress(ssl.SSLWantReadError):
        assert not first.recv(1), "the wait of the first poll has ended"
        raise AssertionError("the server closed the first poll")
    first.close()


def plain_text(client, server):
    with socket.create_connection(("127.0.0.1", client.port), timeout=HANG_SECONDS) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while data := connection.recv(1 << 16):
                received += data
    assert b"HTTP" not in received, received


def stall(client):
    """Connections that stop at different places of a handshake."""
    hello = ssl.MemoryBIO()
    session = client.context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="127.0.0.1")
    with contextlib.suppress(ssl.SSLWantReadError):
        session.do_handshake()
    hello = hello.read()
    stalled = []
    for number in range(STALLED):
        connection = socket.create_connection(("127.0.0.1", client.port), timeout=HANG_SECONDS)
        with contextlib.suppress(ConnectionError):
            connection.sendall(hello[: len(hello) * number // STALLED])
        stalled.append(connection)
    return stalled


def stalled_handshakes_end(client):
    for connection in stall(client):
        with contextlib.suppress(ConnectionResetError), connection:
            while connection.recv(1 << 16):
                pass


def stalled_handshakes(client, server):
    """Stalled peers delay no other client, and use no processor time."""
    stalled = stall(client)
    wait_until(lambda: accepted(client, stalled) == STALLED, "connections that begin")
    used, start = server.processor_seconds, time.monotonic()
    connection = client.connection()
    for _ in range(20):
        assert ask(connection, "GET", "/healthz")[0] == 200
    time.sleep(1)
    used, passed = server.processor_seconds - used, time.monotonic() - start
    assert used < passed / 2, f"{used:.2f} s of processor time in {passed:.2f} s"
    connection.close()
    for each in stalled:
        each.close()


def new_certificate(client, server):
    old = client.open()
    assert old.getpeercert(binary_form=True) == client.identity.bytes
    stream = Stream(client, "/lists/demo/events")
    client.identity.make()
    server.send_signal(signal.SIGHUP)

    def is_new():
        with contextlib.suppress(ssl.SSLError), client.open() as connection:
            return connection.getpeercert(binary_form=True) == client.identity.bytes
        return False

    wait_until(is_new, "the new certificate")
    old.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert old.recv(1 << 16).startswith(b"HTTP/1.1 200")
    stream.text = ""
    stream.read_until(": \n")
    old.close()
    stream.socket.close()


def broken_certificate(client, server):
    kept = client.identity.certificate.with_suffix(".kept")
    shutil.copy(client.identity.certificate, kept)
    client.identity.certificate.write_text("nothing")
    server.send_signal(signal.SIGHUP)
    wait_until(lambda: "the previous one stays in effect" in server.log, "the server notices the broken certificate")
    shutil.copy(kept, client.identity.certificate)
    connection = client.connection()
    assert ask(connection, "GET", "/healthz")[0] == 200
    connection.close()


def accepted(client, connections):
    """The number of `connections` that the server has accepted and not closed.

    A count of the process's descriptors would include connections of the previous step that the
    server is about to close.
    """
    peers = {connection.getsockname()[1] for connection in connections}
    count = 0
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        local, remote = (int(fields[index].split(":")[1], 16) for index in (1, 2))
        # A socket without an inode belongs to no process: it is not accepted yet, or closed.
        count += local == client.port and remote in peers and fields[9] != "0"
    return count
