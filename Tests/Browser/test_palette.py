"""Places for things: where the next task goes, where tasks move to, what Ctrl+K opens, and what is done with selected tasks."""

from page_server import eventually
from test_drag import expect
from test_lists import lists
from test_rights import with_token
from test_share import guest, make_link, open_sharing, shared
from test_token import WIDE


def options(window):
    return window.page.locator("dialog.choose:modal [role=option] .name").all_inner_texts()


def choose(window, text, *names):
    """Types a text in the dialog, checks the options, and chooses the first one."""
    field = window.page.locator("dialog.choose:modal input")
    field.fill(text)
    eventually(lambda: options(window) == list(names), lambda: options(window))
    field.press("Enter")


def scroll(window, to):
    window.page.evaluate(f"document.querySelector('.scroller').scrollTop = {to}")


def the_field_adds_to_the_section_on_the_screen(server, open_window):
    section = lambda name: [f"# {name}", *(f"{name}{number}" for number in range(20))]
    server.make("long", "\n".join([*section("One"), *section("Two"), *section("Three")]))
    window = open_window("long", reduced_motion="reduce")
    target = window.page.locator("[data-part=target]")
    says = lambda name: eventually(lambda: target.inner_text() == f"Add to “\u2068{name}\u2069”", target.inner_text)
    says("One")
    scroll(window, 1200)
    says("Two")
    # What is typed goes where the page said when it was begun.
    field = window.page.locator("[data-part=newTitle]")
    field.fill("new")
    scroll(window, 0)
    window.row("long-One0").wait_for()
    says("Two")
    field.press("Enter")
    eventually(lambda: "Two19\nnew\n# Three" in server.outline("long"), lambda: server.outline("long"))
    window.page.locator(".row", has_text="new").wait_for()
    says("Two")


def a_task_moves_to_another_section_and_to_sections_of_other_lists(server, open_window):
    server.make("here", "a\n# Now\nb\n# Later\nc")
    server.make("there", "x\n# Soon\ny\n# Someday")
    window = open_window("here", viewport=WIDE, reduced_motion="reduce")

    def move(task):
        window.focus(task)
        window.press("Shift+F10")
        window.page.get_by_role("menuitem", name="Move…").click()

    move("here-b")
    eventually(lambda: options(window) == ["here", "Now", "Later", "Weekend", "Today", "Market", "Home", "Some day", "there", "Soon", "Someday"]
               or "Soon" in options(window), lambda: options(window))
    choose(window, "late", "Later", "New list “\u2068late\u2069”")
    window.shows("a", "# Now", "# Later", "c", "b")
    window.press("Control+z")
    window.shows("a", "# Now", "b", "# Later", "c")
    move("here-a")
    window.page.get_by_role("option", name="Soon").wait_for()
    choose(window, "soon", "Soon", "New list “\u2068soon\u2069”")
    expect(server, "there", "x\n# Soon\ny\na\n# Someday")
    window.note.get_by_role("button", name="Undo").click()
    window.shows("a", "# Now", "b", "# Later", "c")
    expect(server, "there", "x\n# Soon\ny\n# Someday")
    move("here-c")
    choose(window, "Fresh", "New list “\u2068Fresh\u2069”")
    window.shows("a", "# Now", "b", "# Later")
    made = next(one["id"] for one in server.send("GET", "/lists")["lists"] if one["title"] == "Fresh")
    expect(server, made, "c")
    assert window.page.url.endswith("#here")


def ctrl_k_opens_lists_and_sections_and_runs_commands(server, open_window):
    lists(server, "ant", "bee")
    server.make("cat", "a\nb\n# Tail\nc")
    window = open_window("ant", viewport=WIDE)
    window.page.locator("[data-part=newTitle]").focus()
    window.press("Control+k")
    choose(window, "ca", "cat", "New list “\u2068ca\u2069”")
    window.shows("a", "b", "# Tail", "c")
    window.press("Control+k")
    choose(window, "tail", "Tail", "New list “\u2068tail\u2069”")
    window.until("document.activeElement.dataset.section === 'Tail'")
    # The commands of the row with the focus, with its title.
    window.focus("cat-b")
    window.press("Control+k")
    choose(window, "complete", "Complete", "Completed last", "Delete completed tasks", "New list “\u2068complete\u2069”")
    expect(server, "cat", "a\nb x\n# Tail\nc")
    window.press("Control+k")
    choose(window, "undo", "Undo", "New list “\u2068undo\u2069”")
    expect(server, "cat", "a\nb\n# Tail\nc")
    # Escape returns the focus, and Ctrl+K closes the dialog again.
    window.focus("cat-b")
    for key in ("Escape", "Control+k"):
        window.press("Control+k")
        window.page.locator("dialog.choose:modal").wait_for()
        window.press(key)
        window.page.locator("dialog.choose:modal").wait_for(state="detached")
        window.until("document.activeElement.dataset.key === 'cat-b'")


def ctrl_k_shows_nothing_that_the_rights_forbid(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)
    zoe = guest(open_window, make_link(anna, "Zoë", "write"))
    reader = with_token(open_window, server, server.add_token("reader", "read"), "plan")
    for window, missing in ((zoe, {"home", "Share…", "Delete this list…", "New folder…", "Deleted lists…"}),
                            (reader, {"Add a task", "Sort by title", "Settings…", "New folder…", "Deleted lists…"})):
        window.press("Control+k")
        eventually(lambda window=window: "History…" in options(window), lambda window=window: options(window))
        assert not missing & set(options(window)), options(window)
        window.page.locator("dialog.choose:modal input").fill("unknown")
        window.page.get_by_text("Nothing found.").wait_for()
        assert options(window) == []


def selected_tasks_are_completed_moved_dated_and_deleted_from_the_bar(server, open_window):
    server.make("bar", "a\nb\nc\n# Later\nd")
    window = open_window("bar", reduced_motion="reduce")
    bar = window.page.get_by_role("toolbar", name="Selected tasks")
    due = lambda: [(server.send("GET", f"/tasks/bar-{task}").get("data") or {}).get("due") for task in "abc"]

    def select():
        window.press("Escape")
        for task in ("a", "c"):
            window.row(f"bar-{task}").locator(".title").click(modifiers=["Control"])

    select()
    bar.get_by_role("button", name="Complete").click()
    expect(server, "bar", "a x\nb\nc x\n# Later\nd")
    window.press("Control+z")
    expect(server, "bar", "a\nb\nc\n# Later\nd")
    select()
    bar.get_by_role("button", name="Move…").click()
    choose(window, "later", "Later", "New list “\u2068later\u2069”")
    expect(server, "bar", "b\n# Later\nd\na\nc")
    window.press("Control+z")
    expect(server, "bar", "a\nb\nc\n# Later\nd")
    select()
    bar.get_by_role("button", name="Due…").click()
    window.page.get_by_label("Date").fill("2026-12-24")
    window.page.get_by_role("button", name="Save").click()
    eventually(lambda: due() == ["2026-12-24", None, "2026-12-24"], due)
    window.press("Control+z")
    eventually(lambda: due() == [None, None, None], due)
    select()
    bar.get_by_role("button", name="Delete").click()
    expect(server, "bar", "b\n# Later\nd")
    assert not bar.is_visible()


def a_new_list_is_always_in_reach(server, open_window):
    for number in range(40):
        server.make(f"list{number:02}", "a")
    server.make("zoo", "a", title="A title that is so long that it would take the whole place of the others in the sidebar, if it had its way")
    window = open_window("list00", viewport={"width": 820, "height": 600}, reduced_motion="reduce")
    window.page.locator("nav li").last.scroll_into_view_if_needed()
    assert window.page.evaluate("document.querySelector('.index').scrollTop") > 500
    field = window.page.get_by_label("Title of a new list")
    window.point(field)  # nothing covers it
    title = window.page.locator('nav a[href="#zoo"] .name')
    lines = title.evaluate("name => Math.round(name.clientHeight / parseFloat(getComputedStyle(name).lineHeight))")
    assert lines == 2, lines
