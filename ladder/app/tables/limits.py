"""How many tables there may be, so that tables that a script opens starve nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.accounts.secrets import hash_of
from ladder.errors import Busy, Forbidden, TooOften
from ladder.store.queries.tables import count_open

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Session
    from ladder.values.people import TableVisitor

MOST_OF_GUEST, MOST_OF_ACCOUNT = 2, 5
"""Tables that one of them may have open."""
SOON = 600.0
"""After so many seconds a table at which nobody is any more has ended."""


def guest_hash(who: TableVisitor) -> str:
    """What is kept of a guest; nothing of an account."""
    return hash_of(f"guest {who.guest}") if who.account is None and who.guest else ""


def check_limits(session: Session, settings: Settings, who: TableVisitor) -> None:
    """
    Make sure that there is room for one more table.

    Raises:
        Busy: If there are as many as the settings allow.
        Forbidden: If this ladder has no tables.
        TooOften: If this visitor has enough of them.
    """
    if settings.people_tables == 0:
        raise Forbidden("This ladder has no tables for people; pigpen play human seats you in a terminal.")
    if count_open(session) >= settings.people_tables:
        raise Busy("All tables of this ladder are taken; try again in {minutes} minutes.", SOON)
    guest = guest_hash(who)
    most = MOST_OF_ACCOUNT if who.account is not None else MOST_OF_GUEST
    if (who.account is not None or guest) and count_open(session, who.account, guest) >= most:
        raise TooOften(
            "You have as many tables open as are allowed. End one of them, or try again in {minutes} minutes.", SOON
        )
