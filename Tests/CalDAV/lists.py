"""A list as the JSON API shows and changes it, like the web page. Tasks are known by the number in their titles."""

import json
from dataclasses import dataclass
from urllib.parse import quote

from device import number_of


@dataclass(frozen=True)
class Row:
    id: str
    number: int
    parent: int | None
    done: bool
    title: str

    @property
    def shown(self):
        return self.number, self.parent, self.done, self.title


class List:
    def __init__(self, server, id):
        """`server` sends the requests, with a token that may change the list."""
        self.server, self.id = server, id

    def ask(self, method, path, body=None):
        fields = {"Content-Type": "application/json"} if body is not None else {}
        response = self.server.send(method, path, None if body is None else json.dumps(body), fields)
        assert response.status < 300, f"{method} {path} {body}: {response.status} {response.body[:500]!r}"
        return json.loads(response.body or "null")

    def make(self, titles=()):
        self.ask("PUT", f"/lists/{self.id}", {"title": self.id, "tasks": [{"title": title} for title in titles]})

    def rows(self):
        """All tasks in order."""
        tasks = self.ask("GET", f"/lists/{self.id}")["tasks"]
        numbers = {task["id"]: number_of(task["title"]) for task in tasks}
        return [
            Row(task["id"], numbers[task["id"]], numbers.get(task["parent"]), task["done"], task["title"]) for task in tasks
        ]

    def add(self, title):
        return self.ask("POST", f"/lists/{self.id}/tasks", {"title": title})

    def move(self, row, **place):
        self.ask("POST", f"/lists/{self.id}/move", {"task": row.id, **place})

    def change(self, row, **values):
        self.ask("PATCH", f"/tasks/{quote(row.id)}", values)

    def remove(self, row):
        self.ask("DELETE", f"/tasks/{quote(row.id)}")
