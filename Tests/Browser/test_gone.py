"""Rows, lists and places that somebody else removes while a person works with them: no key acts on another one."""

from page_server import eventually
from test_drag import expect
from test_lists import lists, shows
from test_menu import open_menu

WIDE = {"width": 1100, "height": 800}
FIELD = "[data-part=newTitle]"


def two(open_window, list_id, **options):
    """Two windows with the same list: of the person, and of somebody else."""
    window, other = open_window(list_id, **options), open_window(list_id, **options)
    # A drag ends before it can be cancelled.
    window.expected = other.expected = ("status of 404",)
    return window, other


def delete(other, *tasks):
    """Somebody else deletes tasks."""
    for task in tasks:
        other.focus(task)
        other.press("Delete")


def on_the_tree(window):
    window.until("document.activeElement.dataset.part === 'canvas'")


def text(window):
    return window.page.locator(FIELD).input_value()


def keys_do_nothing_after_somebody_deletes_the_row_with_the_focus(server, open_window):
    server.make("six", "a\nb\nc\nd\ne\nf")
    window, other = two(open_window, "six")
    window.focus("six-d")
    delete(other, "six-d")
    on_the_tree(window)
    window.says("“\u2068d\u2069” was deleted, or moved to another list.")
    window.press("Delete", "Backspace", "Enter", "F2", "Space", "Control+Enter", "n", "/", "Shift+F10", "ArrowRight")
    window.shows("a", "b", "c", "e", "f")
    on_the_tree(window)
    expect(server, "six", "a\nb\nc\ne\nf")
    # Then the person moves: to the row that was below or above.
    window.press("ArrowDown", "Delete")
    expect(server, "six", "a\nb\nc\nf")
    window.focus("six-c")
    delete(other, "six-c")
    on_the_tree(window)
    window.press("ArrowUp")
    window.until("document.activeElement.dataset.task === 'six-b'")
    # At the end of the list, and with several rows at once.
    window.focus("six-f")
    delete(other, "six-f")
    on_the_tree(window)
    window.press("ArrowDown")
    window.until("document.activeElement.dataset.task === 'six-b'")
    delete(other, "six-b", "six-a")
    window.shows()
    on_the_tree(window)
    window.press("ArrowDown", "Delete", "Space")
    expect(server, "six", "")


def a_row_of_several_that_are_deleted_leaves_the_focus_at_its_place(server, open_window):
    server.make("block", "a\nb\nc\nd\ne")
    window, other = two(open_window, "block")
    window.focus("block-c")
    other.focus("block-a")
    other.press("Shift+ArrowDown", "Shift+ArrowDown", "Delete")
    on_the_tree(window)
    window.press("ArrowDown")
    window.until("document.activeElement.dataset.task === 'block-d'")
    expect(server, "block", "d\ne")


def the_focus_follows_the_persons_own_deletions(server, open_window):
    server.make("own", "a\nb\nc\nd")
    window = open_window("own")
    window.focus("own-b")
    window.press("Delete", "Delete")
    expect(server, "own", "a\nd")
    window.until("document.activeElement.dataset.task === 'own-d'")


def a_click_or_tab_is_a_movement(server, open_window):
    server.make("moves", "a\nb\nc\nd")
    window, other = two(open_window, "moves")
    window.focus("moves-b")
    delete(other, "moves-b")
    on_the_tree(window)
    window.press("Tab")
    window.until("document.activeElement.dataset.task === 'moves-c'")
    window.press("Delete")
    expect(server, "moves", "a\nd")
    window.focus("moves-a")
    delete(other, "moves-a")
    on_the_tree(window)
    window.row("moves-d").locator(".title").click()
    window.press("Control+z")
    expect(server, "moves", "c\nd")


def a_row_that_others_hide_leaves_the_focus_on_the_tree(server, open_window):
    server.make("fold", "a\n  a1\n  a2\nb\nc")
    window, other = two(open_window, "fold")
    window.focus("fold-a2")
    other.focus("fold-a")
    other.press("ArrowLeft")
    on_the_tree(window)
    window.says("“\u2068a2\u2069” is hidden now.")
    window.press("Delete")
    window.shows("a", "b", "c")
    # Completed tasks are hidden.
    window.page.locator("[data-part=find]").click()
    window.page.locator("[data-part=hideDone]").click()
    window.focus("fold-b")
    other.focus("fold-b")
    other.press("Control+Enter")
    on_the_tree(window)
    window.press("Delete")
    window.shows("a", "c")
    expect(server, "fold", "a +\n  a1\n  a2\nb x\nc")


def a_section_that_somebody_deletes_leaves_the_focus_on_the_tree(server, open_window):
    server.make("heads", "# One\na\n# Two\nb")
    window, other = two(open_window, "heads")
    window.section("Two").focus()
    other.section("Two").focus()
    other.press("Delete")
    on_the_tree(window)
    window.press("Delete", "Enter", "Space", "ArrowDown", "Space")
    window.says("Lifted")
    window.press("Escape")
    expect(server, "heads", "b\n# One\na")


def a_replaced_list_leaves_the_focus_on_the_tree(server, open_window):
    server.make("whole", "a\nb\nc")
    window, _ = two(open_window, "whole")
    window.focus("whole-b")
    tasks = [{"id": one, "title": one} for one in "xyz"]
    server.send("PUT", "/lists/whole", {"title": "whole", "tasks": tasks}, {"If-Match": "*"})
    on_the_tree(window)
    window.press("Delete", "Space")
    window.shows("x", "y", "z")
    expect(server, "whole", "x\ny\nz")


def a_title_in_progress_is_kept_when_somebody_deletes_its_row(server, open_window):
    server.make("shop", "eggs\nmilk\ntea")
    window, other = two(open_window, "shop")
    window.focus("shop-milk")
    window.press("F2")
    window.page.keyboard.type("Fruit")
    delete(other, "shop-milk")
    on_the_tree(window)
    note = "That task was deleted. “\u2068Fruit\u2069” is kept in the field for new tasks."
    window.page.locator(".note", has_text=note).wait_for()
    # What is typed after that is kept too, until Enter; nothing else happens.
    window.page.keyboard.type(" and Nuts")
    window.press("ArrowDown", "Home", "Delete", "Enter", "Control+z", "Space", "ArrowDown", "Space", "x")
    on_the_tree(window)
    window.shows("eggs", "tea")
    expect(server, "shop", "eggs\ntea")
    assert text(window) == "Fruit and Nuts", text(window)
    # Escape ends the renaming. The kept text can be added.
    window.press("Escape", "ArrowDown")
    window.until("document.activeElement.dataset.task === 'shop-tea'")
    window.page.locator(FIELD).press("Enter")
    expect(server, "shop", "eggs\ntea\nFruit and Nuts")
    # Nothing was typed until then.
    window.page.locator(FIELD).fill("more")
    window.focus("shop-tea")
    window.press("F2")
    delete(other, "shop-tea")
    on_the_tree(window)
    window.page.keyboard.type("n/?")
    window.page.locator(".note", has_text="What you type is kept in the field for new tasks.").wait_for()
    on_the_tree(window)
    assert text(window) == "more n/?", text(window)
    window.press("Escape", "n")
    on_the_tree(window)
    expect(server, "shop", "eggs\nFruit and Nuts")


def a_section_title_in_progress_is_kept_when_somebody_deletes_the_section(server, open_window):
    server.make("parts", "# One\na\n# Two\nb")
    window, other = two(open_window, "parts")
    window.section("Two").locator(".title").dblclick()
    window.page.keyboard.type("Second")
    other.section("Two").focus()
    other.press("Delete")
    on_the_tree(window)
    window.page.keyboard.type(" n")
    window.press("Enter")
    assert text(window) == "Second n", text(window)
    expect(server, "parts", "b\n# One\na")


def a_title_that_the_server_refuses_is_kept(server, open_window):
    server.make("late", "a\nb")
    window, other = two(open_window, "late")
    window.expected += ("ERR_",)
    window.page.locator(FIELD).fill("more")
    window.page.route("**/lists/late/batch", lambda route: route.abort())
    window.context.set_offline(True)
    window.focus("late-b")
    window.press("F2")
    window.page.keyboard.type("bee")
    window.press("Enter")
    eventually(lambda: window.titles() == ["a", "bee"], window.titles)
    delete(other, "late-b")
    expect(server, "late", "a")
    window.page.unroute("**/lists/late/batch")
    window.context.set_offline(False)
    window.page.locator(".note", has_text="“\u2068bee\u2069” is kept").wait_for()
    window.shows("a")
    assert text(window) == "more bee", text(window)


def a_lifted_row_that_somebody_deletes_ends_the_lift(server, open_window):
    server.make("lift", "a\nb\nc\nd\ne")
    window, other = two(open_window, "lift")
    window.focus("lift-c")
    window.press("Space")
    window.says("Lifted")
    delete(other, "lift-c")
    window.page.locator(".note", has_text="“\u2068c\u2069” was deleted, or moved to another list.").wait_for()
    on_the_tree(window)
    window.press("ArrowDown", "Space", "ArrowDown", "Space", "Enter", "Delete")
    window.shows("a", "b", "d", "e")
    expect(server, "lift", "a\nb\nd\ne")
    assert window.page.get_by_role("toolbar").count() == 0
    window.press("Escape", "ArrowDown")
    window.until("document.activeElement.dataset.task === 'lift-d'")


def a_dragged_row_that_somebody_deletes_ends_the_drag_with_a_sentence(server, open_window):
    server.make("drag", "a\nb\nc\nd")
    window, other = two(open_window, "drag")
    target = window.box("drag-d")
    window.lift("drag-b")
    window.hover(target)
    delete(other, "drag-b")
    window.page.wait_for_selector(".drag-image", state="detached")
    window.page.locator(".note", has_text="“\u2068b\u2069” was deleted, or moved to another list.").wait_for()
    window.page.mouse.up()
    window.still()
    window.shows("a", "c", "d")
    assert "was deleted" in window.note.inner_text(), window.note.inner_text()
    expect(server, "drag", "a\nc\nd")


def a_place_between_rows_that_part_is_beside_the_one_that_stayed(server, open_window):
    for kind in ("drag", "keys"):
        server.make(kind, "a\nb\nc\ne\n# S\nf")
        window, other = two(open_window, kind)
        if kind == "drag":
            target = window.box("drag-c")
            window.lift("drag-b")
            window.hover(target)
        else:
            window.focus("keys-b")
            window.press("Space", "ArrowDown")
            window.says("Position 3 of 4")
        server.send("POST", f"/lists/{kind}/move", {"task": f"{kind}-c", "section": "S"})
        eventually(lambda other=other: other.titles() == ["a", "b", "e", "# S", "f", "c"], other.titles)
        eventually(lambda window=window: window.titles()[-2:] == ["f", "c"], window.titles)
        if kind == "drag":
            window.drop()
        else:
            window.press("Space")
        expect(server, kind, "a\nb\ne\n# S\nf\nc")
        # The place is the rows' first one, so there is no other version.
        assert server.send("GET", f"/lists/{kind}")["version"] == 2


def a_menu_closes_when_somebody_deletes_its_task(server, open_window):
    server.make("menu", "a\nb\nc\nd")
    window, other = two(open_window, "menu")
    window.focus("menu-b")
    window.press("Shift+F10")
    window.page.get_by_role("menu").wait_for()
    delete(other, "menu-b")
    window.page.get_by_role("menu").wait_for(state="hidden")
    on_the_tree(window)
    window.page.locator(".note", has_text="“\u2068b\u2069” was deleted").wait_for()
    window.press("ArrowDown", "ArrowDown", "Enter", "Delete")
    expect(server, "menu", "a\nc\nd")
    window.shows("a", "c", "d")
    # The dialog that asks for another list.
    server.make("elsewhere", "x")
    open_menu(window, "menu-c")
    window.page.get_by_role("menuitem", name="Move…").click()
    window.page.locator("dialog.choose:modal").wait_for()
    delete(other, "menu-c")
    window.page.locator("dialog.choose:modal").wait_for(state="detached")
    window.page.locator(".note", has_text="“\u2068c\u2069” was deleted").wait_for()
    window.press("Enter", "Delete")
    expect(server, "menu", "a\nd")
    assert server.outline("elsewhere") == "x"


def a_place_for_new_tasks_that_somebody_deletes_gets_no_task(server, open_window):
    server.make("under", "fruit\nbread")
    window, other = two(open_window, "under")
    open_menu(window, "under-fruit")
    window.page.get_by_role("menuitem", name="Add a subtask").click()
    window.page.keyboard.type("apples")
    delete(other, "under-fruit")
    window.page.locator("[data-part=target]", has_text="“\u2068fruit\u2069” was deleted").wait_for()
    window.press("Enter")
    window.page.locator(".note", has_text="Choose another place").wait_for()
    window.shows("bread")
    expect(server, "under", "bread")
    assert text(window) == "apples"
    window.page.locator("[data-part=clearTarget]").click()
    window.press("Enter")
    expect(server, "under", "bread\napples")


def a_list_that_somebody_deletes_leaves_the_focus_in_the_sidebar(server, open_window):
    lists(server, "one", "two", "three")
    window, other = two(open_window, "one", viewport=WIDE)
    link = window.page.locator('nav a[href="#two"]')
    link.focus()
    server.send("DELETE", "/lists/two")
    link.wait_for(state="detached")
    window.until("document.activeElement.dataset.part === 'items'")
    window.says("“\u2068two\u2069” is not among the lists any more.")
    window.press("Alt+ArrowUp", "Enter")
    assert window.page.url.endswith("#one")
    # A list that is dragged.
    item = window.page.locator('nav a[href="#three"]')
    window.grab(item)
    window.page.mouse.move(window.x, window.y - 30)
    window.page.locator(".list-card").wait_for()
    server.send("DELETE", "/lists/three")
    window.page.locator(".list-card").wait_for(state="detached")
    window.page.locator(".note", has_text="“\u2068three\u2069” is not among the lists any more.").wait_for()
    window.page.mouse.up()
    assert "index" not in [one["id"] for one in server.send("GET", "/lists")["lists"]]


def a_list_title_in_progress_is_kept_when_somebody_deletes_the_list(server, open_window):
    server.make("trip", "a")
    window, other = two(open_window, "trip")
    window.page.locator("h1[data-part=title] button").click()
    window.page.keyboard.type("Journey")
    server.send("DELETE", "/lists/trip")
    window.page.wait_for_selector("main[data-state=gone]")
    window.page.locator(".note", has_text="This list was deleted. “\u2068Journey\u2069” is kept").wait_for()
    server.send("POST", "/lists/trip/restore")
    window.page.wait_for_selector("main[data-state=live]")
    eventually(lambda: text(window) == "Journey", lambda: text(window))


def a_folder_title_in_progress_stays_when_somebody_deletes_the_folder(server, open_window):
    server.send("DELETE", "/lists/demo")
    lists(server, "one", "two")
    index = [{"id": "work", "title": "Work"}, *({"id": f"i-{one}", "title": one, "data": {"list": one}} for one in ("one", "two"))]
    server.send("PUT", "/lists/index", {"title": "Lists", "tasks": index})
    window = open_window("one", viewport=WIDE)
    shows(window, "Work", "one", "two")
    window.page.get_by_role("button", name="Actions for “\u2068Work\u2069”").click()
    window.page.get_by_role("menuitem", name="Rename").click()
    window.page.keyboard.type("Office")
    server.send("DELETE", "/tasks/work")
    shows(window, "one", "two")
    window.press("Enter")
    window.page.locator(".note", has_text="“\u2068Work\u2069” is not among the lists any more.").wait_for()
    dialog = window.page.locator("dialog.folder:modal")
    assert dialog.locator("input").input_value() == "Office"
    expect(server, "index", "one\ntwo")


def the_chosen_result_stays_chosen_when_more_are_found(server, open_window):
    server.send("PUT", "/lists/p1", {"title": "Pears one", "tasks": []})
    server.send("PUT", "/lists/p2", {"title": "Pears two", "tasks": [{"id": "p", "title": "pears"}]})
    window = open_window("p1", viewport=WIDE)
    held = []
    window.page.route("**/tasks?*", lambda route: held.append(route))
    window.page.locator("[data-part=findAll]").fill("pears")
    window.page.locator("[data-part=results] li").nth(1).wait_for()
    eventually(lambda: held, "the server is asked")
    window.page.locator("[data-part=findAll]").press("ArrowDown")
    window.page.locator("[data-part=findAll]").press("ArrowDown")
    held.pop().continue_()
    window.page.locator("[data-part=results] li").nth(2).wait_for()
    window.page.locator("[data-part=findAll]").press("Enter")
    window.until("location.hash === '#p2'")


def a_list_that_somebody_deletes_leaves_what_is_typed_in_the_field(server, open_window):
    server.make("typing", "a\nb")
    window, _ = two(open_window, "typing")
    window.page.locator(FIELD).fill("half")
    server.send("DELETE", "/lists/typing")
    window.page.wait_for_selector("main[data-state=gone]")
    window.page.keyboard.type(" a note?")
    window.press("Enter")
    assert text(window) == "half a note?"
    assert window.page.locator("dialog[open]").count() == 0
    window.says("This list was deleted. “\u2068half a note?\u2069” is kept in the field for new tasks.")
    # Beside the field, no key acts.
    window.press("Tab", "Tab", "Tab", "?", "n", "/", "Control+z")
    assert window.page.locator("dialog[open]").count() == 0
    assert not window.page.locator(FIELD).is_visible()
    server.send("POST", "/lists/typing/restore")
    window.page.wait_for_selector("main[data-state=live]")
    window.page.locator(FIELD).press("Enter")
    expect(server, "typing", "a\nb\nhalf a note?")
