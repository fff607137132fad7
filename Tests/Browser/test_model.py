"""Compares the page's model with the server: the same requests must have the same result or refusal."""

import random

REQUESTS = 400

RUN = """async ([list, steps]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { List } = await import(folder + "list.js");
    const { perform, request, takeBack } = await import(folder + "steps.js");
    const { Refusal } = await import(folder + "rules.js");
    const get = async () => (await fetch(`/lists/${list}`)).json();
    const plain = (model) => {
        const tasks = [];
        for (const row of model.containers.flatMap((section) => walk(section, section.id, null))) tasks.push(row);
        return JSON.stringify([model.settings, model.sections.map(({ id, title }) => [id, title]), tasks]);
    };
    const walk = (node, section, parent) => node.children.flatMap((task) => [
        [task.id, task.title, section, parent, task.collapsed, task.locked, task.done],
        ...walk(task, section, task.id)]);
    let model = new List(await get());
    let refused = 0;
    for (const step of steps) {
        const before = plain(model);
        let code = null, back = [];
        try {
            back = perform(model, step);
        } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            code = error.code;
            refused += 1;
        }
        const after = plain(model);
        takeBack(model, back);
        if (plain(model) !== before) return `${JSON.stringify(step)} is not undone`;
        perform(model, code ? { kind: "undo" } : step);
        if (plain(model) !== after) return `${JSON.stringify(step)} is not done again`;
        const { method, path, body } = request(list, step);
        const answer = await fetch(path, { method, body: body && JSON.stringify(body),
            headers: body ? { "Content-Type": "application/json" } : {} });
        const serverCode = answer.ok ? null : (await answer.json()).code;
        if (serverCode !== code) return `${JSON.stringify(step)}: ${code} in the page, ${serverCode} on the server\\n${before}`;
        const server = new List(await get());
        if (plain(server) !== after) return `${JSON.stringify(step)}\\n${before}\\n${after}\\n${plain(server)}`;
    }
    return `refused ${refused}`;
}"""


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

    for number in range(REQUESTS):
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
                [{"title": f"t{number}"}, {"done": True}, {"locked": True}, {"locked": False}, {"locked": False}])}
        elif kind == "delete":
            yield {"kind": kind, "tasks": [task()]}
        elif kind == "section-move":
            yield {"kind": kind, "section": chance.choice(sections), "position": chance.randrange(4)}
        elif kind == "section-create":
            yield {"kind": kind, "section": chance.choice(sections), "title": "new", "position": chance.randrange(4)}
        elif kind == "section-rename":
            yield {"kind": kind, "section": chance.choice(sections), "title": f"s{number}"}
        elif kind == "section-delete":
            yield {"kind": kind, "section": chance.choice(sections)}
        else:
            yield {"kind": kind, "set": chance.choice(
                [{"elementsOffset": chance.randrange(3)}, {"collapseSubElements": chance.random() < 0.5},
                 {"moves": "siblings"}, {"moves": "anywhere"}, {"moves": "anywhere"}])}


def the_model_accepts_and_refuses_the_same_moves_as_the_server(server, open_window):
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    server.make("model", """
0
  1
    2
# s0
3
  4
5
# s1
6
  7
  8
9
# s2
10
11
""")
    window = open_window("demo")
    window.expected = (*window.expected, "status of 4")
    result = window.page.evaluate(RUN, ["model", list(steps(chance, "model"))])
    assert result.startswith("refused "), f"seed {seed}: {result}"
    refused = int(result.split()[1])
    assert REQUESTS / 20 < refused < REQUESTS * 0.9, f"seed {seed}: {refused} refusals are too many or too few"


TESTS = [the_model_accepts_and_refuses_the_same_moves_as_the_server]
