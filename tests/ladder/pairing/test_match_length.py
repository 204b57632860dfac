"""A match is as short as can be, but so long that starting is a small part of it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.pairing.match_length import FEWEST, LENGTHS, MAX_STARTING, UNKNOWN, MatchTime, choose_boards
from tests.rules.players import some

SECONDS = st.floats(0.001, 1000.0)


def share(boards: int, start: float, board: float) -> float:
    return start / (start + boards * board)


@some
@given(SECONDS, SECONDS, st.sampled_from(LENGTHS))
def test_it_is_the_least_length_at_which_starting_is_less_than_a_fifth(start: float, board: float, seen: int) -> None:
    chosen = choose_boards([MatchTime(seen, start, seen * board)] * 5)
    assert chosen == LENGTHS[-1] or share(chosen, start, board) < MAX_STARTING * (1 + 1e-9)
    assert all(share(less, start, board) > MAX_STARTING * (1 - 1e-9) for less in LENGTHS if less < chosen)


@pytest.mark.parametrize(
    ("start", "board", "boards"),
    [(1.0, 0.01, 16), (1.0, 0.26, 16), (1.0, 0.6, 8), (1.0, 1.1, 4), (1.0, 2.1, 2), (1.0, 4.1, 1), (0.0, 1.0, 1)],
)
def test_the_quicker_the_bots_the_longer_the_match(start: float, board: float, boards: int) -> None:
    assert choose_boards([MatchTime(1, start, board)] * FEWEST) == boards


@pytest.mark.parametrize("known", range(FEWEST))
def test_with_few_matches_nothing_is_known(known: int) -> None:
    assert choose_boards([MatchTime(4, 100.0, 1.0)] * known) == UNKNOWN


def test_the_length_of_the_matches_that_were_seen_does_not_matter() -> None:
    assert {choose_boards([MatchTime(seen, 2.0, seen * 1.5)] * 9) for seen in LENGTHS} == {8}


def test_a_few_matches_in_which_something_hung_change_nothing() -> None:
    hung = [MatchTime(4, 600.0, 4.0), MatchTime(4, 2.0, 9000.0), MatchTime(4, 2.0, 0.0)]
    matches = [*[MatchTime(4, 2.0, 6.0)] * 8, *hung]
    Random(7).shuffle(matches)
    assert choose_boards(matches) == choose_boards([MatchTime(4, 2.0, 6.0)] * 8) == 8


def test_where_nothing_takes_time_the_match_is_as_long_as_can_be() -> None:
    assert choose_boards([MatchTime(4, 0.0, 0.0)] * FEWEST) == LENGTHS[-1]
