"""What the benchmarks share: rounds in turn, medians, a table."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table


def machine() -> str:
    """One line about where the figures come from."""
    return f"{os.cpu_count()} CPUs, Linux {platform.release()}, Python {platform.python_version()}"


def in_turn(rounds: int, *measures: Callable[[], float]) -> list[list[float]]:
    """Take each measure once a round, A B A B …; a list of results for each measure."""
    results: list[list[float]] = [[] for _ in measures]
    for _ in range(rounds):
        for measure, values in zip(measures, results, strict=True):
            values.append(measure())
    return results


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the pairwise ratios, with the smallest and the largest."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return f"{statistics.median(ratios):.2f}× ({min(ratios):.2f}–{max(ratios):.2f})"


def spread(values: Sequence[float], digits: int = 1) -> str:
    """The median, with the smallest and the largest."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def show(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)
