"""The search over all lists."""

from page_server import eventually
from test_access import check


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
    window.page.get_by_text("No task in any list contains this text.").wait_for()


TESTS = [a_search_over_all_lists_opens_the_list_of_a_found_task]
