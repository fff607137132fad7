"""The service worker: the page without a network."""

from page_server import eventually
from test_drag import expect
from test_sync import AWAY

CACHED = """async () => {
    const registration = await navigator.serviceWorker.ready;
    if (registration.active.state !== "activated") return null;
    const names = await caches.keys();
    const paths = [];
    for (const name of names)
        for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
    return { names, paths, scope: registration.scope };
}"""


def cached(window):
    """Waits until the worker is active, and returns its caches."""
    return eventually(lambda: window.page.evaluate(CACHED), "the worker is active")


def worker_window(open_window, list_id, **options):
    window = open_window(list_id, service_workers="allow", viewport={"width": 1100, "height": 800}, **options)
    window.expected = (*AWAY, "ERR_FAILED", "Failed to fetch", "404")
    return window


def shows(window, *titles):
    """Steps may be waiting."""
    eventually(lambda: window.titles() == list(titles), lambda: f"{titles}\nbut {window.titles()}")


def the_page_reloads_without_a_network(server, open_window):
    server.make("plane", "a\nb\n# Home\nc")
    server.make("plane2", "x")
    window = worker_window(open_window, "plane")
    found = cached(window)
    assert found["scope"] == f"{server.url}/" and len(found["names"]) == 1, found
    # Only the document and files of the page are stored, and all that the page has loaded.
    assert all(path == "/" or path.startswith("/web/") for path in found["paths"]), found
    loaded = window.page.evaluate("""() => performance.getEntriesByType("resource")
        .map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith("/web/"))""")
    assert set(loaded) - {path for path in loaded if path.endswith("worker.js")} <= set(found["paths"]), loaded
    window.open("plane2").shows("x")
    window.open("plane").shows("a", "b", "# Home", "c")
    server.stop()
    window.context.unroute_all()  # nothing but the worker has the files now
    window.page.reload()
    shows(window, "a", "b", "# Home", "c")
    window.page.wait_for_selector("main[data-state=offline]")
    # The index is shown too, and other lists that were opened before.
    window.page.locator('nav a[href="#plane2"]').click()
    shows(window, "x")
    window.page.go_back()
    shows(window, "a", "b", "# Home", "c")
    window.row("plane-a").locator(".tick").click()
    window.page.locator("[data-part=newTitle]").fill("made in the air")
    window.press("Enter")
    eventually(lambda: window.stored() == 2, "both steps are kept")
    # So are the parts of the page that it loads when they are first used.
    window.focus("plane-b")
    window.press("i")
    window.page.wait_for_selector("dialog.detail[open]")
    window.page.reload()
    shows(window, "a", "b", "# Home", "c", "made in the air")
    server.start()
    expect(server, "plane", "a x\nb\n# Home\nc\nmade in the air")
    window.page.wait_for_selector("main[data-state=live]")


def the_page_reloads_without_a_network_if_responses_vary(server, open_window):
    server.make("vary", "a\nb")
    server.restart("--cors-origin", "http://app.example")
    window = worker_window(open_window, "vary")
    cached(window)
    window.page.reload()
    window.shows("a", "b")
    server.stop()
    window.context.unroute_all()
    window.page.reload()
    shows(window, "a", "b")
    window.page.wait_for_selector("main[data-state=offline]")
    server.start()
    window.page.wait_for_selector("main[data-state=live]")


EVICT = """async () => {
    for (const name of await caches.keys()) await caches.delete(name);
}"""
# The server takes longer than the worker waits. Its responses vary in a way that no cache stores.
SLOW = """() => {
    self.setTimeout = (act) => act();
    self.held = [];
    const ask = self.fetch;
    self.fetch = async (request, options) => {
        if (request.mode === "navigate") await new Promise((go) => self.held.push(go));
        const response = await ask(request, options);
        const headers = new Headers(response.headers);
        headers.set("Vary", "*");
        return new Response(response.body, { headers, status: response.status });
    };
}"""


def a_page_that_was_evicted_comes_from_a_slow_server_and_is_stored_again(server, open_window):
    server.make("slow", "a\nb")
    window = worker_window(open_window, "slow")
    cached(window)
    window.page.reload()
    window.shows("a", "b")
    worker = window.context.service_workers[0]
    window.page.evaluate(EVICT)
    worker.evaluate(SLOW)
    with window.page.expect_event("load"):
        window.page.evaluate("location.reload()")
        eventually(lambda: worker.evaluate("self.held.length") == 1, "the worker waits for the server")
        worker.evaluate("self.held.shift()()")
    window.shows("a", "b")
    eventually(lambda: any(path.endswith("/app.js") for path in cached(window)["paths"])
               and "/" in cached(window)["paths"], "the page is stored again")
    server.stop()
    window.context.unroute_all()
    worker.evaluate("() => { self.fetch = () => Promise.reject(new TypeError()); }")
    window.page.reload()
    shows(window, "a", "b")
    server.start()


LOGIN = """() => {
    self.fetch = async () => new Response("<title>Log in</title>", { headers: { "Content-Type": "text/html" } });
}"""


def the_stored_page_is_shown_instead_of_a_foreign_error(server, open_window):
    server.make("foreign", "a")
    window = worker_window(open_window, "foreign")
    cached(window)
    window.page.reload()
    window.shows("a")
    worker = window.context.service_workers[0]
    worker.evaluate("() => { self.fetch = async () => new Response('No', { status: self.status }); }")
    for status in (404, 410, 500, 503):
        worker.evaluate("(status) => { self.status = status; }", status)
        window.page.reload()
        window.shows("a")
    # A page to log in is shown.
    worker.evaluate(LOGIN)
    window.page.reload()
    assert window.page.title() == "Log in"


def the_worker_leaves_the_api_alone(server, open_window):
    server.make("api", "a")
    window = worker_window(open_window, "api")
    cached(window)
    window.page.reload()
    window.shows("a")
    assert window.page.evaluate("Boolean(navigator.serviceWorker.controller)")
    answer = "() => fetch('/lists/api').then((answer) => answer.json()).then(({ version }) => version)"
    before = window.page.evaluate(answer)
    server.send("PATCH", "/tasks/api-a", {"title": "b"})
    assert window.page.evaluate(answer) == before + 1
    assert not [path for path in cached(window)["paths"] if path.startswith("/lists")]
    server.stop()
    assert window.page.evaluate("() => fetch('/lists/api').then(() => 'answered', () => 'failed')") == "failed"
    server.start()


OLD = """async () => {
    const cache = await caches.open("reorderd page /web/0123456789abcdef/");
    await cache.put("/", new Response("old"));
    await caches.open("of another program");
}"""


def the_worker_of_a_build_removes_the_files_of_others(server, open_window):
    server.make("built", "a")
    window = open_window(None, service_workers="allow")
    window.expected = ("favicon.ico",)  # the browser asks for it, because this address is no page
    window.page.goto(f"{server.url}/healthz")
    window.page.evaluate(OLD)
    window.open("built")
    found = cached(window)
    assert len(found["names"]) == 2 and "of another program" in found["names"], found
    assert "/web/0123456789abcdef/" not in " ".join(found["names"]), found


def a_page_of_the_server_is_preferred(server, open_window):
    server.make("newer", "a")
    window = worker_window(open_window, "newer")
    cached(window)
    # However late the server responds, the worker waits.
    window.context.service_workers[0].evaluate("self.setTimeout = () => 0")
    window.page.evaluate("""async () => {
        const [name] = await caches.keys();
        const cache = await caches.open(name);
        await cache.put("/", new Response("<title>stored</title>", { headers: { "Content-Type": "text/html" } }));
    }""")
    window.page.reload()
    window.shows("a")
    server.stop()
    window.context.unroute_all()
    window.page.reload()
    assert window.page.title() == "stored"
    server.start()
