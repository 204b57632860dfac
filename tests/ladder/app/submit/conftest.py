"""Ladders to which bots are submitted, and bots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.settings.settings import Settings, load_settings
from ladder.store.commands.opening import open_ladder
from ladder.store.database import Database
from tests.ladder.registries import running_registry


@pytest.fixture(scope="session")
def registry() -> Iterator[str]:
    """Address of a registry of this session's own."""
    with running_registry() as address:
        yield address


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A ladder in a folder of the test's own, with patience and one board."""
    return load_settings(data_dir=tmp_path / "ladder", clock="600+1", limit=60.0, preflight_deals=1)


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """Its database."""
    database = open_ladder(settings, create=True)
    yield database
    database.close()
