"""The program itself: version, completion in shells, odd terminals, and standard streams that are closed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from pigpen.version import __version__
from tests.e2e.command import PIGPEN, environment, pigpen, pigpen_process
from tests.ladder import shown
from tests.referee.recorded import match_lines, write_record

if TYPE_CHECKING:
    from collections.abc import Sequence


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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with one match, and a record."""
    folder = tmp_path_factory.mktemp("folder")
    database = open_ladder(load_settings(data_dir=folder / "data"), create=True)
    with database.write() as session:
        shown.a_ladder(session, matches=1)
    database.close()
    write_record(folder / "match.jsonl", match_lines("hearts", "deals:1"))
    return folder


def in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in *folder*, which has its ladder in `data`."""
    return subprocess.run(
        ["sh", "-c", command.replace("pigpen", str(PIGPEN), 1)],
        cwd=folder, env=environment(PIGPEN_DATA_DIR=str(folder / "data")), capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", ["verify -", "replay -", "why - 0", "rerun - 0 random --sandbox inline"])
def test_a_record_cannot_come_on_standard_input_that_is_closed(folder: Path, command: str) -> None:
    done = in_shell(f"pigpen {command} <&-", folder)
    sentence = "pigpen: Standard input is closed: name a file, or pipe a record into the command.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_a_command_that_asks_takes_standard_input_that_is_closed_for_an_empty_one(folder: Path) -> None:
    closed, empty = (in_shell(f"pigpen ladder season new --name 2026 {end}", folder) for end in ("<&-", "</dev/null"))
    assert " --yes " in empty.stderr
    assert (closed.returncode, closed.stdout, closed.stderr) == (empty.returncode, empty.stdout, empty.stderr)


@pytest.mark.parametrize("command", ["standings --csv", "standings", "standings --json", "rules", "verify match.jsonl"])
def test_output_that_is_closed_is_dropped(folder: Path, command: str) -> None:
    done = in_shell(f"pigpen {command} >&-", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_message_for_stderr_that_is_closed_is_not_printed_on_stdout(folder: Path) -> None:
    done = in_shell("pigpen verify nothing 2>&-", folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def into_a_closed_pipe(command: Sequence[str | Path], folder: Path) -> tuple[int, str]:
    """Run a command whose stdout is a pipe that is not read any more; give its exit code and what is on stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
            cwd=folder, env=environment(PIGPEN_DATA_DIR=str(folder / "data")),
        )  # fmt: skip
    finally:
        os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "verify match.jsonl",  # written by typer
        "replay --plain match.jsonl",
        "explain 1",  # by rich
        "standings --csv",  # by Python, when the command has ended
        "--help",
        "verify --help",
    ],
)
def test_a_closed_pipe_is_no_verdict(folder: Path, command: str) -> None:
    assert into_a_closed_pipe([PIGPEN, *command.split()], folder) == (141, "")


def test_a_mistake_keeps_its_exit_code_when_a_pipe_is_closed(folder: Path) -> None:
    code, sentence = into_a_closed_pipe([PIGPEN, "verify", "nothing"], folder)
    assert code == 2
    assert sentence.startswith("pigpen: 'nothing' cannot be ")
    assert into_a_closed_pipe(["sh", "-c", 'exec "$0" verify nothing 2>&1', PIGPEN], folder) == (2, "")


def test_a_forked_command_ends_at_a_closed_pipe_without_a_traceback(folder: Path) -> None:
    program = "from ladder.cli.entry import main_of_fork; main_of_fork(lambda: print('*', flush=True))"
    assert into_a_closed_pipe([sys.executable, "-c", program], folder) == (141, "")


def test_output_that_finds_no_room_at_the_end_is_one_sentence(folder: Path) -> None:
    done = in_shell("pigpen standings --csv > /dev/full", folder)
    sentence = "pigpen: The output cannot be written: No space left on device.\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", sentence)
