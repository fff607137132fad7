"""Chromium, as `scripts/setup --checks` installs it."""

from __future__ import annotations

import shutil
from typing import Any

from waiting import HANG_SECONDS

# The headless shell needs half of the processor time of the whole browser.
_NAMES = ("chromium-headless-shell", "chromium", "google-chrome")


def launch(playwright: Any) -> Any:
    chromium = next(filter(None, map(shutil.which, _NAMES)), None)
    if not chromium:
        raise SystemExit("chromium is missing; scripts/setup --checks installs it")
    # Chromium's sandbox does not work for root and in containers. It is not needed, because the browser only visits servers of the tests.
    return playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"], timeout=1000 * HANG_SECONDS)
