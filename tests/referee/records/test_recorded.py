"""A record's lines as a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS
from referee.records.recorded import BadRecord, Recorded, seats_of
from tests.referee.recorded import SEED, match_lines

if TYPE_CHECKING:
    from referee.records.lines import AnyLine


@pytest.fixture(scope="module")
def lines() -> list[AnyLine]:
    return match_lines("hearts", "boards:2")


def test_the_deals_come_board_by_board_in_whatever_order_they_ended(lines: list[AnyLine]) -> None:
    first, *deals, result = lines
    recorded = Recorded.of([first, *reversed(deals), result])
    assert recorded.rules == PRESETS["hearts"]
    assert [(line.board, line.rotation) for line in recorded.deals] == [(b, r) for b in range(2) for r in range(4)]
    assert recorded.result == result


def test_an_unfinished_match_has_no_result_and_tells_no_seed(lines: list[AnyLine]) -> None:
    recorded = Recorded.of(lines[:3])
    assert recorded.result is None
    assert len(recorded.deals) == 2
    with pytest.raises(BadRecord, match="match is not finished"):
        _ = recorded.seed


def test_a_finished_match_tells_its_seed(lines: list[AnyLine]) -> None:
    assert Recorded.of(lines).seed == SEED


@pytest.mark.parametrize(
    ("seed", "reason"),
    [
        ("00" * 32, "not the one that"),
        ("xyz", "its seed is not 64 hex digits"),
        ("00", "its seed is not 64 hex digits"),
    ],
)
def test_another_seed_than_the_one_committed_to_is_refused(lines: list[AnyLine], seed: str, reason: str) -> None:
    forged = lines[-1].model_copy(update={"seed": seed})
    with pytest.raises(BadRecord, match=reason):
        _ = Recorded.of([*lines[:-1], forged]).seed


def test_a_bot_is_found_by_name_or_number(lines: list[AnyLine]) -> None:
    recorded = Recorded.of(lines)
    assert [recorded.bot(word) for word in ("bot2", "2", "0")] == [2, 2, 0]
    for word in ("bot4", "4", "-1", "²", ""):
        with pytest.raises(ValueError, match="0 bot0, 1 bot1, 2 bot2, 3 bot3"):
            recorded.bot(word)


def test_without_seats_of_its_own_every_bot_of_a_deal_sits_in_the_seat_of_its_number(lines: list[AnyLine]) -> None:
    (deal,) = Recorded.of(match_lines("gongzhu-five", "deals:1")).deals
    assert seats_of(deal) == (0, 1, 2, 3, 4)
    for line in Recorded.of(lines).deals:
        assert seats_of(line) == line.seats


def test_lines_that_are_no_match_are_refused(lines: list[AnyLine]) -> None:
    first, deal, *_ = lines
    few = first.model_copy(update={"bots": ("alone",)})
    few_seats = deal.model_copy(update={"seats": (0, 1, 2)})
    twice = deal.model_copy(update={"seats": (0, 1, 2, 2)})
    few_scores = deal.model_copy(update={"scores": (0, 0)})
    odd = first.model_copy(update={"rules": {"name": "odd"}})
    for bad, reason in (
        ((), "does not begin with the first line"),
        ((deal,), "does not begin with the first line"),
        ((first, first), "more than one match"),
        ((first, lines[-1], lines[-1]), "more than one match"),
        ((few,), "hearts has 4 seats, and it names 1 bots"),
        ((first, few_seats), "board 1, rotation 1 does not have one of everything for each of 4 seats"),
        ((first, twice), "does not have one of everything"),
        ((first, few_scores), "does not have one of everything"),
        ((odd,), "its rules cannot be understood"),
    ):
        with pytest.raises(BadRecord, match=reason):
            Recorded.of(bad)
