"""Environments of Gymnasium by name, and those of many tables at once."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import pigpen_arena as arena
from pigpen import Policy
from pigpen.learn import Encoding, Tables, aec, against, against_many
from pigpen.learn.registered import NAMES
from pigpen.rules import PRESETS, Rules
from tests.for_two import FOR_THREE, FOR_TWO
from tests.rules.table import named

if TYPE_CHECKING:
    from numpy.typing import NDArray

GAMES = 48
every_variant = pytest.mark.parametrize("rules", [*PRESETS.values(), FOR_TWO, FOR_THREE], ids=named)


def first_legal(_observations: NDArray[np.uint8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    actions: NDArray[np.int64] = mask.argmax(1)
    return actions


def test_each_preset_has_a_name() -> None:
    assert NAMES["hearts"] == "Pigpen/Hearts-v0"
    assert NAMES["gongzhu-sale"] == "Pigpen/GongzhuSale-v0"
    assert set(NAMES) == set(PRESETS)
    assert set(NAMES.values()) <= set(gymnasium.registry)


@pytest.mark.filterwarnings("ignore:An illegal action was replaced:UserWarning")  # the check takes any action
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("mask_in_observation", [False, True])
def test_gymnasium_accepts_what_it_makes_by_name(preset: str, mask_in_observation: bool) -> None:
    env = gymnasium.make(NAMES[preset], mask_in_observation=mask_in_observation)
    assert env.spec
    assert env.spec.id == NAMES[preset]
    check_env(env.unwrapped)


def test_a_name_with_its_module_needs_no_import_before() -> None:
    program = (
        "import gymnasium, json\nenv = gymnasium.make('pigpen.learn.registered:Pigpen/Hearts-v0', seat=2)\n"
        "print(json.dumps([env.spec.id, env.reset(seed=1)[1]['seat']]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["Pigpen/Hearts-v0", 2]
    assert done.stderr == ""


def test_an_environment_is_made_again_from_its_spec() -> None:
    env = gymnasium.make("Pigpen/Gongzhu-v0", bots=[Policy.RANDOM] * 3, seat=1)
    assert env.spec
    again = gymnasium.make(env.spec)
    assert data_equivalence(env.reset(seed=3), again.reset(seed=3))


def test_the_mask_stands_in_the_observation_if_wanted() -> None:
    for env in (
        against([Policy.CAREFUL] * 3, "hearts", mask_in_observation=True),
        arena.against(["counting", "random", "cautious"], rules="hearts", mask_in_observation=True),
    ):
        observation, info = env.reset(seed=5)
        over = False
        while not over:
            assert env.observation_space.contains(observation)
            assert (observation["action_mask"] == info["action_mask"]).all()
            observation, _, over, _, info = env.step(int(observation["action_mask"].argmax()))
        assert not observation["action_mask"].any()


def test_human_prints_what_ansi_returns(capsys: pytest.CaptureFixture[str]) -> None:
    texts: dict[str, list[str]] = {}
    for mode in ("ansi", "human"):
        env: Any = against([Policy.CAREFUL] * 3, "hearts", seat=0, render_mode=mode)
        _, info = env.reset(seed=1)
        shown = [env.render()]
        for _ in range(3):
            *_, info = env.step(info["action_mask"].argmax())
            shown.append(env.render())
        texts[mode] = shown
    assert texts["human"] == [None] * 4
    assert capsys.readouterr().out == "".join(f"{text}\n" for text in texts["ansi"])


def test_the_environment_of_all_seats_prints_each_step_too(capsys: pytest.CaptureFixture[str]) -> None:
    env = aec("hearts", render_mode="human")
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    assert env.render() is None
    assert capsys.readouterr().out.count("<View of seat ") == 2


@every_variant
def test_a_vector_environment_plays_whole_deals_against_policies_and_nets(rules: Rules) -> None:
    """Observations are those of the learner's seat, rewards come at the end of each of its deals, masks are legal."""
    others: list[Any] = [Policy.CAREFUL, first_legal, Policy.RANDOM, *[first_legal] * 5][: rules.players - 1]
    env: Any = against_many(others, rules, GAMES)
    observations, infos = env.reset(seed=4)
    rng, ended, seats = np.random.default_rng(1), 0, set()
    for _ in range(60):
        assert observations in env.observation_space
        assert (infos["seat"] == env._tables.seats).all()
        seats |= set(infos["seat"].tolist())
        assert infos["action_mask"].any(axis=1).all()
        chance = rng.random(infos["action_mask"].shape) * infos["action_mask"]
        observations, rewards, over, truncated, infos = env.step(chance.argmax(1))
        assert not infos["illegal"].any()
        assert not truncated.any()
        assert not rewards[~over].any()
        assert over.any() == ("final_obs" in infos)
        ended += int(over.sum())
    assert ended > GAMES
    assert seats == set(range(rules.players))


def test_a_vector_environment_plays_the_deals_and_gets_the_rewards_of_its_tables() -> None:
    """With every seat played by one function, a learner that follows it plays what `Tables` alone does."""
    env: Any = against_many(first_legal, "hearts", GAMES, seat=2)
    tables = Tables("hearts", GAMES, seed=9)
    _, infos = env.reset(seed=9)
    wanted: list[list[float]] = [[] for _ in range(GAMES)]
    asked = np.zeros(GAMES, dtype=np.bool_)  # a deal in which seat 2 has no choice is left out
    for _ in range(400):
        asked |= tables.seats == 2
        tables.step(tables.mask().argmax(1))
        for row in np.flatnonzero(tables.over & asked):
            wanted[row].append(float(tables.rewards[row, 2]))
        asked &= ~tables.over
    found: list[list[float]] = [[] for _ in range(GAMES)]
    for _ in range(80):
        _, rewards, over, _, infos = env.step(infos["action_mask"].argmax(1))
        for row in np.flatnonzero(over):
            found[row].append(float(rewards[row]))
    for one, other in zip(wanted, found, strict=True):
        both = min(len(one), len(other))
        assert both >= 3
        assert one[:both] == other[:both]


def test_an_illegal_action_at_one_of_many_tables_is_replaced_and_warned_of_once() -> None:
    env: Any = against_many(Policy.CAREFUL, "gongzhu", 8, seat=0)
    _, infos = env.reset(seed=3)
    legal = infos["action_mask"].argmax(1)
    wrong = legal.copy()
    wrong[[1, 5]] = 53, -1
    with pytest.warns(UserWarning, match="was replaced"):
        _, _, _, _, infos = env.step(wrong)
    assert np.flatnonzero(infos["illegal"]).tolist() == [1, 5]
    _, _, _, _, infos = env.step(np.full(8, 1 << 40))
    assert infos["illegal"].all()


def test_gymnasium_makes_many_tables_by_name() -> None:
    env: Any = gymnasium.make_vec("Pigpen/Hearts-v0", num_envs=6, mask_in_observation=True, seat=1)
    assert env.spec.id == "Pigpen/Hearts-v0"
    first, again = env.reset(seed=7)[0], env.reset(seed=7)[0]
    assert data_equivalence(first, again)
    assert first["observation"].shape == (6, Encoding("hearts").size)
    one_by_one: Any = gymnasium.make_vec("Pigpen/Hearts-v0", num_envs=2, vectorization_mode="sync")
    assert one_by_one.reset(seed=7)[0].shape == (2, Encoding("hearts").size)


def test_the_same_seed_and_actions_give_the_same_steps_also_after_a_pickle() -> None:
    def steps(env: Any, infos: dict[str, Any]) -> list[Any]:
        found = []
        for _ in range(30):
            observations, rewards, over, _, infos = env.step(infos["action_mask"].argmax(1))
            found.append((observations.tobytes(), rewards.tobytes(), over.tobytes()))
        return found

    env: Any = against_many(Policy.CAREFUL, "gongzhu-sale", 16)
    _, infos = env.reset(seed=2)
    twin = pickle.loads(pickle.dumps(env))
    wanted = steps(env, infos)
    assert steps(twin, infos) == wanted
    _, infos = env.reset(seed=2)
    assert steps(env, infos) == wanted


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([Policy.CAREFUL], "hearts", 4), "hearts takes 3 bots beside yours; 1 are given"),
        ((Policy.CAREFUL, "hearts", 4, 4), "There is no seat 4. Choose one from 0 to 3"),
        ((Policy.CAREFUL, "bridge", 4), "There is no preset 'bridge'"),
        ((Policy.CAREFUL, "hearts", 0), "There is no table: games=0"),
    ],
)
def test_what_makes_no_sense_is_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        against_many(*arguments)


def test_steps_that_make_no_sense_are_named() -> None:
    env: Any = against_many(Policy.CAREFUL, replace(PRESETS["hearts"], name="mine"), 4)
    with pytest.raises(ValueError, match=r"Call reset\(\) first"):
        env.step(np.zeros(4, dtype=np.int64))
    env.reset(seed=1)
    for actions in (np.zeros(3, dtype=np.int64), np.zeros(4)):
        with pytest.raises(ValueError, match="A step takes 4 integers"):
            env.step(actions)
    with pytest.raises(ValueError, match="no render mode"):
        gymnasium.make_vec("Pigpen/Hearts-v0", num_envs=2, render_mode="human")
