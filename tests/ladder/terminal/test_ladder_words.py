"""Texts for figures and names of a ladder."""

from __future__ import annotations

import doctest

import pytest

from ladder.terminal import ladder_words
from ladder.terminal.ladder_words import label, moved, percent, sparkline, thinned


def test_the_examples_are_true() -> None:
    assert doctest.testmod(ladder_words).failed == 0


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [(None, 0, "–"), (0.0, 2, "0"), (1.0, 2, "100"), (0.004, 0, "<1"), (0.996, 0, ">99"), (0.5, 1, "50.0")],
)
def test_what_is_not_quite_none_or_all_does_not_look_like_it(share: float | None, digits: int, text: str) -> None:
    assert percent(share, digits) == text


@pytest.mark.parametrize(("change", "text"), [(None, "–"), (0.0, "0"), (-0.4, "0"), (0.6, "+1"), (-12.2, "-12")])
def test_a_move_has_its_sign_unless_it_is_none(change: float | None, text: str) -> None:
    assert moved(change) == text


def test_small_moves_do_not_look_like_large_ones() -> None:
    assert sparkline([]) == ""
    assert sparkline([1500.0, 1501.0]) == "▁▁"
    assert sparkline([1500.0, 1600.0]) == "▁█"


def test_a_long_history_is_thinned_and_keeps_its_ends() -> None:
    assert thinned([1.0, 2.0], 10) == [1.0, 2.0]
    many = [float(value) for value in range(20)]
    assert (thinned(many, 10)[0], thinned(many, 10)[-1], len(thinned(many, 10))) == (0.0, 19.0, 10)


def test_a_first_version_goes_by_the_bot_s_name() -> None:
    assert (label("Trotter", 1), label("Trotter", 2)) == ("Trotter", "Trotter@2")
