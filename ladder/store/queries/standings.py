"""Standings of a variant, the certainty of their order, and its seasons with the standings of those that are over."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, case, func, select

from ladder.errors import LadderError
from ladder.ratings.elo import is_provisional
from ladder.store import lookup, models
from ladder.store.core_tables import BOT, ESTIMATE, OWNER, RATING, VARIANT, VERSION, connection_of
from ladder.store.last_estimate import estimate_of, margins_of
from ladder.store.models import FinishedSeason, Rating, State, StoredBot, StoredEvent, StoredMatch, Variant, Version
from ladder.store.queries.variant_field import field_of
from ladder.store.season_timing import clock_of, clock_text
from ladder.values.names import label
from ladder.values.order import Order
from ladder.values.standings import SeasonRow, StandingRow, Standings
from ladder.values.value import time_of
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from ladder.store.queries.variant_field import VariantField
    from pigpen.rules import Rules


SHOWN_CIRCLES = 3
"""The most circles that standings name: the point is that the order is none."""


def standings(
    session: Session,
    variant: models.Variant,
    everyone: bool = False,
    first: int | None = None,
    skipped: int = 0,
    by: Order = Order.ELO,
    house_bots: bool = False,
    owners: Collection[str] | None = None,
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
        house_bots: House bots stand in for owners that are missing (setting `fill_with_house_bots`).
        owners: Only bots of these; their ranks are among all. None: all.
    """
    field = field_of(session, variant.name)
    limit = None if first is None else first + 1  # one more: whether others follow
    wanted = _ENTRIES.where(*_ranked(variant, everyone)).order_by(*_best_first(by)).limit(limit).offset(skipped)
    if owners is not None:
        wanted = wanted.where(OWNER.c.name.in_(owners))
    rows = connection_of(session).execute(wanted).all()
    follows = first is not None and len(rows) > first
    return Standings.model_validate(  # all rows in one go: a thousand of them take half the time
        {
            "variant": field.variant,
            "title": field.title,
            "matches": field.matches,
            "low_is_better": field.low_is_better,
            "sides": field.sides,
            "by": by,
            "missing_owners": field.missing(house_bots),
            "standings": [_fields(field, row) for row in rows[:first]],
            "circles": circles_of(session, variant.name),
            "next": skipped + (first or 0) if follows else None,
        }
    )


def circles_of(session: Session, variant: str) -> list[dict[str, Any]]:
    """
    Read the circles of bots that play, field for field, as the last estimate found them.

    A bot is in one of them only: three copies of one program would else be in three.
    """
    connection = connection_of(session)
    stored = connection.execute(select(ESTIMATE.c.circles).where(ESTIMATE.c.variant == variant)).scalar()
    if not stored:
        return []
    ids = {version for circle in stored for version, *_ in circle}
    wanted = (
        select(VERSION.c.id, BOT.c.name, VERSION.c.number)
        .select_from(RATING.join(VERSION, VERSION.c.id == RATING.c.version_id).join(BOT, BOT.c.id == VERSION.c.bot_id))
        .where(RATING.c.variant == variant, RATING.c.state == State.ACTIVE, VERSION.c.id.in_(ids))
    )
    left = {version: label(bot, number) for version, bot, number in connection.execute(wanted)}
    found: list[dict[str, Any]] = []
    for circle in stored:
        if len(found) < SHOWN_CIRCLES and all(version in left for version, *_ in circle):
            steps = [{"bot": left.pop(version), "ahead": ahead, "behind": behind} for version, ahead, behind in circle]
            found.append({"steps": steps})
    return found


class Extent(NamedTuple):
    """Number of all rows of standings, and the scale that they share."""

    rows: int
    low: float | None
    """Lower end of the lowest 95 % interval, in what the rows are ordered by; of one without a ±, its value."""
    high: float | None
    """Upper end of the highest one."""


def extent(session: Session, variant: models.Variant, everyone: bool = False, by: Order = Order.ELO) -> Extent:
    """Count the rows of the standings of a variant, and find the scale on which they all lie."""
    by_points = by == Order.POINTS
    value, half = (
        (RATING.c.margin, RATING.c.margin_error) if by_points else (RATING.c.rating + variant.shift, RATING.c.error)
    )
    error = func.coalesce(half, 0.0)
    wanted = select(func.count(), func.min(value - error), func.max(value + error))
    return Extent(*session.execute(wanted.where(*_ranked(variant, everyone))).one())


def _ranked(variant: models.Variant, everyone: bool) -> list[ColumnElement[bool]]:
    return [RATING.c.variant == variant.name, *([] if everyone else [RATING.c.state == State.ACTIVE])]


def standings_of(session: Session, version: int) -> list[tuple[VariantField, StandingRow]]:
    """Read how a version, by id, stands in each variant in which it was entered, the oldest variant first."""
    return _with_fields(session, connection_of(session).execute(_OF_VERSION, {"version_": version}))


def standings_of_owner(session: Session, owner: str, by: Order = Order.ELO) -> list[tuple[VariantField, StandingRow]]:
    """
    Read how all versions of an owner's bots stand, by variant, the oldest variant first; and there the best first.

    Args:
        session: A transaction.
        owner: The owner's name.
        by: What to order those of one variant by.
    """
    wanted = _IN_VARIANTS.where(OWNER.c.name == owner).order_by(*_OLDEST_FIRST, *_best_first(by))
    return _with_fields(session, connection_of(session).execute(wanted))


def _with_fields(session: Session, rows: Iterable[Sequence[Any]]) -> list[tuple[VariantField, StandingRow]]:
    """Make the rows of `_IN_VARIANTS` values; of each variant the field is asked for once."""
    fields: dict[str, VariantField] = {}
    found = []
    for variant, *row in rows:
        if variant not in fields:
            fields[variant] = field_of(session, variant)
        found.append((fields[variant], StandingRow.model_validate(_fields(fields[variant], row))))
    return found


def _fields(field: VariantField, row: Sequence[Any]) -> dict[str, Any]:
    """Give the fields of a `StandingRow`."""
    bot, version, owner, better_bot, better_version, state, since, reason, rating, *rest = row
    error, low, high, margin, margin_error, margin_low, margin_high, *rest = rest
    matches, deals, points, places, decisions, faults, takeovers, history = rest
    shifted, plays = [each + field.shift for each in history], state == State.ACTIVE
    return {
        "rank": field.rank(rating) if plays else None,
        "bot": bot,
        "version": version,
        "owner": owner,
        "state": state,
        "since": since,
        "reason": reason,
        "elo": rating + field.shift,
        "error": error,
        "rank_low": low if plays else None,
        "rank_high": high if plays else None,
        "margin": margin,
        "margin_error": margin_error,
        "margin_rank": field.margin_rank(margin) if plays and margin is not None else None,
        "margin_rank_low": margin_low if plays else None,
        "margin_rank_high": margin_high if plays else None,
        "outplaced_by": label(better_bot, better_version) if better_bot and plays else None,
        "matches": matches,
        "deals": deals,
        "points_per_deal": points / deals if deals else None,
        "shares": shares(places, field.sides),
        "decisions": decisions,
        "faults": faults,
        "takeovers": takeovers,
        "history": shifted,
        "provisional": is_provisional(matches),
        "fault_rate": faults / decisions if decisions else None,
        "change": shifted[-1] - shifted[0] if shifted else None,
    }


_BETTER, _BETTER_BOT = VERSION.alias(), BOT.alias()
"""The version that has better places and wins fewer points."""
_ENTRIES: Select[Any] = select(
    BOT.c.name, VERSION.c.number, OWNER.c.name, _BETTER_BOT.c.name, _BETTER.c.number,
    *(RATING.c[name] for name in (
        "state", "since", "reason", "rating", "error", "rank_low", "rank_high", "margin", "margin_error",
        "margin_rank_low", "margin_rank_high", "matches", "deals", "points", "places", "decisions", "faults",
        "takeovers", "history",
    )),
).select_from(
    RATING.join(VERSION, VERSION.c.id == RATING.c.version_id)
    .join(BOT, BOT.c.id == VERSION.c.bot_id)
    .join(OWNER, OWNER.c.id == BOT.c.owner_id)
    .outerjoin(_BETTER, _BETTER.c.id == RATING.c.outplaced_by)
    .outerjoin(_BETTER_BOT, _BETTER_BOT.c.id == _BETTER.c.bot_id)
)  # fmt: skip
_IN_VARIANTS: Select[Any] = select(VARIANT.c.name.label("variant"), *_ENTRIES.selected_columns).join_from(
    _ENTRIES.get_final_froms()[0], VARIANT, VARIANT.c.name == RATING.c.variant
)
_OLDEST_FIRST = VARIANT.c.added, VARIANT.c.name
_OF_VERSION = _IN_VARIANTS.where(RATING.c.version_id == bindparam("version_")).order_by(*_OLDEST_FIRST)


def _best_first(by: Order) -> tuple[ColumnElement[Any], ...]:
    state = case({State.ACTIVE: 0, State.SUSPENDED: 1}, value=RATING.c.state, else_=2)
    return state, *best_first(by)


def best_first(by: Order) -> tuple[ColumnElement[Any], ...]:
    """Give the order of the active ones."""
    value = [RATING.c.margin.is_(None), RATING.c.margin.desc()] if by == Order.POINTS else [RATING.c.rating.desc()]
    return *value, BOT.c.name.asc(), VERSION.c.number.desc()


def shares(places: Sequence[int], sides: int) -> tuple[float, ...]:
    """
    Compute what part of its matches a bot came first, second, …; empty without a match.

    Args:
        places: How often its side came first, second, …; places that it never had may be missing at the end.
        sides: How many win or lose each for itself.
    """
    matches = sum(places)
    return tuple([count / matches for count in (*places, *[0] * sides)[:sides]]) if matches else ()


def errors_and_matches(session: Session, variants: Collection[str]) -> list[tuple[float | None, int]]:
    """Read the ± in Elo (None: not estimated yet) and the matches of every active entry in *variants*."""
    found = select(RATING.c.error, RATING.c.matches).where(
        RATING.c.state == State.ACTIVE, RATING.c.variant.in_(variants)
    )
    return [(error, matches) for error, matches in session.execute(found)]


def neighbours(
    session: Session, variant: str, first: int | None = None, skipped: int = 0, by: Order = Order.ELO
) -> dict[tuple[str, int], float]:
    """
    Read how likely each active version is stronger than the one ranked next, 0 to 1.

    Args:
        session: A transaction.
        variant: The variant's name.
        first: Number of entries to give; None: all.
        skipped: How many to leave out before them.
        by: What they are ranked by.

    Returns:
        By bot and number of the version; without the last one, and those that the last estimate does not know.
    """
    estimate = (margins_of if by == Order.POINTS else estimate_of)(session, variant)
    if estimate is None:
        return {}
    wanted = (
        select(Version.id, StoredBot.name, Version.number)
        .join_from(Rating, Version, Version.id == Rating.version_id)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .where(Rating.variant == variant, Rating.state == State.ACTIVE)
        .order_by(*best_first(by))
        .limit(None if first is None else first + 1)
        .offset(skipped)
    )
    known = set(estimate.versions.tolist())
    return {
        (one.name, one.number): estimate.los(one.id, other.id)
        for one, other in pairwise(session.execute(wanted).all())
        if {one.id, other.id} <= known
    }


def seasons(session: Session, variant: Variant) -> list[SeasonRow]:
    """Read the seasons of a variant, the oldest first; the last one is played now."""
    found = session.scalars(_FINISHED.where(FinishedSeason.variant == variant.name)).all()
    now = SeasonRow(
        variant=variant.name, number=variant.season, name=variant.season_name,
        began=time_of(variant.added if variant.season_began is None else variant.season_began), ended=None,
        rules_hash=_hash(variant.rules), matches=_matches(session, variant.name, variant.season_start, None),
        **_clock(clock_of(session, variant)),
    )  # fmt: skip
    finished = [
        SeasonRow(
            variant=each.variant, number=each.number, name=each.name, began=time_of(each.began),
            ended=time_of(each.ended),
            rules_hash=_hash(each.rules), matches=_matches(session, each.variant, each.after, each.last),
            **_clock(each.clock),
        )
        for each in found
    ]  # fmt: skip
    return [*finished, now]


def season_standings(
    session: Session,
    season: str,
    variant: str | None,
    everyone: bool,
    first: int | None,
    by: Order,
    skipped: int = 0,
    owners: Collection[str] | None = None,
) -> list[Standings]:
    """
    Read the standings of the seasons of one name, in all variants that had one, or in one variant.

    Raises:
        LadderError: If there is no such variant, or it has had no such season.
    """
    wanted = lookup.find_variants(session, variant)
    found = []
    for each in wanted:
        frozen = session.scalar(
            _FINISHED.where(FinishedSeason.variant == each.name, FinishedSeason.name == season).limit(1)
        )
        if frozen is not None:
            table = Standings.model_validate_json(json.dumps(frozen.standings))
            found.append(_cut(table, everyone, first, by, skipped, owners))
        elif each.season_name == season:
            found.append(standings(session, each, everyone, first, skipped, by, owners=owners))
    if not found:
        where = f"{variant} has" if variant else "This ladder has"
        known = dict.fromkeys(row.name for each in wanted for row in seasons(session, each))
        choice = f" Choose one of {', '.join(known)}." if known else ""
        raise LadderError(f"{where} had no season {season!r}.{choice}")
    return found


def _event_of(session: Session, variant: Variant) -> str | None:
    """Give the name of an event of a variant that is not over; None if there is none."""
    mine = StoredEvent.variant == variant.name, StoredEvent.state != "over"
    return session.scalar(select(StoredEvent.name).where(*mine).order_by(StoredEvent.id).limit(1))


def check_new_season(session: Session, variant: Variant, name: str | None, rules: Rules | None) -> None:
    """
    Make sure that a season can follow those that a variant has had.

    Raises:
        LadderError: If its name is taken, or the rules cannot follow, or an event is played by the old ones.
    """
    taken = [row.name for row in seasons(session, variant)]
    if name in taken:
        raise LadderError(f"{variant.name} has had a season {name!r} already. Choose another name: --name")
    if rules is None:
        return
    old = rules_from(variant.rules)
    if (rules.name, rules.players, rules.partners) != (old.name, old.players, old.partners):
        raise LadderError(
            f"These rules cannot follow those of {variant.name}: name, players and partners must stay the same. "
            "Enter bots in another variant: pigpen submit FOLDER --variant FILE"
        )
    running = _event_of(session, variant)
    if running is not None:
        raise LadderError(
            f"The event {running} is played by the rules of {variant.name}. Change the rules when the event is over."
        )


_FINISHED = select(FinishedSeason).order_by(FinishedSeason.number)


def _cut(
    found: Standings, everyone: bool, first: int | None, by: Order, skipped: int, owners: Collection[str] | None
) -> Standings:
    rows = [row for row in found.standings if everyone or row.rank is not None]
    rows = [row for row in rows if owners is None or row.owner in owners]
    if by == Order.POINTS:
        rows.sort(key=_by_points)
    end = len(rows) if first is None else skipped + first
    cut = {"standings": tuple(rows[skipped:end]), "next": end if end < len(rows) else None}
    return found.model_copy(update={"by": by, "missing_owners": 0, **cut})  # nothing waits


def _by_points(row: StandingRow) -> tuple[bool, bool, float]:
    return row.rank is None, row.margin is None, -(row.margin or 0.0)


def _matches(session: Session, variant: str, after: int, last: int | None) -> int:
    wanted = select(func.count()).where(StoredMatch.variant == variant, StoredMatch.ordinal > after)
    return session.scalar(wanted if last is None else wanted.where(StoredMatch.ordinal <= last)) or 0


def _clock(clock: dict[str, Any] | None) -> dict[str, Any]:
    return {"clock": clock_text(clock), "limit": clock["limit"]} if clock else {"clock": None, "limit": None}


def _hash(rules: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()
