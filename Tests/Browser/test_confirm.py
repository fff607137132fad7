"""What a double click or a second press must not do."""

from page_server import eventually
from test_access import check
from test_drag import expect
from test_edit import edit
from test_history import items, open_history, told
from test_menu import open_menu
from test_rights import with_token
from test_share import make_link, open_sharing, shared

SIZES = ({"width": 1100, "height": 800}, {"width": 390, "height": 760}, {"width": 320, "height": 480})


def double_click(window, element):
    x, y = window.point(element)
    window.page.mouse.dblclick(x, y)


def a_double_click_does_not_delete_a_list(server, open_window):
    server.make("trip", "a\n  a1\nb")
    other = open_window("trip")
    for size in SIZES:
        window = open_window("trip", viewport=size, has_touch=True, reduced_motion="reduce")
        menu = window.page.locator("[data-part=listMenu]")
        menu.tap()
        item = window.page.get_by_role("menuitem", name="Delete this list…")
        double_click(window, item)
        dialog = window.page.locator("dialog.confirm")
        dialog.wait_for()
        window.press("Escape")
        dialog.wait_for(state="hidden")
        # Another tap so soon would be half of a double tap.
        menu.press("Enter")
        first = window.box_of(item)
        item.tap()
        dialog.wait_for()
        # Where the finger was, there is no button that deletes.
        confirm = dialog.get_by_role("button", name="Delete the list")
        second = window.box_of(confirm)
        apart = [first[a] + first[b] <= second[a] or second[a] + second[b] <= first[a] for a, b in (("x", "width"), ("y", "height"))]
        assert any(apart), (size, first, second)
        assert window.page.evaluate("document.activeElement.textContent") == "Cancel"
        dialog.get_by_text("Delete “\u2068trip\u2069”?").wait_for()
        dialog.get_by_text("It has 3 tasks.").wait_for()
        check(window, f"deletion, {size}")
        window.press("Enter")
        dialog.wait_for(state="hidden")
        window.close()
    assert server.send("GET", "/lists/trip")["version"] == 1
    window = open_window("trip")
    window.expected = other.expected = ("status of 404",)
    window.delete_list()
    other.page.wait_for_selector("main[data-state=gone]")


def a_question_about_a_list_closes_with_the_list(server, open_window):
    server.make("one", "a")
    server.make("two", "b")
    window = open_window("one")
    window.open("two")
    window.command("Delete this list…")
    window.page.locator("dialog.confirm:modal").wait_for()
    window.page.go_back()
    window.shows("a")
    assert window.page.locator("dialog:modal").count() == 0
    assert server.outline("two") == "b"


def a_second_press_takes_back_no_other_link(server, open_window):
    window = with_token(open_window, server, shared(server), "plan")
    open_sharing(window)
    for name in ("One", "Two", "Three", "Four"):
        make_link(window, name, "read")
    links = window.page.locator("dialog.share li")
    double_click(window, links.first.get_by_role("button"))
    eventually(lambda: links.count() == 3, links.count)
    window.until("document.activeElement.dataset.part === 'shares'")
    links.first.get_by_role("button").focus()
    window.press("Enter")
    eventually(lambda: links.count() == 2, links.count)
    window.until("document.activeElement.dataset.part === 'shares'")
    window.press("Enter", "Space")
    assert len(server.send("GET", "/lists/plan/shares")["shares"]) == 2


def a_second_press_undoes_no_other_change(server, open_window):
    server.make("plan", "a\nb\nc")
    for task in ("a", "b", "c"):
        server.send("PATCH", f"/tasks/plan-{task}", {"done": True})
    window = open_window("plan")
    open_history(window)
    told(window, "Somebody completed <c>", "Somebody completed <b>")
    undo = window.page.locator("dialog.history li button")
    double_click(window, undo.nth(1))
    told(window, "Somebody reopened <b>", "Somebody completed <c>")
    window.until("document.activeElement.dataset.part === 'changes'")
    undo.nth(1).focus()
    window.press("Enter")
    told(window, "Somebody reopened <c>", "Somebody reopened <b>")
    window.until("document.activeElement.dataset.part === 'changes'")
    window.press("Enter", "Space")
    expect(server, "plan", "a x\nb\nc")
    assert len(items(window)) == 6


# The second click of a double click, after the first one has replaced what was under the pointer.
TWO = """async ([selector, other]) => {
    const press = (element, detail) => element.dispatchEvent(
        new MouseEvent("click", { bubbles: true, cancelable: true, detail }));
    press(document.querySelector(selector), 1);
    await new Promise(requestAnimationFrame);
    press(document.querySelector(other), 2);
}"""


def the_second_click_of_a_double_click_does_nothing_elsewhere(server, open_window):
    server.make("rows", "a\nb\nc\nd")
    window = edit(open_window("rows"))
    # The next row glides to the place of the deleted one.
    window.page.evaluate(TWO, ["[data-task=rows-a] .delete", "[data-task=rows-b] .delete"])
    window.shows("b", "c", "d")
    # The note's button is another one.
    undo = ".note button"
    window.page.evaluate(TWO, [undo, undo])
    window.shows("a", "b", "c", "d")
    window.page.locator("[data-part=edit]").click()
    # An item of a menu is over a row.
    open_menu(window, "rows-a")
    complete = window.page.get_by_role("menuitem", name="Complete")
    x, y = window.point(complete)
    window.page.mouse.dblclick(x, y)
    expect(server, "rows", "a x\nb\nc\nd")
    window.still()
    assert not window.page.get_by_role("toolbar").is_visible()


def a_key_that_is_held_acts_once(server, open_window):
    server.make("held", "a\nb\nc")
    window = open_window("held")
    window.focus("held-a")
    for _ in range(3):
        window.page.keyboard.down("Delete")
    window.page.keyboard.up("Delete")
    expect(server, "held", "b\nc")
    for _ in range(2):
        window.page.keyboard.down("Space")
    window.page.keyboard.up("Space")
    window.page.get_by_role("toolbar").wait_for()


def an_undo_in_a_note_takes_back_what_the_note_names(server, open_window):
    server.make("named", "a\n  a1\nb\nc")
    window = open_window("named")
    window.focus("named-c")
    window.press("Delete")
    window.note.get_by_text("Deleted").wait_for()
    window.focus("named-a")
    window.press("ArrowLeft")
    window.shows("a", "b")
    # The last step is the fold now.
    assert not window.note.is_visible()
    expect(server, "named", "a +\n  a1\nb")
