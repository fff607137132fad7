"""The details of a task: the line in its row, and the pane."""

from page_server import eventually
from test_rights import with_token
from test_sync import AWAY
from window import MILLISECONDS

WIDE = {"width": 1300, "height": 800}
NARROW = {"width": 390, "height": 700}
APP = {"app": {"color": "red"}}


def data_of(server, task):
    return server.send("GET", f"/tasks/{task}").get("data")


def has(server, task, **data):
    """Waits until a task has this data, besides that of an app."""
    eventually(lambda: data_of(server, task) == {**APP, **data}, lambda: f"{data}, but {data_of(server, task)}")


def field(window, name):
    return window.page.locator(f"dialog.detail [name={name}]")


def open_details(window, task):
    window.focus(task)
    window.press("i")
    window.page.wait_for_selector("dialog.detail[open]")


def leave(window):
    window.page.locator("dialog.detail h2").focus()


def line(window, task):
    return window.row(task).locator(".line").text_content()


def is_closed(window):
    eventually(lambda: window.page.locator("dialog.detail[open]").count() == 0, "the pane is closed")


def each_field_is_saved_when_it_is_left(server, open_window):
    server.make("field", "a\nb")
    server.send("PATCH", "/tasks/field-a", {"data": APP})
    window = open_window("field", viewport=WIDE, locale="en-GB")
    open_details(window, "field-a")
    field(window, "notes").fill("two\nlines")
    leave(window)
    has(server, "field-a", notes="two\nlines")
    field(window, "date").fill("2031-03-04")
    assert data_of(server, "field-a") == {**APP, "notes": "two\nlines"}, "a date is saved when it is left"
    field(window, "date").press("Control+Enter")
    has(server, "field-a", notes="two\nlines", due="2031-03-04")
    field(window, "time").fill("09:30")
    leave(window)
    field(window, "priority").select_option("High")
    due = {"notes": "two\nlines", "due": "2031-03-04T09:30:00", "priority": 1}
    has(server, "field-a", **due)
    for text in ("home", "errand,", "home"):
        field(window, "label").type(text)
        field(window, "label").press("Enter")
    has(server, "field-a", **due, labels=["home", "errand"])
    field(window, "url").fill("javascript:alert(1)")
    leave(window)
    window.says("http://")
    field(window, "url").fill("example.com/a")
    leave(window)
    has(server, "field-a", **due, labels=["home", "errand"], url="https://example.com/a")
    eventually(lambda: line(window, "field-a") == "4 Mar 2031, 09:30Highhomeerrand", lambda: line(window, "field-a"))
    assert "priority: High" in window.row("field-a").get_attribute("aria-label")
    window.page.get_by_role("button", name="Remove the label “\u2068home\u2069”").click()
    has(server, "field-a", **due, labels=["errand"], url="https://example.com/a")
    field(window, "title").fill("A")
    field(window, "title").press("Enter")
    window.shows("A", "b")
    # What is too long stays in the field, and is not sent.
    field(window, "notes").fill("ü" * 4100)
    leave(window)
    window.says("too much text")
    assert field(window, "notes").get_attribute("aria-invalid") == "true"
    field(window, "notes").fill("")
    leave(window)
    has(server, "field-a", due=due["due"], priority=1, labels=["errand"], url="https://example.com/a")
    window.press("Escape")
    is_closed(window)
    assert window.page.evaluate("document.activeElement.dataset.task") == "field-a"
    window.press("Control+z")
    has(server, "field-a", **due, labels=["errand"], url="https://example.com/a")


def changes_of_others_leave_the_field_that_is_edited(server, open_window):
    server.make("both", "a\nb")
    server.send("PATCH", "/tasks/both-a", {"data": {**APP, "notes": "old"}})
    window = open_window("both", viewport=WIDE)
    open_details(window, "both-a")
    field(window, "notes").fill("mine")
    server.send("PATCH", "/tasks/both-a", {"data": {"notes": "theirs", "url": "https://example.com/"}})
    eventually(lambda: field(window, "url").input_value() == "https://example.com/", "their link is shown")
    assert field(window, "notes").input_value() == "mine"
    leave(window)
    has(server, "both-a", notes="mine", url="https://example.com/")
    server.send("PATCH", "/tasks/both-a", {"data": {"notes": "theirs"}})
    eventually(lambda: field(window, "notes").input_value() == "theirs", "their notes are shown")
    # The task is deleted: what is typed is kept.
    field(window, "notes").fill("kept words")
    server.send("DELETE", "/tasks/both-a")
    is_closed(window)
    window.note.get_by_text("was deleted").wait_for()
    eventually(lambda: window.page.locator("[data-part=newTitle]").input_value() == "kept words", "the text is kept")


def what_is_typed_survives_a_reload(server, open_window):
    server.make("draft", "a\nb")
    window = open_window("draft", viewport=WIDE)
    open_details(window, "draft-b")
    field(window, "notes").fill("half a sen")
    window.page.evaluate("addEventListener('focusout', (event) => event.stopPropagation(), true)")  # it is not saved on the way
    window.reload()
    window.page.wait_for_selector("dialog.detail[open]")
    assert field(window, "notes").input_value() == "half a sen"
    window.page.keyboard.type("tence")
    window.press("Escape")
    is_closed(window)
    eventually(lambda: data_of(server, "draft-b") == {"notes": "half a sentence"}, "it is saved")
    window.reload()
    window.shows("a", "b")
    is_closed(window)


def the_pane_follows_the_rows_beside_it(server, open_window):
    server.make("follow", "a\nb\nc")
    server.send("PATCH", "/tasks/follow-b", {"data": {"notes": "of b"}})
    window = open_window("follow", viewport=WIDE)
    open_details(window, "follow-a")
    field(window, "notes").fill("of a")
    window.focus("follow-b")
    eventually(lambda: field(window, "notes").input_value() == "of b", "it shows b")
    eventually(lambda: data_of(server, "follow-a") == {"notes": "of a"}, "a is saved")
    window.press("Delete")
    eventually(lambda: field(window, "title").input_value() == "c", "it shows the next row")
    window.press("Escape")
    is_closed(window)
    # In a narrow window, it is a sheet above the rows.
    window.row("follow-a").hover()
    window.row("follow-a").locator(".info").click()
    window.page.wait_for_selector("dialog.detail[open]")
    window.page.set_viewport_size(NARROW)
    window.page.wait_for_selector("dialog.detail:modal")
    field(window, "notes").fill("of a, too")
    window.press("Escape")
    is_closed(window)
    eventually(lambda: data_of(server, "follow-a") == {"notes": "of a, too"}, "a is saved")
    window.row("follow-a").locator(".line").click()
    window.page.wait_for_selector("dialog.detail:modal")
    window.page.goto(f"{server.url}/#weekend")
    is_closed(window)


def readers_see_the_details(server, open_window):
    server.make("seen", "a\nb")
    server.send("PATCH", "/tasks/seen-a", {"data": {"notes": "to read", "labels": ["home"]}})
    server.require_tokens()
    window = with_token(open_window, server, server.add_token("reader", "read"), "seen", viewport=WIDE)
    open_details(window, "seen-a")
    for name, value in (("title", "a"), ("notes", "to read")):
        assert field(window, name).input_value() == value
        assert field(window, name).get_attribute("readonly") is not None
    for name in ("label", "url", "date", "priority"):
        assert not field(window, name).is_visible(), name
    assert window.page.locator("dialog.detail .labels").inner_text() == "home"
    assert window.page.locator("dialog.detail .labels button").count() == 0


def data_that_is_no_object_is_left_alone(server, open_window):
    server.make("other", "a\nb")
    server.send("PATCH", "/tasks/other-a", {"data": "an app's"})
    server.send("PATCH", "/tasks/other-b", {"data": {"due": {"day": 1}, "labels": "red"}})
    window = open_window("other", viewport=WIDE)
    open_details(window, "other-a")
    assert field(window, "notes").get_attribute("readonly") is not None or not field(window, "notes").is_visible()
    window.focus("other-b")
    field(window, "notes").fill("n")
    leave(window)
    eventually(lambda: data_of(server, "other-b") == {"due": {"day": 1}, "labels": "red", "notes": "n"}, "only notes are set")
    assert data_of(server, "other-a") == "an app's"


def rows_with_a_line_have_the_height_that_the_layout_expects(server, open_window):
    tasks = [{"id": f"t{number}", "title": f"t{number}", **({"data": {"due": "2031-01-01"}} if number % 3 else {})}
             for number in range(300)]
    server.send("PUT", "/lists/tall", {"title": "tall", "tasks": tasks})
    window = open_window("tall")
    height = lambda: window.page.evaluate("document.querySelector('.canvas').style.height")
    before = height()
    window.page.locator(".scroller").evaluate("scroller => { scroller.scrollTop = scroller.scrollHeight }")
    window.row("t299").wait_for()
    window.still()
    assert height() == before, f"{before}, then {height()}"
    window.focus("t299")
    window.press("Home")
    target = window.box("t4")
    window.lift("t1")
    window.hover(target)
    window.drop()
    eventually(lambda: [task["id"] for task in server.send("GET", "/lists/tall")["tasks"]][:6] == ["t0", "t2", "t3", "t4", "t1", "t5"],
               "it is dropped there")


def without_the_server_a_note_says_why_the_pane_is_missing(server, open_window):
    server.make("gone", "a")
    window = open_window(None, viewport=WIDE)
    window.expected = (*AWAY, "ERR_FAILED", "dynamically imported")
    window.page.route("**/later.js", lambda route: route.abort())
    window.open("gone")
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]", timeout=MILLISECONDS)
    window.focus("gone-a")
    window.press("i")
    window.says("can’t be loaded")
