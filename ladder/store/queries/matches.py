"""
Matches of a ladder: those that wait, that are being played, that are done, and how each has changed the ratings.

Of two versions it also reads the matches in which they sat on different sides, and what those have come to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func, select

from ladder.ratings import elo
from ladder.results.standing import RatedBy, places_on_boards
from ladder.store.core_tables import BOT, MATCH, PAIR, RATING, SEAT, VARIANT, VERSION, connection_of
from ladder.store.models import Owner, Status, StoredBot, StoredMatch, StoredSeat, Version, visible_matches
from ladder.store.result_order import results_before
from ladder.values.matches import Explanation, MatchRow, MoveAgainst, MoveExplained, SeatRow
from ladder.values.names import label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy import RowMapping, Select
    from sqlalchemy.orm import Session

    from ladder.store import models


def results(
    session: Session,
    limit: int,
    variant: str | None = None,
    versions: Iterable[int] | None = None,
    before: int | None = None,
) -> list[MatchRow]:
    """
    Read matches that are done, the newest result first.

    Args:
        session: A transaction.
        limit: Number of matches to give at most.
        variant: Only of this variant.
        versions: Only with one of these, by id.
        before: Only results older than the one with this ordinal.
    """
    if versions is not None:
        return _rows(session, _NEWEST_OF, {"matches_": _newest_of(session, versions, limit, variant, before)})
    wanted = _RESULTS
    if before is not None:
        wanted = wanted.where(MATCH.c.ordinal < before)
    return _rows(session, _only(wanted, variant, None).limit(limit))


def recent_times(session: Session, limit: int) -> list[tuple[int, float]]:
    """
    Read the deals of the last results that were played on this machine, and how long each took.

    Returns:
        For at most *limit* matches: deals, and seconds of wall time, all tables added up.
    """
    seconds = MATCH.c.starting_seconds + MATCH.c.playing_seconds
    here = MATCH.c.ordinal.is_not(None), MATCH.c.worker.is_(None), MATCH.c.deals.is_not(None), seconds > 0.0
    last = select(MATCH.c.deals, seconds).where(*here).order_by(MATCH.c.ordinal.desc()).limit(limit)
    return [(deals, took) for deals, took in session.execute(last)]


def _newest_of(
    session: Session, versions: Iterable[int], limit: int, variant: str | None, before: int | None
) -> list[int]:
    """
    Find the numbers of the newest *limit* results of some versions, by index: a bot may have very many.

    Each range is asked for by itself: for several, SQLite would go through all seats. Of what all ranges give, the
    newest are chosen here: a statement takes a limited number of parameters.
    """
    connection, found = connection_of(session), set[tuple[int, int]]()
    for version, name, matches, after in connection.execute(_PLAYED, {"versions_": list(versions)}).all():
        if variant in (None, name):
            end = matches if before is None else results_before(session, version, name, matches, before, after)
            wanted = {"version_": version, "first_": end - limit, "last_": end - 1, "after_": after}
            # All variants: if one is asked for, SQLite looks through all its matches.
            found.update(
                (row.ordinal, row.match_id) for row in connection.execute(_PLACES, wanted) if row.variant == name
            )
    return [match for _, match in nlargest(limit, found)]


def unfinished(
    session: Session,
    status: Status,
    limit: int,
    variant: str | None = None,
    versions: Iterable[int] | None = None,
    after: int | None = None,
) -> list[MatchRow]:
    """Read matches of a status other than done, the oldest first; the arguments are those of `results`, or an id."""
    wanted = _MATCHES.where(MATCH.c.ordinal.is_(None), MATCH.c.status == status, visible_matches()).order_by(MATCH.c.id)
    if after is not None:
        wanted = wanted.where(MATCH.c.id > after)
    return _rows(session, _only(wanted, variant, versions).limit(limit))


def match_row(session: Session, match: StoredMatch) -> MatchRow:
    """Read one match."""
    (row,) = _rows(session, _MATCHES.where(MATCH.c.id == match.id))
    return row


def match_rows(session: Session, numbers: Collection[int]) -> list[MatchRow]:
    """Read some matches, in order."""
    return _rows(session, _MATCHES.where(MATCH.c.id.in_(numbers)).order_by(MATCH.c.id))


def seat_owners(session: Session, match: int) -> dict[int, str]:
    """Say whose bot has each seat of a match; nothing if there is no such match."""
    wanted = (
        select(StoredSeat.seat, Owner.name)
        .join(Version, Version.id == StoredSeat.version_id)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .join(Owner, Owner.id == StoredBot.owner_id)
        .where(StoredSeat.match_id == match)
        .order_by(StoredSeat.seat)
    )
    return {row.seat: row.name for row in session.execute(wanted)}


def _only(wanted: Select[Any], variant: str | None, versions: Iterable[int] | None) -> Select[Any]:
    if variant is not None:
        wanted = wanted.where(MATCH.c.variant == variant)
    if versions is not None:
        theirs = select(SEAT.c.match_id).where(SEAT.c.version_id.in_(versions))
        wanted = wanted.where(MATCH.c.id.in_(theirs))
    return wanted


def _rows(session: Session, wanted: Select[Any], given: dict[str, Any] | None = None) -> list[MatchRow]:
    found = connection_of(session).execute(wanted, given).mappings().all()
    seats: dict[int, list[dict[str, Any]]] = {row["id"]: [] for row in found}
    for match, *values in connection_of(session).execute(_SEATS, {"matches_": list(seats)}):
        seats[match].append(dict(zip(SeatRow.model_fields, values, strict=True)))
    rows = [{**row, "seed": _seed(row), "seats": seats[row["id"]]} for row in found]
    return _ROWS.validate_python(rows)  # all of them in one go: that takes half the time


def _seed(row: RowMapping) -> str | None:
    """Give the seed of a match that is done; until then it is secret."""
    seed: str = row["seed"]
    return seed if row["status"] == Status.DONE else None


_ROWS = TypeAdapter(list[MatchRow])
_MATCHES: Select[Any] = select(*(MATCH.c[name] for name in MatchRow.model_fields if name != "seats"))
_RESULTS = _MATCHES.where(MATCH.c.ordinal.is_not(None)).order_by(MATCH.c.ordinal.desc())
_NEWEST_OF = _RESULTS.where(MATCH.c.id.in_(bindparam("matches_", expanding=True)))
_SEATS = (
    select(
        SEAT.c.match_id,
        *(
            {"bot": BOT.c.name, "version": VERSION.c.number}.get(name, SEAT.c.get(name))
            for name in SeatRow.model_fields
        ),
    )
    .select_from(SEAT.join(VERSION, VERSION.c.id == SEAT.c.version_id).join(BOT, BOT.c.id == VERSION.c.bot_id))
    .where(SEAT.c.match_id.in_(bindparam("matches_", expanding=True)))
    .order_by(SEAT.c.match_id, SEAT.c.seat)
)
_PLAYED = (
    select(RATING.c.version_id, RATING.c.variant, RATING.c.matches, VARIANT.c.season_start)
    .join_from(RATING, VARIANT, VARIANT.c.name == RATING.c.variant)
    .where(RATING.c.version_id.in_(bindparam("versions_", expanding=True)), RATING.c.matches > 0)
)
_PLACES = (
    select(SEAT.c.match_id, MATCH.c.ordinal, MATCH.c.variant)
    .join_from(SEAT, MATCH, MATCH.c.id == SEAT.c.match_id)
    .where(
        SEAT.c.version_id == bindparam("version_"),
        SEAT.c.matches_before.between(bindparam("first_"), bindparam("last_")),
        MATCH.c.ordinal > bindparam("after_"),
    )
)


class PairSums(NamedTuple):
    """Sums in `PairStats` for two versions, as the first one sees it."""

    matches: int
    score: float
    boards: int
    board_score: float
    points: float
    """By how many points a deal it was better, added up over the boards."""
    squares: float


def pair_sums(session: Session, variant: str, one: int, two: int) -> PairSums:
    """Add up what two versions, by id, have scored against each other; all of it is 0 if they have not met."""
    wanted = {"variant_": variant, "a_": min(one, two), "b_": max(one, two)}
    matches, score, boards, board_score, points, squares = connection_of(session).execute(_SUMS, wanted).one()
    found = PairSums(int(matches), float(score), int(boards), float(board_score), float(points), float(squares))
    if one < two:
        return found
    return found._replace(
        score=found.matches - found.score, board_score=found.boards - found.board_score, points=-found.points
    )


def common_variants(session: Session, one: int, two: int) -> list[str]:
    """Give the variants in which two versions, by id, have met: where they did most often first."""
    wanted = {"a_": min(one, two), "b_": max(one, two)}
    return list(connection_of(session).execute(_VARIANTS, wanted).scalars())


def common_matches(session: Session, variant: str, one: int, two: int, limit: int) -> list[MatchRow]:
    """
    Read the newest matches of this season in which two versions sat on different sides; the newest result first.

    Only those are looked at, however many matches each of the two has had.

    Args:
        session: A transaction.
        variant: The variant's name.
        one: A version's id.
        two: Another one's.
        limit: Number of matches to give at most, up to the 40 that `PairStats.newest` holds in any case.
    """
    newest = newest_ordinals(session, variant, one, two)[:limit]
    numbers = connection_of(session).execute(_COMMON_MATCHES, {"ordinals_": newest}).scalars().all()
    by_number = {match.id: match for match in match_rows(session, numbers)}
    return [by_number[number] for number in numbers]


def newest_ordinals(session: Session, variant: str, one: int, two: int) -> list[int]:
    """Read what `PairStats.newest` holds of two versions, by id, in matches of all lengths; the newest first."""
    wanted = {"variant_": variant, "a_": min(one, two), "b_": max(one, two)}
    whole = [text.split(",")[:-1] for text in connection_of(session).execute(_NEWEST, wanted).scalars()]
    return sorted(map(int, chain.from_iterable(whole)), reverse=True)


_OF_PAIR = (PAIR.c.a == bindparam("a_"), PAIR.c.b == bindparam("b_"))
_NEWEST = select(PAIR.c.newest).where(PAIR.c.variant == bindparam("variant_"), *_OF_PAIR)
_COMMON_MATCHES = (
    select(MATCH.c.id)
    .where(MATCH.c.ordinal.in_(bindparam("ordinals_", expanding=True)))
    .order_by(MATCH.c.ordinal.desc())
)
_SUMS = select(
    *(
        func.coalesce(func.sum(PAIR.c[name]), 0)
        for name in ("n", "score", "boards_played", "board_score", "points", "squares")
    )
).where(PAIR.c.variant == bindparam("variant_"), *_OF_PAIR)
_VARIANTS = (
    select(PAIR.c.variant)
    .where(*_OF_PAIR)
    .group_by(PAIR.c.variant)
    .having(func.sum(PAIR.c.n) > 0)
    .order_by(func.sum(PAIR.c.n).desc(), PAIR.c.variant)
)


EXACT = 1e-6
"""By how much a stored rating may differ from one that is computed again, in Elo."""


@dataclass(frozen=True)
class Explained:
    """Explanation of the change of one version's rating."""

    seat: SeatRow
    """Its first seat in the match."""
    move: elo.Move
    """Computed again from the places, and from the ratings before."""

    @property
    def agrees(self) -> bool:
        """True if the store has the same rating, to `EXACT`."""
        stored = self.seat.rating_after
        return stored is not None and math.isclose(stored, self.move.after, rel_tol=0, abs_tol=EXACT)


def explanation(match: MatchRow, variant: models.Variant) -> Explanation:
    """Explain a match that is done; the arguments are those of `explain`."""
    names = {seat.version_id: label(seat.bot, seat.version) for seat in match.seats}
    return Explanation(
        match=match.id,
        variant=match.variant,
        format=match.format,
        boards=match.boards,
        rated_by=match.rated_by,
        finished=match.finished,
        shift=variant.shift,
        moves=tuple(_value(one, names) for one in explain(match, variant)),
    )


def _value(one: Explained, names: Mapping[int, str]) -> MoveExplained:
    move, seat = one.move, one.seat
    assert seat.place is not None  # `sides_of` has seen to it
    assert seat.matches_before is not None
    assert seat.boards_before is not None
    return MoveExplained(
        bot=names[move.version],
        place=seat.place,
        taken_over=bool(seat.taken_over),
        matches_before=seat.matches_before,
        boards_before=seat.boards_before,
        k=move.k,
        before=move.before,
        after=move.after,
        stored=seat.rating_after,
        agrees=one.agrees,
        against=tuple(
            MoveAgainst(**vars(other), bots=tuple(names[each] for each in other.versions)) for other in move.against
        ),
    )


def explain(match: MatchRow, variant: models.Variant) -> list[Explained]:
    """
    Compute the moves of a match that is done again, the best place first.

    Args:
        match: The match.
        variant: Its variant: partners win or lose together.
    """
    first = {seat.version_id: seat for seat in reversed(match.seats)}
    found = [Explained(first[move.version], move) for move in elo.moves(sides_of(match, variant), match.boards)]
    return sorted(found, key=lambda one: (one.seat.place or 0, one.seat.seat))


def sides_of(match: MatchRow, variant: models.Variant) -> list[elo.Side]:
    """Say who won or lost together in a match that is done, as they stood before it."""
    teams: dict[int, list[SeatRow]] = {}
    for seat in match.seats:
        if seat.place is None or seat.rating_before is None or seat.boards_before is None:
            raise ValueError(f"Seat {seat.seat} has no result yet.")
        teams.setdefault(seat.seat % 2 if variant.rules.get("partners") else seat.seat, []).append(seat)
    sides = list(teams.values())
    board_places: list[tuple[int, ...]] = [()] * len(sides)
    if match.rated_by == RatedBy.BOARDS:
        points = [side[0].board_points or () for side in sides]
        board_places = places_on_boards(points, [any(seat.taken_over for seat in side) for side in sides])
    return [
        elo.Side(tuple(_members(side)), side[0].place or 0, places)
        for side, places in zip(sides, board_places, strict=True)
    ]


def _members(side: Iterable[SeatRow]) -> Iterable[elo.SideMember]:
    members = {
        seat.version_id: elo.SideMember(seat.version_id, seat.rating_before or 0.0, seat.boards_before or 0)
        for seat in side
    }
    return members.values()
