"""States of many tables: saved, restored, cloned; the order of plays, and the hands of all seats."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from types import FunctionType, ModuleType

import numpy as np
import pytest

from pigpen import View
from pigpen.learn import Encoding, Tables
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands
from pigpen.sim import native
from tests.for_two import FOR_THREE
from tests.learn.test_tables import here, in_c, in_python
from tests.rules.table import named

Make = Callable[[Rules, int, int], Tables]
GAMES = 12
both = pytest.mark.parametrize("make", [pytest.param(in_c, marks=here), in_python])
some_variants = pytest.mark.parametrize(
    "rules", [PRESETS[name] for name in ("hearts", "gongzhu-sale", "chinese-hearts")] + [FOR_THREE], ids=named
)


def arrays(tables: Tables) -> list[bytes]:
    found = tables.observations, tables.seats, tables.mask(), tables.plays(), tables.oracle()
    return [array.tobytes() for array in found]


def wander(tables: Tables, steps: int) -> list[list[bytes]]:
    """Take the first legal action, so that no draws are needed; give what is seen after each step."""
    seen = []
    for _ in range(steps):
        tables.step(tables.mask().argmax(1))
        seen.append([*arrays(tables), tables.rewards.tobytes(), tables.over.tobytes()])
    return seen


@both
@some_variants
def test_a_saved_state_is_played_again_step_by_step_beyond_the_end_of_its_deal(make: Make, rules: Rules) -> None:
    tables = make(rules, GAMES, 3)
    wander(tables, 7)
    before, saved = arrays(tables), tables.save()
    wanted = wander(tables, 70)
    tables.restore(saved)
    assert arrays(tables) == before
    assert not tables.over.any()
    assert not tables.rewards.any()
    assert wander(tables, 70) == wanted
    tables.restore(saved)  # stepping has not changed what was saved
    assert arrays(tables) == before


@both
def test_states_are_chosen_as_numpy_indexes(make: Make) -> None:
    tables = make(PRESETS["gongzhu"], GAMES, 4)
    wander(tables, 9)
    observations, saved = tables.observations.copy(), tables.save()
    tables.restore(saved[[3] * GAMES])
    assert (tables.observations == observations[3]).all()
    tables.restore(saved[5])  # one state for all
    assert (tables.observations == observations[5]).all()
    tables.restore(saved)
    tables.restore(saved[2:4], [0, 11])
    assert (tables.observations[[0, 11]] == observations[2:4]).all()
    assert (tables.observations[1:11] == observations[1:11]).all()
    few = tables.save(tables.seats == tables.seats[1])
    assert len(few) == int((tables.seats == tables.seats[1]).sum())
    assert [len(saved), len(saved[:0]), len(saved[np.array([1, 1])])] == [GAMES, 0, 2]


@both
def test_a_clone_goes_its_own_way(make: Make) -> None:
    tables = make(PRESETS["hearts"], GAMES, 5)
    wander(tables, 11)
    whole, some = tables.clone(), tables.clone([4, 4, 0])
    assert arrays(whole) == arrays(tables)
    assert some.observations.tobytes() == tables.observations[[4, 4, 0]].tobytes()
    assert whole.random_actions().tolist() == tables.clone().random_actions().tolist()
    before = arrays(tables)
    some.step(
        np.array([np.flatnonzero(some.mask()[0])[0], np.flatnonzero(some.mask()[1])[-1], some.mask()[2].argmax()])
    )
    assert (some.observations[0] != some.observations[1]).any()
    wanted = wander(whole, 50)
    assert arrays(tables) == before
    assert wander(tables, 50) == wanted


@both
def test_states_travel_in_a_pickle(make: Make) -> None:
    tables = make(PRESETS["hearts"], GAMES, 6)
    wander(tables, 20)
    saved = pickle.loads(pickle.dumps(tables.save([2, 7])))
    wanted = tables.observations[[7, 2]].copy()
    wander(tables, 30)
    tables.restore(saved[::-1], [0, 1])
    assert tables.observations[:2].tobytes() == wanted.tobytes()


@both
def test_states_that_do_not_fit_are_named_and_nothing_changes(make: Make) -> None:
    tables = make(PRESETS["hearts"], GAMES, 7)
    before = arrays(tables)
    with pytest.raises(ValueError, match=f"3 states for {GAMES} tables"):
        tables.restore(tables.save([1, 2, 3]))
    with pytest.raises(ValueError, match=r"of gongzhu; .* hearts"):
        tables.restore(make(PRESETS["gongzhu"], GAMES, 7).save())
    with pytest.raises(IndexError):
        tables.restore(tables.save(), range(1, GAMES + 1))
    with pytest.raises(IndexError):
        tables.save(GAMES)
    with pytest.raises(ValueError, match="no table to clone"):
        tables.clone([])
    assert arrays(tables) == before


@here
def test_states_of_the_engine_are_none_of_python() -> None:
    assert native.engine()
    quick, slow = in_c(PRESETS["hearts"], 2, 1), in_python(PRESETS["hearts"], 2, 1)
    for one, other in ((quick, slow), (slow, quick)):
        with pytest.raises(ValueError, match="accelerated engine"):
            one.restore(other.save())


@some_variants
def test_plays_have_every_card_of_the_deal_in_its_order_and_by_its_seat(rules: Rules) -> None:
    tables, players = Tables(rules, 1, 2), rules.players
    known: list[int] = []
    for _ in range(200):
        plays = tables.plays()[0]
        seat = int(tables.seats[0])
        now = [((number // 52 + seat) % players) * 52 + number % 52 for number in plays[plays >= 0].tolist()]
        assert (plays[len(now) :] == -1).all()
        assert len({number % 52 for number in now}) == len(now)
        encoding, packed = tables.encoding, tables.observations[0]
        for place in range(players):
            played = sum(1 << number % 52 for number in plays[plays >= 0].tolist() if number // 52 == place)
            assert played == int(packed[encoding.planes.index(f"played_{place}")])
        assert now[: len(known)] == known or not known or len(now) < len(known)
        known = now
        tables.step(tables.random_actions())


def test_the_first_hand_of_the_oracle_is_the_seats_own_and_all_are_disjoint() -> None:
    tables = Tables("hearts", 50, 3)
    for _ in range(60):
        hands = tables.oracle().reshape(50, 4, 52)
        assert (hands[:, 0] == tables.unpack()[:, :52]).all()
        assert hands.sum(1).max() <= 1
        tables.step(tables.random_actions())


def test_arrays_of_plays_and_hands_may_be_used_again() -> None:
    tables = Tables("hearts", 4)
    plays, hands = np.empty((4, 52), dtype=np.int16), np.empty((4, 208), dtype=np.uint8)
    assert tables.plays(plays) is plays
    assert tables.oracle(hands) is hands
    with pytest.raises(ValueError, match=r"int16 with the shape \(4, 52\)"):
        tables.plays(hands)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"uint8 with the shape \(4, 208\)"):
        tables.oracle(hands[:2])


def reachable(start: object, limit: int = 200_000) -> list[object]:
    """All objects that a program gets at from one, by any chain of references, but for code and classes."""
    found, left, seen = [], [start], set()
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each, (type, ModuleType, FunctionType)):
            continue
        seen.add(id(each))
        found.append(each)
        assert len(found) < limit
        left += gc.get_referents(each)
    return found


def test_a_bot_reaches_no_oracle() -> None:
    """A view, all that a bot gets at a real table, leads to no deal and no tables; `Encoding` takes views alone."""
    rules = PRESETS["hearts"]
    deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    view = View(*deal.known_to(deal.turn), seed=7)
    assert deal.phase is Phase.PLAY
    Encoding(rules).observe(view)
    view.legal, view.unseen, view.taken_mask(0)
    hidden = [hand for seat, hand in enumerate(deal.hands) if seat != deal.turn]
    for each in reachable(view):
        assert not isinstance(each, (Deal, Tables))
        assert not (isinstance(each, int) and each in hidden)
    assert not hasattr(Encoding, "oracle")
