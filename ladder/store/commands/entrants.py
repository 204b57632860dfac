"""The versions that may play in each variant, for the scheduler: read in the transaction that schedules."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import select, text
from sqlalchemy.orm import aliased

from ladder.pairing.costs import RECENT, MatchCost, shares
from ladder.pairing.scheduler import Entrant, why_none
from ladder.results.summary import teams_of
from ladder.store import models
from ladder.store.models import State, Status
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.orm import Session

    from pigpen.rules import Rules

# Written out, not as parameters: SQLite uses an index with a condition only where it sees that condition.
PENDING = tuple(text(f"matches.status = '{status}'") for status in (Status.QUEUED, Status.LEASED))


@dataclass(frozen=True)
class VariantEntrants:
    """Those who may play in a variant."""

    rules: Rules
    entrants: tuple[Entrant, ...]
    pending: Mapping[int, tuple[int, ...]]
    """The tables that are still to be played, by match: versions by number of the bot."""

    @property
    def why_none(self) -> str | None:
        """One sentence that says why there can be no match; None if there can be one."""
        return why_none(self.entrants, self.rules.players, self.rules.partners)

    @property
    def sides(self) -> int:
        """Number of bots that play a match against each other, partners counted as one."""
        return len(teams_of(self.rules))

    @property
    def matches(self) -> int:
        """Recorded and pending matches of all entrants, added up."""
        return sum(entrant.matches for entrant in self.entrants)


def fields_of(session: Session, variants: Collection[str] | None = None) -> dict[str, VariantEntrants]:
    """Give those who may play, by variant; matches that are still to be played are counted among theirs."""
    found = session.scalars(select(models.Variant).order_by(models.Variant.name))
    pending = _pending(session)
    return {
        each.name: _field(session, each.name, rules_from(each.rules), pending.get(each.name, {}))
        for each in found
        if variants is None or each.name in variants
    }


def _field(session: Session, variant: str, rules: Rules, pending: Mapping[int, tuple[int, ...]]) -> VariantEntrants:
    rating = models.Rating
    rows = session.execute(
        select(
            rating.version_id,
            models.Version.bot_id,
            models.StoredBot.owner_id,
            rating.matches,
            rating.seats,
        )
        .join(models.Version, models.Version.id == rating.version_id)
        .join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
        .where(rating.variant == variant, rating.state == State.ACTIVE)
        .order_by(rating.version_id)
    )
    waiting = Counter(version for table in pending.values() for version in set(table))
    pending_seats = Counter((version, seat) for table in pending.values() for seat, version in enumerate(table))
    entrants = tuple(
        Entrant(version, bot, owner, matches + waiting[version], _seats(rules, seats, pending_seats, version, waiting))
        for version, bot, owner, matches, seats in rows
    )
    return VariantEntrants(rules, entrants, pending)


def by_cost(session: Session, variant: str, field: VariantEntrants) -> VariantEntrants:
    """Give those who may play with the share of matches that each has for what its last ones have cost."""
    share = shares(_recent_costs(session, variant))
    return replace(field, entrants=tuple(replace(each, share=share.get(each.version, 1.0)) for each in field.entrants))


def _recent_costs(session: Session, variant: str) -> list[MatchCost]:
    """Read the time that the last matches of each bot that may play have taken, this season; each match once."""
    rating, own, match, seat = models.Rating, models.StoredSeat, models.StoredMatch, aliased(models.StoredSeat)
    lasts = (
        select(own.match_id)
        .join(rating, rating.version_id == own.version_id)
        .where(rating.variant == variant, rating.state == State.ACTIVE)
        .where(own.matches_before.between(rating.matches - RECENT, rating.matches - 1))
    )
    rows = session.execute(
        select(match.id, match.boards, match.starting_seconds, match.playing_seconds, seat.version_id)
        .join(seat, seat.match_id == match.id)
        .join(models.Variant, models.Variant.name == match.variant)
        .where(match.id.in_(lasts), match.variant == variant, match.ordinal > models.Variant.season_start)
        .where(match.starting_seconds.is_not(None), match.playing_seconds.is_not(None))
    )
    took: dict[int, tuple[int, float]] = {}
    versions: dict[int, set[int]] = {}
    for number, boards, starting, playing, version in rows:
        took[number] = boards, (starting or 0.0) + (playing or 0.0)
        versions.setdefault(number, set()).add(version)
    return [MatchCost(frozenset(versions[number]), *took[number]) for number in sorted(took)]


def _seats(
    rules: Rules, recorded: Sequence[int], pending: Counter[tuple[int, int]], version: int, waiting: Collection[int]
) -> tuple[int, ...]:
    every = (*recorded, *(0,) * (rules.players - len(recorded)))
    if version not in waiting:
        return every
    return tuple(count + pending[version, seat] for seat, count in enumerate(every))


def _pending(session: Session) -> dict[str, dict[int, tuple[int, ...]]]:
    """Give the tables that are still to be played, by variant and match: versions by number of the bot."""
    match, seat = models.StoredMatch, models.StoredSeat
    waiting = (
        select(match.variant, seat.match_id, seat.seat, seat.version_id)
        .join(seat, seat.match_id == match.id)
        .where(match.event_id.is_(None))
    )
    tables: dict[tuple[str, int], list[int]] = {}
    # Sorted here: for an order by seats SQLite would go through the seats of all matches ever played.
    rows = sorted(
        (variant, number, place, version)
        for status in PENDING
        for variant, number, place, version in session.execute(waiting.where(status))
    )
    for variant, number, _, version in rows:
        tables.setdefault((variant, number), []).append(version)
    found: dict[str, dict[int, tuple[int, ...]]] = {}
    for (variant, number), table in tables.items():
        found.setdefault(variant, {})[number] = tuple(table)
    return found
