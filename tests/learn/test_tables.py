"""Many tables at once: in the engine in C, and without it."""

from __future__ import annotations

import platform
import subprocess
import sys
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pigpen import Policy
from pigpen.learn import Tables, aec
from pigpen.learn.native_tables import NativeTables
from pigpen.learn.packages import NOT_INSTALLED
from pigpen.learn.python_tables import PythonTables
from pigpen.rules import PRESETS, Direction, IllegalAction, Passing, Phase, Rules
from pigpen.sim import native
from tests.for_two import FEW_TRICKS, FOR_THREE, FOR_TWO
from tests.rules.table import ODD, named

if TYPE_CHECKING:
    from pigpen.learn.single_table import Table

MACHINES = ("x86_64", "aarch64")
here = pytest.mark.skipif(platform.machine() not in MACHINES, reason="there is no library for this machine")
every_variant = pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD, FOR_TWO, FOR_THREE, FEW_TRICKS], ids=named)


def in_python(rules: Rules, games: int, seed: int) -> Tables:
    """Tables without the accelerated engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "engine", lambda: None)
        tables = Tables(rules, games, seed)
    assert isinstance(tables._tables, PythonTables)
    return tables


def in_c(rules: Rules, games: int, seed: int) -> Tables:
    """Tables in the accelerated engine."""
    tables = Tables(rules, games, seed)
    assert isinstance(tables._tables, NativeTables)
    return tables


def python_tables(tables: Tables) -> list[Table]:
    assert isinstance(tables._tables, PythonTables)
    return tables._tables.tables


def memory(tables: Tables) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    assert isinstance(tables._tables, NativeTables)
    return tables._tables.memory


@here
@every_variant
def test_whole_deals_are_the_same_bit_for_bit_in_c_and_in_python(rules: Rules) -> None:
    """Observations, seats, rewards, masks, plays, hands, random actions: every step of every deal."""
    quick, slow = in_c(rules, 6, seed=5), in_python(rules, 6, seed=5)
    phases, ended = set(), 0
    for _ in range(250):
        for one, other in (
            (quick.observations, slow.observations), (quick.seats, slow.seats), (quick.over, slow.over),
            (quick.rewards, slow.rewards), (quick.mask(), slow.mask()), (quick.unpack(), slow.unpack()),
            (quick.plays(), slow.plays()), (quick.oracle(), slow.oracle()),
        ):  # fmt: skip
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()
        phases |= {table.deal.phase for table in python_tables(slow)}
        actions = quick.random_actions()
        assert actions.tolist() == slow.random_actions().tolist()
        quick.step(actions)
        slow.step(actions)
        ended += int(quick.over.sum())
    assert ended > 6
    assert Phase.PLAY in phases
    assert (Phase.PASS in phases) == (rules.passing is not None)
    assert (Phase.EXPOSE in phases) == (rules.exposing is not None)


@here
@every_variant
@pytest.mark.parametrize("policy", Policy, ids=str)
def test_policies_choose_the_same_actions_in_c_and_in_python(rules: Rules, policy: Policy) -> None:
    """At every table, and at some of them, which alone move on."""
    quick, slow = in_c(rules, 6, seed=3), in_python(rules, 6, seed=3)
    rng = np.random.default_rng(3)
    ended = 0
    for number in range(200):
        where = None if number % 3 == 0 else rng.random(6) < 0.6
        before = quick.observations.copy()
        actions = quick.actions_by(policy, where)
        assert actions.tolist() == slow.actions_by(policy, where).tolist()
        quick.step(actions, where)
        slow.step(actions, where)
        for one, other in ((quick.observations, slow.observations), (quick.seats, slow.seats), (quick.over, slow.over)):
            assert one.tobytes() == other.tobytes()
        assert quick.rewards.tobytes() == slow.rewards.tobytes()
        if where is not None:
            assert (actions[~where] == -1).all()
            assert (quick.observations[~where] == before[~where]).all()
            assert not quick.over[~where].any()
            assert not quick.rewards[~where].any()
        ended += int(quick.over.sum())
    assert ended > 6


def test_a_table_that_plays_a_policy_ends_as_a_playout_does() -> None:
    """The policy that chooses step by step is the one of playouts: with the same draws, the same scores."""
    tables = Tables("hearts", 400, seed=1)
    careful, any_card = ([], [])  # type: tuple[list[float], list[float]]
    for policies, found in (((Policy.CAREFUL,) * 4, careful), ((Policy.CAREFUL, *[Policy.RANDOM] * 3), any_card)):
        for _ in range(120):
            actions = np.full(400, -1)
            for seat, policy in enumerate(policies):
                at_seat = tables.seats == seat
                actions[at_seat] = tables.actions_by(policy, at_seat)[at_seat]
            tables.step(actions)
            found += tables.rewards[tables.over, 0].tolist()
    assert abs(np.mean(careful)) < 1
    assert np.mean(any_card) > 1.5


def test_a_wrong_mask_of_tables_is_named() -> None:
    tables = Tables("hearts", 4)
    for where in (np.ones(3, dtype=np.bool_), np.ones(4, dtype=np.int8)):
        for use in (tables.actions_by, lambda _, where: tables.step(tables.random_actions(), where)):
            with pytest.raises(ValueError, match=r"bool with the shape \(4,\); "):
                use(Policy.CAREFUL, where)  # type: ignore[arg-type]


def test_only_actions_that_are_taken_have_to_be_legal() -> None:
    for make in (in_c, in_python) if native.engine() else (in_python,):
        tables = make(PRESETS["hearts"], 3, 1)
        actions = tables.random_actions()
        actions[1] = 53
        tables.step(actions, np.array([True, False, True]))
        with pytest.raises(IllegalAction, match="table 1: action 53"):
            tables.step(np.full(3, 53), np.array([False, True, True]))


@here
def test_choices_after_a_moon_are_the_same() -> None:
    """A moon that is one card is shot in every deal, so that the choice is made often, both ways."""
    hearts = PRESETS["hearts"]
    assert hearts.moon
    rules = replace(hearts, name="moons", moon=replace(hearts.moon, cards=("QS",)))
    quick, slow = in_c(rules, 8, seed=1), in_python(rules, 8, seed=1)
    moons: set[int] = set()
    for _ in range(200):
        actions = quick.random_actions()
        at_moon = [table.deal.phase is Phase.MOON for table in python_tables(slow)]
        moons |= set(actions[at_moon].tolist())
        quick.step(actions)
        slow.step(actions)
        assert quick.observations.tobytes() == slow.observations.tobytes()
        assert quick.rewards.tobytes() == slow.rewards.tobytes()
    assert moons == {52, 53}


@here
@every_variant
def test_playouts_are_the_same_in_c_and_in_python(rules: Rules) -> None:
    """At every step of whole deals: passes and exposures that others, or this seat, have made in part are finished."""
    quick, slow = in_c(rules, 3, seed=5), in_python(rules, 3, seed=5)
    phases = set()
    for number in range(60):
        phases |= {table.deal.phase for table in python_tables(slow)}
        before, values = quick.observations.tobytes(), quick.playouts(1 + number % 2)
        assert values.dtype == np.float32
        assert values == pytest.approx(slow.playouts(1 + number % 2), abs=1e-3)
        assert not values[quick.mask() == 0].any()
        assert quick.observations.tobytes() == before  # nothing happened at the tables
        actions = quick.random_actions()
        assert actions.tolist() == slow.random_actions().tolist()  # the random numbers go on alike
        quick.step(actions)
        slow.step(actions)
    assert Phase.PLAY in phases
    assert (Phase.PASS in phases) == (rules.passing is not None)
    assert (Phase.EXPOSE in phases) == (rules.exposing is not None)


def test_a_playout_of_the_last_choice_is_what_then_comes() -> None:
    """All that follows is forced, so there is nothing that a policy could choose."""
    tables, last = Tables("hearts", 64, seed=3), 0
    for _ in range(200):
        values, actions, seats = tables.playouts(), tables.random_actions(), tables.seats.copy()
        tables.step(actions)
        for game in np.flatnonzero(tables.over).tolist():
            assert tables.rewards[game, seats[game]] == pytest.approx(values[game, actions[game]])
            last += 1
    assert last > 100


def test_more_playouts_have_less_noise_and_the_same_mean() -> None:
    one, many = Tables("hearts", 64, seed=3), Tables("hearts", 64, seed=3)
    few = np.array([one.playouts() for _ in range(200)])
    most = np.array([many.playouts(50) for _ in range(4)])
    assert most.mean(0) == pytest.approx(few.mean(0), abs=6.0)
    assert np.abs(most.mean() - few.mean()) < 0.1
    assert most.std(0).mean() < few.std(0).mean() / 4


def test_no_playout_at_all_is_named() -> None:
    with pytest.raises(ValueError, match="no playout: times=0"):
        Tables("hearts", 4).playouts(0)


@here
@pytest.mark.parametrize("cards", [1, 12, 13])
def test_passes_of_any_length_are_the_same(cards: int) -> None:
    """A pass of the whole hand is forced."""
    directions = (Direction.LEFT, Direction.RIGHT, Direction.ACROSS, Direction.NONE, Direction.LEFT)
    rules = replace(PRESETS["hearts"], name="passes", passing=Passing(cards=cards, directions=directions))
    quick, slow = in_c(rules, 5, seed=2), in_python(rules, 5, seed=2)
    for _ in range(150):
        assert quick.observations.tobytes() == slow.observations.tobytes()
        actions = slow.random_actions()
        quick.step(actions)
        slow.step(actions)


@here
@every_variant
def test_exchanging_hidden_cards_in_the_engine_changes_nothing(rules: Rules) -> None:
    """C-9: rename the cards that a seat does not know, in the engine's memory, and let it show what the seat knows."""
    tables, rng, exchanged = in_c(rules, 16, seed=3), Random(3), 0
    slow = in_python(rules, 16, seed=3)
    hands, passed, received, chosen, down = (
        place(tables, name) for name in ("hands", "passed", "received", "chosen", "down")
    )
    face_down = place(tables, "face_down")
    for _ in range(80):
        before, kept = tables.observations.copy(), memory(tables).copy()
        for number, table in enumerate(python_tables(slow)):
            view, row = table.view, memory(tables)[number]
            known = sum(1 << shown.card for shown in view.exposures)
            hidden = [card for card in range(52) if (view.unseen_mask & ~known) >> card & 1]
            names = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
            for seat in range(rules.players):
                if seat != view.seat:
                    for start in (hands, passed, received, chosen, down):
                        row[start + seat] = renamed(int(row[start + seat]), names)
            row[face_down] = renamed(int(row[face_down]), names)
        exchanged += int((memory(tables) != kept).any(axis=1).sum())
        assert isinstance(tables._tables, NativeTables)
        tables._tables.observe()
        assert tables.observations.tobytes() == before.tobytes()
        memory(tables)[:] = kept
        actions = tables.random_actions()
        tables.step(actions)
        slow.step(actions)
    assert exchanged > 100 or rules.players == 2  # of two, each knows what the other one holds


def place(tables: Tables, name: str) -> int:
    """The word of a table's memory at which a field of `Table` in stepwise.h begins."""
    assert memory(tables).shape[1] == 2 + 25 + 1 + 5 * 8 + 7 + 13
    position = {"hands": 0, "taken": 8, "barred": 16, "face_up": 17, "face_down": 18}
    after = 2 + 25 + 1
    fields = {
        name: after + 8 * number for number, name in enumerate(("passed", "received", "played", "chosen", "down"))
    }
    return 2 + position[name] if name in position else fields[name]


def renamed(mask: int, names: dict[int, int]) -> int:
    return sum(1 << names.get(card, card) for card in range(52) if mask >> card & 1)


def test_the_same_seed_gives_the_same_deals_however_many_tables_there_are() -> None:
    few, many, other = Tables("gongzhu", 3, seed=9), Tables("gongzhu", 30, seed=9), Tables("gongzhu", 3, seed=10)
    assert few.observations.tobytes() == many.observations[:3].tobytes()
    assert few.observations.tobytes() != other.observations.tobytes()
    assert len({row.tobytes() for row in many.observations}) == 30


def test_the_first_table_is_that_of_the_environment_of_pettingzoo() -> None:
    tables, env = Tables("hearts", 1, seed=4), aec("hearts")
    env.reset(seed=4)
    for agent in env.agent_iter():
        observation, reward, over, _, _ = env.last()
        if over:
            assert reward == pytest.approx(float(tables.rewards[0, int(agent[-1])]))
            env.step(None)
        else:
            assert agent == f"seat_{tables.seats[0]}"
            assert (observation["observation"] == tables.unpack()[0]).all()
            assert (observation["action_mask"] == tables.mask()[0]).all()
            actions = tables.random_actions()
            tables.step(actions)
            env.step(actions[0])
    assert tables.over[0]


def test_rewards_of_a_table_add_up_to_nothing_and_come_only_at_the_end() -> None:
    tables = Tables("hearts", 200, seed=6)
    seen = 0.0
    for _ in range(100):
        tables.step(tables.random_actions())
        assert np.abs(tables.rewards.sum(axis=1)).max() < 1e-4
        assert not tables.rewards[~tables.over].any()
        seen = max(seen, float(np.abs(tables.rewards).max()))
    assert seen > 5


def test_random_actions_are_legal_and_reach_all_of_them() -> None:
    tables, seen = Tables("gongzhu-sale", 500, seed=7), set()
    for _ in range(60):
        actions = tables.random_actions()
        assert tables.mask()[np.arange(500), actions].all()
        seen |= set(actions.tolist())
        tables.step(actions)
    exposable = {22, 8, 37 + 1, 49}
    assert seen == {*range(53), *(54 + card for card in exposable)}


@pytest.mark.parametrize("make", [pytest.param(in_c, marks=here), in_python])
def test_an_illegal_action_is_named_and_no_table_changes(make: type[Tables]) -> None:
    tables = make(PRESETS["hearts"], 4, 8)
    before, actions = tables.observations.copy(), tables.random_actions()
    for wrong in (-1, 52, 53, 54, 105, 106, 1 << 40):
        actions[2] = wrong
        with pytest.raises(IllegalAction, match=rf"table 2: action {wrong} .*: \[\d+, "):
            tables.step(actions)
    assert tables.observations.tobytes() == before.tobytes()


def test_what_is_no_step_is_named() -> None:
    tables = Tables("hearts", 4)
    wrong: list[Any] = [np.zeros(3, dtype=np.int64), np.zeros(4), np.zeros((4, 1), dtype=np.int64)]
    for actions in wrong:
        with pytest.raises(ValueError, match=r"takes 4 integers, .*; given: shape"):
            tables.step(actions)
    with pytest.raises(ValueError, match="no table: games=0"):
        Tables("hearts", 0)
    with pytest.raises(ValueError, match=r"uint8 with the shape \(4, 1124\), "):
        tables.unpack(np.zeros((4, 1124), dtype=np.int8))
    kept = bytes(4 * 1124)
    with pytest.raises(ValueError, match=r"given: uint8, .*, read-only"):
        tables.unpack(np.frombuffer(kept, dtype=np.uint8).reshape(4, 1124))
    assert not any(kept)
    with pytest.raises(ValueError, match="read-only"):
        tables.observations[0, 0] = 1


def test_arrays_may_be_used_again() -> None:
    tables = Tables("hearts", 4)
    unpacked, mask = np.empty((4, 1124), dtype=np.uint8), np.empty((4, 54), dtype=np.int8)
    assert tables.unpack(unpacked) is unpacked
    assert tables.mask(mask) is mask
    assert (unpacked == tables.unpack()).all()
    assert (mask == tables.encoding.mask(tables.observations)).all()
    assert (unpacked == tables.encoding.unpack(tables.observations)).all()


def test_without_numpy_it_says_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\nfrom pigpen.learn import Tables\n"
        "try:\n    Tables('hearts', 1)\nexcept ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == NOT_INSTALLED
