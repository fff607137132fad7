"""Real-time order: who asks after another was answered sees at least what that answer showed."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from fold import ListState
from observation import Observation


def check(observations: Iterable[Observation], states: dict[str, ListState]) -> list[str]:
    """All that is wrong with the order in which versions were shown."""
    by_list: dict[str, list[Observation]] = defaultdict(list)
    for seen in observations:
        by_list[seen.record.list].append(seen)
    found: list[str] = []
    for name, seen_of_list in by_list.items():
        found += _check_list(name, seen_of_list, states[name])
    return found


def _check_list(name: str, observations: list[Observation], state: ListState) -> list[str]:
    found: list[str] = []
    shown = sorted((s for s in observations if s.version is not None), key=_end)
    ends = [seen.record.end for seen in shown]
    greatest: list[int] = []
    for seen in shown:
        version = seen.version or 0
        greatest.append(max(version, greatest[-1] if greatest else state.base))
    for seen in observations:
        # `<` on purpose: where the clock shows one moment for both, the order is unknown.
        earlier = bisect_right(ends, seen.record.start - 1e-9)
        floor = greatest[earlier - 1] if earlier else state.base
        if seen.version is None:
            if not _may_be_missing(seen, floor, state):
                found.append(f"not found, though there since version {floor}: {seen.record}")
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
    """Whether there was a version, at the time of the request, without what it asked for."""
    record = seen.record
    if record.task and record.task.startswith("shared."):
        return True
    if seen.code not in ("list_not_found", "task_not_found"):
        return True
    for version in range(floor, state.version + 1):
        maker = state.makers.get(version)
        if maker and maker.start > record.end:
            break
        if seen.code == "task_not_found" and record.task:
            if not state.had(record.task, version):
                return True
        elif not state.existed.get(version, False):
            return True
    return False
