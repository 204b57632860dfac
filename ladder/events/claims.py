"""
Claims of formats, such as that no two meet twice, and the numbers of entrants with which they do not hold.

A format is written for a number of entrants, and its file admits others: a comment that is true of sixteen may be wrong
of twelve.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ladder.events.legs import exact_design, legs_of, sides_of, without_rematch
from ladder.values.events import MAX_BOARDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.events.legs import Leg
    from ladder.values.events import Event, Stage
    from pigpen.rules import Rules

EQUALLY = (
    "no design is known in which every two meet equally often: rounds are drawn one by one, so that as few as possible "
    "meet again"
)
AGAIN = "some must meet more than once: there are too few of them for that many rounds"
PERHAPS = "some may meet more than once: no design without that is known for them"
OWNERS = "some may meet more than once where an owner has several bots, which are kept apart first"
FEWER = "it has fewer than the {take} bots that it takes"
LEFT_OUT = "it is left out: there are no more bots than it ends with"
CAPPED = f"it has fewer deals than all stages before it together: a match has at most {MAX_BOARDS:,} boards"


def exceptions(event: Event, rules: Rules) -> tuple[str, ...]:
    """Say of each stage with which numbers of entrants it is not what its format is for others."""
    found = defaultdict[tuple[int, str], list[int]](list)
    for size in range(event.entrants[0], event.entrants[1] + 1):
        for number, why in _of_size(event, rules, size):
            found[number, why].append(size)
    return tuple(
        f"Stage {event.stages[number].name!r}: with {spans(sizes)} entrants {why}."
        for (number, why), sizes in sorted(found.items(), key=lambda each: each[0][0])
    )


def _of_size(event: Event, rules: Rules, size: int) -> Iterator[tuple[int, str]]:
    sides, before, played = sides_of(rules), 0, set[int]()
    for leg in legs_of(event, size, rules):
        stage = event.stages[leg.stage]
        if leg.first:
            played.add(leg.stage)
            if stage.take and leg.entrants < stage.take:
                yield leg.stage, FEWER.format(take=stage.take)
        if why := _meetings(leg, stage, sides, event.per_owner):
            yield leg.stage, why
        if stage.deals and before > MAX_BOARDS * rules.players:
            yield leg.stage, CAPPED
        before += leg.deals(rules)
    for number, stage in enumerate(event.stages):
        if stage.is_played(size) and number not in played:
            yield number, LEFT_OUT


def _meetings(leg: Leg, stage: Stage, sides: int, per_owner: int) -> str:
    """Say what is not so of the meetings of a leg; empty: all is as its kind of stage promises."""
    filled = leg.tables(sides) * sides
    if leg.kind == "round-robin" and stage.rounds is None:
        return "" if exact_design(filled, sides) else EQUALLY
    if leg.kind not in ("round-robin", "swiss") or leg.rounds == 1:
        return ""
    if leg.rounds * (sides - 1) > filled - 1:
        return AGAIN
    if leg.kind == "swiss":
        return ""
    exact = exact_design(filled, sides)
    is_whole = exact is not None and leg.rounds % len(exact) == 0
    if not is_whole and leg.rounds > len(without_rematch(filled, sides)):
        return PERHAPS
    return OWNERS if per_owner > 1 and not is_whole else ""


def spans(sizes: Sequence[int]) -> str:
    """
    Give numbers in words.

    >>> spans([4, 6, 7, 8, 12])
    '4, 6 to 8 and 12'
    """
    ends = [size for size in sizes if size + 1 not in sizes]
    starts = [size for size in sizes if size - 1 not in sizes]
    found = [str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True)]
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
