"""C-9 for spectators: what they see of a deal is what everybody at the table sees, and no hand."""

from __future__ import annotations

import pytest

from pigpen.rules import PRESETS, Rules
from pigpen.values.notices import DealResult
from referee.records.lines import DealLine, Step
from referee.records.recorded import Recorded
from referee.records.steps import kind_and_words
from referee.replay.deal_replay import DealReplay
from referee.replay.public_deal import PublicDeal
from referee.replay.table_view import view_table
from tests.referee.bots import showy_seats
from tests.referee.recorded import match_lines
from tests.rules.table import named

every_preset = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)


def answers(line: DealLine) -> list[list[Step]]:
    """The steps, those of a sealed question together."""
    found: list[list[Step]] = []
    for step in line.steps:
        kind, _ = kind_and_words(step)
        if found and kind in ("pass", "expose") and kind_and_words(found[-1][0])[0] == kind:
            found[-1].append(step)
        else:
            found.append([step])
    return found


@every_preset
def test_a_spectator_sees_the_trick_and_the_points_and_nobodys_hand(rules: Rules) -> None:
    match = Recorded.of(match_lines(rules.name, "deals:2", showy_seats))
    for line in match.deals:
        replay = DealReplay(match.rules, match.first, line)
        public = PublicDeal(match.rules, line.deal, replay.totals_before)
        played: set[str] = set()
        for place, steps in enumerate(answers(line), 1):
            public.take(steps)
            played |= {step.play for step in steps if step.play}
            moment = public.moment()
            views = [view_table(replay, place, (seat,)) for seat in range(rules.players)]
            assert moment.plays == views[0].plays
            assert moment.trick == views[0].trick
            for seat, viewed in enumerate(moment.seats):
                outside = [view.seats[seat] for view in views if view is not views[seat]]
                assert all(viewed.exposed == each.exposed for each in outside)
                shown = set(viewed.hand)
                assert shown <= set(viewed.exposed)
                assert all(shown <= set(each.hand) for each in outside)
                assert viewed.unknown + len(shown) == rules.hand_size - sum(
                    step.play is not None and step.seat == seat for group in answers(line)[:place] for step in group
                )
                assert (viewed.passed, viewed.received, viewed.legal) == ((), (), ())
        result = DealResult(line.deal, 0, line.scores, line.totals)
        assert public.moment(result).scores == line.scores
