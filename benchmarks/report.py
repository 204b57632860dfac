"""Common parts of the benchmarks: rounds in turn, medians, rows, a table."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Sequence
from dataclasses import astuple, dataclass, replace

from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 150
"""Columns of a table where no terminal says how many it has."""


@dataclass(frozen=True)
class Row:
    """A measurement: its subject, the figure, the figure that it is compared with, and their ratio."""

    what: str
    figure: str
    against: str = ""
    ratio: str = ""

    @classmethod
    def left_out(cls, what: str, why: object) -> Row:
        """Make the row of what could not be measured here."""
        return cls(what, "left out", str(why))


@dataclass(frozen=True)
class Part:
    """A section of the table of `make bench`."""

    name: str
    about: str | None
    """Description of the measurement, as `--help` prints it."""
    measure: Callable[[int], list[Row]]
    """Takes the measurements; its argument is the number of rounds."""
    rounds: int
    """As many as make the figures steady."""
    in_table: bool = True
    """False: it is measured only where it is named, for it takes long or installs much."""


def in_turn(rounds: int, *measures: Callable[[], float]) -> list[list[float]]:
    """Take each measure once a round, A B A B …; a list of results for each measure."""
    results: list[list[float]] = [[] for _ in measures]
    for _ in range(rounds):
        for measure, values in zip(measures, results, strict=True):
            values.append(measure())
    return results


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Write the median of the pairwise ratios, with the smallest and the largest."""
    return spread([one / other for one, other in zip(ours, theirs, strict=True)], "×")


def spread(values: Sequence[float], unit: str = "") -> str:
    """Write the median and its unit, with the smallest and the largest; three digits, or more before the point."""
    middle = statistics.median(values)
    digits = 0 if middle >= 100 else 1 if middle >= 10 else 2
    text = f"{middle:,.{digits}f}{unit}"
    return text if len(values) == 1 else f"{text} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun}{'s' * (number > 1)}"


def compared(names: Sequence[str], values: Sequence[Sequence[float]], unit: str, against: str) -> list[Row]:
    """Make a row for each name; all but the first are held against the first, which those rows call *against*."""
    first, *others = (Row(name, spread(each, f" {unit}")) for name, each in zip(names, values, strict=True))
    ratios = [ratio(each, values[0]) for each in values[1:]]
    return [first, *(replace(row, against=against, ratio=of) for row, of in zip(others, ratios, strict=True))]


def sections(parts: dict[str, list[Row]]) -> list[list[Sequence[str]]]:
    """Make lines of five cells, a group for each part; the first line of a group names it."""
    return [[(name if row is rows[0] else "", *astuple(row)) for row in rows] for name, rows in parts.items()]


def show(
    title: str, headings: Sequence[str], *groups: Sequence[Sequence[str]], words: Collection[int] = (0,)
) -> None:  # fmt: skip
    """Print a table; a line is drawn between groups of rows. The columns *words* hold words, the others figures."""
    console = Console(markup=False)
    console.width = console.width if console.is_terminal else PIPE_WIDTH
    console.print(title, highlight=False, soft_wrap=True)
    table = Table()
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number in words else "right")
    for rows in groups:
        for row in rows:
            table.add_row(*row)
        table.add_section()
    console.print(table)
