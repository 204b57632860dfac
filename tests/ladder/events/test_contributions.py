"""The organiser cannot steer a draw: the attack by names and by withheld nonces, before contributions and with them."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import combinations, count
from typing import TYPE_CHECKING, Any

import pytest

from ladder.events.beacons import CHAINS, round_time, why_no_beacon, why_no_value
from ladder.events.course import Course, NextRound
from ladder.events.entrants import Contributions, Entrant, Lots, entrants_hash
from ladder.values.events import MIN_REVEAL_SECONDS, REVEAL_SECONDS
from pigpen.rules import PRESETS
from tests.ladder.events.files import SEED, entrants, event

if TYPE_CHECKING:
    from collections.abc import Iterator

FIELD = 8
FAVOURITE, WEAKEST = 1, frozenset({6, 7, 8})
CHANCE = 1 / 35
"""The favourite's three opponents are three of seven."""
CUP = event({"name": "Rounds", "kind": "round-robin", "rounds": 1, "format": "boards:1"})
NAMES = 300
"""Names that a friend of the organiser tries; by chance each eighth attack needs more than 70."""


def nonce(number: int, world: int = 0) -> str:
    return hashlib.sha256(f"{number} in {world}".encode()).hexdigest()


def field(friend: str) -> list[Entrant]:
    """A field whose last entrant has a name of choice."""
    listed = [
        replace(one, commitment=hashlib.sha256(bytes.fromhex(nonce(one.number))).hexdigest()) for one in entrants(FIELD)
    ]
    return [*listed[:-1], replace(listed[-1], name=friend)]


def meets_the_weakest(listed: list[Entrant], contributions: Contributions | None) -> bool:
    """True if the favourite sits in round 1 with the three that the organiser wishes."""
    course = Course(CUP, PRESETS["gongzhu"], listed, Lots.of(SEED, listed, contributions))
    following = course.next_round([])
    assert isinstance(following, NextRound)
    return any(set(table) == {FAVOURITE, *WEAKEST} for table in following.draw().tables)


def wished(contributions: Contributions | None) -> Iterator[str]:
    """The names with which the organiser expects the wished draw, by what he knows."""
    return (name for name in (f"friend{n}" for n in range(NAMES)) if meets_the_weakest(field(name), contributions))


def test_an_organiser_who_knows_all_chooses_the_draw_by_a_name() -> None:
    name = next(wished(None))
    assert meets_the_weakest(field(name), None)


def test_one_nonce_that_the_organiser_does_not_know_leaves_the_draw_to_chance() -> None:
    """He tries names with a guess of the one nonce that is not his; over many true nonces his wish is chance."""
    known = {number: nonce(number) for number in range(1, FIELD + 1)}
    name = next(wished(Contributions(known)))
    came = sum(meets_the_weakest(field(name), Contributions(known | {3: nonce(3, world)})) for world in range(1, 701))
    assert 0.4 * CHANCE < came / 700 < 1.9 * CHANCE


def test_a_beacon_leaves_the_draw_to_chance_also_when_all_entrants_are_friends() -> None:
    known = {number: nonce(number) for number in range(1, FIELD + 1)}
    name = next(wished(Contributions(known, "https://beacon.example/1", "a guess")))
    came = sum(
        meets_the_weakest(field(name), Contributions(known, "https://beacon.example/1", str(value)))
        for value in range(700)
    )
    assert 0.4 * CHANCE < came / 700 < 1.9 * CHANCE


@pytest.mark.parametrize("friends", [0, 1, 2, 3])
def test_friends_who_withhold_give_the_organiser_two_draws_each_and_no_more(friends: int) -> None:
    """That is the bound which the event's page states for an event without a beacon."""
    everyone = {number: nonce(number) for number in range(1, FIELD + 1)}
    last = range(FIELD - friends + 1, FIELD + 1)
    keys = Counter(
        Lots.of(SEED, entrants(FIELD), Contributions({n: x for n, x in everyone.items() if n not in missing})).key
        for size in range(friends + 1)
        for missing in combinations(last, size)
    )
    assert len(keys) == 2**friends


def test_each_part_of_a_list_and_of_contributions_changes_all_lots() -> None:
    listed, given = field("x"), Contributions({1: nonce(1), 2: nonce(2)}, "https://b.example", "value")
    key = Lots.of(SEED, listed, given).key
    first, changes = listed[0], dict[str, Any](name="y", owner="y", rating=1.0, identity="y", commitment="y", number=9)
    others = [
        Lots.of(bytes([1]) * 32, listed, given),
        Lots.of(SEED, listed),
        *(Lots.of(SEED, [replace(first, **{name: changes[name]}), *listed[1:]], given) for name in changes),
        *(Lots.of(SEED, listed, each) for each in (
            replace(given, nonces={1: nonce(1)}), replace(given, nonces={1: nonce(1), 3: nonce(2)}),
            replace(given, beacon="https://c.example"), replace(given, value="other"), replace(given, beacon=""),
        )),
    ]  # fmt: skip
    assert len({key, *(each.key for each in others)}) == len(others) + 1


def test_the_recipe_of_the_documentation_gives_the_same_lots() -> None:
    listed, given = field("x")[:2], Contributions({2: nonce(2), 1: nonce(1)}, "https://b.example", "value")
    text = "".join(
        f"{each.number}\t{each.name}\t{each.owner}\t{each.rating:.2f}\t\t{each.commitment}\n" for each in listed
    )
    assert entrants_hash(listed) == hashlib.sha256(text.encode()).hexdigest()
    value = hashlib.sha256(b"value").hexdigest()
    parts = f"1\t{nonce(1)}\n2\t{nonce(2)}\nbeacon\thttps://b.example\t{value}\n"
    assert given.hash() == hashlib.sha256(parts.encode()).hexdigest()


NOON = "2026-12-12T12:00:00Z"
CHAIN = next(chain for chain, (_, seconds) in CHAINS.items() if seconds == 3)


def drand_round(after: str) -> int:
    """The first round of quicknet that is not before a moment."""
    moment = event({"name": "R", "kind": "swiss", "rounds": 1, "format": "boards:1"}, starts=after).starts
    return next(n for n in count(34_000_000) if (at := round_time(f"/{CHAIN}/public/{n}")) and moment and at >= moment)


def test_a_round_of_drand_whose_value_is_known_too_early_is_refused() -> None:
    number = drand_round(NOON)
    for of, is_right in ((number, True), (number - 1, False)):
        address = f"https://api.drand.sh/{CHAIN}/public/{of}"
        cup = event({"name": "R", "kind": "swiss", "rounds": 1, "format": "boards:1"}, beacon=address, beacon_at=NOON)
        assert (why_no_beacon(cup) == "") == is_right


def test_the_value_of_a_round_of_drand_is_checked_by_itself() -> None:
    address, signature = f"https://api.drand.sh/{CHAIN}/public/7", "ab" * 48
    randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
    right = f'{{"round": 7, "randomness": "{randomness}", "signature": "{signature}"}}'
    assert why_no_value(address, right) == ""
    wrong = (
        "",
        "x",
        "[]",
        right.replace("7", "8", 1),
        right.replace("ab", "ac", 1),
        right.replace(randomness[:4], "0000"),
    )
    assert all(why_no_value(address, value) for value in wrong)
    assert why_no_value("https://numbers.example/tonight", "3 17 22 41") == ""


@pytest.mark.parametrize(
    ("times", "until"),
    [
        ({}, REVEAL_SECONDS),
        ({"starts": 3600}, 3600),
        ({"starts": 3600, "reveals": 1800}, 1800),
        ({"starts": 60}, MIN_REVEAL_SECONDS),
        ({"starts": 3600, "beacon_at": 1200}, 1200),
        ({"starts": 3600, "beacon_at": 60}, 60),
    ],
)
def test_nonces_are_revealed_within_a_time_that_ends_before_the_beacon(times: dict[str, int], until: float) -> None:
    frozen = 1_800_000_000
    beacon = {"beacon": "https://b.example/"} if "beacon_at" in times else {}
    cup = event(
        {"name": "R", "kind": "swiss", "rounds": 1, "format": "boards:1"},
        **{name: frozen + after for name, after in times.items()}, **beacon,
    )  # fmt: skip
    assert cup.reveals_until(frozen) == frozen + until
