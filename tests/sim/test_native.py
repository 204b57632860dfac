"""The accelerated engine against the pure one: the same random numbers, the same plays, the same scores."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeVar

import pytest

from hatch_engine import ENGINE
from pigpen.rules import PRESETS, Phase
from pigpen.sim import native
from pigpen.sim.playout import Policy, playout
from pigpen.sim.possible_deals import PossibleDeals
from pigpen.sim.sealed import SealedTrials
from tests.rules.players import any_action, lumpy_deal, somewhere
from tests.rules.table import ODD, named
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules import Deal, Rules

Answer = TypeVar("Answer")

MACHINES = ("x86_64", "aarch64")
FACTS = "import pigpen, random; from pigpen.rules import *; rules = PRESETS['gongzhu']; \
deal = Deal(rules, deal_hands(rules, bytes(32), 0)); \
print(pigpen.is_accelerated(), pigpen.playout(deal, rng=random.Random(1)))"

here = pytest.mark.skipif(platform.machine() not in MACHINES, reason="there is no library for this machine")


def pure(ask: Callable[[], Answer]) -> Answer:
    """Give the answer of *ask* without the accelerated engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "engine", lambda: None)
        return ask()


def begun(rules: Rules, rng: Random) -> Deal:
    """A deal of any shape in which cards are being played; everything that may be exposed often is."""
    deal = lumpy_deal(rules, rng)
    while deal.phase in (Phase.PASS, Phase.EXPOSE):
        deal.apply(deal.to_act[0], any_action(deal, deal.to_act[0], rng))
    return deal


@here
@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
@pytest.mark.parametrize("deals", [200, pytest.param(10_000, marks=pytest.mark.long)])
def test_many_deals_end_with_the_same_scores(rules: Rules, deals: int) -> None:
    """The policies take turns; a card that were legal for one engine only would change all that comes after it."""
    rng = Random(11)
    assert native.engine()
    for number in range(deals):
        deal, seed, policy = begun(rules, rng), rng.getrandbits(64), Policy(number % 2)
        assert playout(deal, policy, Random(seed)) == pure(lambda: playout(deal, policy, Random(seed)))  # noqa: B023


@here
@pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
def test_every_place_of_a_deal_of_any_rules_is_played_out_the_same(rules: Rules) -> None:
    rng = Random(12)
    for number in range(40):
        deal, seed, policy = somewhere(begun(rules, rng), rng), rng.getrandbits(64), Policy(number % 2)
        assert playout(deal, policy, Random(seed)) == pure(lambda: playout(deal, policy, Random(seed)))  # noqa: B023


@here
@pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
def test_samples_and_playouts_of_them_are_the_same(rules: Rules) -> None:
    """Cards passed unseen are the same too, which shows that both have drawn as many numbers."""
    rng = Random(13)
    for _ in range(15):
        deal = somewhere(begun(rules, rng), rng)
        view, seed = bot_view(deal, deal.turn), rng.getrandbits(64)
        if deal.phase is not Phase.PLAY:
            continue
        one, other = view.sample(Random(seed)), pure(lambda: view.sample(Random(seed)))  # noqa: B023
        assert (one.hands, one.dealt, one.passed, one.exposures) == (
            other.hands, other.dealt, other.passed, other.exposures,
        )  # fmt: skip
        assert bot_view(one, deal.turn) == view
        assert view.playouts(3, Random(seed)) == pure(lambda: view.playouts(3, Random(seed)))  # noqa: B023
        some = rng.sample(view.legal, rng.randint(1, len(view.legal)))
        few = view.playouts(2, Random(seed), cards=some)
        assert few == pure(lambda: view.playouts(2, Random(seed), cards=some))  # noqa: B023
        assert [*few] == sorted(some)


@here
@pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
def test_passes_and_exposures_are_tried_with_the_same_results(rules: Rules) -> None:
    """In each phase of deals of any shape; afterwards both have drawn as many random numbers."""
    rng = Random(14)
    for number in range(15):
        deal, policy = lumpy_deal(rules, rng), Policy(number % 2)
        while deal.phase in (Phase.PASS, Phase.EXPOSE):
            seat, seed, deals = deal.to_act[0], rng.getrandbits(64), 1 + number % 3
            actions = [any_action(deal, seat, rng) for _ in range(4)]

            def ask() -> tuple[list[float], int]:
                trials, own = SealedTrials(PossibleDeals(bot_view(deal, seat)), policy), Random(seed)  # noqa: B023
                choices = [trials.choice(action) for action in actions]  # noqa: B023
                return trials.margins(choices, own, deals), own.getrandbits(64)  # noqa: B023

            assert ask() == pure(ask)
            deal.apply(seat, actions[0])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_library_is_compiled_from_the_sources_beside_it(machine: str) -> None:
    assert ENGINE.source_hash in native.library(machine).read_bytes().decode("latin-1"), "run scripts/venv"


@here
@pytest.mark.long
def test_nothing_that_it_does_is_undefined(tmp_path: Path) -> None:
    """Compiled so that an index outside an array, an overflow or a bad shift ends the process at once."""
    checks = ("-fsanitize=undefined", "-fsanitize-trap=undefined")
    checked = replace(ENGINE, flags=(*ENGINE.flags, *checks))
    checked.compile(platform.machine(), tmp_path / "engine.so")
    command = [sys.executable, "-m", "tests.sim.checked_engine", str(tmp_path / "engine.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 100


@pytest.mark.parametrize("wish", ["0", "1"])
def test_it_can_be_switched_off_with_the_same_results(wish: str) -> None:
    environment = os.environ | {"PIGPEN_PURE": wish}
    done = subprocess.run([sys.executable, "-c", FACTS], env=environment, capture_output=True, text=True, check=True)
    is_accelerated, _, scores = done.stdout.strip().partition(" ")
    assert is_accelerated == str(wish == "0" and platform.machine() in MACHINES)
    assert scores == "(-10, -140, 60, -80)"


def test_a_machine_without_a_library_or_with_a_broken_one_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    load = native.engine.__wrapped__
    monkeypatch.delenv("PIGPEN_PURE", raising=False)
    monkeypatch.setattr(platform, "machine", lambda: "s390x")
    assert load() is None
    monkeypatch.setattr(native, "library", lambda machine: Path(native.__file__))
    assert load() is None
