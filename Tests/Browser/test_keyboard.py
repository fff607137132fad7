"""The list without a pointer."""

from page_server import eventually
from test_drag import expect


def a_row_is_lifted_moved_and_dropped_with_keys_and_announced(server, open_window):
    server.make("keys", "one\ntwo\n# Home\nthree")
    window = open_window("keys")
    window.focus("keys-one")
    window.press("Space")
    window.says("Lifted")
    window.press("ArrowDown")
    window.says("Position 2 of 2")
    window.press("ArrowDown")
    window.says("Position 1 of 2, in “\u2068Home\u2069”")
    window.press("Space")
    window.says("Moved “\u2068one\u2069”")
    expect(server, "keys", "two\n# Home\none\nthree")
    window.shows("two", "# Home", "one", "three")
    assert window.page.evaluate("document.activeElement.dataset.task") == "keys-one"


def a_row_is_nested_and_un_nested_with_keys(server, open_window):
    server.make("level", "a\nb\nc")
    window = open_window("level")
    window.focus("level-b")
    window.press("Space", "ArrowRight")
    window.says("under “\u2068a\u2069”, level 2")
    window.press("Enter")
    expect(server, "level", "a\n  b\nc")
    window.focus("level-c")
    window.press("Space", "ArrowRight", "ArrowRight", "Space")
    expect(server, "level", "a\n  b\n    c")
    window.press("Space", "ArrowLeft", "ArrowLeft", "Space")
    expect(server, "level", "a\n  b\nc")
    window.shows("a", "  b", "c")


def a_lifted_row_has_the_chosen_level_wherever_it_is_allowed(server, open_window):
    server.make("chosen", "a\nb\nc\nd")
    window = open_window("chosen")
    window.focus("chosen-d")
    window.press("Space", "ArrowRight")
    window.says("under “\u2068c\u2069”, level 2")
    window.press("ArrowUp")
    window.says("under “\u2068b\u2069”, level 2")
    # The first row cannot be a subtask. Below it, the chosen level returns.
    window.press("ArrowUp", "ArrowUp")
    window.says("Position 1 of 4")
    window.press("ArrowDown")
    window.says("under “\u2068a\u2069”, level 2")
    window.press("Space")
    expect(server, "chosen", "a\n  d\nb\nc")
    # Also further out than before: between a task and its subtask, only the level of subtasks is allowed.
    server.make("outer", "a\n  a1\n  a2\nb")
    window = open_window("outer")
    window.focus("outer-a2")
    window.press("Space", "ArrowLeft")
    window.says("Position 2 of 3")
    window.press("ArrowUp")
    window.says("Position 1 of 2, under “\u2068a\u2069”, level 2")
    window.press("ArrowDown")
    window.says("Position 2 of 3")
    window.press("Space")
    expect(server, "outer", "a\n  a1\na2\nb")


def escape_puts_a_row_back(server, open_window):
    server.make("back", "one\ntwo\nthree")
    window = open_window("back")
    window.focus("back-three")
    window.press("Space", "ArrowUp", "ArrowUp")
    window.says("Position 1 of 3")
    window.press("Escape")
    window.says("cancelled")
    window.shows("one", "two", "three")
    assert server.send("GET", "/lists/back")["version"] == 1


def locked_rows_do_not_lift_and_nothing_lands_among_them(server, open_window):
    server.make("rows", "first\nsecond\nthird", elementsOffset=1)
    window = open_window("rows")
    window.focus("rows-first")
    window.press("Space")
    window.says("locked")
    window.focus("rows-third")
    window.press("Space", "ArrowUp", "ArrowUp", "ArrowUp")
    window.says("Can’t go further up")
    window.press("Space")
    expect(server, "rows", "first\nthird\nsecond")


def arrows_move_through_the_list_and_collapse_rows(server, open_window):
    server.make("tree", "a\n  a1\n  a2\nb")
    window = open_window("tree")
    window.page.keyboard.press("Tab")
    window.focus("tree-a")
    window.press("ArrowLeft")
    window.shows("a", "b")
    expect(server, "tree", "a +\n  a1\n  a2\nb")
    window.press("ArrowRight")
    window.shows("a", "  a1", "  a2", "b")
    window.press("ArrowDown", "ArrowDown", "ArrowLeft")
    assert window.page.evaluate("document.activeElement.dataset.task") == "tree-a"
    window.press("End")
    assert window.page.evaluate("document.activeElement.dataset.task") == "tree-b"
    expect(server, "tree", "a\n  a1\n  a2\nb")


def several_rows_are_selected_and_moved_with_keys(server, open_window):
    server.make("many", "a\nb\nc\nd")
    window = open_window("many")
    window.focus("many-a")
    window.press("Shift+ArrowDown")
    eventually(lambda: window.page.locator("[aria-selected=true]").count() == 2, "two are selected")
    window.press("Space", "ArrowDown", "ArrowDown", "Space")
    expect(server, "many", "c\nd\na\nb")


def tab_reaches_every_control_of_a_row(server, open_window):
    server.make("tab", "a\n  a1\nb")
    window = open_window("tab")
    window.page.locator("[data-part=edit]").click()
    window.focus("tab-a")
    seen = []
    for _ in range(6):
        window.press("Tab")
        seen.append(window.page.evaluate("document.activeElement.ariaLabel"))
    for part in ("Delete", "Done", "Hide the subtasks", "Add a subtask", "Move"):
        assert any(part in (label or "") for label in seen), (part, seen)


def a_section_is_moved_with_keys(server, open_window):
    server.make("heads", "zero\n# One\na\n# Two\nb")
    window = open_window("heads")
    window.section("Two").focus()
    window.press("Space")
    window.says("Section 2 of 2")
    window.press("ArrowUp")
    window.says("Section 1 of 2")
    window.press("ArrowUp")
    window.says("Can’t go further up")
    window.press("Space")
    window.says("Moved the section")
    expect(server, "heads", "zero\n# Two\nb\n# One\na")
    window.shows("zero", "# Two", "b", "# One", "a")
    assert window.page.evaluate("document.activeElement.dataset.section") == "Two"


def buttons_move_a_row_that_a_tap_on_its_handle_lifted(server, open_window):
    server.make("taps", "a\nb\nc")
    window = open_window("taps", viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True)
    press = lambda name: window.page.get_by_role("toolbar").get_by_role("button", name=name).tap()
    window.handle("taps-c").tap()
    press("Up")
    window.says("Position 2 of 3")
    press("Into the row above")
    window.says("level 2")
    press("Drop")
    expect(server, "taps", "a\n  c\nb")
    window.shows("a", "  c", "b")
    assert window.page.get_by_role("toolbar").count() == 0
    window.handle("taps-b").tap()
    press("Up")
    press("Cancel")
    window.says("cancelled")
    window.shows("a", "  c", "b")


def a_lifted_row_stays_below_the_same_row_when_rows_are_inserted_above(server, open_window):
    server.make("above", "a\nb\nc\nd")
    window = open_window("above")
    window.focus("above-d")
    window.press("Space", "ArrowUp")
    window.says("Position 3 of 4")
    server.send("POST", "/lists/above/tasks", {"id": "above-new", "title": "new", "position": 0, "section": None})
    eventually(lambda: window.titles() == ["new", "a", "b", "d", "c"], lambda: window.titles())
    window.press("Space")
    expect(server, "above", "new\na\nb\nd\nc")


def a_question_mark_shows_the_shortcuts(server, open_window):
    window = open_window("demo")
    dialog = window.page.locator("dialog.shortcuts")
    window.focus("demo-bread")
    window.press("?")
    dialog.get_by_text("undo").wait_for()
    window.press("Escape")
    dialog.wait_for(state="hidden")
    assert window.page.evaluate("document.activeElement.dataset.task") == "demo-bread"
    # In a field, it is text.
    field = window.page.locator("[data-part=newTitle]")
    field.focus()
    window.press("?")
    assert field.input_value() == "?"
    assert not dialog.is_visible()


def enter_on_a_handle_lifts_its_row(server, open_window):
    server.make("enter", "a\nb")
    window = open_window("enter")
    window.handle("enter-a").focus()
    window.press("Enter")
    window.says("Lifted")
    window.press("ArrowDown", "Enter")
    expect(server, "enter", "b\na")


def a_range_is_selected_even_if_its_first_row_was_deleted(server, open_window):
    server.make("from", "a\nb\nc\nd")
    window = open_window("from")
    window.focus("from-b")
    window.press("Control+Space")
    server.send("DELETE", "/tasks/from-b")
    window.shows("a", "c", "d")
    window.focus("from-c")
    window.press("Shift+ArrowDown")
    window.until("document.querySelector('[data-part=selection]').textContent === '2 selected'")
