"""What a person typed or selected is neither lost nor written elsewhere."""

from page_server import eventually
from test_board import WIDE as BOARD
from test_board import board, hover
from test_details import WIDE, data_of, field, is_closed, open_details
from test_edit import PASTE
from test_kept import AWAY
from test_rights import with_token
from test_share import live, make_link, open_sharing, shared, stored

FIELD = "[data-part=newTitle]"


def typed(window):
    return window.page.locator(FIELD).input_value()


def a_closed_pane_does_not_open_by_itself(server, open_window):
    server.make("quiet", "a\nb")
    window = open_window("quiet", viewport=WIDE)
    open_details(window, "quiet-a")
    field(window, "notes").focus()
    window.page.keyboard.type("x")
    window.press("Backspace")
    window.press("Escape")
    is_closed(window)
    window.page.locator(FIELD).focus()
    window.page.keyboard.type("Buy ")
    server.send("PATCH", "/tasks/quiet-b", {"title": "c"})
    window.shows("a", "c")
    window.page.keyboard.type("milk")
    is_closed(window)
    assert typed(window) == "Buy milk", typed(window)


def notes_that_cannot_be_saved_are_kept(server, open_window):
    server.make("long", "a\nb")
    window = open_window("long", viewport=WIDE)
    open_details(window, "long-a")
    notes = "long text " * 900
    field(window, "notes").fill(notes)
    window.focus("long-b")
    eventually(lambda: typed(window) == notes, lambda: f"it is kept: {typed(window)[:40]}")


def notes_of_a_deleted_list_are_kept(server, open_window):
    server.make("brief", "a\nb")
    window = open_window("brief", viewport=WIDE)
    window.expected = ("status of 404",)
    open_details(window, "brief-a")
    field(window, "notes").fill("an hour of notes")
    server.send("DELETE", "/lists/brief")
    window.page.wait_for_selector("main[data-state=gone]")
    is_closed(window)
    eventually(lambda: typed(window) == "an hour of notes", lambda: f"it is kept: {typed(window)}")


def another_day_keeps_the_times_of_selected_tasks(server, open_window):
    server.make("days", "a\nb\nc")
    server.send("PATCH", "/tasks/days-a", {"data": {"due": "2026-12-05T09:30:00"}})
    server.send("PATCH", "/tasks/days-b", {"data": ["an app's"]})
    window = open_window("days")
    for task in "abc":
        window.focus(f"days-{task}")
        window.press("Control+Space")
    window.page.locator("[data-part=withSelected] [value=due]").click()
    date = window.page.locator("dialog.date input")
    assert date.input_value() == "2026-12-05"
    date.fill("2026-12-20")
    date.press("Enter")
    eventually(lambda: data_of(server, "days-c") == {"due": "2026-12-20"}, "the others have the day")
    assert data_of(server, "days-a") == {"due": "2026-12-20T09:30:00"}
    assert data_of(server, "days-b") == ["an app's"]


def lines_that_are_pasted_leave_what_was_typed(server, open_window):
    server.make("paste", "a")
    window = open_window("paste")
    window.page.locator(FIELD).fill("Call the bank")
    window.page.locator(FIELD).evaluate(PASTE, "x\ny")
    window.shows("a", "x", "y")
    assert typed(window) == "Call the bank"


def a_section_needs_a_title(server, open_window):
    server.make("bare", "a")
    window = open_window("bare")
    window.command("Add a section")
    window.press("Enter")
    window.page.keyboard.type("Later")
    window.press("Enter")
    titles = lambda name: [one["title"] for one in server.send("GET", "/lists/bare")[name]]
    eventually(lambda: titles("sections") == ["Later"], lambda: f"it is added: {titles('sections')}")
    assert titles("tasks") == ["a"], titles("tasks")


def selected_tasks_in_a_folded_task_are_completed(server, open_window):
    server.make("folds", "a\n  a1\n  a2\nb")
    window = open_window("folds")
    for task in ("a1", "b"):
        window.focus(f"folds-{task}")
        window.press("Control+Space")
    window.row("folds-a").locator(".fold").click()
    window.shows("a", "b")
    window.page.locator("[data-part=withSelected] [value=complete]").click()
    for task in ("a1", "b"):
        eventually(lambda task=task: server.send("GET", f"/tasks/folds-{task}").get("done"), f"{task} is done")


def a_change_of_others_leaves_a_refused_place_refused(server, open_window):
    server.make("cramped", "# A\na\nb\n# B\nc\nz", maxTasksPerSection=2)
    window = board(open_window, "cramped", **BOARD)
    window.lift("cramped-c")
    hover(window, window.row("cramped-b"))
    window.until("document.querySelector('.blank.refused')")
    server.send("PATCH", "/tasks/cramped-z", {"title": "y"})
    window.row("cramped-z").get_by_text("y", exact=True).wait_for()
    window.drop()
    window.until("!document.querySelector('.lifted, .blank')")
    assert server.outline("cramped") == "# A\na\nb\n# B\nc\ny"


def a_link_that_ended_leaves_the_persons_own_token(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)
    link = make_link(anna, "Zoë", "write")
    own = server.add_token("Bob", "write:home")
    bob = with_token(open_window, server, own, "home")
    bob.expected += AWAY
    bob.page.goto(f"{server.url}/readyz")  # a link in the same document is no visit
    bob.page.goto(link)
    live(bob)
    bob.context.set_offline(True)
    bob.page.locator(FIELD).fill("d")
    bob.press("Enter")
    anna.page.get_by_role("button", name="Take back: Zoë (link)").click()
    eventually(lambda: anna.page.locator("dialog.share li").count() == 0, "the link is taken back")
    bob.context.set_offline(False)
    bob.page.get_by_role("heading", name="This link has ended.").wait_for()
    bob.page.get_by_text("1 change").wait_for()
    bob.page.locator("[data-part=leave]").click()
    bob.page.wait_for_selector(".index", state="visible")
    assert stored(bob, "localStorage") == own
