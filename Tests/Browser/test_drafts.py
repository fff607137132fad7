"""What a person typed and did not save yet stays, and goes where the person saw that it would go."""

from page_server import eventually
from test_access import check
from test_details import NARROW, WIDE, data_of, field, is_closed, leave, open_details
from test_drag import expect
from test_edit import PASTE
from test_kept import AWAY, FIELD, RENAME
from test_rights import with_token
from test_share import guest, make_link, open_sharing, shared

STAYS_TYPED = "addEventListener('focusout', (event) => event.stopPropagation(), true)"
DUE = "[data-part=due]"
# The browser is closed before it has stored a step, or before it has forgotten the text.
STORES_NOTHING = "() => { for (const name of ['add', 'put']) IDBObjectStore.prototype[name] = () => ({}); }"
FORGETS_NOTHING = """() => { const { setTimeout } = window;
    window.setTimeout = (act, milliseconds, ...rest) => milliseconds === 1000 ? 0 : setTimeout(act, milliseconds, ...rest); }"""


def typed(window):
    return window.page.locator(FIELD).input_value()


def place(window):
    return window.page.locator("[data-part=target]").inner_text().replace("\u2068", "").replace("\u2069", "")


def again(window, list_id):
    """Closes the window, and opens another one in the same browser."""
    page = window.context.new_page()
    window.page.close()
    window.page = page
    window.open(list_id)


def a_date_and_a_time_that_are_typed_survive_a_reload_and_a_closed_window(server, open_window):
    server.make("when", "a\nb")
    window = open_window("when", viewport=WIDE)
    open_details(window, "when-b")
    window.page.evaluate(STAYS_TYPED)  # nothing is saved on the way
    for name, value in (("date", "2031-03-04"), ("time", "09:30"), ("notes", "call first"), ("title", "bee")):
        field(window, name).fill(value)
    for act in (window.reload, lambda: again(window, "when")):
        act()
        window.page.wait_for_selector("dialog.detail[open]")
        values = [field(window, name).input_value() for name in ("date", "time", "notes", "title")]
        assert values == ["2031-03-04", "09:30", "call first", "bee"], values
        assert "data" not in server.send("GET", "/tasks/when-b")
        window.page.evaluate(STAYS_TYPED)
        field(window, "notes").fill("call first")
    window.press("Escape")
    is_closed(window)
    saved = {"due": "2031-03-04T09:30:00", "notes": "call first"}
    eventually(lambda: data_of(server, "when-b") == saved, lambda: data_of(server, "when-b"))
    window.shows("a", "bee")
    again(window, "when")
    window.shows("a", "bee")
    is_closed(window)


def what_is_typed_in_a_closed_window_is_taken_once(server, open_window):
    server.make("close", "a")
    window = open_window("close")
    other = window.context.new_page()
    other.goto(window.page.url)
    for page, text in ((window.page, "milk"), (other, "bread")):
        page.locator(FIELD).fill(text)
    other.close()
    again(window, "close")
    first = typed(window)
    second = window.context.new_page()
    second.goto(window.page.url)
    second.wait_for_selector("main[data-state=live]")
    assert sorted([first, second.locator(FIELD).input_value()]) == ["bread", "milk"]
    third = window.context.new_page()
    third.goto(window.page.url)
    third.wait_for_selector("main[data-state=live]")
    assert third.locator(FIELD).input_value() == ""


def a_time_that_is_half_typed_is_not_dropped(server, open_window):
    server.make("half", "a\nb")
    window = open_window("half", viewport=WIDE)
    open_details(window, "half-a")
    field(window, "date").fill("2031-03-04")
    field(window, "time").focus()
    window.page.keyboard.type("09")
    # A change of others, and another row, leave it.
    server.send("PATCH", "/tasks/half-a", {"data": {"notes": "n"}})
    eventually(lambda: field(window, "notes").input_value() == "n", "the notes are shown")
    window.focus("half-b")
    window.says("not complete")
    assert field(window, "title").input_value() == "a"
    assert field(window, "time").evaluate("field => field.validity.badInput")
    assert data_of(server, "half-a") == {"due": "2031-03-04", "notes": "n"}
    field(window, "time").focus()
    window.press("Escape")
    window.page.wait_for_selector("dialog.detail[open]")
    field(window, "time").fill("09:30")
    window.focus("half-b")
    eventually(lambda: field(window, "title").input_value() == "b", "the pane shows the row")
    eventually(lambda: data_of(server, "half-a")["due"] == "2031-03-04T09:30:00", lambda: data_of(server, "half-a"))
    # The second Escape closes the pane without it.
    field(window, "time").focus()
    window.page.keyboard.type("09")
    window.press("Escape", "Escape")
    is_closed(window)
    assert "data" not in server.send("GET", "/tasks/half-b")
    # Another list closes the pane too. A note says so there.
    server.make("half2", "c")
    open_details(window, "half-b")
    field(window, "time").focus()
    window.page.keyboard.type("09")
    window.page.evaluate("location.hash = 'half2'")
    window.shows("c")
    window.note.get_by_text("so it is not saved").wait_for()


def a_title_is_not_lost_if_the_window_is_closed_right_after_enter(server, open_window):
    server.make("enter", "a\nb")
    window = open_window("enter")
    window.expected = AWAY
    window.context.route("**/lists/enter/batch", lambda route: route.abort())
    for text in ("milk", "# Shop"):
        window.page.locator(FIELD).fill(text)
        window.page.evaluate(STORES_NOTHING)
        window.press("Enter")
        again(window, "enter")
        assert typed(window) == text
    window.page.locator(FIELD).fill("")
    window.focus("enter-a")
    window.press("F2")
    window.page.locator(RENAME).fill("ale")
    window.page.evaluate(STORES_NOTHING)
    window.press("Enter")
    again(window, "enter")
    assert window.page.locator(RENAME).input_value() == "ale"
    # A title that the browser has stored is not typed any more.
    window.press("Enter")
    window.page.locator(FIELD).fill("milk")
    window.page.evaluate(FORGETS_NOTHING)
    window.press("Enter")
    window.stored()
    again(window, "enter")
    eventually(lambda: window.titles() == ["ale", "b", "milk"], window.titles)
    assert typed(window) == "" and window.page.locator(RENAME).count() == 0


def a_year_is_saved_when_it_has_four_digits(server, open_window):
    server.make("years", "a\nb")
    window = open_window("years", viewport=WIDE)
    open_details(window, "years-a")
    date = field(window, "date")
    date.focus()
    window.page.keyboard.type("1205026")
    assert date.input_value() == "0026-12-05", date.input_value()
    leave(window)
    window.says("not complete")
    assert date.get_attribute("aria-invalid") == "true"
    window.reload()
    window.page.wait_for_selector("dialog.detail[open]")
    assert date.input_value() == "0026-12-05", date.input_value()
    assert "data" not in server.send("GET", "/tasks/years-a")
    date.focus()
    window.page.keyboard.type("12052026")
    assert "data" not in server.send("GET", "/tasks/years-a")
    leave(window)
    eventually(lambda: data_of(server, "years-a") == {"due": "2026-12-05"}, lambda: data_of(server, "years-a"))
    window.press("Escape")
    # The dialog for several tasks.
    for task in "ab":
        window.focus(f"years-{task}")
        window.press("Control+Space")
    window.page.locator("[data-part=withSelected] [value=due]").click()
    dialog = window.page.locator("dialog.date")
    dialog.locator("input").focus()
    window.page.keyboard.type("0601027")
    dialog.get_by_role("button", name="Save").click()
    assert dialog.is_visible()
    assert data_of(server, "years-a") == {"due": "2026-12-05"}


def a_text_does_not_go_to_another_section_than_the_one_that_was_shown(server, open_window):
    server.make("place", "x\n# A\na\n# B\nb")
    window = open_window("place")
    eventually(lambda: place(window) == "Add to “B”", lambda: place(window))
    window.page.locator(FIELD).fill("mil")
    server.send("PATCH", "/lists/place/sections/B", {"title": "Bees"})
    eventually(lambda: place(window) == "Add to “Bees”", lambda: place(window))
    window.page.keyboard.type("k")
    server.send("DELETE", "/lists/place/sections/B")
    gone = "“Bees” was deleted, or moved to another list."
    eventually(lambda: place(window) == gone, lambda: place(window))
    window.reload()
    eventually(lambda: place(window) == gone, lambda: place(window))
    window.page.locator(FIELD).press("Enter")
    window.note.get_by_text("Choose another place.").wait_for()
    window.page.locator(FIELD).evaluate(PASTE, "y\nz")
    assert typed(window) == "milk"
    assert server.outline("place") == "x\nb\n# A\na"
    window.page.locator("[data-part=clearTarget]").click()
    eventually(lambda: place(window) == "Add to “A”", lambda: place(window))
    window.press("Enter")
    expect(server, "place", "x\nb\n# A\na\nmilk")
    # The field is empty: the next task goes to the section on the screen.
    server.send("DELETE", "/lists/place/sections/A")
    eventually(lambda: place(window) == "", lambda: place(window))
    # The first section: what is typed stays before it.
    window.page.locator(FIELD).fill("tea")
    server.send("POST", "/lists/place/sections", {"id": "C", "title": "C"})
    eventually(lambda: place(window) == "Before the first section", lambda: place(window))
    window.press("Enter")
    expect(server, "place", "x\nb\na\nmilk\ntea\n# C")


def headings_that_are_pasted_become_sections(server, open_window):
    server.make("heads", "a\n# Old\nb")
    window = open_window("heads")
    line = window.page.locator(FIELD)
    line.evaluate(PASTE, "x\n# Home\n- y\n  - z\n\n## Work\n1. w")
    window.shows("a", "# Old", "b", "x", "# Home", "y", "  z", "# Work", "w")
    window.note.get_by_text("Added “\u2068x\u2069”, “\u2068Home\u2069” and 4 more").wait_for()
    assert server.send("GET", "/lists/heads")["version"] == 2
    eventually(lambda: place(window) == "Add to “Work”", lambda: place(window))
    line.fill("v")
    line.press("Enter")
    window.shows("a", "# Old", "b", "x", "# Home", "y", "  z", "# Work", "w", "v")
    window.page.locator("[data-part=undo]").click()
    window.page.locator("[data-part=undo]").click()
    window.shows("a", "# Old", "b")
    expect(server, "heads", "a\n# Old\nb")
    window.page.locator("[data-part=redo]").click()
    window.shows("a", "# Old", "b", "x", "# Home", "y", "  z", "# Work", "w")
    line.evaluate(PASTE, "# Only\n# Sections")
    window.page.locator(".canvas .section", has_text="Sections").wait_for()
    # One heading in the empty field is what the person typed.
    assert not line.evaluate(PASTE.replace("field.dispatchEvent", "return !field.dispatchEvent"), "# Title")


def lines_that_the_server_refuses_are_kept(server, open_window):
    server.make("lines", "# A\na")
    window = open_window("lines")
    window.expected = AWAY
    window.context.set_offline(True)
    window.page.locator(FIELD).evaluate(PASTE, "x\ny\n# Z\nz")
    window.until("document.querySelector('main').dataset.waiting === '1'")
    server.send("DELETE", "/lists/lines/sections/A")
    window.context.set_offline(False)
    window.page.wait_for_selector("main[data-state=live]")
    eventually(lambda: typed(window) == "x y Z z", lambda: typed(window))
    window.shows("a")


def notes_whose_change_the_server_refuses_are_kept(server, open_window):
    server.make("firm", "a\nb\nc")
    window = open_window("firm", viewport=WIDE)
    window.expected = AWAY
    open_details(window, "firm-b")
    window.context.set_offline(True)
    field(window, "notes").fill("an hour\nof work")
    leave(window)
    field(window, "url").fill("https://example.com/long")
    leave(window)
    window.until("document.querySelector('main').dataset.waiting === '2'")
    window.press("Escape")
    server.send("DELETE", "/tasks/firm-b")
    window.context.set_offline(False)
    window.page.wait_for_selector("main[data-state=live]")
    eventually(lambda: typed(window) == "an hour of work https://example.com/long", lambda: typed(window))
    window.shows("a", "c")
    window.reload()
    assert typed(window) == "an hour of work https://example.com/long"


def a_link_that_ends_shows_the_texts_that_were_not_saved(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)

    def rename(window, text):
        window.row("plan-a").locator(".title").dblclick()
        window.page.locator(RENAME).fill(text)

    def take_notes(window, text):
        open_details(window, "plan-b")
        field(window, "notes").fill(text)

    for begin in (rename, take_notes):
        zoe = guest(open_window, make_link(anna, "Zoë", "write"))
        zoe.expected += AWAY
        # The details are in the second script.
        zoe.page.evaluate("import(document.querySelector('link[rel=later]').href)")
        zoe.context.set_offline(True)
        zoe.page.locator(FIELD).fill("not sent")
        zoe.press("Enter")
        zoe.page.locator(FIELD).fill("in the field")
        begin(zoe, "a long text")
        anna.page.get_by_role("button", name="Take back: Zoë (link)").click()
        eventually(lambda: anna.page.locator("dialog.share li").count() == 0, "the link is taken back")
        zoe.context.set_offline(False)
        zoe.page.get_by_role("heading", name="This link has ended.").wait_for()
        zoe.page.get_by_text("1 change is not sent.").wait_for()
        texts = zoe.page.get_by_label("This text was not saved:")
        assert texts.input_value().split("\n") == ["not sent", "in the field a long text"], texts.input_value()
        check(zoe, "an ended link with a text")
        texts.select_text()
        assert zoe.page.evaluate("document.activeElement.selectionEnd") == len(texts.input_value())
        zoe.page.reload()
        zoe.page.get_by_role("heading", name="This link has ended.").wait_for()
        assert "in the field a long text" in texts.input_value(), texts.input_value()


def the_undo_of_a_note_leaves_what_is_being_typed(server, open_window):
    server.make("toast", "a\nb")
    undo = lambda window: window.note.get_by_role("button", name="Undo")
    undo_while_typing(server, open_window("toast", viewport=WIDE), lambda window: undo(window).click())
    undo_while_typing(server, open_window("toast", viewport=WIDE, has_touch=True), lambda window: undo(window).tap())


def undo_while_typing(server, window, press_undo):
    window.row("toast-b").locator(".tick").click()
    expect(server, "toast", "a\nb x")
    open_details(window, "toast-b")
    field(window, "notes").fill("half a")
    press_undo(window)
    expect(server, "toast", "a\nb")
    assert "data" not in server.send("GET", "/tasks/toast-b")
    window.page.keyboard.type(" sentence")
    leave(window)
    eventually(lambda: data_of(server, "toast-b") == {"notes": "half a sentence"}, lambda: data_of(server, "toast-b"))
    window.press("Escape")
    server.send("PATCH", "/tasks/toast-b", {"data": None})
    # The task itself is undone.
    window.page.locator(FIELD).fill("new")
    window.press("Enter")
    window.shows("a", "b", "new")
    window.page.locator(".canvas .task", has_text="new").focus()
    window.press("i")
    field(window, "notes").fill("of the new one")
    press_undo(window)
    window.shows("a", "b")
    eventually(lambda: typed(window) == "of the new one", lambda: typed(window))
    window.page.locator(FIELD).fill("")


def a_due_date_that_was_taken_is_for_one_task(server, open_window):
    server.make("once", "a")
    window = open_window("once", viewport=WIDE)
    open_details(window, "once-a")
    field(window, "url").fill("no link")  # it is a draft, too
    window.page.locator(FIELD).fill("milk tomorrow")
    window.page.locator(".due-offer", has_text="Due tomorrow").wait_for()
    window.press("Alt+Enter", "Enter")
    window.page.keyboard.type("bread")
    window.press("Enter")
    expect(server, "once", "a\nmilk\nbread")
    assert ["data" in task for task in server.send("GET", "/lists/once")["tasks"]] == [False, True, False]


FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"


def the_browser_asks_before_it_drops_what_nothing_keeps(server, open_window):
    server.make("ask", "a\nb")
    half, full = open_window("ask", viewport=WIDE), open_window(None)
    full.context.add_init_script(FULL)
    full.open("ask")
    open_details(half, "ask-a")
    for window, text_field, text in ((half, field(half, "time"), "09"), (full, full.page.locator(FIELD), "tea")):
        asked = []
        answer = lambda dialog, asked=asked: (asked.append(dialog.type), dialog.dismiss())
        window.page.on("dialog", answer)
        text_field.focus()
        window.page.keyboard.type(text)
        window.page.evaluate("setTimeout(() => location.reload())")
        eventually(lambda asked=asked: asked == ["beforeunload"], lambda asked=asked: asked)
        window.page.remove_listener("dialog", answer)
        text_field.focus()
        for _ in text:
            window.press("Backspace")
    assert typed(full) == ""
    full.page.reload()
    full.page.wait_for_selector("main[data-state=live]")


def buttons_beside_a_field_that_is_saved_act_at_once(server, open_window):
    server.make("beside", "a\nb")
    server.send("PATCH", "/tasks/beside-a", {"data": {"labels": ["home", "work"]}})
    window = open_window("beside", viewport=NARROW)
    open_details(window, "beside-a")
    field(window, "label").type("half")
    window.page.get_by_role("button", name="Remove the label “\u2068home\u2069”").click()
    eventually(lambda: data_of(server, "beside-a") == {"labels": ["work"]}, lambda: data_of(server, "beside-a"))
    field(window, "label").press("Enter")
    labels = {"labels": ["work", "half"]}
    eventually(lambda: data_of(server, "beside-a") == labels, lambda: data_of(server, "beside-a"))
    # Tab leads to the button of the note about the link.
    field(window, "url").fill("https://example.com/")
    window.press("Tab")
    eventually(lambda: "url" in data_of(server, "beside-a"), lambda: data_of(server, "beside-a"))
    assert window.page.evaluate("document.activeElement.textContent") == "Undo"
    window.press("Enter")
    eventually(lambda: data_of(server, "beside-a") == labels, lambda: data_of(server, "beside-a"))


def two_links_of_one_server_stay_apart_in_one_browser(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)
    plan = make_link(anna, "Zoë", "write")
    anna.press("Escape")
    anna.open("home")
    open_sharing(anna)
    home = make_link(anna, "Zoë", "write")
    window = guest(open_window, plan)
    window.expected += AWAY
    window.shows("a", "b", "c")
    other = window.context.new_page()
    other.goto(home)
    other.wait_for_selector("main[data-state=live]")
    titles = lambda page: page.locator(".canvas .task .title").all_text_contents()
    window.context.set_offline(True)
    for page, text in ((window.page, "of the plan"), (other, "of home")):
        page.locator(FIELD).fill(text)
        page.keyboard.press("Enter")
        page.locator(FIELD).fill(f"draft {text}")
    window.page.wait_for_selector("main[data-waiting='1']")
    other.wait_for_selector("main[data-waiting='1']")
    window.context.set_offline(False)
    for page, list_id, expected in ((window.page, "plan", ["a", "b", "c", "of the plan"]), (other, "home", ["x", "y", "of home"])):
        page.reload()
        page.wait_for_selector("main[data-state=live]")
        assert page.url == f"{server.url}/#{list_id}"
        eventually(lambda page=page, expected=expected: titles(page) == expected, lambda page=page: titles(page))
        assert page.locator(FIELD).input_value() == f"draft {expected[-1]}"
    expect(server, "plan", "a\nb\nc\nof the plan")
    expect(server, "home", "x\ny\nof home")


def a_language_that_no_format_accepts_is_ignored(server, open_window):
    server.make("tags", "a")
    window = open_window(None)
    window.context.add_init_script(
        "Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix', 'de-AT'] })")
    window.open("tags")
    assert window.page.evaluate("document.documentElement.lang") == "de"
    window.page.locator(FIELD).fill("Milch morgen")
    window.page.locator(".due-offer", has_text="Fällig morgen").wait_for()


def of_too_many_due_tasks_those_that_are_due_soon_are_shown(server, open_window):
    server.make("many", "late\nfar")
    for task, due in (("late", "2020-01-01"), ("far", "9000-01-01")):
        server.send("PATCH", f"/tasks/many-{task}", {"data": {"due": due}})
    window = open_window("many", viewport=WIDE)
    window.expected = ("status of 400",)
    problem = '{"type": "about:blank", "title": "t", "status": 400, "code": "order_limit", "detail": "d"}'
    window.page.route("**/tasks?*order=*", lambda route: route.fulfill(
        status=400, content_type="application/problem+json", body=problem))
    window.page.locator(f"nav {DUE}").click()
    items = window.page.locator("dialog.due li")
    items.first.wait_for()
    assert [text.split("\n")[0] for text in items.all_inner_texts()] == ["Overdue", "late"]
