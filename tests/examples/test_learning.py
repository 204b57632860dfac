"""Programs that learn with libraries of others: each runs as it stands, in a Python of its own with the library."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from pigpen.learn import BoardResult, Tables
from tests.e2e.command import pigpen
from tests.learn.test_boards import TINY, best_reward, first_legal

ROOT = Path(__file__).parents[2]
PYTHONS = ROOT / ".venv" / "learners"
"""Kept for the next run: some 6 GB with PyTorch."""
PACKAGES = {
    "with_sb3": ["torch", "sb3-contrib"],
    "with_torchrl": ["torch", "torchrl", "gymnasium"],
    "with_rllib": ["torch", "ray[rllib]"],
}
HELD_OUT = 1 << 40
"""The first seed of boards in exploit.py."""
SCORE = re.compile(r"^points a deal: [+-]\d+\.\d\d")


@pytest.fixture(scope="module")
def python() -> Path:
    """A Python of its own: PyTorch is no dependency of the tests."""
    if not (PYTHONS / "bin" / "pip").exists():
        subprocess.run([sys.executable, "-m", "venv", PYTHONS], check=True)
    return PYTHONS / "bin" / "python"


def test_there_is_a_program_for_each_library_of_at_most_25_lines() -> None:
    programs = {path.stem: path.read_text("utf-8") for path in (ROOT / "examples" / "learning").glob("*.py")}
    assert programs.keys() == PACKAGES.keys()
    assert max(text.count("\n") for text in programs.values()) <= 25
    page = (ROOT / "docs" / "learn.md").read_text("utf-8")
    assert all(f"`{name}.py`" in page for name in programs)


def installed(python: Path, packages: list[str]) -> None:
    install: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *packages,
        ROOT / "sdk",
    ]
    subprocess.run(install, check=True, timeout=1800)


@pytest.mark.long
@pytest.mark.parametrize("name", PACKAGES)
def test_the_library_learns_here(name: str, python: Path) -> None:
    installed(python, PACKAGES[name])
    program = ROOT / "examples" / "learning" / f"{name}.py"
    done = subprocess.run([python, program], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    assert SCORE.search(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def torch_python(python: Path) -> Path:
    """The same with what examples/torch_bot needs."""
    installed(python, ["torch", "onnx", "onnxruntime", "gymnasium"])
    return python


@pytest.mark.long
def test_a_net_learns_becomes_a_bot_and_is_exploited(torch_python: Path, tmp_path: Path) -> None:
    """Three updates: a file of ONNX, a bot that plays deals by it, and a best response to it."""
    programs, folder = ROOT / "examples" / "torch_bot", tmp_path / "trained"
    subprocess.run([torch_python, programs / "train.py", folder, "--updates", "3"], check=True, timeout=600)
    assert {path.name for path in folder.iterdir()} == {"bot.py", "net.onnx", "requirements.txt"}
    refused = subprocess.run([torch_python, programs / "train.py", folder], capture_output=True, text=True)
    assert (refused.returncode, str(folder) in refused.stderr) == (2, True)
    play = (
        "from bot import Trained\nfrom pigpen import View\nfrom pigpen.rules import PRESETS, Deal, Phase, deal_hands\n"
        "for trials in (0, 1):\n    bot = Trained()\n    bot.trials = trials\n"
        "    for rules in PRESETS.values():\n        deal = Deal(rules, deal_hands(rules, bytes(32), 0))\n"
        "        while not deal.is_over:\n            seat = deal.to_act[0]\n"
        "            view = View(*deal.known_to(seat), seed=1)\n"
        "            ask = {Phase.PASS: bot.pass_cards, Phase.EXPOSE: bot.expose, Phase.MOON: bot.choose_moon}\n"
        "            deal.apply(seat, ask.get(deal.phase, bot.play)(view))\n        print(deal.scores())\n"
    )
    done = subprocess.run([torch_python, "-c", play], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("(") == 16
    exploited = run_example(torch_python, "exploit.py", str(folder / "net.onnx"), "--updates", "2", "--boards", "75")
    assert exploited.returncode == 0, exploited.stderr
    assert re.search(BOUND + r" \(75 boards, .* 24,576 decisions\)$", exploited.stdout.splitlines()[-1])
    begun = ("--start", str(folder / "net.onnx"), "--updates", "1", "--boards", "50")
    assert re.search(BOUND, run_example(torch_python, "exploit.py", "careful", *begun).stdout.splitlines()[-1])
    none = run_example(torch_python, "exploit.py", "careful", "--start", str(folder / "bot.py"), "--updates", "1")
    assert (none.returncode, str(folder / "bot.py") in none.stderr, "Traceback" in none.stderr) == (2, True, False)
    few = ("--rounds", "1", "--updates", "1", "--boards", "10")
    league = run_example(torch_python, "league.py", str(folder / "net.onnx"), str(tmp_path / "league"), *few)
    assert league.returncode == 0, league.stderr
    nets, last = ["exploiter-0", "exploiter-1", "main-0", "main-1"], league.stdout.splitlines()[-2:]
    assert sorted(path.name for path in (tmp_path / "league").iterdir()) == sorted([*nets, "matrix.csv"])
    rows = list(csv.DictReader((tmp_path / "league" / "matrix.csv").read_text("utf-8").splitlines()))
    bots = {*nets, "careful", "random"}
    assert {(row["one"], row["others"]) for row in rows} == set(permutations(bots, 2))
    points = {row["one"]: float(row["points"]) for row in rows if row["others"] == "main-0"}
    assert f" {max(points, key=lambda one: points[one])} wins " in last[0]
    assert [line.partition(":")[0] for line in last] == ["main-0", "main-1"]


BOUND = r"^(exploitable by at least|no exploit found:) [+-]\d+\.\d\d ± \d+\.\d\d points a deal"

TINY_PROGRAM = """
import json
from dataclasses import replace
from exploit import bot_of, measure, respond
from pigpen.rules import PRESETS

def first_legal(seen, mask):
    return mask.argmax(1)

removed = tuple(f"{rank}{suit}" for suit in "CDSH" for rank in "3456789TJK")
tiny = replace(PRESETS["hearts-jack"], name="tiny", players=2, passing=None, moon=None, removed=removed)
net = respond(first_legal, 5, tiny).net
print(json.dumps(measure(bot_of(net), first_legal, 200, rules=tiny).values.tolist()))
"""


def run_example(python: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = ROOT / "examples" / "torch_bot" / program
    return subprocess.run([python, path, *words], capture_output=True, text=True, timeout=1200)


@pytest.mark.long
def test_a_best_response_gains_where_it_must_and_no_more_than_can_be_gained(torch_python: Path) -> None:
    """The fixed policy takes the lowest card; all hands are known, so the best response can be searched for."""
    folder, boards = ROOT / "examples" / "torch_bot", 10
    done = subprocess.run([torch_python, "-c", TINY_PROGRAM], cwd=folder, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    result = BoardResult(np.array(json.loads(done.stdout.splitlines()[-1])))
    start = Tables(TINY, boards, HELD_OUT + 1)
    best = [
        float(np.mean([best_reward(start.clone(board), seat, first_legal) for seat in range(2)]))
        for board in range(boards)
    ]
    assert result.gain is not None
    assert result.gain > 1.0
    assert (result.values[:boards] <= best).all()


@pytest.mark.long
def test_what_is_not_exploited_is_said_so(torch_python: Path) -> None:
    """A response that has hardly learned loses to a careful policy: none found, and no bound of 0."""
    done = run_example(torch_python, "exploit.py", "careful", "--updates", "1", "--boards", "50")
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert re.search(BOUND + r" \(50 boards", last)
    assert last.startswith("no exploit found: -")
    absent = run_example(torch_python, "exploit.py", "absent")
    assert (absent.returncode, "no bot absent" in absent.stderr) == (2, True)


@pytest.mark.long
def test_a_bot_with_a_class_is_exploited_too(torch_python: Path, tmp_path: Path) -> None:
    """The response is written as a bot's folder."""
    cautious, response = ROOT / "sample_bots" / "cautious", tmp_path / "response"
    few = ("--updates", "1", "--boards", "2")
    done = run_example(torch_python, "exploit.py", str(cautious), *few, "--write", str(response))
    assert done.returncode == 0, done.stderr
    assert re.search(BOUND + r" \(2 boards, .* 768 decisions\)$", done.stdout.splitlines()[-1])
    assert {path.name for path in response.iterdir()} == {"bot.py", "net.onnx", "requirements.txt"}


@pytest.mark.long
@pytest.mark.docker
def test_a_trained_net_passes_the_check_and_enters_a_ladder(torch_python: Path, tmp_path: Path) -> None:
    """In containers, with packages from the index, as a contestant would enter it."""
    folder = tmp_path / "trained"
    program = ROOT / "examples" / "torch_bot" / "train.py"
    subprocess.run([torch_python, program, folder, "--updates", "1"], check=True, timeout=600)
    checked = pigpen("check", str(folder), "--rules", "hearts-short", "--limit", "30", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    words = ("--name", "Trained", "--owner", "ada", "--variant", "hearts-short")
    entered = pigpen("submit", str(folder), *words, folder=tmp_path, PIGPEN_DATA_DIR=str(tmp_path / "ladder"))
    assert entered.returncode == 0, entered.stdout + entered.stderr
    assert "hearts-short: entered" in entered.stdout
