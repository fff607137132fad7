"""A reorderd process for the tests, and its API."""

import json
import signal
import subprocess
import time
import urllib.error
import urllib.request

from ports import free_port
from server_process import ServerProcess
from waiting import wait_until


class Server:
    """Serves the lists of a file on a port that it keeps when it restarts."""

    def __init__(self, program, folder):
        self._program = program
        self._store = folder / "lists.db"
        self._tokens = folder / "tokens.jsonl"
        self._options = ()
        # If the server requires tokens: the one that allows everything, which the tests' requests have.
        self.own = None
        self.port = free_port()
        self.start()

    def start(self):
        self.process = ServerProcess(
            [self._program, "serve", "--port", self.port, "--store", f"file:{self._store}", "--demo", *self._options])
        self.url, self.port = self.process.url, self.process.port

    def stop(self):
        self.process.terminate()

    def restart(self, *options):
        """Starts the server again, with other options."""
        self.stop()
        self._options = options
        self.start()

    def require_tokens(self):
        self.own = self._new_token("own", "write")
        self.restart("--tokens", self._tokens)

    def _new_token(self, name, *grants):
        options = [part for one in grants for part in ("--grant", one)]
        command = [self._program, "token", "new", "--name", name, *options, "--file", self._tokens]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def add_token(self, name, *grants):
        """Adds a token with grants such as `read` or `write:a-*,b`, and waits until the running server accepts it."""
        token = self._new_token(name, *grants)
        self.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.refusal("GET", "/me", headers={"Authorization": f"Bearer {token}"}) is None, "it is known")
        return token

    def remove_token(self, name):
        self._change_tokens(lambda token: None if token["name"] == name else token)

    def change_token(self, name, token, scope):
        """Changes what a token allows, and waits until the running server knows it."""
        self._change_tokens(lambda one: {**one, "scope": scope} if one["name"] == name else one)
        me = lambda: self.send("GET", "/me", headers={"Authorization": f"Bearer {token}"})
        eventually(lambda: me()["grants"][0]["scope"] == scope, me)

    def _change_tokens(self, change):
        tokens = map(change, map(json.loads, self._tokens.read_text().splitlines()))
        self._tokens.write_text("".join(f"{json.dumps(token)}\n" for token in tokens if token))
        self.process.send_signal(signal.SIGHUP)

    def send(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        own = {"Authorization": f"Bearer {self.own}"} if self.own else {}
        fields = {"Content-Type": "application/json", **own, **(headers or {})}
        request = urllib.request.Request(self.url + path, method=method, data=data, headers=fields)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or "null")

    def make(self, list_id, outline, **settings):
        """Creates a list from an outline: one line for each task, two spaces for each level, `# x` for a section.

        After a title, `+` folds the task, `!` locks it, `x` ticks it. Ids are `<list>-<title>`.
        """
        sections, tasks, above, section = [], [], [], None
        for line in outline.strip("\n").splitlines():
            text = line.strip()
            if text.startswith("# "):
                section = text[2:]
                sections.append({"id": section, "title": section})
                continue
            depth = (len(line) - len(line.lstrip())) // 2
            title, *flags = text.split(" ")
            above[depth:] = [f"{list_id}-{title}"]
            tasks.append({
                "id": above[depth], "title": title, "section": section,
                "parent": above[depth - 1] if depth else None,
                "collapsed": "+" in flags, "locked": "!" in flags, "done": "x" in flags})
        document = {"title": list_id, "sections": sections, "tasks": tasks, **settings}
        self.send("PUT", f"/lists/{list_id}", document)

    def outline(self, list_id):
        """The server's current list, as an outline."""
        document = self.send("GET", f"/lists/{list_id}")
        lines = []
        for section in [None, *[section["id"] for section in document["sections"]]]:
            if section is not None:
                lines.append(f"# {section}")
            for task in document["tasks"]:
                if task["section"] == section:
                    flags = [(task["collapsed"], "+"), (task["locked"], "!"), (task["done"], "x")]
                    marks = "".join(f" {mark}" for is_set, mark in flags if is_set)
                    lines.append("  " * task["depth"] + task["title"] + marks)
        return "\n".join(lines)

    def refusal(self, method, path, body=None, headers=None):
        """The code of a request's refusal, or None if it succeeds."""
        try:
            self.send(method, path, body, headers)
        except urllib.error.HTTPError as error:
            return json.load(error)["code"]
        return None


# The pause between two checks of a condition. With a browser, its events are handled during the pause.
pause = time.sleep


def eventually(condition, what):
    """Waits until a condition is true, and returns its value. See `waiting.py`: only a hang reaches the limit."""
    return wait_until(condition, what, lambda seconds: pause(seconds))
