"""A list, its operations and its rules, as docs/sync.md and Tests/Fixtures/README.md describe them."""

import copy
from dataclasses import dataclass, field
from typing import Any

MAXIMUM_LEVELS = 16
TASK_FLAGS = ("collapsed", "locked", "done")
SETTINGS: dict[str, Any] = {
    "title": "List",
    "elementsOffset": 0,
    "collapseSubElements": False,
    "moves": "anywhere",
    "maxDepth": None,
    "maxTasksPerSection": None,
    "tasksPerParent": None,
    "data": None,
}


class Refused(Exception):
    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


class DoesNotFit(Exception):
    """A change can't be applied to this list: fetch the document."""


@dataclass(eq=False)
class Node:
    """A task, or a section; the section with the id None holds the tasks without a section."""

    id: str | None
    title: str
    data: Any = None
    parent: "Node | None" = None
    collapsed: bool = False
    locked: bool = False
    done: bool = False
    children: list["Node"] = field(default_factory=list)

    @property
    def is_section(self) -> bool:
        return self.parent is None

    @property
    def above(self) -> list["Node"]:
        """The task's ancestors, from its parent to its section."""
        return [] if self.parent is None else [self.parent, *self.parent.above]

    @property
    def section(self) -> "Node":
        return self.above[-1] if self.parent else self

    @property
    def subtree(self) -> list["Node"]:
        return [self, *(task for child in self.children for task in child.subtree)]

    @property
    def levels(self) -> int:
        return 1 + max((child.levels for child in self.children), default=0)

    @property
    def place(self) -> dict:
        parent = self.parent
        return {"section": self.section.id, "parent": None if parent.is_section else parent.id}


def merged(value: Any, patch: Any) -> Any:
    """A merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for name, part in patch.items():
        if part is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), part)
    return result


class TaskList:
    def __init__(self, document: dict):
        """From `GET /lists/:id`, or from a short document."""
        self.settings = {name: document.get(name, usual) for name, usual in SETTINGS.items()}
        self.sections = [Node(None, "")]
        for section in document.get("sections", []):
            title = section.get("title", section["id"])
            self.sections.append(Node(section["id"], title, section.get("data")))
        self.tasks: dict[str, Node] = {}
        for task in document["tasks"]:
            self._insert(task, None)

    def _insert(self, task: dict, position: int | None) -> None:
        parent = self.container(task.get("section"), task.get("parent"))
        if task["id"] in self.tasks:
            raise DoesNotFit
        flags = {name: task.get(name, False) for name in TASK_FLAGS}
        title = task.get("title", task["id"])
        node = Node(task["id"], title, task.get("data"), parent, **flags)
        self.tasks[node.id] = node
        put(node, parent, len(parent.children) if position is None else position)

    def section(self, name: str | None) -> Node | None:
        return next((section for section in self.sections if section.id == name), None)

    def container(self, section: str | None, parent: str | None) -> Node:
        node = self.section(section) if parent is None else self.tasks.get(parent)
        if node is None:
            raise DoesNotFit
        return node

    @property
    def outline(self) -> str:
        def text(node: Node) -> str:
            flags = "+" * node.collapsed + "!" * node.locked + "*" * node.done
            title = "" if node.title == node.id else "=" + node.title
            inside = " ".join(map(text, node.children))
            return node.id + flags + title + (f"({inside})" if inside else "")

        parts = []
        for section in self.sections:
            parts += [f"#{section.id}"] if section.id is not None else []
            parts += map(text, section.children)
        return " ".join(parts)

    @property
    def document(self) -> dict:
        """A document from which `TaskList` makes the list again."""
        names = ("id", "title", "data", *TASK_FLAGS)
        tasks = [task for section in self.sections for task in section.subtree[1:]]
        return {
            **self.settings,
            "sections": [{"id": s.id, "title": s.title, "data": s.data} for s in self.sections[1:]],
            "tasks": [{**{name: getattr(t, name) for name in names}, **t.place} for t in tasks],
        }

    # Operations of changes

    def apply(self, op: dict) -> None:
        """Applies an operation of a change, without checking rules."""
        kind = op["op"]
        if kind == "insert":
            self._insert(op["task"], op["task"]["position"])
        elif kind == "section-insert":
            if self.section(op["section"]):
                raise DoesNotFit
            place(Node(op["section"], op["title"], op.get("data")), self.sections, op["position"] + 1)
        elif kind == "list":
            self.settings.update(op["set"])
        elif kind.startswith("section-"):
            self._apply_to_section(kind, op)
        else:
            self._apply_to_task(kind, op)

    def _apply_to_section(self, kind: str, op: dict) -> None:
        section = self.section(op["section"])
        if section is None or (kind == "section-delete" and section.children):
            raise DoesNotFit
        if kind == "section-update":
            section.title = op["title"]
            section.data = op.get("data", section.data)
        else:
            self.sections.remove(section)
            if kind == "section-move":
                place(section, self.sections, op["position"] + 1)

    def _apply_to_task(self, kind: str, op: dict) -> None:
        task = self.tasks.get(op.get("task"))
        if task is None:
            raise DoesNotFit  # also an operation that this client does not know, and `replace`
        if kind == "move":
            parent = self.container(op["section"], op["parent"])
            if parent in task.subtree:
                raise DoesNotFit
            task.parent.children.remove(task)
            put(task, parent, op["position"])
        elif kind == "update":
            for name, value in op["set"].items():
                if name in ("title", "done", "locked", "data"):
                    setattr(task, name, value)
        elif kind == "collapse":
            task.collapsed = op["collapsed"]
        elif kind == "delete":
            task.parent.children.remove(task)
            for gone in task.subtree:
                del self.tasks[gone.id]
        else:
            raise DoesNotFit

    # Steps

    def copy(self) -> "TaskList":
        return copy.deepcopy(self)


def put(node: Node, parent: Node, position: int) -> None:
    node.parent = parent
    place(node, parent.children, position)


def place(node: Node, siblings: list[Node], position: int) -> None:
    if not 0 <= position <= len(siblings):
        raise DoesNotFit
    siblings.insert(position, node)
