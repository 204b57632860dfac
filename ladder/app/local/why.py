"""What the decisions of a record were worth: a model's opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ladder.app.local.reading import bot_in, deals_in, read_match, understanding
from ladder.errors import UserError
from ladder.matches.estimate import TooManyChoices
from ladder.matches.why import dearest_of, first_cost, unforced, why_of
from ladder.values.why import Dearest
from referee.replay.decision import NoDecision, decision_at

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ladder.app.local.reading import Source
    from ladder.values.why import Why
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.decision import RecordedDecision


class Where(NamedTuple):
    """Which deals of a match are meant; None: any. In `boards:N` a deal has a board and a rotation, the table."""

    deal: int | None = None
    board: int | None = None
    rotation: int | None = None


ANYWHERE = Where()


def why_in_record(source: Source, step: int, where: Where = ANYWHERE, bot: str | None = None) -> Why:
    """
    Estimate what each choice of one decision was worth, from what its seat knew.

    Args:
        source: The record of a match, finished or not.
        step: The place of the decision among the steps of the deal, from 1.
        where: The deal.
        bot: Whose decision it should be, by its name or number; None: whoever's it is.

    Raises:
        RecordError: If the file cannot be read.
        UserError: If the deal is not exactly one, the step is not there, was forced, is another bot's, or has too many
            choices.
    """
    recorded = read_match(source)
    number = None if bot is None else bot_in(recorded, bot, source)
    line = _one_deal(recorded, source, where)
    try:
        with understanding(source):
            decision = decision_at(recorded, line, step)
            if number not in (None, decision.bot):
                raise NoDecision(f"step {step} of {line.name} is a decision of {decision.name}, not of {bot}")
            return why_of(decision, source.word)
    except NoDecision as error:
        raise UserError(f"{source.name}: {error}.") from None
    except TooManyChoices as error:
        raise UserError(f"{source.name}: there is no estimate of step {step} of {line.name}: {error}.") from None


def dearest_in_record(
    source: Source,
    bot: str,
    worst: int = 5,
    where: Where = ANYWHERE,
    advance: Callable[[], None] = lambda: None,
) -> Dearest:
    """
    Find the decisions of a bot that cost it most, by estimate.

    Args:
        source: The record of a match, finished or not.
        bot: The bot, by its name or number.
        worst: How many decisions to give at most.
        where: Only these deals.
        advance: Called after each deal of the record that has been looked at.

    Raises:
        RecordError: If the file cannot be read.
        UserError: If there is no such bot, or no such deal.
    """
    recorded = read_match(source)
    number = bot_in(recorded, bot, source)
    lines = deals_in(recorded, source, *where)
    look = first_look(recorded, source, {number}, lines, advance)
    return Dearest(
        source=source.word,
        bot=recorded.first.bots[number],
        decisions=look.decisions,
        not_estimated=look.not_estimated,
        dearest=tuple(dearest_of(look.candidates(source.word), worst)),
    )


class FirstLook(NamedTuple):
    """The decisions of some bots in a match, each with what it cost by an estimate with few deals."""

    costs: list[tuple[float, RecordedDecision]]
    not_estimated: int
    """How many decisions have too many choices."""

    @property
    def decisions(self) -> int:
        """How many decisions there are."""
        return len(self.costs) + self.not_estimated

    def candidates(self, source: str) -> list[tuple[float, RecordedDecision, str]]:
        """What `dearest_of` takes; *source* is the match, as people name it."""
        return [(cost, decision, source) for cost, decision in self.costs]


def first_look(
    recorded: Recorded,
    source: Source,
    bots: Collection[int],
    lines: Iterable[DealLine],
    advance: Callable[[], None] = lambda: None,
) -> FirstLook:
    """Estimate all decisions with a choice that some bots, by their numbers, were asked for, with few deals."""
    costs, left_out = [], 0
    with understanding(source):
        for line in lines:
            for decision in unforced(recorded, [line], bots):
                cost = first_cost(decision)
                if cost is None:
                    left_out += 1
                else:
                    costs.append((cost, decision))
            advance()
    return FirstLook(costs, left_out)


def _one_deal(recorded: Recorded, source: Source, where: Where) -> DealLine:
    lines = deals_in(recorded, source, *where)
    if len(lines) > 1:
        names = "--deal" if lines[0].board is None else "--board and --rotation"
        raise UserError(f"{source.name} has {len(lines)} such deals. Name the one of the step with {names}.")
    return lines[0]
