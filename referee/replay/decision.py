"""One recorded decision: what its seat knew, what it did, and the cards as they lay."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pigpen.rules import Phase
from pigpen.rules.errors import PigpenError
from pigpen.rules.shuffle import derived_number
from pigpen.values.view import View
from referee.records.recorded import seats_of
from referee.records.steps import action_of, words_of
from referee.replay.deal_replay import DealReplay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.rules import Action, Deal
    from referee.records.lines import DealLine, Step
    from referee.records.recorded import Recorded

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
