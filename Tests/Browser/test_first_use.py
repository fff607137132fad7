"""A server without lists, and the page as an installed app."""

import json
import re
import struct
import urllib.request
from urllib.parse import urljoin

from page_server import eventually
from test_access import check
from test_lists import names
from test_token import WIDE

FIELDS = """() => [...document.querySelectorAll("input, textarea")].filter((one) => one.checkVisibility()).length"""


def a_server_without_lists_says_what_it_is_and_asks_for_the_first_one(server, open_window):
    server.send("DELETE", "/lists/demo")
    for scheme, size in (("light", WIDE), ("dark", {"width": 390, "height": 760})):
        window = open_window(None, viewport=size, color_scheme=scheme, reduced_motion="reduce")
        window.page.goto(f"{server.url}/")
        window.page.get_by_text("Make lists of tasks").wait_for()
        assert window.page.evaluate(FIELDS) == 1
        shown = window.page.locator("nav button").filter(visible=True).all_text_contents()
        assert shown == ["Create", "Import…", "Start with a sample list", "Deleted lists…"], shown
        check(window, f"no lists, {scheme}")
        window.page.get_by_label("Title of your first list").fill(f"Trip {scheme}")
        window.press("Enter")
        window.page.locator("h1[data-part=title]", has_text=f"Trip {scheme}").wait_for()
        window.until("document.activeElement.dataset.part === 'newTitle'")
        window.page.keyboard.type("Passport")
        window.press("Enter")
        window.shows("Passport")
        window.page.goto(f"{server.url}/#")
        eventually(lambda window=window, scheme=scheme: names(window) == [f"Trip {scheme}"], f"{scheme}: the list is in the index")
        assert not window.page.get_by_text("Make lists of tasks").is_visible()
        assert window.page.get_by_label("Title of a new list").is_visible()
        window.close()
        for one in server.send("GET", "/lists")["lists"]:
            server.send("DELETE", f"/lists/{one['id']}")


def the_sample_list_says_what_can_be_done(server, open_window):
    server.send("DELETE", "/lists/demo")
    window = open_window(None, viewport=WIDE)
    window.page.goto(f"{server.url}/")
    window.page.get_by_role("button", name="Start with a sample list").click()
    window.page.locator("h1[data-part=title]", has_text="Getting started").wait_for()
    eventually(lambda: len(window.titles()) == 9, window.titles)
    (summary,) = server.send("GET", "/lists")["lists"]
    document = server.send("GET", f"/lists/{summary['id']}")
    assert [task["depth"] for task in document["tasks"]] == [0, 0, 1, 0, 0, 0, 0, 0], document
    assert [task["done"] for task in document["tasks"]].count(True) == 1
    assert summary["open"] == 6


def a_phone_can_install_the_page(server, open_window):
    def read(address):
        with urllib.request.urlopen(address) as response:
            return response.headers["Content-Type"], response.read()

    page = f"{server.url}/"
    _, document = read(page)
    linked = dict(re.findall(r'<link rel="([a-z-]+)"[^>]* href="([^"]+)"', document.decode()))
    address = urljoin(page, linked["manifest"])
    kind, body = read(address)
    assert kind == "application/manifest+json"
    manifest = json.loads(body)
    assert manifest["display"] == "standalone" and manifest["name"]
    assert urljoin(address, manifest["start_url"]) == urljoin(address, manifest["scope"]) == page
    icons = [(urljoin(address, icon["src"]), icon["sizes"], icon["type"]) for icon in manifest["icons"]]
    for icon, sizes, media in [*icons, (urljoin(page, linked["apple-touch-icon"]), "180x180", "image/png")]:
        kind, body = read(icon)
        assert kind == media, (icon, kind)
        if media == "image/png":
            width, height = struct.unpack(">II", body[16:24])
            assert body.startswith(b"\x89PNG") and f"{width}x{height}" == sizes, (icon, width, height)
    assert {sizes for _, sizes, media in icons if media == "image/png"} >= {"192x192", "512x512"}
    assert any(icon.get("purpose") == "maskable" for icon in manifest["icons"])
    # The browser reads the manifest without a fault.
    window = open_window("demo")
    found = window.context.new_cdp_session(window.page).send("Page.getAppManifest")
    assert found["url"].endswith("/lists.webmanifest") and not found["errors"], found
