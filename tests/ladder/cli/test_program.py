"""The program itself: its version, completion in shells, and terminals that say what no terminal is."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pigpen.version import __version__
from tests.e2e.command import pigpen, pigpen_process

if TYPE_CHECKING:
    from pathlib import Path


def test_it_says_its_version() -> None:
    done = pigpen("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"pigpen {__version__}\n", "")


@pytest.mark.parametrize("columns", ["0", "-7", "1e9", "99999999", "²", ""])
def test_an_odd_number_of_columns_is_none(columns: str) -> None:
    usual, odd = (
        pigpen_process("rules", COLUMNS=columns, LINES=columns)
        if columns != "80"
        else pigpen_process("rules", COLUMNS="80")
        for columns in ("80", columns)
    )
    assert (odd.returncode, odd.stderr) == (0, "")
    assert odd.stdout == usual.stdout


@pytest.mark.parametrize(
    ("words", "wanted"),
    [("pigpen pl", "play"), ("pigpen play --out", "--output"), ("pigpen play --sandbox in", "inline")],
)
def test_a_shell_completes_commands_options_and_values(words: str, wanted: str) -> None:
    last = str(words.count(" "))
    done = pigpen_process(_PIGPEN_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=last)
    assert done.stdout.split() == [wanted]


def test_completion_is_installed_for_the_shell_that_is_named(tmp_path: Path) -> None:
    done = pigpen_process(
        "--install-completion", "bash", HOME=str(tmp_path), _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
    )
    assert done.returncode == 0, done.stderr
    assert "pigpen" in (tmp_path / ".bashrc").read_text()
    (script,) = (tmp_path / ".bash_completions").iterdir()
    assert "_PIGPEN_COMPLETE" in script.read_text()


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [("UserError('No such bot.')", 2, "pigpen: No such bot.\n"), ("KeyboardInterrupt", 130, "pigpen: Interrupted.\n")],
)
def test_a_command_in_a_forked_process_says_its_errors_as_the_command_line_does(
    error: str, code: int, sentence: str
) -> None:
    program = f"""
from ladder.cli.entry import main_of_fork
from ladder.errors import UserError
def command(): raise {error}
main_of_fork(command)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", sentence)
