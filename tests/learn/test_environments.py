"""The environments as PettingZoo and Gymnasium check them, and as a match would be."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils import turn_based_aec_to_parallel

from pigpen import Bot, Card, View
from pigpen.learn import Encoding, aec, against
from pigpen.learn.packages import NOT_INSTALLED
from pigpen.learn.single_table import Table
from pigpen.rules import PRESETS, IllegalAction, Phase, Rules
from sample_bots.cautious.bot import Cautious
from tests.for_two import FOR_TWO
from tests.rules.table import ODD, named

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
every_variant = pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD, FOR_TWO], ids=named)
not_a_box = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)
"""An observation with a mask is a dictionary, as in PettingZoo's own card games, which the check knows by name."""


def played(
    env: Any, seed: int | None = None
) -> Iterator[tuple[str, dict[str, Any], float, dict[str, Any], int | None]]:
    """An episode by seeded chance: each agent, what it gets, and its action."""
    env.reset(seed=seed)
    rng = Random(seed)
    for agent in env.agent_iter():
        observation, reward, over, _, info = env.last()
        action = None if over else rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
        yield agent, observation, reward, info, action
        env.step(action)


@not_a_box
@every_variant
def test_pettingzoo_accepts_the_environment_of_every_variant(rules: Rules) -> None:
    api_test(aec(rules), num_cycles=200)


@not_a_box
@every_variant
def test_the_same_seed_gives_the_same_deals(rules: Rules) -> None:
    seed_test(lambda: aec(rules), num_cycles=100)
    ways = [[entry[1:] for seed in (5, 6) for entry in played(aec(rules), seed)] for _ in range(2)]
    assert data_equivalence(ways[0], ways[1])


def test_another_seed_and_the_next_episode_give_other_deals() -> None:
    env = aec("hearts")
    first, other = (next(played(env, seed))[1]["observation"] for seed in (5, 6))
    following = next(played(env))[1]["observation"]
    assert not (first == other).all()
    assert not (other == following).all()


@not_a_box
@pytest.mark.parametrize("rules", [PRESETS["hearts"], PRESETS["gongzhu-sale"], FOR_TWO], ids=named)
def test_pettingzoos_own_wrapper_makes_a_parallel_environment(rules: Rules) -> None:
    parallel_api_test(turn_based_aec_to_parallel(aec(rules)), num_cycles=100)


@every_variant
def test_an_episode_is_a_deal_and_rewards_are_points_better_than_the_table(rules: Rules) -> None:
    for seed in range(3):
        ends = {
            agent: (reward, info["points"])
            for agent, _, reward, info, action in played(aec(rules), seed)
            if action is None
        }
        assert len(ends) == rules.players
        mean = sum(points for _, points in ends.values()) / rules.players
        sign = -1 if rules.low_is_better else 1
        assert {agent: sign * (points - mean) for agent, (_, points) in ends.items()} == pytest.approx(
            {agent: reward for agent, (reward, _) in ends.items()}
        )


def test_an_agent_sees_only_what_its_seat_knows_also_when_another_one_acts() -> None:
    env = aec("gongzhu-sale")
    for agent, observation, *_ in played(env, 3):
        for other in env.agents:
            if other != agent:
                assert not env.observe(other)["action_mask"].any()
        assert env.observation_space(agent).contains(observation)


def test_an_illegal_action_is_named() -> None:
    env = aec("hearts")
    env.reset(seed=1)
    wrong = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    with pytest.raises(IllegalAction, match=f"action {wrong} is not legal"):
        env.step(wrong)


def test_a_text_shows_the_table() -> None:
    env = aec("hearts", render_mode="ansi")
    env.reset(seed=1)
    assert env.render().startswith("<View of seat ")
    with pytest.raises(ValueError, match="no render mode 'rgb_array'"):
        aec("hearts", render_mode="rgb_array")


def test_an_environment_that_was_not_reset_says_so() -> None:
    with pytest.raises(ValueError, match=r"Call reset\(\) first\."):
        aec("hearts").observe("seat_0")


class Lowest(Bot):
    """Notes what it is asked."""

    seen: list[View]

    def __init__(self) -> None:
        self.seen = []

    def play(self, view: View) -> Card:
        self.seen.append(view)
        return view.legal[0]


def bots(rules: Rules) -> list[type[Bot]]:
    return [Cautious, Lowest, Lowest, Cautious, Lowest, Lowest, Lowest][: rules.players - 1]


@pytest.mark.filterwarnings("ignore:An illegal action was replaced:UserWarning")  # the check takes any action
@every_variant
def test_gymnasium_accepts_one_seat_against_bots_in_every_variant(rules: Rules) -> None:
    check_env(against(bots(rules), rules), skip_render_check=True)  # which needs an environment made by a name


def test_a_seat_against_bots_is_a_whole_deal() -> None:
    """The bots see what a match would show them, and the rewards of all deals fit their points."""
    mine, opponents = Encoding("hearts"), [Lowest() for _ in range(3)]
    env: Any = against(opponents, "hearts")
    rng, seats = Random(2), set()
    for number in range(12):
        observation, info = env.reset(seed=1 if number == 0 else None)
        seats.add(info["seat"])
        over, steps = False, 0
        while not over:
            assert (info["action_mask"] == env.action_masks()).all()
            assert observation[:52].sum() in range(1, 14)
            action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
            observation, reward, over, truncated, info = env.step(action)
            steps += 1
            assert (truncated, info["illegal"]) == (False, False)
            assert over or reward == 0
        assert 4 <= steps <= mine.actions
        assert reward == pytest.approx(26 / 4 - info["points"]) or abs(info["points"]) >= 26 or info["points"] == 0
    assert seats == {0, 1, 2, 3}
    assert all(view.phase is Phase.PLAY and len(view.legal) > 1 for bot in opponents for view in bot.seen)


def test_a_seat_may_be_chosen() -> None:
    env = against([Lowest] * 3, "hearts", seat=2)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(8)} == {2}


def test_an_illegal_action_is_replaced_as_the_referee_does() -> None:
    env = against([Lowest] * 3, "gongzhu", seat=0)
    _, info = env.reset(seed=4)
    replaced = 0
    with pytest.warns(UserWarning, match="was replaced") as warned:
        *_, info = env.step(53)
    assert info["illegal"]
    assert len(warned) == 1
    for _ in range(40):
        *_, over, _, info = env.step(53)
        replaced += info["illegal"]
        if over:
            break
    assert over
    assert replaced > 5  # with no further warning, which would be an error here


class Wrong(Bot):
    """Answers with a card that it may not play, or with nothing."""

    def play(self, view: View) -> Any:
        return next(iter(view.unseen)) if view.decision % 2 else None


def test_a_wrong_answer_of_a_bot_is_replaced_too() -> None:
    env: Any = against([Wrong] * 3, "hearts", seat=1)
    env.reset(seed=4)
    over = False
    while not over:
        *_, over, _, info = env.step(int(np.argmax(env.action_masks())))
        assert not info["illegal"]
    assert info["points"] in range(27)


def test_a_seed_gives_the_deals_of_the_other_environments() -> None:
    env: Any = against([Lowest] * 3, "hearts")
    for seed in (1, 7, 2**70):
        env.reset(seed=seed)
        table = Table(PRESETS["hearts"], seed)
        assert (env._table.deal.number, env._table.deal.dealt) == (table.deal.number, table.deal.dealt)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([Lowest], "hearts"), "hearts takes 3 bots beside yours; 1 are given"),
        (([Lowest] * 3, "hearts", 4), "There is no seat 4. Choose one from 0 to 3"),
        (([Lowest] * 3, "bridge"), "There is no preset 'bridge'"),
        (([Lowest] * 3, "hearts", 0, "rgb_array"), "no render mode 'rgb_array'"),
    ],
)
def test_what_makes_no_sense_is_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        against(*arguments)


def test_a_variant_without_a_choice_is_refused() -> None:
    nothing = replace(
        FOR_TWO, name="nothing", removed=tuple(str(card) for card in FOR_TWO.deck if str(card) not in ("2C", "JD")),
        scoring=replace(FOR_TWO.scoring, points={"JD": 1}), first_trick=None, leading=None,
    )  # fmt: skip
    with pytest.raises(ValueError, match="in nothing: in 1,000 deals "):
        aec(nothing).reset(seed=1)


@pytest.mark.parametrize("missing", ["gymnasium", "numpy", "pettingzoo"])
def test_a_missing_package_is_one_sentence(missing: str) -> None:
    program = (
        f"import sys; sys.modules['{missing}'] = None\n"
        "from pigpen.learn import Encoding, aec\n"
        "try:\n    aec('hearts')\nexcept ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == NOT_INSTALLED


def test_importing_it_loads_none_of_them() -> None:
    program = "import sys, pigpen.learn; print({'numpy', 'gymnasium', 'pettingzoo'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_both_distributions_have_the_same_extra() -> None:
    ours, sdk = (tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8")) for folder in (".", "sdk"))
    extras = [each["project"]["optional-dependencies"]["learn"] for each in (ours, sdk)]
    assert extras[0] == extras[1]


@pytest.mark.parametrize("value", [1.5, 6.0, "6", True, None, np.float64(6), np.True_, np.array([6, 7])], ids=repr)
def test_an_action_that_is_no_whole_number_is_refused_and_changes_nothing(value: Any) -> None:
    """Python equates 6.0 with 6 and True with 1, and ``int`` reads "6"."""
    rules = PRESETS["hearts"]
    table: Any = aec(rules)
    seat: Any = against([Cautious] * 3, rules)
    table.reset(seed=1)
    seat.reset(seed=1)
    before = table.last()[0]["observation"].copy(), seat.unwrapped.action_masks()
    for env in (table, seat):
        with pytest.raises(IllegalAction, match="whole number"):
            env.step(value)
    assert np.array_equal(table.last()[0]["observation"], before[0])
    assert np.array_equal(seat.unwrapped.action_masks(), before[1])
    table.step(np.int64(np.flatnonzero(table.last()[0]["action_mask"])[0]))
