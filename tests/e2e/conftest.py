"""Fixtures of the whole-system tests."""

from __future__ import annotations

import subprocess

import pytest

from ladder.cli.play.new import new
from ladder.sandbox.bots.bot_source import BotSource, find_bot


@pytest.fixture(scope="session")
def node_bot(tmp_path_factory: pytest.TempPathFactory) -> BotSource:
    """The sample bot, taken and installed as a contestant would."""
    folder = tmp_path_factory.mktemp("bots") / "mine"
    new(folder, like="node")
    subprocess.run(["npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return find_bot(str(folder))
