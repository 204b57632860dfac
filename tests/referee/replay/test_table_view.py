"""Views of a moment: everything, or the knowledge of one seat, which is what a table in play shows from there."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pigpen import View
from pigpen.rules import PRESETS, Card, Face, Phase, cards_in, mask_of
from pigpen.values.notices import DealResult
from referee.records.recorded import Recorded
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import TableMoment, replayed_deal, seat_table, turn_of, view_table
from tests.referee.bots import moon_lines, showy_seats
from tests.referee.recorded import faulty_seats, match_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pigpen.rules import Deal, Rules
    from referee.seats.seat import Seat


def without_news(table: TableMoment) -> TableMoment:
    """Without who decided, and what only a replay can know of points: the moon is chosen later."""
    seats = tuple(viewed.model_copy(update={"points": 0}) for viewed in table.seats)
    return table.model_copy(update={"steps": (), "seats": seats})


@pytest.mark.parametrize("name", PRESETS)
def test_a_seat_sees_what_a_replay_shows_from_it(name: str) -> None:
    recorded = Recorded.of(match_lines(name, "deals:1"))
    deal = DealReplay(recorded.rules, recorded.first, recorded.deals[0])
    players = recorded.rules.players
    for place, moment in enumerate(deal.moments[:-1]):
        for seat in range(players):
            view = View(*moment.deal.known_to(seat), totals=deal.totals_before)
            shown = seat_table(view)
            assert without_news(shown) == without_news(view_table(deal, place, (seat,)))
            if moment.deal.phase.name in ("PLAY", "MOON"):
                assert turn_of(view) == moment.deal.turn


def test_the_end_of_a_deal_shows_its_result() -> None:
    rules: Rules = PRESETS["hearts"]
    recorded = Recorded.of(match_lines(rules.name, "deals:1"))
    deal = DealReplay(recorded.rules, recorded.first, recorded.deals[0])
    result = DealResult(0, 0, deal.line.scores, deal.line.totals)
    view = View(*deal.moments[-1].deal.known_to(0), totals=deal.totals_before)
    shown = seat_table(view, result)
    assert (shown.scores, shown.totals) == (deal.line.scores, deal.line.totals)
    assert turn_of(view) is None


def replay_of(rules: str, make_seats: Callable[[int], list[Seat]] = showy_seats) -> DealReplay:
    recorded = Recorded.of(match_lines(rules, "deals:1", make_seats))
    return DealReplay(recorded.rules, recorded.first, recorded.deals[0])


def table_views(replay: DealReplay, seen_from: tuple[int, ...] | None = None) -> list[TableMoment]:
    return [view_table(replay, place, seen_from) for place in range(len(replay.moments))]


@pytest.fixture(scope="module", params=PRESETS)
def replay(request: pytest.FixtureRequest) -> DealReplay:
    return replay_of(request.param)


def test_all_hands_are_open_when_all_look(replay: DealReplay) -> None:
    for now, moment in zip(table_views(replay), replay.moments, strict=True):
        assert [mask_of(viewed.hand) for viewed in now.seats] == moment.deal.hands
        assert [viewed.unknown for viewed in now.seats] == [0] * replay.rules.players
        assert tuple(viewed.points for viewed in now.seats) == moment.deal.points()
        assert tuple(seat for seat, viewed in enumerate(now.seats) if viewed.asked) == moment.deal.to_act


def test_from_a_seat_one_sees_ones_own_hand_and_how_many_cards_the_others_hold(replay: DealReplay) -> None:
    for now, moment in zip(table_views(replay, (1,)), replay.moments, strict=True):
        assert mask_of(now.seats[1].hand) == moment.deal.hands[1]
        assert now.seats[1].unknown == 0
        for viewed, hand in zip(now.seats, moment.deal.hands, strict=True):
            assert len(viewed.hand) + viewed.unknown == hand.bit_count()
    assert [replayed_deal(replay, 1).is_open(seat) for seat in range(3)] == [False, True, False]
    assert [replayed_deal(replay).is_open(seat) for seat in range(3)] == [True, True, True]


def hidden_swaps(deal: Deal, seat: int) -> Iterator[tuple[int, int, int]]:
    """Pairs of other seats, with the cards that they could have the other way round for all that *seat* knows."""
    known = deal.view(seat)
    others = [other for other in range(deal.rules.players) if other != seat]
    free = {other: cards_in(deal.hands[other] & ~known.held_by(other) & ~secret(deal)) for other in others}
    for one, two in pairwise(others):
        if free[one] and free[two]:
            yield one, two, free[one][0].mask | free[two][-1].mask


def secret(deal: Deal) -> int:
    """Cards that lie face down: the hands that hold them are not the place to swap them."""
    return mask_of(shown.card for shown in deal.exposures if shown.face is Face.DOWN)


def test_a_scene_from_a_seat_is_the_same_whatever_the_others_hold_that_it_cannot_know(replay: DealReplay) -> None:
    tried = 0
    for place, moment in enumerate(replay.moments):
        for seat in (0, replay.rules.players - 1):
            for one, two, swapped in hidden_swaps(moment.deal, seat):
                other = moment.deal.copy()
                other.hands[one] ^= swapped
                other.hands[two] ^= swapped
                twin = copy.copy(replay)
                twin.moments = (*replay.moments[:place], replace(moment, deal=other), *replay.moments[place + 1 :])
                assert view_table(twin, place, (seat,)) == view_table(replay, place, (seat,))
                assert view_table(twin, place) != view_table(replay, place)
                tried += 1
    assert tried > 100


def test_passed_cards_are_known_to_who_gave_and_who_got_them() -> None:
    replay = replay_of("hearts")
    now, everything = view_table(replay, 1, (1,)), view_table(replay, 1)
    assert [bool(viewed.passed) for viewed in now.seats] == [True, True, False, False]
    assert [bool(viewed.received) for viewed in now.seats] == [False, True, True, False]
    assert now.seats[1].received == now.seats[0].passed == everything.seats[0].passed
    assert set(now.seats[2].hand) == set(now.seats[1].passed)
    assert [replayed_deal(replay, 1).receiver(seat) for seat in range(4)] == [1, 2, 3, 0]
    assert [len(viewed.passed) for viewed in everything.seats] == [3, 3, 3, 3]


def test_a_card_put_face_down_is_known_to_its_owner_alone_until_it_is_played() -> None:
    replay = replay_of("gongzhu-sale")
    owner, card = next(
        (shown.seat, shown.card) for shown in replay.moments[1].deal.exposures if shown.face is Face.DOWN
    )
    other = (owner + 1) % 4
    for place, moment in enumerate(replay.moments[1:], 1):
        now = view_table(replay, place, (other,)).seats[owner]
        played = bool(mask_of(moment.deal.plays) & card.mask)
        assert (card in now.exposed) == played
        assert (now.hidden == 0) == played
        assert view_table(replay, place, (owner,)).seats[owner].exposed[card] is Face.DOWN


def test_nobody_learns_from_a_seat_who_else_was_asked_to_expose() -> None:
    replay = replay_of("gongzhu")
    assert replay.moments[0].deal.phase is Phase.EXPOSE
    assert len(replay.moments[0].deal.to_act) > 1
    seat = replay.moments[0].deal.to_act[0]
    assert [viewed.asked for viewed in view_table(replay, 0, (seat,)).seats] == [each == seat for each in range(4)]
    assert [last.seat for last in view_table(replay, 1, (seat,)).steps] == [seat]


def test_who_decided_for_a_seat_and_how_long_it_took_is_seen_from_its_own_seat_alone() -> None:
    replay = replay_of("hearts", faulty_seats)
    place = next(place for place, moment in enumerate(replay.moments) if "default:malformed" in str(moment.done))
    everything = [last for last in view_table(replay, place).steps if last.seat == 0]
    assert [(last.by, last.why) for last in everything] == [("default:malformed", "it cannot be read")]
    assert view_table(replay, place, (0,)).steps == tuple(
        last.model_copy(update={"number": None}) for last in everything
    )
    plays = [
        place
        for place, moment in enumerate(replay.moments)
        if moment.done and moment.done[0][0].play and moment.done[0][0].seat == 0
    ]
    (last,) = view_table(replay, plays[0], (2,)).steps
    assert (last.seat, last.by, last.why, last.took_ms) == (0, "", "", None)


def test_a_trick_stays_on_the_table_until_the_next_lead() -> None:
    replay = replay_of("hearts")
    end = replay.stops[2]
    full, next_lead = view_table(replay, end), view_table(replay, end + 1)
    assert (len(full.plays), full.trick, len(next_lead.plays), next_lead.trick) == (4, 1, 1, 2)
    assert full.winning is not None
    assert full.winner == full.winning == next_lead.plays[0].seat
    assert next_lead.winner is None
    assert next_lead.winning == next_lead.leader == next_lead.plays[0].seat
    first = view_table(replay, 0)
    assert (first.plays, first.trick, first.winning) == ((), 0, None)


def test_only_the_result_shows_scores_and_totals_with_them() -> None:
    recorded = Recorded.of(match_lines("hearts", "deals:2"))
    replay = DealReplay(recorded.rules, recorded.first, recorded.deals[1])
    seen = table_views(replay)
    assert {now.scores for now in seen[:-1]} == {None}
    assert {now.totals for now in seen[:-1]} == {recorded.deals[0].totals}
    assert (seen[-1].scores, seen[-1].totals) == (recorded.deals[1].scores, recorded.deals[1].totals)


def test_the_cards_taken_that_count_lie_before_their_taker() -> None:
    last = table_views(replay_of("gongzhu"))[-1]
    taken = [card for viewed in last.seats for card in viewed.taken]
    assert sorted(taken) == [Card.parse("TC"), Card.parse("JD"), *cards_in(0x1FFF << 26), Card.parse("QS")]


def test_a_moon_choice_is_news_only_from_the_shooters_seat() -> None:
    recorded = Recorded.of(moon_lines())
    replay = DealReplay(recorded.rules, recorded.first, recorded.deals[2])
    place = len(replay.moments) - 2
    assert [last.action for last in view_table(replay, place).steps] == ["add"]
    shooter = view_table(replay, place).steps[0].seat
    assert view_table(replay, place, ((shooter + 1) % 4,)).steps == ()
    assert view_table(replay, place).seats[shooter].points == 0


def test_a_moment_is_read_from_its_json_and_from_the_values_in_it(replay: DealReplay) -> None:
    for place in (0, 1, len(replay.moments) // 2, len(replay.moments) - 1):
        for seen_from in (None, (1,)):
            now = view_table(replay, place, seen_from)
            assert TableMoment.model_validate_json(now.model_dump_json()) == now
            assert TableMoment.model_validate(json.loads(now.model_dump_json())) == now
            assert TableMoment.model_validate(now.model_dump()) == now
