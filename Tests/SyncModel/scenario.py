"""One scenario: a server, a client, and what happens between them."""

import copy
import json
from collections.abc import Callable

from list_client import Client
from model import LIST, Server, problem_answer
from task_list import TaskList

LOGIN_PAGE = {"status": 200, "headers": {"Content-Type": "text/html"}, "body": "<h1>Welcome to our hotel</h1>"}


def html(status: int) -> dict:
    return {"status": status, "headers": {"Content-Type": "text/html"}, "body": f"<h1>{status}</h1>"}


class Memory:
    """A disk of the client, which survives a restart."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def read(self, name: str, default):
        return json.loads(self.files[name]) if name in self.files else default

    def write(self, name: str, value) -> None:
        self.files[name] = json.dumps(value)


class Scenario:
    def __init__(self, name: str, outline: str = "a b c d", **settings):
        self.name = name
        self.server = Server(document(outline, **settings))
        self.disk = Memory()
        self.client = Client(self.disk, LIST)
        self.script: list[dict] = []
        self.steps = 0
        self.client.next_read()

    @property
    def json(self) -> dict:
        return {"name": self.name, "script": self.script}

    def add(self, item: dict) -> None:
        self.script.append({**copy.deepcopy(item), "then": self.then()})

    def then(self) -> dict:
        """What the person sees now, and the requests that the client sends now."""
        client = self.client
        then: dict = {}
        if client.shown and client.state != "gone":
            then["shown"] = client.shown.outline
        then["waits"] = [name_of(step["ops"][0]) for step in client.waiting]
        if client.next_read():
            then["reads"] = True
        if steps := client.next_batch():
            then["sends"] = [name_of(step[0]) for step in steps]
        if client.refusals:
            then["refused"] = [[name_of(refusal), refusal["code"]] for refusal in client.refusals]
        if client.state:
            then["state"] = client.state
        return then

    # What happens

    def do(self, *ops: dict) -> None:
        self.steps += 1
        name = f"s{self.steps}"
        step = [{**op, "opId": f"{name}.{index}"} for index, op in enumerate(ops)]
        self.client.do(step)
        self.add({"do": name, "step": step})

    def read(self, answer: dict | None | str = "of the server") -> None:
        answer = self.server.read() if answer == "of the server" else answer
        self.take("read", answer)
        self.add({"answer": answer, "to": "read"})

    def receive(self) -> dict:
        """The server receives the batch. Returns its answer."""
        return self.server.receive([step["ops"] for step in self.client.sent])

    def hear(self, answer: dict | None | str = "of the server") -> None:
        answer = self.receive() if answer == "of the server" else answer
        self.take("step", answer)
        self.add({"answer": answer, "to": "batch"})

    def take(self, kind: str, answer: dict | None) -> None:
        """The client gets an answer. In the scenarios, documents have no id."""
        status, headers, body = (answer or {"status": None, "headers": {}, "body": ""}).values()
        if kind == "read" and isinstance(body, dict) and "version" in body:
            body = {"id": LIST, **body}
        self.client.answered(kind, status, headers, body if isinstance(body, str) else json.dumps(body))

    def event(self, event: str, data: dict | None = None) -> None:
        self.client.event(event, data or {})
        self.add({"event": event, "data": data or {}})

    def change(self) -> None:
        """The event of the next change."""
        self.event("change", self.server.changes[self.client.version + 1])

    def changes(self) -> None:
        while self.client.version < self.server.version and not self.client.needs_document:
            self.change()

    def pause(self) -> None:
        self.client.end_pauses()
        self.add({"pause": "over"})

    def sign_in(self) -> None:
        self.client.end_pauses()
        self.add({"token": "other"})

    def restart(self) -> None:
        self.client = Client(self.disk, LIST)
        self.add({"restart": True})

    def see(self, name: str) -> None:
        self.client.see(f"{name}.0")
        self.add({"seen": name})

    def discard(self) -> None:
        self.client.discard_waiting()
        self.add({"discard": True})


def name_of(op: dict) -> str:
    """The name of an operation's step."""
    return op["opId"].partition(".")[0]


# The chosen scenarios, in order.
CHOSEN: list[Callable[[], Scenario]] = []


def scenario(name: str, outline: str = "a b c d", reads: bool = True, **settings) -> Callable:
    """The function makes a scenario. The client has read the document, if `reads`."""

    def register(play: Callable[[Scenario], None]) -> Callable:
        def make() -> Scenario:
            made = Scenario(name, outline, **settings)
            if reads:
                made.read()
            play(made)
            return made

        CHOSEN.append(make)
        return play

    return register


# Operations, in the form in which they are sent


def document(outline: str, **settings) -> dict:
    """The short document of an outline."""
    sections: list[dict] = []
    tasks: list[dict] = []
    parents: list[str] = []
    for word in outline.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            parents.append(tasks[-1]["id"])
        elif word == ")":
            parents.pop()
        elif word[0] == "#":
            sections.append({"id": word[1:]})
        else:
            name, _, title = word.partition("=")
            flags = [flag for flag, sign in (("collapsed", "+"), ("locked", "!"), ("done", "*")) if sign in name]
            task = {"id": name.rstrip("+!*"), **{flag: True for flag in flags}}
            task |= {"title": title} if title else {}
            task |= {"parent": parents[-1]} if parents else {}
            task |= {"section": sections[-1]["id"]} if sections else {}
            tasks.append(task)
    return {**settings, "sections": sections, "tasks": tasks}


def drop(shown: TaskList, task: str, parent: str | None, section: str | None, position: int) -> dict:
    """A drop: both neighbors, and the place."""
    op = {"op": "move", "task": task}
    place = shown.container({"section": section, "parent": parent})
    siblings = [other.id for other in place.children if other.id != task]
    if position > 0:
        op["after"] = siblings[position - 1]
    if position < len(siblings):
        op["before"] = siblings[position]
    return {**op, **({"section": section} if parent is None else {"parent": parent}), "position": position}


def rename(task: str, title: str) -> dict:
    return {"op": "update", "task": task, "set": {"title": title}}


def complete(task: str, done: bool = True) -> dict:
    return {"op": "update", "task": task, "set": {"done": done}}


def delete(task: str) -> dict:
    return {"op": "delete", "task": task}


def create(task: str, **members) -> dict:
    return {"op": "create", "id": task, "title": task, **members}


def move(task: str, **to) -> dict:
    return {"op": "move", "task": task, **to}


UNAUTHORIZED = problem_answer(401, "unauthorized")
FORBIDDEN = problem_answer(403, "forbidden")
