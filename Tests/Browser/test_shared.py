"""Several tabs of one browser: one of them has the event stream."""

from page_server import eventually
from test_drag import expect


class Tab:
    """A tab, and its open event streams of a list."""

    def __init__(self, window, list_id):
        self.page = window.context.new_page()
        self.streams = []
        is_stream = lambda request: request.url.endswith(f"/lists/{list_id}/events")
        self.page.on("request", lambda request: is_stream(request) and self.streams.append(request))
        for event in ("requestfinished", "requestfailed"):
            self.page.on(event, lambda request: request in self.streams and self.streams.remove(request))
        self.page.goto(f"{window.url}/#{list_id}")
        self.page.wait_for_selector("main[data-state=live]")

    def shows(self, *titles):
        titles_in_page = lambda: self.page.locator(".canvas .task .title").all_text_contents()
        eventually(lambda: sorted(titles_in_page()) == sorted(titles), lambda: f"{titles}\nbut {titles_in_page()}")


HIDE = """(isHidden) => {
    Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def streams(tabs):
    return [len(tab.streams) for tab in tabs]


def tabs_of_a_browser_share_one_stream(server, open_window):
    server.make("tabs", "a\nb")
    window, other = open_window("demo"), open_window("tabs")
    tabs = [Tab(window, "tabs") for _ in range(3)]
    eventually(lambda: streams(tabs) == [1, 0, 0], lambda: streams(tabs))
    # Changes of others, and those of each tab, arrive in all tabs.
    server.send("POST", "/lists/tabs/tasks", {"title": "theirs"})
    for number, tab in enumerate(tabs):
        tab.page.locator("[data-part=newTitle]").fill(f"of {number}")
        tab.page.keyboard.press("Enter")
    for tab in tabs:
        tab.shows("a", "b", "theirs", "of 0", "of 1", "of 2")
    # So do the drags of others.
    other.lift("tabs-a")
    for tab in tabs:
        tab.page.wait_for_selector(".ghost, .away")
    other.press("Escape")
    other.page.mouse.up()
    for tab in tabs:
        tab.page.wait_for_selector(".ghost, .away", state="detached")
    assert streams(tabs) == [1, 0, 0]


def another_tab_takes_over_the_stream_without_a_gap(server, open_window):
    server.make("heirs", "a")
    window = open_window("demo")
    tabs = [Tab(window, "heirs") for _ in range(3)]
    eventually(lambda: streams(tabs) == [1, 0, 0], lambda: streams(tabs))
    # The next tab's stream is held, while the list changes.
    asked, held = [], []
    for tab in tabs[1:]:
        tab.page.route("**/lists/heirs/events", lambda route: (asked.append(route.request), held.append(route)))
    tabs[0].page.close()
    eventually(lambda: len(held) == 1, held)
    for number in range(5):
        server.send("POST", "/lists/heirs/tasks", {"id": f"heirs-{number}", "title": f"n{number}"})
    held.pop().continue_()
    for tab in tabs[1:]:
        tab.shows("a", "n0", "n1", "n2", "n3", "n4")
    assert [request.headers["last-event-id"].split("-")[0] for request in asked] == ["1"]
    eventually(lambda: sorted(streams(tabs[1:])) == [0, 1], lambda: streams(tabs[1:]))
    # A hidden tab gives the stream to another one. When it is visible again, it asks for what it has missed.
    for tab in tabs[1:]:
        tab.page.unroute("**/lists/heirs/events")
    owner, heir = sorted(tabs[1:], key=lambda tab: -len(tab.streams))
    owner.page.evaluate(HIDE, True)
    eventually(lambda: streams([owner, heir]) == [0, 1], lambda: streams([owner, heir]))
    server.send("DELETE", "/tasks/heirs-0")
    expect(server, "heirs", "a\nn1\nn2\nn3\nn4")
    heir.shows("a", "n1", "n2", "n3", "n4")
    owner.shows("a", "n0", "n1", "n2", "n3", "n4")
    owner.page.evaluate(HIDE, False)
    owner.shows("a", "n1", "n2", "n3", "n4")
    eventually(lambda: streams([owner, heir]) == [0, 1], lambda: streams([owner, heir]))
    # While the server is stopped, all tabs are offline; later all are live again, with one stream.
    window.expected = ("ERR_",)
    server.stop()
    for tab in tabs[1:]:
        tab.page.wait_for_selector("main[data-state=offline]")
    server.start()
    for tab in tabs[1:]:
        tab.page.wait_for_selector("main[data-state=live]")
    server.send("DELETE", "/tasks/heirs-1")
    for tab in tabs[1:]:
        tab.shows("a", "n2", "n3", "n4")
    eventually(lambda: sorted(streams(tabs[1:])) == [0, 1], lambda: streams(tabs[1:]))
