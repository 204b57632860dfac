"""Programs of the user's own: a command line, and a program that the user starts when the referee waits for it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ladder.app.local.match_plan import MatchRequest, new_match
from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import UnknownBot, find_bot
from ladder.sandbox.process.own_program import ENV_FILE
from ladder.values.clocks import NO_CLOCK
from tests.typed import typed
from tests.waiting import PATIENCE

BOT = """
import os, sys, time
import pigpen

class Mine(pigpen.Bot):
    def play(self, view):
        {play}
        return view.legal[0]

print("argument", *sys.argv[1:], os.environ.get("OF_THE_USER"), os.getcwd())
pigpen.run(Mine())
"""
OTHERS = ("random", "random", "random")


@pytest.fixture
def program(tmp_path: Path) -> str:
    """Give the words of a command line that runs bot.py in another folder than the current one."""
    (tmp_path / "other place").mkdir()
    (tmp_path / "other place" / "my bot.py").write_text(BOT.format(play="pass"))
    return shlex.join([sys.executable, str(tmp_path / "other place" / "my bot.py")])


@pytest.mark.parametrize("rules", ["gongzhu", "hearts"])
def test_a_command_line_plays_with_the_users_environment(tmp_path: Path, program: str, rules: str) -> None:
    words = ("--sandbox", "process", "--rules", rules, "--deals", "1", "--json")
    done = typed("play", f"cmd:{program} 'a b'", *OTHERS, *words, folder=tmp_path, OF_THE_USER="yes")
    assert done.code == 0, done.err
    (mine, *_) = json.loads(done.out)["results"]
    assert (mine["bot"], mine["faults"]) == (Path(sys.executable).name, 0)
    assert f"argument a b yes {tmp_path}\n" in mine["rotations"][0]["printed"]


def test_a_command_line_is_checked_as_a_folder_is(tmp_path: Path, program: str) -> None:
    words = ("--sandbox", "process", "--rules", "gongzhu", "--case", "follow suit", "--json")
    done = typed("check", f"cmd:{program}", *words, folder=tmp_path)
    assert (done.code, json.loads(done.out)["passed"]) == (0, True)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("cmd:", "names no program"),
        ("cmd: ''", "There is no program ''"),
        ("cmd:'a", "No closing quotation"),
        ("cmd:./no-such-bot --fast", "There is no program './no-such-bot'"),
        ("cmd:./text", "There is no program './text'"),
        ("lines:", "behind it: lines:./mybot"),
        ("lines:./no-such-bot", "There is no program './no-such-bot'"),
    ],
)
def test_what_is_no_command_is_refused_in_a_sentence(tmp_path: Path, word: str, sentence: str) -> None:
    (tmp_path / "text").write_text("not executable")
    done = typed("play", word, *OTHERS, folder=tmp_path)
    assert done.is_one_sentence
    assert sentence in done.err
    with pytest.raises(UnknownBot):
        find_bot("cmd:/no/such/program")


def test_no_ladder_takes_a_program_of_this_machine(tmp_path: Path, program: str) -> None:
    done = typed("submit", f"cmd:{program}", "--local", folder=tmp_path)
    assert done.is_one_sentence
    assert repr(f"cmd:{program}") in done.err
    assert not (tmp_path / "data").exists()


def test_bots_of_one_process_are_not_mixed_with_a_program(tmp_path: Path, program: str) -> None:
    for word in (f"cmd:{program}", "listen"):
        done = typed("play", word, *OTHERS, "--sandbox", "inline", folder=tmp_path)
        assert done.is_one_sentence
        assert "--sandbox inline" in done.err


def slow(folder: Path) -> str:
    folder.joinpath("slow.py").write_text(BOT.format(play="time.sleep(0.3 if len(view.tricks) == 3 else 0)"))
    return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(folder / 'slow.py'))}"


@pytest.mark.parametrize(("words", "faults"), [(("--limit", "0.1"), 1), (("--no-clock",), 0)])
def test_without_a_clock_no_bot_is_late(tmp_path: Path, words: tuple[str, ...], faults: int) -> None:
    options = ("--sandbox", "process", "--deals", "1", "--seed", "1", "--json")
    done = typed("play", slow(tmp_path), *OTHERS, *options, *words, folder=tmp_path)
    assert done.code == 0, done.err
    assert bool(json.loads(done.out)["results"][0]["faults"]) == bool(faults)


@pytest.mark.parametrize("option", ["--clock", "--limit"])
def test_a_clock_and_none_exclude_each_other(tmp_path: Path, option: str) -> None:
    done = typed("play", *OTHERS, "random", "--no-clock", option, "1", folder=tmp_path)
    assert done.is_one_sentence
    assert "--no-clock" in done.err
    assert option in done.err


class User(threading.Thread):
    """Starts the program each time that the referee waits for one, as a user does from a debugger."""

    def __init__(self, folder: Path, program: str, **environment: str) -> None:
        super().__init__()
        self.folder, self.program, self.environment = folder, program, environment
        self.over = threading.Event()
        self.ends: list[tuple[int, str]] = []
        self.modes: set[int] = set()

    def run(self) -> None:
        file, last = self.folder / ENV_FILE, ""
        while not self.over.wait(0.02):
            try:
                text = file.read_text()
                self.modes.add(file.stat().st_mode & 0o777)
            except OSError:
                continue
            if text.count("\n") == 2 and text != last:
                last = text
                words = dict(line.split("=", 1) for line in text.splitlines())
                done = subprocess.run(
                    shlex.split(self.program), env=os.environ | words, capture_output=True, text=True, timeout=PATIENCE
                )
                self.ends.append((done.returncode, done.stderr))


@pytest.mark.parametrize(
    ("format_words", "rules", "starts"),
    [(("--deals", "1"), "hearts", 1), (("--boards", "1", "--concurrency", "4"), "gongzhu", 4)],
)
def test_a_program_that_the_user_starts_is_waited_for(
    tmp_path: Path, program: str, format_words: tuple[str, ...], rules: str, starts: int
) -> None:
    user = User(tmp_path, program)
    user.start()
    try:
        words = ("--sandbox", "process", "--rules", rules, *format_words, "--json", "--record", "m.jsonl")
        done = typed("play", "random", "listen", "random", "random", *words, folder=tmp_path)
    finally:
        user.over.set()
        user.join()
    assert done.code == 0, done.err
    assert done.err.count(f"$(cat {ENV_FILE})") == starts
    results: list[dict[str, Any]] = json.loads(done.out)["results"]
    assert [(row["bot"], row["faults"]) for row in results][1] == ("listen", 0)
    assert user.ends == [(0, "")] * starts
    assert user.modes == {0o600}
    assert not (tmp_path / ENV_FILE).exists()
    assert typed("verify", "m.jsonl", folder=tmp_path).code == 0


def test_the_match_that_waits_has_one_table_and_no_clock() -> None:
    plan = new_match(MatchRequest(bots=("listen", *OTHERS)))
    assert str(plan.spec.format) == "game"
    assert plan.spec.clock == NO_CLOCK
    assert plan.is_awaited
    assert not new_match(MatchRequest(bots=("random", *OTHERS))).is_awaited
    with pytest.raises(UserError, match="once"):
        new_match(MatchRequest(bots=("listen", "listen", "random", "random")))


def test_where_the_file_cannot_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / ENV_FILE).mkdir()
    done = typed("play", "listen", *OTHERS, "--sandbox", "process", folder=tmp_path)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith(f"pigpen: '{tmp_path / ENV_FILE}' ")
