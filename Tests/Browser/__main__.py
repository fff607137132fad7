"""Tests of the web page in a real browser. `scripts/browser --help` explains how to run them."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import page_server as servers
import picture
import test_access
import test_all_lists
import test_client
import test_drag
import test_edit
import test_find
import test_keyboard
import test_length
import test_lists
import test_media
import test_menu
import test_model
import test_onto
import test_shared
import test_stored
import test_sync
import test_tabs
import test_token
import test_types
import test_worker
from page_server import Server
from playwright.sync_api import sync_playwright
from window import MILLISECONDS, Window

TESTS = {
    test.__name__: test
    for suite in (test_model, test_client, test_all_lists, test_types, test_drag, test_onto, test_keyboard, test_edit, test_find, test_menu, test_sync, test_shared, test_tabs, test_stored,
                  test_length, test_lists, test_media, test_access, test_token, test_worker)
    for test in suite.TESTS
}

# A test mostly waits for the page, so several processes share the machine.
PROCESSES = 3


def run_shares(names, arguments) -> int:
    """Runs shares of the tests in several processes. Each has its own server and browser."""
    command = [sys.executable, "-B", Path(__file__).parent, arguments.program, "--in-turn"]
    if arguments.files:
        command += ["--files", arguments.files]
    parts = [names[number::PROCESSES] for number in range(min(PROCESSES, len(names)))]
    shares = [subprocess.Popen([*command, *part]) for part in parts]
    return max([share.wait() for share in shares])


def run(name, test, server, browser) -> bool:
    windows = []

    def open_window(list_id, server=server, **options):
        windows.append(Window(browser, server.url, **options))
        return windows[-1] if list_id is None else windows[-1].open(list_id)

    start = time.monotonic()
    try:
        test(server, open_window)
        for window in windows:
            window.close()
    except Exception:
        lines = [traceback.format_exc()]
        for number, window in enumerate(windows):
            lines += window.faults
            shot = Path(tempfile.gettempdir()) / f"{name}-{number}.png"
            try:
                window.page.screenshot(path=shot)
                lines.append(f"picture of the window: {shot}")
                window.context.close()
            except Exception:
                pass
        print("\n".join([*lines, f"FAILED {name}"]), flush=True)
        return False
    print(f"passed {name}: {time.monotonic() - start:.1f} s", flush=True)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/browser", description=__doc__)
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="*", metavar="TEST", help="names of tests; default: all")
    parser.add_argument("--picture", type=Path, help="only writes the README's picture to this file")
    parser.add_argument("--in-turn", action="store_true", help="runs the tests in one process, to watch or debug them")
    parser.add_argument("--files", type=Path, help="serves the page's files from this folder instead")
    arguments = parser.parse_intermixed_args()
    if unknown := [name for name in arguments.tests if name not in TESTS]:
        parser.error(f"unknown test {', '.join(unknown)}; the tests are {', '.join(TESTS)}")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        parser.error("chromium is missing; scripts/setup --checks installs it")
    names = arguments.tests or list(TESTS)
    if len(names) > 1 and not arguments.in_turn and not arguments.picture:
        return run_shares(names, arguments)
    Window.files = arguments.files
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(arguments.program.resolve(), Path(folder))
        # Chromium's sandbox does not work for root and in containers. It is not needed, because the browser only visits this server.
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], timeout=MILLISECONDS)
        blank = browser.new_page()
        # The browser handles requests that a test holds or changes only during calls of the browser.
        servers.pause = lambda seconds: blank.wait_for_timeout(1000 * seconds)
        try:
            if arguments.picture:
                picture.make(server, browser, arguments.picture)
                return 0
            failed = [name for name in names if not run(name, TESTS[name], server, browser)]
        finally:
            browser.close()
            server.stop()
    print(f"{len(names) - len(failed)} of {len(names)} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
