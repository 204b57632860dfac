"""Bots in this process find what they find in a process of their own, and leave nothing of it to each other."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

import pytest

from ladder.errors import BotRejected
from ladder.sandbox import inline
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.inline import InlineFolder, InlineProgram, as_program
from pigpen import DealResult, View
from pigpen.rules import PRESETS, Deal, deal_hands
from tests.e2e.command import pigpen

if TYPE_CHECKING:
    from pathlib import Path

LOOKS = """
import os
import sys

import pigpen
import strategy
from plans import endgame

with open("weights.txt") as file:
    WEIGHTS = file.read()

def look():
    import late
    with open("late.txt") as file:
        return [strategy.NAME, endgame.NAME, late.NAME, WEIGHTS, file.read(), sys.argv, os.path.basename(os.getcwd()),
                os.path.samefile(sys.path[0], os.path.dirname(os.path.abspath(__file__)))]

WANTED = ["strategy", "endgame", "late", "heavy", "later", ["bot.py"], "looks", True]

class Looks(pigpen.Bot):
    def __init__(self):
        assert look() == WANTED, look()

    def match_started(self, welcome):
        assert look() == WANTED, look()

    def pass_cards(self, view):
        assert look() == WANTED, look()
        return view.hand[:view.pass_count]

    def play(self, view):
        assert look() == WANTED, look()
        return view.legal[0]

    def deal_over(self, result):
        assert look() == WANTED, look()

if __name__ == "__main__":
    pigpen.run(Looks())
"""
NAMED = """
import pigpen
import strategy

class Named(pigpen.Bot):
    def match_over(self, result):
        import tables
        return strategy.NAME, tables.NAME

    def play(self, view):
        import tables
        strategy.COUNT += 1
        print(strategy.NAME, tables.NAME, strategy.COUNT, __file__)
        return view.legal[0]
"""


def folder_with(folder: Path, **files: str) -> Path:
    """A folder with files, named by keywords that have two underscores for a dot."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


@pytest.fixture
def looks(tmp_path: Path) -> Path:
    """A bot that fails if it does not find all that is beside it."""
    found = folder_with(
        tmp_path / "looks",
        bot__py=LOOKS,
        strategy__py="NAME = 'strategy'",
        late__py="NAME = 'late'",
        weights__txt="heavy",
        late__txt="later",
    )
    folder_with(found / "plans", endgame__py="NAME = 'endgame'")
    (found / "plans" / "__init__.py").touch()
    return found


def named(folder: Path, name: str) -> InlineProgram:
    files = {"strategy__py": f"NAME, COUNT = '{name}', 0", "tables__py": f"NAME = '{name}'"}
    return InlineProgram(BotSource(name, folder=folder_with(folder, bot__py=NAMED, **files)))


def a_view() -> View:
    rules = PRESETS["gongzhu"]
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    for seat in deal.to_act:
        deal.apply(seat, {})
    return View(*deal.known_to(deal.turn))


@pytest.mark.parametrize("sandbox", ["process", "inline"])
def test_a_bot_finds_modules_and_files_beside_it_and_its_own_arguments(looks: Path, sandbox: str) -> None:
    done = pigpen("check", str(looks), "--rules", "hearts-short", "--sandbox", sandbox, "--limit", "60")
    assert done.returncode == 0, done.stdout + done.stderr


def test_so_it_does_in_a_match_and_in_a_comparison(looks: Path) -> None:
    where = ("--rules", "hearts-short", "--sandbox", "inline", "--limit", "60")
    played = pigpen("play", str(looks), str(looks), "cautious", "random", "--deals", "1", *where)
    assert played.returncode == 0, played.stderr
    compared = pigpen("compare", str(looks), str(looks), "--boards", "2", "--field", "random", *where, "--json")
    assert '"faults":{"old":0,"new":0,"field":0}' in "".join(compared.stdout.split())


def test_two_bots_with_modules_of_the_same_name_do_not_mix_and_leave_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {*sys.modules}, [*sys.path], os.getcwd(), [*sys.argv]
    with as_program():
        ada, eve = (named(tmp_path / name, name)() for name in ("ada", "eve"))
        view = a_view()
        for _ in range(2):
            assert {ada.play(view), eve.play(view)} == {view.legal[0]}
            ada.deal_over(DealResult(0, 0, (0,) * 4, (0,) * 4))
    lines = [line.split()[:3] for line in capsys.readouterr().err.splitlines()]
    assert lines == [["ada", "ada", "1"], ["eve", "eve", "1"], ["ada", "ada", "2"], ["eve", "eve", "2"]]
    assert before == ({*sys.modules}, sys.path, os.getcwd(), sys.argv)


def test_two_instances_of_a_bot_share_no_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named(tmp_path / "ada", "ada")
    with as_program():
        one, other = (InlineProgram(BotSource("ada", folder=tmp_path / "ada"))() for _ in range(2))
        for bot in (one, other, one):
            bot.play(a_view())
    assert [line.split()[2] for line in capsys.readouterr().err.splitlines()] == ["1", "1", "2"]


def test_a_module_of_the_bot_goes_before_one_of_ours_of_the_same_name(tmp_path: Path) -> None:
    ours = sys.modules["ladder"]
    folder = folder_with(tmp_path / "bot", ladder__py="NAME = 'its own'")
    with InlineFolder(folder):
        import ladder

        assert vars(ladder)["NAME"] == "its own"
    assert sys.modules["ladder"] is ours
    assert sys.modules["ladder.errors"].BotRejected is BotRejected


def test_what_is_installed_within_the_folder_is_imported_once_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot's folder may hold the virtual environment that pigpen itself runs in."""
    folder = folder_with(tmp_path / "bot", own_module__py="")
    installed = folder_with(folder / ".venv" / "packages", installed_module__py="")
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed)])
    with InlineFolder(folder):
        import installed_module  # type: ignore[import-not-found]
        import own_module  # type: ignore[import-not-found]
    assert "own_module" not in sys.modules
    assert sys.modules.pop("installed_module") is installed_module
    assert own_module.__file__ is not None


def test_machine_code_is_loaded_once_for_all_instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process cannot load it twice."""
    monkeypatch.setattr(inline, "EXTENSION_SUFFIXES", [".py"])
    folder = folder_with(tmp_path / "bot", compiled_module__py="")
    found = []
    for _ in range(2):
        with InlineFolder(folder):
            found.append(importlib.import_module("compiled_module"))
        assert "compiled_module" not in sys.modules
    assert found[0] is found[1]


def test_a_bot_alone_in_its_folder_is_called_directly(tmp_path: Path) -> None:
    source = folder_with(tmp_path / "alone", bot__py=LOOKS.partition("import strategy")[0] + ALONE, Dockerfile="")
    assert type(InlineProgram(BotSource("alone", folder=source))()).__name__ == "Alone"


ALONE = """
class Alone(pigpen.Bot):
    pass
"""


def test_a_folder_that_is_gone_ends_the_bot_and_pigpen_stays_where_it_is(tmp_path: Path) -> None:
    program, here = named(tmp_path / "ada", "ada"), os.getcwd()
    bot = program()
    (tmp_path / "ada").rename(tmp_path / "gone")
    with pytest.raises(FileNotFoundError):
        bot.play(a_view())
    assert os.getcwd() == here
