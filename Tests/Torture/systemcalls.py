"""Reads the output of `strace`: how much of the write-ahead log is durable."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from waiting import wait_until

TRACE = ["--seccomp-bpf", "-y", "-s", "0", "-e", "trace=pwrite64,fdatasync,fsync"]

_CALL = re.compile(r"^(\d+)\s+(pwrite64|fdatasync|fsync)\(\d+<([^>]*)>(.*)$")
_RESUMED = re.compile(r"^(\d+)\s+<\.\.\. (pwrite64|fdatasync|fsync) resumed>(.*)$")
_WRITE = re.compile(r", (\d+), (\d+)")
_ENDED = re.compile(r"^(\d+)\s+\+\+\+ (killed|exited)")


def durable_log_bytes(trace: Path, process: int, log: Path, at_start: int) -> int:
    """The length of the log that a successful sync covers. A power cut can destroy everything after it."""
    written = durable = at_start
    begun: dict[str, tuple[str, str, int]] = {}
    for line in _lines(trace, process):
        if match := _CALL.match(line):
            thread, call, path, rest = match.groups()
            if path != str(log):
                continue
            begun[thread] = (call, rest, written)
        elif match := _RESUMED.match(line):
            thread, call, rest = match.groups()
            if thread not in begun:
                continue
        else:
            continue
        if "<unfinished" in rest or thread not in begun:
            continue
        call, arguments, written_before = begun.pop(thread)
        if "= -1" in rest or "= ?" in rest:
            continue
        if call != "pwrite64":
            durable = max(durable, written_before)
        elif place := _WRITE.search(arguments) or _WRITE.search(rest):
            length, offset = int(place[1]), int(place[2])
            if offset == 0:
                # The log starts again from the beginning: its content was copied into the file.
                written = durable = 0
            written = max(written, offset + length)
    return durable


def _lines(trace: Path, process: int) -> list[str]:
    """All lines, after the tracer has reported the end of the process."""

    def complete() -> list[str]:
        lines = trace.read_text(errors="replace").splitlines()
        ended = {match[1] for line in lines if (match := _ENDED.match(line))}
        return lines if str(process) in ended else []

    return wait_until(complete, f"{trace} reports the end of {process}")


def cut_power(log: Path, durable: int, random: Random) -> int:
    """Keeps a random part of the data that was not synced, with one sector unwritten, as a disk may do.

    Returns the number of bytes that were not synced.
    """
    size = log.stat().st_size if log.exists() else 0
    at_stake = size - durable
    if at_stake <= 0:
        return 0
    kept = durable + random.randrange(at_stake + 1)
    with log.open("r+b") as file:
        if kept - durable > 512:
            file.seek(durable + random.randrange(kept - durable - 512))
            file.write(bytes(512))
        file.truncate(kept)
    return at_stake
