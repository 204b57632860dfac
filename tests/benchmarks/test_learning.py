"""Training: the policy learns what is chosen, and is written as C."""

from __future__ import annotations

import platform
import shutil
from bisect import bisect
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import learning
from benchmarks.learning import WEIGHTS, Examples, Numbers, decisions, learn, read, row, written
from hatch_engine import ENGINE
from native_build import MACHINES
from pigpen.rules import PRESETS, Deal, Phase, deal_hands, seed_from
from pigpen.sim import native
from pigpen.sim.native.binding import Engine

if TYPE_CHECKING:
    from pathlib import Path

FIRST = (0, 800, 1880, 2456)
"""The first number of each table; see learned.h."""


def test_it_learns_what_tells_chosen_cards_from_others() -> None:
    """Of two cards the one with the number 5 is chosen nine times in ten."""
    examples = Examples.of(
        [([(5, 900, 1900, 2500), (6, 900, 1900, 2500)], int(number % 10 == 0)) for number in range(40_000)]
    )
    logs = learn(examples)
    assert logs[5] - logs[6] == pytest.approx(np.log(9), abs=0.3)
    assert logs[900] == pytest.approx(0, abs=1e-6)
    assert row([[([(5, 900, 1900, 2500), (6, 900, 1900, 2500)], int(number == 3)) for number in range(10)]] * 2,
               logs, np.zeros(WEIGHTS))[1:] == ("0.693", "0.325", "0.693", "+0.3681 ± 0.0000", "90 %")  # fmt: skip


@pytest.mark.skipif(native.engine() is None, reason="what it sees is computed by the engine in C")
@pytest.mark.parametrize("name", ["hearts", "gongzhu-partners", "gongzhu-five"])
def test_what_it_sees_lies_within_the_tables(name: str) -> None:
    engine = native.engine()
    assert engine
    found = [*decisions(engine, PRESETS[name], seed_from("few"), 1)]
    assert len(found) > 20
    for cards, chosen in found:
        assert 0 <= chosen < len(cards) > 1
        for numbers in cards:
            assert [bisect(FIRST, number) for number in numbers] == [1, 2, 3, 4]
            assert max(numbers) < WEIGHTS


def test_the_weights_that_are_compiled_are_as_many_as_the_tables_have() -> None:
    text = native.library("x86_64").with_name("weights.h").read_text()
    assert text.count("f,") == WEIGHTS
    assert written(np.zeros(WEIGHTS)).count("1.000f,") == WEIGHTS


def expected(engine: Engine, deal: Deal, weights: Numbers) -> Numbers:
    """Scores that the policy brings on average: of each way on, its probability by *weights* times its scores."""
    if deal.is_over:
        return np.array(deal.scores(), float)
    options = deal.legal(deal.turn)
    parts = weights[np.array(engine.features(deal))].prod(axis=1)
    found = np.zeros(deal.rules.players)
    for card, share in zip(options, parts / parts.sum(), strict=True):
        after = deal.copy()
        after.play(card)
        found += share * expected(engine, after, weights)
    return found


def two_tricks_left(number: int) -> Deal:
    rules = PRESETS["hearts-short"]
    deal = Deal(rules, deal_hands(rules, seed_from("ends"), number), number=number)
    while deal.phase is not Phase.PLAY or len(deal.plays) < rules.players * (rules.plan.hand_size - 2):
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
    return deal


@pytest.mark.skipif(native.engine() is None or platform.machine() not in MACHINES, reason="it compiles the engine in C")
def test_what_the_command_writes_is_compiled_and_played_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The engine compiled from it plays the end of a deal as often in each way as the written weights say."""
    for source in ENGINE.sources:
        shutil.copy(source, tmp_path)
    file = tmp_path / "weights.h"
    monkeypatch.setattr(learning, "HELD_OUT", 2)
    monkeypatch.setattr("sys.argv", [
        "learning", "--rules", "hearts-short", "--deals", "3", "--processes", "1", "--write", str(file),
    ])  # fmt: skip
    learning.main()
    assert "hearts-short" in capsys.readouterr().out
    sources = tuple(tmp_path / source.name for source in ENGINE.sources)
    replace(ENGINE, sources=sources, flags=("-O1", *ENGINE.flags[1:4])).compile(
        platform.machine(), tmp_path / "engine.so"
    )
    engine, in_use = Engine(tmp_path / "engine.so"), native.engine()
    assert in_use
    new, old = np.exp(read(file)), np.exp(read(learning.IN_USE))
    apart = []
    for number in range(6):
        deal = two_tricks_left(number)
        wanted = expected(engine, deal, new), expected(in_use, deal, old)
        for library, scores in zip((engine, in_use), wanted, strict=True):
            assert library.learned_playouts(deal, 100_000, 1) == pytest.approx(scores, abs=0.12)
        apart.append(np.abs(wanted[0] - wanted[1]).max())
    assert max(apart) > 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--deals", "10"], "--deals must be 11 or more"),
        (["--processes", "0"], "--processes 1 or more"),
        (["--write", "no/such/weights.h"], "there is no folder no/such"),
    ],
)
def test_what_it_cannot_do_it_says_before_it_plays(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["learning", *arguments])
    monkeypatch.setattr(native, "engine", lambda: "here")
    with pytest.raises(SystemExit) as caught:
        learning.main()
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.h").write_text(written(np.zeros(WEIGHTS))[:-60], encoding="utf-8")
    with pytest.raises(ValueError, match="weights, not 4184"):
        read(tmp_path / "weights.h")
