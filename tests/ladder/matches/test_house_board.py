"""House bots at today's board: every one from the same chair, always with the same result."""

from __future__ import annotations

import pytest

from ladder.matches.opinion import house_board
from ladder.people.boards.daily_board import FORMAT, HOUSE, OPPONENT
from pigpen.rules import PRESETS
from referee.match.formats import Format
from referee.records.lines import to_json, without_times
from referee.records.recorded import Recorded

pytestmark = pytest.mark.usefixtures("few_playouts")


@pytest.mark.parametrize("rules", ["hearts", pytest.param("gongzhu-five", marks=pytest.mark.long)])
def test_a_house_bot_does_the_same_with_the_same_cards(rules: str) -> None:
    variant = PRESETS[rules]
    for name in HOUSE:
        bots = (name, *(OPPONENT,) * (variant.players - 1))
        one, again = (Recorded.of(house_board(variant, Format.parse(FORMAT), bytes(32), bots)) for _ in range(2))
        assert without_times([to_json(one.deals[0])]) == without_times([to_json(again.deals[0])])
        assert one.deals[0].seats is not None
        assert one.deals[0].seats[0] == 0
        assert {step.by for step in one.deals[0].steps} <= {"bot", "forced"}
