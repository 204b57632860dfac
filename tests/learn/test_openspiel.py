"""Each variant as a game of OpenSpiel: as OpenSpiel's own tests check it, and as the other environments play it."""

from __future__ import annotations

import copy
import subprocess
import sys
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import external_sampling_mccfr, mcts
from open_spiel.python.observation import make_observation

from pigpen.learn import aec
from pigpen.learn._openspiel_game import NAME, PigpenGame
from pigpen.learn.single_table import Table
from pigpen.rules import CARDS, PRESETS, Rules
from tests.for_two import FEW_TRICKS, FOR_THREE, FOR_TWO
from tests.rules.table import named

QUICK = ("hearts", "gongzhu-sale", "chinese-hearts")
presets = pytest.mark.parametrize(
    "preset", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in PRESETS]
)
every_variant = pytest.mark.parametrize("rules", [*PRESETS.values(), FOR_TWO, FOR_THREE], ids=named)


def dealt(state: Any, rng: Random) -> Any:
    while state.is_chance_node():
        state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
    return state


@presets
def test_openspiel_accepts_the_game_of_every_preset(preset: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(NAME, {"rules": preset}), num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize("rules", [FOR_TWO, FOR_THREE, FEW_TRICKS], ids=named)
def test_openspiel_accepts_variants_that_no_preset_has(rules: Rules) -> None:
    pyspiel.random_sim_test(PigpenGame(rules=rules), num_sims=3, serialize=False, verbose=False)


@every_variant
def test_a_deal_brings_what_it_brings_at_a_table(rules: Rules) -> None:
    """The same cards and actions at a `Table`: the same choices, the same observations, the same rewards, in bounds."""
    game, rng = PigpenGame(rules=rules), Random(3)
    for _ in range(4):
        state = dealt(game.new_initial_state(), rng)
        table = Table.of(state.table.deal.copy())
        longest = 0
        while not state.is_terminal():
            seat = state.current_player()
            assert (seat, state.legal_actions()) == (table.seat, list(table.steps.legal()))
            packed = np.array(game.encoding.observe(table.view, table.steps), dtype=np.uint64)
            assert (state.observation_tensor(seat) == game.encoding.unpack(packed)).all()
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            table.act(action)
            longest += 1
        assert state.returns() == list(table.rewards())
        assert abs(sum(state.returns())) < 1e-6
        assert max(map(abs, state.returns())) <= game.max_utility()
        assert longest <= game.max_game_length()


def test_every_deck_is_as_likely_and_each_direction_of_passing_too() -> None:
    state = pyspiel.load_game(NAME).new_initial_state()
    assert state.chance_outcomes() == [(each, 1 / 4) for each in range(4)]
    state.apply_action(1)
    for number in range(52):
        outcomes = state.chance_outcomes()
        assert len(outcomes) == 52 - number
        assert {chance for _, chance in outcomes} == {1 / (52 - number)}
        state.apply_action(outcomes[-1][0])
    assert state.table.deal.number == 1
    assert state.current_player() == 0


@pytest.mark.parametrize("rules", [*PRESETS.values(), FOR_THREE], ids=named)
def test_hidden_cards_change_nothing_that_a_seat_sees(rules: Rules) -> None:
    """Exchange two cards that two other seats hold before the first decision; of two, each knows all cards."""
    game, rng = PigpenGame(rules=rules), Random(5)
    size = rules.plan.hand_size
    compared = 0
    for _ in range(12):
        state = dealt(game.new_initial_state(), rng)
        actions = list(state.history())
        seat = state.current_player()
        one, two = [other for other in range(rules.players) if other != seat][:2]
        first, second = 1 + one * size, 1 + two * size
        actions[first], actions[second] = actions[second], actions[first]
        other = game.new_initial_state()
        for action in actions:
            other.apply_action(action)
        if other.current_player() != seat:
            continue
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
        assert str(other) != str(state)
        compared += 1
    assert compared > 2


def test_an_information_state_has_the_plays_and_the_own_actions_in_order() -> None:
    game, rng = pyspiel.load_game(NAME, {"rules": "hearts"}), Random(1)
    state = dealt(game.new_initial_state(), rng)
    taken: dict[int, list[int]] = {seat: [] for seat in range(4)}
    for _ in range(30):
        seat = state.current_player()
        assert f"own {taken[seat]}" in state.information_state_string(seat)
        taken[seat].append(rng.choice(state.legal_actions()))
        state.apply_action(taken[seat][-1])
    seen = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    seen.set_from(state, 2)
    plays = list(state.table.deal.plays)
    assert [int(row.argmax()) for row in seen.dict["plays"] if row.any()] == plays
    assert seen.dict["observation"].shape == (1124,)


def test_all_hands_are_an_observation_of_their_own() -> None:
    game, rng = pyspiel.load_game(NAME, {"rules": "hearts"}), Random(1)
    state = dealt(game.new_initial_state(), rng)
    kind = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    seen = make_observation(game, kind)
    seen.set_from(state, 1)
    assert seen.dict["hands"].shape == (4, 52)
    own = np.flatnonzero(seen.dict["hands"][0])
    assert sum(1 << int(card) for card in own) == state.table.deal.hands[1]
    assert (seen.dict["hands"].sum(0) == 1).all()
    none = make_observation(
        game, pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    )
    none.set_from(state, 1)
    assert set(none.dict) == {"players", "plays"}
    assert "seat" not in none.string_from(state, 1)


def test_a_copy_is_a_state_of_its_own() -> None:
    state = dealt(pyspiel.load_game(NAME).new_initial_state(), Random(1))
    before, twin = str(state), state.clone()
    twin.apply_action(twin.legal_actions()[0])
    assert str(state) == before != str(twin)
    assert str(copy.deepcopy(state)) == before


def test_openspiels_algorithms_train_here() -> None:
    """Counterfactual regrets of a small variant, a tree search, and an environment for agents."""
    kept = {"QS", "KS", "JD", "2D", "3H", "QH", "2C", "AC"}
    few = tuple(str(card) for card in CARDS if str(card) not in kept)
    small = PigpenGame(rules=replace(FEW_TRICKS, name="four-tricks", removed=few))
    solver = external_sampling_mccfr.ExternalSamplingSolver(small, external_sampling_mccfr.AverageType.SIMPLE)
    for _ in range(3):
        solver.iteration()
    assert len(solver.average_policy()._infostates) > 10
    game = pyspiel.load_game(NAME, {"rules": "hearts"})
    state = dealt(game.new_initial_state(), Random(2))
    bot = mcts.MCTSBot(game, 2.0, 4, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)))
    assert bot.step(state) in state.legal_actions()
    env = rl_environment.Environment(game)
    step, rng = env.reset(), Random(4)
    while not step.last():
        legal = step.observations["legal_actions"][step.observations["current_player"]]
        step = env.step([rng.choice(legal)])
    assert sum(step.rewards) == pytest.approx(0)


def test_rewards_are_those_of_pettingzoo() -> None:
    """The environment of all seats deals by its own draws; its cards, given to the game, bring its rewards."""
    env: Any = aec("hearts")
    env.reset(seed=4)
    deal = env._table.deal
    state = pyspiel.load_game(NAME, {"rules": "hearts"}).new_initial_state()
    state.apply_action(deal.number)
    for hand in deal.dealt:
        for card in range(52):
            if hand >> card & 1:
                state.apply_action(card)
    for agent in env.agent_iter():
        observation, reward, over, _, _ = env.last()
        if over:
            assert state.returns()[int(agent[-1])] == pytest.approx(reward)
        else:
            state.apply_action(int(observation["action_mask"].argmax()))
        env.step(None if over else int(observation["action_mask"].argmax()))


def test_a_preset_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="'bridge'"):
        PigpenGame({"rules": "bridge"})


def test_without_openspiel_one_sentence_says_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['pyspiel'] = None\ntry:\n    import pigpen.learn.openspiel\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install open-spiel" in done.stdout
