"""Results of bots against each other: of the best bots of a variant, and of one bot against each other one."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select

from ladder.store.core_tables import PAIR, SEAT, connection_of
from ladder.store.last_estimate import estimate_of
from ladder.store.queries.variant_field import field_of
from ladder.values.bots import Matchup, Matchups, Opponent
from ladder.values.names import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate

    Scores = dict[int, tuple[float, int]]
    """By version: what was scored against it, in matches of any length, and in how many of them."""


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


AT_ONCE = 40
"""Number of opponents that are looked up first."""
FEW = 100
"""Matches of a version up to which all its opponents are read: it may have met none of the nearest."""


def head_to_head(
    session: Session, variant: str, version: int, limit: int, at_once: int = AT_ONCE, few: int = FEW
) -> list[Opponent]:
    """
    Read the opponents of a version: the active ones first, then the nearest in rating.

    Args:
        session: A transaction.
        variant: The variant's name.
        version: The version's id.
        limit: Number of opponents to give at most.
        at_once: How many of the nearest are looked up first; then twice as many, and so on.
        few: Matches of the version up to which all its opponents are read instead.
    """
    field = field_of(session, variant)
    if field.entries[version].matches <= few:
        scores = _scores(session, variant, version, _met(session, version))
        met = sorted(scores, key=lambda other: field.distance(version, other))[:limit]
    else:
        scores = _nearest_scores(session, variant, version, field.nearest(version), limit, at_once)
        met = list(scores)[:limit]
    estimate = estimate_of(session, variant) if met else None
    return [
        Opponent(
            bot=field.entries[other].bot,
            version=field.entries[other].number,
            state=field.entries[other].state,
            score=scores[other][0],
            matches=scores[other][1],
            los=_los(estimate, version, other),
        )
        for other in met
    ]


def _nearest_scores(
    session: Session, variant: str, version: int, others: Iterable[int], limit: int, size: int
) -> Scores:
    """Find the first of *others* that it has met, in that order. Only as many are looked up as are needed."""
    met: Scores = {}
    waiting = iter(others)
    while len(met) < limit and (some := list(islice(waiting, size))):
        size *= 2
        scores = _scores(session, variant, version, some)
        met |= {other: scores[other] for other in some if other in scores}
    return met


def _met(session: Session, version: int) -> list[int]:
    """List the ids of all with whom a version has sat at a table, in any variant."""
    found = connection_of(session).execute(MET, {"version_": version}).scalars()
    return [other for other in found if other != version]


def _scores(session: Session, variant: str, version: int, some: Sequence[int]) -> Scores:
    """Give the scores of a version against *some* others, by id."""
    found: Scores = {}
    for statement, is_above in zip(SCORES, (True, False), strict=True):
        wanted = {
            "variant_": variant, "version_": version,
            "some_": [other for other in some if (other > version) == is_above],
        }  # fmt: skip
        found |= {other: (score, int(n)) for other, score, n in connection_of(session).execute(statement, wanted) if n}
    return found


def _pairs(other: str, mine: str, score: ColumnElement[float]) -> Select[Any]:
    """Select the scores of a version against *some* others that stand on one side of the pair."""
    return (
        select(PAIR.c[other], func.sum(score), func.sum(PAIR.c.n))
        .where(PAIR.c.variant == bindparam("variant_"), PAIR.c[mine] == bindparam("version_"))
        .where(PAIR.c[other].in_(bindparam("some_", expanding=True)))
        .group_by(PAIR.c[other])
    )


SCORES = _pairs("b", "a", PAIR.c.score), _pairs("a", "b", PAIR.c.n - PAIR.c.score)
_OTHERS = SEAT.alias()
MET = (
    select(_OTHERS.c.version_id)
    .distinct()
    .select_from(SEAT.join(_OTHERS, _OTHERS.c.match_id == SEAT.c.match_id))
    .where(SEAT.c.version_id == bindparam("version_"))
)


def _los(estimate: Estimate | None, version: int, other: int) -> float | None:
    """Give the likelihood of superiority; None where the estimate does not know both."""
    try:
        return None if estimate is None else estimate.los(version, other)
    except KeyError:
        return None  # entered since the last estimate
