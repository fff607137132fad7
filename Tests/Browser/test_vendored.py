"""An app with a copy of the JavaScript client and a service worker: Examples/web/offline.html."""

import urllib.request

from page_server import eventually
from test_client import app, example

ACTIVE = "async () => (await navigator.serviceWorker.ready).active?.state === 'activated'"


def the_example_with_a_service_worker_opens_without_a_network(server, open_window):
    with urllib.request.urlopen(f"{server.url}/client/1/reorderd.js") as answer:
        client = answer.read().decode()
    files = {"worker.js": example("worker.js"), "reorderd.js": client}
    with app(server, open_window, example("offline.html"), files, service_workers="allow") as (window, url):
        window.expected = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED")
        server.make("groceries", "milk\nbread")
        window.page.goto(url)
        shown = lambda: window.page.locator("li").all_text_contents()
        state = lambda: window.page.locator("#state").text_content()
        eventually(lambda: shown() == ["milk", "bread"], shown)
        eventually(lambda: state() == "live, 0 waiting", state)
        eventually(lambda: window.page.evaluate(ACTIVE), "the worker is active")
        eventually(lambda: window.stored("documents") == 1, "the list is stored")

        window.context.set_offline(True)
        window.page.reload()
        eventually(lambda: shown() == ["milk", "bread"], shown)
        eventually(lambda: state() == "offline, 0 waiting", state)
        window.page.locator("input").fill("tea")
        window.press("Enter")
        eventually(lambda: shown() == ["milk", "bread", "tea"], shown)
        eventually(lambda: window.stored() == 1, "the step is stored")
        window.page.reload()
        eventually(lambda: shown() == ["milk", "bread", "tea"], shown)
        eventually(lambda: state() == "offline, 1 waiting", state)
        assert server.outline("groceries") == "milk\nbread"

        window.context.set_offline(False)
        eventually(lambda: server.outline("groceries") == "milk\nbread\ntea", lambda: server.outline("groceries"))
        eventually(lambda: state() == "live, 0 waiting", state)
