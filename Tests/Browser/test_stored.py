"""What the browser keeps over a reload: undo, and the lists."""

from page_server import eventually
from test_drag import expect
from test_token import enter, locked_window

# A list with its times and the data of its section, as another window has it from storage.
STORED = """async (id) => {
    const { connect } = await import("/client/1.js");
    const list = connect().list(id);
    while (!list.tree) await new Promise((resolve) => list.on("change", resolve));
    const { times, sections } = list.tree;
    return [times.updatedAt, ...list.rows.map((row) => [row.id, row.createdAt, row.updatedAt]), sections[0].data];
}"""


def undo_survives_a_reload_and_another_list(server, open_window):
    server.make("again", "a\nb\nc")
    server.make("other-again", "x")
    window = open_window("again")
    window.drag("again-a", over="again-c")
    window.row("again-b").locator(".tick").click()
    window.focus("again-c")
    window.press("Delete")
    expect(server, "again", "b x\na")
    window.press("Control+z")
    expect(server, "again", "b x\nc\na")
    window.still()
    # Another list, and back.
    window.open("other-again")
    assert window.page.locator("[data-part=undo]").is_disabled()
    window.page.go_back()
    window.shows("b", "c", "a")
    window.press("Control+z")
    expect(server, "again", "b\nc\na")
    window.still()
    window.reload()
    window.press("Control+z")
    expect(server, "again", "a\nb\nc")
    # Redo survives too.
    window.still()
    window.reload()
    window.press("Control+Shift+z", "Control+Shift+z", "Control+Shift+z")
    expect(server, "again", "b x\na")
    # A new window has nothing to undo.
    other = window.context.new_page()
    other.goto(f"{server.url}/#again")
    other.wait_for_selector("main[data-state=live]")
    assert other.locator("[data-part=undo]").is_disabled()


def a_list_opens_from_the_browsers_storage(server, open_window):
    server.make("kept-list", "a\nb\n  b1\n# Home\nc")
    server.send("PATCH", "/lists/kept-list/sections/Home", {"data": {"colour": "red"}})
    window = open_window("kept-list")
    server.send("POST", "/lists/kept-list/move", {"task": "kept-list-c", "after": "kept-list-a"})
    server.send("PATCH", "/tasks/kept-list-b", {"title": "bee"})
    window.shows("a", "c", "bee", "  b1", "# Home")
    eventually(lambda: window.stored("changes") == 2, "the changes are kept")
    # No request for the list is answered, and it is shown.
    held, asked = [], []
    is_held = True

    def hold(route):
        asked.append(route.request.url)
        if is_held:
            held.append(route)
        else:
            route.continue_()

    for path in ("**/lists/kept-list", "**/lists/kept-list/**"):
        window.page.route(path, hold)
    window.reload("loading")
    eventually(lambda: window.titles() == ["a", "c", "bee", "  b1", "# Home"], window.titles)
    assert window.page.locator("main").get_attribute("data-state") == "loading"
    stored = window.page.evaluate(STORED, "kept-list")
    document = server.send("GET", "/lists/kept-list")
    assert stored == [document["updatedAt"], *[[one["id"], one["createdAt"], one["updatedAt"]] for one in document["tasks"]],
                      {"colour": "red"}], stored
    # A step made now is sent later.
    window.row("kept-list-a").locator(".tick").click()
    server.send("DELETE", "/tasks/kept-list-b1")
    is_held = False
    for route in held:
        route.continue_()
    window.page.wait_for_selector("main[data-state=live]")
    window.shows("a", "c", "bee", "# Home")
    expect(server, "kept-list", "a x\nc\nbee\n# Home")
    # The changes were enough: the document was not fetched.
    assert asked and not [url for url in asked if url.endswith("/lists/kept-list")], asked


def a_removed_token_removes_the_stored_lists(server, open_window):
    window = locked_window(server, open_window)
    enter(window, server.add_token("reader", "read"))
    window.shows("a", "b", "c")
    eventually(lambda: window.stored("documents") == 1, "it is kept")
    window.page.get_by_role("button", name="Token…").click()
    window.page.get_by_role("button", name="Remove the token").click()
    eventually(lambda: window.stored("documents") == 0, "it is deleted")
    window.page.reload()
    window.page.get_by_role("dialog").wait_for()
    window.shows()
