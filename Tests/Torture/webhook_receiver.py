"""A receiver of webhooks that fails in all ways, and checks what it gets."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random


class Receiver:
    """Stores the events that it accepts, also while it is down."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None
        self._released = threading.Event()
        self.port = 0
        self.secret = ""
        self.fails = True
        self.attempts = 0
        self.versions: dict[str, int] = defaultdict(int)
        """The last version of each list, of which all earlier ones were accepted too."""
        self.bodies: dict[str, bytes] = {}
        self.repetitions = 0
        self.violations: list[str] = []

    def start(self) -> None:
        receiver = self
        self._released = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.take(dict(self.headers.items()), body)
                self.close_connection = True
                if status == 0:
                    return
                if status == 1:
                    # It hangs until it is stopped.
                    receiver._released.wait()
                    return
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """The sender was killed."""

        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Like a kill: requests that hang are closed."""
        server, self._server = self._server, None
        if server:
            server.shutdown()
            server.server_close()
        self._released.set()

    def take(self, fields: dict[str, str], body: bytes) -> int:
        """Returns the status of the response; 0: none, 1: never."""
        with self._lock:
            self.attempts += 1
            fields = {name.lower(): value for name, value in fields.items()}
            event, at = fields["webhook-id"], fields["webhook-timestamp"]
            self._check(event, at, fields["webhook-signature"], body)
            fault = self._random.randrange(20) if self.fails else -1
            if fault == 0:
                return 500
            if fault == 1:
                return 0
            if fault == 2:
                return 1
            self._accept(event, body)
            # Accepted, but the sender does not learn it.
            return 0 if fault == 3 else 204

    def _check(self, event: str, at: str, signature: str, body: bytes) -> None:
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        code = hmac.new(key, f"{event}.{at}.".encode() + body, hashlib.sha256).digest()
        if signature != "v1," + base64.b64encode(code).decode():
            self.violations.append(f"event {event} has a wrong signature")
        if self.bodies.setdefault(event, body) != body:
            self.violations.append(f"event {event} has another body than before")

    def _accept(self, event: str, body: bytes) -> None:
        content = json.loads(body)
        list_name, version = content["list"], content["change"]["version"]
        expected = self.versions[list_name] + 1
        if version > expected:
            self.violations.append(f"version {version} of {list_name} came before version {expected}")
        self.repetitions += version < expected
        self.versions[list_name] = max(version, self.versions[list_name])
