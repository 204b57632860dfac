"""
The chairs of a table: sitting down, getting up, and the address at which a person's program connects.

`state_of` and the functions that read tables give their states, without what is played there.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from ladder.app.accounts.sessions import hash_of
from ladder.errors import Conflict, Forbidden, LadderError
from ladder.people.tables.table_opening import USUAL_HOUSE_BOTS, guest_hash, make_place, shown_name
from ladder.results.files import TableFiles
from ladder.sandbox.bots.bot_source import seat_names
from ladder.store.commands.people_tables import (
    end_table,
    get_up,
    resume_table,
    seat_house_bots,
    sit_down,
    take_back_at,
    touch_table,
)
from ladder.store.queries.people_tables import chairs_of, offered_bots, open_of, table_by_name
from ladder.values.opponents import Player, shown_players
from ladder.values.people import ChairKind, SeatPlace, TableChair, TablePurpose, TableState, TableStatus
from ladder.values.value import time_of
from referee.match.formats import PERSON_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.store.table_models import PeopleChair, PeopleTable
    from ladder.values.people import TableVisitor

NO_TABLE = "There is no such table; it may have been removed. Open another one at /play."


def table_page(ladder: Ladder, name: str, secret: str | None = None) -> TableState:
    """
    Read a table as it looks with the secret of one of its chairs, or with none.

    Raises:
        LadderError: If there is no such table.
    """
    with ladder.database.read() as session:
        table = found_table(session, name)
        chairs = chairs_of(session, table.id)
        return state_of(table, chairs, chair_for(chairs, secret or ""))


def open_tables_of(ladder: Ladder, who: TableVisitor) -> list[TableState]:
    """Read the tables that a visitor has opened and that have not ended, the oldest first."""
    guest = guest_hash(who)
    if who.account is None and not guest:
        return []
    with ladder.database.read() as session:
        return [state_of(each, chairs_of(session, each.id), None) for each in open_of(session, who.account, guest)]


def players_of(chairs: Sequence[PeopleChair | TableChair]) -> tuple[Player, ...]:
    """Give the players of a table as people are shown them, by chair; the name of one who has not come is empty."""
    names = seat_names(each.name for each in chairs)
    found = shown_players(names, (each.kind for each in chairs))
    return tuple(player if chair.name else Player("") for player, chair in zip(found, chairs, strict=True))


def bots_to_play_with(ladder: Ladder, variant: str) -> list[str]:
    """List the names of the bots whose owners allow it to be played with in a variant, the best first."""
    with ladder.database.read() as session:
        return offered_bots(session, variant)


def found_table(session: Session, name: str) -> PeopleTable:
    """
    Find a table.

    Raises:
        LadderError: If there is none of that name.
    """
    table = table_by_name(session, name) if name.isascii() and name.isprintable() else None
    if table is None:
        raise LadderError(NO_TABLE)
    return table


class AccountKey(str):
    """
    The name of the account that a visitor is logged in to, in the place of a chair's secret.

    Only this program makes it, from a session that it has checked: what a visitor sends is a plain string.
    """

    __slots__ = ()


def chair_for(chairs: Sequence[PeopleChair], secret: str) -> PeopleChair | None:
    """
    Find the chair that a secret is for, or the first one that belongs to an account; None if there is none.

    Args:
        chairs: Those of a table.
        secret: What the visitor's browser keeps, or an `AccountKey`.
    """
    if isinstance(secret, AccountKey):
        return next((each for each in chairs if each.joined is not None and each.account == secret), None)
    wanted = hash_of(secret)
    return next((each for each in chairs if hmac.compare_digest(each.secret_hash or "", wanted)), None)


def is_opener(chairs: Sequence[PeopleChair], chair: PeopleChair | None) -> bool:
    """Tell whether a chair is that of who opened the table: the first one for a person."""
    return chair is next(each for each in chairs if each.kind == ChairKind.PERSON)


def state_of(table: PeopleTable, chairs: Sequence[PeopleChair], mine: PeopleChair | None) -> TableState:
    """Give the state of a table, as the person in the chair *mine* may see it, or as any visitor may."""
    is_open_to_see = table.status == TableStatus.OVER and table.purpose == TablePurpose.FREE
    return TableState(
        **{name: getattr(table, name) for name in _SAME},
        chairs=tuple(map(_chair_state, chairs)),
        mine=None if mine is None else mine.chair,
        is_opener=is_opener(chairs, mine),
        opener=table.owner or "",
        seed=table.seed if is_open_to_see else None,
        created=time_of(table.created),
        finished=None if table.finished is None else time_of(table.finished),
    )


_SAME = (
    "id", "name", "purpose", "board", "variant", "rules", "format", "seconds", "pace", "practice", "assisted",
    "status", "reason", "commitment",
)  # fmt: skip


def _chair_state(chair: PeopleChair) -> TableChair:
    return TableChair(
        kind=ChairKind(chair.kind),
        name=chair.name,
        joined=chair.kind != ChairKind.PERSON or chair.joined is not None,
        is_account=chair.account is not None,
        points=chair.points,
        place=chair.place,
        absent=chair.absent,
    )


ENDED = (TableStatus.OVER, TableStatus.ENDED)
AT_THE_TABLE = "It was ended at the table."
NOTED_SECONDS = 60.0
"""Seconds until it is noted again that a person is there: a page that waits asks every two seconds."""
NO_SEAT = "This link does not belong to a chair of this table. Ask for a new one."


def join(ladder: Ladder, name: str, secret: str, who: TableVisitor) -> TableState:
    """
    Sit down in the chair that a secret is for. A person who sits there already stays, and may change the name.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: The chair's.
        who: Who sits down.

    Raises:
        Busy: If the table could begin now, but all places are taken.
        Conflict: If the table has begun without this person, or has ended.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table.
        UserError: If the person cannot be shown by that name.
    """
    with ladder.database.write() as session:
        table, chairs, mine = _chair(session, name, secret)
        if table.status == TableStatus.WAITING:
            now = ladder.clock()
            if sit_down(session, table, mine, shown_name(session, who), who.account, now):
                make_place(session, ladder.settings, table, now)
        elif mine.joined is None:
            raise Conflict("This table has ended." if table.status in ENDED else "This table has begun without you.")
        state = state_of(table, chairs, mine)
    TableFiles(ladder.settings.data_dir).wake()
    return state


def stay(ladder: Ladder, name: str) -> None:
    """
    Note that a person who has a chair is still there while the table waits for others.

    Raises:
        LadderError: If there is no such table.
    """
    now = ladder.clock()
    with ladder.database.read() as session:
        is_noted = found_table(session, name).touched > now - NOTED_SECONDS
    if not is_noted:
        with ladder.database.write() as session:
            touch_table(found_table(session, name), now)


def seat_of(ladder: Ladder, name: str, secret: str) -> SeatPlace:
    """
    Find out where the seat is that a secret is for; while it does not listen, the address is empty.

    Raises:
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table.
    """
    with ladder.database.read() as session:
        table, _, mine = _chair(session, name, secret)
        return SeatPlace(
            table=table.id, chair=mine.chair, status=TableStatus(table.status), attempt=table.attempt,
            address=mine.address, token=mine.token,
        )  # fmt: skip


def leave(ladder: Ladder, name: str, secret: str) -> TableState:
    """
    Get up from a table that has not begun. One that has begun continues without the person, who may come back.

    Raises:
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table.
    """
    with ladder.database.write() as session:
        table, chairs, mine = _chair(session, name, secret)
        if table.status == TableStatus.WAITING and not is_opener(chairs, mine):
            get_up(mine)
        return state_of(table, chairs, mine)


def start_now(ladder: Ladder, name: str, secret: str) -> TableState:
    """
    Let house bots play in the chairs of people who have not come; only the person who opened the table may do that.

    Raises:
        Busy: If all places are taken.
        Conflict: If the table does not wait for people.
        Forbidden: If the secret is not the opener's.
        LadderError: If there is no such table.
    """
    with ladder.database.write() as session:
        table, chairs, mine = _opener(session, name, secret)
        if table.status != TableStatus.WAITING:
            raise Conflict("This table is not waiting for people.")
        seat_house_bots(session, table, chairs, USUAL_HOUSE_BOTS)
        if sum(each.kind == ChairKind.PERSON for each in chairs) == 1 and table.seconds == PERSON_SECONDS:
            table.seconds = 0.0  # no clock was chosen, and all others are bots now
        make_place(session, ladder.settings, table, ladder.clock())
        state = state_of(table, chairs, mine)
    TableFiles(ladder.settings.data_dir).wake()
    return state


def end(ladder: Ladder, name: str, secret: str) -> TableState:
    """
    End a table for all. Only the person who opened it, or the only person there, may do that.

    Raises:
        Forbidden: If others play there, too.
        LadderError: If there is no such table.
    """
    with ladder.database.write() as session:
        table, chairs, mine = _chair(session, name, secret)
        others = [each for each in chairs if each.joined is not None and each is not mine]
        if not is_opener(chairs, mine) and others:
            raise Forbidden("Only the person who opened this table can end it. You can leave it.")
        if table.status not in ENDED:
            end_table(session, table, AT_THE_TABLE, ladder.clock())
        state = state_of(table, chairs, mine)
    TableFiles(ladder.settings.data_dir).wake()
    return state


def take_back(ladder: Ladder, name: str, secret: str) -> TableState:
    """
    Take the last decision back that the person took itself, in the deal under way; the table is marked as assisted.

    Raises:
        Conflict: If nothing is played there now.
        Forbidden: If it is no table for practice, or others play there, too.
        LadderError: If there is no such table.
    """
    with ladder.database.write() as session:
        table, chairs, mine = _chair(session, name, secret)
        if not table.practice or any(each.joined is not None and each is not mine for each in chairs):
            raise Forbidden("Cards are taken back at tables for practice, where one person plays with bots.")
        if table.status != TableStatus.PLAYING:
            raise Conflict("Nothing is played at this table now; try again in a moment.")
        take_back_at(session, table, mine.chair, ladder.clock())
        state = state_of(table, chairs, mine)
    TableFiles(ladder.settings.data_dir).wake()
    return state


def resume(ladder: Ladder, name: str, secret: str) -> None:
    """
    Let a table that waits for its one person be played on; nothing changes at another one.

    Raises:
        Busy: If all places are taken.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table.
    """
    with ladder.database.write() as session:
        table, _, _ = _chair(session, name, secret)
        now = ladder.clock()
        is_resumed = resume_table(session, table, now)
        if is_resumed:
            make_place(session, ladder.settings, table, now)
    if is_resumed:
        TableFiles(ladder.settings.data_dir).wake()


def _chair(session: Session, name: str, secret: str) -> tuple[PeopleTable, list[PeopleChair], PeopleChair]:
    """Find the table, its chairs, and the one that the secret is for."""
    table = found_table(session, name)
    chairs = chairs_of(session, table.id)
    mine = chair_for(chairs, secret)
    if mine is None:
        raise Forbidden(NO_SEAT)
    return table, chairs, mine


def _opener(session: Session, name: str, secret: str) -> tuple[PeopleTable, list[PeopleChair], PeopleChair]:
    table, chairs, mine = _chair(session, name, secret)
    if not is_opener(chairs, mine):
        raise Forbidden("Only the person who opened this table can do that.")
    return table, chairs, mine
