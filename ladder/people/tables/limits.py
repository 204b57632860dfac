"""
Limits on the number of tables, so that a script that opens tables leaves room for other visitors.

Tables that wait for people and tables that play have places of their own. If all places are taken, they are shared
fairly: a table of those who have the most is ended before a visitor with fewer is refused.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ladder.app.accounts.secrets import hash_of
from ladder.entry.networks import neighbourhood_of
from ladder.errors import Busy, Forbidden, TooOften
from ladder.store.commands.tables import end_table
from ladder.store.queries.tables import all_open
from ladder.values.people import TableStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.settings.settings import Settings
    from ladder.store.database import Session
    from ladder.store.table_models import PeopleTable
    from ladder.values.people import TableVisitor

MAX_GUEST_TABLES, MAX_ACCOUNT_TABLES = 2, 5
"""Tables that one of them may have open."""
RETRY_SECONDS = 600.0
"""Seconds after which a table that all people have left has ended."""
OWN = "You have as many tables open as are allowed. End one of them, or try again in {minutes} minutes."
OF_ADDRESS = "Guests at your address have as many tables open as allowed. Log in, end one, or try in {minutes} minutes."
TAKEN = "All tables of this ladder are taken; try again in {minutes} minutes."
GAVE_WAY = "This table was ended: all tables of this ladder were taken, and you or your network had the most."
GUEST_DAYS = 30
"""Days after the end for which tables of guests are kept; those of accounts stay."""


def guest_hash(who: TableVisitor) -> str:
    """Give what is kept of a guest; nothing of an account."""
    return hash_of(f"guest {who.guest}") if who.account is None and who.guest else ""


def check_limits(session: Session, settings: Settings, who: TableVisitor) -> None:
    """
    Make sure that a visitor may open one more table, whatever others do.

    Raises:
        Forbidden: If this ladder has no tables.
        TooOften: If this visitor, or the guests at its address, have enough of them.
    """
    if settings.people_tables == 0:
        raise Forbidden("This ladder has no tables for people; pigpen play human seats you in a terminal.")
    tables, guest = all_open(session), guest_hash(who)
    if who.account is not None:
        if sum(each.owner == who.account for each in tables) >= MAX_ACCOUNT_TABLES:
            raise TooOften(OWN, RETRY_SECONDS)
        return
    if guest and sum(each.guest == guest for each in tables) >= MAX_GUEST_TABLES:
        raise TooOften(OWN, RETRY_SECONDS)
    if who.network and sum(each.network == who.network for each in tables) >= settings.guest_tables:
        raise TooOften(OF_ADDRESS, RETRY_SECONDS)


def make_place(session: Session, settings: Settings, table: PeopleTable, now: float) -> None:
    """
    Make sure that there is a place for a table that was just opened, or that now begins to play.

    If there is none, another table in the same state (it waits, or it plays) is ended. It belongs to the account, or
    to the addresses near each other, with the most such tables; they must have more than the opener of this one.

    Raises:
        Busy: If all places are taken, and no other visitor has more of them.
    """
    is_waiting = table.status == TableStatus.WAITING
    like_it = [each for each in all_open(session) if (each.status == TableStatus.WAITING) == is_waiting]
    if len(like_it) <= settings.people_tables:
        return
    given_up = _given_up(like_it, table)
    if given_up is None:
        raise Busy(TAKEN, RETRY_SECONDS)
    end_table(session, given_up, GAVE_WAY, now)


def _given_up(tables: Sequence[PeopleTable], new: PeopleTable) -> PeopleTable | None:
    """Choose the table that makes room for the new one, among *tables*; None: no other has more than its opener."""
    near, own = Counter(map(_neighbours, tables)), Counter(map(_opener, tables))

    def order(table: PeopleTable) -> tuple[int, int, bool, float]:
        return -near[_neighbours(table)], -own[_opener(table)], table.owner is not None, table.touched

    for each in sorted(tables, key=order):
        if _neighbours(each) != _neighbours(new):
            has_more = near[_neighbours(each)] > near[_neighbours(new)]
        else:
            has_more = own[_opener(each)] > own[_opener(new)]
        if has_more:
            return each
    return None


def _opener(table: PeopleTable) -> tuple[str, str]:
    """Say who is counted: an account, an address of guests, or the users of the ladder's machine."""
    return ("account", table.owner) if table.owner else ("address", table.network or "")


def _neighbours(table: PeopleTable) -> tuple[str, str]:
    kind, name = _opener(table)
    return kind, neighbourhood_of(name) if kind == "address" else name
