"""A reorderd process for the tests, and its API."""

import json
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "Support"))
from server_process import ServerProcess


class Server:
    """Serves the lists of a file on a free port. After a restart it has the same port."""

    # Additional options of the command line.
    options = ()

    def __init__(self, program, folder):
        self.program = program
        self.store = folder / "lists.db"
        self.port = 0
        self.start()

    def start(self):
        self.process = ServerProcess(
            [self.program, "serve", "--port", self.port, "--store", f"file:{self.store}", "--demo", *self.options])
        self.url, self.port = self.process.url, self.process.port

    def stop(self):
        self.process.terminate()

    def send(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", **(headers or {})}
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


def eventually(condition, what, seconds=60):
    """Waits until a condition is true. Fails only after a generous time limit."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"this did not happen: {what() if callable(what) else what}")
        pause(0.02)
