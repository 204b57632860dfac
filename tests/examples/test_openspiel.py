"""OpenSpiel's bots at a table of Hearts: what they are asked, what comes of it, and what they cannot play."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyspiel
import pytest
from open_spiel.python.bots.uniform_random import UniformRandomBot

from benchmarks.duels import load_bot
from examples.openspiel import bot as example
from pigpen import ClockSetting, Phase, View, Welcome
from pigpen.bot import decide
from pigpen.rules import PRESETS, Action, Deal, Rules, deal_hands, seed_from
from pigpen.rules.presets import HEARTS, HEARTS_JACK
from tests.e2e.command import pigpen
from tests.rules.spiel import options
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH = Path(example.__file__)
SEED = seed_from("openspiel")
CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)
PATIENT = ("--limit", "60", "--clock", "900")
"""Limits that no machine reaches: its speed is not tried here."""


class Witness(UniformRandomBot):  # type: ignore[misc]
    """Plays any card, and remembers the states that it was asked about."""

    def __init__(self) -> None:
        super().__init__(0, Random(7))
        self.states: list[Any] = []

    def step(self, state: Any) -> int:
        self.states.append(state.clone())
        return int(super().step(state))


def seated(rules: Rules, bot: Any, monkeypatch: pytest.MonkeyPatch) -> example.OpenSpiel:
    monkeypatch.setattr(example, "make_bot", lambda game, seed: bot)
    player = example.OpenSpiel()
    player.match_started(Welcome(rules, 0, "deals:1", CLOCK))
    return player


def decisions(
    rules: Rules, player: example.OpenSpiel, numbers: range, after: int = 0
) -> Iterator[tuple[Deal, int, Action]]:
    """
    Deals that *player* plays in all four seats: before each of its decisions, the deal, the seat, and the answer.

    It is not asked before *after* cards have been played.
    """
    for number in numbers:
        deal = Deal(rules, deal_hands(rules, SEED, number), number=number)
        while not deal.is_over:
            for seat in deal.to_act:
                if len(deal.plays) < after:
                    deal.apply(seat, deal.default_action(seat))
                    continue
                answer = decide(player, View(rules, *deal.known_to(seat)[1:], seed=number))
                yield deal, seat, answer
                deal.apply(seat, answer)


@pytest.mark.parametrize("rules", [HEARTS, pytest.param(HEARTS_JACK, marks=pytest.mark.long)], ids=named)
def test_the_bot_is_asked_about_deals_that_fit_the_view(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    witness = Witness()
    player = seated(rules, witness, monkeypatch)
    asked = {Phase.PASS: 0, Phase.PLAY: 0}
    for deal, seat, answer in decisions(rules, player, range(4)):
        if deal.phase is Phase.MOON:
            continue
        legal = list(deal.legal(seat))
        firsts = witness.states if deal.phase is Phase.PLAY else witness.states[::3]
        assert len(firsts) == example.DEALS
        assert all(state.current_player() == 0 and options(state) == legal for state in firsts)
        assert deal.phase is Phase.PASS or answer in legal
        asked[deal.phase] += 1
        witness.states.clear()
    assert asked == {Phase.PASS: 3 * 4, Phase.PLAY: 4 * 52}


def test_the_state_tells_the_whole_deal_when_every_card_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the last trick's end one player knows all: OpenSpiel then counts what the engine counts."""
    witness = Witness()
    player = seated(HEARTS_JACK, witness, monkeypatch)
    compared = 0
    for deal, seat, answer in decisions(HEARTS_JACK, player, range(8), after=51):
        if deal.phase is Phase.PLAY:
            state, played = witness.states[-1], deal.copy()
            played.apply(seat, answer)
            state.apply_action(example.NUMBERS[answer])  # type: ignore[index]
            if played.phase is Phase.OVER:  # no moon
                ours = [26 - score for score in played.scores()]
                assert list(state.returns()) == ours[seat:] + ours[:seat]
                compared += 1
    assert compared >= 4


def test_what_the_bot_says_most_often_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fickle(Witness):
        """The highest option in every third deal, the lowest in the others."""

        def step(self, state: Any) -> int:
            self.states.append(state)
            return int(state.legal_actions()[-1 if len(self.states) % 3 == 1 else 0])

    player = seated(HEARTS, Fickle(), monkeypatch)
    for deal, seat, answer in decisions(HEARTS, player, range(3, 4)):  # number 3 passes nothing
        if deal.phase is Phase.PLAY:
            assert answer == min(deal.legal(seat), key=lambda card: (card.rank, card.suit))


def python_bot(game: Any) -> Any:
    return UniformRandomBot(0, Random(3))


def native_bot(game: Any) -> Any:
    return pyspiel.make_uniform_random_bot(0, 3)


def policy_bot(game: Any) -> Any:
    return pyspiel.make_policy_bot(game, 0, 3, pyspiel.PreferredActionPolicy(list(range(52))))


@pytest.mark.parametrize("make", [python_bot, native_bot, policy_bot])
def test_bots_of_every_kind_play_legally_to_the_end(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    player = seated(HEARTS, make(example.load_game(example.GAMES["hearts"] | {"pass_cards"})), monkeypatch)
    for deal, seat, answer in decisions(HEARTS, player, range(2, 4)):  # one with passing and one without
        deal.check(seat, answer)


def test_a_match_against_sample_bots_is_without_fault() -> None:
    done = pigpen(
        "play", "./examples/openspiel", "counting", "cautious", "random",
        "--rules", "hearts", "--deals", "1", "--seed", "7", "--sandbox", "process", "--json", *PATIENT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    bots = json.loads(done.stdout)["results"]
    assert [bot["bot"] for bot in bots if bot["faults"] == 0] == ["openspiel", "counting", "cautious", "random"]


@pytest.mark.parametrize(
    "rules", [PRESETS["gongzhu"], PRESETS["hearts-short"], replace(HEARTS, title="Mine", moon=None)]
)
def test_rules_that_openspiel_lacks_are_refused_in_a_sentence(rules: Rules) -> None:
    with pytest.raises(SystemExit, match=", ".join(example.GAMES)):
        example.OpenSpiel().match_started(Welcome(rules, 0, "deals:1", CLOCK))


def test_without_openspiel_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pyspiel.py").write_text("raise ModuleNotFoundError(\"No module named 'pyspiel'\")")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, PATH], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert last.endswith(": pip install open-spiel")


def test_the_adapter_has_60_lines_at_most() -> None:
    assert 30 <= len(PATH.read_text(encoding="utf-8").splitlines()) <= 60
    assert list(PATH.parent.glob("*.py")) == [PATH]


def test_the_match_can_be_repeated() -> None:
    def deal() -> bytes:
        bots = [load_bot("random")() for _ in range(3)]
        player = example.OpenSpiel()
        player.match_started(Welcome(HEARTS, 2, "deals:1", CLOCK))
        table = [*bots[:2], player, bots[2]]
        deal = Deal(HEARTS, deal_hands(HEARTS, SEED, 1), number=1)
        while not deal.is_over:
            for seat in deal.to_act:
                deal.apply(seat, decide(table[seat], View(HEARTS, *deal.known_to(seat)[1:], seed=5)))
        return bytes(deal.plays)

    assert deal() == deal()
