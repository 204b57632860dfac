"""Fixtures of the tests of installed wheels: the wheels, and one environment that holds them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts.links import note_address
from ladder.app.ladder import Ladder
from ladder.app.wheels import FOLDER, find_wheels
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from tests.e2e.installed.installing import Installation, by_distribution, copy_sources, install
from tests.ladder.remote_site import served_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels, made by pip."""
    sources = copy_sources(tmp_path_factory.mktemp("one") / "sources")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", sources / "made", "./sdk", "."], cwd=sources, check=True)
    return by_distribution(sources / "made")


@pytest.fixture(scope="session")
def wheels_site(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site that hands out both wheels."""
    settings = load_settings(data_dir=tmp_path_factory.mktemp("site") / "data")
    (settings.data_dir / FOLDER).mkdir(parents=True)
    for wheel in wheels.values():
        shutil.copy(wheel, settings.data_dir / FOLDER)
    with (
        Ladder.open(settings, create=True) as ladder,
        served_app(make_app(ladder, wheels=find_wheels(settings.data_dir))) as address,
    ):
        note_address(settings, address)
        yield address


@pytest.fixture(scope="session")
def installation(wheels_site: str, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An environment with what a site hands out, for contestants: without the extra for ladders."""
    return install(tmp_path_factory.mktemp("installation") / "env", wheels_site)
