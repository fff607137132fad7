"""The page of a server that a proxy has below a path."""

import contextlib
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from page_server import eventually
from test_share import make_link, open_sharing, shared
from test_sync import AWAY
from test_token import WIDE, enter, live
from test_worker import cached, shows

PREFIX = "/apps/lists"


@contextlib.contextmanager
def prefixed(server):
    """A proxy that has the server below a path, and nothing else. Yields its address."""

    class Proxy(BaseHTTPRequestHandler):
        def answer(self):
            if not self.path.startswith(f"{PREFIX}/"):
                return self.send_error(418, "outside of the prefix")
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            upstream = http.client.HTTPConnection("127.0.0.1", server.port)
            try:
                upstream.request(self.command, self.path.removeprefix(PREFIX), body, dict(self.headers))
                answer = upstream.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "date", "server"):
                        self.send_header(name, value)
                self.end_headers()
                while part := answer.read1(65536):
                    self.wfile.write(part)
                    self.wfile.flush()
            except OSError:
                pass  # one side has left
            finally:
                upstream.close()
                self.close_connection = True

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        proxy.daemon_threads = True
        proxy.block_on_close = False
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{proxy.server_port}"
        finally:
            proxy.shutdown()


def the_page_works_below_a_path(server, open_window):
    server.make("plan", "a\nb")
    with prefixed(server) as origin:
        window = open_window(None, service_workers="allow", viewport={"width": 1100, "height": 800})
        window.allowed = (f"{origin}{PREFIX}/",)
        window.expected = (*AWAY, "ERR_FAILED", "Failed to fetch")
        window.page.goto(f"{origin}{PREFIX}/#plan")
        shows(window, "a", "b")
        window.page.wait_for_selector("main[data-state=live]")
        window.row("plan-a").locator(".tick").click()
        eventually(lambda: server.send("GET", "/lists/plan")["tasks"][0]["done"], "the server has the change")
        found = cached(window)
        assert found["scope"] == f"{origin}{PREFIX}/", found
        assert all(path == f"{PREFIX}/" or path.startswith(f"{PREFIX}/web/") for path in found["paths"]), found
        manifest = window.page.evaluate("""async () => {
            const { href } = document.querySelector("link[rel=manifest]");
            const { start_url, scope } = await (await fetch(href)).json();
            return [start_url, scope].map((path) => new URL(path, href).href);
        }""")
        assert manifest == [f"{origin}{PREFIX}/"] * 2, manifest
        # What the browser stores is this server's alone.
        keys = window.page.evaluate("() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]")
        assert keys and all(key.startswith(PREFIX) for key in keys), keys
        server.stop()
        window.page.reload()
        shows(window, "a", "b")


def a_link_is_made_and_opened_below_a_path(server, open_window):
    token = shared(server)
    with prefixed(server) as origin:

        def opened(address):
            window = open_window(None, viewport=WIDE)
            window.allowed = (f"{origin}{PREFIX}/",)
            window.expected = ("401", "403")
            # A page's token for the whole origin is not sent to the server below the path.
            window.page.add_init_script("localStorage.setItem('reorderd token', 'of-another-server')")
            window.page.goto(address)
            return window

        anna = opened(f"{origin}{PREFIX}/#plan")
        enter(anna, token)
        live(anna)
        open_sharing(anna)
        link = make_link(anna, "Zoë", "write")
        assert link.startswith(f"{origin}{PREFIX}/#plan/rdr_"), link
        zoe = opened(link)
        live(zoe)
        shows(zoe, "a", "b", "c")
        # Before the proxy ends, which resets what they have just asked for.
        anna.close()
        zoe.close()
