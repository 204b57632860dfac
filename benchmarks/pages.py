"""
Cost of a bot's page on ladders of more and more bots, before and after a change, in one run.

    python -m benchmarks.pages
    python -m benchmarks.pages --before CHECKOUT --bots 10 100 1000 10000

Each ladder is generated (as for benchmarks/site.py), with 1,000 matches for each bot, but not more than 1,000,000, and
removed in the end. `pigpen serve` runs as it does for users. All pages are of different addresses, so each one is made
for its request: CPU time is that of the web process, from the request to the last byte. With --before a second site, of
another checkout of Pigpen, serves the same file in turn with this one. The exponent e says that the cost grew as the
number of bots to the power of e, from one ladder to the next.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.generated_ladder import VARIANT, generate
from benchmarks.machine import machine
from benchmarks.part_runner import HEADINGS, WORDS, parser_of
from benchmarks.report import Part, Row, ratio, sections, show, spread
from benchmarks.site import serving, worked
from ladder.settings.settings import load_settings
from ladder.store.commands import estimates
from ladder.store.commands.opening import open_ladder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.http_load import Load

BOTS = (10, 100, 1000)
MATCHES_OF_A_BOT, MAX_MATCHES = 1000, 1_000_000
MAX_ESTIMATED = 3000
"""Bots of a ladder that gets an estimate: that of many takes minutes."""
REQUESTS, WARM_UP = 100, 30
"""For one figure."""
BEFORE, NOW = "before", "now"
Figures = dict[str, dict[str, list[float]]]
"""By page and version of the site: milliseconds of CPU time for a page, a figure for each round."""


def pages(bots: int) -> dict[str, Callable[[int], str]]:
    """Give by page an address of it that was not asked for yet, for any number."""
    chance, last = random.Random(11), -(-bots // 100)

    def bot() -> str:
        return f"bot%20{chance.randint(1, bots)}"

    return {
        "a bot's page": lambda number: f"/b/{bot()}?n={number}",
        "API, a bot": lambda number: f"/api/v1/bots/{bot()}?n={number}",
        "standings": lambda number: f"/v/{VARIANT}?page={chance.randint(1, last)}&n={number}",
    }


async def cost(load: Load, process: int, addresses: Sequence[str]) -> float:
    """Measure the CPU time of the site for one address after the other, in milliseconds each."""
    before = worked(process)
    for address in addresses:
        status, _, _ = await load.ask(address)
        assert status == 200, (address, status)
    return (worked(process) - before) / len(addresses)


async def _measured(rounds: int, sites: dict[str, tuple[Load, int]], bots: int) -> Figures:
    drawn, numbers = pages(bots), iter(range(10**9))
    figures: Figures = {}
    for what, address in drawn.items():
        figures[what] = {name: [] for name in sites}
        for number in range(rounds + 1):
            for name, (load, process) in sites.items():
                count = REQUESTS if number else WARM_UP
                taken = await cost(load, process, [address(next(numbers)) for _ in range(count)])
                if number:
                    figures[what][name].append(taken)
    return figures


def of_a_ladder(rounds: int, folder: Path, bots: int, checkouts: dict[str, Path | None]) -> Figures:
    """Measure on one ladder, which is made for it."""
    settings = load_settings(data_dir=folder)
    generate(folder / "ladder.db", bots, min(MAX_MATCHES, MATCHES_OF_A_BOT * bots))
    database = open_ladder(settings)
    if bots <= MAX_ESTIMATED:
        estimates.refresh(database, VARIANT)
    database.close()

    async def measured() -> Figures:
        with ExitStack() as stack:
            sites = {name: stack.enter_context(serving(folder, checkout)) for name, checkout in checkouts.items()}
            figures = await _measured(rounds, sites, bots)
            for load, _ in sites.values():
                await load.close()
            return figures

    return asyncio.run(measured())


def rows(found: dict[int, Figures]) -> list[Row]:
    """Make a row for each page, ladder and version of the site: cost, exponent, and the ratio to that of before."""
    made, sizes = [], sorted(found)
    for what in found[sizes[0]]:
        for place, bots in enumerate(sizes):
            figures = found[bots][what]
            for name, values in figures.items():
                title = f"{what}, {bots:,} bots" + (f", {name}" if len(figures) > 1 else "")
                figure = spread(values, " ms")
                if place:
                    figure += f", e {exponent(sizes[place - 1], bots, found[sizes[place - 1]][what][name], values):.2f}"
                has_other = name == NOW and BEFORE in figures
                against = (BEFORE, ratio(values, figures[BEFORE])) if has_other else ("", "")
                made.append(Row(title, figure, *against))
    return made


def exponent(fewer: int, more: int, first: Sequence[float], then: Sequence[float]) -> float:
    """
    Give the power of the number of bots by which a cost has grown.

    >>> exponent(10, 1000, [1.0], [10.0])
    0.5
    """
    return math.log(statistics.median(then) / statistics.median(first)) / math.log(more / fewer)


def measure(rounds: int, bots: Sequence[int] = BOTS, before: Path | None = None) -> list[Row]:
    """Measure on a ladder of each number of bots."""
    checkouts: dict[str, Path | None] = {NOW: None} if before is None else {BEFORE: before, NOW: None}
    found = {}
    for count in bots:
        with tempfile.TemporaryDirectory() as folder:
            found[count] = of_a_ladder(rounds, Path(folder), count, checkouts)
    return rows(found)


def checkout(text: str) -> Path:
    """Read the argument of --before."""
    folder = Path(text)
    if not (folder / "ladder" / "cli" / "entry.py").is_file():
        raise argparse.ArgumentTypeError(f"{text}: name the folder of a checkout of Pigpen")
    return folder.resolve()


def main(options: argparse.Namespace) -> None:
    """Measure and print."""
    found = measure(options.rounds, options.bots, options.before)
    show(machine(), HEADINGS, *sections({PART.name: found}), words=WORDS)


PART = Part("pages", __doc__, measure, rounds=5)

if __name__ == "__main__":
    parser = parser_of(__doc__, PART.rounds)
    parser.add_argument("--bots", type=int, nargs="+", default=BOTS, help="of each ladder")
    parser.add_argument(
        "--before", type=checkout, metavar="CHECKOUT", help="another checkout of Pigpen, to compare with"
    )
    main(parser.parse_args())
