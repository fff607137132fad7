"""Compares the responses that clients received with the store's content afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import journal
import realtime
from fold import Fold
from history import Record
from observation import Observation, observe, unexpected
from postgres import Postgres


@dataclass(slots=True)
class Figures:
    requests: int = 0
    acknowledged: int = 0
    """Changes that the server acknowledged."""
    unanswered: int = 0
    """Writes without a response. The journal may contain them."""
    unanswered_applied: int = 0
    unavailable: int = 0
    reads: int = 0


class Checker:
    """Follows one store through all runs of the server on it."""

    def __init__(self) -> None:
        self.fold = Fold()
        self.figures = Figures()

    def check(
        self, store: Path | Postgres, records: list[Record], allowed: set[int] | None = None
    ) -> list[str]:
        """All faults in the records since the last check.

        `store` must not change during the check. `allowed` are statuses that are correct in addition to the
        usual ones, because of an injected fault.
        """
        found: list[str] = []
        observations: list[Observation] = []
        for record in records:
            if record.answer is None:
                continue
            wrong = unexpected(record, allowed or set())
            if wrong:
                found.append(wrong)
            if record.answer.status < 500:
                observations += observe(record)
        self.fold.found = []
        stored = journal.read(store, self.fold.last_row)
        before = len(self.fold.applied)
        self.fold.replay(stored, {record.name: record for record in records}, observations)
        found += self.fold.found
        found += realtime.check(observations, self.fold)
        found += self._check_refusals(records)
        self._count(records, observations, len(self.fold.applied) - before)
        return found

    def _check_refusals(self, records: list[Record]) -> list[str]:
        return [
            f"refused, but applied: {record}"
            for record in records
            if record.answer and record.answer.status >= 400 and record.name in self.fold.applied
        ]

    def _count(self, records: list[Record], observations: list[Observation], applied: int) -> None:
        figures = self.figures
        acknowledged = len({seen.record.name for seen in observations if seen.changed})
        figures.requests += len(records)
        figures.acknowledged += acknowledged
        figures.unanswered += sum(record.is_write and not record.answer for record in records)
        figures.unanswered_applied += applied - acknowledged
        figures.unavailable += sum(
            record.answer is not None and record.answer.status == 503 for record in records
        )
        figures.reads += sum(not record.is_write for record in records)
