"""`pigpen replay` on a terminal, with real keys, and in a pipe."""

from __future__ import annotations

import base64
import re
import signal
from pathlib import Path

import pytest

from referee.records.lines import DealLine, MatchLine
from tests.e2e.command import pigpen
from tests.e2e.terminal import Terminal, terminal
from tests.referee.bots import showy_seats
from tests.referee.recorded import faulty_seats, match_lines, write_record

UP, DOWN, RIGHT, LEFT, HOME, END = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
SHOWN, HIDDEN = "\x1b[?25h", "\x1b[?25l"
OPENED, CLOSED = "\x1b[?1049h", "\x1b[?1049l"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two deals of hearts."""
    return str(write_record(tmp_path_factory.mktemp("records") / "hearts.jsonl", match_lines("hearts", "deals:2")))


def is_as_before(now: Terminal, modes: list[object]) -> bool:
    """True if the terminal is set as it was, shows its old screen, and its cursor."""
    last = {pair: max(pair, key=now.output.rfind) for pair in ((OPENED, CLOSED), (HIDDEN, SHOWN))}
    return now.modes == modes and list(last.values()) == [CLOSED, SHOWN]


def test_arrow_keys_walk_through_cards_tricks_and_deals(record: str) -> None:
    with terminal("replay", record) as now:
        modes = now.modes
        now.see("The cards are dealt.")
        now.see_lines(80, 24)
        now.press(RIGHT)
        now.see("All have passed 3 cards.")
        now.press(RIGHT)
        now.see("leads 2♣")
        now.press(DOWN)
        now.see("takes the trick")
        now.press(LEFT + LEFT)
        now.see("trick 1 of 13")
        now.press("\x1b[6~" * 3)
        now.see("trick 3 of 13")
        now.press(UP)
        now.see("trick 2 of 13")
        now.press(END)
        now.see("The deal is over.")
        now.press(RIGHT)
        now.see("Deal 2, 3 cards passed right   (2 of 2)")
        now.press(LEFT)
        now.see("The deal is over.")
        now.press(HOME)
        now.see("The cards are dealt.")
        now.press("]")
        now.see("(2 of 2)")
        now.press("[")
        now.see("(1 of 2)")
        now.press("q")
        assert now.end() == 0
        assert is_as_before(now, modes)


def test_the_view_goes_round_the_seats(record: str) -> None:
    with terminal("replay", record, "--deal", "2", "--as", "bot2") as now:
        now.see("as 2 bot2")
        now.wait_for(lambda: now.screen.count("13 unknown cards") == 3, "three hands that are not seen")
        now.press("v")
        now.see("as 3 bot3")
        now.press("v")
        now.see("all hands open")
        assert "unknown" not in now.screen
        now.press("v")
        now.see("as 0 bot0")


def test_help_is_shown_the_picture_follows_the_size_of_the_terminal_and_ctrl_z_puts_the_terminal_back(
    record: str,
) -> None:
    with terminal("replay", record) as now:
        now.see("The cards are dealt.")
        now.press("?")
        now.see("Any key goes back to the table.")
        now.press("q")
        now.see("The cards are dealt.")
        now.resize(70, 10)
        now.see("This needs 80 columns and 24 lines; the terminal has 70 and 10.")
        now.resize(120, 40)
        now.see("▶ 2 bot2")
        now.see_lines(120, 40)
        now.press(RIGHT)
        now.see("All have passed")
        now.press("\x1a")
        now.write_until(CLOSED)  # nobody could let a program of an orphaned group go on: it is not stopped
        now.wait_for(lambda: now.output.count(OPENED) == 2, "going on draws it again")
        now.see("All have passed")
        now.press("\x1b")
        assert now.end() == 0


def test_f_goes_to_the_next_fault(tmp_path: Path) -> None:
    path = write_record(tmp_path / "faulty.jsonl", match_lines("hearts", "deals:1", faulty_seats))
    with terminal("replay", str(path), "--as", "1") as now:
        now.see("The cards are dealt.")
        now.press("f")
        now.see("✗ 1 bot1: default:absent: it did not take its seat within 10 s")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_it_and_leaves_the_terminal_as_it_was(record: str, number: signal.Signals) -> None:
    with terminal("replay", record) as now:
        modes = now.modes
        now.see("The cards are dealt.")
        assert not is_as_before(now, modes)
        if number == signal.SIGINT:
            now.press("\x03")
        else:
            now.program.send_signal(number)
        assert now.end() == 128 + number
        assert is_as_before(now, modes)
        assert "Traceback" not in now.output


def test_an_error_in_mid_play_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    first, good, bad, result = match_lines("hearts", "deals:2")
    assert isinstance(bad, DealLine)
    broken = bad.model_copy(update={"steps": bad.steps[:-1], "took_ms": bad.took_ms[:-1]})
    path = write_record(tmp_path / "broken.jsonl", [first, good, broken, result])
    with terminal("replay", str(path)) as now:
        modes = now.modes
        now.see("The cards are dealt.")
        now.press("n")
        assert now.end() == 2
        assert is_as_before(now, modes)
        printed = " ".join(now.output.split())
        assert "cannot be replayed: deal 2: " in printed
        assert "ends in the middle." in printed


def test_deals_that_were_played_meanwhile_are_found_at_the_end(tmp_path: Path) -> None:
    lines = match_lines("hearts", "deals:2")
    path = write_record(tmp_path / "growing.jsonl", lines[:2])
    with terminal("replay", str(path)) as now:
        now.see("(1 of 1)")
        now.press("n")
        write_record(tmp_path / "grown.jsonl", lines).replace(path)  # in one go: it may be read right now
        now.press("n")
        now.see("(2 of 2)")


def test_a_terminal_without_unicode_gets_letters(record: str) -> None:
    with terminal("replay", record, PYTHONIOENCODING="ascii") as now:
        now.see("> 2 bot2")
        assert now.screen.isascii()
        now.see("S A K J")


def test_without_a_terminal_it_prints_text(record: str) -> None:
    for words in ((), ("--plain",)):
        done = pigpen("replay", record, *words)
        assert done.returncode == 0
        assert done.stdout.count("takes") == 0
        assert "Deal 1, 3 cards passed left" in done.stdout
        assert "Deal 2, 3 cards passed right" in done.stdout
        assert "\x1b" not in done.stdout


def test_a_record_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    first, *rest = match_lines("hearts", "deals:1")
    assert isinstance(first, MatchLine)
    names = ("\x1b[2J\n\u202e", *first.bots[1:])
    path = str(write_record(tmp_path / "match.jsonl", [first.model_copy(update={"bots": names}), *rest]))
    done = pigpen("replay", path)
    assert done.returncode == 0
    assert ": 0 �[2J��, 1 bot1, 2 bot2, 3 bot3\n" in done.stdout
    assert not {*names[0]} & {*done.stdout} - {*"[2J\n"}
    refused = pigpen("replay", path, "--as", "nix")
    assert (refused.returncode, "\x1b" in refused.stderr) == (2, False)
    asked = pigpen("rerun", path, "0", "counting", "--sandbox", "inline")
    assert "counting differs from �[2J��" in asked.stdout
    with terminal("replay", path) as now:
        now.see("▶ 0 �[2J�� 0")


def test_a_packed_record_reads_the_same(tmp_path: Path) -> None:
    lines = match_lines("gongzhu", "boards:1", showy_seats)
    shown = [
        pigpen("replay", str(write_record(tmp_path / name, lines)), "--as", "0").stdout
        for name in ("a.jsonl", "a.jsonl.gz")
    ]
    assert shown[0] == shown[1]
    assert "Board 1, rotation 4" in shown[0]


def test_one_deal_can_be_chosen_and_an_unfinished_record_shown(tmp_path: Path) -> None:
    path = write_record(tmp_path / "boards.jsonl", match_lines("hearts", "boards:3")[:-2])
    assert pigpen("replay", str(path), "--board", "2").stdout.count("\nBoard 2, rotation ") == 4
    assert pigpen("replay", str(path), "--board", "2", "--rotation", "3").stdout.count("\nBoard ") == 1
    assert pigpen("replay", str(path), "--deal", "3").stdout.count("\nBoard 3, ") == 3
    assert "not finished: 11 deals" in pigpen("replay", str(path)).stdout


def test_a_page_for_a_browser_holds_the_record(tmp_path: Path, record: str) -> None:
    target = tmp_path / "match.html"
    assert pigpen("replay", record, "--html", str(target)).stdout == f"Written: {target}\n"
    held = re.search(r'data-name="hearts.jsonl">([^<]+)<', target.read_text("utf-8"))
    assert held
    assert base64.b64decode(held[1]) == Path(record).read_bytes()


def test_a_mistake_is_one_sentence(tmp_path: Path, record: str) -> None:
    empty = write_record(tmp_path / "empty.jsonl", match_lines("hearts", "deals:1")[:1])
    (tmp_path / "text.txt").write_text("hello\n")
    for words, message in (
        ((record, "--deal", "3"), "has no deal for --deal 3; it holds the deals 1 to 2."),
        ((record, "--board", "1"), "has no deal for --board 1; it holds the deals 1 to 2."),
        ((record, "--as", "nix"), "there is no bot 'nix' in it; there are 0 bot0, 1 bot1, 2 bot2, 3 bot3."),
        ((str(empty),), "holds no deal yet"),
        ((str(empty), "--html", str(empty)), "holds no deal yet"),
        ((record, "--html", record), "is there already. Name another file; nothing was changed."),
        ((record, "--html", str(tmp_path / "no" / "page")), "cannot be written: No such file or directory."),
        ((record, "--html", "x.html", "--as", "0"), "--html writes the whole record: leave out "),
        ((str(tmp_path / "none"),), "cannot be read: No such file or directory."),
        ((str(tmp_path / "text.txt"),), "it is no line of a record."),
    ):
        done = pigpen("replay", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
