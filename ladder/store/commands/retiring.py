"""An owner takes a bot out of the ladder; submitting it again brings it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import LadderError
from ladder.store import models
from ladder.store.commands.entries import PLAYING, entries_of
from ladder.store.commands.suspending import set_state
from ladder.store.models import State
from ladder.store.names import find_stored_bot, find_variant, find_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


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
