"""Who may enter a bot under what name."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store import models
from ladder.store.models import NAME_LENGTH
from ladder.store.problems import LadderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

LETTERS_AND_DIGITS = ("L", "M", "N")
"""First letters of the Unicode categories that a name may hold, in any script, besides `_`, `-` and `.`."""


def check_name(name: str, what: str) -> None:
    """
    Make sure that *name* can be the name of a bot, an owner or a variant (*what*).

    Raises:
        LadderError: If it cannot.
    """
    fits = 0 < len(name) <= NAME_LENGTH and name == unicodedata.normalize("NFC", name)
    if not fits or not all(_is_fit(letter) for letter in name) or name[0] in "-." or _is_mark(name[0]):
        raise LadderError(
            f"{name!r} cannot be the name of {what}: it takes 1 to {NAME_LENGTH} letters and digits of any script "
            "(composed, NFC), '_', '-' and '.', and begins with none of the last two."
        )


def check_claim(session: Session, bot: str, owner: str, sandbox: str) -> None:
    """
    Make sure that *owner* may enter a bot of this name from this sandbox.

    Raises:
        LadderError: If not: the name is another's or hardly differs from one, or the ladder's bots live elsewhere.
    """
    check_name(bot, "a bot (--name)")
    check_name(owner, "an owner (--owner)")
    _check_case(bot, list(session.scalars(select(models.Bot.name))), "bot", "--name")
    _check_case(owner, list(session.scalars(select(models.Owner.name))), "owner", "--owner")
    holder = session.scalar(select(models.Owner.name).join(models.Bot).where(models.Bot.name == bot))
    if holder not in (None, owner):
        raise LadderError(f"The name {bot!r} belongs to a bot of {holder}'s. Choose another one: --name")
    other = sandbox_of(session)
    if other not in (None, sandbox):
        raise LadderError(
            f"The bots of this ladder run in the {other} sandbox, and all of them must run alike: their clocks differ. "
            f"Submit with --sandbox {other}, or begin another ladder (PIGPEN_DATA_DIR)."
        )


def sandbox_of(session: Session) -> str | None:
    """Where the bots of this ladder run; None as long as it has none."""
    return session.scalar(select(models.Version.sandbox).limit(1))


def _is_fit(letter: str) -> bool:
    return letter in "_-." or unicodedata.category(letter)[0] in LETTERS_AND_DIGITS


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M"


def _check_case(name: str, known: Sequence[str], what: str, option: str) -> None:
    alike = next((other for other in known if other.casefold() == name.casefold()), name)
    if alike != name and name not in known:
        raise LadderError(f"There is {what} {alike!r} already: write {option} {alike}, or choose a name less like it.")
