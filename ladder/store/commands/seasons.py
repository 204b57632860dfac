"""
Seasons of a variant.

The first match that is scheduled sets the clock of a season; once a match has begun, the clock stays. The end of a
season and the beginning of the next one are one transaction.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, or_, select, update

from ladder.ratings.elo import START
from ladder.store import models
from ladder.store.commands.queue import remove_matches
from ladder.store.models import Status, StoredMatch, Variant
from ladder.store.season_timing import clock_of, clock_text, is_same

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pigpen import ClockSetting


def take_clock(session: Session, name: str, clock: ClockSetting) -> bool:
    """
    Make *clock* that of the season if it has none yet.

    Args:
        session: A transaction that writes.
        name: The variant's.
        clock: That of a run.

    Returns:
        Whether it is the season's clock, so that matches may be scheduled with it.
    """
    variant = session.get_one(Variant, name)
    if variant.clock is None:
        variant.clock = clock_of(session, variant) or asdict(clock)
    return is_same(variant.clock, clock)


def change_clock(session: Session, name: str, clock: ClockSetting) -> str | None:
    """
    Make *clock* that of the season, if no match of it has begun; matches that wait with another clock are withdrawn.

    Args:
        session: A transaction that writes.
        name: The variant's.
        clock: That of a run which starts.

    Returns:
        Why that cannot be, in a sentence that ends with the way out; None if it is the season's clock now.
    """
    variant = session.get_one(Variant, name)
    own = clock_of(session, variant)
    if own is None or is_same(own, clock):
        return None
    if _has_begun(session, variant):
        return why_other_clock(session, name, clock)
    remove_matches(session, open_matches(session, name))
    variant.clock = asdict(clock)
    return None


def why_other_clock(session: Session, name: str, clock: ClockSetting) -> str | None:
    """Say that the season is played with another clock, and the way out; None if it is not."""
    variant = session.get_one(Variant, name)
    own = clock_of(session, variant)
    if own is None or is_same(own, clock):
        return None
    return (
        f"The season {variant.season_name} of {name} is played with {_words(own)}, and the settings give "
        f"{_words(asdict(clock))}. Set clock and limit back, or begin a new season: "
        f"pigpen ladder season new --variant {name}"
    )


def open_matches(session: Session, name: str) -> list[int]:
    """List the ladder's matches of a variant that have no result, by number: events keep theirs."""
    wanted = select(StoredMatch.id).where(StoredMatch.variant == name, StoredMatch.event_id.is_(None))
    return list(session.scalars(wanted.where(StoredMatch.status != Status.DONE)))


def _has_begun(session: Session, variant: Variant) -> bool:
    mine = StoredMatch.variant == variant.name, StoredMatch.event_id.is_(None)
    begun = or_(
        StoredMatch.ordinal > variant.season_start, (StoredMatch.status != Status.DONE) & (StoredMatch.attempt > 0)
    )
    return session.scalar(select(StoredMatch.id).where(*mine, begun).limit(1)) is not None


def _words(clock: dict[str, Any]) -> str:
    return f"clock {clock_text(clock)}, limit {clock['limit']:g}"


DERIVED = (models.RatingPoint, models.ThinkTimes, models.PairStats, models.StoredEstimate)
"""Tables that are derived from the results of a season."""
AT_THE_START: dict[str, Any] = {
    **dict.fromkeys(("matches", "boards", "deals", "points", "decisions", "faults", "takeovers"), 0),
    **dict.fromkeys(("error", "rank_low", "rank_high", "margin", "margin_error"), None),
    **dict.fromkeys(("margin_rank_low", "margin_rank_high", "outplaced_by"), None),
    "places": [], "seats": [], "history": [], "recent": "",
}  # fmt: skip
"""The columns of a rating without a match."""


@dataclass(frozen=True)
class NewSeason:
    """Clock, name and rules of a season that begins."""

    clock: ClockSetting
    name: str | None = None
    """None: its number."""
    rules: dict[str, Any] | None = None
    """Field for field; None: as before."""


Freeze = dict[str, Any]
"""`Standings` with suspended and retired versions, field for field."""


def begin_season(session: Session, variant: models.Variant, new: NewSeason, frozen: Freeze, now: float) -> list[int]:
    """
    Freeze the standings of a variant and begin its next season: every rating starts anew, and states stay.

    Matches of the ladder without a result are withdrawn, also those that are played now. A season without a result
    is not kept: it gets the new settings, and the name.

    Args:
        session: A transaction that writes.
        variant: The variant.
        new: What the season is to be.
        frozen: The standings now, as this transaction sees them.
        now: Unix time.

    Returns:
        The numbers of the matches that were withdrawn.
    """
    withdrawn = open_matches(session, variant.name)
    remove_matches(session, withdrawn)
    if last_result(session, variant):
        _freeze(session, variant, frozen, now)
        _reset(session, variant)
    variant.season_name = new.name or _free_number(session, variant)
    variant.season_began = now
    variant.clock = asdict(new.clock)
    variant.rules = new.rules or variant.rules
    session.flush()
    session.expire_all()
    return withdrawn


def _free_number(session: Session, variant: models.Variant) -> str:
    """Find the number of the season that is played now; a greater one if another season has had that as its name."""
    past = select(models.FinishedSeason.name).where(models.FinishedSeason.variant == variant.name)
    names, number = set(session.scalars(past)), variant.season
    while str(number) in names:
        number += 1
    return str(number)


def last_result(session: Session, variant: models.Variant) -> int | None:
    """Find the ordinal of the last result of the season that is played now; None without one."""
    mine = models.StoredMatch.variant == variant.name, models.StoredMatch.ordinal > variant.season_start
    return session.scalar(select(func.max(models.StoredMatch.ordinal)).where(*mine))


def _freeze(session: Session, variant: models.Variant, frozen: Freeze, now: float) -> None:
    last = last_result(session, variant)
    assert last is not None
    began = variant.added if variant.season_began is None else variant.season_began
    session.add(
        models.FinishedSeason(
            variant=variant.name, number=variant.season, name=variant.season_name, began=began, ended=now,
            after=variant.season_start, last=last, clock=clock_of(session, variant) or {}, rules=variant.rules,
            standings=frozen,
        )
    )  # fmt: skip
    variant.season_start, variant.season = last, variant.season + 1
    session.flush()


def _reset(session: Session, variant: models.Variant) -> None:
    for each in DERIVED:
        session.execute(delete(each).where(each.variant == variant.name))
    rating = models.Rating
    session.execute(
        update(rating).where(rating.variant == variant.name).values(rating=START - variant.shift, **AT_THE_START)
    )
