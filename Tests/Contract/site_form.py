"""The contract's page on the web site sends requests, if the server is started with the command that the page shows."""

import contextlib
import functools
import http.server
import json
import re
import shlex
import threading

import browsers
import contract_server
import environment
from waiting import HANG_SECONDS

DEFAULT_ADDRESS = "http://127.0.0.1:8080"
LIST = {"id": "from-the-form", "title": "From the form"}


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def serving(site):
    """Yields the origin of the site."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def shown_options(page, origin):
    """The options of the page's command, with this page's origin."""
    command = page.locator("article code", has_text="reorderd serve").inner_text()
    return shlex.split(re.sub(r"http://127\.0\.0\.1:\d+", origin, command))[2:]


def send(page, address, operation, fill):
    """Fills the form of an operation, sends it, and returns the text of what comes. `fill` gets the operation."""
    page.reload()
    form = page.frame_locator(".swagger-ui-iframe")
    server = form.locator(".servers input")
    assert server.input_value() == DEFAULT_ADDRESS, server.input_value()
    server.fill(address)
    block = form.locator(f"[id$='-{operation}']")
    block.locator(".opblock-summary-control").click()
    fill(block)
    block.locator("button.execute").click()
    return block.locator(".live-responses-table tbody").inner_text()


def fill_body(block):
    block.locator("textarea.body-param__text").fill(json.dumps(LIST))


def fill_path(block):
    block.locator("[data-param-name=list] input").fill(LIST["id"])


def check(program, site):
    environment.use()
    from playwright.sync_api import sync_playwright

    with serving(site) as origin, sync_playwright() as playwright, contextlib.closing(browsers.launch(playwright)) as browser:
        page = browser.new_page()
        page.set_default_timeout(1000 * HANG_SECONDS)
        page.goto(f"{origin}/contract/")
        with contract_server.running(program, *shown_options(page, origin)) as address:
            created = send(page, address, "createList", fill_body)
            assert created.startswith("201") and f'"list": "{LIST["id"]}"' in created, created
            read = send(page, address, "getList", fill_path)
            assert read.startswith("200") and f'"title": "{LIST["title"]}"' in read, read
            status, document = contract_server.ask(address, "GET", f"/lists/{LIST['id']}")
            assert status == 200 and json.loads(document)["title"] == LIST["title"], document
        with contract_server.running(program) as address:
            refused = send(page, address, "createList", fill_body)
            assert "Failed to fetch" in refused, refused
            assert contract_server.ask(address, "GET", f"/lists/{LIST['id']}")[0] == 404
    print("the site: the form of the contract sends requests to a server that accepts its origin, and to no other one")
