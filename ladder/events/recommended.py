"""The recommended format for a number of entrants and deals, and a file that describes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.events.designs import round_robin_rounds
from ladder.events.legs import sides_of
from ladder.values.events import MAX_BOARDS, MAX_ENTRANTS, Event, Stage

if TYPE_CHECKING:
    from pigpen.rules import Rules

ALL_MEET = 16
"""Up to this number of entrants a round robin is recommended; above, rounds without a rematch, then halving."""
LONGEST = 21
"""Rounds of a round robin at most."""
ROUNDS, FIRST_ROUNDS = 3, 0.3
"""Rounds before the first halving, and their share of the deals before the final."""


def recommended_stages(rules: Rules, entrants: int, deals: int) -> tuple[Stage, ...]:
    """
    Give the recommended stages, with about *deals* deals in all, half of them in the final.

    Up to 16 entrants: a round robin, then a final. Above: rounds without a rematch, halving down to one table, and a
    final.
    """
    sides = sides_of(rules)
    filled = -(-entrants // sides) * sides
    tables = filled // sides
    half = max(1, deals // 2 // rules.players)  # boards
    if entrants <= sides:
        return (Stage(name="Final", kind="final", take=sides, format=_format(deals // rules.players)),)
    final = Stage(name="Final", kind="final", take=sides, deals="half")
    if entrants <= ALL_MEET:
        rounds = min(round_robin_rounds(filled, sides), LONGEST)
        own = None if rounds == round_robin_rounds(filled, sides) else rounds
        return (
            Stage(name="Round robin", kind="round-robin", rounds=own, format=_format(half / (rounds * tables))),
            final,
        )
    sizes = [entrants]
    while sizes[-1] > sides:
        sizes.append(max(sides, -(-sizes[-1] // 2)))
    halved = sum(-(-size // sides) for size in sizes[:-1])
    first = FIRST_ROUNDS * half / (ROUNDS * tables)
    second = (1 - FIRST_ROUNDS) * half / halved
    return (
        Stage(name="Rounds", kind="round-robin", rounds=ROUNDS, format=_format(first)),
        Stage(name="Halving", kind="halving", until=sides, format=_format(second), carry=True, standings="performance"),
        final,
    )


def _format(boards: float) -> str:
    """Write the format with that number of boards, or the nearest one that a match can have."""
    return f"boards:{min(max(1, round(boards)), MAX_BOARDS)}"


def recommended_event(rules: Rules, entrants: int, deals: int) -> Event:
    """Give an event with the recommended stages."""
    return Event(
        name="Recommended",
        variant=rules.name,
        entrants=(entrants, entrants),
        stages=recommended_stages(rules, entrants, deals),
    )


def new_file(rules: Rules, entrants: int, deals: int) -> str:
    """
    Write the file of an event in the recommended format.

    Raises:
        UserError: If no event can have that many entrants.
    """
    if not 2 <= entrants <= MAX_ENTRANTS:
        raise UserError(f"An event has 2 to {MAX_ENTRANTS} entrants, not {entrants}.")
    parts = [HEAD.format(variant=json.dumps(rules.name), fewest=min(4, entrants), most=entrants)]
    parts += [_stage_text(stage) for stage in recommended_stages(rules, entrants, deals)]
    return "\n".join(parts)


def _stage_text(stage: Stage) -> str:
    plain = stage.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    return "[[stage]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in plain.items())


HEAD = """\
# An event; docs/events.md explains every field. Check it with: pigpen event check FILE
[event]
name = "My event"
variant = {variant}
entrants = [{fewest}, {most}]       # fewest and most
per_owner = 1
seeding = "lot"            # or "rating", or names in order
# starts = 2026-12-05T19:00:00Z
# ends = 2026-12-05T23:00:00Z
stand_in = "counting"      # the house bot that fills tables; it is never ranked
"""
