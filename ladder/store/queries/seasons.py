"""The seasons of a variant, and the standings of those that are over."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ladder.errors import LadderError
from ladder.store import names
from ladder.store.models import FinishedSeason, StoredEvent, StoredMatch, Variant
from ladder.store.queries.standings import standings
from ladder.store.season_timing import clock_of, clock_text
from ladder.values.standings import Order, SeasonRow, StandingRow, Standings
from ladder.values.value import time_of
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pigpen.rules import Rules


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
    session: Session, season: str, variant: str | None, everyone: bool, first: int | None, by: Order, skipped: int = 0
) -> list[Standings]:
    """
    Read the standings of the seasons of one name, in all variants that had one, or in one variant.

    Raises:
        LadderError: If there is no such variant, or it has had no such season.
    """
    wanted = names.find_variants(session, variant)
    found = []
    for each in wanted:
        frozen = session.scalar(
            _FINISHED.where(FinishedSeason.variant == each.name, FinishedSeason.name == season).limit(1)
        )
        if frozen is not None:
            found.append(
                _cut(Standings.model_validate_json(json.dumps(frozen.standings)), everyone, first, by, skipped)
            )
        elif each.season_name == season:
            found.append(standings(session, each, everyone, first, skipped, by))
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


def _cut(found: Standings, everyone: bool, first: int | None, by: Order, skipped: int) -> Standings:
    rows = [row for row in found.standings if everyone or row.rank is not None]
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
