"""A record as tables: rows of plain values, for data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from referee.records.recorded import seats_of
from referee.records.steps import kind_and_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.records.lines import DealLine, MatchLine
    from referee.records.recorded import Recorded

Row: TypeAlias = "dict[str, str | int | float | bool | None]"


def deal_rows(recorded: Recorded) -> Iterator[Row]:
    """
    Give a row for each seat of each deal.

    Deals, boards and rotations count from 1, seats from 0. Only boards have rotations.
    """
    for line in recorded.deals:
        yield from rows_of_seats(recorded.first, line)


def decision_rows(recorded: Recorded) -> Iterator[Row]:
    """
    Give a row for each step of each deal, forced cards included.

    Deals, boards, rotations, steps and tricks count from 1, seats from 0; times are in milliseconds.
    """
    for line in recorded.deals:
        yield from rows_of_steps(recorded.first, line)


def rows_of_seats(first: MatchLine, line: DealLine) -> Iterator[Row]:
    """Give the rows of one deal; see `deal_rows`."""
    for seat, bot in enumerate(seats_of(line)):
        yield {
            **_place(line),
            "seat": seat,
            "bot": first.bots[bot],
            "hand": line.hands[seat],
            "score": line.scores[seat],
            "total": line.totals[seat],
        }


def rows_of_steps(first: MatchLine, line: DealLine) -> Iterator[Row]:
    """Give the rows of one deal; see `decision_rows`."""
    bots, cards, players = seats_of(line), 0, len(line.hands)
    cpu = line.cpu_ms or (None,) * len(line.steps)
    for number, (step, took, own) in enumerate(zip(line.steps, line.took_ms, cpu, strict=True), 1):
        kind, choice = kind_and_words(step)
        yield {
            **_place(line),
            "step": number,
            "seat": step.seat,
            "bot": first.bots[bots[step.seat]],
            "kind": kind,
            "trick": cards // players + 1 if kind == "play" else None,
            "choice": choice,
            "by": step.by,
            "why": step.why,
            "took_ms": took,
            "cpu_ms": own,
        }
        cards += kind == "play"


def _place(line: DealLine) -> Row:
    board, rotation = (None if number is None else number + 1 for number in (line.board, line.rotation))
    return {"deal": line.deal + 1, "board": board, "rotation": rotation}
