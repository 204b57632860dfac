"""Keys as terminals send them, words for figures, and output for programs, which is the same in every locale."""

from __future__ import annotations

import csv
import doctest
import io
import json
import tomllib
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest

from ladder.app.standings_csv import write_csv
from ladder.terminal import ladder_words
from ladder.terminal.keys import names
from ladder.terminal.ladder_words import label, moved, percent, sparkline, thinned
from ladder.terminal.sanitize import json_line, print_utf8, toml_text
from ladder.values.standings import StandingRow, Standings
from ladder.values.text import write_utf8
from pigpen.rules import PRESETS
from tests.e2e.command import pigpen_process
from tests.nasty import CONTROLS

if TYPE_CHECKING:
    from pathlib import Path

SENT = {
    "q": ["q"],
    "\x1b[A\x1b[B\x1b[C\x1b[D": ["up", "down", "right", "left"],
    "\x1bOA\x1bOD": ["up", "left"],
    "\x1b[H\x1b[F\x1bOH\x1bOF": ["home", "end", "home", "end"],
    "\x1b[1~\x1b[4~\x1b[7~\x1b[8~": ["home", "end", "home", "end"],
    "\x1b[5~\x1b[6~": ["page up", "page down"],
    "\x1b": ["escape"],
    "\x1bq": ["escape", "q"],
    "\x1b\x1b[A": ["escape", "up"],
    "\x1a": ["suspend"],
    "\x1b[1;5C": [""],
    "\x1b[24~": [""],
    "né\n": ["n", "é", "\n"],
    "": [],
}


@pytest.mark.parametrize(("sent", "expected"), SENT.items(), ids=map(repr, SENT))
def test_keys_are_named(sent: str, expected: list[str]) -> None:
    assert names(sent) == expected


def test_the_examples_are_true() -> None:
    assert doctest.testmod(ladder_words).failed == 0


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [(None, 0, "–"), (0.0, 2, "0"), (1.0, 2, "100"), (0.004, 0, "<1"), (0.996, 0, ">99"), (0.5, 1, "50.0")],
)
def test_what_is_not_quite_none_or_all_does_not_look_like_it(share: float | None, digits: int, text: str) -> None:
    assert percent(share, digits) == text


@pytest.mark.parametrize(("change", "text"), [(None, "–"), (0.0, "0"), (-0.4, "0"), (0.6, "+1"), (-12.2, "-12")])
def test_a_move_has_its_sign_unless_it_is_none(change: float | None, text: str) -> None:
    assert moved(change) == text


def test_small_moves_do_not_look_like_large_ones() -> None:
    assert sparkline([]) == ""
    assert sparkline([1500.0, 1501.0]) == "▁▁"
    assert sparkline([1500.0, 1600.0]) == "▁█"


def test_a_long_history_is_thinned_and_keeps_its_ends() -> None:
    assert thinned([1.0, 2.0], 10) == [1.0, 2.0]
    many = [float(value) for value in range(20)]
    assert (thinned(many, 10)[0], thinned(many, 10)[-1], len(thinned(many, 10))) == (0.0, 19.0, 10)


def test_a_first_version_goes_by_the_bot_s_name() -> None:
    assert (label("Trotter", 1), label("Trotter", 2)) == ("Trotter", "Trotter@2")


ENCODINGS = ["utf-8", "latin-1", "ascii", "utf-16", "gbk"]
NAME = "Gong Zhu 拱猪 é 𝄞"


@pytest.fixture(params=ENCODINGS)
def out(request: pytest.FixtureRequest) -> io.TextIOWrapper:
    """A standard output of some encoding, as `run_app` sets it up."""
    return io.TextIOWrapper(io.BytesIO(), request.param, errors="replace")


def test_json_says_the_same_in_every_locale(out: io.TextIOWrapper) -> None:
    with redirect_stdout(out):
        print_utf8(json_line({NAME: CONTROLS}))
    text = _written(out)
    assert json.loads(text) == {NAME: CONTROLS}
    assert text.isascii() == (out.encoding != "utf-8")
    assert text.removesuffix("\n").isprintable()


def test_so_does_toml(out: io.TextIOWrapper) -> None:
    with redirect_stdout(out):
        print_utf8(toml_text(f'# ±\nname = "{NAME}\u202e"'))
    text = _written(out)
    assert tomllib.loads(text) == {"name": f"{NAME}\u202e"}
    assert text.isascii() == (out.encoding != "utf-8")


def test_so_does_csv(out: io.TextIOWrapper) -> None:
    row = StandingRow.model_construct(bot=NAME, shares=())
    write_csv([Standings.model_construct(variant="gongzhu", standings=(row,))], out)
    (read,) = csv.DictReader(io.StringIO(_written(out)))
    assert (read["variant"], read["bot"]) == ("gongzhu", NAME)


def test_text_in_memory_stays_text() -> None:
    file = io.StringIO(newline="")
    write_utf8(f"{NAME}\n", file)
    assert file.getvalue() == f"{NAME}\n"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_rules_that_were_printed_are_read_again(tmp_path: Path, encoding: str) -> None:
    printed = pigpen_process("rules", "gongzhu", "--toml", folder=tmp_path, PYTHONIOENCODING=encoding)
    assert printed.returncode == 0
    assert tomllib.loads(printed.stdout) == PRESETS["gongzhu"].to_plain()


def _written(out: io.TextIOWrapper) -> str:
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode("utf-8")
