"""Matches from Python: what may be a bot, what comes out, what is refused; the code of docs/python.md runs."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pigpen_arena as arena
from ladder.cli.play.compare import compare_bots
from ladder.cli.play.play import play as play_command
from ladder.values.clocks import NO_CLOCK
from pigpen import Bot, Card, View, Welcome
from pigpen_arena.running import Interrupt, run, shown
from tests.e2e.test_readme import blocks

if TYPE_CHECKING:
    from collections.abc import Callable


class First(Bot):
    """Plays the first legal card, and counts how often it was made and seated."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.matches = 0

    def match_started(self, welcome: Welcome) -> None:
        self.matches += 1

    def play(self, view: View) -> Card:
        return view.legal[0]


@pytest.fixture(scope="module")
def match() -> arena.Match:
    return arena.play([First, "random", "cautious", "counting"], "hearts", boards=2, seed="7")


def test_a_match_takes_three_lines_and_names_its_bots(match: arena.Match) -> None:
    assert match.bots == ("First", "random", "cautious", "counting")
    assert [row["place"] for row in match.rows()] == [1, 2, 3, 4]
    assert match.rows()[0]["bot"] == match.results[match.bots.index("counting")].bot == "counting"
    assert repr(match).startswith("<Match of hearts, 8 deals: ")
    assert "1. counting, " in repr(match)


def test_the_same_seed_gives_the_same_actions(match: arena.Match) -> None:
    one, other = (arena.play([First, "cautious", "counting", First], "hearts", boards=1, seed="7") for _ in range(2))
    assert [row["choice"] for row in one.rows("decisions")] == [row["choice"] for row in other.rows("decisions")]
    assert one.seed == other.seed == match.seed


def test_a_class_is_made_for_each_rotation_and_a_bot_plays_all_of_them() -> None:
    First.made = 0
    arena.play([First, "random", "random", "random"], boards=1)
    assert First.made == 4
    bot = First()
    arena.play([bot, "random", "random", "random"], boards=1)
    assert (First.made, bot.matches) == (5, 4)


def test_classes_of_one_name_are_told_apart() -> None:
    def named(suit: int) -> type[Bot]:
        def play(self: Bot, view: View) -> Card:
            return view.legal[suit]

        return type("Same", (Bot,), {"play": play})

    match = arena.play([named(0), named(-1), "random", "random"], "hearts", deals=1, seed="7")
    assert match.bots == ("Same", "Same#2", "random", "random#2")
    chosen = {row["bot"]: row["choice"] for row in match.rows("decisions") if row["trick"] == 1}
    assert chosen["Same"] != chosen["Same#2"]


def test_folders_names_and_partners(tmp_path: Path) -> None:
    bot = tmp_path / "mine"
    bot.mkdir()
    (bot / "bot.py").write_text("import pigpen\nclass A(pigpen.Bot):\n    def play(self, view): return view.legal[0]\n")
    match = arena.play([bot, "counting"], "gongzhu-partners", deals=2)
    assert match.bots == ("mine", "counting", "mine#2", "counting#2")


def test_bots_in_processes_play_the_same_match(match: arena.Match, capsys: pytest.CaptureFixture[str]) -> None:
    bots = ["random", "cautious", "counting", "counting"]
    one, other = (arena.play(bots, "hearts", deals=2, seed="7", sandbox=kind) for kind in ("inline", "process"))
    assert [row["hand"] for row in one.rows("deals")] == [row["hand"] for row in other.rows("deals")]
    assert "The process sandbox" in capsys.readouterr().err


@pytest.mark.docker
def test_bots_in_containers(match: arena.Match) -> None:
    played = arena.play(["random"] * 4, deals=1, sandbox="docker")
    assert played.recorded.first.image_files
    assert played.verify().holds


def test_the_record_stays_where_it_was_wanted_and_can_be_read_again(match: arena.Match, tmp_path: Path) -> None:
    played = arena.play(["random"] * 4, deals=2, record=tmp_path / "match.jsonl")
    again = arena.Match.read(tmp_path / "match.jsonl")
    assert again.rows() == played.rows()
    assert (again.played, again.seed) == (None, played.seed)
    copy = match.save(tmp_path / "copy.jsonl.gz")
    assert copy.read_bytes() == match.path.read_bytes()
    assert arena.Match.read(copy).verify().holds
    with pytest.raises(arena.UserError, match=r"copy.jsonl.gz' is there already"):
        match.save(copy)
    with pytest.raises(arena.UserError, match=r"nowhere/match\.jsonl\.gz'.* No such file"):
        match.save(tmp_path / "nowhere" / "match.jsonl.gz")


def test_a_record_that_nobody_wants_goes_with_its_match() -> None:
    played = arena.play(["random"] * 4, deals=1)
    path = played.path
    assert path.exists()
    del played
    gc.collect()
    assert not path.parent.exists()


def test_a_match_that_fails_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(arena.UserError):
        arena.play(["nobody"] * 4)
    assert not list(tmp_path.iterdir())


def test_the_costliest_decisions_and_why(match: arena.Match) -> None:
    costliest = match.costliest("First", worst=2)
    assert len(costliest.rows()) == 2
    assert match.costliest(0, worst=2).rows() == costliest.rows()
    worst = costliest.value.costliest[0]
    why = match.why(worst.step, board=worst.board, rotation=worst.rotation, bot="First")
    assert why.value.cost == worst.cost == costliest.rows()[0]["cost"]
    chosen = [row["choice"] for row in why.rows() if row["chosen"]]
    assert chosen == [worst.chosen]
    with pytest.raises(arena.UserError, match="has 8 such deals"):
        match.why(1)


def test_compare_and_check_find_what_the_commands_find() -> None:
    found = arena.compare("random", First, ["random"], "hearts", boards=400, seed="7")
    assert found.value.decision == "better"
    assert found.rows()[0]["boards"] == found.value.boards
    assert repr(found).startswith("<First against random: better ")
    assert f" {found.value.boards} boards>" in repr(found)
    checked = arena.check(First, ["hearts", "gongzhu"])
    assert checked.value.passed
    assert {row["group"] for row in checked.rows()} == {"hearts", "gongzhu"}
    assert len(arena.check(First, "hearts", case=str(checked.rows()[0]["case"])).rows()) == 1
    assert repr(arena.check(Wrong, "hearts")).startswith("<Wrong fails ")


class Broken(First):
    def __init__(self) -> None:
        raise OSError("no weights")


class Wrong(Bot):
    def play(self, view: View) -> Card:
        return next(card for card in view.unseen if card not in view.legal)


MISTAKES: dict[str, Callable[[], object]] = {
    "bots='hearts' is one text. Give a list": lambda: arena.play("hearts"),
    "There is no bot 'nobody'": lambda: arena.play(["nobody"] * 4),
    "3 is no bot. Give a class of pigpen.Bot": lambda: arena.play([3] * 4),  # type: ignore[list-item]
    "A person plays at a terminal: pigpen play human": lambda: arena.play(["human"] * 4),
    "takes 4 bots; 3 named": lambda: arena.play([First] * 3),
    "boards and deals exclude each other": lambda: arena.play([First] * 4, boards=1, deals=1),
    "boards: Input should be greater than or equal to 1.": lambda: arena.play([First] * 4, boards=0),
    "First is a class of this process and plays only here": lambda: arena.play([First] * 4, sandbox="docker"),
    "There is no sandbox 'cloud'. Choose one of 'docker', 'process', 'inline'.": lambda: arena.play(
        [First] * 4, sandbox="cloud"  # type: ignore[arg-type]
    ),
    "There are no rules called 'bridge'": lambda: arena.play([First] * 4, "bridge"),
    "field '': name 1 to 3 opponents": lambda: arena.compare(First, First, []),
    "There is no case 'x'": lambda: arena.check(First, ["hearts"], case=["x"]),
}  # fmt: skip


@pytest.mark.parametrize("sentence", MISTAKES)
def test_a_mistake_gets_a_sentence(sentence: str) -> None:
    with pytest.raises(arena.PigpenError, match=re.escape(sentence)):
        MISTAKES[sentence]()


def test_a_bot_that_cannot_be_made_is_named() -> None:
    with pytest.raises(arena.BotRejected, match=r"Broken\(\) .*: OSError: no weights"):
        arena.play([Broken] * 4)


def test_arguments_are_called_as_the_options_of_the_commands() -> None:
    for function, command in ((arena.play, play_command), (arena.compare, compare_bots)):
        taken = inspect.signature(function).parameters.keys()
        options = inspect.signature(command).parameters.keys()
        assert taken - options == {"progress"}
        assert (
            options - taken - {"human_limit", "pace", "resume", "fresh", "output", "as_json"} == {"context"} & options
        )


def test_a_match_without_a_clock_says_so_in_its_record() -> None:
    usual, none = (arena.play(["random"] * 4, deals=1, no_clock=each).recorded.first.clock for each in (False, True))
    assert (usual.limit, none.limit, none.bank) == (1.0, NO_CLOCK.limit, NO_CLOCK.bank)


def test_progress_is_reported_after_each_deal() -> None:
    reported: list[tuple[int, int | None]] = []
    arena.play(["random"] * 4, deals=3, progress=lambda *done: reported.append(done))
    assert reported == [(1, 3), (2, 3), (3, 3)]
    boards: list[int] = []
    arena.compare("random", First, boards=40, elo1=500, progress=lambda found: boards.append(found.boards))
    assert boards == sorted(boards)
    assert boards


async def test_it_plays_while_an_event_loop_runs_and_in_that_loop() -> None:
    assert len(arena.play(["random"] * 4, deals=2).recorded.deals) == 2
    with pytest.raises(arena.BotRejected, match="cannot be made"):
        arena.play([Broken] * 4)
    one, other = await asyncio.gather(*(arena.play_async(["random"] * 4, deals=2, seed="7") for _ in range(2)))
    assert one.seed == other.seed


async def test_an_interrupt_ends_work_in_the_other_thread() -> None:
    """It is what Ctrl-C does in a notebook: the work ends after the piece that it is at."""
    interrupts: list[Interrupt] = []
    begun = threading.Event()

    async def work() -> None:
        with shown(False, "pieces", None) as step:
            from pigpen_arena.running import _interrupt

            found = _interrupt.get()
            assert found
            interrupts.append(found)
            begun.set()
            while True:
                step()

    ended = asyncio.ensure_future(asyncio.to_thread(_run_in_loop, work))
    await asyncio.to_thread(begun.wait)
    interrupts[0].end()
    with pytest.raises(asyncio.CancelledError):
        await ended


def _run_in_loop(work: Callable[[], object]) -> None:
    async def main() -> None:
        run(work())  # type: ignore[arg-type]

    asyncio.run(main())


LEAVES = """
import os, random, subprocess, sys
random.seed(7)
state, environment = random.getstate(), dict(os.environ)
import pigpen_arena as arena
import rich.style
assert random.getstate() == state, "importing drew"
{code}
assert random.getstate() == state, "playing drew"
assert dict(os.environ) == environment
shown = subprocess.run([sys.executable, "-c", "import os; print(*os.environ)"], capture_output=True, text=True).stdout
assert "GRPC" not in shown, shown
"""


@pytest.mark.parametrize("sandbox", ["inline", "process"])
def test_chance_and_environment_of_the_caller_stay_as_they_were(sandbox: str) -> None:
    code = f'arena.play(["random", "cautious", "counting", "sampling"], boards=1, sandbox="{sandbox}", clock="30+1")'
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    done = subprocess.run([sys.executable, "-c", LEAVES.format(code=code)], env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


INTERRUPTED = """
import signal, sys
import pigpen_arena as arena

for path in (sys.argv[1], None):
    try:
        arena.play(["random"] * 4, deals=3, record=path, progress=lambda *_: signal.raise_signal(signal.SIGINT))
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_an_interrupted_match_names_its_record_and_no_option(tmp_path: Path) -> None:
    """In a process of its own: a signal that comes a moment too late would end the one that runs the tests."""
    record = tmp_path / "match.jsonl"
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, record], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["interrupted"] * 2
    assert done.stderr.count(str(record)) == done.stderr.count("What has been played") == 1  # the other went with it
    assert "--" not in done.stderr


@pytest.mark.parametrize(
    "work",
    [
        lambda path: arena.play(["random"] * 4, deals=3, boards=2),
        lambda path: arena.play(["random"] * 4, deals=1, record=path),
        lambda path: arena.play([f"image:{path}"] * 4, deals=1, sandbox="process"),
        lambda path: arena.play([str(path.parent)] * 4, deals=1),
        lambda path: arena.compare("random", "cautious", elo0=5, elo1=3),
        lambda path: arena.compare("random", "cautious", field=[]),
        lambda path: arena.check(str(path.parent)),
    ],
)
def test_an_error_names_arguments_and_no_option(work: Callable[[Path], object], tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.touch()
    with pytest.raises(arena.PigpenError) as error:
        work(record)
    assert str(error.value)
    assert "--" not in str(error.value)


PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text("utf-8")
COLUMNS = re.compile(r'^\| `"(\w+)"` \| [^|]+ \| ([^|]+) \|$', flags=re.MULTILINE)


def test_the_code_runs_from_the_first_block_to_the_last_one() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for code in blocks("python", PAGE):
        exec(code, names)
    tables = {
        of: re.findall(r"`(\w+)`", columns)
        for of, columns in COLUMNS.findall(PAGE)
        if of in ("bots", "deals", "decisions")
    }
    assert tables == {of: list(names["match"].rows(of)[0]) for of in ("bots", "deals", "decisions")}
