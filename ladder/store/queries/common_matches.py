"""Matches in which two versions have sat on different sides, and what those have come to."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, func, select

from ladder.store.queries.matches import match_rows
from ladder.store.tables import MATCH, PAIR, connection_of

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
    Read the newest matches of this season in which two versions sat on different sides; the newest result first.

    Only those are looked at, however many matches each of the two has had.

    Args:
        session: A transaction.
        variant: The variant's name.
        one: A version's id.
        two: Another one's.
        limit: Number of matches to give at most, up to the 40 that `PairStats.newest` holds in any case.
    """
    newest = newest_ordinals(session, variant, one, two)[:limit]
    numbers = connection_of(session).execute(_MATCHES, {"ordinals_": newest}).scalars().all()
    by_number = {match.id: match for match in match_rows(session, numbers)}
    return [by_number[number] for number in numbers]


def newest_ordinals(session: Session, variant: str, one: int, two: int) -> list[int]:
    """Read what `PairStats.newest` holds of two versions, by id, in matches of all lengths; the newest first."""
    wanted = {"variant_": variant, "a_": min(one, two), "b_": max(one, two)}
    whole = [text.split(",")[:-1] for text in connection_of(session).execute(_NEWEST, wanted).scalars()]
    return sorted(map(int, chain.from_iterable(whole)), reverse=True)


_OF_PAIR = (PAIR.c.a == bindparam("a_"), PAIR.c.b == bindparam("b_"))
_NEWEST = select(PAIR.c.newest).where(PAIR.c.variant == bindparam("variant_"), *_OF_PAIR)
_MATCHES = (
    select(MATCH.c.id)
    .where(MATCH.c.ordinal.in_(bindparam("ordinals_", expanding=True)))
    .order_by(MATCH.c.ordinal.desc())
)
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
