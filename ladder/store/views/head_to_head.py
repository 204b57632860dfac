"""How a bot has done against each other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, select, union_all

from ladder.ratings.batch import Estimate
from ladder.store import models
from ladder.store.models import PairStats, Rating, State

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class Opponent:
    """Another version, and the matches with it on different sides."""

    bot: str
    version: int
    """Its number among the versions of the bot."""
    state: str
    score: float
    """Matches in which this bot was placed before it; equal places count one half."""
    matches: int
    los: float | None
    """How likely this bot is stronger than it, 0 to 1; None where no batch estimate knows both."""


def head_to_head(session: Session, variant: str, version: int, limit: int) -> list[Opponent]:
    """
    Read the opponents of a version: the active ones first, then by matches with it, most first.

    Args:
        session: A transaction.
        variant: The variant's name.
        version: The version's id.
        limit: At most so many.
    """
    here = PairStats.variant == variant
    as_a = select(PairStats.b.label("other"), PairStats.score, PairStats.n).where(here, PairStats.a == version)
    as_b = select(PairStats.a, PairStats.n - PairStats.score, PairStats.n).where(here, PairStats.b == version)
    pairs = union_all(as_a, as_b).subquery()
    wanted: Select[*tuple[Any, ...]] = (
        select(pairs.c.other, models.Bot.name, models.Version.number, Rating.state, pairs.c.score, pairs.c.n)
        .join_from(pairs, models.Version, models.Version.id == pairs.c.other)
        .join(models.Bot, models.Bot.id == models.Version.bot_id)
        .join(Rating, (Rating.version_id == pairs.c.other) & (Rating.variant == variant))
        .where(pairs.c.n > 0)
        .order_by(case((Rating.state == State.ACTIVE, 0), else_=1), pairs.c.n.desc(), models.Bot.name)
        .limit(limit)
    )
    estimate = _estimate(session, variant)
    return [
        Opponent(bot, number, state, score, matches, _los(estimate, version, other))
        for other, bot, number, state, score, matches in session.execute(wanted)
    ]


def _estimate(session: Session, variant: str) -> Estimate | None:
    fit = session.scalar(select(models.Estimate.fit).where(models.Estimate.variant == variant))
    return None if fit is None else Estimate.from_bytes(fit)


def _los(estimate: Estimate | None, version: int, other: int) -> float | None:
    try:
        return None if estimate is None else estimate.los(version, other)
    except KeyError:
        return None  # entered since the last estimate
