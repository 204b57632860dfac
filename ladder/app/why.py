"""What the decisions in a ladder's matches were worth: a model's opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.local.reading import Source, read_match
from ladder.app.local.why import ANYWHERE, dearest_in_record, first_look, why_in_record
from ladder.app.matches import record_of
from ladder.matches.why import dearest_of, rerun_line
from ladder.store import names
from ladder.store.queries.faults import newest_faults
from ladder.store.queries.matches import results
from ladder.values.why import Inbox, InboxFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder
    from ladder.app.local.why import FirstLook, Where
    from ladder.store.queries.faults import NewFault
    from ladder.values.matches import MatchRow
    from ladder.values.why import Dearest, Why

FAULTS = 20
"""How many of the newest faults stand in an inbox."""


def why(ladder: Ladder, match: int, step: int, where: Where = ANYWHERE, bot: str | None = None) -> Why:
    """
    Estimate what each choice of one decision was worth, from what its seat knew.

    Args:
        ladder: The ladder.
        match: The number of a match that is done.
        step: The place of the decision among the steps of the deal, from 1.
        where: The deal.
        bot: Whose decision it should be, by its name in the record or its number; None: whoever's it is.

    Raises:
        LadderError: If there is no such match.
        RecordError: If its record cannot be read.
        UserError: If there is no record, or no such decision; see `why_in_record`.
    """
    return why_in_record(Source.of(record_of(ladder, match), str(match)), step, where, bot)


def dearest(
    ladder: Ladder,
    match: int,
    bot: str,
    worst: int = 5,
    where: Where = ANYWHERE,
    advance: Callable[[], None] = lambda: None,
) -> Dearest:
    """
    Find the decisions that cost a bot most in a match, by estimate.

    Args:
        ladder: The ladder.
        match: The number of a match that is done.
        bot: The bot, by its name in the record or its number.
        worst: How many decisions to give at most.
        where: Only these deals.
        advance: Called after each deal that has been looked at.

    Raises:
        LadderError: If there is no such match.
        RecordError: If its record cannot be read.
        UserError: If there is no record, no such bot in it, or no such deal.
    """
    return dearest_in_record(Source.of(record_of(ladder, match), str(match)), bot, worst, where, advance)


def inbox(ladder: Ladder, bot: str, matches: int = 5, worst: int = 5, variant: str | None = None) -> Inbox:
    """
    Collect what the owner of a bot may want to look at: its dearest decisions, and its faults.

    Args:
        ladder: The ladder.
        bot: ``Trotter`` is its newest version, ``Trotter@2`` its version 2.
        matches: How many of its newest matches to look at; those without a record are left out.
        worst: How many decisions to give at most.
        variant: Only this one.

    Raises:
        LadderError: If there is no such bot, version or variant.
        RecordError: If a record cannot be read.
        UserError: If a record makes no sense.
    """
    with ladder.database.read() as session:
        if variant is not None:
            names.find_variant(session, variant)
        version = names.find_version(session, bot, variant)
        number, version_id, name = version.number, version.id, bot.partition("@")[0]
        found = [match for match in results(session, matches, variant, [version_id]) if match.record_kept]
        faults = [_fault(name, each) for each in newest_faults(session, version_id, FAULTS, variant)]
    looks = {match.id: _look(ladder, match, version_id) for match in found}
    candidates = [each for match, look in looks.items() for each in look.candidates(str(match))]
    return Inbox(
        bot=name,
        version=number,
        matches=tuple(looks),
        decisions=sum(look.decisions for look in looks.values()),
        not_estimated=sum(look.not_estimated for look in looks.values()),
        dearest=tuple(dearest_of(candidates, worst)),
        faults=tuple(faults),
    )


def _fault(bot: str, new: NewFault) -> InboxFault:
    line = rerun_line(str(new.fault.match), str(new.seat), new.fault.place, bot)
    return InboxFault(**dict(new.fault), verdict=new.verdict, rerun=line)


def _look(ladder: Ladder, match: MatchRow, version: int) -> FirstLook:
    """Estimate what a version did in a match, in all its seats there, with few deals."""
    source = Source.of(ladder.files.record(match.id, match.attempt), str(match.id))
    recorded = read_match(source)
    seats = {seat.seat for seat in match.seats if seat.version_id == version}
    return first_look(recorded, source, seats, recorded.deals)
