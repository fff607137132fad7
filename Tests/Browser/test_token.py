"""A server that requires a token."""

import json
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from page_server import Server, eventually

REFUSED = ("401", "403")
WIDE = {"width": 1100, "height": 800}


class TokenServer(Server):
    """A server with a token file. The test's own token allows everything."""

    def __init__(self, program, folder):
        self.tokens = folder / "tokens.jsonl"
        self.program = program
        self.own = self.new_token("own", "write")
        self.options = ["--tokens", self.tokens]
        super().__init__(program, folder)

    def new_token(self, name, scope):
        command = [self.program, "token", "new", "--name", name, "--scope", scope, "--file", self.tokens]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def add_token(self, name, scope):
        """Adds a token, and waits until the running server accepts it."""
        token = self.new_token(name, scope)
        self.process.send_signal(signal.SIGHUP)
        fields = {"Authorization": f"Bearer {token}"}
        eventually(lambda: self.refusal("GET", "/lists/home", headers=fields) is None, "it is known")
        return token

    def take_away(self, name):
        lines = self.tokens.read_text().splitlines()
        self.tokens.write_text("\n".join(line for line in lines if json.loads(line)["name"] != name) + "\n")
        self.process.send_signal(signal.SIGHUP)

    def send(self, method, path, body=None, headers=None):
        return super().send(method, path, body, {"Authorization": f"Bearer {self.own}", **(headers or {})})


@contextmanager
def tokens(server):
    with tempfile.TemporaryDirectory() as folder:
        other = TokenServer(server.program, Path(folder))
        try:
            other.make("home", "a\nb\nc")
            yield other
        finally:
            other.stop()


@contextmanager
def opened(open_window, server):
    """A window that is closed before its server stops, because it would report errors afterwards."""
    window = open_window(None, server=server, viewport=WIDE)
    window.expected = REFUSED
    window.page.goto(f"{server.url}/#home")
    yield window
    window.close()


def dialog(window):
    return window.page.locator("dialog.token")


def enter(window, token):
    dialog(window).locator("input").fill(token)
    dialog(window).locator("[type=submit]").click()


def live(window):
    window.page.wait_for_selector("main[data-state=live]")


def the_page_asks_for_a_token_and_stores_it(server, open_window):
    with tokens(server) as server, opened(open_window, server) as window:
        dialog(window).wait_for()
        assert not dialog(window).locator("[data-part=why]").is_visible()
        enter(window, "rdr_wrong")
        dialog(window).locator("[data-part=why]").wait_for()
        assert "unknown" in dialog(window).locator("[data-part=why]").text_content()
        enter(window, server.own)
        live(window)
        window.shows("a", "b", "c")
        window.page.locator('nav a[href="#home"]').wait_for()
        window.page.reload()
        live(window)
        assert not dialog(window).is_visible()
        assert server.own not in window.page.url
        window.page.locator("[data-part=token]").click()
        dialog(window).locator("[data-part=forget]").click()
        window.page.wait_for_selector("main[data-state=locked]")
        assert window.page.evaluate("JSON.stringify({ ...localStorage })") == "{}"


def steps_without_permission_wait_for_another_token(server, open_window):
    with tokens(server) as server, opened(open_window, server) as window:
        phone = server.add_token("phone", "write")
        dialog(window).wait_for()
        enter(window, phone)
        live(window)
        server.take_away("phone")
        window.page.wait_for_selector("main[data-state=locked]")
        dialog(window).locator("[data-part=later]").click()
        window.focus("home-a")
        window.press("Space", "ArrowDown", "Space")
        window.until('document.querySelector("main").dataset.waiting !== "0"')
        assert server.outline("home") == "a\nb\nc"
        window.page.locator("[data-part=token]").click()
        enter(window, server.own)
        live(window)
        window.shows("b", "a", "c")
        assert server.outline("home") == "b\na\nc"


def a_read_token_shows_the_list_and_allows_no_changes(server, open_window):
    with tokens(server) as server, opened(open_window, server) as window:
        reader = server.add_token("reader", "read")
        dialog(window).wait_for()
        enter(window, reader)
        live(window)
        window.focus("home-a")
        window.press("Space", "ArrowDown", "Space")
        window.says("The token does not allow that.")
        window.shows("a", "b", "c")
        assert server.outline("home") == "a\nb\nc"


TESTS = [
    the_page_asks_for_a_token_and_stores_it,
    steps_without_permission_wait_for_another_token,
    a_read_token_shows_the_list_and_allows_no_changes,
]
