"""How a bot has done against each other one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, func, select

from ladder.store import models
from ladder.store.last_estimate import estimate_of
from ladder.store.models import PairStats, Rating, State
from ladder.values.bots import Opponent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate


AT_ONCE = 40
"""How many are looked up first."""


def head_to_head(session: Session, variant: str, version: int, limit: int, at_once: int = AT_ONCE) -> list[Opponent]:
    """
    Read the opponents of a version: the active ones first, then the nearest in rating.

    Args:
        session: A transaction.
        variant: The variant's name.
        version: The version's id.
        limit: Number of opponents to give at most.
        at_once: How many of the nearest are looked up first; then twice as many, and so on.
    """
    met = _met(session, variant, version, limit, at_once)
    names = _names(session, [one.other for one in met])
    estimate = estimate_of(session, variant) if met else None
    return [
        Opponent(
            bot=names[one.other][0],
            version=names[one.other][1],
            state=one.state,
            score=one.score,
            matches=one.matches,
            los=_los(estimate, version, one.other),
        )
        for one in met
    ]


class _Met(NamedTuple):
    other: int
    state: str
    score: float
    matches: int


def _met(session: Session, variant: str, version: int, limit: int, size: int) -> list[_Met]:
    """The first of those whom it has met. Of a thousand only as many are looked up as it takes to find them."""
    others = _by_nearness(session, variant, version)
    met: list[_Met] = []
    while others and len(met) < limit:
        some, others = others[:size], others[size:]
        size *= 2
        scores = _scores(session, variant, version, [other for other, _ in some])
        met += [_Met(other, state, *scores[other]) for other, state in some if other in scores]
    return met[:limit]


def _by_nearness(session: Session, variant: str, version: int) -> list[tuple[int, str]]:
    """Give the other versions of a variant with their states: the active ones first, then the nearest in rating."""
    entries = select(Rating.version_id, Rating.state, Rating.rating).where(Rating.variant == variant)
    found = {other: (state, rating) for other, state, rating in session.execute(entries)}
    _, own = found.pop(version)
    nearest = sorted(found, key=lambda one: (found[one][0] != State.ACTIVE, abs(found[one][1] - own), one))
    return [(other, found[other][0]) for other in nearest]


def _scores(session: Session, variant: str, version: int, others: Sequence[int]) -> dict[int, tuple[float, int]]:
    """By version: what was scored against it, in matches of any length, and in how many of them."""
    above, below = [one for one in others if one > version], [one for one in others if one < version]
    pairs = (
        (PairStats.b, PairStats.score, and_(PairStats.a == version, PairStats.b.in_(above))),
        (PairStats.a, PairStats.n - PairStats.score, and_(PairStats.b == version, PairStats.a.in_(below))),
    )
    found: dict[int, tuple[float, int]] = {}
    for other, score, pair in pairs:
        wanted = select(other, func.sum(score), func.sum(PairStats.n)).where(PairStats.variant == variant, pair)
        rows = session.execute(wanted.group_by(other))
        found |= {one: (scored, int(matches)) for one, scored, matches in rows if matches}
    return found


def _names(session: Session, versions: list[int]) -> dict[int, tuple[str, int]]:
    """By id: the bot's name and the number of the version."""
    wanted = (
        select(models.Version.id, models.StoredBot.name, models.Version.number)
        .join_from(models.Version, models.StoredBot, models.StoredBot.id == models.Version.bot_id)
        .where(models.Version.id.in_(versions))
    )
    return {version: (bot, number) for version, bot, number in session.execute(wanted)}


def _los(estimate: Estimate | None, version: int, other: int) -> float | None:
    """The likelihood of superiority; None where the estimate does not know both."""
    try:
        return None if estimate is None else estimate.los(version, other)
    except KeyError:
        return None  # entered since the last estimate
