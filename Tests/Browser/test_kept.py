"""What a person typed or did stays: in another list, after a reload, without the browser's storage, and without access."""

from page_server import eventually
from test_access import check
from test_drag import expect
from test_menu import open_menu
from test_sync import AWAY

FIELD = "[data-part=newTitle]"
RENAME = "textarea.rename"


def text(window):
    return window.page.locator(FIELD).input_value()


def a_new_task_in_progress_survives_another_list_and_a_reload(server, open_window):
    server.make("one", "fruit\nbread")
    server.make("two", "x")
    window = open_window("one")
    open_menu(window, "one-fruit")
    window.page.get_by_role("menuitem", name="Add a subtask").click()
    window.page.keyboard.type("apples")
    window.open("two")
    assert text(window) == ""
    window.page.locator(FIELD).fill("y")
    window.page.go_back()
    window.shows("fruit", "bread")
    eventually(lambda: text(window) == "apples", lambda: text(window))
    window.reload()
    window.shows("fruit", "bread")
    eventually(lambda: text(window) == "apples", lambda: text(window))
    window.page.locator("[data-part=target]", has_text="Subtask of “\u2068fruit\u2069”").wait_for()
    window.page.locator(FIELD).press("Enter")
    expect(server, "one", "fruit\n  apples\nbread")
    window.reload()
    window.shows("fruit", "  apples", "bread")
    assert text(window) == ""
    window.open("two")
    eventually(lambda: text(window) == "y", lambda: text(window))


def a_title_in_progress_survives_a_reload(server, open_window):
    server.make("names", "a\nb\n# Home\nc")
    window = open_window("names")
    for begin, title in ((lambda: window.row("names-b").locator(".title").dblclick(), "bee"),
                         (lambda: window.section("Home").locator(".title").dblclick(), "House"),
                         (lambda: window.page.locator("h1[data-part=title] button").click(), "Titles")):
        begin()
        window.page.keyboard.type(title)
        window.reload()
        eventually(lambda: window.page.locator(RENAME).count() == 1, "the field is there again")
        assert window.page.locator(RENAME).input_value() == title
        window.reload()
        window.page.locator(RENAME).wait_for()
        window.page.keyboard.type("s")
        window.press("Enter")
        window.page.locator(RENAME).wait_for(state="detached")
    window.shows("a", "bees", "# Houses", "c")
    eventually(lambda: server.send("GET", "/lists/names")["title"] == "Titless", "the list is renamed")
    # The row was deleted meanwhile: the text is kept in the field for new tasks.
    window.row("names-c").locator(".title").dblclick()
    window.page.keyboard.type("sea")
    window.stored()
    window.page.goto("about:blank")
    server.send("DELETE", "/tasks/names-c")
    window.page.go_back()
    window.page.wait_for_selector("main[data-state=live]")
    window.shows("a", "bees", "# Houses")
    eventually(lambda: text(window) == "sea", lambda: text(window))
    window.page.locator(".note", has_text="“\u2068sea\u2069” is kept").wait_for()


NONE = """for (const name of %s) Object.defineProperty(globalThis, name, {
    get() { throw new DOMException("forbidden", "SecurityError"); },
});"""
SENTENCE = "Changes are not kept on this device until they are sent."


def the_page_works_without_storage_and_says_so(server, open_window):
    server.make("bare", "a\nb")
    everything = ["indexedDB", "localStorage", "sessionStorage"]
    for number, names in enumerate((*([one] for one in everything), everything)):
        window = open_window(None)
        window.expected = AWAY
        window.context.add_init_script(NONE % names)
        window.open("bare")
        waits = window.page.locator("[data-part=waits]")
        eventually(lambda window=window: window.titles()[:2] == ["a", "b"], window.titles)
        window.page.locator(FIELD).fill(f"t{number}")
        window.press("Enter")
        eventually(lambda number=number: f"t{number}" in server.outline("bare"), lambda: server.outline("bare"))
        window.page.locator("[data-part=find]").click()
        window.page.locator("[data-part=sinkDone]").click()
        window.page.locator("[data-part=endSearch]").click()
        assert not waits.is_visible()
        window.context.set_offline(True)
        window.page.locator(FIELD).fill("later")
        window.press("Enter")
        window.until("document.querySelector('main').dataset.waiting === '1'")
        if "indexedDB" in names:
            waits.get_by_text(SENTENCE).wait_for()
            assert not waits.get_by_role("button").is_visible()
            check(window, "not kept")
        else:
            assert not waits.is_visible()
        window.context.set_offline(False)
        window.page.wait_for_selector("main[data-state=live]")
        eventually(lambda waits=waits: not waits.is_visible(), "nothing waits")
        window.page.close()
