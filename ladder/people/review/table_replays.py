"""
Replays of a table, card by card, and the worth of its decisions: for those who have played there.

The data of a table that was played are its record, and the score sheet that follows from it. For practice, a person may
ask for an estimate before a decision (`ask_before`); it marks the person as assisted. `same_order` is the order for a
table like one that has been played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.computing.analysis import position_in
from ladder.app.computing.asking import BeingComputed, answer_to, costliest_in, deals_of, hint_question, why_question
from ladder.app.local.why import Source, Where, read_match
from ladder.app.match_replay import replayed
from ladder.app.matches import read_recorded
from ladder.app.overview import rules_of
from ladder.errors import Conflict, Forbidden, LadderError, UserError
from ladder.matches.estimate import TooManyChoices, check_choices
from ladder.people.boards.played_boards import YOU, board_of
from ladder.people.tables.chairs import NO_SEAT, chair_for, found_table, players_of, table_page
from ladder.results.files import TableFiles
from ladder.sandbox.bots.bot_source import seat_names
from ladder.store.commands.people_tables import keep_cost, mark_assisted
from ladder.store.queries.people_tables import chairs_of
from ladder.store.table_models import PeopleChair
from ladder.values.matches import DealPlace
from ladder.values.people import TABLE_FILE, ChairKind, ChairOrder, TableOrder, TableStatus
from ladder.values.person_state import SheetRow
from ladder.values.questions import BotDeals, CostliestQuestion
from ladder.values.why import Hint, Why
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.lines import DealLine
from referee.records.recorded import BadRecord, seats_of
from referee.replay.deal_replay import NoDecision, decision_at

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.app.matches import RecordedMatch
    from ladder.values.matches import DealReplayed
    from ladder.values.people import TableState
    from ladder.values.why import Costliest
    from pigpen.values.view import View
    from referee.replay.position import Position

NO_RECORD = "This table has no record that can be shown."


def record_of(ladder: Ladder, table: TableState) -> Path:
    """
    Find the record of a table that is over; it is for those who have played there.

    Raises:
        LadderError: If there is none.
    """
    path = TableFiles(ladder.settings.data_dir).record(table.id)
    if table.status is not TableStatus.OVER or not path.is_file():
        raise LadderError(NO_RECORD)
    return path


def sheet_of(ladder: Ladder, table: TableState) -> tuple[SheetRow, ...]:
    """Read the deals that are over, with the points by the numbers of the chairs; none if they cannot be read."""
    path = TableFiles(ladder.settings.data_dir).record(table.id)
    try:
        return tuple(_row(line) for line in read_record(path) if isinstance(line, DealLine))
    except (OSError, RecordError):
        return ()


def _row(line: DealLine) -> SheetRow:
    seats = seats_of(line)
    scores, totals = (
        tuple(each[seats.index(chair)] for chair in range(len(seats))) for each in (line.scores, line.totals)
    )
    return SheetRow(deal=line.deal, scores=scores, totals=totals)


WORST = 3
"""Number of the costliest decisions of a deal that are shown."""
NOT_OVER = "What was played here is shown when the table is over."


def first_place(ladder: Ladder, name: str, secret: str) -> DealPlace:
    """
    Say where the record of a table begins.

    Raises:
        Conflict: If the table is not over.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table, or it has no record.
        UserError: If that cannot be read.
    """
    return next(iter(_record(ladder, name, secret, YOU).where))


def table_replayed(
    ladder: Ladder, name: str, secret: str, key: str, place: DealPlace, seat: int | None = None, asker: str = ""
) -> DealReplayed:
    """
    Play a deal again: one of the table's own, or the same board as others have played it.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: That of the caller's chair.
        key: `YOU`, or the key of another play of the board, as `compare` gives it.
        place: The deal.
        seat: Show what this seat knew, and nothing else; None: all hands.
        asker: Whose turn in the queue a house bot's play takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If it is a house bot's, and is not done yet.
        LadderError: As `first_place`, or if there is no such deal, seat, or play of the board.
        UserError: If the record cannot be read.
    """
    recorded = _record(ladder, name, secret, key, asker)
    _index(recorded, place)
    players = recorded.recorded.rules.players
    if seat is not None and seat >= players:
        raise LadderError(f"There is no seat {seat} at this table; its seats are 0 to {players - 1}.")
    try:
        found = replayed(recorded, place, seat)
    except BadRecord as error:
        raise LadderError(f"This deal cannot be shown: {error}.") from None
    chairs = table_page(ladder, name, secret).chairs
    shown = dict(zip(seat_names(each.name for each in chairs), players_of(chairs), strict=True))
    return found.model_copy(update={"bots": tuple(shown[each].name if each in shown else each for each in found.bots)})


def table_why(ladder: Ladder, name: str, secret: str, key: str, place: DealPlace, step: int, asker: str = "") -> Why:
    """
    Say what each choice of a decision was worth, from what its seat knew; the arguments are those of `table_replayed`.

    Raises:
        BeingComputed: If it is not estimated yet, or is of a house bot's play that is not done yet.
        LadderError: As `table_replayed`.
        UserError: If the record cannot be read, or the step is not there, was forced, or has too many choices.
    """
    recorded = _record(ladder, name, secret, key, asker)
    line = recorded.recorded.deals[_index(recorded, place)]
    try:
        check_choices(decision_at(recorded.recorded, line, step).view())
    except (BadRecord, NoDecision, TooManyChoices) as error:
        raise UserError(f"There is no estimate of step {step} of {line.name}: {error}.") from None
    question = why_question(recorded.recorded, line, step, file_name(name))
    return Why.model_validate_json(answer_to(ladder, question, asker))


def table_position(ladder: Ladder, name: str, secret: str, key: str, place: DealPlace, asker: str = "") -> Position:
    """
    Take a deal of a table up to its end, for the analysis board; the arguments are those of `table_replayed`.

    Raises:
        BeingComputed: If it is of a house bot's play that is not done yet.
        LadderError: As `table_replayed`.
        UserError: If it cannot be read, or was played by rules that no variant of the ladder has.
    """
    return position_in(ladder, _record(ladder, name, secret, key, asker), place)


def costliest_of_deal(ladder: Ladder, name: str, secret: str, deal: int, asker: str = "") -> Costliest:
    """
    Give a person's costliest decisions in a deal that is over, by estimate; the table need not be over.

    Raises:
        BeingComputed: If they are not found yet.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table.
        UserError: If that deal is not over, or the record cannot be read.
    """
    table = _mine(ladder, name, secret)
    path = TableFiles(ladder.settings.data_dir).record(table.id)
    source = Source(path, file_name(name), "This table")
    recorded = read_match(source) if path.is_file() else None
    if recorded is None or not recorded.deals.where(deal + 1):
        raise UserError(f"Deal {deal + 1} of this table is not over yet.")
    number = table.mine or 0
    deals = deals_of(ladder, source, recorded.first.commitment, Where(deal + 1))
    question = CostliestQuestion(looks=(BotDeals(deals=deals, bots=(number,)),), worst=WORST)
    found = costliest_in(answer_to(ladder, question, asker), source, recorded.first.bots[number])
    _keep_cost(ladder, table.id, number, max((each.cost for each in found.costliest), default=0.0))
    return found


def costliest_of_game(ladder: Ladder, name: str, secret: str, asker: str = "") -> Costliest:
    """
    Give a person's costliest decisions of all deals of a table that is over: one deal after the other is looked at.

    Raises:
        BeingComputed: If they are not found yet; it counts the deals.
        Conflict: If the table is not over.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table, or it has no record.
    """
    table = _mine(ladder, name, secret)
    if table.status is not TableStatus.OVER:
        raise Conflict(NOT_OVER)
    sheet = sheet_of(ladder, table)
    if not sheet:
        raise LadderError(NO_RECORD)
    found = []
    for row in sheet:
        try:
            found.append(costliest_of_deal(ladder, name, secret, row.deal, asker))
        except BeingComputed as error:
            progress = {"done": len(found), "steps": len(sheet)}
            raise BeingComputed(error.computing.model_copy(update=progress)) from None
    worst = sorted((why for each in found for why in each.costliest), key=lambda why: -why.cost)
    return found[0].model_copy(
        update={
            "decisions": sum(each.decisions for each in found),
            "not_estimated": sum(each.not_estimated for each in found),
            "costliest": tuple(worst[:WORST]),
        }
    )


def _keep_cost(ladder: Ladder, table: int, chair: int, cost: float) -> None:
    """Note what the costliest decision was, for the list of the person's games; it is written once."""
    with ladder.database.read() as session:
        known = session.get_one(PeopleChair, (table, chair)).cost
    if known is None or known < cost:
        with ladder.database.write() as session:
            keep_cost(session, table, chair, cost)


def file_name(name: str) -> str:
    """Give what the record of a table is called where it is downloaded."""
    return f"{TABLE_FILE}{name}.jsonl"


def _mine(ladder: Ladder, name: str, secret: str) -> TableState:
    table = table_page(ladder, name, secret)
    if table.mine is None:
        raise Forbidden(NO_SEAT)
    return table


def _record(ladder: Ladder, name: str, secret: str, key: str, asker: str = "") -> RecordedMatch:
    table = _mine(ladder, name, secret)
    if table.status is not TableStatus.OVER:
        raise Conflict(NOT_OVER)
    return read_recorded(record_of(ladder, table)) if key == YOU else board_of(ladder, name, secret, asker).record(key)


def _index(recorded: RecordedMatch, place: DealPlace) -> int:
    if place not in recorded.where:
        raise LadderError(f"There is no board {place.board}, rotation {place.rotation} here.")
    return recorded.where[place]


NO_PRACTICE = "This table gives no estimates before you play. Open a table for practice."


def ask_before(ladder: Ladder, name: str, secret: str, view: View, asker: str = "") -> Hint:
    """
    Say what each choice of the open decision of a chair is worth; the table, which is for practice, counts as assisted.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: The chair's.
        view: What its seat knows. Nothing else is looked at.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If it is not estimated yet.
        Forbidden: If the table is not for practice, or the secret is for no chair there.
        LadderError: If there is no such table.
        UserError: If there are too many choices.
    """
    with ladder.database.read() as session:
        table = found_table(session, name)
        if chair_for(chairs_of(session, table.id), secret) is None:
            raise Forbidden(NO_SEAT)
        if not table.practice:
            raise Forbidden(NO_PRACTICE)
    try:
        check_choices(view)
    except TooManyChoices as error:
        raise UserError(f"There is no estimate of this decision: {error}.") from None
    if not table.assisted:
        with ladder.database.write() as session:
            mark_assisted(found_table(session, name))
    return Hint.model_validate_json(answer_to(ladder, hint_question(view), asker))


def same_order(ladder: Ladder, state: TableState) -> TableOrder:
    """Order a table with the same rules, chairs and clock, and new cards."""
    try:
        is_own = rules_of(ladder, state.variant).to_plain() != state.rules
    except LadderError:
        is_own = True
    return TableOrder(
        variant=state.variant,
        rules=state.rules if is_own else None,
        chairs=tuple(
            ChairOrder(kind=each.kind, name="" if each.kind is ChairKind.PERSON else each.name) for each in state.chairs
        ),
        format="deals:1" if state.format.startswith("board:") else state.format,
        seconds=state.seconds or None,
        pace=state.pace,
        practice=state.practice,
    )
