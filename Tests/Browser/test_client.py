"""The JavaScript client, as pages of other origins use it, and many clients on a bad network."""

import json
import random
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from page_server import eventually
from playwright.sync_api import Error
from window import TYPES

DOCUMENT = Path(__file__).parents[2] / "docs/clients/javascript.md"


@contextmanager
def app(server, open_window, code, files=None, **options):
    """Serves an app's page, and its other files by their names, at another origin. Yields a window that can open it, and the page's
    address."""
    page = code.replace("http://127.0.0.1:8080", server.url)
    contents = {"": page, **(files or {})}

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path[1:]
            self.send_response(200 if name in contents else 204)
            self.send_header("Content-Type", TYPES[Path(name).suffix or ".html"])
            self.end_headers()
            self.wfile.write(contents.get(name, "").encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as pages:
        url = f"http://127.0.0.1:{pages.server_port}"
        server.restart("--cors-origin", url)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        window = open_window(None, **options)
        window.allowed = (url,)
        try:
            yield window, url
        finally:
            pages.shutdown()


def the_example_app_works_on_another_origin(server, open_window):
    code = re.search(r"```html\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[1]
    assert len(code.split('module">')[1].splitlines()) <= 32, "the document promises a short app"
    with app(server, open_window, code) as (window, url):
        server.make("groceries", "milk\nfruit\n  apples\nbread")
        window.page.goto(url)
        rows = window.page.locator("li")
        shown = lambda: rows.all_text_contents()
        eventually(lambda: shown() == ["milk", "fruit", "apples", "bread"], shown)
        rows.nth(0).drag_to(rows.nth(3), target_position={"x": 60, "y": 15})
        eventually(lambda: server.outline("groceries") == "fruit\n  apples\nbread\nmilk",
                   lambda: server.outline("groceries"))
        window.page.locator("input").fill("tea")
        window.press("Enter")
        eventually(lambda: shown()[-1] == "tea", shown)
        server.send("PATCH", "/tasks/groceries-milk", {"title": "oat milk"})
        eventually(lambda: shown() == ["fruit", "apples", "bread", "oat milk", "tea"], shown)
        for _ in range(2):
            window.page.locator("#undo").click()
        eventually(lambda: shown() == ["oat milk", "fruit", "apples", "bread"], shown)
        eventually(lambda: server.outline("groceries") == "oat milk\nfruit\n  apples\nbread",
                   lambda: server.outline("groceries"))
        eventually(lambda: window.page.locator("#state").text_content() == "live, 0 waiting", "all is sent")


# Rows are compared by their values, and by identity: those that did not change are the same objects. The delta leads from the
# rows before a change to those after it.
SUBSCRIBER = """async (list) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    window.mine = await connect({ storage: "memory", clientID: "subscriber" }).open(list);
    window.faults = [];
    let before = null;
    window.mine.subscribe(({ rows, delta }) => {
        if (before) {
            const made = before.slice();
            const taken = new Set(delta.moved.map(({ from }) => from));
            const left = made.filter((row, index) => !delta.removed.includes(index) && !taken.has(index));
            const placed = [...delta.inserted, ...delta.moved.map(({ to }) => to)].sort((one, other) => one - other);
            for (const index of placed) left.splice(index, 0, rows[index]);
            const same = left.map(({ id }) => id).join() === rows.map(({ id }) => id).join();
            const changed = rows.flatMap((row, index) => left[index] === row ? [] : [index]);
            const wrong = changed.some((index) => !delta.changed.includes(index));
            if (!same || wrong || delta.removed.length + delta.moved.length > before.length)
                window.faults.push(JSON.stringify({ delta, before, rows }));
        }
        if (rows !== window.mine.rows || !Object.isFrozen(rows)) window.faults.push("other rows");
        before = rows;
    });
}"""


def rows_and_deltas_describe_each_change(server, open_window):
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    server.make("deltas", "\n".join(f"t{number}" for number in range(12)))
    window = open_window("demo")
    window.page.evaluate(SUBSCRIBER, "deltas")
    tasks = [f"deltas-t{number}" for number in range(12)]
    for number in range(80):
        task, other = chance.sample(tasks, 2)
        kind = chance.choice(["move", "move", "move", "nest", "update", "collapse", "create", "delete"])
        window.page.evaluate("""([kind, task, other, made]) => {
            const { mine } = window;
            if (kind === "move") mine.move(task, { before: other });
            if (kind === "nest") mine.move([task], { parent: other });
            if (kind === "update") mine.update(task, { title: made });
            if (kind === "collapse") mine.collapse(task, !mine.tree.tasks.get(task)?.collapsed);
            if (kind === "create") mine.create({ id: made, title: made }, { after: task });
            if (kind === "delete" && mine.rows.length > 6) mine.delete(task);
        }""", [kind, task, other, f"deltas-n{number}"])
        if kind == "create":
            tasks.append(f"deltas-n{number}")
    eventually(lambda: window.page.evaluate("window.mine.waiting") == 0, "all is sent")
    window.page.evaluate("""() => { const { mine } = window; mine.drop({ row: 0, toRow: mine.rows.length - 1 }) }""")
    faults = window.page.evaluate("window.faults")
    assert not faults, f"seed {seed}: {faults[0]}"
    titles = lambda: [task["title"] for task in server.send("GET", "/lists/deltas")["tasks"] if task["row"] is not None]
    shown = lambda: window.page.evaluate("window.mine.rows.map(({ title }) => title)")
    eventually(lambda: titles() == shown(), lambda: f"seed {seed}: {titles()}\n{shown()}")


LONG = """async ([list, count]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    window.mine = await connect({ storage: "memory", clientID: "long" }).open(list);
    for (let number = 0; number < count; number += 1) window.mine.create({ title: `${number} `.padEnd(200, "x") });
}"""


def a_batch_that_is_too_large_is_sent_in_parts(server, open_window):
    server.restart("--max-body-bytes", "32768")
    server.make("large", "a")
    window = open_window("demo")
    window.expected = ("status of 413", "ERR_FAILED", "ERR_CONNECTION")
    window.page.evaluate(LONG, ["large", 600])
    titles = lambda: [task["title"].strip("x ") for task in server.send("GET", "/lists/large")["tasks"]]
    eventually(lambda: titles() == ["a", *map(str, range(600))], titles)
    eventually(lambda: window.page.evaluate("window.mine.waiting") == 0, "all is sent")


SEARCH = """async ([text, options]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    const found = await connect({ storage: "memory", clientID: "finder" }).search(text, options);
    return found.map(({ list, title }) => [list, title]);
}"""


def a_search_finds_tasks_of_all_lists(server, open_window):
    window = open_window("demo")
    # More lists than one page of a search examines.
    names = [f"found{number:03}" for number in range(102)]
    for name in names:
        server.make(name, "a")
    for name in names[1::50]:
        server.send("PATCH", f"/tasks/{name}-a", {"title": "Çay & sugar"})
    found = lambda *arguments: window.page.evaluate(SEARCH, arguments)
    wanted = [[name, "Çay & sugar"] for name in names[1::50]]
    assert len(wanted) == 3 and found("çay & S", {}) == wanted
    assert found("ÇAY", {"limit": 2}) == wanted[:2]
    assert found("çay", {"done": True}) == []
    assert found("cay", {"done": False}) == wanted


# Two clients of one list, one of them with the folds of a person. More would need more than the six connections of a browser.
FOLDING = """async (list) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    const open = (folds) => connect({ storage: "memory", folds }).open(list);
    window.folding = [await open("folds-alice"), await open()];
}"""

ROWS = "() => window.folding.map(({ rows }) => rows.map(({ id }) => id.slice(8)).join(' '))"


def one_person_folds_for_herself(server, open_window):
    server.make("folding", "a\n  a1\n  a2\nb")
    window = open_window("demo", viewport=NARROW)
    window.expected = ("status of 404",)  # The list of folds does not exist yet.
    window.page.evaluate(FOLDING, "folding")
    rows = lambda: window.page.evaluate(ROWS)
    act = lambda code: window.page.evaluate(f"() => {{ const [alice, plain] = folding; return {code}; }}")
    assert rows() == ["a a1 a2 b"] * 2
    eventually(lambda: act("alice.collapse('folding-a')"), "the folds are loaded")
    assert rows() == ["a b", "a a1 a2 b"]
    # The fold is stored in the list of folds, which the client has created.
    seen = lambda: server.send("GET", "/lists/folding/tasks?visible=true&folds=folds-alice")["tasks"]
    eventually(lambda: [task["id"] for task in seen()] == ["folding-a", "folding-b"], "the fold is stored")
    assert server.send("GET", "/lists/folding")["version"] == 1
    # A fold of everyone does not change the one of the person.
    assert act("alice.collapse('folding-a', false)") and act("plain.collapse('folding-a')")
    assert rows() == ["a a1 a2 b", "a b"]
    eventually(lambda: server.send("GET", "/lists/folding")["version"] == 2, "the fold of everyone is stored")
    assert rows() == ["a a1 a2 b", "a b"]
    # A drop counts the rows that the person sees.
    assert act("alice.drop({ row: 3, toRow: 0 })")
    eventually(lambda: rows() == ["b a a1 a2", "b a"], "the drop arrives")
    # Another device of the person changes the fold.
    (entry,) = server.send("GET", "/lists/folds-alice")["tasks"]
    server.send("POST", f"/tasks/{entry['id']}/collapse")
    eventually(lambda: rows() == ["b a", "b a"], "the fold arrives")


# A window has six connections to a server. Each client and the page have a stream; the sidebar, which has one too, is hidden.
CLIENTS = 4
NARROW = {"width": 400, "height": 700}
STEPS = 240

# Several clients in one window. Each does random steps, and some steps of each are undone.
CROWD = """async ([list, count, storage, name]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    window.crowd = [];
    for (let number = 0; number < count; number += 1) {
        const client = connect({ storage, clientID: `${name}-${number}` });
        window.crowd.push(await client.open(list));
    }
}"""
ACT = """([client, kind, one, other, text]) => {
    const list = window.crowd[client];
    const ids = [...list.tree.tasks.keys()];
    const pick = (number) => ids[number % ids.length];
    if (ids.length === 0 || kind === "create") list.create({ title: text }, { after: pick(one) ?? "none", section: null });
    else if (kind === "move") list.move(pick(one), { after: pick(other), parent: pick(other + 1) });
    else if (kind === "block") list.move([...new Set([pick(one), pick(one + 1)])], { before: pick(other), section: null });
    else if (kind === "update") list.update(pick(one), { title: text });
    else if (kind === "tick") list.update(pick(one), { done: other % 2 === 0 });
    else if (kind === "collapse") list.collapse(pick(one), other % 2 === 0);
    else if (kind === "delete") list.delete([pick(one)]);
    else if (kind === "undo") list.undo();
    else list.redo();
}"""
COPIES = """() => window.crowd.map((list) => {
    const walk = (node) => node.children.flatMap((task) =>
        [[task.id, task.title, task.done, task.collapsed, task.parent.isSection ? null : task.parent.id], ...walk(task)]);
    return { waiting: list.waiting, state: list.state, copy: JSON.stringify(list.tree.containers.flatMap(walk)) };
})"""


def all_copies_are_equal_after_a_bad_network(server, open_window):
    """20 clients, as in `scripts/converge`: four in each of five browsers, which share nothing."""
    end_in_equal_copies(server, open_window, "crowded", "memory", 5, 2 * STEPS)


def copies_with_one_stream_are_equal_after_a_bad_network(server, open_window):
    end_in_equal_copies(server, open_window, "crowded2", "indexeddb", 1, STEPS)


def end_in_equal_copies(server, open_window, list_id, storage, browsers, steps):
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    server.make(list_id, "\n".join("  " * (number % 3) + f"t{number}" for number in range(12)))
    windows = [open_window("demo", viewport=NARROW) for _ in range(browsers)]
    lost = []
    is_calm = False

    def fails(route):
        kind = 1 if is_calm else chance.random()
        if kind < 0.2:
            route.abort()
        elif kind < 0.35:  # the request is applied, and its response is lost
            try:
                lost.append(route.fetch())
            except Error:
                pass  # the server was killed meanwhile
            route.abort()
        else:
            route.continue_()

    for number, window in enumerate(windows):
        window.expected = (*window.expected, "Failed to load", "ERR_")
        window.page.evaluate(CROWD, [list_id, CLIENTS, storage, f"crowd{number}"])
        window.page.route(f"**/lists/{list_id}/batch", fails)
    kinds = ["create", "move", "move", "block", "update", "tick", "collapse", "delete", "undo", "undo", "redo"]
    for number in range(steps):
        act = [number % CLIENTS, chance.choice(kinds), chance.randrange(1000), chance.randrange(1000), f"made {number}"]
        windows[number // CLIENTS % browsers].page.evaluate(ACT, act)
        if number % 60 == 59:
            server.process.kill()
            server.start()
    is_calm = True
    copies = lambda: [copy for window in windows for copy in window.page.evaluate(COPIES)]

    def all_equal():
        document = server.send("GET", f"/lists/{list_id}")
        wanted = [[task[name] for name in ("id", "title", "done", "collapsed", "parent")] for task in document["tasks"]]
        return all(one["waiting"] == 0 and json.loads(one["copy"]) == wanted for one in copies())

    eventually(all_equal, lambda: f"seed {seed}: {copies()}")
    assert lost, f"seed {seed}: no response was lost"
