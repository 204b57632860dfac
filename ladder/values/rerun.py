"""Differences between the decisions of a bot and those of a recorded one."""

from __future__ import annotations

from ladder.values.value import Value


class Difference(Value):
    """One decision; cards by name: `QS`."""

    place: str
    """The deal, as people call it."""
    deal: int
    """Number of the deal, or of the board if there are boards; from 1, as the next two."""
    board: int | None
    """None in a match without boards, as `rotation`."""
    rotation: int | None
    seat: int
    decision: int
    at: str
    """`pass`, `expose`, `moon`, or the trick."""
    hand: tuple[str, ...]
    on_the_table: tuple[str, ...]
    may_choose: tuple[str, ...]
    then: str
    """The recorded action, as the record says it."""
    by: str
    """`bot`, or `default:` and a verdict code."""
    now: str
    """The action of the other bot; empty where it gives no answer that can be read."""
    verdict: str
    """The other bot's fault; empty without one."""
    why: str
    trick_points: int | None
    """Points that the trick brought the seat then; None where the question was not about a card."""
    then_ms: float
    now_ms: float


class RerunResult(Value):
    """Result of the questions to the other bot."""

    recorded: str
    """The name of the recorded bot."""
    bot: str
    """The name of the other one."""
    decisions: int
    """That it was asked for."""
    forced: int
    """Actions of the recorded bot that were the only legal ones: neither bot was asked for them."""
    differ: int
    at_fault: int
    untried: int
    """Questions that were not put, because the bot had ended too often."""
    differences: tuple[Difference, ...]
    """The first ones."""
    output: str
    """The end of what the last instance at fault wrote."""
