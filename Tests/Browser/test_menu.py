"""The menu of a row, and moves to another list."""

from page_server import eventually
from test_drag import expect
from test_sync import AWAY
from window import LONG_PRESS, Finger


def choose(window, name):
    window.page.get_by_role("menuitem", name=name, exact=True).click()


def open_menu(window, task):
    window.row(task).locator(".title").click(button="right")
    window.page.get_by_role("menu").wait_for()


def the_menu_of_a_row_has_its_actions(server, open_window):
    server.make("menu", "a\n  a1\nb\n# Home\nc")
    window = open_window("menu")
    open_menu(window, "menu-b")
    choose(window, "Complete")
    expect(server, "menu", "a\n  a1\nb x\n# Home\nc")
    open_menu(window, "menu-b")
    choose(window, "Rename")
    window.page.locator("textarea.rename").fill("bee")
    window.press("Enter")
    expect(server, "menu", "a\n  a1\nbee x\n# Home\nc")
    open_menu(window, "menu-a")
    choose(window, "Hide subtasks")
    window.shows("a", "bee", "# Home", "c")
    open_menu(window, "menu-b")
    choose(window, "Add a subtask")
    window.page.keyboard.type("sub")
    window.press("Enter")
    expect(server, "menu", "a +\n  a1\nbee x\n  sub\n# Home\nc")
    open_menu(window, "menu-c")
    choose(window, "Delete")
    expect(server, "menu", "a +\n  a1\nbee x\n  sub\n# Home")
    window.section("Home").locator(".title").click(button="right")
    choose(window, "Delete the section; its tasks stay")
    expect(server, "menu", "a +\n  a1\nbee x\n  sub")


def a_section_gets_a_limit_of_its_own(server, open_window):
    server.make("limited", "# Doing\na\n# Done\nb")
    window = open_window("limited")
    limit = lambda: server.send("GET", "/lists/limited")["sections"][0].get("maxTasks")
    field = window.page.get_by_label("Tasks in this section, at most")

    def enter(text, former):
        window.section("Doing").locator(".title").click(button="right")
        choose(window, "Limit the tasks…")
        assert field.input_value() == former
        field.fill(text)
        window.page.get_by_role("button", name="Save").click()

    enter("1", "")
    eventually(lambda: limit() == 1, limit)
    window.note.get_by_text("Changed the section").wait_for()
    enter("2", "1")
    eventually(lambda: limit() == 2, limit)
    window.note.get_by_role("button", name="Undo").click()
    eventually(lambda: limit() == 1, limit)
    enter("", "1")
    eventually(lambda: limit() is None, limit)
    assert server.send("GET", "/lists/limited")["sections"][0]["title"] == "Doing"


def the_keyboard_opens_the_menu_and_escape_returns_to_the_row(server, open_window):
    server.make("keyboardmenu", "a\nb")
    window = open_window("keyboardmenu")
    focused = lambda: window.page.evaluate("document.activeElement.dataset.task ?? document.activeElement.textContent")
    for key in ("Shift+F10", "ContextMenu"):
        window.focus("keyboardmenu-b")
        window.press(key)
        eventually(lambda: focused() == "Complete", focused)
        window.press("ArrowUp")
        assert focused() == "Delete"
        window.press("Home", "ArrowDown")
        assert focused() == "Rename"
        window.press("Escape")
        eventually(lambda: focused() == "keyboardmenu-b", focused)
    window.press("Shift+F10", "Enter")
    expect(server, "keyboardmenu", "a\nb x")


def a_finger_opens_the_menu(server, open_window):
    server.make("tapped", "a\nb\nc")
    window = open_window("tapped", viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True)
    # With the button of the tapped row.
    window.row("tapped-b").locator(".title").tap()
    window.row("tapped-b").locator(".more").tap()
    window.page.get_by_role("menuitem", name="Complete", exact=True).tap()
    expect(server, "tapped", "a\nb x\nc")
    # With a long press.
    finger = Finger(window)
    finger.press(window.row("tapped-c"), 100)
    window.elapse(LONG_PRESS)
    window.page.wait_for_selector(".drag-image")
    finger.release()
    window.page.get_by_role("menuitem", name="Delete", exact=True).tap()
    expect(server, "tapped", "a\nb x")


def a_finger_presses_nothing_in_the_menu_that_it_opens(server, open_window):
    """Near the bottom right corner, the menu is under the finger."""
    server.make("corner", "\n".join("abcdefghijkl"))
    window = open_window("corner", viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True)
    finger = Finger(window)
    finger.press(window.row("corner-k"), 250)
    window.elapse(LONG_PRESS)
    window.page.wait_for_selector(".drag-image")
    finger.release_late()
    item = window.page.get_by_role("menuitem", name="Complete", exact=True)
    assert item.evaluate("(item) => item === document.activeElement")
    item.tap()
    expect(server, "corner", "\n".join("abcdefghij") + "\nk x\nl")


def a_task_moves_to_another_list_and_back(server, open_window):
    server.make("moving", "a\nb\n  b1\nc")
    server.make("into", "x")
    window = open_window("moving")
    open_menu(window, "moving-b")
    choose(window, "Move…")
    dialog = window.page.get_by_role("dialog")
    assert dialog.get_by_role("option", name="moving", exact=True).count() == 0
    dialog.get_by_role("option", name="into", exact=True).click()
    window.shows("a", "c")
    expect(server, "into", "x\nb\n  b1")
    window.note.get_by_text("into").wait_for()
    window.note.get_by_role("button", name="Undo").click()
    window.shows("a", "b", "  b1", "c")
    expect(server, "moving", "a\nb\n  b1\nc")
    expect(server, "into", "x")
    window.press("Control+y")
    window.shows("a", "c")
    expect(server, "into", "x\nb\n  b1")
    # Steps before the move are undone after it.
    window.row("moving-a").locator(".tick").click()
    window.press("Control+z", "Control+z")
    expect(server, "moving", "a\nb\n  b1\nc")
    window.shows("a", "b", "  b1", "c")


def selected_tasks_are_completed_and_moved_together(server, open_window):
    server.make("severaltasks", "a\nb\nc\nd\n  d1\ne")
    server.make("collected", "x")
    window = open_window("severaltasks")
    window.row("severaltasks-a").locator(".title").click(modifiers=["Control"])
    window.row("severaltasks-c").locator(".title").click(modifiers=["Control"])
    window.row("severaltasks-d").locator(".title").click(modifiers=["Control"])
    open_menu(window, "severaltasks-c")
    choose(window, "Complete: 3 tasks")
    expect(server, "severaltasks", "a x\nb\nc x\nd x\n  d1\ne")
    window.says("Completed 3 tasks")
    window.press("Control+z")
    expect(server, "severaltasks", "a\nb\nc\nd\n  d1\ne")
    for task in ("a", "c", "d"):
        window.row(f"severaltasks-{task}").locator(".title").click(modifiers=["Control"])
    open_menu(window, "severaltasks-a")
    choose(window, "Move: 3 tasks…")
    window.page.get_by_role("dialog").get_by_role("option", name="collected", exact=True).click()
    expect(server, "collected", "x\na\nc\nd\n  d1")
    window.shows("b", "e")
    window.press("Control+z")
    expect(server, "severaltasks", "a\nb\nc\nd\n  d1\ne")
    expect(server, "collected", "x")


def a_row_is_dropped_on_a_list_in_the_sidebar(server, open_window):
    server.make("drop", "a\nb\nc")
    server.make("target", "x")
    window = open_window(None, viewport={"width": 1200, "height": 800})
    # The index is not requested again and again, so that the counts show what a move does.
    window.page.add_init_script("window.setInterval = () => 0")
    window.open("drop")
    # The move ends the drag, so there is perhaps none to cancel.
    window.expected = ("status of 404",)
    link = window.page.locator('nav a[href="#target"]')
    x, y = window.point(link)
    window.lift("drop-b")
    window.page.mouse.move(x, y, steps=6)
    window.until("document.querySelector('nav a.aimed')?.hash === '#target'")
    window.drop()
    window.shows("a", "c")
    expect(server, "target", "x\nb")
    eventually(lambda: link.text_content() == "target2", link.text_content)
    assert window.page.locator("nav a.aimed").count() == 0
    window.note.get_by_role("button", name="Undo").click()
    eventually(lambda: link.text_content() == "target1", link.text_content)
    expect(server, "drop", "a\nb\nc")
    window.shows("a", "b", "c")
    # The open list is no target: the row returns.
    own = window.page.locator('nav a[href="#drop"]')
    x, y = window.point(own)
    window.lift("drop-c")
    window.page.mouse.move(x, y, steps=6)
    assert window.page.locator("nav a.aimed").count() == 0
    window.press("Escape")
    window.page.mouse.up()
    window.shows("a", "b", "c")


def a_move_to_another_list_needs_the_server(server, open_window):
    server.make("online", "a\nb")
    server.make("far", "x")
    window = open_window("online")
    window.expected = (*AWAY, "status of 409", "ERR_FAILED")
    open_menu(window, "online-a")
    choose(window, "Move…")
    dialog = window.page.get_by_role("dialog")
    dialog.get_by_role("option", name="far", exact=True).wait_for()
    server.stop()
    dialog.get_by_role("option", name="far", exact=True).click()
    window.says("only while the server can be reached")
    window.page.wait_for_selector("main[data-state=offline]")
    open_menu(window, "online-b")
    choose(window, "Move…")
    window.says("only while the server can be reached")
    server.start()
    window.page.wait_for_selector("main[data-state=live]")
    window.shows("a", "b")
    # The server's refusal is shown.
    server.send("PATCH", "/lists/far", {"moves": "siblings"})
    open_menu(window, "online-a")
    choose(window, "Move…")
    dialog.get_by_role("option", name="far", exact=True).click()
    window.says("siblings")
    expect(server, "online", "a\nb")


def the_sidebar_scrolls_to_the_list_of_a_drop(server, open_window):
    names = [f"far-{number:02}" for number in range(30)]
    server.make("near", "a\nb\nc")
    for name in names:
        server.make(name, "x")
    window = open_window("near", viewport={"width": 1200, "height": 500}, reduced_motion="reduce")
    scroller = window.page.locator(".index")
    scroller.evaluate("scroller => { scroller.scrollTop = 0 }")
    first, target = (window.page.locator(f'nav a[href="#{names[index]}"]') for index in (0, 15))
    first.scroll_into_view_if_needed()
    before = scroller.evaluate("scroller => scroller.scrollTop")
    window.lift("near-b")
    window.page.mouse.move(100, 498, steps=6)
    eventually(lambda: scroller.evaluate("scroller => scroller.scrollTop") > before + 200, "it is scrolled")
    # In the middle it stays. Near an edge it would scroll on until the drop.
    window.page.mouse.move(100, 250, steps=3)
    target.evaluate("link => link.scrollIntoView({ block: 'center' })")
    box = window.box_of(target)
    window.page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2, steps=3)
    aimed = window.page.locator("nav a.aimed")
    eventually(lambda: aimed.count() == 1 and aimed.get_attribute("href") == f"#{names[15]}", "the list is aimed at")
    window.drop()
    expect(server, names[15], "x\nb")
    expect(server, "near", "a\nc")
