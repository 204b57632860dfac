"""People take turns: one with a single entry waits for at most one of each other's, whatever their number."""

from __future__ import annotations

import random

import pytest

from ladder.store.turns import in_turn

PEOPLE = "abcde"


@pytest.mark.parametrize("seed", range(50))
def test_everybodys_first_comes_before_anybodys_second(seed: int) -> None:
    chance = random.Random(seed)
    things = list(enumerate(chance.choices(PEOPLE, k=chance.randrange(30))))
    served = {person: chance.uniform(0, 100) for person in PEOPLE if chance.random() < 0.7}
    order = in_turn(things, lambda thing: thing[1], served)
    assert sorted(order) == things, "nothing is lost, nothing is there twice"
    first = [person for _, person in order][: len({person for _, person in things})]
    assert {*first} == {person for _, person in things}
    last = [served.get(person, 0.0) for person in first]
    assert last == sorted(last), "who was served longest ago goes first"
    for each in PEOPLE:
        own = [number for number, person in order if person == each]
        assert own == sorted(own)
