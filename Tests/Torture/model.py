"""A list as a client stores it: the operations of the contract, applied to plain Python lists.

Written only from the contract. It shares no code with the server, and stays simple.
"""

from __future__ import annotations

import copy
from typing import Any

Json = dict[str, Any]

OPTIONAL = ("maxDepth", "maxTasksPerSection", "tasksPerParent", "data")
SETTINGS = ("title", "elementsOffset", "collapseSubElements", "moves", *OPTIONAL)
CONTENT = ("id", "title", "collapsed", "locked", "done")
TIMES = ("createdAt", "updatedAt", "completedAt")


def _section_content(identifier: str, title: str, data: Any) -> Json:
    content = {"id": identifier, "title": title}
    return content if data is None else content | {"data": data}


class Diverged(Exception):
    """An operation does not fit the list."""


class ListModel:
    """An existing list. `children` has the order of the tasks below a task, or at the top level of a section."""

    def __init__(self, document: Json, at: str, former: ListModel | None = None) -> None:
        """The list that a document creates at the time `at`, or that replaces `former` then."""
        self.settings: Json = {
            "title": document["title"],
            "elementsOffset": document.get("elementsOffset", 0),
            "collapseSubElements": document.get("collapseSubElements", False),
            "moves": document.get("moves", "anywhere"),
        }
        self._set({name: document.get(name) for name in OPTIONAL})
        self.sections: list[Json] = [
            _section_content(section["id"], section["title"], section.get("data"))
            for section in document.get("sections", [])
        ]
        self.tasks: dict[str, Json] = {}
        self.parents: dict[str, tuple[str, str | None]] = {}
        self.children: dict[tuple[str, str | None], list[str]] = {}
        for task in document.get("tasks", []):
            self._insert(task, len(self._siblings(self._parent(task))))
        created = document.get("createdAt")
        self.times: Json = {
            "createdAt": created or (former.times["createdAt"] if former else at),
            "updatedAt": at if former else document.get("updatedAt") or at,
        }
        for task in self.tasks:
            self._complete(task, at, former)

    def _complete(self, task: str, at: str, former: ListModel | None) -> None:
        """Fills in the times that a document does not have, from the former list or the time of the change."""
        content = self.tasks[task]
        known = former.tasks.get(task) if former else None
        content["createdAt"] = content.get("createdAt") or (known["createdAt"] if known else at)
        if not known:
            content["updatedAt"] = content.get("updatedAt") or at
        elif former and self._is_same(task, former):
            content["updatedAt"] = known["updatedAt"]
        else:
            content["updatedAt"] = at
        if content["done"]:
            completed = known["completedAt"] if known and known["done"] else at
            content["completedAt"] = content.get("completedAt") or completed

    def _is_same(self, task: str, former: ListModel) -> bool:
        def content(model: ListModel) -> Json:
            return {name: value for name, value in model.tasks[task].items() if name not in TIMES}

        return content(self) == content(former) and self.parents[task] == former.parents[task]

    def rename(self, names: dict[str, str]) -> None:
        """Gives new ids to tasks."""
        if not names:
            return
        new = {task: names.get(task, task) for task in self.tasks}

        def place(parent: tuple[str, str | None]) -> tuple[str, str | None]:
            return ("task", new[str(parent[1])]) if parent[0] == "task" else parent

        self.tasks = {new[task]: content | {"id": new[task]} for task, content in self.tasks.items()}
        self.parents = {new[task]: place(parent) for task, parent in self.parents.items()}
        self.children = {
            place(parent): [new[task] for task in tasks] for parent, tasks in self.children.items() if tasks
        }

    def copy(self) -> ListModel:
        return copy.deepcopy(self)

    # Replay

    def apply(self, op: Json, at: str) -> None:
        """Applies an operation of a change that was made at the time `at`."""
        try:
            self._apply(op, at)
        except (KeyError, ValueError, IndexError) as error:
            raise Diverged(f"{op}: {error!r}") from error

    def _apply(self, op: Json, at: str) -> None:
        self.times["updatedAt"] = at
        if op["op"] in ("move", "update", "collapse"):
            self.tasks[op["task"]]["updatedAt"] = at
        match op["op"]:
            case "move":
                self._move(op)
            case "insert":
                self._insert(op["task"], op["task"]["position"])
            case "update":
                self._update(self.tasks[op["task"]], op["set"], at)
            case "collapse":
                self.tasks[op["task"]]["collapsed"] = op["collapsed"]
            case "delete":
                self._siblings(self.parents[op["task"]]).remove(op["task"])
                self._forget(op["task"])
            case "list":
                self._set(op["set"])
            case "section-insert":
                section = _section_content(op["section"], op["title"], op.get("data"))
                self._place(self.sections, section, op["position"])
            case "section-update":
                section = self._section(op["section"])
                data = op.get("data", section.get("data"))
                section.pop("data", None)
                section.update(_section_content(op["section"], op["title"], data))
            case "section-move":
                section = self._section(op["section"])
                self.sections.remove(section)
                self._place(self.sections, section, op["position"])
            case "section-delete":
                if self.children.get(("section", op["section"])):
                    raise ValueError("the section has tasks")
                self.sections.remove(self._section(op["section"]))
            case unknown:
                raise ValueError(f"unknown operation: {unknown}")

    def _set(self, settings: Json) -> None:
        """Sets settings; null removes a limit."""
        for name, value in settings.items():
            self.settings.pop(name, None)
            if value is not None:
                self.settings[name] = value

    def _move(self, op: Json) -> None:
        task, parent = op["task"], self._parent(op)
        self._siblings(self.parents[task]).remove(task)
        self._place(self._siblings(parent), task, op["position"])
        self.parents[task] = parent
        above: tuple[str, str | None] | None = parent
        while above and above[0] == "task":
            if above[1] == task:
                raise ValueError("into its own subtree")
            above = self.parents[str(above[1])]

    def _insert(self, task: Json, position: int) -> None:
        if task["id"] in self.tasks:
            raise ValueError("the task is there already")
        parent = self._parent(task)
        self._place(self._siblings(parent), task["id"], position)
        self.parents[task["id"]] = parent
        content = {name: task.get(name, False) for name in CONTENT}
        if task.get("data") is not None:
            content["data"] = task["data"]
        for name in TIMES:
            if task.get(name) is not None and (name != "completedAt" or content["done"]):
                content[name] = task[name]
        self.tasks[task["id"]] = content

    @staticmethod
    def _update(task: Json, changes: Json, at: str) -> None:
        if changes.get("done") is True:
            task["completedAt"] = at
        elif changes.get("done") is False:
            task.pop("completedAt", None)
        task.update(changes)
        if task.get("data", 0) is None:
            del task["data"]

    def _forget(self, task: str) -> None:
        for child in self.children.pop(("task", task), []):
            self._forget(child)
        del self.tasks[task], self.parents[task]

    def _parent(self, placement: Json) -> tuple[str, str | None]:
        if placement.get("parent") is not None:
            if placement["parent"] not in self.tasks:
                raise KeyError(placement["parent"])
            return ("task", placement["parent"])
        section = placement.get("section")
        if section is not None:
            self._section(section)
        return ("section", section)

    def _siblings(self, parent: tuple[str, str | None]) -> list[str]:
        return self.children.setdefault(parent, [])

    @staticmethod
    def _place(items: list[Any], item: Any, position: int) -> None:
        if not 0 <= position <= len(items):
            raise ValueError(f"position {position} among {len(items)}")
        items.insert(position, item)

    def _section(self, identifier: str) -> Json:
        for section in self.sections:
            if section["id"] == identifier:
                return section
        raise KeyError(identifier)

    # Reading

    def document(self, identifier: str, version: int) -> Json:
        tasks: list[Json] = []
        for section in [None, *(section["id"] for section in self.sections)]:
            self._render(("section", section), section, 0, True, tasks)
        for task in [task for task in tasks if task["parent"] is None][: self.settings["elementsOffset"]]:
            task["lockedByOffset"] = True
        rows = sum(task["row"] is not None for task in tasks)
        for row, task in enumerate(task for task in tasks if task["row"] is not None):
            task["row"] = row
        sections = [
            section | {"tasks": len(self.children.get(("section", section["id"]), []))}
            for section in self.sections
        ]
        return self.settings | self.times | {
            "id": identifier,
            "version": version,
            "sections": sections,
            "count": len(tasks),
            "rows": rows,
            "tasks": tasks,
        }

    def _render(
        self,
        parent: tuple[str, str | None],
        section: str | None,
        depth: int,
        visible: bool,
        tasks: list[Json],
    ) -> None:
        for position, identifier in enumerate(self.children.get(parent, [])):
            content = self.tasks[identifier]
            below = ("task", identifier)
            tasks.append(
                content
                | {
                    "section": section,
                    "parent": parent[1] if parent[0] == "task" else None,
                    "position": position,
                    "row": 0 if visible else None,
                    "depth": depth,
                    "subtasks": len(self.children.get(below, [])),
                }
            )
            self._render(below, section, depth + 1, visible and not content["collapsed"], tasks)
