"""The standings of a variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import case, distinct, func, select
from sqlalchemy.orm import aliased

from ladder.pairing.missing import missing_owners
from ladder.ratings.elo import is_provisional
from ladder.store import models
from ladder.store.models import Rating, State
from ladder.values.names import label
from ladder.values.order import Order
from ladder.values.standings import StandingRow, Standings
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy import ColumnElement, Row, Select
    from sqlalchemy.orm import Session


def standings(
    session: Session,
    variant: models.Variant,
    everyone: bool = False,
    first: int | None = None,
    skipped: int = 0,
    by: Order = Order.ELO,
) -> Standings:
    """
    Read the standings of a variant.

    Args:
        session: A transaction.
        variant: The variant.
        everyone: With those that are suspended or retired, behind the others.
        first: Number of rows to give; None: all.
        skipped: How many to leave out before them.
        by: What to order them by.
    """
    wanted = _ENTRIES.where(*_ranked(variant, everyone)).order_by(*_best_first(by)).limit(first).offset(skipped)
    rules, sides = rules_from(variant.rules), _sides(variant)
    played = session.scalar(select(func.sum(Rating.matches)).where(Rating.variant == variant.name)) or 0
    rows = session.execute(wanted).all() if first != 0 else []
    field = VariantStandings.of(session, variant) if rows else None
    return Standings.model_validate(  # all rows in one go: a thousand of them take half the time
        {
            "variant": variant.name,
            "title": rules.title,
            "matches": int(played) // sides,
            "low_is_better": rules.low_is_better,
            "sides": sides,
            "by": by,
            "missing_owners": missing(session, variant),
            "standings": [field.fields(row) for row in rows] if field else [],
        }
    )


def active(session: Session, variant: str) -> int:
    """Count those that are ranked in a variant."""
    wanted = select(func.count()).where(Rating.variant == variant, Rating.state == State.ACTIVE)
    return session.scalar(wanted) or 0


def missing(session: Session, variant: models.Variant) -> int:
    """How many more owners must have an active bot in a variant before a match can be played."""
    owners = (
        select(func.count(distinct(models.StoredBot.owner_id)))
        .join_from(Rating, models.Version, models.Version.id == Rating.version_id)
        .join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
        .where(Rating.variant == variant.name, Rating.state == State.ACTIVE)
    )
    return missing_owners(session.scalar(owners) or 0, _sides(variant))


class Extent(NamedTuple):
    """What all rows of standings have in common."""

    rows: int
    low: float | None
    """Where the lowest 95 % interval begins, in what the rows are ordered by; of one without a ±, its value."""
    high: float | None
    """Where the highest one ends."""


def extent(session: Session, variant: models.Variant, everyone: bool = False, by: Order = Order.ELO) -> Extent:
    """Count the rows of the standings of a variant, and find the scale on which they all lie."""
    by_points = by == Order.POINTS
    value, half = (Rating.margin, Rating.margin_error) if by_points else (Rating.rating + variant.shift, Rating.error)
    error = func.coalesce(half, 0.0)
    wanted = select(func.count(), func.min(value - error), func.max(value + error))
    return Extent(*session.execute(wanted.where(*_ranked(variant, everyone))).one())


def _ranked(variant: models.Variant, everyone: bool) -> list[ColumnElement[bool]]:
    return [Rating.variant == variant.name, *([] if everyone else [Rating.state == State.ACTIVE])]


def _sides(variant: models.Variant) -> int:
    """How many win or lose each for itself: partners count as one."""
    players = int(variant.rules["players"])
    return players // 2 if variant.rules.get("partners") else players


def standing(
    session: Session, variant: models.Variant, version: models.Version, field: VariantStandings
) -> StandingRow | None:
    """Read how one version stands in the *field* of a variant; None if it was not entered there."""
    row = session.execute(_ENTRIES.where(Rating.variant == variant.name, Rating.version_id == version.id)).first()
    return None if row is None else StandingRow.model_validate(field.fields(row))


@dataclass(frozen=True)
class VariantStandings:
    """The active ones of a variant, by which each of them is ranked, and shown."""

    ranks: dict[float, int]
    """The rank that each rating has, not shifted."""
    margin_ranks: dict[float, int]
    """The rank that each margin has."""
    shift: float
    """What to add to each rating where it is shown."""
    sides: int
    """How many win or lose each for itself: partners count as one."""
    active: int
    """How many are ranked."""

    @classmethod
    def of(cls, session: Session, variant: models.Variant) -> VariantStandings:
        """Read them."""
        active = (Rating.variant == variant.name, Rating.state == State.ACTIVE)
        found = session.execute(select(Rating.rating, Rating.margin).where(*active)).all()
        ranks = _ranks(rating for rating, _ in found)
        margin_ranks = _ranks(margin for _, margin in found if margin is not None)
        return cls(ranks, margin_ranks, variant.shift, _sides(variant), len(found))

    def fields(self, row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
        """Give the fields of a `StandingRow`."""
        bot, version, owner, better_bot, better_version, state, since, reason, rating, *rest = row
        error, low, high, margin, margin_error, margin_low, margin_high, *rest = rest
        matches, deals, points, places, decisions, faults, takeovers, history = rest
        shifted, plays = [each + self.shift for each in history], state == State.ACTIVE
        return {
            "rank": self.ranks.get(rating) if plays else None,
            "bot": bot,
            "version": version,
            "owner": owner,
            "state": state,
            "since": since,
            "reason": reason,
            "elo": rating + self.shift,
            "error": error,
            "rank_low": low if plays else None,
            "rank_high": high if plays else None,
            "margin": margin,
            "margin_error": margin_error,
            "margin_rank": self.margin_ranks.get(margin) if plays and margin is not None else None,
            "margin_rank_low": margin_low if plays else None,
            "margin_rank_high": margin_high if plays else None,
            "outplaced_by": label(better_bot, better_version) if better_bot and plays else None,
            "matches": matches,
            "deals": deals,
            "points_per_deal": points / deals if deals else None,
            "shares": shares(places, self.sides),
            "decisions": decisions,
            "faults": faults,
            "takeovers": takeovers,
            "history": shifted,
            "provisional": is_provisional(matches),
            "fault_rate": faults / decisions if decisions else None,
            "change": shifted[-1] - shifted[0] if shifted else None,
        }


def _ranks(values: Iterable[float]) -> dict[float, int]:
    """The rank of each value, from 1 for the largest; equal ones share it."""
    ranks: dict[float, int] = {}
    for rank, value in enumerate(sorted(values, reverse=True), 1):
        ranks.setdefault(value, rank)
    return ranks


_BETTER, _BETTER_BOT = aliased(models.Version), aliased(models.StoredBot)
"""The version that has better places and wins fewer points."""
_ENTRIES: Select[*tuple[Any, ...]] = (
    select(
        models.StoredBot.name.label("bot"),
        models.Version.number.label("version"),
        models.Owner.name.label("owner"),
        _BETTER_BOT.name,
        _BETTER.number,
        *(Rating.__table__.c[name] for name in (
            "state", "since", "reason", "rating", "error", "rank_low", "rank_high", "margin",
            "margin_error", "margin_rank_low", "margin_rank_high", "matches", "deals", "points", "places",
            "decisions", "faults", "takeovers", "history",
        )),
    )
    .join_from(Rating, models.Version, models.Version.id == Rating.version_id)
    .join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
    .join(models.Owner, models.Owner.id == models.StoredBot.owner_id)
    .outerjoin(_BETTER, _BETTER.id == Rating.outplaced_by)
    .outerjoin(_BETTER_BOT, _BETTER_BOT.id == _BETTER.bot_id)
)  # fmt: skip


def _best_first(by: Order) -> tuple[ColumnElement[Any], ...]:
    state = case({State.ACTIVE: 0, State.SUSPENDED: 1}, value=Rating.state, else_=2)
    return state, *best_first(by)


def best_first(by: Order) -> tuple[ColumnElement[Any], ...]:
    """The order of the active ones."""
    value = [Rating.margin.is_(None), Rating.margin.desc()] if by == Order.POINTS else [Rating.rating.desc()]
    return *value, models.StoredBot.name.asc(), models.Version.number.desc()


def shares(places: Sequence[int], sides: int) -> tuple[float, ...]:
    """
    What part of its matches a bot came first, second, …; empty without a match.

    Args:
        places: How often its side came first, second, …; places that it never had may be missing at the end.
        sides: How many win or lose each for itself.
    """
    matches = sum(places)
    return tuple([count / matches for count in (*places, *[0] * sides)[:sides]]) if matches else ()


def errors_and_matches(session: Session, variants: Collection[str]) -> list[tuple[float | None, int]]:
    """Read the ± in Elo (None: not estimated yet) and the matches of every active entry in *variants*."""
    found = select(Rating.error, Rating.matches).where(Rating.state == State.ACTIVE, Rating.variant.in_(variants))
    return [(error, matches) for error, matches in session.execute(found)]
