"""The core of the suite runs on the lowest versions that both distributions allow."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
import venv
from pathlib import Path

import pytest
from uv import find_uv_bin

from ladder.app.wheels import EXTRAS, SDK
from ladder.sandbox.wheels.uv import configured_index
from tests.e2e.command import ROOT

TOOLS = ("httpx", "hypothesis", "jsonschema", "pytest", "pytest-asyncio", "pytest-timeout", "pytest-xdist")
"""Packages that the tests need besides, in the versions of requirements-dev.lock."""
CORE = (
    "tests/referee/match", "tests/referee/records", "tests/ladder/sandbox/bots", "tests/ladder/settings",
    "tests/ladder/sandbox/wheels/test_requirements.py", "tests/ladder/store/test_migrations.py",
    "tests/ladder/app/local",
)  # fmt: skip
"""Match and records, folders and packages of bots, settings, the database, and what the command does."""

NEWEST = ("--deselect=tests/referee/records/test_described.py::test_what_is_published_is_fresh",)
"""Compares a file with the text that one version of pydantic writes."""


def lowest() -> list[str]:
    """Every line of both `pyproject.toml` files that a user's installation reads."""
    lines: list[str] = []
    for folder in (ROOT, ROOT / "sdk"):
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
        lines += project["dependencies"]
        lines += [line for extra in EXTRAS for line in project["optional-dependencies"].get(extra, [])]
    return [line for line in lines if line != SDK]


def tools() -> list[str]:
    """The tools, each in one version."""
    lock = (ROOT / "requirements-dev.lock").read_text("utf-8")
    return [re.findall(rf"^{name}==[^ ]+", lock, flags=re.MULTILINE)[0] for name in TOOLS]


def test_every_line_has_a_lower_bound() -> None:
    assert [line for line in lowest() if ">=" not in line] == []


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_core_runs_on_the_lowest_versions(wheels: dict[str, Path], tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    python, index = str(tmp_path / "env" / "bin" / "python"), configured_index()
    command = [find_uv_bin(), "pip", "install", "--quiet", "--python", python, "--resolution=lowest-direct"]
    wanted = [*lowest(), *tools(), *map(str, wheels.values())]
    subprocess.run([*command, *index.arguments, *wanted], env=os.environ | dict(index.environment), check=True)
    # Of the newest click, for example, an old typer uses names that are deprecated: that is no mistake of ours.
    tried = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "filterwarnings=", "-n", "2", *CORE, *NEWEST]
    done = subprocess.run(tried, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert re.search(r"\b\d{3,} passed", done.stdout)
