"""The table of commands says of each what its own help says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.cli.commands import COMMANDS
from ladder.cli.typer_app import load_command
from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_the_first_paragraph_of_its_help(name: str) -> None:
    assert load_command(name).help.split("\n\n")[0] == COMMANDS[name].help


def test_the_help_lists_every_command_and_a_mistyped_one_gets_a_suggestion(tmp_path: Path) -> None:
    listed = re.findall(r"^│ ([a-z][a-z-]+) ", typed("--help", folder=tmp_path).out, flags=re.MULTILINE)
    assert listed == list(COMMANDS)
    mistyped = typed("standing", folder=tmp_path)
    assert (mistyped.code, "Did you mean 'standings'?" in mistyped.err) == (2, True)
