"""Output of commands for programs: the same value in every locale."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest

from ladder.app.standings_csv import write_csv
from ladder.terminal.sanitize import json_line, print_utf8, toml_text
from ladder.values.standings import StandingRow, Standings
from ladder.values.text import write_utf8
from pigpen.rules import PRESETS
from tests.e2e.command import pigpen_process
from tests.nasty import CONTROLS

if TYPE_CHECKING:
    from pathlib import Path

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
