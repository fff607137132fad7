"""What the searches find, and the numbers in the sidebar."""

from page_server import eventually
from test_lists import field, link, lists, shows
from test_token import WIDE


def both_searches_ignore_accents_and_case(server, open_window):
    lists(server, "plain")
    titles = ["Crème brûlée", "CREME caramel", "Łódź by train", "nothing"]
    server.send("PUT", "/lists/dessert", {"title": "Dessert", "tasks": [{"title": one} for one in titles]})
    window = open_window("dessert", viewport=WIDE)
    options = window.page.locator("[role=option] .name")
    for text, found in (("crème", titles[:2]), ("creme", titles[:2]), ("lodz", [titles[2]])):
        window.press("/")
        window.page.locator("[data-part=searchText]").fill(text)
        window.shows(*found)
        window.press("Escape")
        field(window).fill(text)
        eventually(lambda found=found: options.all_text_contents() == found, options.all_text_contents)
        field(window).press("Escape")
        window.focus(server.send("GET", "/lists/dessert")["tasks"][3]["id"])


def the_search_in_all_lists_finds_lists(server, open_window):
    lists(server, "ant")
    server.send("PUT", "/lists/cafe", {"title": "Café Paris", "tasks": [{"id": "p", "title": "book the café"}]})
    window = open_window("ant", viewport=WIDE)
    shows(window, "ant", "Café Paris", "Weekend")
    field(window).fill("CAFE")
    options = window.page.get_by_role("option")
    expected = ["Café ParisList", "book the caféCafé Paris"]
    eventually(lambda: options.all_text_contents() == expected, options.all_text_contents)
    window.says("1 list and 1 task found")
    field(window).press("Enter")
    window.page.locator("h1[data-part=title]", has_text="Café Paris").wait_for()
    window.shows("book the café")
    field(window).fill("paris")
    eventually(lambda: options.all_text_contents() == ["Café ParisList"], options.all_text_contents)
    field(window).fill("no such text")
    window.page.get_by_text("No list and no task in any list contains this text.").wait_for()


def the_sidebar_counts_open_tasks_without_subtasks(server, open_window):
    lists(server, "ant")
    server.make("mixed", "a\n  a1\n  a2 x\nb x\n  b1\n# Home\nc\n# Work\nd x")
    window = open_window("ant", viewport=WIDE)
    count = lambda list_id="mixed": link(window, list_id).locator(".count").text_content()
    eventually(lambda: count() == "2", count)
    for body, expected in (({"done": True}, "1"), ({"done": False}, "2")):
        server.send("PATCH", "/tasks/mixed-c", body)
        eventually(lambda expected=expected: count() == expected, count)
    server.send("PATCH", "/tasks/mixed-a1", {"done": True})
    server.send("POST", "/lists/mixed/move", {"task": "mixed-b1", "parent": None})
    eventually(lambda: count() == "3", count)
    # The number of the open list changes with each step.
    window.open("mixed")
    window.row("mixed-a").locator(".tick").click()
    eventually(lambda: count() == "2", count)
    eventually(lambda: server.send("GET", "/lists?ids=mixed")["lists"][0]["open"] == 2, "the server counts it")
