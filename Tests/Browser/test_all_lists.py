"""The JavaScript client follows all lists with one event stream."""

import re

from page_server import eventually
from test_client import DOCUMENT, app
from test_lists import lists
from test_token import dialog, enter

WATCH = """async ([name, options, fails]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    window.connections ??= {};
    const connection = (window.connections[options.account] ??= connect(options));
    window.seen ??= {};
    window.stops ??= {};
    window.calls ??= {};
    window.calls[name] = 0;
    window.stops[name] = connection.watchLists((lists) => {
        window.calls[name] += 1;
        window.seen[name] = lists?.map(({ id, title, count }) => `${id} ${title} ${count}`);
        if (fails) throw new Error("the listener fails");
    });
}"""
WIDE = {"width": 1100, "height": 800}
# A window without the page's sidebar.
NARROW = {"width": 400, "height": 700}


def blank_tabs(window, count):
    """Further tabs of the window's browser, and the paths of their open event streams."""
    tabs, streams = [window.context.new_page() for _ in range(count)], []
    is_stream = lambda request: request.url.endswith("/events")
    for tab in tabs:
        tab.set_viewport_size(NARROW)
        tab.on("request", lambda request: is_stream(request) and streams.append(request))
        for event in ("requestfinished", "requestfailed"):
            tab.on(event, lambda request: request in streams and streams.remove(request))
        tab.goto(f"{window.url}/#demo")
    return tabs, lambda: [one.url.removeprefix(window.url) for one in streams if "/lists/" not in one.url]


def windows_share_one_stream_of_all_lists(server, open_window):
    lists(server, "ant", "bee")
    window = open_window("demo", viewport=NARROW)
    tabs, streams = blank_tabs(window, 2)
    shared = {"account": "watcher"}
    for number, tab in enumerate(tabs):
        tab.evaluate(WATCH, [f"tab{number}", shared, number == 0])
    seen = lambda number, name=None: tabs[number].evaluate(f"window.seen.{name or f'tab{number}'}")

    def shows(number, *expected, name=None):
        wanted = [*expected, "demo Weekend 14"]
        eventually(lambda: (seen(number, name) or [])[:len(wanted)] == wanted, lambda: seen(number, name))

    for number in range(2):
        shows(number, "ant ant 1", "bee bee 1")
    assert streams() == ["/events"]
    server.send("POST", "/lists/bee/tasks", {"title": "b"})
    server.send("PATCH", "/lists/ant", {"title": "Ants"})
    server.make("cow", "a\nb\nc")
    for number in range(2):
        shows(number, "ant Ants 1", "bee bee 2", "cow cow 3")
    # A second function of the same window gets the lists too.
    tabs[0].evaluate(WATCH, ["second", shared, False])
    shows(0, "ant Ants 1", "bee bee 2", "cow cow 3", name="second")
    # The window with the stream ends: the other one continues.
    tabs[0].evaluate("window.stops.tab0(); window.stops.second(); window.stops.second()")
    calls = tabs[0].evaluate("window.calls.tab0")
    server.send("DELETE", "/lists/cow")
    shows(1, "ant Ants 1", "bee bee 2")
    assert streams() == ["/events"] and tabs[0].evaluate("window.calls.tab0") == calls
    # It begins again, also at once after it has ended.
    tabs[1].evaluate("window.stops.tab1()")
    tabs[1].evaluate(WATCH, ["tab1", shared, False])
    tabs[0].evaluate(WATCH, ["tab0", shared, False])
    server.send("POST", "/lists/ant/tasks", {"title": "b"})
    for number in range(2):
        shows(number, "ant Ants 2", "bee bee 2")
    # A connection that shares nothing has no stream.
    before = len(streams())
    tabs[1].evaluate(WATCH, ["alone", {"account": "alone", "storage": "memory"}, False])
    shows(1, "ant Ants 2", "bee bee 2", name="alone")
    assert len(streams()) == before


OPEN = """async (names) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connection } = await import(folder + "connection.js");
    window.many = await Promise.all(names.map((name) => connection.open(name, { ownStream: false })));
}"""


def many_lists_follow_one_stream(server, open_window):
    names = [f"one{number:02}" for number in range(12)]
    lists(server, *names)
    window = open_window("demo", viewport=NARROW)
    window.expected = ("net::ERR_",)
    window.page.evaluate(OPEN, names)
    rows = lambda: window.page.evaluate("window.many.map(({ rows }) => rows.map(({ title }) => title).join(' '))")
    assert rows() == ["a"] * 12
    for number, name in enumerate(names):
        server.send("POST", f"/lists/{name}/tasks", {"title": f"theirs{number}"})
    eventually(lambda: rows() == [f"a theirs{number}" for number in range(12)], rows)
    window.page.evaluate("window.many.forEach((list, number) => list.create({ title: `mine${number}` }))")
    for number, name in enumerate(names):
        eventually(lambda number=number, name=name: server.outline(name) == f"a\ntheirs{number}\nmine{number}",
                   lambda name=name: server.outline(name))
    states = lambda: window.page.evaluate("window.many.map(({ state }) => state)")
    server.stop()
    eventually(lambda: states() == ["offline"] * 12, states)
    server.start()
    server.send("PATCH", "/tasks/one03-a", {"title": "b"})
    eventually(lambda: states() == ["live"] * 12, states)
    eventually(lambda: rows()[3] == "b theirs3 mine3", rows)


def lists_without_a_stream_get_one_where_streams_cannot_be_shared(server, open_window):
    lists(server, "ant")
    window = open_window("demo", viewport=NARROW)
    window.context.add_init_script(
        "LockManager.prototype.request = async () => { throw new DOMException('', 'SecurityError'); }")
    tab, opened = window.context.new_page(), []
    tab.set_viewport_size(NARROW)
    tab.on("request", lambda request: request.url.endswith("/ant/events") and opened.append(request))
    tab.goto(f"{window.url}/#demo")
    tab.evaluate(OPEN, ["ant"])
    eventually(lambda: len(opened) == 1, "the list has a stream of its own")
    title = lambda: tab.evaluate("window.many[0].rows[0].title")
    server.send("PATCH", "/tasks/ant-a", {"title": "b"})
    eventually(lambda: title() == "b", title)
    # The tab is hidden and shown again.
    tab.evaluate("""() => {
        for (const hidden of [true, false]) {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }
    }""")
    eventually(lambda: len(opened) == 2, "the list has a stream again")
    server.send("PATCH", "/tasks/ant-a", {"title": "c"})
    eventually(lambda: title() == "c", title)
    # A stream that only reads what was missed would end now, because its timer is older and shorter.
    tab.evaluate("() => new Promise((resolve) => setTimeout(resolve, 300))")
    server.send("PATCH", "/tasks/ant-a", {"title": "d"})
    eventually(lambda: title() == "d", title)
    assert len(opened) == 2, "it is still the second stream"


def a_list_that_is_opened_again_is_the_same_object_beyond_a_hundred_lists(server, open_window):
    window = open_window("demo", viewport=NARROW)
    same = window.page.evaluate("""async () => {
        const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
        const { connection } = await import(folder + "connection.js");
        const open = (_, number) => connection.list(`many${number}`, { ownStream: false });
        const lists = Array.from({ length: 105 }, open);
        const again = Array.from({ length: 105 }, open);
        for (const list of lists) list.close(); // before they send a request
        return lists.filter((list, number) => list === again[number]).length;
    }""")
    assert same == 105, same


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
    codes = re.findall(r"```html\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    (code,) = [code for code in codes if "watchLists" in code]
    with app(server, open_window, code) as (window, url):
        server.make("groceries", "milk\nfruit")
        window.page.goto(url)
        shown = lambda: window.page.locator("li").all_text_contents()
        eventually(lambda: shown() == ["Weekend: 14", "groceries: 2"], shown)
        server.send("DELETE", "/tasks/groceries-milk")
        eventually(lambda: shown() == ["Weekend: 14", "groceries: 1"], shown)


def lists_are_requested_again_after_a_refusal(server, open_window):
    lists(server, "ant")
    window = open_window("ant", viewport=WIDE)
    window.expected = ("status of 503",)
    count = lambda: window.page.locator('nav a[href="#demo"] .count').text_content()
    eventually(lambda: count() == "9", count)
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.fulfill(status=503, headers={"Retry-After": "3600"}, body="{}")

    window.page.route("**/lists?*", refuse)
    for number in range(20):
        server.send("POST", "/lists/demo/tasks", {"title": f"new {number}"})
    window.until("window.timers().includes(3600 * 1000)")
    assert len(refused) == 1, refused
    window.page.unroute("**/lists?*")
    window.page.evaluate("""async () => {
        const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
        const { connection } = await import(folder + "connection.js");
        connection.reconnect();
    }""")
    eventually(lambda: count() == "29", count)


def a_late_refusal_of_an_earlier_token_changes_nothing(server, open_window):
    server.make("home", "a")
    server.require_tokens()
    window = open_window(None, viewport=WIDE)
    window.expected = ("status of 401",)
    held = []

    def hold(route):
        if "rdr_wrong" in route.request.headers.get("authorization", "") and not held:
            held.append(route)
        else:
            route.continue_()

    window.page.route("**/lists?*", hold)
    window.page.goto(f"{server.url}/#home")
    dialog(window).wait_for()
    enter(window, "rdr_wrong")
    eventually(lambda: held, "a request with the wrong token")
    dialog(window).locator("[data-part=why]").wait_for()
    enter(window, server.own)
    window.page.locator('nav a[href="#home"]').wait_for()
    held[0].continue_()
    server.make("later", "a")
    window.page.locator('nav a[href="#later"]').wait_for()
    assert window.page.locator('nav a[href="#home"]').count() == 1


def the_only_list_opens_after_the_token_is_entered(server, open_window):
    server.require_tokens()
    window = open_window(None, viewport=WIDE)
    window.expected = ("status of 401",)
    window.page.goto(f"{server.url}/")
    dialog(window).wait_for()
    enter(window, server.own)
    window.page.wait_for_selector("main[data-state=live]")
    assert window.page.evaluate("location.hash") == "#demo"
