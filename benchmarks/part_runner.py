"""The command of one part and of all of them: measure, show progress, and print one table."""

from __future__ import annotations

import argparse
import datetime
import multiprocessing
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machine import busy_share, how_quiet, machine
from benchmarks.report import Row, sections, show
from ladder.errors import SandboxError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.report import Part

HEADINGS = ("part", "what", "figure", "against", "ratio")
WORDS = (0, 1, 3)
"""The columns that hold words."""
FROM, TO = "<!-- the table of make bench begins -->\n", "<!-- the table of make bench ends -->\n"


def run(about: str | None, *parts: Part) -> None:
    """Run the command."""
    parser = parser_of(about)
    parser.set_defaults(write=None)
    if len(parts) > 1:  # one part alone is not the table
        text = "put the table between its marks in a Markdown file"
        parser.add_argument("--write", type=Path, metavar="FILE", help=text)
    options = parser.parse_args()
    if options.write and not _has_marks(options.write):
        parser.error(f"--write {options.write}: name a file that holds the lines {FROM.strip()} and {TO.strip()}")
    where, began = machine(), time.monotonic()
    found, busy = dict[str, list[Row]](), dict[str, float]()
    for part in parts:
        busy[part.name] = busy_share()
        found[part.name] = measured(part, options.rounds)
    minutes = (time.monotonic() - began) / 60
    command = " ".join(["python", *sys.orig_argv[1:]])
    title = [
        where,
        how_quiet(busy),
        f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}, `{command}`, {minutes:.1f} minutes",
    ]
    show("\n".join(title), HEADINGS, *sections(found), words=WORDS)
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        before, after = text.partition(FROM)[0], text.partition(TO)[2]
        options.write.write_text(before + FROM + markdown(title, found) + TO + after, encoding="utf-8")


def parser_of(about: str | None, rounds: int | None = None) -> argparse.ArgumentParser:
    """Make a command line that says what is measured, and takes the number of rounds."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    text = "of each measurement; few are quick and unsteady"
    parser.add_argument("--rounds", type=_count, metavar="N", default=rounds, help=text)
    return parser


def measured(part: Part, rounds: int | None = None) -> list[Row]:
    """
    Run a part, and give its rows, or one that says why there are none; progress goes to the standard error.

    It has a process of its own: what other parts left in memory would count as the referee's.
    """
    print(f"{part.name} …", file=sys.stderr, flush=True)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        try:
            return alone.submit(part.measure, rounds or part.rounds).result()
        except SandboxError as error:
            return [Row.left_out("all of it", error)]
        except Exception as error:  # the other parts' figures are not to be lost
            traceback.print_exception(error)
            return [Row.left_out("all of it", f"{type(error).__name__}, see above")]


def markdown(title: Sequence[str], found: dict[str, list[Row]]) -> str:
    """Write the table for a Markdown file."""
    lines = [HEADINGS, ["---"] * len(HEADINGS), *(row for rows in sections(found) for row in rows)]
    rows = [" | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in line) for line in lines]
    return "\n\n".join(title) + "\n\n" + "".join(f"| {row} |\n" for row in rows)


def _count(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text}: take 1 or more")
    return int(text)


def _has_marks(path: Path) -> bool:
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    return text.count(FROM) == text.count(TO) == 1 and text.index(FROM) < text.index(TO)
