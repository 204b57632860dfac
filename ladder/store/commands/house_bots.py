"""House bots play where owners are missing, and retire when there are enough: ordinary bots, rated like all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.pairing.missing import house_bots_wanted
from ladder.results.summary import teams_of
from ladder.store.commands.entries import first_rating
from ladder.store.commands.suspending import LADDER, set_state
from ladder.store.models import Owner, Rating, State, StoredBot, Variant, Version
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

SITS_DOWN = "It plays until enough owners have a bot here."
LEAVES = "Enough owners have a bot here now."


def settle_house_bots(
    session: Session, is_wanted: bool, now: float, variants: Collection[str] | None = None
) -> dict[str, list[str]]:
    """
    Let as many house bots play as there are owners missing, in each variant where an owner waits; the others retire.

    Args:
        session: A transaction that writes.
        is_wanted: Whether the organiser wants them at all.
        now: Unix time.
        variants: Only in these; None: in all.

    Returns:
        The house bots that were never entered and would play, each with the variants where it would.
    """
    house, lacking = _house(session), dict[str, list[str]]()
    if not is_wanted and not house:
        return lacking
    for variant in session.scalars(select(Variant).order_by(Variant.name)).all():
        if variants is not None and variant.name not in variants:
            continue
        playing = _owners_playing(session, variant.name)
        owners = playing - HOUSE_BOTS.keys()
        wanted = house_bots_wanted(len(owners), len(teams_of(rules_from(variant.rules)))) if is_wanted else 0
        for name in HOUSE_BOTS:
            if name not in house and wanted:
                lacking.setdefault(name, []).append(variant.name)
                wanted -= 1
            elif name in house:
                wanted -= _settle(session, house[name], variant.name, wanted > 0, now)
    return lacking


def _settle(session: Session, version: Version, variant: str, is_wanted: bool, now: float) -> bool:
    """Let one house bot play, or not; gives whether it plays now. One that is suspended stays so."""
    entry = session.get(Rating, {"variant": variant, "version_id": version.id})
    if entry is None and is_wanted:
        rating = first_rating(session, version.bot_id, variant)
        session.add(Rating(variant=variant, version_id=version.id, since=now, rating=rating))
        session.flush()
        return True
    if entry is None or entry.state == State.SUSPENDED:
        return False
    if is_wanted != (entry.state == State.ACTIVE):
        state, reason = (State.ACTIVE, SITS_DOWN) if is_wanted else (State.RETIRED, LEAVES)
        set_state(session, entry, state, LADDER, reason, now)
    return is_wanted


def _house(session: Session) -> dict[str, Version]:
    """Give the newest version of each house bot that has been entered."""
    newest = (
        select(StoredBot.name, func.max(Version.id))
        .join_from(StoredBot, Version, Version.bot_id == StoredBot.id)
        .join(Owner, Owner.id == StoredBot.owner_id)
        .where(StoredBot.name.in_(HOUSE_BOTS), Owner.name == StoredBot.name)
        .group_by(StoredBot.name)
    )
    return {name: session.get_one(Version, version) for name, version in session.execute(newest)}


def _owners_playing(session: Session, variant: str) -> set[str]:
    return set(
        session.scalars(
            select(Owner.name)
            .join_from(Rating, Version, Version.id == Rating.version_id)
            .join(StoredBot, StoredBot.id == Version.bot_id)
            .join(Owner, Owner.id == StoredBot.owner_id)
            .where(Rating.variant == variant, Rating.state == State.ACTIVE)
        )
    )
