"""
Entries of versions in variants.

A new entry begins with a rating. An owner takes a bot out of the ladder; submitting it again brings it back. House bots
play where owners are missing, and retire when there are enough: ordinary bots, rated like all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.errors import LadderError
from ladder.pairing.missing import house_bots_wanted
from ladder.ratings.elo import START
from ladder.results.summary import teams_of
from ladder.store import models
from ladder.store.commands.suspending import LADDER, set_state
from ladder.store.lookup import find_stored_bot, find_variant, find_version
from ladder.store.models import Owner, Rating, State, StoredBot, Variant, Version
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy.orm import Session

PLAYING = (State.ACTIVE, State.SUSPENDED)
"""States of those that have not retired."""


def entries_of(session: Session, bot: int, variant: str | None = None) -> list[models.Rating]:
    """Give all entries of the bot with that id, or those in one variant, the oldest version first."""
    wanted = select(models.Rating).join(models.Version, models.Version.id == models.Rating.version_id)
    wanted = wanted.where(models.Version.bot_id == bot).order_by(models.Version.number, models.Rating.variant)
    return list(session.scalars(wanted if variant is None else wanted.where(models.Rating.variant == variant)))


def first_rating(session: Session, bot: int, variant: str) -> float:
    """
    Give the rating with which a new version of a bot begins in a variant, as it is stored.

    That is its predecessor's: of those that play, or else of all, the newest. For a bot without one it is what is
    shown as `START`.
    """
    before = entries_of(session, bot, variant)
    if before:
        return ([entry for entry in before if entry.state in PLAYING] or before)[-1].rating
    return START - shift_of(session, variant)


def shift_of(session: Session, variant: str) -> float:
    """Give what to add to a rating in a variant before it is shown."""
    return session.get_one(models.Variant, variant).shift


def left_suspended(session: Session, entry: models.Rating) -> models.StateChange | None:
    """Find the suspension during which an entry retired, or None: leaving and coming back ends no suspension."""
    changes = select(models.StateChange).order_by(models.StateChange.id.desc()).limit(1)
    changes = changes.where(models.StateChange.variant == entry.variant)
    changes = changes.where(models.StateChange.version_id == entry.version_id)
    last = session.scalar(changes.where(models.StateChange.state != State.RETIRED))
    return last if last is not None and last.state == State.SUSPENDED else None


OWNER = "owner"
"""Author of the changes of state that this module makes (`StateChange.by`)."""


def retire(
    session: Session, word: str, variants: Sequence[str], reason: str, now: float, by: str = OWNER
) -> list[tuple[str, str]]:
    """
    Take a bot out of the schedule; its matches and ratings stay.

    Args:
        session: A transaction that writes.
        word: ``Trotter``: whatever of it plays; ``Trotter@2``: this version only.
        variants: Where; none: wherever it plays.
        reason: Why, for those who look at it later.
        now: Unix time.
        by: Who does it: `OWNER`, or the organiser.

    Returns:
        What has retired: version and variant, such as ``("Trotter@2", "gongzhu")``.

    Raises:
        LadderError: If there is no such bot or variant, or it does not play there.
    """
    for variant in variants:
        find_variant(session, variant)
    bot = find_stored_bot(session, word.partition("@")[0])
    wanted = find_version(session, word).id if "@" in word else None
    entries = [
        entry
        for entry in entries_of(session, bot.id)
        if entry.state in PLAYING and wanted in (None, entry.version_id) and (not variants or entry.variant in variants)
    ]
    if not entries:
        where = f" in {', '.join(variants)}" if variants else ""
        raise LadderError(f"{word} does not play{where}, so it cannot retire. To see where it does: pigpen show {word}")
    for entry in entries:
        set_state(session, entry, State.RETIRED, by, reason, now)
    numbers = (session.get_one(models.Version, entry.version_id).number for entry in entries)
    return [(f"{bot.name}@{number}", entry.variant) for number, entry in zip(numbers, entries, strict=True)]


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
