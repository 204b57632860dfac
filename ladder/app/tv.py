"""Ladder TV: which board of the newest matches to watch next, chosen by what the database knows of them."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from ladder.app.matches import newest
from ladder.values.matches import TvBoard

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.matches import MatchRow, SeatRow

MATCHES = 40
"""The newest matches, among which it is chosen."""
START = 1500.0
DOUBLE_ELO = 200.0
"""Elo by which the mean rating of a table must be higher to count twice."""


class _Candidate(NamedTuple):
    match: MatchRow
    board: int
    """From 1."""
    swing: float
    """Points a deal between the best bot there and the worst."""


def tv_next(ladder: Ladder, seen: Collection[int] = (), first: int | None = None) -> TvBoard | None:
    """
    Choose the board to watch next: the one with the highest product of closeness, rank and swing.

    Closeness is 1 where the first two of the match were equal, and one half where one standard error lay between them.
    Rank doubles with each `DOUBLE_ELO` of the table's mean rating. Swing is compared with the mean of the variant.

    Args:
        ladder: The ladder.
        seen: Numbers of matches that have been watched: they come again only after all others.
        first: The match to begin with, if it is among the newest.

    Returns:
        The board; None where no match with a record is done yet.
    """
    rows = [row for row in newest(ladder, limit=MATCHES).matches if row.record_kept and row.finished is not None]
    wanted = [row for row in rows if row.id == first] or [row for row in rows if row.id not in seen] or rows
    candidates = [each for row in rows for each in _boards(row)]
    usual = _usual_swings(candidates)
    chosen = max(
        (each for each in candidates if each.match in wanted),
        key=lambda each: _interest(each, usual[each.match.variant]),
        default=None,
    )
    return None if chosen is None else _shown(chosen)


def closeness(seats: Sequence[SeatRow]) -> float:
    """Say how close the first two of a match were, from 0 to 1."""
    by_points = sorted((seat for seat in seats if seat.points_per_deal is not None), key=lambda seat: seat.place or 0)
    if len(by_points) < 2:
        return 0.5
    one, two = by_points[:2]
    gap = abs((one.points_per_deal or 0.0) - (two.points_per_deal or 0.0))
    error = (one.standard_error or 0.0) + (two.standard_error or 0.0)
    return error / (error + 2 * gap) if error else float(not gap)


def _boards(row: MatchRow) -> Iterator[_Candidate]:
    points = [seat.board_points for seat in row.seats if seat.board_points]
    if not row.format.startswith("boards:") or len(points) < 2:
        yield _Candidate(row, 1, 1.0)
        return
    for board, each in enumerate(zip(*points, strict=False), 1):
        yield _Candidate(row, board, max(each) - min(each))


def _usual_swings(candidates: Sequence[_Candidate]) -> dict[str, float]:
    swings: dict[str, list[float]] = defaultdict(list)
    for each in candidates:
        swings[each.match.variant].append(each.swing)
    return {variant: fmean(found) for variant, found in swings.items()}


def _interest(candidate: _Candidate, usual_swing: float) -> tuple[float, int]:
    seats = candidate.match.seats
    mean = fmean(START if seat.rating_before is None else seat.rating_before for seat in seats)
    swing = candidate.swing / usual_swing if usual_swing else 1.0
    return closeness(seats) * 2 ** ((mean - START) / DOUBLE_ELO) * swing, candidate.match.id


def _shown(chosen: _Candidate) -> TvBoard:
    row = chosen.match
    assert row.finished is not None
    has_rotations = row.format.startswith("boards:")
    return TvBoard(
        match=row.id,
        board=chosen.board,
        rotation=1 + row.id % len(row.seats) if has_rotations else 1,
        variant=row.variant,
        bots=tuple(seat.bot for seat in sorted(row.seats, key=lambda seat: seat.place or 0)),
        finished=row.finished,
    )
