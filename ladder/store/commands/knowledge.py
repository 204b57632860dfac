"""
Knowledge of the bots of a variant from which the scheduler chooses matches.

The versions that may play are read in the transaction that schedules. Known besides are the number of times that one
version sat right after another, the last estimate, and the results since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select, text
from sqlalchemy.orm import aliased

from ladder.pairing.information import Information
from ladder.pairing.machine_costs import RECENT, MatchCost, shares
from ladder.pairing.scheduler import Entrant, why_none
from ladder.ratings.batch import pair_weight
from ladder.results.summary import teams_of
from ladder.store import models
from ladder.store.last_estimate import MAX_KEPT, estimate_of, last_ordinal
from ladder.store.models import State, Status
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate
    from pigpen.rules import Rules

    Tables = tuple[tuple[int, tuple[int, ...]], ...]
    """Matches in the order of their numbers: each number, and the versions by number of the bot."""

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
            models.Version.identity,
        )
        .join(models.Version, models.Version.id == rating.version_id)
        .join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
        .where(rating.variant == variant, rating.state == State.ACTIVE)
        .order_by(rating.version_id)
    )
    waiting = Counter(version for table in pending.values() for version in set(table))
    pending_seats = Counter((version, seat) for table in pending.values() for seat, version in enumerate(table))
    entrants = tuple(
        Entrant(
            version,
            bot,
            owner,
            matches + waiting[version],
            _seats(rules, seats, pending_seats, version, waiting),
            program=identity,
        )
        for version, bot, owner, matches, seats, identity in rows
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


_MET = select(
    func.coalesce(func.sum(models.PairStats.a_then_b), 0), func.coalesce(func.sum(models.PairStats.b_then_a), 0)
).where(
    models.PairStats.variant == bindparam("variant_"),
    models.PairStats.a == bindparam("a_"),
    models.PairStats.b == bindparam("b_"),
)


class Neighbours(Mapping[tuple[int, int], int]):
    """
    Number of times that one version sat right after another, also in matches still to be played; 0 where it never did.

    Looked up when it is asked for: there are as many pairs as bots by bots, and a table needs to know of a few.
    """

    def __init__(self, session: Session, variant: str, pending: Iterable[Sequence[int]]) -> None:
        """
        Create a mapping that reads from a transaction.

        Args:
            session: The transaction.
            variant: Which variant.
            pending: Its tables that are still to be played: versions by number of the bot.
        """
        self._session = session
        self._variant = variant
        self._pending = Counter(pair for table in pending for pair in zip(table, (*table[1:], table[0]), strict=True))
        self._recorded: dict[tuple[int, int], int] = {}

    def __getitem__(self, pair: tuple[int, int]) -> int:
        if pair not in self._recorded:
            a, b = sorted(pair)
            row = self._session.execute(_MET, {"variant_": self._variant, "a_": a, "b_": b}).one()
            self._recorded[a, b], self._recorded[b, a] = (int(count) for count in row)
        return self._recorded[pair] + self._pending[pair]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        found = self._session.execute(select(models.PairStats.a, models.PairStats.b).filter_by(variant=self._variant))
        met = {pair for a, b in found for pair in ((a, b), (b, a))}
        return iter(met | set(self._pending))

    def __len__(self) -> int:
        return sum(1 for _ in self)


MAX_SINCE = 1000
"""Results that the last estimate does not know, the newest ones, that are counted; a runner has a few of them."""
STEP = 250
"""If there are more, that many are dropped at once, so that what is counted changes once in that many matches."""


@dataclass
class _Kept:
    """Information of an estimate on those who may play (0.1 s to find out for 1,000 bots), and of the matches since."""

    estimate: Estimate | None
    versions: tuple[int, ...]
    alone: Information
    """By the estimate alone."""
    assumed: tuple[int, int] = (0, 0)
    """Boards of a match, and the boundary, with which matches were counted."""
    tables: Tables = ()
    """The matches that were counted."""
    with_them: Information | None = None
    """By the estimate and these matches."""

    def count(self, tables: Tables, boards: int, boundary: int) -> Information:
        """
        Give what is known with these matches.

        Where they begin as those before did, only what has come since is counted. That gives the same to the last bit.
        """
        known = self.with_them
        if known is None or self.assumed != (boards, boundary) or tables[: len(self.tables)] != self.tables:
            self.alone.near(boundary)
            known, self.tables = self.alone.copy(), ()
        for _, table in tables[len(self.tables) :]:
            known.expect(tuple(dict.fromkeys(table)), boards)
        self.assumed, self.tables, self.with_them = (boards, boundary), tables, known
        return known


_KEPT: dict[tuple[str, str], _Kept] = {}
"""By database and variant. It follows from what the database holds."""


def knowledge_of(session: Session, variant: str, field: VariantEntrants, boards: int, boundary: int = 0) -> Information:
    """
    Give what is known of those who may play, for the caller to change.

    Results and matches to be played count in the order of their numbers, so that one that ends changes nothing.

    Args:
        session: A transaction.
        variant: Which variant.
        field: Those who may play there, and the tables that are still to be played.
        boards: Boards that these are taken to have, and the matches that the last estimate does not know.
        boundary: The rank for which nearness to it is kept, as long as the estimate is; 0: for none.
    """
    tables = tuple(sorted({**_since(session, variant), **field.pending}.items()))
    return _kept(session, variant, field).count(tables, boards, boundary).copy()


def _kept(session: Session, variant: str, field: VariantEntrants) -> _Kept:
    place = str(session.get_bind().engine.url), variant
    estimate, versions = estimate_of(session, variant), tuple(one.version for one in field.entrants)
    kept = _KEPT.get(place)
    if kept is None or kept.estimate is not estimate or kept.versions != versions:
        if len(_KEPT) >= MAX_KEPT:
            _KEPT.clear()
        alone = Information.of(estimate, versions, pair_weight(field.sides))
        kept = _KEPT[place] = _Kept(estimate, versions, alone)
    return kept


def _since(session: Session, variant: str) -> dict[int, tuple[int, ...]]:
    """Read the tables of the results that the last estimate does not know, by match: versions by number of the bot."""
    match, seat = models.StoredMatch, models.StoredSeat
    known = last_ordinal(session, variant)
    newest = session.scalar(select(func.max(match.ordinal)).where(match.variant == variant)) or 0
    too_many = max(0, newest - known - MAX_SINCE)
    known += -(-too_many // STEP) * STEP
    rows = session.execute(
        select(seat.match_id, seat.seat, seat.version_id)
        .join(match, match.id == seat.match_id)
        .where(match.variant == variant, match.ordinal > known)
    )
    tables: dict[int, list[int]] = {}
    # Sorted here: for an order by seats SQLite would go through the seats of all matches ever played.
    for number, _, version in sorted(map(tuple, rows)):
        tables.setdefault(number, []).append(version)
    return {number: tuple(table) for number, table in tables.items()}
