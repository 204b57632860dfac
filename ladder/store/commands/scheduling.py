"""From the store to the scheduler, and from the scheduler to the queue."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, text

from ladder.pairing.scheduler import Entrant, next_matches, next_variant, why_none
from ladder.ratings.elo import PROVISIONAL
from ladder.results.summary import teams_of
from ladder.store import models
from ladder.store.models import State, Status
from pigpen.rules import new_seed
from pigpen.rules.shuffle import commitment
from referee.match.formats import Format
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from random import Random

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from pigpen.rules import Rules

# Written out, not as parameters: SQLite uses an index with a condition only where it sees that condition.
PENDING = tuple(text(f"matches.status = '{status}'") for status in (Status.QUEUED, Status.LEASED))


@dataclass(frozen=True)
class VariantEntrants:
    """Those who may play in a variant."""

    rules: Rules
    entrants: tuple[Entrant, ...]
    pending: tuple[tuple[int, ...], ...]
    """The tables that are still to be played: versions by number of the bot."""

    @property
    def why_none(self) -> str | None:
        """One sentence that says why there can be no match; None if there can be one."""
        return why_none(self.entrants, self.rules.players, self.rules.partners)

    @property
    def sides(self) -> int:
        """How many bots play a match against each other."""
        return len(teams_of(self.rules))

    @property
    def matches(self) -> int:
        """Recorded and pending matches of all entrants, added up."""
        return sum(entrant.matches for entrant in self.entrants)

    @property
    def wanted_by_newcomers(self) -> int:
        """About how many matches it takes until no rating is provisional any more."""
        missing = sum(max(0, PROVISIONAL - entrant.matches) for entrant in self.entrants)
        return math.ceil(missing / self.sides)


def fill_queue(
    session: Session,
    settings: Settings,
    rng: Random,
    now: float,
    wanted: int,
    variants: Collection[str] | None = None,
) -> list[int]:
    """
    Schedule matches, and put them at the end of the queue.

    The same ladder and the same chance give the same pairings; the seeds of the matches are the system's chance.

    Args:
        session: A transaction that writes.
        settings: How long a match is, and its clock.
        rng: Chance, for who plays whom.
        now: Unix time.
        wanted: How many more matches.
        variants: Only of these; None: of any.

    Returns:
        The numbers of the matches; fewer than wanted, or none, where nobody can play: `why_nobody` says why.
    """
    fields = {name: field for name, field in fields_of(session, variants).items() if field.why_none is None}
    ids = []
    for variant, count in _shares(fields, wanted, rng).items():
        field = fields[variant]
        rules, neighbours = field.rules, Neighbours(session, variant, field.pending)
        tables = next_matches(field.entrants, neighbours, rules.players, rules.partners, rng, count)
        ids += [_queue(session, settings, variant, table, now) for table in tables]
    return ids


def why_nobody(session: Session, variants: Collection[str] | None = None) -> str | None:
    """
    Say why no match can be scheduled.

    Args:
        session: A transaction.
        variants: Only in these; None: in any.

    Returns:
        A sentence for each variant, and the way out; None if there is somebody to play.
    """
    reasons = {name: field.why_none for name, field in fields_of(session, variants).items()}
    if not reasons:
        return "Nobody is entered yet. Enter bots with: pigpen submit FOLDER"
    if None in reasons.values():
        return None
    told = " ".join(f"{name}: {reason}" for name, reason in reasons.items())
    suspended = session.scalars(_entered(variants).where(models.Rating.state == State.SUSPENDED)).all()
    pause = f" Suspended: {len(suspended)}; see: pigpen bots." if suspended else ""
    return (
        f"No match can be scheduled. {told}{pause} Enter bots of other owners with: pigpen submit FOLDER --owner NAME"
    )


def fields_of(session: Session, variants: Collection[str] | None = None) -> dict[str, VariantEntrants]:
    """Those who may play, by variant; matches that are still to be played are counted among theirs."""
    found = session.scalars(select(models.Variant).order_by(models.Variant.name))
    pending = _pending(session)
    return {
        each.name: _field(session, each.name, rules_from(each.rules), pending.get(each.name, []))
        for each in found
        if variants is None or each.name in variants
    }


def _field(session: Session, variant: str, rules: Rules, pending: Sequence[tuple[int, ...]]) -> VariantEntrants:
    rating = models.Rating
    rows = session.execute(
        select(
            rating.version_id,
            models.Version.bot_id,
            models.StoredBot.owner_id,
            rating.rating,
            rating.matches,
            rating.seats,
        )
        .join(models.Version, models.Version.id == rating.version_id)
        .join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
        .where(rating.variant == variant, rating.state == State.ACTIVE)
        .order_by(rating.version_id)
    )
    waiting = Counter(version for table in pending for version in set(table))
    chairs = Counter((version, seat) for table in pending for seat, version in enumerate(table))
    entrants = tuple(
        Entrant(version, bot, owner, elo, matches + waiting[version], _seats(rules, seats, chairs, version))
        for version, bot, owner, elo, matches, seats in rows
    )
    return VariantEntrants(rules, entrants, tuple(pending))


def _seats(rules: Rules, recorded: Sequence[int], pending: Counter[tuple[int, int]], version: int) -> tuple[int, ...]:
    every = [*recorded, *[0] * (rules.players - len(recorded))]
    return tuple(count + pending[version, seat] for seat, count in enumerate(every))


class Neighbours(Mapping[tuple[int, int], int]):
    """
    How often one version sat right after another, also in matches that are still to be played; 0 where it never did.

    Looked up when it is asked for: there are as many pairs as bots by bots, and a table needs to know of a few.
    """

    def __init__(self, session: Session, variant: str, pending: Iterable[Sequence[int]]) -> None:
        """
        Stand ready.

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
            row = self._session.execute(_MET, {"variant_": self._variant, "a_": a, "b_": b}).one_or_none()
            self._recorded[a, b], self._recorded[b, a] = row or (0, 0)
        return self._recorded[pair] + self._pending[pair]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        found = self._session.execute(select(models.PairStats.a, models.PairStats.b).filter_by(variant=self._variant))
        met = {pair for a, b in found for pair in ((a, b), (b, a))}
        return iter(met | set(self._pending))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _entered(variants: Collection[str] | None) -> Select[models.Rating]:
    entries = select(models.Rating)
    return entries if variants is None else entries.where(models.Rating.variant.in_(variants))


def _pending(session: Session) -> dict[str, list[tuple[int, ...]]]:
    """The tables that are still to be played, by variant: versions by number of the bot."""
    tables: dict[tuple[str, int], list[int]] = {}
    for status in PENDING:
        rows = session.execute(
            select(models.StoredMatch.variant, models.StoredSeat.match_id, models.StoredSeat.version_id)
            .join(models.StoredSeat, models.StoredSeat.match_id == models.StoredMatch.id)
            .where(status)
            .order_by(models.StoredSeat.match_id, models.StoredSeat.seat)
        )
        for variant, match, version in rows:
            tables.setdefault((variant, match), []).append(version)
    found: dict[str, list[tuple[int, ...]]] = {}
    for (variant, _), table in tables.items():
        found.setdefault(variant, []).append(tuple(table))
    return found


def _shares(fields: Mapping[str, VariantEntrants], wanted: int, rng: Random) -> Counter[str]:
    """
    How many of the wanted matches each variant gets.

    Newcomers go first, in whatever variant; else the variants take turns by chance, those with more bots more often.
    None has to wait until another has caught up with what it has played in years.
    """
    shares: Counter[str] = Counter()
    names = sorted(fields)
    entries = {name: len(fields[name].entrants) for name in names}
    played = {name: fields[name].matches for name in names}
    wanted_by_newcomers = {name: fields[name].wanted_by_newcomers for name in names}
    while names and shares.total() < wanted:
        waiting = {name: entries[name] for name in names if shares[name] < wanted_by_newcomers[name]}
        chosen = next_variant(waiting, played) or rng.choices(names, [entries[name] for name in names])[0]
        shares[chosen] += 1
        played[chosen] += fields[chosen].sides
    return shares


def _queue(session: Session, settings: Settings, variant: str, table: Sequence[int], now: float) -> int:
    """Put one match into the queue."""
    seed = new_seed()
    match = models.StoredMatch(
        variant=variant,
        format=str(Format(boards=settings.boards)),
        clock=asdict(settings.clock_setting),
        seed=seed.hex(),
        commitment=commitment(seed),
        status=Status.QUEUED,
        added=now,
    )
    session.add(match)
    session.flush()
    rows = [{"match_id": match.id, "seat": seat, "version_id": version} for seat, version in enumerate(table)]
    session.execute(insert(models.StoredSeat), rows)
    return match.id


_MET = select(models.PairStats.a_then_b, models.PairStats.b_then_a).where(
    models.PairStats.variant == bindparam("variant_"),
    models.PairStats.a == bindparam("a_"),
    models.PairStats.b == bindparam("b_"),
)
