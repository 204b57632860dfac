"""
All ratings once more, from the records of the matches alone, in the order in which they were recorded.

What comes out must be what the store keeps, to the last bit: the same operations on the same numbers in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import chain
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.results.standing import RatedBy, VersionStanding, outcome
from ladder.results.summary import BotSummary, MatchSummary, summarise, teams_of
from ladder.store import models
from ladder.store.commands.results import PAIR_SUMS, standing_of
from referee.records.framing import RecordError
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
KEPT_OF_SEATS = (
    "place", "points_per_deal", "board_points", "standard_error", "faults", "taken_over", "timed", "median_ms",
    "worst_ms",
)  # fmt: skip
"""Columns that seats copy from a record unchanged."""


@dataclass
class Rerating:
    """Result of reading all records."""

    standings: dict[tuple[str, int], VersionStanding] = field(default_factory=dict)
    """By variant and version, of all that have played."""
    pair_sums: dict[tuple[str, int, int, int], dict[str, float | str]] = field(default_factory=dict)
    """By variant, both versions and boards of the matches: what `models.PairStats` keeps of them."""
    findings: list[str] = field(default_factory=list)
    """Sentences on records that cannot be read, and on seats that say something else."""
    has_all: bool = True
    """True if every record was there; where one is not, its match is taken from its seats, without its decisions."""


def replay(session: Session, read: Read) -> Rerating:
    """
    Go through all recorded matches. A version begins with the rating that it had before its first match.

    Args:
        session: A transaction of its own; it forgets what it has read.
        read: Reads a record; may raise `RecordError`.
    """
    found = Rerating()
    rules = {variant.name: rules_from(variant.rules) for variant in session.scalars(select(models.Variant))}
    ends = _ends(session)
    for match, seats in _recorded(session):
        while ends[match.variant] and ends[match.variant][0].last < (match.ordinal or 0):
            _end_season(found, ends[match.variant].pop(0))
        summary = _summary(found, read, match, seats, rules[match.variant])
        _take(found, match, seats, summary)
    for season in chain.from_iterable(ends.values()):
        _end_season(found, season)
    return found


@dataclass(frozen=True)
class _Ended:
    """A season that is over."""

    variant: str
    name: str
    last: int
    elo: dict[int, float]
    """By version: its frozen Elo, as it is shown."""
    shift: float
    """Elo by which that is greater than the rating."""


def _ends(session: Session) -> dict[str, list[_Ended]]:
    """Read the finished seasons of each variant, the oldest first."""
    versions = {name: version for version, name in _names(session).items()}
    found: dict[str, list[_Ended]] = {}
    for variant in session.scalars(select(models.Variant)):
        wanted = select(models.FinishedSeason).where(models.FinishedSeason.variant == variant.name)
        found[variant.name] = [
            _Ended(
                variant.name, season.name, season.last,
                {versions[f"{row['bot']}@{row['version']}"]: row["elo"] for row in season.standings["standings"]},
                variant.shift,
            )
            for season in session.scalars(wanted.order_by(models.FinishedSeason.number))
        ]  # fmt: skip
    return found


def _end_season(found: Rerating, season: _Ended) -> None:
    """Compare the frozen ratings, and begin anew."""
    for version, elo in season.elo.items():
        computed = found.standings.get((season.variant, version))
        if computed is not None and computed.rating + season.shift != elo:
            found.findings.append(
                f"Season {season.name} of {season.variant}, version {version}: its Elo is {elo}, and its matches give "
                f"{computed.rating + season.shift}."
            )
    found.standings = {key: one for key, one in found.standings.items() if key[0] != season.variant}
    found.pair_sums = {key: one for key, one in found.pair_sums.items() if key[0] != season.variant}


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
    """Yield the recorded matches in the order of their results, each with its seats."""
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
    """Read the match as its record tells it, or, where that is not kept or cannot be read, as its seats do."""
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
            kept, recorded = (list(each) if isinstance(each, tuple | list) else each
                              for each in (getattr(seat, name), getattr(bot, name)))  # fmt: skip
            if kept != recorded:
                found.findings.append(
                    f"match {match.id}, seat {seat.seat}: {name} is {kept}, and the record says {recorded}."
                )
    return summary


def _of_seats(match: models.StoredMatch, seats: Sequence[models.StoredSeat], rules: Rules) -> MatchSummary:
    deals = match.deals or 0
    bots = tuple(
        BotSummary(
            place=seat.place or 0,
            points=round((seat.points_per_deal or 0.0) * deals),
            points_per_deal=seat.points_per_deal or 0.0,
            board_points=tuple(seat.board_points or ()),
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
    new = outcome(summary, versions, before, match.boards, RatedBy(match.rated_by or RatedBy.MATCH))
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
        sums: dict[str, Any] = {"n": 1, **vars(result)}
        before_it: dict[str, Any] = found.pair_sums.get(key) or dict.fromkeys(PAIR_SUMS, 0)
        found.pair_sums[key] = {
            **{name: before_it[name] + sums[name] for name in PAIR_SUMS},
            "newest": f"{match.ordinal},{before_it.get('newest', '')}"[: models.NEWEST_LETTERS],
        }


def _differing_pairs(session: Session, found: Rerating, names: Mapping[int, str]) -> Iterator[str]:
    pairs = {(pair.variant, pair.a, pair.b, pair.boards): pair for pair in session.scalars(select(models.PairStats))}
    for key in sorted(pairs.keys() | found.pair_sums.keys()):
        pair, computed = pairs.get(key), found.pair_sums.get(key)
        kept = {name: getattr(pair, name) for name in (*PAIR_SUMS, "newest")} if pair else None
        if kept != computed:
            yield (
                f"{names[key[1]]} against {names[key[2]]} in {key[0]}: the store keeps {_words(kept)}, "
                f"and their matches give {_words(computed)}."
            )


def _words(sums: Mapping[str, object] | None) -> str:
    return ", ".join(f"{name} {value}" for name, value in sums.items()) if sums else "nothing"


def _names(session: Session) -> dict[int, str]:
    found = session.execute(
        select(models.Version.id, models.StoredBot.name, models.Version.number).join(models.StoredBot)
    )
    return {row.id: f"{row.name}@{row.number}" for row in found}
