"""Times at which a message is sent again."""

from __future__ import annotations

import random

import pytest

from ladder.webhooks.sending import ATTEMPTS, JITTER, LONGEST, pause_after

HOUR = 3600.0


def pauses(rng: random.Random) -> list[float]:
    found = [pause_after(refusals, rng) for refusals in range(1, ATTEMPTS)]
    return [each for each in found if each is not None]


def test_pauses_grow_by_themselves_and_chance_until_about_a_day_has_passed() -> None:
    middle = pauses(_Middle())
    assert middle == sorted(middle)
    assert middle[:3] == [10.0, 40.0, 160.0]
    assert middle[-1] == LONGEST
    assert 20 * HOUR < sum(middle) < 26 * HOUR


def test_two_messages_that_were_refused_together_do_not_come_again_together() -> None:
    rng = random.Random(1)
    many = {pause_after(3, rng) for _ in range(100)}
    assert len(many) == 100
    assert all(each and 160 * (1 - JITTER) <= each <= 160 * (1 + JITTER) for each in many)


def test_after_the_last_attempt_a_message_is_given_up() -> None:
    assert pause_after(ATTEMPTS - 1, random.Random(1)) is not None
    assert pause_after(ATTEMPTS, random.Random(1)) is None
    assert pause_after(10**6, random.Random(1)) is None


@pytest.mark.parametrize("wait", [0.0, 5.0, 60.0, LONGEST, 10**9])
def test_a_receiver_that_asks_to_wait_is_not_asked_sooner_and_no_later_than_the_longest_pause(wait: float) -> None:
    for refusals in range(1, ATTEMPTS):
        own = pause_after(refusals, random.Random(refusals))
        found = pause_after(refusals, random.Random(refusals), wait)
        assert own is not None
        assert found is not None
        assert max(own, min(wait, LONGEST)) <= found <= max(own, LONGEST * (1 + JITTER))
    assert pause_after(ATTEMPTS, random.Random(1), wait) is None


class _Middle(random.Random):
    """Chance that does neither."""

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2
