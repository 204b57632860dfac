"""Rules of scheduling without a store: lengths of matches, requirements, suspension of bots that keep failing."""

from __future__ import annotations

import doctest
from functools import reduce
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.pairing import suspension
from ladder.pairing.match_length import FEWEST, LENGTHS, MAX_STARTING, UNKNOWN, MatchTime, choose_boards
from ladder.pairing.missing import house_bots_wanted, missing_owners, waits_for
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


@pytest.mark.parametrize(
    ("owners", "sides", "missing", "house"),
    [(0, 4, 4, 0), (1, 4, 3, 3), (3, 4, 1, 1), (4, 4, 0, 0), (9, 4, 0, 0), (1, 2, 1, 1), (2, 2, 0, 0), (1, 5, 4, 4)],
)
def test_a_match_needs_a_bot_of_an_owner_of_its_own_for_each_side(
    owners: int, sides: int, missing: int, house: int
) -> None:
    assert (missing_owners(owners, sides), house_bots_wanted(owners, sides)) == (missing, house)


def test_one_owner_is_one_owner() -> None:
    assert [waits_for(count) for count in (1, 2)] == ["waits for 1 more owner", "waits for 2 more owners"]


DAY = 24 * 3600


def window(results: str) -> str:
    """The window after these matches: x failed, . clean."""
    return reduce(lambda recent, each: suspension.after(recent, each == "x"), results, "")


@pytest.mark.parametrize(
    ("results", "failed"),
    [
        ("", 0),
        ("x", 0),
        ("xx", 0),
        ("xxx", 3),
        ("xx.x", 0),
        ("xx.xx", 0),
        (".xx.xxx", 3),
        ("x.x.x.x.x", 0),
        ("x.x.x.x.x.", 0),
        ("x.x.x.x.x.x", 6),
        ("x" + "." * 9 + "x" + "." * 9 + "x" + "." * 9 + "x" + "." * 9 + "x" + "." * 8 + "x", 6),
        ("x" + "." * 9 + "x" + "." * 9 + "x" + "." * 9 + "x" + "." * 9 + "x" + "." * 9 + "x", 0),
        ("." * 200, 0),
    ],
)
def test_three_in_a_row_are_too_many_and_so_are_six_of_the_last_fifty(results: str, failed: int) -> None:
    assert suspension.too_many(window(results)) == failed


def test_only_the_last_fifty_matches_are_looked_at() -> None:
    assert window("x" * 3 + "." * 50) == "." * 50
    assert len(window("." * 80)) == 50


@pytest.mark.parametrize(
    ("results", "mended"),
    [("." * 49, False), ("." * 50, True), ("x" + "." * 49, False), ("x" + "." * 50, True), ("." * 50 + "x", False)],
)
def test_fifty_clean_matches_in_a_row_mend(results: str, mended: bool) -> None:
    assert suspension.has_mended(window(results)) is mended


@pytest.mark.parametrize(
    ("suspensions", "seconds"),
    [(1, 3600), (2, 7200), (3, 14400), (8, 128 * 3600), (9, 7 * DAY), (10, 7 * DAY), (10_000, 7 * DAY)],
)
def test_each_suspension_takes_twice_as_long_up_to_a_week(suspensions: int, seconds: float) -> None:
    assert suspension.cool_down(suspensions) == seconds


def test_the_owner_is_told_which_matches_were_failed_and_how_most_often() -> None:
    why = suspension.why(".xxx", [4, 7, 8], "timeout", 3600)
    assert all(
        part in why for part in ("3 matches in a row (4, 7, 8)", f"by {suspension.FAILINGS['timeout']}", "after 1 hour")
    )
    why = suspension.why("x.x.x.x.x.x", [1, 2, 3, 4, 5, 9], "gone", 7 * DAY)
    assert all(
        part in why
        for part in ("6 of its last 11 matches (1, 2, 3, 4, 5, 9)", f"by {suspension.FAILINGS['gone']}", "after 7 days")
    )


@pytest.mark.parametrize(
    ("voids", "of", "share", "is_behind"),
    [
        (2, 2, 0.001, False),  # too few to say anything
        (3, 3, 1 / 20, True),
        (4, 4, 1 / 4, False),
        (5, 5, 1 / 4, True),
        (5, 6, 1 / 4, False),
        (8, 8, 1 / 4, True),
        (5, 50, 1 / 20, False),  # one of twenty bots, where a machine spoils matches by chance
        (12, 50, 1 / 20, True),
        (50, 50, 1.0, False),  # nothing is played without it
        (50, 50, 0.8, True),
    ],
)
def test_a_bot_is_behind_void_matches_where_chance_does_not_explain_how_many_it_is_in(
    voids: int, of: int, share: float, is_behind: bool
) -> None:
    assert suspension.is_behind(voids, of, share) is is_behind


def test_the_owner_is_told_which_matches_were_void() -> None:
    why = suspension.why_voids([4, 4, 7], 5, 3600, lost=True)
    parts = ("container was killed", "3 of the last 5 attempts", "(matches 4, 7)", "after 1 hour")
    assert all(part in why for part in parts)
    assert "it played, in 2 of" in suspension.why_voids([9, 8], 2, 7200, lost=False)


def test_the_examples_in_the_docstrings_hold() -> None:
    result = doctest.testmod(suspension)
    assert result.attempted >= 3
    assert result.failed == 0


def test_the_page_on_faults_names_the_same_numbers() -> None:
    page = Path(__file__).parents[3] / "docs" / "faults.md"
    section = " ".join(page.read_text().partition("## Suspended bots")[2].partition("## ")[0].split())
    for words in (
        f"**{suspension.IN_A_ROW} failed matches in a row**",
        f"**more than {suspension.MAX_FAILED} failed of its last {suspension.WINDOW}**",
        f"**{suspension.span(suspension.COOL_DOWN)}**",
        f"**{suspension.span(suspension.LONGEST)}**",
        f"**{suspension.WINDOW} clean matches in a row**",
        f"**{suspension.MIN_VOIDS} void attempts**",
        f"**one in {round(1 / suspension.MAX_CHANCE):,}**",
        f"last {suspension.VOIDS} void attempts",
    ):
        assert words in section
