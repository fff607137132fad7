"""The history of a list in words, and undo of its changes."""

from page_server import eventually
from test_rights import with_token


def items(window):
    return window.page.locator("dialog.history:modal [data-part=changes] .name").all_inner_texts()


def told(window, *texts):
    """Checks the first changes of the history. Titles are in isolates."""
    isolates = {"<": "“\u2068", ">": "\u2069”", "{": "\u2068", "}": "\u2069"}
    wanted = ["".join(isolates.get(one, one) for one in text) for text in texts]
    eventually(lambda: items(window)[: len(wanted)] == wanted, lambda: items(window))


def open_history(window):
    window.command("History…")
    window.page.locator("dialog.history:modal").wait_for()


def the_history_shows_changes_in_words_and_undoes_them(server, open_window):
    server.make("plan", "a\n  a1\nb\n# Home\nc")
    server.send("POST", "/lists/plan/move", {"task": "plan-a", "after": "plan-b"})
    server.send("POST", "/lists/plan/move", {"task": "plan-a1", "section": "Home"})
    server.send("POST", "/lists/plan/tasks", {"id": "new", "title": "new", "parent": "plan-c"})
    server.send("PATCH", "/tasks/new", {"title": "newer"})
    server.send("PATCH", "/tasks/new", {"done": True})
    server.send("DELETE", "/tasks/plan-b")
    both = {"tasks": ["plan-a", "plan-a1"], "parent": "plan-c"}
    server.send("POST", "/lists/plan/move", both, {"Client-Id": "Ann%20Lee~1"})
    window = open_window("plan")
    window.expected = ("409",)
    window.shows("# Home", "c", "  newer", "  a", "  a1")
    open_history(window)
    told(
        window,
        "{Ann Lee} moved <a> and <a1> into <c>",
        "Somebody deleted <b>",
        "Somebody completed <newer>",
        "Somebody renamed <new> to <newer>",
        "Somebody added <new> into <c>",
        "Somebody moved <a1> to <Home>",
        "Somebody moved <a> below <b>",
        "Somebody created the list",
    )
    times = window.page.locator("dialog.history time").all_inner_texts()
    assert set(times) <= {"just now", "1 minute ago"}, times
    undo = window.page.locator("dialog.history li button")
    assert undo.count() == 7  # not the creation
    undo.nth(1).click()
    told(window, "Somebody added <b>", "{Ann Lee} moved <a> and <a1> into <c>")
    eventually(lambda: "b" in server.outline("plan"), lambda: server.outline("plan"))
    # A change that cannot be undone any more: its task was deleted.
    server.send("DELETE", "/tasks/new")
    window.page.locator("dialog.history li", has_text="renamed").get_by_role("button").click()
    window.page.locator("dialog.history .note", has_text="can’t be undone any more").wait_for()
    window.page.get_by_role("button", name="Close", exact=True).click()
    window.shows("b", "# Home", "c", "  a", "  a1")


def earlier_changes_follow(server, open_window):
    server.make("plan", "a\nb")
    for number in range(60):
        server.send("PATCH", "/tasks/plan-a", {"title": f"t{number}"})
    window = open_window("plan")
    window.shows("t59", "b")
    open_history(window)
    assert len(items(window)) == 50
    told(window, "Somebody renamed <t58> to <t59>")
    window.page.get_by_role("button", name="Earlier changes").click()
    eventually(lambda: len(items(window)) == 61, lambda: items(window))
    assert items(window)[-1] == "Somebody created the list"
    assert not window.page.get_by_role("button", name="Earlier changes").is_visible()


def a_reader_sees_the_history_without_undo(server, open_window):
    server.make("plan", "a\nb")
    server.require_tokens()
    token = server.add_token("Bob", "write")
    server.send("PATCH", "/tasks/plan-a", {"title": "A"}, {"Authorization": f"Bearer {token}"})
    window = with_token(open_window, server, server.add_token("reader", "read"), "plan")
    window.shows("A", "b")
    window.command("History…")
    told(window, "{Bob} renamed <a> to <A>", "Somebody created the list")
    assert window.page.locator("dialog.history li button").count() == 0
