"""
All ratings once more, from the records of the matches alone, in the order in which they were recorded.

What comes out must be what the store keeps, to the last bit: the same operations on the same numbers in the same order.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, fields
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.results.standing import PairResult, VersionStanding, outcome
from ladder.results.summary import BotSummary, MatchSummary, summarise, teams_of
from ladder.store import models
from ladder.store.commands.results import standing_of
from referee.records.errors import RecordError
from referee.records.recorded import BadRecord
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.orm import Session

    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

    Read = Callable[[int, int], Iterable[AnyLine]]
    """Reads the record of a match, by its id and the attempt that was recorded."""

BATCH = 1000
KEPT_OF_SEATS = ("place", "points_per_deal", "standard_error", "faults", "taken_over", "timed", "median_ms", "worst_ms")
"""What seats keep of a record as it stands there."""


@dataclass
class Rerating:
    """What the records lead to."""

    standings: dict[tuple[str, int], VersionStanding] = field(default_factory=dict)
    """By variant and version, of all that have played."""
    pair_results: dict[tuple[str, int, int, int], PairResult] = field(default_factory=dict)
    """By variant, both versions and boards of the matches, the sums of all their results against each other."""
    matches: dict[tuple[str, int, int, int], int] = field(default_factory=dict)
    """How many matches that were."""
    findings: list[str] = field(default_factory=list)
    """Sentences on records that cannot be read, and on seats that say something else."""
    has_all: bool = True
    """Whether every record was there; where one is not, its match is taken from its seats, without its decisions."""


def replay(session: Session, read: Read) -> Rerating:
    """
    Go through all recorded matches. A version begins with the rating that it had before its first match.

    Args:
        session: A transaction of its own; it forgets what it has read.
        read: Reads a record; may raise `RecordError`.
    """
    found = Rerating()
    rules = {variant.name: rules_from(variant.rules) for variant in session.scalars(select(models.Variant))}
    for match, seats in _recorded(session):
        summary = _summary(found, read, match, seats, rules[match.variant])
        _take(found, match, seats, summary)
    return found


def differences(session: Session, read: Read) -> Iterator[str]:
    """Compare what the records lead to with what the store keeps; one sentence for each difference."""
    found = replay(session, read)
    yield from found.findings
    names = _names(session)
    compared = [each.name for each in fields(VersionStanding) if found.has_all or each.name != "decisions"]
    for entry in session.scalars(select(models.Rating).order_by(models.Rating.variant, models.Rating.version_id)):
        kept = standing_of(entry)
        computed = found.standings.get((entry.variant, entry.version_id), VersionStanding(entry.rating))
        for name in compared:
            if getattr(kept, name) != getattr(computed, name):
                yield (
                    f"{names[entry.version_id]} in {entry.variant}: {name} is {getattr(kept, name)}, "
                    f"and its matches give {getattr(computed, name)}."
                )
    yield from _differing_pairs(session, found, names)


def _recorded(session: Session) -> Iterator[tuple[models.StoredMatch, list[models.StoredSeat]]]:
    """The recorded matches in the order of their results, each with its seats."""
    match, seat, last = models.StoredMatch, models.StoredSeat, 0
    while True:
        wanted = select(match).where(match.ordinal > last).order_by(match.ordinal).limit(BATCH)
        matches = session.scalars(wanted).all()
        if not matches:
            return
        seats: dict[int, list[models.StoredSeat]] = {each.id: [] for each in matches}
        for row in session.scalars(select(seat).where(seat.match_id.in_(seats)).order_by(seat.seat)):
            seats[row.match_id].append(row)
        for each in matches:
            yield each, seats[each.id]
        last = matches[-1].ordinal or 0
        session.expunge_all()


def _summary(
    found: Rerating, read: Read, match: models.StoredMatch, seats: Sequence[models.StoredSeat], rules: Rules
) -> MatchSummary:
    """The match as its record tells it, or, where that is not kept or cannot be read, as its seats do."""
    computed = _of_seats(match, seats, rules)
    if not match.record_kept:
        found.has_all = False
        return computed
    try:
        summary = summarise(read(match.id, match.attempt))
        if summary.commitment != match.commitment or len(summary.bots) != len(seats):
            raise BadRecord("it is the record of another match")
    except (RecordError, BadRecord) as error:
        found.findings.append(f"match {match.id}: {error}")
        found.has_all = False
        return computed
    for seat, bot in zip(seats, summary.bots, strict=True):
        for name in KEPT_OF_SEATS:
            if getattr(seat, name) != getattr(bot, name):
                found.findings.append(
                    f"match {match.id}, seat {seat.seat}: {name} is {getattr(seat, name)}, "
                    f"and the record says {getattr(bot, name)}."
                )
    return summary


def _of_seats(match: models.StoredMatch, seats: Sequence[models.StoredSeat], rules: Rules) -> MatchSummary:
    deals = match.deals or 0
    bots = tuple(
        BotSummary(
            place=seat.place or 0,
            points=round((seat.points_per_deal or 0.0) * deals),
            points_per_deal=seat.points_per_deal or 0.0,
            standard_error=seat.standard_error,
            faults=seat.faults or 0,
            taken_over=bool(seat.taken_over),
            timed=seat.timed or "",
            median_ms=seat.median_ms or 0.0,
            worst_ms=seat.worst_ms or 0.0,
            decisions=0,
            thinking={},
        )
        for seat in seats
    )
    return MatchSummary(match.commitment, deals, teams_of(rules), bots, ())


def _take(
    found: Rerating, match: models.StoredMatch, seats: Sequence[models.StoredSeat], summary: MatchSummary
) -> None:
    versions = [seat.version_id for seat in seats]
    before = {
        seat.version_id: found.standings.get(
            (match.variant, seat.version_id), VersionStanding(seat.rating_before or 0.0)
        )
        for seat in seats
    }
    new = outcome(summary, versions, before, match.boards)
    for seat in seats:
        then, now = before[seat.version_id], new.standings[seat.version_id]
        kept = (seat.matches_before, seat.boards_before, seat.rating_before, seat.rating_after)
        if kept != (then.matches, then.boards, then.rating, now.rating):
            found.findings.append(
                f"match {match.id}, seat {seat.seat}: its rating moved from {seat.rating_before} to "
                f"{seat.rating_after}, and its matches give {then.rating} and {now.rating}."
            )
    found.standings |= {(match.variant, version): standing for version, standing in new.standings.items()}
    for result in new.pair_results:
        key = (match.variant, result.a, result.b, match.boards)
        found.pair_results[key] = _sum(found.pair_results[key], result) if key in found.pair_results else result
        found.matches[key] = found.matches.get(key, 0) + 1


def _sum(one: PairResult, other: PairResult) -> PairResult:
    return PairResult(
        one.a, one.b, one.score + other.score, one.a_then_b + other.a_then_b, one.b_then_a + other.b_then_a
    )


def _differing_pairs(session: Session, found: Rerating, names: Mapping[int, str]) -> Iterator[str]:
    pairs = {(pair.variant, pair.a, pair.b, pair.boards): pair for pair in session.scalars(select(models.PairStats))}
    for key in sorted(pairs.keys() | found.pair_results.keys()):
        pair, result = pairs.get(key), found.pair_results.get(key)
        kept = (pair.a, pair.b, pair.score, pair.a_then_b, pair.b_then_a, pair.n) if pair else None
        computed = (*astuple(result), found.matches[key]) if result else None
        if kept != computed:
            yield (
                f"{names[key[1]]} against {names[key[2]]} in {key[0]}: the store keeps "
                f"{kept and kept[2:]}, and their matches give {computed and computed[2:]}."
            )


def _names(session: Session) -> dict[int, str]:
    found = session.execute(
        select(models.Version.id, models.StoredBot.name, models.Version.number).join(models.StoredBot)
    )
    return {row.id: f"{row.name}@{row.number}" for row in found}
