"""What apps do with a list of the JavaScript client, besides moves: drags that others see, moves to other lists, refusals."""

from page_server import eventually

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
    act("list.dragStarted('shown-b')")
    eventually(lambda: others() == [[["shown-b"], "Zoe", None]], others)
    places = [
        ("{ toRow: 2 }", ["s", None, 1]),
        ("{ toRow: 2, level: 1 }", ["s", "shown-c", 0]),
        ("{ to: { section: 'empty', row: 0 } }", ["empty", None, 0]),
        ("{ toOffset: 0, shown: list.rows }", [None, None, 0]),
        ("{ before: 'shown-c', after: null }", ["s", None, 0]),
    ]
    for code, over in places:
        act(f"list.dragOver({code})")
        eventually(lambda over=over: others() == [[["shown-b"], "Zoe", over]], others)
    # A place that is not possible changes nothing.
    act("list.dragOver({ toRow: 0, level: 7 })")
    assert act("list.drop({ task: 'shown-b', to: { section: 'empty', row: 0 } })")
    eventually(lambda: others() == [], others)
    eventually(lambda: server.outline("shown") == "a\n# s\nc\n  c1\n# empty\nb", lambda: server.outline("shown"))
    # A drag that ends without a drop.
    act("list.dragStarted(['shown-c', 'shown-c1'])")
    eventually(lambda: others() == [[["shown-c"], "Zoe", None]], others)
    act("list.dragEnded()")
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
    expect("x\n  a\n  x1\n# s\nc\ny\n  d\n# empty\nb\n  b1\ne")
    # The rows that the person saw: `e` has arrived since then.
    window.page.evaluate("""() => { const { into } = window.app; const shown = into.rows;
        into.create({ id: "new", title: "new" }, { section: null, position: 0 }); window.shown = shown; }""")
    assert window.page.evaluate(
        "() => { const { from, into } = window.app; return from.moveToList('from-f', into, { toOffset: 3, shown: window.shown }); }")
    eventually(lambda: "new\nx\n  a\n  x1\nf\n# s" in server.outline("into"), lambda: server.outline("into"))
    assert server.outline("from") == ""
    # Undone, they are at their former places.
    for number in range(6):
        window.page.evaluate("window.app.from.undo()")
        eventually(lambda number=number: len(server.send("GET", "/lists/from")["tasks"]) >= number + 1, "the undo arrives")
    eventually(lambda: server.outline("from") == "a\nb\n  b1\nc\nd\ne\nf", lambda: server.outline("from"))


# Refused steps, with their codes.
REFUSED = {
    "list.drop({ row: 9, toRow: 0 })": "anchor_gone",
    "list.drop({ row: 0, toRow: 0, section: 's' })": "anchor_gone",
    "list.drop({ row: 1, toRow: 1, level: 3 })": "level_not_possible",
    "list.drop({ task: 'gone', toRow: 0 })": "task_not_found",
    "list.move('why-b', { parent: 'why-b' })": "cycle",
    "list.move('why-a', { position: 9 })": "locked",
    "list.move('why-b', { after: null, before: null })": "anchor_gone",
    "list.create({ id: 'why-b', title: 'b' })": "id_taken",
    "list.renameSection('gone', 'x')": "section_not_found",
    "list.delete('gone')": "task_not_found",
}


def each_refusal_says_why(server, open_window):
    server.make("why", "a !\nb\n# s\nc")
    window = open_window("demo", viewport={"width": 400, "height": 700})
    window.page.evaluate(OPEN, ["app", ["why"]])
    refused = lambda code: window.page.evaluate(f"""() => {{
        const list = window.app.why;
        let found = [];
        const stop = list.on("refused", ({{ code, detail }}) => {{ found = [code, detail]; }});
        const result = {code};
        stop();
        return [result, ...found];
    }}""")
    for code, wanted in REFUSED.items():
        result, found, detail = refused(code)
        assert not result and found == wanted and detail.endswith("."), (code, result, found, detail)
    # Without the server, a move to another list is refused too.
    window.expected = ("ERR_FAILED", "blocked")
    window.page.route("**/lists/why/move", lambda route: route.abort())
    result, found, detail = window.page.evaluate("""async () => {
        const list = window.app.why;
        const refused = new Promise((resolve) => list.on("refused", resolve));
        const result = await list.moveToList("why-b", "other");
        const { code, detail } = await refused;
        return [result, code, detail];
    }""")
    assert not result and found == "unreachable" and detail.endswith("."), (found, detail)


TESTS = [
    others_see_a_drag_of_an_app,
    tasks_move_to_any_place_of_another_list,
    each_refusal_says_why,
]
