"""Seeded random requests. Clients share few lists and few ids, so that conflicts are frequent."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from history import Record

IDS_PER_LIST = 26
SHARED_IDS = 6
"""Ids that every list may use, although a task's id is unique on the server."""
LINES = {"Content-Type": "application/x-ndjson"}


class Workload:
    """One client's requests. The same seed gives the same choices, whatever the times of the responses."""

    _mix = {
        "document": 28,
        "move": 40,
        "move_to_list": 6,
        "create": 15,
        "patch": 8,
        "delete": 3,
        "batch": 5,
        "put": 4,
        "delete_list": 0.4,
        "restore": 2,
    }

    def __init__(self, name: str, lists: int) -> None:
        self._name = name
        self._count = 0
        self._random = Random(name)
        self._lists = [f"list-{index}" for index in range(lists)]
        self.seen: dict[str, str] = {}
        """The last entity tag that this client has seen of each list."""

    def next(self) -> tuple[Record, dict[str, str]]:
        """A request, and its header fields."""
        kind = self._random.choices(list(self._mix), list(self._mix.values()))[0]
        make = getattr(self, f"_{kind}")
        return make(self._random.choice(self._lists))

    def put(self, name: str, headers: dict[str, str]) -> tuple[Record, dict[str, str]]:
        """Creates or replaces a list."""
        tasks: list[dict[str, Any]] = []
        for number in self._random.sample(range(IDS_PER_LIST), self._random.randrange(6, 22)):
            task = self._new_task(f"{name}.{number}")
            if tasks and self._random.random() < 0.5:
                # Below the last task or its parent, so that each parent comes before its children.
                task["parent"] = self._random.choice([tasks[-1]["id"], tasks[-1].get("parent") or tasks[-1]["id"]])
            tasks.append(task)
        head = {"title": f"{name} {self._random.randrange(1000)}"}
        path = f"/lists/{name}"
        if self._random.random() < 0.5:
            return self._request("put", name, "PUT", path, head | {"tasks": tasks}, headers)
        record, _ = self._request("put", name, "PUT", path)
        record.body = "".join(json.dumps(line) + "\n" for line in (head, *tasks)).encode()
        return record, LINES | headers

    def read(self, name: str, headers: dict[str, str] | None = None) -> tuple[Record, dict[str, str]]:
        return self._request("document", name, "GET", f"/lists/{name}", None, headers)

    def _request(
        self, kind: str, name: str, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[Record, dict[str, str]]:
        self._count += 1
        content = None if body is None else json.dumps(body).encode()
        return Record(f"{self._name}-{self._count}", kind, name, method, path, content), headers or {}

    # Contents of the requests

    def _own(self, name: str) -> str:
        return f"{name}.{self._random.randrange(IDS_PER_LIST)}"

    def _any(self, name: str) -> str:
        if self._random.random() < 0.04:
            return f"shared.{self._random.randrange(SHARED_IDS)}"
        return self._own(name)

    def _new_task(self, identifier: str) -> dict[str, Any]:
        title = self._random.choice(("Milk", "ללמוד", "日本語", 'quote " and \\', "🧀"))
        return {"id": identifier, "title": title, "done": self._random.random() < 0.3}

    def _place(self, name: str) -> dict[str, Any]:
        return self._random.choice([
            {"after": self._any(name)},
            {"before": self._any(name)},
            {"position": self._random.randrange(8)},
            {"parent": self._own(name)},
        ])  # fmt: skip

    def _change(self) -> dict[str, Any]:
        return self._random.choice([{"done": True}, {"done": False}, {"title": "Tea"}, {"data": {"n": 1}}])

    # The requests

    def _document(self, name: str) -> tuple[Record, dict[str, str]]:
        is_conditional = name in self.seen and self._random.random() < 0.1
        return self.read(name, {"If-None-Match": self.seen[name]} if is_conditional else None)

    def _move(self, name: str) -> tuple[Record, dict[str, str]]:
        body = {"task": self._any(name)} | self._place(name)
        return self._request("move", name, "POST", f"/lists/{name}/move", body)

    def _move_to_list(self, name: str) -> tuple[Record, dict[str, str]]:
        target = self._random.choice([other for other in self._lists if other != name])
        # From a row of its list to another one, or back.
        task = {"task": self._own(target)} if self._random.random() < 0.2 else {"fromRow": self._random.randrange(6)}
        body = task | {"toList": target}
        request = self._request("move", name, "POST", f"/lists/{name}/move", body)
        request[0].target = target
        return request

    def _create(self, name: str) -> tuple[Record, dict[str, str]]:
        body = self._new_task(self._any(name)) | self._place(name)
        return self._request("create", name, "POST", f"/lists/{name}/tasks", body)

    def _patch(self, name: str) -> tuple[Record, dict[str, str]]:
        return self._request("patch", name, "PATCH", f"/tasks/{self._own(name)}", self._change())

    def _delete(self, name: str) -> tuple[Record, dict[str, str]]:
        return self._request("delete", name, "DELETE", f"/tasks/{self._own(name)}")

    def _batch(self, name: str) -> tuple[Record, dict[str, str]]:
        ops = [self._op(name) for _ in range(self._random.randrange(1, 5))]
        body = {"atomic": self._random.random() < 0.5, "ops": ops}
        return self._request("batch", name, "POST", f"/lists/{name}/batch", body)

    def _op(self, name: str) -> dict[str, Any]:
        task = {"task": self._own(name)}
        return self._random.choice([
            {"op": "move"} | task | {"position": self._random.randrange(8)},
            {"op": "update"} | task | {"set": self._change()},
            {"op": "create"} | self._new_task(self._any(name)),
            {"op": "delete"} | task,
        ])  # fmt: skip

    def _put(self, name: str) -> tuple[Record, dict[str, str]]:
        # Sometimes without If-Match, which must be refused unless the list is new.
        tag = self._random.choice(["*", *3 * [self.seen.get(name, "*")], None])
        return self.put(name, {"If-Match": tag} if tag else {})

    def _delete_list(self, name: str) -> tuple[Record, dict[str, str]]:
        query = "?permanent=true" if self._random.random() < 0.2 else ""
        return self._request("delete_list", name, "DELETE", f"/lists/{name}{query}")

    def _restore(self, name: str) -> tuple[Record, dict[str, str]]:
        return self._request("restore", name, "POST", f"/lists/{name}/restore")
