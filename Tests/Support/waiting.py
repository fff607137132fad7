"""The one time limit of the Python tests. Only a hang reaches it, so the speed of the machine decides no test."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

HANG_SECONDS = 300

Value = TypeVar("Value")


class Hang(AssertionError):
    """A condition did not become true."""


def wait_until(
    condition: Callable[[], Value], what: object, pause: Callable[[float], object] = time.sleep
) -> Value:
    """Waits until a condition is true, and returns its value. `what` describes the condition: a text, or a function that
    returns one. `pause` waits between two checks, each time longer."""
    deadline = time.monotonic() + HANG_SECONDS
    seconds = 0.01
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Hang(f"this did not happen: {what() if callable(what) else what}")
        pause(seconds)
        seconds = min(1.3 * seconds, 0.1)
    return value
