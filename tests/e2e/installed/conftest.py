"""What the tests of installed wheels share: the wheels, and one environment that holds them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.installed.installing import Elsewhere, by_distribution, copy_sources, install


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels, made by pip."""
    sources = copy_sources(tmp_path_factory.mktemp("one") / "sources")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", sources / "made", "./sdk", "."], cwd=sources, check=True)
    return by_distribution(sources / "made")


@pytest.fixture(scope="session")
def elsewhere(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    """An environment with the wheels, for contestants: without the extra for ladders."""
    return install(tmp_path_factory.mktemp("elsewhere") / "env", wheels)
