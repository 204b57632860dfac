"""
Changes to the states of bots and matches that owners and organisers order.

Owners retire bots; the organiser suspends them and lets them play again. A match is quarantined because the platform
failed in it too often: an organiser queues it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check, may
from ladder.errors import LadderError, UserError
from ladder.store.commands import queue
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.entries import OWNER
from ladder.store.commands.entries import retire as retire_entries
from ladder.store.commands.people_tables import let_people_play
from ladder.store.commands.suspending import ORGANISER, resume_entries, suspend_entries
from ladder.store.lookup import find_match, find_stored_bot, find_version, name_of
from ladder.store.queries.matches import match_row
from ladder.values.accounts import LOCAL
from ladder.values.bots import PeopleAllowed, Retired, StateChanged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
    from ladder.values.matches import MatchRow


def requeue(ladder: Ladder, viewer: Viewer, number: int) -> MatchRow:
    """
    Queue a quarantined match again.

    Args:
        ladder: The ladder.
        viewer: The caller.
        number: The match's.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such match, or it is not quarantined.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        found = find_match(session, number)
        if not queue.requeue(session, found.id):
            raise LadderError(
                f"Match {number} is not quarantined: it is {found.status}. To list those that are: "
                "pigpen matches --status quarantined"
            )
        write_audit(session, viewer, "match.requeue", str(number), ladder.clock())
        return match_row(session, found)


def retire(ladder: Ladder, viewer: Viewer, bot: str, variants: Sequence[str], reason: str) -> list[Retired]:
    """
    Take a bot out of the matches to come; its ratings and matches stay.

    Args:
        ladder: The ladder.
        viewer: Who does it.
        bot: ``Trotter``: whatever of it plays; ``Trotter@2``: this version only.
        variants: Where; none: wherever it plays.
        reason: Why, for those who look at it later.

    Raises:
        LadderError: If there is no such bot or variant, or it does not play there, or it is not *viewer*'s.
    """
    with ladder.database.write() as session:
        by, now = _retirer(session, viewer, bot.partition("@")[0]), ladder.clock()
        retired = retire_entries(session, bot, variants, reason, now, by)
        where = ", ".join(f"{version} {variant}" for version, variant in retired)
        write_audit(session, viewer, "bot.retire", bot, now, where=where, reason=reason)
    return [Retired(version=version, variant=variant) for version, variant in retired]


def allow_people(ladder: Ladder, viewer: Viewer, bot: str, allowed: bool) -> PeopleAllowed:
    """
    Let people play with a bot at their tables, or no longer; tables that have begun continue.

    Args:
        ladder: The ladder.
        viewer: Who does it.
        bot: Its name.
        allowed: Whether they may.

    Raises:
        LadderError: If there is no such bot, or it is not *viewer*'s.
    """
    with ladder.database.write() as session:
        _retirer(session, viewer, bot)
        let_people_play(session, bot, allowed)
        write_audit(session, viewer, "bot.people", bot, ladder.clock(), allowed=allowed)
    return PeopleAllowed(bot=bot, allowed=allowed)


def _retirer(session: Session, viewer: Viewer, name: str) -> str:
    """Give the role in which the viewer changes a bot's state. A bot of another owner counts as missing."""
    if viewer == LOCAL:
        return OWNER
    none = LadderError(f"You have no bot {name!r} on this ladder. To see yours: pigpen whoami")
    try:
        owner = name_of(session, find_stored_bot(session, name).owner_id)
    except LadderError:
        if may(viewer, Act.SUBMIT):
            raise
        raise none from None
    if not may(viewer, Act.SUBMIT, owner):
        raise none
    return OWNER if owner in viewer.owners else ORGANISER


def suspend(ladder: Ladder, viewer: Viewer, bot: str, reason: str, variant: str | None = None) -> StateChanged:
    """
    Take a bot out of the matches to come, until `resume_bot`; its rating is kept.

    Args:
        ladder: The ladder.
        viewer: Who does it.
        bot: ``Trotter`` is its newest version, ``Trotter@2`` its version 2.
        reason: For its owner.
        variant: Where; None: wherever it plays.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such bot, or it does not play there.
        UserError: If there is no reason.
    """
    check(viewer, Act.ADMINISTER)
    if not reason.strip():
        raise UserError("A reason is needed, for the bot's owner: --reason TEXT")
    with ladder.database.write() as session:
        version = find_version(session, bot, variant)
        variants, now = suspend_entries(session, version, variant, reason.strip(), ladder.clock()), ladder.clock()
        write_audit(session, viewer, "bot.suspend", bot, now, where=", ".join(variants), reason=reason.strip())
    return StateChanged(bot=bot, variants=tuple(variants))


def resume_bot(ladder: Ladder, viewer: Viewer, bot: str, variant: str | None = None) -> StateChanged:
    """
    Let a suspended bot play again, no matter who suspended it; the arguments are those of `suspend`.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such bot, or it is not suspended there.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        variants = resume_entries(session, find_version(session, bot, variant), variant, ladder.clock())
        write_audit(session, viewer, "bot.resume", bot, ladder.clock(), where=", ".join(variants))
    return StateChanged(bot=bot, variants=tuple(variants))
