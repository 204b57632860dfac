"""Ways that messages name are open here: for this installation, this log-in and this folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ladder.app.remote.login import NOT_LOGGED_IN, Login, write_login
from ladder.app.supervisor import STOPPING, Supervisor
from ladder.cli.extras import EXTRAS, how_to_install
from ladder.errors import NoLadder
from ladder.terminal import ladder as terminal
from tests.referee.recorded import match_lines, write_record
from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path

ASKING = (
    "standings", "bots", "show Trotter", "matches", "explain 1", "logs 1 Trotter", "replay 1", "verify 1", "why 1 0",
    "rerun 1 0 random", "submissions", "retire Trotter", "allow-people Trotter", "table", "event list",
    "event show cup", "event enter cup Trotter", "event freeze cup", "event export cup", "submit ./mybot",
)  # fmt: skip
"""Commands for the remote ladder to which one has logged in, or else the one on this machine."""


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a log-in, who has a bot."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    typed("new", "mybot", folder=tmp_path)


@pytest.mark.parametrize("words", ASKING)
def test_a_contestant_without_a_log_in_is_told_to_log_in_and_not_to_install_a_ladder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr(terminal, "find_spec", lambda _: None)
    done = typed(*words.split(), folder=tmp_path)
    assert (done.code, done.out, done.err) == (2, "", f"pigpen: {NOT_LOGGED_IN}\n")


@pytest.mark.sqlite
def test_a_ladder_is_begun_here_also_by_who_has_logged_in_elsewhere(tmp_path: Path) -> None:
    sentence = str(NoLadder(f"There is no ladder in {str(tmp_path / 'data')!r}"))
    assert typed("bots", folder=tmp_path).err == f"pigpen: {sentence}\n"
    write_login(Login("https://arena.example", "ada", "t" * 40))
    assert typed("bots", "--local", folder=tmp_path).err == f"pigpen: {sentence} --local\n"


def test_the_packages_for_workers_are_advised_to_workers_alone() -> None:
    beginnings = {name: sentence.partition("{}")[0] for name, sentence in EXTRAS.items()}
    for command, extra in (("worker", "worker"), ("cluster", "ladder"), ("up", "ladder")):
        sentence = how_to_install("cryptography", command)
        assert sentence is not None
        assert sentence.startswith(beginnings[extra])


def test_why_names_the_folder_of_a_bot_only_where_it_is(tmp_path: Path) -> None:
    first, *others = match_lines("hearts", "deals:2")
    names = ("mybot", "random", "bot2", "Trotter")
    record = write_record(tmp_path / "match.jsonl", [first.model_copy(update={"bots": names}), *others])
    for bot, word in (("mybot", "./mybot"), ("random", "random"), ("Trotter", "FOLDER")):
        done = typed("why", "match.jsonl", bot, "--worst", "1", "--json", folder=tmp_path)
        assert done.code == 0, done.err
        for one in json.loads(done.out)["costliest"]:
            assert one["rerun"].startswith(f"pigpen rerun match.jsonl {bot} {word} --deal ")
    assert record.exists()


def test_a_finished_match_is_not_resumed_but_can_be_seen(tmp_path: Path) -> None:
    write_record(tmp_path / "match.jsonl", match_lines("hearts", "deals:1"))
    done = typed("play", *["random"] * 4, "--resume", "match.jsonl", folder=tmp_path)
    assert done.is_one_sentence
    _, _, command = done.err.strip().rpartition(": pigpen ")
    assert typed(*command.split(), "--plain", folder=tmp_path).code == 0


@pytest.mark.parametrize("times", [1, 2, 3])
def test_who_presses_ctrl_c_at_a_ladder_is_told_what_happens(times: int) -> None:
    sentences: list[str] = []
    supervisor = Supervisor([], sentences.append)
    for _ in range(times):
        supervisor.stop()
    supervisor.run()
    assert sentences == [*STOPPING[:times]]
