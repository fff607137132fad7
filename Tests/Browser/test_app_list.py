"""What apps do with lists of the JavaScript client, besides their own steps: drags that others see, and moves to other lists."""

from page_server import eventually
from test_recipes import recipe

# Two clients of one window, each with its own connection.
OPEN = """async ([name, lists]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    window[name] = {};
    const client = connect({ storage: "memory", name });
    for (const list of lists) window[name][list] = await client.open(list);
}"""


def others_see_a_drag_of_an_app(server, open_window):
    server.make("shown", "a\nb\n# s\nc\n  c1\n# empty")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    for name in ("Zoe", "Yan"):
        window.page.evaluate(OPEN, [name, ["shown"]])
    act = lambda code: window.page.evaluate(f"() => {{ const list = window.Zoe.shown; return {code}; }}")
    others = lambda: window.page.evaluate(
        "window.Yan.shown.drags.others.map(({ tasks, name, over }) => [tasks, name, over && [over.section, over.parent, over.position]])")
    act("list.lift('shown-b')")
    eventually(lambda: others() == [[["shown-b"], "Zoe", None]], others)
    places = [
        ("{ toRow: 3 }", ["s", None, 1]),
        ("{ toRow: 2, level: 1 }", ["s", "shown-c", 0]),
        ("{ to: { section: 'empty', row: 0 } }", ["empty", None, 0]),
        ("{ toOffset: 0, shown: list.rows }", [None, None, 0]),
        ("{ before: 'shown-c', after: null }", ["s", None, 0]),
    ]
    for code, over in places:
        act(f"list.hover({code})")
        eventually(lambda over=over: others() == [[["shown-b"], "Zoe", over]], others)
    # A place that is not possible changes nothing.
    act("list.hover({ toRow: 0, level: 7 })")
    assert act("list.drop({ task: 'shown-b', to: { section: 'empty', row: 0 } })")
    eventually(lambda: others() == [], others)
    eventually(lambda: server.outline("shown") == "a\n# s\nc\n  c1\n# empty\nb", lambda: server.outline("shown"))
    # A drag that ends without a drop.
    act("list.lift(['shown-c', 'shown-c1'])")
    eventually(lambda: others() == [[["shown-c"], "Zoe", None]], others)
    act("list.cancelDrag()")
    eventually(lambda: others() == [], others)
    # The example of the document.
    window.page.evaluate(f"""() => {{
        const [list, task, row, item] = [window.Zoe.shown, {{ id: "shown-a" }}, 2, {{}}];
        {recipe("list.lift(", "js")}
        window.item = item;
    }}""")
    window.page.evaluate("window.item.ondragstart()")
    window.page.evaluate("window.item.ondragover(new Event('dragover'))")
    eventually(lambda: others() == [[["shown-a"], "Zoe", ["s", "shown-c", 0]]], others)
    window.page.evaluate("window.item.ondragend()")
    eventually(lambda: others() == [], others)
    # A drag ends with the list's connection.
    act("list.lift('shown-a')")
    eventually(lambda: others() == [[["shown-a"], "Zoe", None]], others)
    act("list.close()")
    eventually(lambda: others() == [], others)


def tasks_move_to_any_place_of_another_list(server, open_window):
    server.make("from", "a\nb\n  b1\nc\nd\ne\nf")
    server.make("into", "x\n  x1\n# s\ny\n# empty")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    window.page.evaluate(OPEN, ["app", ["from", "into"]])
    move = lambda tasks, place: window.page.evaluate(
        "([tasks, place]) => { const { from, into } = window.app; return from.moveToList(tasks, place.isByID ? 'into' : into, place.to); }",
        [tasks, place])
    expect = lambda outline: eventually(lambda: server.outline("into") == outline, lambda: server.outline("into"))
    assert move("from-a", {"to": {"toRow": 1}})
    expect("x\n  a\n  x1\n# s\ny\n# empty")
    assert move(["from-b"], {"to": {"to": {"section": "empty", "row": 0}}})
    expect("x\n  a\n  x1\n# s\ny\n# empty\nb\n  b1")
    assert move("from-c", {"isByID": True, "to": {"after": None, "before": "into-y"}})
    expect("x\n  a\n  x1\n# s\nc\ny\n# empty\nb\n  b1")
    assert move("from-d", {"isByID": True, "to": {"parent": "into-y"}})
    assert move("from-e", {"isByID": True})
    expect("x\n  a\n  x1\ne\n# s\nc\ny\n  d\n# empty\nb\n  b1")
    # The rows that the person saw, with `e`; a task has been added above them since then.
    eventually(lambda: window.page.evaluate("window.app.into.rows.some(({ id }) => id === 'from-e')"), "`e` is shown")
    window.page.evaluate("""() => { const { into } = window.app; const shown = into.rows;
        into.create({ id: "new", title: "new" }, { section: null, position: 0 }); window.shown = shown; }""")
    assert window.page.evaluate(
        "() => { const { from, into } = window.app; return from.moveToList('from-f', into, { toOffset: 3, shown: window.shown }); }")
    eventually(lambda: "new\nx\n  a\n  x1\nf\ne\n# s" in server.outline("into"), lambda: server.outline("into"))
    assert server.outline("from") == ""
    # Undone, they are at their former places.
    for number in range(6):
        window.page.evaluate("window.app.from.undo()")
        eventually(lambda number=number: len(server.send("GET", "/lists/from")["tasks"]) >= number + 1, "the undo arrives")
    eventually(lambda: server.outline("from") == "a\nb\n  b1\nc\nd\ne\nf", lambda: server.outline("from"))


def the_example_creates_copies_deletes_and_restores_lists(server, open_window):
    window = open_window("demo", viewport={"width": 400, "height": 700})
    titles = window.page.evaluate("""async () => {
        const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
        const { connect } = await import(folder + "client.js");
        const lists = connect({ storage: "memory" });
        %s
        return [list.title, list.rows.map(({ title }) => title), list.id === id, deleted.map(({ title }) => title), copy];
    }""" % recipe("lists.createList(", "js"))
    *titles, copy = titles
    assert titles == ["Party", ["Invite friends"], True, ["Party"]]
    document = server.send("GET", f"/lists/{copy}")
    assert document["title"] == "Party, next year" and [task["title"] for task in document["tasks"]] == ["Invite friends"]


# A connection of an app with its own storage. The page's own connection does not send its steps.
APP = """async (open) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    window.lists = connect({ account: "app" });
    window.refused = [];
    window.lists.on("refused", ({ list, code, detail, tasks }) => window.refused.push([list.id, code, detail, tasks]));
    if (open) window.list = await window.lists.open(open);
}"""


def leave_steps(server, window, list_id):
    """Makes a step without a network, and reloads the page, which does not open the list."""
    window.expected = ("net::ERR_", "status of 404")
    window.page.evaluate(APP, list_id)
    stored = window.page.evaluate("""async () => {
        const databases = await indexedDB.databases();
        return databases.map(({ name }) => name).find((name) => name.endsWith(" app"));
    }""")
    assert stored, "the app has its own storage"
    window.context.set_offline(True)
    window.page.evaluate("window.list.create({ id: 'kept', title: 'kept' })")
    eventually(lambda: window.page.evaluate(KEPT, stored) == 1, "the step is stored")
    window.page.goto("about:blank")
    window.context.set_offline(False)
    window.open("demo")
    window.page.evaluate(APP, None)


KEPT = """async (name) => {
    const database = await new Promise((resolve) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => resolve(request.result);
    });
    const request = database.transaction("waiting").objectStore("waiting").count();
    const count = await new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
    database.close();
    return count;
}"""


def a_deleted_list_has_the_steps_of_an_earlier_page(server, open_window):
    server.make("earlier", "a")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    leave_steps(server, window, "earlier")
    window.page.evaluate("window.lists.deleteList('earlier')")
    server.send("POST", "/lists/earlier/restore")
    assert server.outline("earlier") == "a\nkept"
    assert window.page.evaluate("window.refused") == []


def a_copied_list_has_the_steps_of_an_earlier_page(server, open_window):
    server.make("earlier", "a")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    leave_steps(server, window, "earlier")
    window.page.evaluate("window.lists.copyList('earlier', { id: 'copy' })")
    assert server.outline("copy") == "a\nkept"


def the_steps_of_an_earlier_page_wait_for_a_deleted_list(server, open_window):
    server.make("earlier", "a")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    leave_steps(server, window, "earlier")
    server.send("DELETE", "/lists/earlier")
    with window.page.expect_response("**/lists/earlier/batch"):
        window.page.evaluate("window.lists.sendPending()")
    server.send("POST", "/lists/earlier/restore")
    window.page.reload()
    window.page.evaluate(APP, None)
    window.page.evaluate("window.lists.sendPending()")
    eventually(lambda: server.outline("earlier") == "a\nkept", lambda: server.outline("earlier"))
    assert window.page.evaluate("window.refused") == []


def two_windows_announce_a_refusal_once(server, open_window):
    """In the window that made the step, and perhaps in the one that sent it."""
    server.make("two", "a")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    window.expected = ("net::ERR_", "status of 404")
    pages = [window.page, window.context.new_page()]
    pages[1].goto(f"{server.url}/#demo")
    for page in pages:
        page.evaluate(APP, "two")
        eventually(lambda page=page: page.evaluate("window.list.state") == "live", "it is live")
    window.context.set_offline(True)
    pages[0].evaluate("window.list.create({ id: 'one', title: 'one' }, { parent: 'two-a' })")
    pages[1].evaluate("window.list.create({ id: 'other', title: 'other' }, { parent: 'two-a' })")
    for page in pages:
        eventually(lambda page=page: page.evaluate("window.list.waiting") == 2, "it has all steps")
    server.send("DELETE", "/tasks/two-a")
    window.context.set_offline(False)
    for page in pages:
        eventually(lambda page=page: page.evaluate("window.list.waiting") == 0, "nothing waits")
    refused = [[one[3][0] for one in page.evaluate("window.refused")] for page in pages]
    assert "one" in refused[0] and "other" in refused[1], refused
    assert all(len(one) == len(set(one)) for one in refused), refused


def a_list_that_somebody_restores_loads_again(server, open_window):
    server.make("again", "a")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    # The second one cannot share a stream. It looks every 15 seconds. The third one is closed.
    window.page.evaluate("""async () => {
        const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
        const { connect } = await import(folder + "client.js");
        const connections = [{ account: "app" }, { storage: "memory" }, { account: "other" }];
        window.opened = await Promise.all(connections.map((one) => connect(one).open("again")));
    }""")
    states = lambda: window.page.evaluate("window.opened.map(({ state }) => state)")
    eventually(lambda: states() == ["live", "live", "live"], states)
    server.send("DELETE", "/lists/again")
    eventually(lambda: states() == ["gone", "gone", "gone"], states)
    window.page.evaluate("window.opened[2].close()")
    server.send("POST", "/lists/again/restore")
    eventually(lambda: states()[0] == "live", states)
    eventually(lambda: window.elapse(15_000) or states() == ["live", "live", "gone"], states)
    server.send("POST", "/lists/again/tasks", {"title": "b"})
    titles = lambda: window.page.evaluate("window.opened.map(({ rows }) => rows.map(({ title }) => title).join())")
    eventually(lambda: titles()[:2] == ["a,b", "a,b"], titles)
    # It is deleted and restored again.
    server.send("DELETE", "/lists/again")
    eventually(lambda: states() == ["gone", "gone", "gone"], states)
    server.send("POST", "/lists/again/restore")
    eventually(lambda: window.elapse(15_000) or states() == ["live", "live", "gone"], states)


def an_open_list_is_deleted_and_restored(server, open_window):
    server.make("bin", "a")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    window.expected = ("status of 404",)
    window.page.evaluate("""async () => {
        const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
        const { connect } = await import(folder + "client.js");
        window.lists = connect({ storage: "memory" });
        window.list = await window.lists.open("bin");
        window.list.create({ title: "b" });
        await window.lists.deleteList("bin");
    }""")
    state = lambda: window.page.evaluate("window.list.state")
    eventually(lambda: state() == "gone", state)
    assert server.refusal("GET", "/lists/bin") == "list_not_found"
    window.page.evaluate("window.lists.restoreList('bin')")
    eventually(lambda: state() == "live", state)
    assert window.page.evaluate("window.list.rows.map(({ title }) => title)") == ["a", "b"]
    assert window.page.evaluate("window.list.create({ title: 'c' })")
    eventually(lambda: server.outline("bin") == "a\nb\nc", lambda: server.outline("bin"))
