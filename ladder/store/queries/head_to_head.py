"""How a bot has done against each other one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, func, select, union_all

from ladder.store import models
from ladder.store.models import PairStats, Rating, State
from ladder.store.queries.estimate import estimate_of
from ladder.values.bots import Opponent

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select, SQLColumnExpression
    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate


def head_to_head(session: Session, variant: str, version: int, limit: int) -> list[Opponent]:
    """
    Read the opponents of a version: the active ones first, then the nearest in rating.

    Args:
        session: A transaction.
        variant: The variant's name.
        version: The version's id.
        limit: At most so many.
    """
    own = session.scalars(select(Rating.rating).where(Rating.variant == variant, Rating.version_id == version)).one()
    met = sorted(
        _met(session, variant, version), key=lambda one: (one.state != State.ACTIVE, abs(one.rating - own), one.other)
    )
    names = _names(session, [one.other for one in met[:limit]])
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
        for one in met[:limit]
    ]


class _Met(NamedTuple):
    other: int
    state: str
    rating: float
    score: float
    matches: int


def _met(session: Session, variant: str, version: int) -> list[_Met]:
    """Whom it has met. Outer joins, so that SQLite looks each pair up, and does not go through all of a variant's."""
    here = (PairStats.variant == Rating.variant,)
    as_a = _among(variant, PairStats.score, *here, PairStats.a == version, PairStats.b == Rating.version_id)
    as_b = _among(
        variant, PairStats.n - PairStats.score, *here, PairStats.a == Rating.version_id, PairStats.b == version
    )
    rows = session.execute(union_all(as_a.where(Rating.version_id > version), as_b.where(Rating.version_id < version)))
    return [
        _Met(other, state, rating, score, int(matches))
        for other, state, rating, score, matches in rows.all()
        if matches
    ]


def _among(variant: str, score: SQLColumnExpression[Any], *pair: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    """Everybody in a variant, with what the *pair* that each makes has scored, in matches of any length, if any."""
    columns = select(Rating.version_id, Rating.state, Rating.rating, func.sum(score), func.sum(PairStats.n))
    pairs = columns.join_from(Rating, PairStats, and_(*pair), isouter=True).where(Rating.variant == variant)
    return pairs.group_by(Rating.version_id, Rating.state, Rating.rating)


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
