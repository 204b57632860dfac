"""
Decisions of the deal under way, kept so that an interrupted match resumes at the very card.

They are kept as the record writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.match.player import Decision, Fault
from referee.records.journal_file import JournalLine
from referee.records.steps import DEFAULT, action_of, words_of
from referee.seats.verdict import Exit, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.match.observer import Steps
    from referee.match.player import Player
    from referee.records.journal_file import JournalFile
    from referee.records.lines import Step

    Done = list[tuple[int, Decision]]
    """Seats, and what each of them did."""


def in_ms(seconds: Iterable[float | None]) -> tuple[float | None, ...] | None:
    """Give milliseconds for the record; None where there are none at all."""
    times = tuple([None if each is None else round(each * 1000, 3) for each in seconds])
    return None if times.count(None) == len(times) else times


def step_fields(seat: int, decision: Decision) -> dict[str, object]:
    """Give the fields of a `Step`."""
    field, text = words_of(decision.action)
    return {"seat": seat, field: text, "by": decision.by, **_fault(decision.fault)}


def _fault(fault: Fault | None) -> dict[str, object]:
    """Give the fields of a `Step` that tell why the default action was played."""
    if fault is None:
        return {}
    if fault.end is None:
        return {"why": fault.message}
    return {"why": fault.message, "exit_code": fault.end.code, "oom": fault.end.oom}


class Journal:
    """The journal of a match at one table: what is in the file is not asked again."""

    def __init__(self, file: JournalFile) -> None:
        self._file = file

    def lines(self, deal: int) -> Sequence[JournalLine]:
        """Give what was decided in that deal before the match was interrupted."""
        return [line for line in self._file.lines if line.deal == deal]

    def take(self, deal: int, steps: Steps) -> None:
        """
        Keep the answers to a question.

        Raises:
            OSError: If there is no room.
        """
        fields = {
            "deal": deal,
            "steps": tuple(step_fields(seat, decision) for seat, decision in steps),
            "took_ms": tuple(round(decision.took * 1000, 3) for _, decision in steps),
            "cpu_ms": in_ms(decision.cpu for _, decision in steps),
            "unasked_ms": in_ms(decision.unasked for _, decision in steps),
        }
        self._file.write(JournalLine.model_validate(fields))


def restore(line: JournalLine, players: Sequence[Player]) -> Done:
    """Bring the players, by their seats, to where they were after *line*, and give what they did."""
    done: Done = []
    for step, took, cpu, unasked in line.timed_steps():
        player = players[step.seat]
        player.charge_unasked(unasked)
        player.count_recorded(step, took, cpu, len(players))
        done.append((step.seat, Decision(action_of(step), step.by, took, cpu, _fault_of_step(step), unasked)))
    return done


def _fault_of_step(step: Step) -> Fault | None:
    if not step.by.startswith(DEFAULT):
        return None
    end = None if step.exit_code is None else Exit(step.exit_code, bool(step.oom))
    return Fault(0, Verdict(step.by.removeprefix(DEFAULT)), step.why or "", end)
