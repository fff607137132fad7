"""Edit mode: adding, renaming, ticking, folding, deleting and undoing."""

from page_server import eventually
from test_drag import expect


def edit(window):
    window.page.locator("[data-part=edit]").click()
    return window


def press(window, task, name):
    window.row(task).locator(f".{name}").click()


def tasks_subtasks_and_sections_are_added(server, open_window):
    server.make("add", "a\n# Home\nb")
    window = edit(open_window("add"))
    field = window.page.locator("[data-part=newTitle]")
    field.fill("c")
    field.press("Enter")
    expect(server, "add", "a\n# Home\nb\nc")
    press(window, "add-a", "add")
    field.fill("<b>a1</b>")
    field.press("Enter")
    eventually(lambda: server.outline("add") == "a\n  <b>a1</b>\n# Home\nb\nc", "a subtask is there")
    window.page.locator("[data-part=clearTarget]").click()
    window.command("Add a section")
    window.page.locator("[data-part=target]", has_text="New section").wait_for()
    window.page.keyboard.type("Later")
    window.press("Enter")
    eventually(lambda: [one["title"] for one in server.send("GET", "/lists/add")["sections"]]
               == ["Home", "Later"], "a section is there")
    window.shows("a", "  <b>a1</b>", "# Home", "b", "c", "# Later")
    # Markup in a title is shown as text.
    assert window.page.locator(".canvas b").count() == 0


def titles_are_never_markup(server, open_window):
    evil = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>&amp;"
    tasks = [{"id": "evil-a", "title": evil, "section": "s"}, {"id": "evil-b", "title": "b", "section": "s"}]
    server.send("PUT", "/lists/evil", {"title": evil, "sections": [{"id": "s", "title": evil}], "tasks": tasks})
    window, other = edit(open_window("evil", viewport={"width": 1100, "height": 800})), open_window("evil")
    eventually(lambda: window.page.locator("nav a .name", has_text="hurt").count() == 1, "it is in the index")
    text = window.page.evaluate("""() => ["h1[data-part=title]", ".section .title", ".task .title"]
        .map((part) => document.querySelector(part).textContent)""")
    assert text == [evil] * 3, text
    target = window.box("evil-b")
    window.lift("evil-a")
    window.hover(target)
    other.page.locator(".ghost .title", has_text="hurt").wait_for()
    window.drop()
    press(window, "evil-a", "delete")
    window.note.get_by_text("<script>").wait_for()
    window.section("s").locator(".add").click()
    window.page.locator("[data-part=target]", has_text="<script>").wait_for()
    for one in (window, other):
        assert one.page.locator("img, body script").count() == 0
        assert one.page.evaluate("window.hurt === undefined")


def titles_are_renamed_in_place(server, open_window):
    server.make("name", "a\n# Home\nb")
    window = open_window("name")
    window.row("name-a").locator(".title").dblclick()
    window.page.locator("textarea.rename").fill("Zoë's 日本語")
    window.press("Enter")
    eventually(lambda: server.send("GET", "/tasks/name-a")["title"] == "Zoë's 日本語", "it is renamed")
    assert window.page.evaluate("document.activeElement.dataset.task") == "name-a"
    window.press("F2")
    window.page.locator("textarea.rename").fill("never")
    window.press("Escape")
    window.shows("Zoë's 日本語", "# Home", "b")
    edit(window)
    window.page.locator("[data-section] .title").click()
    window.page.locator("textarea.rename").fill("House")
    window.press("Enter")
    eventually(lambda: server.send("GET", "/lists/name")["sections"][0]["title"] == "House", "renamed")
    window.shows("Zoë's 日本語", "# House", "b")
    # A title that is being edited is not lost when another list is opened.
    window.row("name-b").locator(".title").click()
    window.page.locator("textarea.rename").fill("bee")
    window.page.evaluate("location.hash = 'demo'")
    eventually(lambda: server.send("GET", "/tasks/name-b")["title"] == "bee", "it is renamed")


def an_empty_title_cancels_a_renaming(server, open_window):
    server.make("blank", "a\n# Home\nb")
    window = open_window("blank")
    for task, title in (("blank-a", ""), ("blank-b", "  ")):
        window.focus(task)
        window.press("F2")
        window.page.locator("textarea.rename").fill(title)
        window.press("Enter")
        window.page.locator("textarea.rename").wait_for(state="detached")
    window.section("Home").locator(".title").dblclick()
    window.page.locator("textarea.rename").fill("")
    window.focus("blank-a")
    window.shows("a", "# Home", "b")
    assert server.send("GET", "/lists/blank")["version"] == 1


def the_index_shows_the_open_lists_title_and_count_at_once(server, open_window):
    server.make("counted", "a\nb")
    window = open_window(None, viewport={"width": 1100, "height": 800})
    asked = []
    # After the first response, the index gets no other one.
    window.page.route("**/lists?*", lambda route: (asked.append(route), len(asked) == 1 and route.continue_()))
    window.open("counted")
    item = window.page.locator('nav a[href="#counted"]')
    item.wait_for()
    assert item.text_content() == "counted2"
    window.focus("counted-a")
    window.press("Delete")
    eventually(lambda: item.text_content() == "counted1", item.text_content)
    server.send("PATCH", "/lists/counted", {"title": "Theirs"})
    eventually(lambda: item.text_content() == "Theirs1", item.text_content)


def a_new_list_waits_for_its_first_task(server, open_window):
    server.make("existing", "a")
    window = open_window(None, viewport={"width": 1100, "height": 800})
    window.page.goto(f"{server.url}/#existing")
    window.page.wait_for_selector("main[data-state=live]")
    before = len(server.send("GET", "/lists")["lists"])
    window.page.get_by_label("Title of a new list").fill("Trip")
    window.press("Enter")
    window.page.locator("h1[data-part=title]", has_text="Trip").wait_for()
    window.until("document.querySelector('main').contains(document.activeElement)")
    for title in ("tent", "stove"):
        window.page.keyboard.type(title)
        window.press("Enter")
    list_id = window.page.evaluate("location.hash.slice(1)")
    eventually(lambda: server.outline(list_id) == "tent\nstove", lambda: server.outline(list_id))
    assert len(server.send("GET", "/lists")["lists"]) == before + 1


def tasks_are_typed_one_after_the_other_at_their_levels(server, open_window):
    server.make("typed", "a")
    window = open_window("typed")
    # The field is visible without a mode. N goes there from a row.
    window.focus("typed-a")
    window.press("n")
    for title, before in (("fruit", []), ("apples", ["Tab"]), ("red", ["Tab"]), ("pears", ["Shift+Tab"]),
                          ("bread", ["Shift+Tab"])):
        window.press(*before)
        window.page.keyboard.type(title)
        window.press("Enter")
    expect(server, "typed", "a\nfruit\n  apples\n    red\n  pears\nbread")
    window.shows("a", "fruit", "  apples", "    red", "  pears", "bread")
    # At the last possible level, Tab leaves the field.
    window.press("Tab")
    assert window.page.evaluate("document.activeElement.dataset.part") == "newTitle"
    window.press("Tab")
    assert window.page.evaluate("document.activeElement.dataset.part") != "newTitle"


def each_section_ends_with_a_row_that_adds_tasks(server, open_window):
    server.make("ends", "a\n# Home\nb\n# Work\n# Later\nc")
    window = open_window("ends")
    adders = window.page.locator(".canvas .adder")
    keys = "() => [...document.querySelectorAll('.canvas .row')].map((row) => row.dataset.key)"
    assert window.page.evaluate(keys) == [
        "ends-a", "add ", "section Home", "ends-b", "add Home", "section Work", "add Work", "section Later", "ends-c", "add Later"]
    adders.nth(1).get_by_role("button", name="Add a task to “\u2068Home\u2069”", exact=True).click()
    for title in ("b1", "b2"):
        window.page.keyboard.type(title)
        window.press("Enter", "Tab")
    expect(server, "ends", "a\n# Home\nb\nb1\n  b2\n# Work\n# Later\nc")
    # The keyboard reaches these rows too. Only Enter and Space act on them.
    window.focus("ends-a")
    window.press("ArrowDown")
    assert window.page.evaluate("document.activeElement.dataset.key") == "add "
    window.press("Delete", "F2", "Shift+F10", "Enter")
    window.page.locator("[data-part=target]", has_text="Before the first section").wait_for()
    window.page.keyboard.type("a1")
    window.press("Enter")
    expect(server, "ends", "a\na1\n# Home\nb\nb1\n  b2\n# Work\n# Later\nc")
    # A drop below such a row is at the end of its section.
    target = window.box_of(window.section("Work"))
    window.lift("ends-a")
    window.hover({"y": target["y"] - window.row_box["height"] - 8})
    window.drop()
    expect(server, "ends", "a1\n# Home\nb\nb1\n  b2\na\n# Work\n# Later\nc")
    # A search shows only found rows.
    window.press("/")
    window.page.keyboard.type("b")
    window.shows("# Home", "b", "b1", "  b2")
    assert adders.count() == 0


PASTE = """(field, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def pasted_lines_become_tasks_and_are_undone_together(server, open_window):
    server.make("pasted", "a\n# Home\nb")
    window = open_window("pasted")
    field = window.page.locator("[data-part=newTitle]")
    field.evaluate(PASTE, "- [ ] fruit\n\t- [x] apples\n\t- pears\r\n\n1. bread\n")
    expect(server, "pasted", "a\n# Home\nb\nfruit\n  apples x\n  pears\nbread")
    window.note.get_by_text("Added 4 tasks").wait_for()
    assert server.send("GET", "/lists/pasted")["version"] == 2
    window.note.get_by_role("button", name="Undo").click()
    expect(server, "pasted", "a\n# Home\nb")
    # The limit: 1,000 lines.
    field.evaluate(PASTE, "\n".join(f"line {number}" for number in range(1001)))
    window.note.get_by_text("At most 1,000 lines").wait_for()
    assert server.outline("pasted") == "a\n# Home\nb"
    field.evaluate(PASTE, "\n".join(f"line {number}" for number in range(1000)))
    eventually(lambda: len(server.send("GET", "/lists/pasted")["tasks"]) == 1002, "all lines are tasks")
    # A single line goes into the field, without its mark.
    field.evaluate(PASTE, "☐ milk")
    assert field.input_value() == "milk"


def selected_subtasks_are_deleted_with_their_selected_parent(server, open_window):
    server.make("nested", "a\n  a1\n  a2\nb\nc")
    window = open_window("nested")
    window.row("nested-a").locator(".title").click()
    window.row("nested-b").locator(".title").click(modifiers=["Shift"])
    window.press("Delete")
    expect(server, "nested", "c")
    window.shows("c")
    window.press("Control+z")
    expect(server, "nested", "a\n  a1\n  a2\nb\nc")
    window.shows("a", "  a1", "  a2", "b", "c")


def ticks_collapse_buttons_and_counts_show_the_state(server, open_window):
    server.make("fold-it", "a\n  a1\n    a11\n  a2\nb")
    window = open_window("fold-it")
    press(window, "fold-it-b", "tick")
    expect(server, "fold-it", "a\n  a1\n    a11\n  a2\nb x")
    press(window, "fold-it-a", "fold")
    window.shows("a", "b")
    expect(server, "fold-it", "a +\n  a1\n    a11\n  a2\nb x")
    assert window.row("fold-it-a").locator(".fold").text_content() == "3"
    assert window.row("fold-it-a").get_attribute("aria-expanded") == "false"
    press(window, "fold-it-a", "fold")
    window.shows("a", "  a1", "    a11", "  a2", "b")
    expect(server, "fold-it", "a\n  a1\n    a11\n  a2\nb x")
    press(window, "fold-it-b", "tick")
    expect(server, "fold-it", "a\n  a1\n    a11\n  a2\nb")


def one_or_several_rows_are_deleted_but_no_locked_ones(server, open_window):
    server.make("cut", "a\n  a1\nb\nc !\nd\ne")
    window = edit(open_window("cut"))
    press(window, "cut-a", "delete")
    expect(server, "cut", "b\nc !\nd\ne")
    window.page.locator("[data-part=select]").click()
    press(window, "cut-b", "tick")
    press(window, "cut-d", "tick")
    window.page.get_by_role("toolbar").get_by_role("button", name="Delete").click()
    expect(server, "cut", "c !\ne")
    window.shows("c", "e")
    window.focus("cut-c")
    window.press("Delete")
    window.says("locked")
    expect(server, "cut", "c !\ne")


def a_deleted_section_leaves_its_tasks(server, open_window):
    server.make("parts", "# Two\nb\n# One\na")
    window = edit(open_window("parts"))
    window.section("Two").locator(".delete").click()
    expect(server, "parts", "b\n# One\na")
    window.shows("b", "# One", "a")


def each_step_can_be_undone(server, open_window):
    before = "a\n  a1\nb\n# Home\nc"
    server.make("undo", before)
    window = open_window("undo")
    window.drag("undo-b", over="undo-a")
    expect(server, "undo", "b\na\n  a1\n# Home\nc")
    window.note.get_by_role("button", name="Undo").click()
    expect(server, "undo", before)
    window.shows("a", "  a1", "b", "# Home", "c")
    edit(window)
    press(window, "undo-a", "delete")
    expect(server, "undo", "b\n# Home\nc")
    press(window, "undo-c", "tick")
    expect(server, "undo", "b\n# Home\nc x")
    window.page.locator("[data-part=undo]").click()
    window.page.locator("[data-part=undo]").click()
    expect(server, "undo", before)
    window.shows("a", "  a1", "b", "# Home", "c")


def an_undo_that_is_no_longer_possible_shows_a_note(server, open_window):
    server.make("undo-not", "a")
    window = edit(open_window("undo-not"))
    window.expected = ("status of 409",)
    window.page.locator("[data-part=newTitle]").fill("new")
    window.press("Enter")
    expect(server, "undo-not", "a\nnew")
    task = server.send("GET", "/lists/undo-not")["tasks"][1]["id"]
    server.send("PATCH", f"/tasks/{task}", {"title": "theirs"})
    window.shows("a", "theirs")
    window.page.locator("[data-part=undo]").click()
    window.says("can’t be undone")
    expect(server, "undo-not", "a\ntheirs")
    window.shows("a", "theirs")


def a_title_in_progress_survives_a_move_of_its_row(server, open_window):
    server.make("pen", "a\n  a1\n  a2\nb")
    window = open_window("pen")
    for task, send in (("pen-a1", lambda: server.send("POST", "/tasks/pen-a/collapse")),
                       ("pen-b", lambda: server.send("DELETE", "/tasks/pen-b"))):
        window.focus(task)
        window.press("F2")
        window.page.locator("textarea.rename").fill("new")
        send()
        window.page.wait_for_selector("textarea.rename", state="detached")
        window.until("document.activeElement.dataset.part === 'canvas'")
    expect(server, "pen", "a +\n  new\n  a2")
    window.shows("a")


def enter_in_the_settings_saves_them(server, open_window):
    server.make("entered", "a")
    window = open_window("entered")
    window.command("Settings…")
    window.page.get_by_label("Title", exact=True).fill("Another")
    window.press("Enter")
    eventually(lambda: server.send("GET", "/lists/entered")["title"] == "Another", "it is saved")
    window.command("Settings…")
    window.page.get_by_label("Title", exact=True).fill("Not this")
    window.page.get_by_role("button", name="Cancel").click()
    window.page.wait_for_selector("dialog", state="hidden")
    window.still()
    assert server.send("GET", "/lists/entered")["title"] == "Another"


def saving_settings_does_not_overwrite_other_clients_changes(server, open_window):
    server.make("apart", "a\nb")
    window = open_window("apart")
    window.command("Settings…")
    server.send("PATCH", "/lists/apart", {"title": "theirs", "elementsOffset": 1, "collapseSubElements": True})
    window.page.locator("h1[data-part=title]", has_text="theirs").wait_for()
    window.page.get_by_label("Tasks stay in their section, and under their task").check()
    window.page.get_by_role("button", name="Save").click()
    eventually(lambda: server.send("GET", "/lists/apart")["moves"] == "siblings", "it is saved")
    after = server.send("GET", "/lists/apart")
    assert (after["title"], after["elementsOffset"], after["collapseSubElements"]) == ("theirs", 1, True), after


def the_settings_of_a_list_close_when_another_list_is_shown(server, open_window):
    server.make("first", "a")
    server.make("second", "b")
    window = open_window("first")
    window.open("second")
    window.command("Settings…")
    window.page.get_by_label("Title", exact=True).fill("For the second")
    window.page.go_back()
    window.page.locator("h1[data-part=title]", has_text="first").wait_for()
    assert not window.page.locator("dialog.settings").is_visible()
    # A late response to a deletion does not close the list that is shown by then.
    window.open("second")
    held = []
    window.context.route("**/lists/second", lambda route: (
        held.append(route) if route.request.method == "DELETE" else route.fallback()))
    window.delete_list()
    eventually(lambda: held, "the deletion is on its way")
    window.page.go_back()
    window.page.locator("h1[data-part=title]", has_text="first").wait_for()
    with window.page.expect_response(lambda answer: answer.request.method == "DELETE"):
        held[0].continue_()
    eventually(lambda: server.refusal("GET", "/lists/second") == "list_not_found", "it is gone")
    window.still()
    assert window.page.evaluate("location.hash") == "#first"
    assert server.send("GET", "/lists/first")["title"] == "first"


def an_undo_is_not_offered_for_a_list_that_is_not_shown(server, open_window):
    server.make("left", "a\nb")
    server.make("shown", "c\nd")
    window = open_window("left")
    window.drag("left-a", over="left-b")
    window.note.get_by_role("button", name="Undo").wait_for()
    window.page.evaluate("location.hash = 'shown'")
    window.row("shown-c").wait_for()
    assert not window.note.is_visible()


def a_list_is_created_configured_and_deleted(server, open_window):
    window = open_window("demo")
    # The page can request the index or the list just after the deletion.
    window.expected = ("status of 404",)
    # If two lists exist, the page opens none by itself.
    server.make("another", "a")
    window.page.goto(f"{server.url}/")
    window.page.get_by_label("Title of a new list").fill("מסע")
    window.press("Enter")
    window.page.wait_for_selector("main[data-state=live]")
    list_id = window.page.evaluate("location.hash.slice(1)")
    assert server.send("GET", f"/lists/{list_id}")["title"] == "מסע"
    window.command("Settings…")
    window.page.get_by_label("Rows at the top that nobody can move").fill("2")
    window.page.get_by_label("Tasks stay in their section, and under their task").check()
    window.page.get_by_label("Tasks in a section, at most").fill("3")
    window.page.get_by_role("button", name="Save").click()
    eventually(lambda: server.send("GET", f"/lists/{list_id}")["moves"] == "siblings", "it is set")
    assert server.send("GET", f"/lists/{list_id}")["maxTasksPerSection"] == 3
    assert server.send("GET", f"/lists/{list_id}")["elementsOffset"] == 2
    window.note.get_by_role("button", name="Undo").click()
    eventually(lambda: server.send("GET", f"/lists/{list_id}")["moves"] == "anywhere", "it is undone")
    assert "maxTasksPerSection" not in server.send("GET", f"/lists/{list_id}")
    deleted = server.send("GET", f"/lists/{list_id}")
    window.delete_list()
    eventually(lambda: server.refusal("GET", f"/lists/{list_id}") == "list_not_found", "it is gone")
    # An undo brings it back from the bin.
    window.note.get_by_role("button", name="Undo").click()
    eventually(lambda: window.page.evaluate("location.hash") == f"#{list_id}", "it is shown again")
    window.page.wait_for_selector("main[data-state=live]")
    names = ("title", "elementsOffset", "moves", "tasks")
    restored = server.send("GET", f"/lists/{list_id}")
    assert [restored[name] for name in names] == [deleted[name] for name in names]
    server.send("DELETE", f"/lists/{list_id}")


def a_single_list_is_shown_first(server, open_window):
    window = open_window(None)
    window.page.goto(f"{server.url}/")
    window.page.wait_for_selector("main[data-state=live]")
    assert window.page.evaluate("location.hash") == "#demo"
    # After leaving the list, the index is shown and stays.
    window.page.goto(f"{server.url}/#")
    window.page.locator(".index a", has_text="Weekend").wait_for()
    server.send("PATCH", "/lists/demo", {"title": "Sunday"})
    window.page.locator(".index a", has_text="Sunday").wait_for()
    assert window.page.evaluate("document.body.dataset.view") == "index"
    # On a phone the index is hidden while a list is open.
    window.page.set_viewport_size({"width": 390, "height": 700})
    window.page.goto("about:blank")
    window.open("demo")
    window.page.get_by_role("link", name="All lists").click()
    server.send("PATCH", "/lists/demo", {"title": "Monday"})
    window.page.locator(".index a", has_text="Monday").wait_for()
    assert window.page.evaluate("document.body.dataset.view") == "index"
