"""The JavaScript client follows all lists with one event stream."""

from page_server import eventually
from test_client import app, example
from test_lists import lists
from test_token import dialog, enter

WIDE = {"width": 1100, "height": 800}
def windows_with_different_lists_do_not_wait_for_each_other(server, open_window):
    names = ["ant", "bee", "cow", "dog"]
    lists(server, *names)
    server.make("index", "")
    window = open_window("ant", viewport=WIDE)
    tabs = [window.page, *(window.context.new_page() for _ in names[1:])]
    for tab, name in zip(tabs, names):
        tab.goto(f"{server.url}/#{name}")
        tab.wait_for_selector("main[data-state=live]")
    for tab, name in zip(tabs, names):
        tab.locator("[data-part=newTitle]").fill("mine")
        tab.keyboard.press("Enter")
        eventually(lambda name=name: server.outline(name) == "a\nmine", lambda name=name: server.outline(name))


def the_example_page_shows_all_lists(server, open_window):
    with app(server, open_window, example("lists.html")) as (window, url):
        server.make("groceries", "milk\nfruit")
        window.page.goto(url)
        shown = lambda: window.page.locator("li").all_text_contents()
        eventually(lambda: shown() == ["Weekend: 14", "groceries: 2"], shown)
        server.send("DELETE", "/tasks/groceries-milk")
        eventually(lambda: shown() == ["Weekend: 14", "groceries: 1"], shown)


def the_only_list_opens_after_the_token_is_entered(server, open_window):
    server.require_tokens()
    window = open_window(None, viewport=WIDE)
    window.expected = ("status of 401",)
    window.page.goto(f"{server.url}/")
    dialog(window).wait_for()
    enter(window, server.own)
    window.page.wait_for_selector("main[data-state=live]")
    assert window.page.evaluate("location.hash") == "#demo"
