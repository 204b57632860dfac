"""Programs that learn with libraries of others: each runs as it stands, in a Python of its own with the library."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.long
@pytest.mark.parametrize("name", PACKAGES)
def test_the_library_learns_here(name: str, python: Path) -> None:
    install: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *PACKAGES[name],
        ROOT / "sdk",
    ]
    subprocess.run(install, check=True, timeout=1800)
    program = ROOT / "examples" / "learning" / f"{name}.py"
    done = subprocess.run([python, program], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    assert SCORE.search(done.stdout.splitlines()[-1])
