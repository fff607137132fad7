"""The search over all lists, and the order of the lists in the sidebar."""

import re

from page_server import eventually
from test_access import check
from test_token import WIDE
from window import LONG_PRESS, Finger


def field(window):
    return window.page.get_by_role("combobox", name="Search in all lists")


def focused(window):
    return window.page.evaluate("document.activeElement.dataset.task")


def a_search_over_all_lists_opens_the_list_of_a_found_task(server, open_window):
    server.make("far1", "zebra1\nb +\n  zebra2")
    server.make("far2", "c\nzebra3")
    window = open_window("far2", viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    field(window).press_sequentially("ZEBRA")
    options = window.page.get_by_role("option")
    eventually(lambda: options.count() == 3, options.count)
    window.says("3 tasks found")
    assert options.first.locator(".count").text_content() == "far1"
    window.press("ArrowDown", "ArrowDown", "ArrowUp")
    assert options.first.get_attribute("aria-selected") == "true"
    check(window, "results")
    window.press("Enter")
    eventually(lambda: focused(window) == "far1-zebra1", lambda: focused(window))
    assert options.count() == 0 and field(window).input_value() == ""
    # A task in a folded task is shown by its parent.
    field(window).fill("zebra2")
    options.first.click()
    eventually(lambda: focused(window) == "far1-b", lambda: focused(window))
    field(window).fill("zebra")
    eventually(lambda: options.count() == 3, options.count)
    field(window).press("Escape")
    assert options.count() == 0 and field(window).input_value() == ""
    field(window).fill("no such text")
    window.page.get_by_text("No list and no task in any list contains this text.").wait_for()


def lists(server, *lists):
    """Creates lists with one task each. The server also has the sample list."""
    for one in lists:
        server.make(one, "a")


def names(window):
    return window.page.evaluate("""() => [...document.querySelectorAll("nav [data-part=items] > li")]
        .map((item) => "  ".repeat(item.getAttribute("aria-level") - 1) + item.querySelector(".name").textContent)""")


def shows(window, *expected):
    eventually(lambda: names(window) == list(expected), lambda: f"{expected}\nbut {names(window)}")


def link(window, list_id):
    return window.page.locator(f'nav a[href="#{list_id}"]')


def drag(window, item, over, right=0):
    """Drags one item of the sidebar over another one."""
    _, y = window.point(over)
    window.grab(item, 40)
    window.page.mouse.move(window.x, window.y + 8)
    window.page.wait_for_selector(".list-card")
    window.page.mouse.move(window.x + right, y, steps=6)


def order(server):
    return [(entry["list"] or entry["task"])["id"] for entry in server.send("GET", "/lists/index/entries")["entries"]]


def lists_are_reordered_in_the_sidebar(server, open_window):
    lists(server, "ant", "bee", "cat")
    one = open_window("ant", viewport=WIDE)
    shows(one, "ant", "bee", "cat", "Weekend")
    address = one.page.url
    drag(one, link(one, "cat"), over=link(one, "ant"))
    shows(one, "cat", "ant", "bee", "Weekend")
    one.page.mouse.up()
    eventually(lambda: server.refusal("GET", "/lists/index") is None, "the index exists")
    eventually(lambda: order(server) == ["cat", "ant", "bee", "demo"], lambda: order(server))
    shows(one, "cat", "ant", "bee", "Weekend")
    assert one.page.url == address, "a drag opens no list"
    # Another window follows. It hides the index, and a search does not find its tasks.
    other = open_window("ant", viewport=WIDE, reduced_motion="reduce")
    shows(other, "cat", "ant", "bee", "Weekend")
    check(other, "an order")
    field(other).fill("cat")
    options = other.page.get_by_role("option")
    eventually(lambda: options.all_text_contents() == ["catList"], options.all_text_contents)
    field(other).fill("Lists")
    other.page.get_by_text("No list and no task in any list contains this text.").wait_for()
    field(other).press("Escape")
    # The keyboard moves a list, and the link keeps the focus.
    link(other, "bee").focus()
    other.press("Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp")
    other.says("Can’t go further up.")
    shows(other, "bee", "cat", "ant", "Weekend")
    shows(one, "bee", "cat", "ant", "Weekend")
    assert other.page.evaluate("document.activeElement.hash") == "#bee"
    link(other, "ant").focus()
    other.press("Alt+ArrowDown")
    shows(one, "bee", "cat", "Weekend", "ant")
    other.note.get_by_role("button", name="Undo").click()
    shows(one, "bee", "cat", "ant", "Weekend")
    other.note.get_by_role("button", name="Redo").click()
    shows(one, "bee", "cat", "Weekend", "ant")
    # So does the menu of a list.
    one.command("Move up among the lists")
    shows(other, "bee", "cat", "ant", "Weekend")
    # A new list is the last one, and a deleted one disappears with its entry.
    one.page.get_by_label("Title of a new list").fill("aaa")
    one.press("Enter")
    shows(other, "bee", "cat", "ant", "Weekend", "aaa")
    one.page.locator("h1[data-part=title]", has_text="aaa").wait_for()
    one.delete_list()
    shows(one, "bee", "cat", "ant", "Weekend")
    eventually(lambda: order(server) == ["bee", "cat", "ant", "demo"], lambda: order(server))


def a_late_response_without_the_order_does_not_end_the_first_move(server, open_window):
    lists(server, "ant", "bee")
    window = open_window("ant", viewport=WIDE)
    shows(window, "ant", "bee", "Weekend")
    late = []
    window.page.route("**/lists?*", lambda route: late.append((route, route.fetch())))
    server.make("cat", "a")
    eventually(lambda: late, "the lists are read before the index exists")
    # The index is read when the late response has been shown.
    held = []
    window.page.route(re.compile("/lists/index([/?]|$)"), lambda route: held.append(route))
    link(window, "bee").focus()
    window.press("Alt+ArrowUp")
    eventually(lambda: held, "the index is read")
    window.page.unroute("**/lists?*")
    for route, response in late:
        route.fulfill(response=response)
    stored = "localStorage.getItem('reorderd lists')"
    eventually(lambda: "cat" in window.page.evaluate(stored), lambda: window.page.evaluate(stored))
    for route in held:
        route.continue_()
    window.page.unroute(re.compile("/lists/index([/?]|$)"))
    eventually(lambda: server.refusal("GET", "/lists/index") is None, "the index exists")
    eventually(lambda: order(server)[:2] == ["bee", "ant"], lambda: order(server))
    shows(window, "bee", "ant", "Weekend", "cat")


def a_drag_in_the_sidebar_ends_without_a_move(server, open_window):
    lists(server, "ant", "bee", "cat")
    window = open_window("ant", viewport=WIDE)
    shows(window, "ant", "bee", "cat", "Weekend")
    drag(window, link(window, "cat"), over=link(window, "ant"))
    shows(window, "cat", "ant", "bee", "Weekend")
    window.press("Escape")
    shows(window, "ant", "bee", "cat", "Weekend")
    window.page.mouse.up()
    drag(window, link(window, "ant"), over=link(window, "ant"))
    window.page.mouse.up()
    assert window.page.locator(".list-card").count() == 0
    assert [one["id"] for one in server.send("GET", "/lists")["lists"]] == ["ant", "bee", "cat", "demo"]
    # A click still opens a list.
    link(window, "bee").click()
    window.page.locator("h1[data-part=title]", has_text="bee").wait_for()


def a_finger_moves_a_list_after_a_long_press(server, open_window):
    lists(server, "ant", "bee", "cat")
    window = open_window(None, viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True)
    window.page.goto(f"{server.url}/")
    shows(window, "ant", "bee", "cat", "Weekend")
    finger = Finger(window)
    # Without a movement, it opens no list.
    finger.press(link(window, "bee"), 60)
    window.elapse(LONG_PRESS)
    window.page.wait_for_selector(".list-card")
    finger.release_late()
    assert window.page.evaluate("location.hash") == ""
    (_, bottom), (_, top) = window.point(link(window, "cat")), window.point(link(window, "ant"))
    finger.press(link(window, "ant"), 60)
    window.elapse(LONG_PRESS)
    window.page.wait_for_selector(".list-card")
    finger.move(bottom - top)
    shows(window, "bee", "cat", "ant", "Weekend")
    finger.release()
    eventually(lambda: server.refusal("GET", "/lists/index") is None, "the index exists")
    shows(window, "bee", "cat", "ant", "Weekend")
    assert window.page.evaluate("location.hash") == ""


def the_menu_moves_a_list_while_the_sidebar_is_hidden(server, open_window):
    lists(server, "ant", "bee", "cat")
    window = open_window("bee", viewport={"width": 390, "height": 700}, reduced_motion="reduce")

    def move(to, *places):
        for place in places:
            window.command(f"Move {to} among the lists")
            window.says(f"to place {place}")

    move("down", 3)
    eventually(lambda: server.refusal("GET", "/lists/index") is None, "the index exists")
    eventually(lambda: order(server) == ["ant", "cat", "bee", "demo"], lambda: order(server))
    # After a reload, the page has not loaded the order.
    window.open("demo").open("bee").page.reload()
    window.page.wait_for_selector("main[data-state=live]")
    move("up", 2)
    eventually(lambda: order(server) == ["ant", "bee", "cat", "demo"], lambda: order(server))
    move("down", 3, 4)
    eventually(lambda: order(server) == ["ant", "cat", "demo", "bee"], lambda: order(server))
    move("up", 3, 2, 1)
    eventually(lambda: order(server) == ["bee", "ant", "cat", "demo"], lambda: order(server))
    window.page.goto(f"{server.url}/#")
    shows(window, "bee", "ant", "cat", "Weekend")


def lists_move_into_folders_and_out_of_them(server, open_window):
    lists(server, "ant", "bee", "cat")
    tasks = [{"id": "pets", "title": "Pets"}, {"id": "e1", "title": "?", "parent": "pets", "data": {"list": "cat"}},
             {"id": "e2", "title": "gone", "data": {"list": "gone"}},
             {"id": "e3", "title": "?", "section": "s", "data": {"list": "ant"}}]
    server.send("PUT", "/lists/index", {"title": "Lists", "sections": [{"id": "s", "title": "Insects"}], "tasks": tasks})
    window = open_window("ant", viewport=WIDE, reduced_motion="reduce")
    shows(window, "Pets", "  cat", "Insects", "ant", "bee", "Weekend")
    check(window, "folders")
    # Lists without an entry get one at the end, where they are shown.
    drag(window, link(window, "bee"), over=link(window, "cat"))
    window.page.mouse.up()
    shows(window, "Pets", "  bee", "  cat", "Insects", "ant", "Weekend")
    eventually(lambda: order(server) == ["pets", "bee", "cat", "e2", "ant", "demo"], lambda: order(server))
    # At the end of a folder, the keyboard first moves out of it, and then to the next section.
    link(window, "bee").focus()
    window.press("Alt+ArrowDown", "Alt+ArrowDown")
    shows(window, "Pets", "  cat", "bee", "Insects", "ant", "Weekend")
    window.press("Alt+ArrowDown")
    shows(window, "Pets", "  cat", "Insects", "bee", "ant", "Weekend")
    window.press("Alt+ArrowDown", "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp")
    shows(window, "Pets", "  cat", "  bee", "Insects", "ant", "Weekend")
    # A folder is folded for everybody, and moves with its lists.
    folder = window.page.get_by_role("button", name="Pets", exact=True)
    folder.click()
    shows(window, "Pets", "Insects", "ant", "Weekend")
    eventually(lambda: server.send("GET", "/tasks/pets")["collapsed"], "it is folded")
    folder.click()
    drag(window, folder, over=link(window, "demo"))
    window.page.mouse.up()
    shows(window, "Insects", "ant", "Weekend", "Pets", "  cat", "  bee")
    # To the right, a list becomes a part of the folder above it.
    drag(window, link(window, "ant"), over=link(window, "bee"), right=30)
    window.page.mouse.up()
    shows(window, "Insects", "Weekend", "Pets", "  cat", "  bee", "  ant")
    eventually(lambda: server.send("GET", "/tasks/e3")["parent"] == "pets", "it is in the folder")


def more(window, folder):
    return window.page.get_by_role("button", name=f"Actions for “\u2068{folder}\u2069”")


def choose(window, folder, action):
    more(window, folder).click()
    window.page.get_by_role("menuitem", name=action).click()


def folders_are_created_renamed_and_deleted(server, open_window):
    lists(server, "ant", "bee", "cat")
    window = open_window("ant", viewport=WIDE, reduced_motion="reduce")
    other = open_window("ant", viewport=WIDE, reduced_motion="reduce")
    shows(window, "ant", "bee", "cat", "Weekend")
    dialog = window.page.get_by_role("dialog")
    # The first folder creates the index, with the lists in their order.
    window.page.get_by_role("button", name="New folder…").click()
    check(window, "the dialog of a new folder")
    window.page.keyboard.type("Pets")
    window.press("Enter")
    dialog.wait_for(state="hidden")
    shows(window, "ant", "bee", "cat", "Weekend", "Pets")
    eventually(lambda: server.refusal("GET", "/lists/index") is None, "the index exists")
    other.page.reload()
    for one in ("cat", "ant"):
        drag(window, link(window, one), over=window.page.get_by_role("button", name="Pets", exact=True), right=30)
        window.page.mouse.up()
    shows(other, "bee", "Weekend", "Pets", "  ant", "  cat")
    # A cancelled dialog, and one without a title, change nothing.
    for act in (lambda: window.press("Escape"), lambda: dialog.get_by_role("button", name="Cancel").click()):
        window.page.get_by_role("button", name="New folder…").click()
        window.page.keyboard.type("   ")
        window.press("Enter")
        assert dialog.is_visible()
        act()
        dialog.wait_for(state="hidden")
    choose(window, "Pets", "Rename")
    assert dialog.locator("input").input_value() == "Pets"
    window.page.keyboard.type("Animals")
    window.press("Enter")
    shows(other, "bee", "Weekend", "Animals", "  ant", "  cat")
    # The keyboard and a right click open the menu, and Escape returns to the button.
    button = more(window, "Animals")
    button.focus()
    window.press("Enter")
    check(window, "the menu of a folder")
    window.press("ArrowDown", "Escape")
    assert button.evaluate("(button) => document.activeElement === button")
    assert window.page.get_by_role("menu").count() == 0
    window.page.get_by_role("button", name="Animals", exact=True).click(button="right")
    window.page.get_by_role("menuitem", name="Delete").click()
    # The lists of the folder stay in its place.
    shows(other, "bee", "Weekend", "ant", "cat")
    window.note.get_by_role("button", name="Undo").click()
    shows(other, "bee", "Weekend", "Animals", "  ant", "  cat")
    # A folder in a folder leaves its lists in the outer one.
    window.page.get_by_role("button", name="New folder…").click()
    window.page.keyboard.type("Inner")
    window.press("Enter")
    shows(window, "bee", "Weekend", "Animals", "  ant", "  cat", "Inner")
    window.page.get_by_role("button", name="Inner", exact=True).focus()
    window.press("Alt+ArrowUp")
    shows(window, "bee", "Weekend", "Animals", "  ant", "  cat", "  Inner")
    drag(window, link(window, "bee"), over=window.page.get_by_role("button", name="Inner", exact=True), right=60)
    window.page.mouse.up()
    shows(window, "Weekend", "Animals", "  ant", "  cat", "  Inner", "    bee")
    choose(window, "Inner", "Delete")
    shows(other, "Weekend", "Animals", "  ant", "  cat", "  bee")
    drag(other, link(other, "bee"), over=link(other, "demo"))
    other.page.mouse.up()
    shows(other, "bee", "Weekend", "Animals", "  ant", "  cat")
    choose(other, "Animals", "Delete")
    shows(window, "bee", "Weekend", "ant", "cat")
    eventually(lambda: order(server) == ["bee", "demo", "ant", "cat"], lambda: order(server))


def an_order_is_kept_without_a_network_and_sent_later(server, open_window):
    lists(server, "ant", "bee", "cat")
    window = open_window("ant", viewport=WIDE)
    window.expected = ("net::ERR_",)
    shows(window, "ant", "bee", "cat", "Weekend")
    link(window, "bee").focus()
    window.press("Alt+ArrowUp")
    shows(window, "bee", "ant", "cat", "Weekend")
    eventually(lambda: server.refusal("GET", "/lists/index") is None, "the index exists")
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    window.press("Alt+ArrowDown")
    shows(window, "ant", "bee", "cat", "Weekend")
    server.start()
    eventually(lambda: order(server) == ["ant", "bee", "cat", "demo"], lambda: order(server))


def a_token_that_only_reads_sees_the_order(server, open_window):
    lists(server, "home", "other")
    entries = [{"id": f"e-{one}", "title": one, "data": {"list": one}} for one in ("other", "home")]
    server.send("PUT", "/lists/index", {"title": "Lists", "tasks": entries})
    server.require_tokens()
    reader = server.add_token("reader", "read")
    window = open_window(None, viewport=WIDE)
    window.expected = ("status of 401", "status of 403")
    window.page.add_init_script(f"localStorage.setItem('reorderd token', '{reader}')")
    window.page.goto(f"{server.url}/#home")
    window.page.wait_for_selector("main[data-state=live]")
    shown = lambda: [one.removeprefix("#") for one in window.page.evaluate(
        "() => [...document.querySelectorAll('nav li a')].map((one) => one.hash)")]
    eventually(lambda: shown() == ["other", "home", "demo"], shown)
    link(window, "home").focus()
    window.press("Alt+ArrowUp")
    assert shown() == ["other", "home", "demo"] and not window.note.is_visible()


def the_sidebar_follows_lists_that_are_not_open(server, open_window):
    lists(server, "ant", "bee")
    window = open_window("ant", viewport=WIDE)
    count = lambda name: link(window, name).locator(".count").text_content()
    counts = lambda: {name: count(name) for name in names(window)}
    shows(window, "ant", "bee", "Weekend")
    for number in range(3):
        server.send("POST", "/lists/bee/tasks", {"title": f"new {number}"})
        eventually(lambda number=number: count("bee") == str(number + 2), counts)
    server.send("PATCH", "/lists/bee", {"title": "Bees"})
    shows(window, "ant", "Bees", "Weekend")
    server.make("cow", "a\nb")
    shows(window, "ant", "Bees", "cow", "Weekend")
    eventually(lambda: count("cow") == "2", counts)
    server.send("DELETE", "/lists/bee")
    shows(window, "ant", "cow", "Weekend")
    # More lists at once than one request names.
    for number in range(120):
        server.make(f"many{number:03}", "a")
    server.send("POST", "/lists/cow/tasks", {"title": "c"})
    shows(window, "ant", "cow", "Weekend", *(f"many{number:03}" for number in range(120)))
    # What changes while the server is unreachable is shown later.
    window.expected = ("net::ERR_",)
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    server.start()
    server.send("POST", "/lists/cow/tasks", {"title": "d"})
    eventually(lambda: count("cow") == "4", counts)
    # In a narrow window the sidebar is hidden while a list is open. Later it is current again.
    window.page.set_viewport_size({"width": 400, "height": 700})
    server.send("POST", "/lists/cow/tasks", {"title": "e"})
    window.page.set_viewport_size(WIDE)
    eventually(lambda: count("cow") == "5", counts)
