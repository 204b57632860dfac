"""
Replay of a recorded deal through the engine, so that it can be looked at after each of its moments.

A `Cursor` is a position in a recorded match, and moves. A `RecordedDecision` is what its seat knew, what it did, and
the cards as they lay.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pigpen.rules import Deal, Phase
from pigpen.rules.cards import parse_cards
from pigpen.rules.errors import PigpenError
from pigpen.rules.shuffle import derived_number
from pigpen.values.view import View
from referee.records.recorded import BadRecord, seats_of
from referee.records.steps import action_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.rules import Action, Rules
    from referee.records.lines import DealLine, MatchLine, Step
    from referee.records.recorded import Recorded


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after something has happened."""

    deal: Deal
    """The state; copy it to continue the deal from here."""
    done: tuple[tuple[Step, float, float | None], ...] = ()
    """
    Steps just done: a card, a moon choice, or all answers to a sealed question.

    Each step comes with its seconds by the referee's clock and of CPU time, as in `DealLine.timed_steps`.
    """
    unasked: tuple[float | None, ...] = ()
    """For each of these steps, seconds of CPU time that the bot had used before it was asked, as `DealLine.unasked`."""

    @property
    def ends_trick(self) -> bool:
        """True if the card just played was the last one of a trick."""
        return bool(self.done) and self.done[0][0].play is not None and not len(self.deal.plays) % len(self.deal.hands)


class DealReplay:
    """
    One recorded deal.

    Attributes:
        line: What the record says of it.
        bots: Name of the bot in each seat.
        moments: The cards dealt, then every sealed question answered, every card played, the moon choice; the last one
            is the result: nothing has happened since the one before.
    """

    def __init__(self, rules: Rules, first: MatchLine, line: DealLine) -> None:
        """
        Play a deal again.

        Args:
            rules: The variant.
            first: The match.
            line: The deal.

        Raises:
            BadRecord: If what was played breaks the rules; the message says where.
        """
        self.rules = rules
        self.line = line
        try:
            self.bots = tuple(first.bots[bot] for bot in seats_of(line))
            self.moments = tuple(_moments(rules, line, leader_of(rules, first, line)))
        except (ValueError, IndexError) as error:
            raise BadRecord(f"{line.name}: {error}") from None

    def is_result(self, moment: int) -> bool:
        """Tell whether *moment*, a place in `moments`, is the last one."""
        return moment == len(self.moments) - 1

    @property
    def totals_before(self) -> tuple[int, ...]:
        """Total of the bot in each seat before this deal."""
        return tuple(total - score for total, score in zip(self.line.totals, self.line.scores, strict=True))

    @property
    def stops(self) -> tuple[int, ...]:
        """Give the moments to stop at by tricks: those before the first card, each full trick, the result."""
        return tuple(
            place
            for place, moment in enumerate(self.moments)
            if not moment.deal.plays or moment.ends_trick or self.is_result(place)
        )


def _moments(rules: Rules, line: DealLine, leader: int | None) -> Iterator[Moment]:
    deal = Deal(rules, [parse_cards(hand.split()) for hand in line.hands], number=line.deal, leader=leader)
    yield Moment(deal.copy())
    steps, unasked = list(line.timed_steps()), line.unasked()
    while not deal.is_over:
        now, steps = steps[: len(deal.to_act)], steps[len(deal.to_act) :]
        if not now:
            raise ValueError("it ends in the middle")
        for step, _, _ in now:
            deal.apply(step.seat, action_of(step))
        end = len(line.steps) - len(steps)
        yield Moment(deal.copy(), tuple(now), unasked[end - len(now) : end])
    if steps:
        raise ValueError("it has steps after its end")
    yield Moment(deal)


def leader_of(rules: Rules, first: MatchLine, line: DealLine) -> int | None:
    """Say who led to the first trick for what was taken in the deal before, which is not looked at here."""
    if not rules.opening.later or first.format != "game" or not line.deal:
        return None
    return next((step.seat for step in line.steps if step.play is not None), None)


class Cursor:
    """
    Steps through the deals of a record; each way to move says whether it has moved.

    Attributes:
        recorded: The match.
        deal: Place of the deal in its `deals`.
        moment: Place of the moment in the deal's `DealReplay.moments`.
    """

    def __init__(self, recorded: Recorded, deal: int = 0) -> None:
        """
        Begin at the beginning of a deal.

        Raises:
            BadRecord: If what was played there breaks the rules; so do all ways to move.
        """
        self.recorded = recorded
        self.deal = deal
        self.moment = 0
        self._replay = self._load(deal)

    @property
    def replay(self) -> DealReplay:
        """The deal."""
        return self._replay

    def forward(self) -> bool:
        """Move by one moment, into the next deal if necessary."""
        if self._replay.is_result(self.moment):
            return self.next_deal()
        self.moment += 1
        return True

    def back(self) -> bool:
        """Go back by one moment, into the deal before if necessary."""
        if self.moment:
            self.moment -= 1
            return True
        return self.previous_deal() and self.last()

    def next_trick(self) -> bool:
        """Move to the end of the trick, or by one moment."""
        later = [stop for stop in self._replay.stops if stop > self.moment]
        return self._move(later[0]) if later else self.next_deal()

    def previous_trick(self) -> bool:
        """Go back to the end of the trick before, or by one moment."""
        earlier = [stop for stop in self._replay.stops if stop < self.moment]
        return self._move(earlier[-1]) if earlier else self.previous_deal() and self.last()

    def next_deal(self) -> bool:
        """Move to the beginning of the next deal."""
        return self.deal + 1 < len(self.recorded.deals) and self._open(self.deal + 1)

    def previous_deal(self) -> bool:
        """Go back to the beginning of the deal before."""
        return self.deal > 0 and self._open(self.deal - 1)

    def first(self) -> bool:
        """Go to the beginning of the deal."""
        return self._move(0)

    def last(self) -> bool:
        """Go to the result of the deal."""
        return self._move(len(self._replay.moments) - 1)

    def next_fault(self, bot: int | None = None) -> bool:
        """Move to the next fault of a bot, of *bot* if it is given."""
        ahead = self.moment + 1
        for deal in range(self.deal, len(self.recorded.deals)):
            line = self.recorded.deals[deal]
            seats = {seat for seat, number in enumerate(seats_of(line)) if bot in (None, number)}
            if any(_is_fault_of(step, seats) for step in line.steps):
                replay = self._replay if deal == self.deal else self._load(deal)
                for moment in range(ahead, len(replay.moments)):
                    if any(_is_fault_of(step, seats) for step, _, _ in replay.moments[moment].done):
                        self.deal, self._replay, self.moment = deal, replay, moment
                        return True
            ahead = 0
        return False

    def renew(self, recorded: Recorded) -> None:
        """
        Take a newer reading of the same record; the place stays where it is.

        Raises:
            BadRecord: If it is the record of another match.
        """
        names = [line.name for line in recorded.deals]
        if recorded.first != self.recorded.first or self._replay.line.name not in names:
            raise BadRecord("it holds another match now")
        self.deal = names.index(self._replay.line.name)
        self.recorded = recorded

    def _load(self, deal: int) -> DealReplay:
        return DealReplay(self.recorded.rules, self.recorded.first, self.recorded.deals[deal])

    def _open(self, deal: int) -> bool:
        self._replay = self._load(deal)
        self.deal, self.moment = deal, 0
        return True

    def _move(self, moment: int) -> bool:
        moved = moment != self.moment
        self.moment = moment
        return moved


def _is_fault_of(step: Step, seats: set[int]) -> bool:
    """Tell whether the step is a fault of one of *seats*."""
    return step.why is not None and step.seat in seats


PHASES = {Phase.PASS: "pass", Phase.EXPOSE: "expose", Phase.MOON: "moon"}
"""Names of the moments of a decision where no card is played."""


class NoDecision(PigpenError, ValueError):
    """A step of a record is not there, or left no choice; the message says which."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One action of a record that was not the only legal one."""

    line: DealLine
    """The deal."""
    number: int
    """Its place among the steps of the deal, from 1."""
    bot: int
    """The number of the bot whose action it is."""
    name: str
    """The name of that bot."""
    before: Deal
    """The deal before anything was decided at this moment, all hands open; copy it to continue it."""
    together: tuple[Step, ...]
    """Decisions of this moment, of all seats that were asked: one step for a card, several where sealed."""
    totals: tuple[int, ...]
    """Total of the bot in each seat before this deal."""
    commitment: str
    """That of the match."""

    @property
    def step(self) -> Step:
        """The step of the action."""
        return self.line.steps[self.number - 1]

    @property
    def seat(self) -> int:
        """The seat whose action it is."""
        return self.step.seat

    @property
    def chosen(self) -> str:
        """The action, as the record writes it."""
        return words_of(action_of(self.step))[1]

    @property
    def at(self) -> str:
        """`pass`, `expose`, `moon`, or the trick, counted from 1."""
        tricks = len(self.before.plays) // self.before.rules.players
        return PHASES.get(self.before.phase) or f"trick {tricks + 1}"

    def seed(self, purpose: str) -> int:
        """
        Derive 64 bits for random numbers, from the commitment of the match and the place of the decision alone.

        Neither the match seed nor a hidden card is in it. Different purposes give different numbers.
        """
        place = (self.line.deal, self.line.rotation or 0, self.number)
        return derived_number(f"why/{purpose}", self.commitment.encode(), *place)

    def view(self) -> View:
        """Give what the seat knew, as a fresh value; without the clock, and with a seed of `seed`."""
        return View(*self.before.known_to(self.seat), totals=self.totals, seed=self.seed("view"))

    def after(self, action: Action) -> Deal:
        """Give the cards as they lay, after *action* in place of the recorded one; others do here what they did."""
        deal = self.before.copy()
        for step in self.together:
            deal.apply(step.seat, action if step.seat == self.seat else action_of(step))
        return deal


def decisions(recorded: Recorded, line: DealLine, bot: int | None = None) -> Iterator[RecordedDecision]:
    """
    Give the decisions of a deal that left a choice, in order.

    Args:
        recorded: The match, finished or not.
        line: One of its deals.
        bot: Only those of the bot with this number.

    Raises:
        BadRecord: If the deal breaks the rules.
    """
    replay = DealReplay(recorded.rules, recorded.first, line)
    number, bots = 1, seats_of(line)
    for before, after in pairwise(replay.moments):
        together = tuple(step for step, _, _ in after.done)
        for place, step in enumerate(together):
            if bot in (None, bots[step.seat]) and not before.deal.is_forced(step.seat):
                yield RecordedDecision(
                    line, number + place, bots[step.seat], replay.bots[step.seat], before.deal, together,
                    replay.totals_before, recorded.first.commitment,
                )  # fmt: skip
        number += len(together)


def decision_at(recorded: Recorded, line: DealLine, number: int) -> RecordedDecision:
    """
    Find one decision of a deal.

    Args:
        recorded: The match, finished or not.
        line: One of its deals.
        number: The place of the decision among the steps of the deal, from 1.

    Raises:
        NoDecision: If there is no such step, or it was the only legal action.
        BadRecord: If the deal breaks the rules.
    """
    if not 1 <= number <= len(line.steps):
        raise NoDecision(f"{line.name} has no step {number}; its steps are 1 to {len(line.steps)}")
    found = next((each for each in decisions(recorded, line) if each.number == number), None)
    if found is None:
        _, words = words_of(action_of(line.steps[number - 1]))
        raise NoDecision(f"step {number} of {line.name} was forced: {words} was the only legal action")
    return found
