"""Requirements that a variant lacks before a match can be played."""

from __future__ import annotations

import pytest

from ladder.pairing.missing import house_bots_wanted, missing_owners, waits_for


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
