"""A list as a client stores it: the operations of the contract, applied to plain Python lists.

Written only from the contract. It shares no code with the server, and stays simple.
"""

from __future__ import annotations

import copy
from typing import Any

Json = dict[str, Any]

SETTINGS = ("title", "elementsOffset", "collapseSubElements", "moves")
CONTENT = ("id", "title", "collapsed", "locked", "done")


class Diverged(Exception):
    """An operation does not fit the list."""


class ListModel:
    """An existing list. `children` has the order of the tasks below a task, or at the top level of a section."""

    def __init__(self, document: Json) -> None:
        self.settings: Json = {
            "title": document["title"],
            "elementsOffset": document.get("elementsOffset", 0),
            "collapseSubElements": document.get("collapseSubElements", False),
            "moves": document.get("moves", "anywhere"),
        }
        self.sections: list[Json] = [
            {"id": section["id"], "title": section["title"]}
            for section in document.get("sections", [])
        ]
        self.tasks: dict[str, Json] = {}
        self.parents: dict[str, tuple[str, str | None]] = {}
        self.children: dict[tuple[str, str | None], list[str]] = {}
        for task in document.get("tasks", []):
            self._insert(task, len(self._siblings(self._parent(task))))

    def copy(self) -> ListModel:
        return copy.deepcopy(self)

    # Replay

    def apply(self, op: Json) -> None:
        try:
            self._apply(op)
        except (KeyError, ValueError, IndexError) as error:
            raise Diverged(f"{op}: {error!r}") from error

    def _apply(self, op: Json) -> None:
        match op["op"]:
            case "move":
                self._move(op)
            case "insert":
                self._insert(op["task"], op["task"]["position"])
            case "update":
                self._update(self.tasks[op["task"]], op["set"])
            case "collapse":
                self.tasks[op["task"]]["collapsed"] = op["collapsed"]
            case "delete":
                self._siblings(self.parents[op["task"]]).remove(op["task"])
                self._forget(op["task"])
            case "list":
                self.settings.update(op["set"])
            case "section-insert":
                section = {"id": op["section"], "title": op["title"]}
                self._place(self.sections, section, op["position"])
            case "section-update":
                self._section(op["section"])["title"] = op["title"]
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
        self.tasks[task["id"]] = content

    @staticmethod
    def _update(task: Json, changes: Json) -> None:
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
        return self.settings | {
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
