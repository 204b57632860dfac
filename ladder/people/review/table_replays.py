"""Replays of a table, card by card, and the worth of its decisions: for those who have played there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.computing.asking import answer_to
from ladder.app.computing.questions import costliest_in, deals_of, why_question
from ladder.app.local.reading import Source, Where, read_match
from ladder.app.recorded_match import read_recorded
from ladder.app.replay import replayed
from ladder.errors import Conflict, Forbidden, LadderError, UserError
from ladder.matches.estimate import TooManyChoices, check_choices
from ladder.people.boards.played_boards import YOU, board_of
from ladder.people.review.table_record import record_of
from ladder.people.tables.chairs import NO_SEAT
from ladder.people.tables.table_states import table_page
from ladder.results.files import TableFiles
from ladder.store.commands.tables import keep_cost
from ladder.store.table_models import PeopleChair
from ladder.values.people import TableStatus
from ladder.values.questions import BotDeals, CostliestQuestion
from ladder.values.replay import DealPlace
from ladder.values.why import Why
from referee.records.recorded import BadRecord
from referee.replay.deal_replay import NoDecision, decision_at

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.app.recorded_match import RecordedMatch
    from ladder.values.people import TableState
    from ladder.values.replay import DealReplayed
    from ladder.values.why import Costliest

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
        return replayed(recorded, place, seat)
    except BadRecord as error:
        raise LadderError(f"This deal cannot be shown: {error}.") from None


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


def _keep_cost(ladder: Ladder, table: int, chair: int, cost: float) -> None:
    """Note what the costliest decision was, for the list of the person's games; it is written once."""
    with ladder.database.read() as session:
        known = session.get_one(PeopleChair, (table, chair)).cost
    if known is None or known < cost:
        with ladder.database.write() as session:
            keep_cost(session, table, chair, cost)


def file_name(name: str) -> str:
    """Give what the record of a table is called where it is downloaded."""
    return f"table-{name}.jsonl"


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
