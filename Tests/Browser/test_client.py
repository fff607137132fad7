"""The JavaScript client, as pages of other origins use it."""

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from page_server import eventually
from window import TYPES

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/clients/javascript.md"


def example(name):
    """A file of Examples/web."""
    return (ROOT / "Examples/web" / name).read_text()


@contextmanager
def app(server, open_window, code, files=None, **options):
    """Serves an app's page, and its other files by their names, at another origin. Yields a window that can open it, and the page's
    address."""
    page = code.replace("http://127.0.0.1:8080", server.url)
    contents = {"": page, **(files or {})}

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path[1:]
            self.send_response(200 if name in contents else 204)
            self.send_header("Content-Type", TYPES[Path(name).suffix or ".html"])
            self.end_headers()
            self.wfile.write(contents.get(name, "").encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as pages:
        url = f"http://127.0.0.1:{pages.server_port}"
        server.restart("--cors-origin", url)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        window = open_window(None, **options)
        window.allowed = (url,)
        try:
            yield window, url
        finally:
            pages.shutdown()


def the_example_app_works_on_another_origin(server, open_window):
    code = re.search(r"```html\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[1]
    assert len(code.split('module">')[1].splitlines()) <= 32, "the document promises a short app"
    with app(server, open_window, code) as (window, url):
        server.make("groceries", "milk\nfruit\n  apples\nbread")
        window.page.goto(url)
        rows = window.page.locator("li")
        shown = lambda: rows.all_text_contents()
        eventually(lambda: shown() == ["milk", "fruit", "apples", "bread"], shown)
        rows.nth(0).drag_to(rows.nth(3), target_position={"x": 60, "y": 15})
        eventually(lambda: server.outline("groceries") == "fruit\n  apples\nbread\nmilk",
                   lambda: server.outline("groceries"))
        window.page.locator("input").fill("tea")
        window.press("Enter")
        eventually(lambda: shown()[-1] == "tea", shown)
        server.send("PATCH", "/tasks/groceries-milk", {"title": "oat milk"})
        eventually(lambda: shown() == ["fruit", "apples", "bread", "oat milk", "tea"], shown)
        for _ in range(2):
            window.page.locator("#undo").click()
        eventually(lambda: shown() == ["oat milk", "fruit", "apples", "bread"], shown)
        eventually(lambda: server.outline("groceries") == "oat milk\nfruit\n  apples\nbread",
                   lambda: server.outline("groceries"))
        eventually(lambda: window.page.locator("#state").text_content() == "live, 0 waiting", "all is sent")
