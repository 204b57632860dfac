"""A recorded deal, played again through the engine, so that it can be looked at after each of its moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules import Deal
from pigpen.rules.cards import parse_cards
from referee.records.recorded import BadRecord, seats_of
from referee.records.steps import action_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.rules import Rules
    from referee.records.lines import DealLine, MatchLine, Step


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
            self.moments = tuple(_moments(rules, line, _leader(rules, first, line)))
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


def _leader(rules: Rules, first: MatchLine, line: DealLine) -> int | None:
    """Say who led to the first trick for what was taken in the deal before, which is not looked at here."""
    if not rules.opening.later or first.format != "game" or not line.deal:
        return None
    return next((step.seat for step in line.steps if step.play is not None), None)
