"""The worth of the decisions in a ladder's matches, by a model's estimate: single choices, and bots' mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.computing.asking import answer_to, costliest_in, deals_of, known_answer, why_question
from ladder.app.local.why import ANYWHERE, Source, Where, bot_in, deals_in, decision_in_record
from ladder.app.matches import read_recorded, record_of
from ladder.matches.why import rerun_line
from ladder.store import lookup
from ladder.store.queries.bot_page import newest_faults
from ladder.store.queries.matches import results
from ladder.values.questions import BotDeals, CostliestQuestion, FoundCostliest
from ladder.values.why import Inbox, InboxFault, Mistake, Mistakes, Why

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.queries.bot_page import NewFault
    from ladder.values.matches import MatchRow
    from ladder.values.why import Costliest

MAX_MISTAKES = 12
"""Mistakes of a deal that are given: the most costly ones."""
MAX_CHOICES = 4
"""Choices of each that are given: the best ones, and what was done."""


def mistakes(ladder: Ladder, match: int, board: int, rotation: int, asker: str = "") -> Mistakes:
    """
    Find the decisions of a deal that cost a bot more than the error of the estimate, in the order of the deal.

    Args:
        ladder: The ladder.
        match: The number of a match that is done.
        board: The number of the board, from 1; in a match without boards, of the deal.
        rotation: The number of the board's rotation, from 1; in a match without boards, 1.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If they are not found yet.
        LadderError: If there is no such match.
        UserError: If there is no record that can be read, or no such deal.
    """
    source = Source.of(record_of(ladder, match), str(match))
    recorded = read_recorded(source.path)
    where = Where(board=board, rotation=rotation) if recorded.has_boards else Where(deal=board)
    first = recorded.recorded.first
    deals_in(recorded.recorded, source, where)
    look = BotDeals(deals=deals_of(ladder, source, first.commitment, where), bots=tuple(range(len(first.bots))))
    answer = answer_to(ladder, CostliestQuestion(looks=(look,), worst=MAX_MISTAKES), asker)
    found = FoundCostliest.model_validate_json(answer).costliest
    return Mistakes(mistakes=tuple(_mistake(each) for each in sorted(found, key=lambda each: each.step)))


def _mistake(found: Why) -> Mistake:
    return Mistake(
        step=found.step,
        seat=found.seat,
        cost=found.cost,
        cost_error=found.cost_error,
        partners=found.partners,
        legal=found.legal,
        choices=tuple(each for place, each in enumerate(found.choices) if place < MAX_CHOICES or each.chosen),
        deals=found.deals,
        search=found.search,
    )


FAULTS = 20
"""Number of the newest faults that an inbox shows."""
NOTHING = FoundCostliest(sources=(), decisions=0, not_estimated=0, costliest=())


def why(ladder: Ladder, match: int, step: int, where: Where = ANYWHERE, bot: str | None = None, asker: str = "") -> Why:
    """
    Say what each choice of one decision was worth, by an estimate from what its seat knew.

    Args:
        ladder: The ladder.
        match: The number of a match that is done.
        step: The place of the decision among the steps of the deal, from 1.
        where: The deal.
        bot: Whose decision it should be, by its name in the record or its number; None: any bot's.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If it is not estimated yet.
        LadderError: If there is no such match.
        UserError: If there is no record that can be read, or no such decision; see `why_in_record`.
    """
    source = Source.of(record_of(ladder, match), str(match))
    recorded = read_recorded(source.path).recorded
    decision = decision_in_record(source, recorded, step, where, bot)
    question = why_question(recorded, decision.line, step, source.word)
    return Why.model_validate_json(answer_to(ladder, question, asker))


def costliest(
    ladder: Ladder, match: int, bot: str, worst: int = 5, where: Where = ANYWHERE, asker: str = ""
) -> Costliest:
    """
    Give the decisions that cost a bot most in a match, by estimate.

    Args:
        ladder: The ladder.
        match: The number of a match that is done.
        bot: The bot, by its name in the record or its number.
        worst: How many decisions to give at most.
        where: Only these deals.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If they are not found yet.
        LadderError: If there is no such match.
        UserError: If there is no record that can be read, no such bot in it, or no such deal.
    """
    source = Source.of(record_of(ladder, match), str(match))
    recorded = read_recorded(source.path).recorded
    number = bot_in(recorded, bot, source)
    deals_in(recorded, source, where)
    deals = deals_of(ladder, source, recorded.first.commitment, where)
    question = CostliestQuestion(looks=(BotDeals(deals=deals, bots=(number,)),), worst=worst)
    return costliest_in(answer_to(ladder, question, asker), source, recorded.first.bots[number])


def inbox(
    ladder: Ladder, bot: str, matches: int = 5, worst: int = 5, variant: str | None = None, asker: str = ""
) -> Inbox:
    """
    Collect what the owner of a bot may want to look at: its costliest decisions, as far as found, and its faults.

    Args:
        ladder: The ladder.
        bot: ``Trotter`` is its newest version, ``Trotter@2`` its version 2.
        matches: How many of its newest matches to look at; those without a record are left out.
        worst: How many decisions to give at most.
        variant: Only this one.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        LadderError: If there is no such bot, version or variant.
        NoAnswer: If a record cannot be read.
    """
    with ladder.database.read() as session:
        if variant is not None:
            lookup.find_variant(session, variant)
        version = lookup.find_version(session, bot, variant)
        number, version_id, name = version.number, version.id, bot.partition("@")[0]
        rows = [match for match in results(session, matches, variant, [version_id]) if match.record_kept]
        faults = [_fault(each) for each in newest_faults(session, version_id, FAULTS, variant)]
    looks = tuple(_look(ladder, match, version_id) for match in rows)
    subject = f"inbox of {version_id}: {variant or 'all'}, {matches} matches, {worst} decisions"
    known = known_answer(ladder, CostliestQuestion(looks=looks, worst=worst), asker, subject)
    found = FoundCostliest.model_validate_json(known.answer) if known.answer else NOTHING
    return Inbox(
        bot=name,
        version=number,
        matches=tuple(map(int, found.sources)),
        decisions=found.decisions,
        not_estimated=found.not_estimated,
        costliest=found.costliest,
        faults=tuple(faults),
        computing=known.computing,
    )


def _fault(new: NewFault) -> InboxFault:
    line = rerun_line(str(new.fault.match), str(new.seat), new.fault.place)
    return InboxFault(**dict(new.fault), verdict=new.verdict, rerun=line)


def _look(ladder: Ladder, match: MatchRow, version: int) -> BotDeals:
    """Find what a version did in a match, in all its seats there."""
    source = Source.of(ladder.files.record(match.id, match.attempt), str(match.id))
    seats = tuple(seat.seat for seat in match.seats if seat.version_id == version)
    return BotDeals(deals=deals_of(ladder, source, match.commitment), bots=seats)
