"""What comes of a step of the person: "The rules of a step" of docs/sync.md."""

from collections.abc import Iterable
from typing import Any

from task_list import SECTION, TASK, Node, TaskList

MAXIMUM_LEVELS = 16


class Refused(Exception):
    def __init__(self, code: str, at: int = 0):
        super().__init__(code)
        # `at`: the index of the operation in its step.
        self.code, self.at = code, at


def perform(before: TaskList, step: list[dict]) -> tuple[TaskList, list[dict]]:
    """The list after a step, and the operations of its change. Raises `Refused`; then nothing is applied."""
    after = before.copy()
    changes: list[dict] = []
    for index, op in enumerate(step):
        try:
            for change in RULES[op["op"]](after, op):
                after.apply(change)
                changes.append(change)
        except Refused as refused:
            raise Refused(refused.code, index) from refused
    return after, changes


# Each rule checks an operation, and yields the operations of its change. Each is applied before the next one is asked for.


def move(tasks: TaskList, op: dict) -> Iterable[dict]:
    named = [existing(tasks, task) for task in op.get("tasks", [op.get("task")])]
    roots = [task for task in named if not any(above in named for above in task.above)]
    found = destination(tasks, op, roots)
    refuse_if("locked", any(is_locked(tasks, root) for root in roots))
    if found is None:
        return
    parent, position = found
    staying = [task for task in parent.children if task not in roots]
    arrived = [*staying[:position], *roots, *staying[position:]]
    is_among_siblings = all(root.parent is parent for root in roots)
    refuse_if("not_siblings", tasks.settings["moves"] == "siblings" and not is_among_siblings)
    check_arrival(tasks, parent, arrived, roots, op)
    if arrived == parent.children:
        return
    for root in roots:
        is_open = root.children and not any(task.own.get("collapsed") for task in [root, *root.above])
        if is_open and tasks.settings["collapseSubElements"]:
            yield {"op": "collapse", "task": root.id, "collapsed": True}
    previous = staying[position - 1] if position > 0 else None
    for root in roots:
        others = [task for task in parent.children if task is not root]
        new = others.index(previous) + 1 if previous else 0
        if root.parent is not parent or parent.children.index(root) != new:
            yield {"op": "move", "task": root.id, **parent.as_place, "position": new}
        previous = root


def create(tasks: TaskList, op: dict) -> Iterable[dict]:
    refuse_if("id_taken", op["id"] in tasks.tasks)
    has_place = any(name in op for name in ("after", "before", "parent", "section", "position"))
    parent, position = destination(tasks, op if has_place else {"section": None}, [])
    arrived = [*parent.children[:position], new := Node(op["id"], {}, parent), *parent.children[position:]]
    check_arrival(tasks, parent, arrived, [new], op)
    own = {name: op.get(name, usual) for name, usual in TASK.items() if name != "data" or op.get("data") is not None}
    yield {"op": "insert", "task": {"id": op["id"], **own, **parent.as_place, "position": position}}


def update(tasks: TaskList, op: dict) -> Iterable[dict]:
    if changed := differing(existing(tasks, op["task"]).own, op["set"]):
        yield {"op": "update", "task": op["task"], "set": changed}


def collapse(tasks: TaskList, op: dict) -> Iterable[dict]:
    if differing(existing(tasks, op["task"]).own, new := {"collapsed": op.get("collapsed", True)}):
        yield {"op": "collapse", "task": op["task"], **new}


def delete(tasks: TaskList, op: dict) -> Iterable[dict]:
    refuse_if("locked", any(is_locked(tasks, task) for task in existing(tasks, op["task"]).subtree))
    yield {"op": "delete", "task": op["task"]}


def change_settings(tasks: TaskList, op: dict) -> Iterable[dict]:
    if changed := differing(tasks.settings, op["set"]):
        yield {"op": "list", "set": changed}


def create_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    refuse_if("id_taken", tasks.section(op["section"]) is not None)
    end = len(tasks.sections) - 1
    others = {name: op[name] for name in ("data", "maxTasks") if op.get(name) is not None}
    position = min(op.get("position", end), end)
    yield {"op": "section-insert", "section": op["section"], "title": op["title"], "position": position, **others}


def update_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    section = existing_section(tasks, op["section"])
    if changed := differing(section.own, {name: op[name] for name in SECTION if name in op}):
        yield {"op": "section-update", "section": section.id, "title": section.own["title"], **changed}


def move_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    section = existing_section(tasks, op["section"])
    sections = [other for other in tasks.sections if other is not section]
    position = min(op["position"], len(sections) - 1)
    sections.insert(position + 1, section)
    check_first_rows(tasks, [(one, task) for one in sections for task in one.children])
    if sections != tasks.sections:
        yield {"op": "section-move", "section": section.id, "position": position}


def delete_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    section = existing_section(tasks, op["section"])
    keeps = op.get("tasks", "keep") == "keep"
    refuse_if("locked", any(is_locked(tasks, task) for task in (section.children if keeps else section.subtree[1:])))
    going, without = list(section.children), tasks.sections[0]
    if keeps:
        rows = [row for row in top_level(tasks) if row[0] is not section]
        end = len(without.children)
        check_first_rows(tasks, rows[:end] + [(without, task) for task in going] + rows[end:])
    for index, task in enumerate(going):
        position = {"section": None, "parent": None, "position": end + index} if keeps else {}
        yield {"op": "move" if keeps else "delete", "task": task.id, **position}
    yield {"op": "section-delete", "section": section.id}


RULES = {"move": move, "create": create, "update": update, "collapse": collapse, "delete": delete}
RULES |= {"list": change_settings, "section-create": create_section, "section-update": update_section}
RULES |= {"section-move": move_section, "section-delete": delete_section}


def destination(tasks: TaskList, to: dict, roots: list[Node]) -> tuple[Node, int] | None:
    """The new parent, and the position among the tasks that stay there. None: the tasks keep their places."""
    anchors = [tasks.tasks.get(to.get(name)) for name in ("after", "before")]
    after, before = (anchor if anchor and not is_in(roots, anchor) else None for anchor in anchors)
    has_parent = to.get("parent") is not None
    named = tasks.tasks.get(to["parent"]) if has_parent else tasks.section(to["section"]) if "section" in to else None
    if after and before and named and before.parent is named and after.parent is not named:
        after = None
    if anchor := after or before:
        staying = [task for task in anchor.parent.children if task not in roots]
        return anchor.parent, staying.index(anchor) + (anchor is after)
    parent = named
    if not has_parent and "section" not in to and ("parent" in to or "position" in to):
        # The top level of the section of the first moved task, or the place of the first one with the lowest level.
        outermost = min(roots, key=lambda root: len(root.above), default=None)
        parent = tasks.sections[0] if not roots else roots[0].above[-1] if "parent" in to else outermost.parent
    if parent and not is_in(roots, parent):
        end = sum(task not in roots for task in parent.children)
        return parent, min(to.get("position", end), end)
    inside = anchors[0] or anchors[1]
    refuse_if("cycle", inside not in roots if inside else parent is not None)
    refuse_if("anchor_gone", inside is None)
    return None


def check_arrival(tasks: TaskList, parent: Node, arrived: list[Node], roots: list[Node], op: dict) -> None:
    """The limits, which let a list keep what goes beyond them already, and undos put back, and then the first rows."""
    depth = len(parent.above)
    levels = [1 + max(len(task.above) for task in root.subtree) - len(root.above) for root in roots]
    refuse_if("depth_limit", any(depth + count > MAXIMUM_LEVELS for count in levels))
    most = tasks.settings["maxDepth"] or MAXIMUM_LEVELS
    for root, count in zip(roots, levels):
        is_deeper = root.id not in tasks.tasks or depth > len(root.above) - 1
        refuse_if("max_depth", is_deeper and depth + count > most and not op.get("undo"))
    name, code = ("tasksPerParent", "parent_full") if parent.parent else ("maxTasksPerSection", "section_full")
    limit = parent.own.get("maxTasks") or tasks.settings[name]
    is_over = None not in (limit, parent.id) and len(arrived) > max(limit or 0, len(parent.children))
    refuse_if(code, is_over and not op.get("undo"))
    rows = [row for row in top_level(tasks) if row[1] not in roots]
    if parent in tasks.sections:
        at = [row[0] for row in rows if tasks.sections.index(row[0]) < tasks.sections.index(parent)]
        rows = rows[: len(at)] + [(parent, task) for task in arrived] + [row for row in rows[len(at) :] if row[0] is not parent]
    check_first_rows(tasks, rows)


def top_level(tasks: TaskList) -> list[tuple[Node, Node]]:
    return [(section, task) for section in tasks.sections for task in section.children]


def check_first_rows(tasks: TaskList, new: list[tuple[Node, Node]]) -> None:
    """The top-level tasks that `elementsOffset` locks keep their places."""
    locked = top_level(tasks)[: tasks.settings["elementsOffset"]]
    refuse_if("locked", new[: len(locked)] != locked)


def is_locked(tasks: TaskList, task: Node) -> bool:
    return task.own["locked"] or (task.parent, task) in top_level(tasks)[: tasks.settings["elementsOffset"]]


def is_in(roots: list[Node], node: Node) -> bool:
    return any(one in roots for one in [node, *node.above])


def refuse_if(code: str, is_refused: Any) -> None:
    if is_refused:
        raise Refused(code)


def existing(tasks: TaskList, task: str | None) -> Node:
    refuse_if("task_not_found", task not in tasks.tasks)
    return tasks.tasks[task]


def existing_section(tasks: TaskList, name: str) -> Node:
    refuse_if("section_not_found", name is None or tasks.section(name) is None)
    return tasks.section(name)


def differing(current: dict, new: dict) -> dict:
    """The values of an update that are not the current ones; `data` is a patch in the update, and complete in the result."""
    new = {**new, "data": merged(current["data"], new["data"])} if "data" in new else new
    return {name: value for name, value in new.items() if value != current[name]}


def merged(value: Any, patch: Any) -> Any:
    """A merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for name, part in patch.items():
        result[name] = merged(result.get(name), part)
    return {name: part for name, part in result.items() if name not in patch or patch[name] is not None}
