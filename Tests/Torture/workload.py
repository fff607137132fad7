"""Seeded random requests. Clients share few lists and few ids, so that conflicts are frequent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

IDS_PER_LIST = 26
SHARED_IDS = 6
"""Ids that every list may use, although a task's id is unique on the server."""
SECTIONS = ("s1", "s2", "s3")


@dataclass(slots=True)
class Request:
    kind: str
    list: str
    method: str
    path: str
    body: Any = None
    headers: dict[str, str] | None = None
    task: str | None = None
    target: str | None = None
    """The other list of a move between lists."""

    lines: bool = False
    """Whether the body is a list in lines."""

    @property
    def encoded(self) -> bytes | None:
        if not self.lines:
            return None if self.body is None else json.dumps(self.body).encode()
        head = {name: value for name, value in self.body.items() if name != "tasks"}
        return "".join(json.dumps(line) + "\n" for line in (head, *self.body["tasks"])).encode()


class Workload:
    """One client's requests. The same seed gives the same choices, whatever the times of the responses."""

    def __init__(self, seed: str, lists: int) -> None:
        self._random = Random(seed)
        self._lists = [f"list-{index}" for index in range(lists)]
        self.seen: dict[str, str] = {}
        """The last entity tag that this client has seen of each list."""
        self._kinds, self._weights = list(self._mix), list(self._mix.values())

    _mix = {
        "document": 20,
        "document_if_changed": 3,
        "task": 8,
        "move_beside": 20,
        "move_to_position": 9,
        "move_into": 8,
        "move_to_section": 4,
        "move_row": 9,
        "move_block": 4,
        "move_to_list": 6,
        "dry_run": 3,
        "create": 15,
        "patch": 5,
        "copy": 1,
        "delete": 3,
        "collapse": 7,
        "batch": 5,
        "put": 2,
        "put_lines": 2,
        "delete_list": 0.4,
        "restore": 1.5,
        "post_list": 1,
    }

    def next(self) -> Request:
        kind = self._random.choices(self._kinds, self._weights)[0]
        request: Request = getattr(self, f"_{kind}")(self._random.choice(self._lists))
        return request

    def first(self, name: str) -> Request:
        """Creates a list before the other clients start."""
        return Request("put", name, "PUT", f"/lists/{name}", self._list_document(name))

    # Contents of the requests

    def _own(self, name: str) -> str:
        return f"{name}.{self._random.randrange(IDS_PER_LIST)}"

    def _any(self, name: str) -> str:
        if self._random.random() < 0.04:
            return f"shared.{self._random.randrange(SHARED_IDS)}"
        return self._own(name)

    def _new_task(self, identifier: str) -> dict[str, Any]:
        random = self._random
        task: dict[str, Any] = {
            "id": identifier,
            "title": random.choice(("Milk", "ללמוד", "日本語", 'quote " and \\', "🧀")),
        }
        if random.random() < 0.2:
            task["data"] = {"n": random.randrange(1000), "list": [None, True, "x"]}
        for name, chance in (("collapsed", 0.15), ("done", 0.3), ("locked", 0.02)):
            if random.random() < chance:
                task[name] = True
        return task

    def _list_document(self, name: str) -> dict[str, Any]:
        random = self._random
        sections = list(SECTIONS[: random.randrange(len(SECTIONS) + 1)])
        identifiers = random.sample(range(IDS_PER_LIST), random.randrange(6, 22))
        by_section: dict[str | None, list[dict[str, Any]]] = {
            section: [] for section in (None, *sections)
        }
        for identifier in identifiers:
            section = random.choice([None, *sections])
            group = by_section[section]
            task = self._new_task(f"{name}.{identifier}")
            if section:
                task["section"] = section
            if group and random.random() < 0.5:
                # Below the last task or one of its ancestors, so that each parent comes before its children.
                above = group[-1]
                task["parent"] = random.choice([above["id"], above.get("parent") or above["id"]])
            group.append(task)
        return {
            "title": f"{name} {random.randrange(1000)}",
            "elementsOffset": random.choice((0, 0, 0, 1)),
            "collapseSubElements": random.random() < 0.3,
            "moves": random.choice(("anywhere",) * 9 + ("siblings",)),
            # Loose enough for the tasks of the document.
            "maxTasksPerSection": random.choice((None, None, 1_000)),
            "tasksPerParent": random.choice((None, None, len(identifiers) + 1)),
            "data": random.choice((None, None, {"color": "red"})),
            "sections": [{"id": section, "title": section.upper()} for section in sections],
            "tasks": [task for group in by_section.values() for task in group],
        }

    # The requests

    def _document(self, name: str) -> Request:
        return Request("document", name, "GET", f"/lists/{name}")

    def _document_if_changed(self, name: str) -> Request:
        tag = {"If-None-Match": self.seen.get(name, '"1"')}
        return Request("document", name, "GET", f"/lists/{name}", headers=tag)

    def _task(self, name: str) -> Request:
        task = self._own(name)
        return Request("task", name, "GET", f"/tasks/{task}", task=task)

    def _move(self, name: str, body: dict[str, Any], query: str = "") -> Request:
        kind = "dry_run" if query else "move"
        return Request(kind, name, "POST", f"/lists/{name}/move{query}", body)

    def _destination(self, name: str) -> dict[str, Any]:
        destination: dict[str, Any] = {}
        if self._random.random() < 0.7:
            destination["after"] = self._any(name)
        if not destination or self._random.random() < 0.5:
            destination["before"] = self._any(name)
        if self._random.random() < 0.3:
            destination["position"] = self._random.randrange(5)
        return destination

    def _move_beside(self, name: str) -> Request:
        return self._move(name, {"task": self._any(name)} | self._destination(name))

    def _move_to_position(self, name: str) -> Request:
        return self._move(name, {"task": self._any(name), "position": self._random.randrange(8)})

    def _move_into(self, name: str) -> Request:
        parent = None if self._random.random() < 0.3 else self._own(name)
        return self._move(name, {"task": self._own(name), "parent": parent})

    def _move_to_section(self, name: str) -> Request:
        section = self._random.choice([None, *SECTIONS])
        return self._move(name, {"task": self._own(name), "section": section, "position": 0})

    def _move_row(self, name: str) -> Request:
        random = self._random
        row, to_row = random.randrange(16), random.randrange(18)
        destination: dict[str, Any] = random.choice(
            [
                {"toRow": to_row},
                {"toRow": to_row, "section": random.choice([None, *SECTIONS])},
                {"to": {"section": random.choice([None, *SECTIONS]), "row": to_row // 2}},
                {"toOffset": to_row},
            ]
        )
        if random.random() < 0.2:
            destination["level"] = random.randrange(3)
        subject = {"fromRows": [row, row + 1]} if random.random() < 0.2 else {"fromRow": row}
        return self._move(name, subject | destination)

    def _move_block(self, name: str) -> Request:
        numbers = self._random.sample(range(IDS_PER_LIST), 2)
        tasks = [f"{name}.{number}" for number in numbers]
        return self._move(name, {"tasks": tasks} | self._destination(name))

    def _move_to_list(self, name: str) -> Request:
        random = self._random
        target = random.choice(self._lists)
        body: dict[str, Any] = {"toList": target}
        if random.random() < 0.5:
            body["fromRow"] = random.randrange(10)
            if random.random() < 0.3:
                body["toRow"] = random.randrange(16)
        else:
            # From its own list to another one, or back.
            owner = name if random.random() < 0.7 else target
            task, other = random.sample(range(IDS_PER_LIST), 2)
            if random.random() < 0.2:
                body["tasks"] = [f"{owner}.{task}", f"{name}.{other}"]
            else:
                body["task"] = f"{owner}.{task}"
        if "toRow" not in body and random.random() < 0.3:
            body |= self._destination(target)
        request = self._move(name, body)
        request.target = None if target == name else target
        return request

    def _dry_run(self, name: str) -> Request:
        body = {"task": self._own(name)} | self._destination(name)
        return self._move(name, body, "?dryRun=true")

    def _create(self, name: str) -> Request:
        body = self._new_task(self._any(name))
        if self._random.random() < 0.7:
            body |= self._destination(name)
        return Request("create", name, "POST", f"/lists/{name}/tasks", body)

    def _patch(self, name: str) -> Request:
        task = self._own(name)
        return Request("patch", name, "PATCH", f"/tasks/{task}", self._change(), task=task)

    def _change(self) -> dict[str, Any]:
        choices: tuple[dict[str, Any], ...] = ({"done": True}, {"done": False}, {"title": "Tea"}, {"data": None})
        return self._random.choice(choices)

    def _copy(self, name: str) -> Request:
        # The response names the list that receives the copy.
        task, receiver = self._own(name), name
        body: dict[str, Any] = {"id": self._any(name)}
        if self._random.random() < 0.3:
            receiver = body["toList"] = self._random.choice(self._lists)
        return Request("copy", receiver, "POST", f"/tasks/{task}/copy", body, task=task)

    def _batch(self, name: str) -> Request:
        ops = [self._op(name) for _ in range(self._random.randrange(1, 5))]
        body = {"atomic": self._random.random() < 0.5, "ops": ops}
        return Request("batch", name, "POST", f"/lists/{name}/batch", body)

    def _op(self, name: str) -> dict[str, Any]:
        task = {"task": self._own(name)}
        match self._random.randrange(5):
            case 0 | 1:
                return {"op": "move"} | task | {"after": self._own(name), "position": self._random.randrange(8)}
            case 2:
                return {"op": "update"} | task | {"set": self._change()}
            case 3:
                return {"op": "create"} | self._new_task(self._any(name))
            case _:
                return {"op": "delete"} | task

    def _delete(self, name: str) -> Request:
        task = self._own(name)
        return Request("delete", name, "DELETE", f"/tasks/{task}", task=task)

    def _collapse(self, name: str) -> Request:
        task = self._own(name)
        body = {"collapsed": self._random.random() < 0.5}
        return Request("collapse", name, "POST", f"/tasks/{task}/collapse", body, task=task)

    def _put(self, name: str) -> Request:
        # Sometimes without If-Match, which must be refused.
        tags = "*", self.seen.get(name, '"1"'), None
        chosen = self._random.choices(tags, (2, 7, 1))[0]
        tag = {"If-Match": chosen} if chosen else None
        document = self._list_document(name)
        return Request("put", name, "PUT", f"/lists/{name}", document, tag)

    def _put_lines(self, name: str) -> Request:
        request = self._put(name)
        request.kind, request.lines = "put_lines", True
        return request

    def _delete_list(self, name: str) -> Request:
        query = "?permanent=true" if self._random.random() < 0.2 else ""
        return Request("delete_list", name, "DELETE", f"/lists/{name}{query}")

    def _restore(self, name: str) -> Request:
        return Request("restore", name, "POST", f"/lists/{name}/restore")

    def _post_list(self, name: str) -> Request:
        return Request("put", name, "POST", "/lists", self._list_document(name) | {"id": name})
