"""Positions in two lines of text: they say what records say, and nothing that is against the rules."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Phase
from referee.records.recorded import Recorded
from referee.records.steps import words_of
from referee.replay.deal_replay import DealReplay
from referee.replay.position import BadPosition, Position
from referee.replay.table_view import view_table
from tests.for_two import FOR_TWO
from tests.referee.bots import showy_seats
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from pigpen.rules import Rules

GONGZHU, HEARTS = PRESETS["gongzhu"], PRESETS["hearts"]
WHOLE = ["AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432"]


def played_out(position: Position) -> Position:
    """Take default actions to the end."""
    while not (deal := position.deal()).is_over:
        word = words_of(deal.default_action(deal.to_act[0]))[1].replace(" ", "") or "-"
        position = position.followed_by([word])
    return position


@pytest.mark.parametrize("rules", [*PRESETS.values(), FOR_TWO], ids=lambda rules: rules.name)
@pytest.mark.parametrize("number", [0, 3])
def test_what_is_written_is_read_again(rules: Rules, number: int) -> None:
    position = Position.parse(rules, [""] * rules.players, number=number).completed(random.Random(rules.name))
    for some in (position, played_out(position)):
        assert Position.parse(rules, some.text_of_hands.split("_"), some.text_of_moves, number) == some


@pytest.mark.parametrize("variant", ["hearts", "gongzhu", "gongzhu-sale", "chinese-hearts"])
def test_a_recorded_deal_is_the_position_with_the_same_moments(variant: str) -> None:
    recorded = Recorded.of(match_lines(variant, "deals:2", showy_seats))
    for line in recorded.deals:
        position = Position.of_record(recorded.rules, recorded.first, line)
        replay = DealReplay(recorded.rules, recorded.first, line)
        for seat in (None, 1):
            seen_from = None if seat is None else (seat,)
            mine, theirs = (
                position.moments(seat),
                [view_table(replay, place, seen_from) for place in range(len(replay.moments))],
            )
            assert len(mine) == len(theirs)
            for one, other in zip(mine, theirs, strict=True):
                plain = {"totals": one.totals, "steps": one.steps}
                assert one == other.model_copy(update=plain)
                assert [(step.seat, step.action) for step in one.steps] == [
                    (step.seat, step.action) for step in other.steps
                ]


def test_a_hand_is_written_by_suits_or_card_by_card() -> None:
    one = Position.parse(GONGZHU, ["AQ5.KT2.J83.9742", "", "", ""])
    for text in (
        "AS QS 5S KH TH 2H JD 8D 3D 9C 7C 4C 2C",
        "as, qs,5s KH 10h 2H JD 8D 3D 9C 7C 4C 2C",
        "aq5.kt2.j83.9742",
    ):
        assert Position.parse(GONGZHU, [text, "", "", ""]) == one
    assert one.text_of_hands == "AQ5.KT2.J83.9742_..._..._..."


def test_cards_that_are_left_out_are_dealt_at_random() -> None:
    given = Position.parse(GONGZHU, ["QS JD", "", "TC", ""])
    assert not given.is_complete
    whole, other = (given.completed(random.Random(seed)) for seed in (1, 2))
    assert whole.is_complete
    assert whole != other
    assert all(hand & mine == mine for hand, mine in zip(whole.hands, given.hands, strict=True))


def test_a_seat_sees_of_a_position_what_it_knew() -> None:
    """C-9: of a pass nobody but giver and receiver knows the cards."""
    position = Position.parse(HEARTS, WHOLE).followed_by(["AS2S3S", "AHKH2H"])
    assert [step.action for step in position.moments()[-1].steps] == ["2S 3S AS", "2H KH AH"]
    assert [step.action for step in position.moments(1)[-1].steps] == ["2H KH AH"]
    assert position.moments(2)[-1].steps == ()
    assert position.moments(2)[-1].after is None
    assert position.moments(2)[-1].seats[0].hand == ()


@pytest.mark.parametrize(
    ("hands", "moves", "kind", "what"),
    [
        (WHOLE[:3], "", "hands", ("4", "3")),
        (["AQ5.XT2..", "", "", ""], "", "card", ("AQ5.XT2..",)),
        (["AQ5.T2.", "", "", ""], "", "card", ("AQ5.T2.",)),
        (["QS 1H", "", "", ""], "", "card", ("1H",)),
        (["Q...", "QS", "", ""], "", "twice", ("QS",)),
        (["AKQJT98765432.A..", "", "", ""], "", "many", ("1", "14", "13")),
        (WHOLE, "AS2S", "pass", ("1", "AS2S", "3", "1")),
        (WHOLE, "AS2S2S", "pass", ("1", "AS2S2S", "3", "1")),
        (WHOLE, "AS2S3S_AS2S3S", "pass", ("2", "AS2S3S", "3", "2")),
        (WHOLE, "AS2S3S_AH2H3H_AD2D3D_AC2C3C_XX", "unreadable", ("5", "XX")),
        (WHOLE, "AS2S3S_AH2H3H_AD2D3D_AC2C3C_-", "unreadable", ("5", "-")),
        (WHOLE, "AS2S3S_AH2H3H_AD2D3D_AC2C3C_4D", "not held", ("5", "4D", "1")),
        (WHOLE, "AS2S3S_AH2H3H_AD2D3D_AC2C3C_4S", "not legal", ("5", "4S", "2C")),
    ],
)
def test_what_is_no_position_is_refused_with_the_wrong_part(
    hands: list[str], moves: str, kind: str, what: tuple[str, ...]
) -> None:
    with pytest.raises(BadPosition) as found:
        Position.parse(HEARTS, hands, moves)
    assert (found.value.kind, found.value.what[: len(what)]) == (kind, what)


@pytest.mark.parametrize("wrong", ["7S", "QS*", "QH"])
def test_an_exposure_that_cannot_be_is_refused_with_the_cards_that_can(wrong: str) -> None:
    with pytest.raises(BadPosition) as found:
        Position.parse(GONGZHU, WHOLE, wrong)
    assert (found.value.kind, found.value.what[:2]) == ("expose", ("1", wrong))


def test_nothing_comes_after_the_end() -> None:
    end = played_out(Position.parse(GONGZHU, WHOLE))
    assert end.deal().phase is Phase.OVER
    assert end.moments()[-1].scores == end.deal().scores()
    with pytest.raises(BadPosition) as found:
        end.followed_by(["2C"])
    assert (found.value.kind, found.value.what) == ("after", (str(len(end.actions) + 1), "2C"))


def test_a_card_of_another_deck_is_refused() -> None:
    with pytest.raises(BadPosition) as found:
        Position.parse(PRESETS["gongzhu-five"], ["2C 2D", "", "", "", ""])
    assert found.value.kind == "deck"
