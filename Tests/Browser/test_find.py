"""Search in a list, and hidden completed tasks."""

from page_server import eventually
from test_drag import expect
from window import LONG_PRESS, STAY


def hide_completed(window):
    window.page.locator("[data-part=find]").click()
    window.page.get_by_role("button", name="Hide completed").click()
    window.page.get_by_role("button", name="Close the search").click()


def completed_tasks_are_hidden_in_this_browser(server, open_window):
    server.make("hide", "a x\nb\n  b1 x\n  b2\nc x\n  c1 x\n  c2\nd x +\n  d1 x\n# Home\ne x")
    window = open_window("hide")
    hide_completed(window)
    # A completed task is shown if one of its subtasks is not completed.
    window.shows("b", "  b2", "c", "  c2", "# Home")
    hidden = window.page.locator("[data-part=hiddenDone]")
    assert hidden.text_content().startswith("6 completed tasks are hidden."), hidden.text_content()
    window.row("hide-b2").locator(".tick").click()
    window.page.locator('[data-task="hide-b2"].done').wait_for()
    window.elapse(STAY)
    window.shows("b", "c", "  c2", "# Home")
    # The browser remembers it for this list only.
    server.make("seen", "z x")
    window.open("seen").shows("z")
    window.page.reload()
    window.open("hide").shows("b", "c", "  c2", "# Home")
    open_window("hide").shows("a", "b", "  b1", "  b2", "c", "  c1", "  c2", "d", "# Home", "e")
    hidden.get_by_role("button", name="Show").click()
    window.shows("a", "b", "  b1", "  b2", "c", "  c1", "  c2", "d", "# Home", "e")
    assert not hidden.is_visible()


def rows_are_dragged_past_hidden_tasks(server, open_window):
    server.make("past", "a\nb x\nc\nd x\ne")
    window = open_window("past")
    hide_completed(window)
    window.shows("a", "c", "e")
    window.drag("past-a", over="past-c")
    window.shows("c", "a", "e")
    expect(server, "past", "b x\nc\na\nd x\ne")
    window.focus("past-e")
    window.press("Space", "ArrowUp", "ArrowUp", "Space")
    window.shows("e", "c", "a")
    expect(server, "past", "b x\ne\nc\na\nd x")


def completed_tasks_are_shown_last(server, open_window):
    server.make("sunk", "a x\nb\n  b1 x\n  b2\nc x\n# Home\nd x\ne\nf")
    window = open_window("sunk")
    window.page.locator("[data-part=find]").click()
    window.page.get_by_role("button", name="Completed last").click()
    window.says("Completed tasks are shown after the others")
    window.shows("b", "  b2", "  b1", "a", "c", "# Home", "e", "f", "d")
    assert window.row("sunk-b").get_attribute("aria-posinset") == "1"
    # A drag puts a row next to the row above it; the first place is that before the next row.
    window.drag("sunk-f", over="sunk-e")
    window.shows("b", "  b2", "  b1", "a", "c", "# Home", "f", "e", "d")
    expect(server, "sunk", "a x\nb\n  b1 x\n  b2\nc x\n# Home\nd x\nf\ne")
    window.drag("sunk-e", over="sunk-b")
    window.shows("e", "b", "  b2", "  b1", "a", "c", "# Home", "f", "d")
    expect(server, "sunk", "a x\ne\nb\n  b1 x\n  b2\nc x\n# Home\nd x\nf")
    # A completed task moves to the end, and back when it is not completed.
    window.row("sunk-e").locator(".tick").click()
    window.shows("b", "  b2", "  b1", "a", "e", "c", "# Home", "f", "d")
    window.row("sunk-e").locator(".tick").click()
    window.shows("e", "b", "  b2", "  b1", "a", "c", "# Home", "f", "d")
    # The browser remembers the choice. Hiding is another one.
    window.reload()
    window.shows("e", "b", "  b2", "  b1", "a", "c", "# Home", "f", "d")
    hide_completed(window)
    window.shows("e", "b", "  b2", "# Home", "f")
    window.page.locator("[data-part=showDone]").click()
    window.shows("a", "e", "b", "  b1", "  b2", "c", "# Home", "d", "f")


def a_list_whose_tasks_are_all_completed_says_so(server, open_window):
    server.make("alldone", "a x\nb x")
    window = open_window("alldone")
    hide_completed(window)
    window.shows()
    assert window.page.locator("[data-part=hiddenDone]").is_visible()
    assert not window.page.locator("[data-part=empty]").is_visible()


def a_search_finds_tasks_with_their_ancestors(server, open_window):
    server.make("find", "Fruit\n  apples\n  pears\nbread\nshed +\n  deep\n    apfelbaum x\n# Home\napf\n# Work\nz")
    server.send("PATCH", "/tasks/find-apples", {"title": "Äpfel"})
    window = open_window("find")
    window.press("/")
    field = window.page.get_by_role("searchbox", name="Search in this list")
    field.press_sequentially("APF")
    window.shows("Fruit", "  Äpfel", "shed", "  deep", "    apfelbaum", "# Home", "apf")
    window.says("3 tasks found")
    # Enter goes to the first found task.
    field.press("Enter")
    assert window.page.evaluate("document.activeElement.dataset.task") == "find-apples"
    # Found rows cannot be moved, because rows between them are missing.
    window.press("Space")
    window.says("End the search to move rows.")
    window.grab(window.row("find-apf"), 200)
    window.elapse(LONG_PRESS)
    assert window.page.locator(".drag-image").count() == 0
    window.page.mouse.up()
    # A change of somebody else is searched too.
    server.send("PATCH", "/tasks/find-bread", {"title": "apf bread"})
    window.shows("Fruit", "  Äpfel", "apf bread", "shed", "  deep", "    apfelbaum", "# Home", "apf")
    field.fill("none of them")
    window.page.locator("[data-part=nothing]", has_text="No task contains").wait_for()
    window.shows()
    field.press("Escape")
    window.shows("Fruit", "  Äpfel", "  pears", "apf bread", "shed", "# Home", "apf", "# Work", "z")
    assert not field.is_visible()
    assert server.send("GET", "/lists/find")["version"] == 3


def ctrl_f_searches_and_a_new_task_ends_the_search(server, open_window):
    server.make("finding", "a\nb")
    window = open_window("finding")
    window.focus("finding-a")
    window.press("Control+f")
    window.page.keyboard.type("b")
    window.shows("b")
    window.page.locator("[data-part=newTitle]").fill("new")
    window.press("Enter")
    window.shows("a", "b", "new")
    # The search ends with the list.
    window.press("Control+f")
    window.page.keyboard.type("b")
    window.shows("b")
    server.make("finding2", "c")
    window.page.evaluate("location.hash = 'finding2'")
    window.shows("c")


def a_phone_shows_the_search(server, open_window):
    server.make("phone", "a\nb x")
    window = open_window("phone", viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    window.page.get_by_role("button", name="Search and filter").tap()
    window.page.get_by_role("button", name="Hide completed").tap()
    window.shows("a")
    assert window.page.evaluate("document.documentElement.scrollWidth") <= 320
    window.page.get_by_role("button", name="Show").tap()
    eventually(lambda: window.titles() == ["a", "b"], window.titles)


# The clock of the page runs fast, and what the page does later waits for the test.
FAST_CLOCK = """() => {
    let now = 0;
    performance.now = () => (now += 100);
    const { setTimeout } = window;
    window.later = [];
    window.setTimeout = (act, milliseconds, ...rest) =>
        milliseconds === undefined ? window.later.push(act) : setTimeout(act, milliseconds, ...rest);
}"""


def a_search_in_a_long_list_lets_the_page_react(server, open_window):
    server.make("long", "\n".join(f"t{number}" for number in range(500)))
    window = open_window("long")
    window.page.evaluate(FAST_CLOCK)
    waits = lambda: window.page.evaluate("window.later.length")
    go_on = lambda: window.page.evaluate("void window.later.splice(0).forEach((act) => act())")
    window.page.locator("[data-part=find]").click()
    window.press("9")
    eventually(lambda: waits() == 1, "the search waits before the next titles")
    window.press("8")
    eventually(lambda: waits() == 2, "the search for more text waits too")
    assert window.row("long-t0").is_visible()
    # The first search ends, because the person has typed more.
    found = ["t98", "t198", "t298", "t398", "t498"]
    eventually(lambda: go_on() or window.titles() == found, window.titles)
    assert waits() == 0
