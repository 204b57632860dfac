"""A seat's view of a table that is played is the view that a replay shows from that seat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pigpen import View
from pigpen.rules import PRESETS
from pigpen.values.notices import DealResult
from referee.records.recorded import Recorded
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import TableView, seat_table, turn_of, view_table
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from pigpen.rules import Rules


def without_news(table: TableView) -> TableView:
    """Without who decided, and what only a replay can know of points: the moon is chosen later."""
    seats = tuple(replace(viewed, points=0) for viewed in table.seats)
    return replace(table, last_actions=(), seats=seats)


@pytest.mark.parametrize("name", PRESETS)
def test_a_seat_sees_what_a_replay_shows_from_it(name: str) -> None:
    recorded = Recorded.of(match_lines(name, "deals:1"))
    deal = DealReplay(recorded.rules, recorded.first, recorded.deals[0])
    players = recorded.rules.players
    for place, moment in enumerate(deal.moments[:-1]):
        for seat in range(players):
            view = View(*moment.deal.known_to(seat), totals=deal.totals_before)
            shown = seat_table(view, deal.bots)
            assert without_news(shown) == without_news(view_table(deal, place, (seat,)))
            if moment.deal.phase.name in ("PLAY", "MOON"):
                assert turn_of(view) == moment.deal.turn


def test_the_end_of_a_deal_shows_its_result() -> None:
    rules: Rules = PRESETS["hearts"]
    recorded = Recorded.of(match_lines(rules.name, "deals:1"))
    deal = DealReplay(recorded.rules, recorded.first, recorded.deals[0])
    result = DealResult(0, 0, deal.line.scores, deal.line.totals)
    view = View(*deal.moments[-1].deal.known_to(0), totals=deal.totals_before)
    shown = seat_table(view, deal.bots, result)
    assert (shown.scores, shown.totals) == (deal.line.scores, deal.line.totals)
    assert turn_of(view) is None
