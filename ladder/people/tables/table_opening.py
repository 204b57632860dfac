"""
Opening a table: what is played there, who sits in which chair, and the limits on the number of tables.

The limits are there so that a script that opens tables leaves room for other visitors. Tables that wait for people and
tables that play have places of their own. If all places are taken, they are shared fairly: a table of those who have
the most is ended before a visitor with fewer is refused.

Games that wait for their one person (`TableStatus.PAUSED`) take no place of either kind, only a row and two files.
There may be `PAUSED_TIMES` as many of them; the one that is beyond that, and can be spared most, is ended.

`ordered_table` makes the order for a table from words on a command line.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ladder.app.accounts.sessions import hash_of
from ladder.entry.networks import neighbourhood_of
from ladder.errors import Busy, Conflict, Forbidden, LadderError, TooOften, UserError
from ladder.matches.house import HOUSE_BOTS
from ladder.results.files import TableFiles
from ladder.store.commands.people_tables import NewChair, NewTable, add_table, end_table
from ladder.store.lookup import find_stored_bot, find_version, imitated
from ladder.store.queries.people_tables import all_open, ladder_rules, open_at, plays
from ladder.values.opponents import GUEST
from ladder.values.people import PERSON_NAME_LENGTH, ChairKind, ChairOrder, OpenedTable, TableOrder, TableStatus
from pigpen.rules import PRESETS, new_seed
from pigpen.rules.shuffle import commitment
from referee.match.formats import PERSON_SECONDS, Format
from referee.records.framing import MAX_DEALS
from referee.records.rules_file import no_such_rules, rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ladder.app.ladder import Ladder
    from ladder.settings.settings import Settings
    from ladder.store.database import Session
    from ladder.store.table_models import PeopleTable
    from ladder.values.people import TableVisitor
    from pigpen.rules import Rules

MAX_GUEST_TABLES, MAX_ACCOUNT_TABLES = 2, 5
"""Tables that one of them may have open."""
PAUSED_TIMES = 5
"""Games that wait for their person: as many times the tables that guests of one address, or all visitors, may have."""
RETRY_SECONDS = 600.0
"""Seconds after which a table that all people have left has ended."""
OWN = "You have as many tables open as are allowed. End one of them, or try again in {minutes} minutes."
OF_ADDRESS = "Guests at your address have as many tables open as allowed. Log in, end one, or try in {minutes} minutes."
TAKEN = "All tables of this ladder are taken; try again in {minutes} minutes."
GAVE_WAY = "This table was ended: all tables of this ladder were taken, and you or your network had the most."
MADE_ROOM = "This game was ended: it waited for its person, and there were too many games that wait."


def guest_hash(who: TableVisitor) -> str:
    """Give what is kept of a guest; nothing of an account."""
    return hash_of(f"guest {who.guest}") if who.account is None and who.guest else ""


def check_limits(session: Session, settings: Settings, who: TableVisitor, now: float) -> None:
    """
    Make sure that a visitor may open one more table, whatever others do.

    A game of the visitor in which nothing has been decided is ended if there would be too many of its own.

    Raises:
        Forbidden: If this ladder has no tables.
        TooOften: If this visitor, or the guests at its address, have enough of them.
    """
    if settings.people_tables == 0:
        raise Forbidden("This ladder has no tables for people; pigpen play human seats you in a terminal.")
    tables, guest = all_open(session), guest_hash(who)
    paused = [each for each in tables if each.status == TableStatus.PAUSED]
    _make_room(session, paused, PAUSED_TIMES * settings.people_tables, now)
    if who.account is not None:
        _check_own(session, [each for each in tables if each.owner == who.account], MAX_ACCOUNT_TABLES, now)
        return
    if guest:
        _check_own(session, [each for each in tables if each.guest == guest], MAX_GUEST_TABLES, now)
    if who.network:
        here = [each for each in tables if each.network == who.network]
        _make_room(session, [each for each in here if each in paused], PAUSED_TIMES * settings.guest_tables, now)
        if sum(each not in paused for each in here) >= settings.guest_tables:
            raise TooOften(OF_ADDRESS, RETRY_SECONDS)


def _check_own(session: Session, own: Sequence[PeopleTable], most: int, now: float) -> None:
    """Make sure that a visitor has fewer than *most* tables: one that waits, and has not begun, is ended for that."""
    spare = [each for each in own if each.status == TableStatus.PAUSED and not each.begun]
    if len(own) - bool(spare) >= most:
        raise TooOften(OWN, RETRY_SECONDS)
    if len(own) >= most:
        _make_room(session, spare, len(spare), now)


def _make_room(session: Session, paused: Sequence[PeopleTable], most: int, now: float) -> None:
    """End the game that can be spared most, if there are *most* of them: one that has not begun, the oldest."""
    if len(paused) >= most:
        end_table(session, min(paused, key=lambda each: (each.begun, each.touched)), MADE_ROOM, now)


def make_place(session: Session, settings: Settings, table: PeopleTable, now: float) -> None:
    """
    Make sure that there is a place for a table that was just opened, or that now begins to play.

    If there is none, another table in the same state (it waits, or it plays) is ended. It belongs to the account, or
    to the addresses near each other, with the most such tables; they must have more than the opener of this one.

    Raises:
        Busy: If all places are taken, and no other visitor has more of them.
    """
    is_waiting = table.status == TableStatus.WAITING
    held = [each for each in all_open(session) if each.status != TableStatus.PAUSED]
    like_it = [each for each in held if (each.status == TableStatus.WAITING) == is_waiting]
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


NAME_BYTES, SECRET_BYTES = 9, 32
AT_IT = "You are playing this board at another table. Finish or end the game there before you play the board again."
USUAL_HOUSE_BOTS = ("counting", "cautious", "counting", "cautious")
"""House bots for the other chairs, if the order names none."""


class AtAnotherTable(Conflict):
    """
    The visitor plays that board at another table.

    Attributes:
        table: The name of that one.
        board: The board and the chair there, as in `TableOrder.board`.
    """

    def __init__(self, table: str, board: str) -> None:
        super().__init__(AT_IT)
        self.table = table
        self.board = board


def open_table(ladder: Ladder, order: TableOrder, who: TableVisitor, seed: bytes | None = None) -> OpenedTable:
    """
    Open a table; the person who opens it gets the first chair for a person.

    It begins when all its people are there. Nothing of it is rated.

    Args:
        ladder: The ladder.
        order: What is wanted.
        who: Who wants it.
        seed: Where the cards are to come from; None: a new one.

    Raises:
        Busy: If there are too many tables.
        AtAnotherTable: If this visitor plays that board at another table.
        Forbidden: If such a table is not for this visitor.
        LadderError: If a bot is missing, or people may not play with it.
        RulesFileError: If there is no such variant.
        TooOften: If this visitor has too many tables open.
        UserError: If the order makes no sense.
    """
    seed, now = seed or new_seed(), ladder.clock()
    with ladder.database.write() as session:
        if order.board:
            other = open_at(session, order.board, commitment(seed), who.account, guest_hash(who))
            if other is not None:
                raise AtAnotherTable(other.name, other.board)
        check_limits(session, ladder.settings, who, now)
        rules, is_own = _rules(session, order)
        _check_format(order.format, rules)
        orders = order.chairs or (ChairOrder(), *_usual(rules.players - 1))
        given = _secrets(orders, rules)
        who = replace(who, shown=who.shown or order.shown)
        seats = _Seats(session, who, rules, is_own, now)
        chairs = [seats.chair(number, each, given) for number, each in enumerate(orders)]
        new = NewTable(
            name=secrets.token_urlsafe(NAME_BYTES), purpose=order.purpose, board=order.board, variant=rules.name,
            rules=rules.to_plain(), format=order.format, seed=seed.hex(), commitment=commitment(seed),
            practice=order.practice, seconds=_seconds(order, len(given)), pace=order.pace, owner=who.account,
            guest=guest_hash(who), network=who.network or None,
        )  # fmt: skip
        make_place(session, ladder.settings, add_table(session, new, chairs, now), now)
    TableFiles(ladder.settings.data_dir).wake()
    return OpenedTable(name=new.name, secrets=given)


def shown_name(session: Session, who: TableVisitor) -> str:
    """
    Give the name by which a person is shown.

    Raises:
        UserError: If it cannot be shown, or is that of another owner, or of a bot, or looks like one.
    """
    name = re.sub(r"\s+", " ", who.shown or who.account or GUEST).strip()[:PERSON_NAME_LENGTH]
    if not name or not name.isprintable() or "#" in name:
        raise UserError(
            f"{name!r} cannot be the name of a person: it takes 1 to {PERSON_NAME_LENGTH} printed characters without #."
        )
    other = None if name in (GUEST, who.account) or not (who.guest or who.account) else imitated(session, name)
    if other not in (None, who.account):
        raise UserError(f"The name {name!r} looks like {other!r}, which is taken on this ladder. Choose another name.")
    return name


@dataclass(frozen=True)
class _Seats:
    """Makes the chairs of one table."""

    session: Session
    who: TableVisitor
    rules: Rules
    has_own_rules: bool
    now: float

    def chair(self, number: int, order: ChairOrder, given: Mapping[int, str]) -> NewChair:
        """
        Make the chair of that number.

        Args:
            number: Its number.
            order: Who is to sit there.
            given: The secrets of the people's chairs, by number, the opener's first.
        """
        if order.kind is ChairKind.HOUSE:
            if order.name not in HOUSE_BOTS:
                raise UserError(f"There is no house bot {order.name!r}; there are {', '.join(HOUSE_BOTS)}.")
            return NewChair(order.kind, order.name)
        if order.kind is ChairKind.BOT:
            return self._bot(order)
        secret_hash = hash_of(given[number])
        if number != next(iter(given)):
            return NewChair(order.kind, secret_hash=secret_hash)
        return NewChair(order.kind, shown_name(self.session, self.who), None, self.who.account, secret_hash, self.now)

    def _bot(self, order: ChairOrder) -> NewChair:
        if self.who.account is None and self.who.guest:
            raise Forbidden("Bots of the ladder play with people who have an account; log in, or choose house bots.")
        if self.has_own_rules:
            raise UserError("Bots of the ladder play its variants only; choose house bots for rules of your own.")
        bot = find_stored_bot(self.session, order.name.partition("@")[0])
        version = find_version(self.session, order.name)
        if not bot.tables:
            raise LadderError(
                f"The owner of {bot.name} does not let people play with it; choose another bot, or a house bot."
            )
        if not plays(self.session, version.id, self.rules.name):
            raise LadderError(f"{order.name} does not play {self.rules.name} now; choose another bot, or a house bot.")
        return NewChair(order.kind, order.name, version.id)


def _rules(session: Session, order: TableOrder) -> tuple[Rules, bool]:
    """Give what is played, and whether those are rules of the opener's own."""
    if order.rules is not None:
        return rules_from(order.rules), True
    known = ladder_rules(session, order.variant)
    if known is not None:
        return rules_from(known), False
    if order.variant not in PRESETS:
        raise no_such_rules(order.variant)
    return PRESETS[order.variant], False


def _seconds(order: TableOrder, people: int) -> float:
    """Give the seconds for each decision; one person among bots has no clock unless it asks for one."""
    if order.seconds is not None:
        return order.seconds
    return PERSON_SECONDS if people > 1 else 0.0


def _check_format(text: str, rules: Rules) -> None:
    try:
        form = Format.parse(text)
    except ValueError as error:
        raise UserError(f"{error}.") from None
    if form.tables(rules) != 1 or (form.count(rules) or 0) > MAX_DEALS:
        raise UserError(f"People play a game, or deals:N with N up to {MAX_DEALS}; {text} is neither.")


def _usual(count: int) -> list[ChairOrder]:
    return [ChairOrder(kind=ChairKind.HOUSE, name=name) for name in USUAL_HOUSE_BOTS[:count]]


def _secrets(orders: Sequence[ChairOrder], rules: Rules) -> dict[int, str]:
    """Make a secret for each person's chair, by its number."""
    people = [number for number, each in enumerate(orders) if each.kind is ChairKind.PERSON]
    if len(orders) != rules.players:
        raise UserError(f"{rules.name} has {rules.players} chairs; {len(orders)} are filled.")
    if not people:
        raise UserError("Only bots sit at this table; leave a chair for a person.")
    return {number: secrets.token_urlsafe(SECRET_BYTES) for number in people}
