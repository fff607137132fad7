"""A list, and the operations of changes: "What a change contains" of docs/sync.md."""

import copy
from dataclasses import dataclass, field

SECTION = {"title": None, "data": None, "maxTasks": None}
TASK = {"title": None, "collapsed": False, "locked": False, "done": False, "data": None}
SETTINGS = {
    **{"title": "List", "elementsOffset": 0, "collapseSubElements": False, "moves": "anywhere"},
    **{"maxDepth": None, "maxTasksPerSection": None, "tasksPerParent": None, "data": None},
}


class DoesNotFit(Exception):
    """A change can't be applied to this list: fetch the document."""


@dataclass(eq=False)
class Node:
    """A task; or a section, which has no parent. The section with the id None has the tasks without a section."""

    id: str | None
    # The other members of its own. The title is the id if a short document has none.
    own: dict
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)

    @property
    def above(self) -> list["Node"]:
        """From its parent to its section."""
        return [self.parent, *self.parent.above] if self.parent else []

    @property
    def subtree(self) -> list["Node"]:
        return [self, *(task for child in self.children for task in child.subtree)]

    @property
    def as_place(self) -> dict:
        """Where its children are."""
        return {"section": [self, *self.above][-1].id, "parent": self.id if self.parent else None}


class TaskList:
    def __init__(self, document: dict):
        """From `GET /lists/:id`, from `document`, or from a short document."""
        self.settings = {name: document.get(name, usual) for name, usual in SETTINGS.items()}
        self.sections = [Node(None, {"title": "", "data": None, "maxTasks": None})]
        self.tasks: dict[str, Node] = {}
        for section in document.get("sections", []):
            self.sections.append(make(section, SECTION))
        for task in document["tasks"]:
            self.insert(task, None)

    def insert(self, task: dict, position: int | None) -> None:
        parent = self.container(task)
        if task["id"] in self.tasks:
            raise DoesNotFit
        self.tasks[task["id"]] = node = make(task, TASK)
        put(node, parent, len(parent.children) if position is None else position)

    def section(self, name: str | None) -> Node | None:
        return next((section for section in self.sections if section.id == name), None)

    def container(self, place: dict) -> Node:
        parent = place.get("parent")
        node = self.section(place.get("section")) if parent is None else self.tasks.get(parent)
        if node is None:
            raise DoesNotFit
        return node

    def copy(self) -> "TaskList":
        return copy.deepcopy(self)

    @property
    def outline(self) -> str:
        """See "Short documents" of Tests/Fixtures/README.md."""

        def text(task: Node) -> str:
            flags = "+" * task.own["collapsed"] + "!" * task.own["locked"] + "*" * task.own["done"]
            title = "" if task.own["title"] == task.id else f"={task.own['title']}"
            inside = f"({' '.join(map(text, task.children))})" if task.children else ""
            return f"{task.id}{flags}{title}{inside}"

        parts = [[f"#{section.id}", *map(text, section.children)] for section in self.sections]
        return " ".join(word for part in parts for word in part if word != "#None")

    @property
    def document(self) -> dict:
        tasks = [task for section in self.sections for task in section.subtree[1:]]
        return {
            **self.settings,
            "sections": [{"id": section.id, **section.own} for section in self.sections[1:]],
            "tasks": [{"id": task.id, **task.own, **task.parent.as_place} for task in tasks],
        }

    def apply(self, op: dict) -> None:
        """Applies an operation of a change. Checks no rules."""
        kind = op["op"]
        if kind == "insert":
            self.insert(op["task"], op["task"]["position"])
        elif kind == "list":
            self.settings |= op["set"]
        elif kind == "section-insert":
            if self.section(op["section"]):
                raise DoesNotFit
            place(make({"id": op["section"], **op}, SECTION), self.sections, op["position"] + 1)
        elif kind.startswith("section-"):
            self.apply_to_section(op)
        else:
            self.apply_to_task(op)

    def apply_to_section(self, op: dict) -> None:
        section = self.section(op["section"])
        if section is None or (op["op"] == "section-delete" and section.children):
            raise DoesNotFit
        if op["op"] == "section-update":
            section.own |= {name: op[name] for name in SECTION if name in op}
            return
        self.sections.remove(section)
        if op["op"] == "section-move":
            place(section, self.sections, op["position"] + 1)

    def apply_to_task(self, op: dict) -> None:
        task = self.tasks.get(op.get("task"))
        if task is None or op["op"] not in ("move", "update", "collapse", "delete"):
            raise DoesNotFit  # also `replace`, and what this client does not know
        if op["op"] == "update":
            task.own |= {name: value for name, value in op["set"].items() if name in TASK}
        elif op["op"] == "collapse":
            task.own["collapsed"] = op["collapsed"]
        else:
            parent = self.container(op) if op["op"] == "move" else None
            if parent in task.subtree:
                raise DoesNotFit
            task.parent.children.remove(task)
            if parent:
                put(task, parent, op["position"])
                return
            for gone in task.subtree:
                del self.tasks[gone.id]


def make(members: dict, usual: dict) -> Node:
    own = {name: members.get(name, value) for name, value in usual.items()}
    return Node(members["id"], {**own, "title": members["id"] if own["title"] is None else own["title"]})


def put(node: Node, parent: Node, position: int) -> None:
    node.parent = parent
    place(node, parent.children, position)


def place(node: Node, siblings: list[Node], position: int) -> None:
    if not 0 <= position <= len(siblings):
        raise DoesNotFit
    siblings.insert(position, node)
