"""The order for a table like one that has been played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.overview import rules_of
from ladder.errors import LadderError
from ladder.values.people import ChairKind, ChairOrder, TableOrder

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.people import TableState


def same_order(ladder: Ladder, state: TableState) -> TableOrder:
    """Order a table with the same rules, chairs and clock, and new cards."""
    try:
        is_own = rules_of(ladder, state.variant).to_plain() != state.rules
    except LadderError:
        is_own = True
    return TableOrder(
        variant=state.variant,
        rules=state.rules if is_own else None,
        chairs=tuple(
            ChairOrder(kind=each.kind, name="" if each.kind is ChairKind.PERSON else each.name) for each in state.chairs
        ),
        format="deals:1" if state.format.startswith("board:") else state.format,
        seconds=state.seconds,
        pace=state.pace,
        practice=state.practice,
    )
