"""Tests of the web page in a real browser. `scripts/browser --help` explains how to run them."""

from __future__ import annotations

import argparse
import importlib
import inspect
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "Support"))
import browsers
import icons
import page_server as servers
import picture
from page_server import Server
from playwright.sync_api import sync_playwright
from processes import names_from, run_together
from window import Window

FOLDER = Path(__file__).parent
# Chromium drops all requests when the machine gets or loses a network interface, for example when a container starts. A test
# that met this is run again.
NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"
MOST_RUNS = 3
# These take the longest, so they begin first.
LONGEST = ("test_access", "test_tabs", "test_lists")


def find_tests():
    """The functions of all modules `test_*` that have the parameters of a test."""
    names = [file.stem for file in sorted(FOLDER.glob("test_*.py"))]
    found = {}
    for module in map(importlib.import_module, [*LONGEST, *(name for name in names if name not in LONGEST)]):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and [*inspect.signature(function).parameters] == ["server", "open_window"]:
                found[name] = function
    return found


def passes(name, test, program, browser) -> bool:
    """Runs a test, again if the network changed meanwhile."""
    for number in range(MOST_RUNS):
        faults = run(name, test, program, browser)
        if faults is None:
            return True
        if number + 1 == MOST_RUNS or not any(NETWORK_CHANGED in fault for fault in faults):
            break
        print(f"again {name}: the network changed", flush=True)
    print("\n".join([*faults, f"FAILED {name}"]), flush=True)
    return False


def run(name, test, program, browser) -> list[str] | None:
    """Runs a test with a new server. Returns the faults, or None if it passed. The server ends after the windows, which would
    report errors otherwise."""
    windows = []

    def open_window(list_id, **options):
        windows.append(Window(browser, server.url, **options))
        return windows[-1] if list_id is None else windows[-1].open(list_id)

    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, Path(folder))
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
            return lines
        finally:
            server.stop()
    print(f"passed {name}: {time.monotonic() - start:.1f} s", flush=True)
    return None


def main() -> int:
    tests = find_tests()
    parser = argparse.ArgumentParser(prog="scripts/browser", description=__doc__)
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="*", metavar="TEST", help=f"names of tests; default: all: {', '.join(tests)}")
    parser.add_argument("--picture", type=Path, help="only writes the README's picture to this file")
    parser.add_argument("--icons", type=Path, help="only draws the icons in this folder, from its icon.svg")
    parser.add_argument("--from-pipe", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--files", type=Path, help="serves the page's files from this folder instead")
    arguments = parser.parse_intermixed_args()
    if unknown := [name for name in arguments.tests if name not in tests]:
        parser.error(f"unknown test {', '.join(unknown)}; --help lists the tests")
    names = arguments.tests or list(tests)
    if arguments.from_pipe:
        names = names_from(arguments.from_pipe)
    elif len(names) > 1 and not arguments.picture and not arguments.icons:
        files = ["--files", arguments.files] if arguments.files else []
        return run_together(FOLDER, [arguments.program, *files], names)
    bundle = tempfile.TemporaryDirectory()
    if arguments.files:
        subprocess.run([FOLDER.parents[1] / "scripts/page-bundle", arguments.files, bundle.name], check=True)
        Window.files, Window.bundle = arguments.files, Path(bundle.name)
    program = arguments.program.resolve()
    with sync_playwright() as playwright:
        browser = browsers.launch(playwright)
        blank = browser.new_page()
        # The browser handles requests that a test holds or changes only during calls of the browser.
        servers.pause = lambda seconds: blank.wait_for_timeout(1000 * seconds)
        try:
            if arguments.icons:
                icons.make(browser, arguments.icons)
                return 0
            if arguments.picture:
                picture.make(program, browser, arguments.picture)
                return 0
            passed = [passes(name, tests[name], program, browser) for name in names]
        finally:
            browser.close()
    print(f"{sum(passed)} of {len(passed)} passed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
