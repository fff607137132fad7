"""The client in Python that was written from docs/sync.md, with a real server, and something on the way that answers in its place.

Two devices do things without a network, and send them through a relay. It answers as proxies and hotels do, or kills the client before the
answer arrives. In the end, each step was applied once, and both devices show what the server has.
"""

import http.client
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit

import contract_server
from contract_server import ask
from waiting import HANG_SECONDS

FOLDER = Path(__file__).parents[1] / "ThirdClient"
sys.path.append(str(FOLDER))
from task_list import TaskList  # noqa: E402

# What happens to the next requests of a client. `kill`: the server handles the request, and the client is killed before the answer.
ANSWERS = {
    "login page": (200, "text/html", b"<h1>Welcome to our hotel</h1>"),
    "no route": (404, "text/html", b"<h1>404</h1>"),
    "too large": (413, "text/html", b"<h1>413</h1>"),
    "no server": (502, "text/html", b"<h1>502</h1>"),
}
STEPS = 6


def run(program, seed, long):
    seed = random.randrange(1 << 32) if seed is None else seed
    print(f"third_client: seed {seed}")
    chance = random.Random(seed)
    with contract_server.running(program) as url, Relay(url) as relay, tempfile.TemporaryDirectory() as folder:
        ask(url, "PUT", "/lists/trip", {"title": "Trip", "sections": [{"id": "car", "title": "Car"}], "tasks": [{"id": "map", "title": "map"}]})
        devices = [Device(Path(folder, name), relay) for name in ("anna", "ben")]
        for _ in range(12 if long else 2):
            for device in devices:
                relay.plan = []
                device.run("sync")
            for number in range(STEPS):
                for device in devices:
                    device.do(chance, number)
            for device in devices:
                plan = ["no route", "login page", "no server", "too large", "kill", "kill", "cut"]
                chance.shuffle(plan)
                relay.plan = plan
                while relay.plan:
                    device.run("sync")
        for device in devices * 2:
            said = device.run("sync")
        document = json.loads(ask(url, "GET", "/lists/trip")[1])
        server = TaskList(document)
        for device in devices:
            said = device.run("sync")
            assert said["waits"] == 0 and said["state"] is None, said
            assert said["shown"] == server.outline, (said["shown"], server.outline)
            missing = device.created - set(server.tasks)
            assert not missing, f"{device.folder.name}: {missing} were lost; seed {seed}"
        history = json.loads(ask(url, "GET", "/lists/trip/changes?limit=1000")[1])
        inserted = [op["task"]["id"] for change in history["changes"] for op in change["ops"] if op["op"] == "insert"]
        assert sorted(inserted) == sorted(set(inserted)), "a step was applied twice"
        made = [change["opId"] for change in history["changes"] if "opId" in change]
        assert len(made) == len(set(made)) == document["version"] - 1, "not each step is a change of its own"


class Device:
    def __init__(self, folder, relay):
        self.folder, self.relay = folder, relay
        self.created = set()

    def run(self, *arguments):
        """What the command says; None if it was killed."""
        command = [sys.executable, "-B", FOLDER / "network.py", self.folder, self.relay.url, "trip", *arguments]
        environment = {**os.environ, "FIRST_PAUSE_SECONDS": "0.01"}
        process = self.relay.client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        output, _ = process.communicate(timeout=HANG_SECONDS)
        assert process.returncode in (0, -signal.SIGKILL), output
        return json.loads(output.splitlines()[-1]) if process.returncode == 0 else None

    def do(self, chance, number):
        """Creates a task, and puts one beside it. Only this device names its tasks, so nothing is refused."""
        name = f"{self.folder.name}-{len(self.created)}"
        step = [{"op": "create", "id": name, "title": name, "section": chance.choice([None, "car"]), "position": number}]
        if self.created:
            step.append({"op": "move", "task": chance.choice(sorted(self.created)), "after": name})
        self.created.add(name)
        said = self.run("do", json.dumps(step))
        assert name in said["shown"], said


class Relay:
    """Passes requests to the server. `plan` has what happens to the next ones instead."""

    def __init__(self, url):
        self.server = urlsplit(url).netloc
        self.plan = []
        self.client = None
        relay = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                act = relay.plan.pop(0) if relay.plan else "pass"
                if act in ANSWERS:
                    self.answer(*ANSWERS[act])
                elif act != "cut":
                    answer = relay.pass_on(self.command, self.path, dict(self.headers), body)
                    if act == "kill":
                        relay.client.kill()
                    else:
                        self.answer(*answer)

            do_GET = do_POST = handle_one

            def answer(self, status, kind, body, tag=None):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                if tag:
                    self.send_header("ETag", tag)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.listener.server_port}"

    def pass_on(self, method, path, headers, body):
        connection = http.client.HTTPConnection(self.server, timeout=HANG_SECONDS)
        headers = {name: value for name, value in headers.items() if name in ("Content-Type", "Prefer")}
        connection.request(method, path, body or None, headers)
        response = connection.getresponse()
        answer = response.status, response.headers["Content-Type"], response.read(), response.headers["ETag"]
        connection.close()
        return answer

    def __enter__(self):
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown()
        self.listener.server_close()
