"""Limits on attempts, by address and by account, for a class that has one address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.errors import TooOften
from ladder.site.server.attempts import LIMITS, Attempt, Attempts

if TYPE_CHECKING:
    from collections.abc import Callable

CLASS = 40
"""People at one address, as in a course."""
HERE = "192.0.2.7"


def passes(act: Callable[[], None]) -> bool:
    """True if an attempt is not refused."""
    try:
        act()
    except TooOften:
        return False
    return True


@pytest.mark.parametrize("what", [what for what in Attempt if LIMITS[what][0] < 1000])
def test_an_address_has_a_number_of_attempts(what: Attempt) -> None:
    attempts, (limit, _, _) = Attempts(), LIMITS[what]
    assert [passes(lambda: attempts.count(what, HERE)) for _ in range(limit + 1)] == [True] * limit + [False]
    assert passes(lambda: attempts.count(what, "198.51.100.7"))


@pytest.mark.parametrize("what", [what for what in Attempt if LIMITS[what][1] < LIMITS[what][0]])
def test_an_account_that_tries_too_often_leaves_others_at_its_address_theirs(what: Attempt) -> None:
    attempts, (of_address, limit, _) = Attempts(), LIMITS[what]
    found = [passes(lambda: attempts.count(what, HERE, "ada")) for _ in range(of_address + 1)]
    assert found == [True] * limit + [False] * (of_address + 1 - limit)
    others = of_address - limit
    assert [passes(lambda: attempts.count(what, HERE)) for _ in range(others + 1)] == [True] * others + [False]


def test_a_name_that_is_tried_too_often_leaves_others_at_the_address_theirs() -> None:
    attempts, what = Attempts(), Attempt.FORGOTTEN
    of_address, limit, _ = LIMITS[what]
    found = [passes(lambda: attempts.count_claim(what, HERE, "ada")) for _ in range(of_address + 1)]
    assert found == [True] * limit + [False] * (of_address + 1 - limit)
    for number in range(of_address - limit):
        attempts.count_claim(what, HERE, f"student-{number}")
    assert not passes(lambda: attempts.count_claim(what, HERE, "bob"))
    assert passes(lambda: attempts.count_claim(what, HERE, "bob", "17")), "a browser that is known has its own"


@pytest.mark.parametrize(
    ("what", "each"),
    [
        (Attempt.MAIL_ADDRESS, 2), (Attempt.MAIL_TO, 2), (Attempt.MAIL_FROM_ALL, 2), (Attempt.FORGOTTEN, 2),
        (Attempt.CHANGE_TEAM, 5), (Attempt.REGISTER, 1), (Attempt.CREATE_TOKEN, 1),
    ],
)  # fmt: skip
def test_a_class_behind_one_address_is_not_refused(what: Attempt, each: int) -> None:
    attempts = Attempts()
    for number in range(CLASS * each):
        attempts.count(what, HERE, f"student-{number % CLASS}")
