"""Contestants' commands on a system that is not Linux: as far as one that is can tell."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.ladder import Ladder
from ladder.cli.failures import NOT_HERE
from ladder.settings.settings import load_settings
from ladder.terminal.options import NO_PROCESSES
from tests.e2e.command import ROOT, environment, every_command
from tests.ladder import shown as shown_ladder
from tests.ladder.accounts import add_person, token_of
from tests.ladder.remote_site import log_in, served
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterable

TABLE = ("random", "cautious", "random", "random")


def pigpen(system: str, *words: str, folder: Path, both: bool = False, **extra: Any) -> str:
    """Run ``pigpen WORDS`` as on *system* and give what it prints."""
    script = str(ROOT / "tests" / "without_linux.py")
    done = subprocess.run(
        [sys.executable, script, system, *words],
        cwd=folder, env=environment(**extra), capture_output=True, stdin=subprocess.DEVNULL, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr if both else done.stdout


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match between processes, played and recorded as on macOS."""
    record = tmp_path_factory.mktemp("macos") / "match.jsonl"
    shown = pigpen("macos", "play", *TABLE, "--deals", "1", "--sandbox", "process", "--record", str(record),
                   folder=record.parent)  # fmt: skip
    assert "cautious" in shown
    return record


def test_processes_play_on_macos(record: Path) -> None:
    assert record.read_text().count("\n") == 3


@pytest.mark.docker
def test_containers_play_on_macos(tmp_path: Path) -> None:
    assert "cautious" in pigpen("macos", "play", *TABLE, "--deals", "1", folder=tmp_path)


COMMANDS = {
    "rules gongzhu": "gongzhu",
    "new mine": "Made mine",
    f"play {' '.join(TABLE)} --boards 1 --sandbox inline": "points/deal",
    "check cautious --rules hearts --sandbox inline": "cases passed",
    "compare random cautious --boards 2 --sandbox inline --elo1 500": "boards",
    "replay RECORD": "Points per deal",
    "verify RECORD": "holds",
    "rerun RECORD cautious random --sandbox inline": "decisions",
}
"""Commands of contestants without a ladder, each with a part of its output."""


def printed(commands: Iterable[str], folder: Path, system: str = "nowhere", **extra: Any) -> dict[str, str]:
    """Run the commands in turn in one process without the modules that only Linux has, and give the output of each."""
    words = [word for command in commands for word in (*command.split(), ",")]
    return dict(zip(commands, pigpen(system, *words, folder=folder, **extra).split("\f"), strict=False))


@pytest.fixture(scope="module", params=["nowhere", "windows"])
def shown(record: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give the output of `COMMANDS`."""
    folder = tmp_path_factory.mktemp(request.param)
    shutil.copy(record, folder)
    given = [command.replace("RECORD", record.name) for command in COMMANDS]
    return dict(zip(COMMANDS, printed(given, folder, request.param).values(), strict=False))


@pytest.mark.parametrize("command", COMMANDS)
def test_it_works_where_no_module_is_that_is_not_on_every_platform(shown: dict[str, str], command: str) -> None:
    assert COMMANDS[command] in shown[command]


def test_a_bot_with_files_beside_it_plays_on_windows_and_its_match_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "bot.py").write_text(BESIDE)
    (tmp_path / "ada" / "choice.py").write_text("PLACE = -1\n")
    words = ("play", "./ada", *TABLE[1:], "--deals", "1", "--sandbox", "inline", "--record", "match.jsonl")
    assert "points/deal" in pigpen("windows", *words, folder=tmp_path)
    assert (tmp_path / "match.jsonl").read_text().count("\n") == 3


BESIDE = """
import pigpen
from choice import PLACE

class Ada(pigpen.Bot):
    def play(self, view):
        return view.legal[PLACE]
"""


FROM_PYTHON = """
import without_linux
without_linux.hide("windows")
import copy
import pigpen_arena as arena
match = arena.play(["cautious", "random", "random", "random"], "hearts", deals=1, seed="7", progress=False)
print(match.verify().holds, copy.deepcopy(match).rows() == match.rows())
print(arena.check("random", ["hearts-short"], case="follow suit", progress=False).value.passed)
try:
    arena.play(["random"] * 4, deals=1, sandbox="process")
except arena.PigpenError as error:
    print(error)
"""


def test_python_plays_inline_on_windows_and_refuses_the_rest_in_a_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FROM_PYTHON], cwd=tmp_path, env=environment(PYTHONPATH=str(ROOT / "tests")),
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "True True",
        "True",
        NO_PROCESSES.replace("--sandbox inline", 'sandbox="inline"'),
    ]


@pytest.mark.parametrize("command", ["play cautious random random random --deals 1", "check cautious --rules hearts"])
def test_processes_are_refused_in_a_sentence_on_windows(tmp_path: Path, command: str) -> None:
    printed_text = pigpen("windows", *command.split(), "--sandbox", "process", folder=tmp_path, both=True)
    assert printed_text.strip() == f"pigpen: {NO_PROCESSES}"


def test_a_new_bot_is_played_as_it_can_be_played_here(tmp_path: Path) -> None:
    assert "--sandbox inline" in pigpen("windows", "new", "mine", folder=tmp_path)
    assert "--sandbox process" in pigpen("macos", "new", "other", folder=tmp_path)


@pytest.mark.parametrize("command", ["doctor", "up", "serve"])
def test_a_command_that_needs_linux_says_so_in_a_sentence_on_windows(tmp_path: Path, command: str) -> None:
    printed_text = pigpen(
        "windows", *command.split(), folder=tmp_path, both=True, PIGPEN_DATA_DIR=str(tmp_path / "data")
    )
    assert NOT_HERE.partition("{name}")[0] in printed_text


ENDLESS = "ladder tables"
"""The command that serves tables until it is ended, on every system; the other services need Linux."""


@pytest.mark.sqlite
def test_no_command_ends_in_a_traceback_on_windows(tmp_path: Path) -> None:
    """With one word for each argument that it must have: there is no ladder, and the files are missing."""
    typed: list[str] = []
    for name, command in every_command():
        needed = [each for each in command.params if each.required]
        words = [(each.opts[0], "x") if each.param_type_name == "option" else ("x",) for each in needed]
        typed += [*name.split(), *chain(*words), ","] if name != ENDLESS else []
    shown = pigpen("windows", *typed, folder=tmp_path, PIGPEN_DATA_DIR=str(tmp_path / "data"))
    assert shown.count("\f") == typed.count(",") - 1 > 50  # the last one ends the process


def test_a_remote_ladder_is_asked_and_sent_a_bot(tmp_path: Path) -> None:
    with Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder:
        with ladder.database.write() as session:
            shown_ladder.a_ladder(session, matches=1)
        add_person(ladder, "zoe")
        with served(ladder) as address:
            login = log_in(tmp_path / "config", address, "zoe", token_of(ladder, "zoe"))
            wanted = {
                "new mine": "Made mine",
                "whoami": "You are zoe (contestant)",
                "standings": "Trotter",
                "matches": "gongzhu",
                "submissions": "There are no submissions.",
                "submit ./mine --variant bridge": "",
                "logout": "You are logged out",
            }
            outputs = printed(wanted, tmp_path, **login)
    assert [command for command, words in wanted.items() if words not in outputs[command]] == [], outputs


def test_a_module_that_is_hidden_is_missed_and_named(tmp_path: Path) -> None:
    """The test's own test: processes ask the kernel what waits in a pipe."""
    words = ("play", *TABLE, "--deals", "1", "--sandbox", "process")
    assert NOT_HERE.format(name="fcntl") in pigpen("nowhere", *words, folder=tmp_path, both=True)
