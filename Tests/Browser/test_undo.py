"""Undo takes back what this window did last, whatever it was: one step after the other, in the order in which they were done."""

from test_drag import expect
from test_edit import edit, press
from test_history import open_history, told
from test_lists import link, lists, shows

WIDE = {"width": 1100, "height": 800}


def rename(window, task, title):
    window.focus(task)
    window.press("F2")
    window.page.keyboard.type(title)
    window.press("Enter")


def undo(window):
    """From a row, so that no field has the focus."""
    window.page.locator(".canvas [data-task]").first.focus()
    window.press("Control+z")


def what_the_settings_did_is_undone_before_the_step_before_it(server, open_window):
    server.make("plan", "b\na x\nc")
    window, other = open_window("plan"), open_window("plan")
    rename(window, "plan-b", "bee")
    expect(server, "plan", "bee\na x\nc")
    window.command("Delete completed tasks")
    window.shows("bee", "c")
    # Somebody else's step is not taken back.
    rename(other, "plan-c", "sea")
    window.shows("bee", "sea")
    undo(window)
    window.shows("bee", "a", "sea")
    undo(window)
    window.shows("b", "a", "sea")
    window.press("Control+y", "Control+y")
    window.shows("bee", "sea")
    undo(window)
    window.shows("bee", "a", "sea")
    for name, result in (("Sort by title", ("a", "bee", "sea")), ("Reverse the order", ("sea", "bee", "a")),
                         ("Completed last", ("sea", "bee", "a"))):
        window.command(name)
        window.shows(*result)
    undo(window)
    window.shows("a", "bee", "sea")
    window.reload()
    undo(window)
    window.shows("bee", "a", "sea")
    undo(window)
    window.shows("b", "a", "sea")
    expect(server, "plan", "b\na x\nsea")


def an_undo_in_the_history_is_undone(server, open_window):
    server.make("plan", "a\nb")
    window, other = open_window("plan"), open_window("plan")
    rename(other, "plan-a", "A")
    window.shows("A", "b")
    rename(window, "plan-b", "B")
    expect(server, "plan", "A\nB")
    open_history(window)
    told(window, "Somebody renamed <b> to <B>", "Somebody renamed <a> to <A>")
    window.page.locator("dialog.history li", has_text="a").get_by_role("button", name="Undo: Somebody renamed “\u2068a").click()
    told(window, "Somebody renamed <A> to <a>")
    window.press("Escape")
    window.shows("a", "B")
    undo(window)
    window.shows("A", "B")
    undo(window)
    expect(server, "plan", "A\nb")


def the_deletion_of_a_list_is_undone_before_the_step_before_it(server, open_window):
    lists(server, "one", "two", "three")
    window, other = open_window("one", viewport=WIDE), open_window("two", viewport=WIDE)
    window.expected = other.expected = ("status of 404",)
    rename(window, "one-a", "A")
    window.open("two")
    window.delete_list()
    other.page.wait_for_selector("main[data-state=gone]")
    window.note.get_by_text("Deleted").wait_for()
    # Without an open list.
    window.page.evaluate("document.activeElement.blur()")
    window.press("Control+z")
    window.until("location.hash === '#two'")
    window.shows("a")
    other.page.wait_for_selector("main[data-state=live]")
    # In another list, whose own step was before the deletion.
    window.delete_list()
    other.page.wait_for_selector("main[data-state=gone]")
    link(window, "one").click()
    window.shows("A")
    assert window.page.locator("[data-part=undo]").is_enabled()
    undo(window)
    window.until("location.hash === '#two'")
    window.shows("a")
    link(window, "one").click()
    window.shows("A")
    undo(window)
    expect(server, "one", "a")
    # And before the step after it.
    window.open("two")
    window.delete_list()
    link(window, "one").click()
    window.shows("a")
    rename(window, "one-a", "B")
    expect(server, "one", "B")
    undo(window)
    expect(server, "one", "a")
    assert server.refusal("GET", "/lists/two") == "list_not_found"


def the_order_of_the_lists_is_undone_in_its_turn(server, open_window):
    server.send("DELETE", "/lists/demo")
    lists(server, "ant", "bee")
    window = open_window("ant", viewport=WIDE)
    shows(window, "ant", "bee")
    rename(window, "ant-a", "A")
    link(window, "bee").focus()
    window.press("Alt+ArrowUp")
    shows(window, "bee", "ant")
    press(edit(window), "ant-a", "tick")
    expect(server, "ant", "A x")
    undo(window)
    expect(server, "ant", "A")
    undo(window)
    shows(window, "ant", "bee")
    window.press("Control+y")
    shows(window, "bee", "ant")
    undo(window)
    shows(window, "ant", "bee")
    undo(window)
    expect(server, "ant", "a")
