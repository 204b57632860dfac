"""Programs that learn with libraries of others: each runs as it stands, in a Python of its own with the library."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command import pigpen

ROOT = Path(__file__).parents[2]
PYTHONS = ROOT / ".venv" / "learners"
"""Kept for the next run: some 6 GB with PyTorch."""
PACKAGES = {
    "with_sb3": ["torch", "sb3-contrib"],
    "with_torchrl": ["torch", "torchrl", "gymnasium"],
    "with_rllib": ["torch", "ray[rllib]"],
}
SCORE = re.compile(r"^points a deal: [+-]\d+\.\d\d")


@pytest.fixture
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


@pytest.mark.long
def test_a_net_learns_becomes_a_bot_and_is_exploited(python: Path, tmp_path: Path) -> None:
    """Three updates: a file of ONNX, a bot that plays deals by it, and a best response to it."""
    installed(python, ["torch", "onnx", "onnxruntime", "gymnasium"])
    programs, folder = ROOT / "examples" / "torch_bot", tmp_path / "trained"
    subprocess.run([python, programs / "train.py", folder, "--updates", "3"], check=True, timeout=600)
    assert {path.name for path in folder.iterdir()} == {"bot.py", "net.onnx", "requirements.txt"}
    refused = subprocess.run([python, programs / "train.py", folder], capture_output=True, text=True)
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
    done = subprocess.run([python, "-c", play], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("(") == 16
    command: list[str | Path] = [
        python,
        programs / "exploit.py",
        folder / "net.onnx",
        "--updates",
        "2",
        "--deals",
        "300",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert re.search(r"[+-]\d+\.\d\d ± \d+\.\d\d points a deal$", done.stdout)


@pytest.mark.long
@pytest.mark.docker
def test_a_trained_net_passes_the_check_and_enters_a_ladder(python: Path, tmp_path: Path) -> None:
    """In containers, with packages from the index, as a contestant would enter it."""
    installed(python, ["torch", "onnx", "onnxruntime", "gymnasium"])
    folder = tmp_path / "trained"
    program = ROOT / "examples" / "torch_bot" / "train.py"
    subprocess.run([python, program, folder, "--updates", "1"], check=True, timeout=600)
    checked = pigpen("check", str(folder), "--rules", "hearts-short", "--limit", "30", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    words = ("--name", "Trained", "--owner", "ada", "--variant", "hearts-short")
    entered = pigpen("submit", str(folder), *words, folder=tmp_path, PIGPEN_DATA_DIR=str(tmp_path / "ladder"))
    assert entered.returncode == 0, entered.stdout + entered.stderr
    assert "hearts-short: entered" in entered.stdout
