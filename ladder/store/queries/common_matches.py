"""Matches in which two versions have sat on different sides, and what those have come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, func, select

from ladder.store.queries.matches import match_rows
from ladder.store.tables import MATCH, PAIR, SEAT, VARIANT, connection_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.values.matches import MatchRow


class PairSums(NamedTuple):
    """Sums in `PairStats` for two versions, as the first one sees it."""

    matches: int
    score: float
    boards: int
    board_score: float
    points: float
    """By how many points a deal it was better, added up over the boards."""
    squares: float


def pair_sums(session: Session, variant: str, one: int, two: int) -> PairSums:
    """Add up what two versions, by id, have scored against each other; all of it is 0 if they have not met."""
    wanted = {"variant_": variant, "a_": min(one, two), "b_": max(one, two)}
    matches, score, boards, board_score, points, squares = connection_of(session).execute(_SUMS, wanted).one()
    found = PairSums(int(matches), float(score), int(boards), float(board_score), float(points), float(squares))
    if one < two:
        return found
    return found._replace(
        score=found.matches - found.score, board_score=found.boards - found.board_score, points=-found.points
    )


def common_variants(session: Session, one: int, two: int) -> list[str]:
    """Give the variants in which two versions, by id, have met: where they did most often first."""
    wanted = {"a_": min(one, two), "b_": max(one, two)}
    return list(connection_of(session).execute(_VARIANTS, wanted).scalars())


def common_matches(session: Session, variant: str, one: int, two: int, limit: int) -> list[MatchRow]:
    """
    Read the newest matches of the ladder in which two versions sat, and neither beside itself; the newest first.

    Args:
        session: A transaction.
        variant: The variant's name.
        one: A version's id, best of that with fewer matches: its own are looked through, the newest first.
        two: Another one's.
        limit: Number of matches to give at most.
    """
    wanted = {"variant_": variant, "one_": one, "two_": two, "limit_": limit}
    numbers = connection_of(session).execute(_MATCHES, wanted).scalars().all()
    return sorted(match_rows(session, numbers), key=lambda match: -match.id)


_MINE, _THEIRS = SEAT.alias("mine"), SEAT.alias("theirs")
_MATCHES = (
    select(_MINE.c.match_id)
    .distinct()
    .select_from(
        _MINE.join(_THEIRS, _THEIRS.c.match_id == _MINE.c.match_id).join(MATCH, MATCH.c.id == _MINE.c.match_id)
    )
    .where(_MINE.c.version_id == bindparam("one_"), _THEIRS.c.version_id == bindparam("two_"))
    .join(VARIANT, VARIANT.c.name == MATCH.c.variant)
    .where(MATCH.c.variant == bindparam("variant_"), MATCH.c.ordinal > VARIANT.c.season_start)
    .order_by(_MINE.c.match_id.desc())
    .limit(bindparam("limit_"))
)
_OF_PAIR = (PAIR.c.a == bindparam("a_"), PAIR.c.b == bindparam("b_"))
_SUMS = select(
    *(
        func.coalesce(func.sum(PAIR.c[name]), 0)
        for name in ("n", "score", "boards_played", "board_score", "points", "squares")
    )
).where(PAIR.c.variant == bindparam("variant_"), *_OF_PAIR)
_VARIANTS = (
    select(PAIR.c.variant)
    .where(*_OF_PAIR)
    .group_by(PAIR.c.variant)
    .having(func.sum(PAIR.c.n) > 0)
    .order_by(func.sum(PAIR.c.n).desc(), PAIR.c.variant)
)
