"""The faults of a match, collected deal by deal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ladder.values.local_results import FaultReport
from referee.records.steps import DEFAULT, was_asked
from referee.seats.verdict import Verdict

if TYPE_CHECKING:
    from referee.records.lines import DealLine


class Faults:
    """The faults of a match so far; takes its deals, those of each rotation in order."""

    def __init__(self) -> None:
        self.reports: list[FaultReport] = []
        self._decisions: Counter[tuple[int, int]] = Counter()
        self._rotations: set[int] = set()

    def take(self, line: DealLine) -> None:
        """Add the faults of a finished deal."""
        rotation = (line.rotation or 0) + 1
        self._rotations.add(rotation)
        for step in line.steps:
            if not was_asked(step.by):
                continue
            bot = line.seats[step.seat] if line.seats else step.seat
            self._decisions[rotation, bot] += 1
            if step.why:
                code, decision = step.by.removeprefix(DEFAULT), self._decisions[rotation, bot]
                self.reports.append(
                    FaultReport(
                        seat=bot,
                        rotation=rotation,
                        place=line.name,
                        decision=decision,
                        verdict=code,
                        why=step.why,
                        exit_code=step.exit_code,
                        oom=step.oom,
                    )
                )

    def decisions(self, bot: int) -> int:
        """Count the questions to a bot, in all rotations together."""
        return sum(count for (_, asked), count in self._decisions.items() if asked == bot)

    def never_came(self, bot: int) -> bool:
        """Tell whether a bot took its seat at none of several tables: each of them waited for a start of its own."""
        absent = {each.rotation for each in self.reports if each.seat == bot and each.verdict == Verdict.ABSENT}
        return len(self._rotations) > 1 and absent == self._rotations

    def of(self, bot: int) -> list[FaultReport]:
        """Give the faults of one bot, rotation by rotation."""
        own = [report for report in self.reports if report.seat == bot]
        return sorted(own, key=lambda report: (report.rotation, report.decision))
