"""Names of players at tables with people: every house bot has some, no two players of a table share one."""

from __future__ import annotations

import pytest

from ladder.matches.house import HOUSE_BOTS
from ladder.people.pages.table_pages import LEVELS as OFFERED
from ladder.people.pages.table_pages import MAX_OPPONENTS
from ladder.values.opponents import GUEST, LEVELS, NAMES, opponent, shown_players
from ladder.values.people import PERSON_NAME_LENGTH


def test_every_house_bot_has_a_level_and_a_name_for_each_chair_that_it_may_have() -> None:
    assert set(LEVELS) == set(NAMES) == set(HOUSE_BOTS)
    assert all(len(names) == MAX_OPPONENTS for names in NAMES.values())


def test_no_name_is_given_twice_and_none_looks_like_a_number_of_a_bot() -> None:
    names = [name for each in NAMES.values() for name in each]
    assert len(set(names)) == len(names)
    assert all(name.isalpha() and len(name) <= PERSON_NAME_LENGTH for name in names)


def test_a_level_that_is_offered_is_that_of_its_bot() -> None:
    assert {level: str(LEVELS[bot]) for level, bot in OFFERED.items()} == {level: level for level in OFFERED}


@pytest.mark.parametrize("bot", HOUSE_BOTS)
def test_each_chair_of_a_bot_has_another_name(bot: str) -> None:
    seats = [bot, *(f"{bot}#{number}" for number in range(2, 2 * MAX_OPPONENTS + 1))]
    players = shown_players(seats, ["house"] * len(seats))
    assert len({player.name for player in players}) == len(seats)
    assert {player.bot for player in players} == {bot}


def test_only_house_bots_are_opponents_and_several_guests_are_numbered() -> None:
    seats, kinds = ("counting", "counting#2", GUEST, f"{GUEST}#2"), ("bot", "person", "person", "person")
    assert [player.name for player in shown_players(seats, kinds)] == [*seats[:2], f"{GUEST}#1", f"{GUEST}#2"]
    assert [player.name for player in shown_players((GUEST, "Ada"), ("person", "person"))] == [GUEST, "Ada"]
    assert opponent("Trotter") is opponent("counting#") is opponent("counting#x") is None
