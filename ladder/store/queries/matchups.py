"""Results of the best bots of a variant against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.store.queries.variant_field import field_of
from ladder.store.tables import PAIR, connection_of
from ladder.values.bots import Matchup, Matchups
from ladder.values.names import label

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def matchups(session: Session, variant: str, first: int) -> Matchups:
    """
    Read what the best active versions have scored against each other.

    Args:
        session: A transaction.
        variant: The name of a variant that the ladder plays.
        first: Number of versions, from 1.
    """
    field = field_of(session, variant)
    best = field.best(first)
    names = {entry.version: label(entry.bot, entry.number) for entry in best}
    sums = (func.sum(PAIR.c[name]) for name in ("n", "score", "boards_played", "board_score", "points"))
    wanted = (
        select(PAIR.c.a, PAIR.c.b, *sums)
        .where(PAIR.c.variant == variant, PAIR.c.a.in_(names), PAIR.c.b.in_(names))
        .group_by(PAIR.c.a, PAIR.c.b)
    )
    found: dict[tuple[int, int], Matchup] = {}
    for a, b, matches, score, boards, board_score, points in connection_of(session).execute(wanted):
        if not matches:
            continue
        counted = (int(matches), float(score), int(boards), float(board_score), float(points))
        for one, other, values in ((a, b, counted), (b, a, _turned(*counted))):
            found[one, other] = _matchup(names[one], names[other], *values)
    pairs = tuple(found[one, other] for one in names for other in names if (one, other) in found)
    return Matchups(variant=variant, title=field.title, bots=tuple(names.values()), pairs=pairs)


def _turned(
    matches: int, score: float, boards: int, board_score: float, points: float
) -> tuple[int, float, int, float, float]:
    """Give the same, as the other one sees it."""
    return matches, matches - score, boards, boards - board_score, -points


def _matchup(
    bot: str, other: str, matches: int, score: float, boards: int, board_score: float, points: float
) -> Matchup:
    return Matchup(
        bot=bot, other=other, matches=matches, score=score, boards=boards, board_score=board_score,
        points_per_deal=points / boards if boards else None,
    )  # fmt: skip
