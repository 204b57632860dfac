"""
Lookup by name in a ladder's database.

It finds owners, and what people name when they type a bot, one of its versions, a variant or a match.
"""

from __future__ import annotations

import difflib
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, func, select

from ladder.entry.claims import skeleton
from ladder.errors import LadderError
from ladder.store import models
from ladder.store.core_tables import BOT, RATING, VARIANT, VERSION, connection_of
from ladder.store.models import Owner
from ladder.values.names import owner_code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session


def name_of(session: Session, owner_id: int) -> str:
    """Give the name of an owner, which is that of the account."""
    return session.get_one(Owner, owner_id).name


def code_of(session: Session, name: str) -> str:
    """Give the code of an owner in chains and in files that others keep (`owner_code`); empty for an empty name."""
    if not name:
        return ""
    return owner_code(session.execute(select(Owner.id).where(Owner.name == name)).scalar_one())


def names_of(session: Session, codes: Iterable[str]) -> dict[str, str]:
    """Give by code the present names of owners; what is no code stands for itself."""
    wanted = set(codes)
    numbers = [int(code[1:]) for code in wanted if code.startswith("#")]
    found = session.execute(select(Owner.id, Owner.name).where(Owner.id.in_(numbers)))
    return {code: code for code in wanted} | {owner_code(number): name for number, name in found}


NEAR = 3
"""Number of names that are proposed in the place of one that does not exist."""
MAX_ID = 2**31 - 1
"""The largest number that a match can have in either database."""


def find_stored_bot(session: Session, name: str) -> models.StoredBot:
    """
    Find a bot.

    Raises:
        LadderError: If there is none of that name; the message proposes others.
    """
    bot = session.scalar(select(models.StoredBot).where(models.StoredBot.name == name))
    if bot is None:
        others = near(name, session.scalars(_BOTS)) or "To list all: pigpen bots"
        raise LadderError(f"There is no bot {name!r} on this ladder. {others}")
    return bot


def bot_like(session: Session, name: str) -> str | None:
    """Find the name of the bot that looks like *name*, capitals aside; None if there is none."""
    return session.scalar(select(models.StoredBot.name).where(models.StoredBot.skeleton == skeleton(name)))


def imitated(session: Session, name: str) -> str | None:
    """Find the owner or bot whose name equals *name* in what a reader sees of it; None if there is none."""
    name = unicodedata.normalize("NFKC", name)
    owner = session.scalar(select(models.Owner.name).where(models.Owner.skeleton == skeleton(name)))
    return owner or bot_like(session, name)


class NamedVersion(NamedTuple):
    """A version that has been named."""

    id: int
    bot_id: int
    number: int


def find_version(session: Session, word: str, variant: str | None = None) -> models.Version:
    """Find a version as `named_version` does, with all that is known of it."""
    return session.get_one(models.Version, named_version(session, word, variant).id)


def named_version(session: Session, word: str, variant: str | None = None) -> NamedVersion:
    """
    Find a version: `Trotter` is the newest one of the bot, `Trotter@2` its version 2.

    Args:
        session: A transaction.
        word: The name as the user typed it.
        variant: If given, only versions that were entered in this variant count.

    Raises:
        LadderError: If there is none; the message says what there is.
    """
    return named_versions(session, word, variant)[-1]


def named_versions(session: Session, word: str, variant: str | None = None) -> list[NamedVersion]:
    """List the versions that a word means: `Trotter` all of the bot, the oldest first, `Trotter@2` its version 2."""
    name, sign, number = word.partition("@")
    found = versions_of(session, name, variant)
    if not found:
        raise LadderError(f"The bot {name} is not entered in {variant}. To see where it plays: pigpen show {name}")
    if not sign:
        return found
    for version in found:
        if str(version.number) == number:
            return [version]
    there = ", ".join(f"{name}@{version.number}" for version in found)
    raise LadderError(f"There is no {word}{f' in {variant}' if variant else ''}; there is {there}.")


def versions_of(session: Session, bot: str, variant: str | None = None) -> list[NamedVersion]:
    """
    List all versions of a bot, or those that were entered in *variant*, the oldest first.

    Raises:
        LadderError: If there is no bot of that name.
    """
    rows = connection_of(session).execute(
        _VERSIONS if variant is None else _ENTERED, {"bot_": bot, "variant_": variant}
    )
    found = [NamedVersion(*row) for row in rows]
    if not found:
        find_stored_bot(session, bot)
    return found


def find_variant(session: Session, name: str) -> models.Variant:
    """
    Find a variant that this ladder plays.

    Raises:
        LadderError: If it does not play it; the message names those that it plays.
    """
    variant = session.get(models.Variant, name)
    if variant is None:
        there = ", ".join(variants(session)) or "nothing yet"
        raise LadderError(f"This ladder does not play {name!r}. It plays {there}.")
    return variant


def find_variants(session: Session, name: str | None) -> list[models.Variant]:
    """Find all variants that this ladder plays, the oldest first, or one; raises as `find_variant`."""
    return [find_variant(session, each) for each in (variants(session) if name is None else [name])]


def variants(session: Session) -> list[str]:
    """List the names of the variants that this ladder plays, the oldest first."""
    return list(connection_of(session).execute(_VARIANTS).scalars())


def rules_of(session: Session, variant: str) -> dict[str, Any] | None:
    """Give the rules of a variant as the ladder plays it; None if it does not."""
    rules: dict[str, Any] | None = connection_of(session).execute(_RULES, {"variant_": variant}).scalar()
    return rules


def find_match(session: Session, number: int) -> models.StoredMatch:
    """
    Find a match by its number, if the public may know of it.

    Raises:
        LadderError: If there is none; the message names the newest one.
    """
    visible = models.visible_matches()
    wanted = select(models.StoredMatch).where(models.StoredMatch.id == number, visible)
    match = session.scalar(wanted) if 0 < number <= MAX_ID else None
    if match is None:
        newest = session.scalar(select(func.max(models.StoredMatch.id)).where(visible))
        there = f"the newest one is {newest}" if newest else "none has been scheduled yet"
        raise LadderError(f"There is no match {number} on this ladder; {there}.")
    return match


_VARIANTS = select(VARIANT.c.name).order_by(VARIANT.c.added, VARIANT.c.name)
_RULES = select(VARIANT.c.rules).where(VARIANT.c.name == bindparam("variant_"))
_BOTS = select(models.StoredBot.name).order_by(models.StoredBot.name)
_VERSIONS = (
    select(VERSION.c.id, VERSION.c.bot_id, VERSION.c.number)
    .join_from(VERSION, BOT, BOT.c.id == VERSION.c.bot_id)
    .where(BOT.c.name == bindparam("bot_"))
    .order_by(VERSION.c.number)
)
_ENTERED = _VERSIONS.join(RATING, RATING.c.version_id == VERSION.c.id).where(RATING.c.variant == bindparam("variant_"))


def near(name: str, known: Iterable[str]) -> str:
    """Ask whether one of the *known* names was meant; empty if none looks like *name*."""
    folded = {each.casefold(): each for each in known}
    found = [folded[each] for each in difflib.get_close_matches(name.casefold(), folded, NEAR)]
    return f"Did you mean {' or '.join(found)}?" if found else ""
