"""
A person's own part in a game: the decisions that it made itself, and those that the policy made in its name.

A game belongs to the person who played it. If the policy has made more than half of its decisions, or all of those of a
deal, the person was absent: the game is in no list, no comparison and no rating of that person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.records.recorded import seats_of
from referee.records.steps import BY_BOT, BY_FORCED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.match.formats import MatchSpec
    from referee.records.lines import DealLine, Step


def was_absent(deals: Iterable[DealLine], chair: int) -> bool:
    """
    Tell whether the policy has played most of a game for a person.

    Args:
        deals: Those of the game that was played.
        chair: The person's number in the record.
    """
    parts = [_part(line.steps, seats_of(line).index(chair)) for line in deals]
    own, by_policy = (sum(each) for each in zip((0, 0), *parts, strict=True))
    return by_policy > own or any(each[1] and not each[0] for each in parts)


def has_decided(spec: MatchSpec, deal: int, steps: Iterable[Step]) -> bool:
    """Tell whether a person of a match at one table has decided something itself, by some steps of a deal."""
    (number,) = spec.format.table_numbers(spec.rules)
    seats = spec.format.seats(spec.rules, spec.seed, number, deal)
    return any(step.by == BY_BOT and seats[step.seat] in spec.people for step in steps)


def _part(steps: Sequence[Step], seat: int) -> tuple[int, int]:
    """Count the decisions of a seat in a deal: its own, and the policy's."""
    made = [step.by for step in steps if step.seat == seat and step.by != BY_FORCED]
    own = made.count(BY_BOT)
    return own, len(made) - own
