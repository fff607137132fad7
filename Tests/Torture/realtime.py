"""Real-time order: a request that begins after another one's response sees at least the version in that response."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate

from fold import Fold, ListState
from history import Record
from observation import Observation


def check(observations: Iterable[Observation], fold: Fold) -> list[str]:
    """All faults in the order in which versions were shown."""
    by_list: dict[str, list[Observation]] = defaultdict(list)
    missed: list[Observation] = []
    for seen in observations:
        if seen.code == "task_not_found" and seen.record.task:
            missed.append(seen)
        else:
            by_list[seen.list].append(seen)
    found: list[str] = []
    for name, seen_of_list in by_list.items():
        found += _check_list(name, seen_of_list, fold.states[name])
    return found + _check_missed(missed, by_list, fold)


def _check_list(name: str, observations: list[Observation], state: ListState) -> list[str]:
    found: list[str] = []
    shown = sorted((s for s in observations if s.version is not None), key=_end)
    ends = [seen.record.end for seen in shown]
    greatest: list[int] = []
    for seen in shown:
        version = seen.version or 0
        greatest.append(max(version, greatest[-1] if greatest else state.base))
    for seen in observations:
        # Uses `<`, because the order is unknown if the clock shows the same time for both.
        earlier = bisect_right(ends, seen.record.start - 1e-9)
        floor = greatest[earlier - 1] if earlier else state.base
        if seen.version is None:
            if not _may_be_missing(seen, floor, state):
                found.append(f"not found, though it exists since version {floor}: {seen.record}")
            continue
        if seen.version > state.version:
            found.append(f"shown and lost: {name} version {seen.version}: {seen.record}")
            continue
        if seen.version - int(seen.changed) < floor:
            found.append(
                f"went back: version {seen.version} after {floor} was shown: {seen.record}"
            )
        maker = state.makers.get(seen.version)
        if maker and maker.start > seen.record.end:
            found.append(f"from the future: version {seen.version}: {seen.record}")
    return found


def _end(seen: Observation) -> float:
    return seen.record.end


def _may_be_missing(seen: Observation, floor: int, state: ListState) -> bool:
    """Whether a version existed, at the time of the request, without the requested object."""
    record = seen.record
    if seen.code != "list_not_found":
        return True
    for version in range(floor, state.version + 1):
        maker = state.makers.get(version)
        if maker and maker.start > record.end:
            break
        is_there = state.existed.get(version, False)
        if record.kind == "restore":
            is_there = is_there or state.restorable.get(version, False)
        if not is_there:
            return True
    return False


def _check_missed(
    missed: list[Observation], by_list: dict[str, list[Observation]], fold: Fold
) -> list[str]:
    """Checks each response that says that a task does not exist: this must be true at some moment of the request.

    The journal has one order of all lists' changes. If a response shows a row, all rows before it
    are stored.
    """
    shown = sorted(
        (seen.record.end, fold.states[name].rows.get(seen.version, 0))
        for name, seen_of_list in by_list.items()
        for seen in seen_of_list
        if seen.version is not None
    )
    ends = [end for end, _ in shown]
    greatest = list(accumulate((row for _, row in shown), max, initial=fold.base_row))
    found: list[str] = []
    for seen in missed:
        record = seen.record
        floor = greatest[bisect_right(ends, record.start - 1e-9)]
        events = fold.whereabouts.get(record.task or "", [])
        start = next((e for e in reversed(events) if e.row <= floor), None)
        later = (e for e in events if e.row > floor and not _is_later(e.maker, record))
        if start and start.holder and all(e.holder for e in later):
            found.append(f"not found, though in {start.holder} at row {floor}: {record}")
    return found


def _is_later(maker: Record | None, record: Record) -> bool:
    return maker is not None and maker.start > record.end
