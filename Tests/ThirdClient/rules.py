"""What comes of a step of the person: the rules of docs/sync.md."""

from collections.abc import Iterable

from task_list import MAXIMUM_LEVELS, TASK_FLAGS, Node, Refused, TaskList, merged


def perform(before: TaskList, step: list[dict]) -> tuple[TaskList, list[dict]]:
    """The list after a step, and the operations of the change that the step makes.

    Raises `Refused`, whose `at` is the index of the refused operation. Then nothing of the step is applied.
    """
    after = before.copy()
    changes: list[dict] = []
    for index, op in enumerate(step):
        try:
            for change in RULES[op["op"]](after, op):
                after.apply(change)
                changes.append(change)
        except Refused as refused:
            refused.at = index
            raise
    return after, changes


# Each rule checks an operation, and yields the operations of a change. Each of them is applied before the next one is made.


def move(tasks: TaskList, op: dict) -> Iterable[dict]:
    named = [existing(tasks, task) for task in op.get("tasks", [op.get("task")])]
    roots = [task for task in named if not any(above in named for above in task.above)]
    found = destination(tasks, op, roots)
    if any(is_locked(tasks, root) for root in roots):
        raise Refused("locked")
    if found is None:
        return
    parent, position = found
    staying = [task for task in parent.children if task not in roots]
    arrived = [*staying[:position], *roots, *staying[position:]]
    if tasks.settings["moves"] == "siblings" and any(root.parent is not parent for root in roots):
        raise Refused("not_siblings")
    check_limits(tasks, parent, arrived, roots)
    check_locked(tasks, {parent: arrived}, roots)
    if arrived == parent.children:
        return
    if tasks.settings["collapseSubElements"]:
        for root in roots:
            hidden = any(above.collapsed for above in root.above)
            if root.children and not root.collapsed and not hidden:
                yield {"op": "collapse", "task": root.id, "collapsed": True}
    previous = staying[position - 1] if position > 0 else None
    for root in roots:
        others = [task for task in parent.children if task is not root]
        place = others.index(previous) + 1 if previous else 0
        if root.parent is not parent or parent.children.index(root) != place:
            yield {"op": "move", "task": root.id, **place_in(parent), "position": place}
        previous = root


def create(tasks: TaskList, op: dict) -> Iterable[dict]:
    if op["id"] in tasks.tasks:
        raise Refused("id_taken")
    has_place = any(name in op for name in ("after", "before", "parent", "section", "position"))
    parent, position = destination(tasks, op if has_place else {"section": None}, [])
    task = Node(op["id"], op["title"], op.get("data"), parent)
    arrived = [*parent.children[:position], task, *parent.children[position:]]
    check_limits(tasks, parent, arrived, [task])
    check_locked(tasks, {parent: arrived}, [])
    content = {name: op.get(name, False) for name in TASK_FLAGS}
    if op.get("data") is not None:
        content["data"] = op["data"]
    insert = {"id": op["id"], "title": op["title"], **content, **place_in(parent), "position": position}
    yield {"op": "insert", "task": insert}


def update(tasks: TaskList, op: dict) -> Iterable[dict]:
    task = existing(tasks, op["task"])
    changed = differing({name: getattr(task, name) for name in ("title", "done", "locked", "data")}, op["set"])
    if changed:
        yield {"op": "update", "task": op["task"], "set": changed}


def collapse(tasks: TaskList, op: dict) -> Iterable[dict]:
    collapsed = op.get("collapsed", True)
    if existing(tasks, op["task"]).collapsed != collapsed:
        yield {"op": "collapse", "task": op["task"], "collapsed": collapsed}


def delete(tasks: TaskList, op: dict) -> Iterable[dict]:
    if any(is_locked(tasks, task) for task in existing(tasks, op["task"]).subtree):
        raise Refused("locked")
    yield {"op": "delete", "task": op["task"]}


def change_settings(tasks: TaskList, op: dict) -> Iterable[dict]:
    changed = differing(tasks.settings, op["set"])
    if changed:
        yield {"op": "list", "set": changed}


def create_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    if tasks.section(op["section"]):
        raise Refused("id_taken")
    position = min(op.get("position", len(tasks.sections)), len(tasks.sections) - 1)
    data = {} if op.get("data") is None else {"data": op["data"]}
    yield {"op": "section-insert", "section": op["section"], "title": op["title"], "position": position, **data}


def update_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    section = existing_section(tasks, op["section"])
    new = {name: op[name] for name in ("title", "data") if name in op}
    changed = differing({"title": section.title, "data": section.data}, new)
    if changed:
        yield {"op": "section-update", "section": section.id, "title": section.title, **changed}


def move_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    section = existing_section(tasks, op["section"])
    others = [other for other in tasks.sections if other is not section]
    position = min(op["position"], len(others) - 1)
    others.insert(position + 1, section)
    check_locked(tasks, {}, [], others)
    if others != tasks.sections:
        yield {"op": "section-move", "section": section.id, "position": position}


def delete_section(tasks: TaskList, op: dict) -> Iterable[dict]:
    section = existing_section(tasks, op["section"])
    keeps = op.get("tasks", "keep") == "keep"
    going = section.children if keeps else section.subtree[1:]
    if any(is_locked(tasks, task) for task in going):
        raise Refused("locked")
    without = tasks.sections[0]
    end = len(without.children)
    if keeps:
        check_locked(tasks, {without: without.children + section.children, section: []}, [])
    for index, task in enumerate(list(section.children)):
        if keeps:
            yield {"op": "move", "task": task.id, "section": None, "parent": None, "position": end + index}
        else:
            yield {"op": "delete", "task": task.id}
    yield {"op": "section-delete", "section": section.id}


RULES = {
    "move": move,
    "create": create,
    "update": update,
    "collapse": collapse,
    "delete": delete,
    "list": change_settings,
    "section-create": create_section,
    "section-update": update_section,
    "section-move": move_section,
    "section-delete": delete_section,
}


def destination(tasks: TaskList, to: dict, roots: list[Node]) -> tuple[Node, int] | None:
    """The new parent, and the position among the tasks that stay there. None: the tasks keep their place."""

    def carried(node: Node | None) -> bool:
        return node is not None and any(other in roots for other in [node, *node.above])

    anchors = [tasks.tasks.get(to.get(name)) for name in ("after", "before")]
    after, before = (None if carried(anchor) else anchor for anchor in anchors)
    named = None
    if to.get("parent") is not None:
        named = tasks.tasks.get(to["parent"])
    elif "section" in to:
        named = tasks.section(to["section"])
    if after and before and named and before.parent is named and after.parent is not named:
        after = None
    if anchor := after or before:
        staying = [task for task in anchor.parent.children if task not in roots]
        return anchor.parent, staying.index(anchor) + (1 if after else 0)

    parent = named
    if to.get("parent") is None and "section" not in to:
        without = tasks.sections[0]
        if "parent" in to:
            parent = roots[0].section if roots else without
        elif "position" in to:
            parent = roots[0].parent if roots else without
    if parent and not carried(parent):
        end = sum(task not in roots for task in parent.children)
        return parent, min(to.get("position", end), end)
    inside = next((anchor for anchor in anchors if anchor), None)
    if inside is None:
        raise Refused("cycle" if parent else "anchor_gone")
    if inside not in roots:
        raise Refused("cycle")
    return None


def check_limits(tasks: TaskList, parent: Node, arrived: list[Node], roots: list[Node]) -> None:
    """Limits refuse what goes beyond them. Where a list is beyond a limit already, they refuse what adds to that."""
    depth = 0 if parent.is_section else len(parent.above)
    if any(depth + root.levels > MAXIMUM_LEVELS for root in roots):
        raise Refused("depth_limit")
    limit = tasks.settings["maxDepth"]
    if limit is not None:
        for root in roots:
            was = len(root.above) - 1 if root.id in tasks.tasks else -1
            if depth + root.levels > limit and depth > was:
                raise Refused("max_depth")
    name, code = ("maxTasksPerSection", "section_full") if parent.is_section else ("tasksPerParent", "parent_full")
    limit = None if parent.id is None else tasks.settings[name]
    if limit is not None and len(arrived) > max(limit, len(parent.children)):
        raise Refused(code)


def check_locked(
    tasks: TaskList, changed: dict[Node, list[Node]], roots: list[Node], sections: list[Node] | None = None
) -> None:
    """The rows that `elementsOffset` locks stay where they are. `changed` has the new tasks of some sections."""
    locked = top_level(tasks)[: tasks.settings["elementsOffset"]]
    after = [
        (section, task)
        for section in sections or tasks.sections
        for task in changed.get(section, [task for task in section.children if task not in roots])
    ]
    if after[: len(locked)] != locked:
        raise Refused("locked")


def top_level(tasks: TaskList) -> list[tuple[Node, Node]]:
    return [(section, task) for section in tasks.sections for task in section.children]


def is_locked(tasks: TaskList, task: Node) -> bool:
    return task.locked or (task.section, task) in top_level(tasks)[: tasks.settings["elementsOffset"]]


def existing(tasks: TaskList, task: str | None) -> Node:
    if task not in tasks.tasks:
        raise Refused("task_not_found")
    return tasks.tasks[task]


def existing_section(tasks: TaskList, name: str) -> Node:
    section = tasks.section(name)
    if section is None or name is None:
        raise Refused("section_not_found")
    return section


def place_in(parent: Node) -> dict:
    return {"section": parent.section.id, "parent": None if parent.is_section else parent.id}


def differing(current: dict, new: dict) -> dict:
    """The values of an update that differ from the current ones. `data` is a patch in the update, and complete in the result."""
    if "data" in new:
        new = {**new, "data": merged(current["data"], new["data"])}
    return {name: value for name, value in new.items() if value != current[name]}

