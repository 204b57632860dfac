"""
The worth of the decisions of a record, by a model's estimate, for commands.

A command names deals and bots of a record; they are found here.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from ladder.errors import BotRejected, UserError
from ladder.matches.estimate import TooManyChoices, check_choices
from ladder.matches.why import costliest_of, first_look, rerun_line, why_of
from ladder.sandbox.bots.bot_source import find_bot
from ladder.values.why import Costliest
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.recorded import BadRecord, Recorded
from referee.replay.deal_replay import NoDecision, decision_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Self

    from ladder.values.why import Why
    from referee.records.lines import DealLine
    from referee.records.recorded import Deals
    from referee.replay.deal_replay import RecordedDecision


class Where(NamedTuple):
    """A choice of deals of a match, by numbers from 1; None: any. Only boards have rotations."""

    deal: int | None = None
    board: int | None = None
    rotation: int | None = None

    def __str__(self) -> str:
        return " ".join(f"--{name} {number}" for name, number in self._asdict().items() if number is not None)


ANYWHERE = Where()


class Source(NamedTuple):
    """A record, and how people call it."""

    path: Path
    word: str
    """In commands: the number of a match of the ladder, or the path."""
    name: str
    """In messages."""

    @classmethod
    def of(cls, path: Path, match: str = "") -> Self:
        """Name a file, or the record of a match of the ladder, whose number *match* then is; messages hide its path."""
        return cls(path, match, f"match {match}") if match else cls(path, str(path), repr(str(path)))

    @classmethod
    def piped(cls, path: Path) -> Self:
        """Name a file that holds what came on standard input."""
        return cls(path, "-", "standard input")


def read_match(source: Source) -> Recorded:
    """Read the record of a match, finished or not, that holds a deal at least."""
    with understanding(source):
        recorded = Recorded.of(read_record(source.path))
    if not recorded.deals:
        raise UserError(f"{source.name} holds no deal yet: a deal is written when it is over.")
    return recorded


@contextmanager
def understanding(source: Source) -> Iterator[None]:
    """Put into words why a record makes no sense, without a path that its user does not know."""
    try:
        yield
    except BadRecord as error:
        raise UserError(f"{source.name} cannot be replayed: {error}.") from None
    except RecordError as error:
        raise type(error)(str(error).replace(repr(str(source.path)), source.name)) from None


def bot_in(recorded: Recorded, word: str, source: Source) -> int:
    """Find the number of the bot that *word* names or numbers."""
    try:
        return recorded.bot(word)
    except ValueError as error:
        raise UserError(f"{source.name}: {error}.") from None


def deals_in(recorded: Recorded, source: Source, where: Where) -> Deals:
    """Choose deals by what is given of their numbers; there is one at least."""
    found = recorded.deals.where(*where)
    if not found:
        raise UserError(f"{source.name} has no deal for {where}; it holds {_extent(recorded)}.")
    return found


def _extent(recorded: Recorded) -> str:
    last = recorded.deals[-1]
    if last.board is None:
        return f"the deals 1 to {last.deal + 1}"
    return f"the boards 1 to {last.board + 1}, rotations 1 to {max(line.rotation or 0 for line in recorded.deals) + 1}"


def why_in_record(source: Source, step: int, where: Where = ANYWHERE, bot: str | None = None) -> Why:
    """
    Estimate what each choice of one decision was worth, from what its seat knew.

    Args:
        source: The record of a match, finished or not.
        step: The place of the decision among the steps of the deal, from 1.
        where: The deal.
        bot: The name or number of the bot that must have made the decision; None: any bot.

    Raises:
        RecordError: If the file cannot be read.
        UserError: If the deal is not exactly one, the step is not there, was forced, is another bot's, or has too many
            choices.
    """
    decision = decision_in_record(source, read_match(source), step, where, bot)
    return _with_bot(why_of(decision, source.word))


def decision_in_record(
    source: Source, recorded: Recorded, step: int, where: Where = ANYWHERE, bot: str | None = None
) -> RecordedDecision:
    """
    Find one decision that can be estimated; nothing is simulated.

    Raises:
        UserError: As `why_in_record`.
    """
    number = None if bot is None else bot_in(recorded, bot, source)
    line = _one_deal(recorded, source, where)
    try:
        with understanding(source):
            decision = decision_at(recorded, line, step)
            if number not in (None, decision.bot):
                raise NoDecision(f"step {step} of {line.name} is a decision of {decision.name}, not of {bot}")
            check_choices(decision.view())
            return decision
    except NoDecision as error:
        raise UserError(f"{source.name}: {error}.") from None
    except TooManyChoices as error:
        raise UserError(f"{source.name}: there is no estimate of step {step} of {line.name}: {error}.") from None


def costliest_in_record(
    source: Source,
    bot: str,
    worst: int = 5,
    where: Where = ANYWHERE,
    advance: Callable[[], None] = lambda: None,
) -> Costliest:
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
    lines = deals_in(recorded, source, where)
    with understanding(source):
        look = first_look(recorded, lines, {number}, advance)
    return Costliest(
        source=source.word,
        bot=recorded.first.bots[number],
        decisions=look.decisions,
        not_estimated=look.not_estimated,
        costliest=tuple(map(_with_bot, costliest_of(look.candidates(source.word), worst))),
    )


def _with_bot(found: Why) -> Why:
    """Name the bot in the command to rerun, if this folder or the sample bots have one of its name."""
    name = found.bot.partition("#")[0]
    for word in (f"./{name}", name):
        with suppress(UserError, BotRejected, OSError):
            if find_bot(word).folder is not None:
                return found.model_copy(update={"rerun": rerun_line(found.source, found.bot, found.place, word)})
    return found


def _one_deal(recorded: Recorded, source: Source, where: Where) -> DealLine:
    lines = deals_in(recorded, source, where)
    if len(lines) > 1:
        names = "--deal" if lines[0].board is None else "--board and --rotation"
        raise UserError(f"{source.name} has {len(lines)} such deals. Name the one of the step with {names}.")
    return lines[0]
