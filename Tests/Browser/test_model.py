"""Compares the client's model with the server: the same steps must have the same operations or refusals."""

import random

STEPS = 5_000

# Does the same steps with the client's model and, in batches, with the server. For each step both must have the same refusal,
# or the same operations in normal form.
RUN = """async ([list, steps]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { List, Refusal, operationsOf, perform, takeBack } = await import(folder + "client.js");
    const get = async (path) => (await fetch(path)).json();
    const plain = (model) => {
        const tasks = [];
        for (const row of model.containers.flatMap((section) => walk(section, section.id, null))) tasks.push(row);
        return normal([model.settings, model.sections.map(({ id, title, data }) => [id, title, data ?? null]), tasks]);
    };
    const walk = (node, section, parent) => node.children.flatMap((task) => [
        [task.id, task.title, section, parent, task.collapsed, task.locked, task.done, task.data ?? null],
        ...walk(task, section, task.id)]);
    // An operation with its members in one order, without the values that a new task has by default, and without its derived values.
    const times = ["createdAt", "updatedAt", "completedAt", "createdBy", "updatedBy", "completedBy"];
    const derived = ["depth", "row", "subtasks", ...times];
    // Everything that changes give a copy: the list as above, its times, and the times and data of its tasks.
    const complete = (copy) => [plain(copy), JSON.stringify([copy.times, [...copy.tasks.values()]
        .map((task) => [task.id, task.data ?? null, ...times.map((name) => task[name] ?? null)])
        .sort(([one], [other]) => (one < other ? -1 : 1))])].join("\\n");
    // Deletions of the server also have the titles of what went.
    const normal = (operation) =>
        JSON.stringify(sorted(operation.op?.endsWith("delete") ? { ...operation, title: undefined } : operation));
    const sorted = (value) => value !== null && typeof value === "object"
        ? Object.keys(value).sort().filter((key) => value[key] !== undefined && value[key] !== false && !derived.includes(key))
            .map((key) => [key, sorted(value[key])]) : value;
    const text = (operations) => operations.map(normal).join("\\n");
    const start = await get(`/lists/${list}`);
    const model = new List(start);
    const copy = new List(start);
    const recorded = [];
    const { apply } = List.prototype;
    model.apply = (operation) => { recorded.push(structuredClone(operation)); return apply.call(model, operation); };
    const codes = {};
    let [undone, notUndone] = [0, 0];
    const batch = 250;
    for (let first = 0; first < steps.length; first += batch) {
        const expected = [];
        const some = steps.slice(first, first + batch);
        for (const step of some) {
            const before = plain(model);
            let code = null, back = [], undo = [];
            recorded.length = 0;
            try {
                ({ back, undo } = perform(model, step));
            } catch (error) {
                if (!(error instanceof Refusal)) throw error;
                code = error.code;
                codes[code] = (codes[code] ?? 0) + 1;
            }
            const forward = code ? [] : recorded.slice();
            const after = plain(model);
            takeBack(model, back);
            if (plain(model) !== before) return `${JSON.stringify(step)} is not taken back`;
            if (!code) perform(model, step);
            if (plain(model) !== after) return `${JSON.stringify(step)} is not done again`;
            // The steps that undo it have the same effect, or the rules forbid them.
            try {
                const { back: again } = perform(model, { kind: "group", steps: undo }, true);
                if (plain(model) !== before) return `${JSON.stringify(step)} is not undone by ${JSON.stringify(undo)}`;
                takeBack(model, again);
                undone += 1;
            } catch (error) {
                if (!(error instanceof Refusal)) throw error;
                notUndone += 1;
            }
            if (plain(model) !== after) return `${JSON.stringify(step)}: the undo is not taken back`;
            expected.push({ step, code, forward, before });
        }
        const { version, epoch } = await get(`/lists/${list}`);
        const answer = await fetch(`/lists/${list}/batch`, { method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ atomic: false, ops: some.flatMap(operationsOf) }) });
        const { results } = await answer.json();
        for (const [index, { step, code, before }] of expected.entries()) {
            const theirs = results[index].problem?.code ?? null;
            if (theirs !== code) return `${JSON.stringify(step)}: ${code} in the client, ${theirs} on the server\\n${before}`;
        }
        const { changes } = await get(`/lists/${list}/changes?since=${version}-${epoch}`);
        const ours = expected.flatMap(({ forward }) => forward);
        const theirs = changes.flatMap(({ ops }) => ops);
        for (let index = 0; index < Math.max(ours.length, theirs.length); index += 1) {
            if (!ours[index] || !theirs[index] || normal(ours[index]) !== normal(theirs[index])) {
                let left = index;
                const { step, forward, before } = expected.find((one) => (left -= one.forward.length) < 0) ?? {};
                return `${JSON.stringify(step)}: ${text(forward ?? [])}\\nbut operation ${index} of the server is ` +
                    `${theirs[index] && normal(theirs[index])}\\n${before}`;
            }
        }
        for (const { at, by, ops } of changes) for (const operation of ops) copy.applyAt(operation, at, by);
        const server = new List(await get(`/lists/${list}`));
        if (complete(copy) !== complete(server)) return `the changes give another list\\n${complete(copy)}\\n${complete(server)}`;
        if (complete(new List(copy.document)) !== complete(copy)) return "a stored document is another list";
        if (plain(server) !== plain(model)) return `other lists after ${first + batch} steps\\n${plain(model)}\\n${plain(server)}`;
    }
    return { codes, undone, notUndone };
}"""


def limits(chance):
    """Sets or removes a limit, which can be less than what the list has."""
    name = chance.choice(["maxDepth", "maxTasksPerSection", "tasksPerParent"])
    return {name: chance.choice([None, None, *range(1, 5)])}


def data(chance):
    """A patch of data: a value, or members that are added, changed and removed."""
    return chance.choice([None, 1, [{"a": None}], {}, {"a": chance.randrange(3)}, {"a": None}, {"b": {"c": chance.randrange(2)}},
                          {"b": {"c": None, "d": [1]}}, {"a": [], "b": None}])


def steps(chance, list_id):
    """Random steps on tasks and sections that exist, were deleted, or never existed."""
    tasks = [f"{list_id}-{number}" for number in range(12)]
    sections = ["s0", "s1", "s2", "gone"]
    task = lambda: chance.choice([*tasks, "gone"]) if chance.random() < 0.97 else "never"

    def destination():
        to = {}
        if chance.random() < 0.5:
            to["after"] = task()
        if chance.random() < 0.4:
            to["before"] = task()
        if chance.random() < 0.5:
            to["parent"] = chance.choice([task(), task(), None])
        if "parent" not in to and chance.random() < 0.5:
            to["section"] = chance.choice([*sections, None])
        if chance.random() < 0.5 or not to:
            to["position"] = chance.randrange(6)
        return to

    # A chain that reaches the last level, and moves into it.
    deep = [f"{list_id}-deep{level}" for level in range(18)]
    for above, made in zip([None, *deep], deep):
        yield {"kind": "create", "task": {"id": made, "title": made}, "to": {"parent": above}}
    for _ in range(100):
        yield {"kind": "move", "tasks": [task()], "to": {"parent": chance.choice(deep)}}
    for number in range(STEPS):
        kind = chance.choices(
            ["move", "create", "collapse", "update", "delete", "section-move", "section-create",
             "section-delete", "section-rename", "list"], [50, 12, 8, 6, 4, 6, 2, 2, 2, 6])[0]
        if kind == "move":
            yield {"kind": kind, "tasks": list(dict.fromkeys(task() for _ in range(chance.choice([1, 1, 2, 3])))),
                   "to": destination()}
        elif kind == "create":
            made = f"{list_id}-{chance.choice([number + 12, chance.randrange(12)])}"
            tasks.append(made)
            yield {"kind": kind, "task": {"id": made, "title": f"made {number}"}, "to": destination()}
        elif kind == "collapse":
            yield {"kind": kind, "task": task(), "collapsed": chance.random() < 0.5}
        elif kind == "update":
            yield {"kind": kind, "task": task(), "set": chance.choice(
                [{"title": f"t{number}"}, {"done": True}, {"done": False}, {"data": data(chance)}, {"data": data(chance)}, {"locked": True}, {"locked": False}, {"locked": False}])}
        elif kind == "delete":
            yield {"kind": kind, "tasks": [task()]}
        elif kind == "section-move":
            yield {"kind": kind, "section": chance.choice(sections), "position": chance.randrange(4)}
        elif kind == "section-create":
            yield {"kind": kind, "section": chance.choice(sections), "title": "new", "position": chance.randrange(4),
                   "data": chance.choice([None, [number]])}
        elif kind == "section-rename":
            yield {"kind": kind, "section": chance.choice(sections)} | chance.choice(
                [{"title": f"s{number}"}, {"data": data(chance)}, {"title": "s", "data": data(chance)}])
        elif kind == "section-delete":
            yield {"kind": kind, "section": chance.choice(sections)}
        else:
            yield {"kind": kind, "set": chance.choice(
                [{"elementsOffset": chance.randrange(3)}, {"collapseSubElements": chance.random() < 0.5},
                 {"moves": "siblings"}, {"moves": "anywhere"}, {"moves": "anywhere"}, limits(chance), limits(chance),
                 {"data": data(chance)}])}


def the_model_has_the_same_operations_and_refusals_as_the_server(server, open_window):
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    chain = "\n".join("  " * (number % 3) + str(number) for number in range(12))
    server.make("model", f"{chain}\n# s0\n# s1\n# s2")
    window = open_window("demo")
    window.expected = (*window.expected, "status of 4")
    result = window.page.evaluate(RUN, ["model", list(steps(chance, "model"))])
    assert not isinstance(result, str), f"seed {seed}: {result}"
    refused = sum(result["codes"].values())
    assert STEPS / 20 < refused < STEPS * 0.9, f"seed {seed}: {refused} refusals are too many or too few"
    missing = {"anchor_gone", "cycle", "depth_limit", "id_taken", "locked", "max_depth", "not_siblings", "parent_full",
               "section_full", "section_not_found", "task_not_found"} - set(result["codes"])
    assert not missing, f"seed {seed}: no step was refused with {missing}"
    assert result["notUndone"] < result["undone"] / 10, f"seed {seed}: {result}"


# Drops rows with the client's model, and makes the same moves with the server. Both must have the same list or the same refusal.
DROP = """async ([list, drops]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { List, Refusal, perform } = await import(folder + "client.js");
    const { destinationOf, tasksOf } = await import(folder + "drops.js");
    const { visibleRows } = await import(folder + "visible-rows.js");
    const get = async () => new List(await (await fetch(`/lists/${list}`)).json());
    const places = (model) => JSON.stringify(model.containers.flatMap(function walk(node) {
        return node.children.flatMap((task) => [[task.id, task.parent.id, task.collapsed], ...walk(task)]); }));
    const codes = {};
    let model = await get();
    for (const { subject, place, other } of drops) {
        const rows = visibleRows(model);
        const before = places(model);
        let code = null;
        try {
            const tasks = tasksOf(rows, { ...subject, row: subject.fromRow, rows: subject.fromRows });
            const to = destinationOf(model, rows, tasks, place);
            perform(model, { kind: "move", tasks, to });
        } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            code = error.code;
        }
        codes[code] = (codes[code] ?? 0) + 1;
        const answer = await fetch(`/lists/${list}/batch`, { method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ atomic: false, ops: [{ op: "move", ...subject, ...place }, ...other] }) });
        const { results, detail } = await answer.json();
        const what = JSON.stringify([subject, place]);
        if (!results) return `${what}: ${detail}`;
        const theirs = results[0].problem?.code ?? null;
        if (theirs !== code) return `${what}: ${code} in the client, ${theirs} on the server\\n${before}`;
        const ours = places(model);
        model = await get();
        if (other.length === 0 && places(model) !== ours)
            return `${what} of\\n${before}\\nis ${ours}\\nin the client, and on the server\\n${places(model)}`;
    }
    return codes;
}"""

DROPS = 600


def drops_have_the_same_results_as_the_servers_moves_of_rows(server, open_window):
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    server.make("drops", """
t0
t1
  t2
    t3
t4 +
  t5
# s0
t6
t7 !
  t8
# s1
# s2
t9
  t10
t11""", elementsOffset=1)

    def other():
        """Sometimes also folds a task, or changes a setting."""
        if chance.random() < 0.7:
            return []
        return [chance.choice([
            {"op": "collapse", "task": f"drops-t{chance.randrange(12)}", "collapsed": chance.random() < 0.5},
            {"op": "list", "set": {"collapseSubElements": chance.random() < 0.3}},
            {"op": "list", "set": limits(chance)},
            {"op": "list", "set": {"moves": chance.choice(["siblings", "anywhere", "anywhere"])}}])]

    task = lambda: f"drops-t{chance.randrange(12)}"
    section = lambda: chance.choice([None, "s0", "s1", "s2"])

    def drop():
        row = chance.randrange(8)
        subject = chance.choice([
            {"fromRow": row}, {"fromRow": row}, {"task": task()}, {"tasks": list({task(), task()})},
            {"fromRows": list({row, chance.randrange(8)})}])
        # Often its own row, or the next one.
        to = chance.choice([row, row + 1, chance.randrange(14)])
        place = chance.choice([
            {"toRow": to}, {"toRow": to}, {"toRow": to, "section": section()}, {"toOffset": to},
            {"to": {"section": chance.choice([section(), section(), "gone"]), "row": chance.randrange(5)}}])
        if chance.random() < 0.3:
            place |= {"level": chance.randrange(4)}
        return {"subject": subject, "place": place, "other": other()}

    drops = [drop() for _ in range(DROPS)]
    result = open_window("demo").page.evaluate(DROP, ["drops", drops])
    assert not isinstance(result, str), f"seed {seed}: {result}"
    missing = {"anchor_gone", "level_not_possible", "locked", "not_siblings"} - set(result)
    assert not missing, f"seed {seed}: no drop was refused with {missing}: {result}"
    assert result["null"] > DROPS / 5, f"seed {seed}: {result}"
