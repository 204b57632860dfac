"""
Benefit of boards: the standard error of the difference between two bots, for boards and for as many single deals.

    python -m benchmarks.boards
    python -m benchmarks.boards --boards 1000 --seed pig

Whole matches of the referee, with bots in this process. `clone` is `cautious` with a slip in one of twenty cards.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from benchmarks.duels import BotMaker, load_bot
from benchmarks.report import show
from pigpen import Bot, Card, Face, View
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.match.match import Match
from referee.records.lines import AnyLine, DealLine
from referee.seats.seat import InlineSeat

SLIPS = 0.05
VARIANTS = ("hearts", "gongzhu")
TABLES = (("cautious", "clone", "cautious", "cautious"), ("cautious", "random", "cautious", "random"))


class Clone(Bot):
    """Plays as `cautious` does, but now and then any card."""

    def __init__(self) -> None:
        self._cautious = load_bot("cautious")()

    def play(self, view: View) -> Card:
        """Slip, or think."""
        return view.rng.choice(view.legal) if view.rng.random() < SLIPS else self._cautious.play(view)

    def pass_cards(self, view: View) -> Iterable[Card]:
        """Pass as the original does."""
        return self._cautious.pass_cards(view)

    def expose(self, view: View) -> Iterable[Card] | Mapping[Card, Face]:
        """Expose as the original does."""
        return self._cautious.expose(view)


def maker_of(name: str) -> BotMaker:
    """Find what makes a sample bot, or a clone."""
    return Clone if name == "clone" else load_bot(name)


def differences(rules: Rules, names: Sequence[str], form: Format, seed: bytes) -> list[float]:
    """Play, and give by how many points per deal bot 0 beats bot 1 on each board, or in each deal without boards."""
    makers = [maker_of(name) for name in names]
    found: defaultdict[int, list[int]] = defaultdict(list)

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[list[InlineSeat]]:
        yield [InlineSeat(make()) for make in makers]

    def write(line: AnyLine) -> None:
        if isinstance(line, DealLine):
            seats = line.seats or range(rules.players)
            found[line.deal].append(line.scores[seats.index(0)] - line.scores[seats.index(1)])

    asyncio.run(Match(MatchSpec(rules, tuple(names), form, seed=seed), open_table, write).play())
    return [statistics.fmean(points) for points in found.values()]


def errors(rules: Rules, names: Sequence[str], boards: int, seed: bytes) -> tuple[float, float]:
    """Estimate the standard error of that difference over *boards* boards, and over as many single deals."""
    forms = (Format(boards=boards), Format(deals=boards * rules.players))
    found = [differences(rules, names, form, seed) for form in forms]
    on_boards, on_deals = [statistics.stdev(each) / len(each) ** 0.5 for each in found]
    return on_boards, on_deals


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--boards", type=int, default=300)
    parser.add_argument("--seed", default="boards", help="any text; the same text gives the same table")
    options = parser.parse_args()
    rows = []
    for variant in VARIANTS:
        for names in TABLES:
            boards, deals = errors(PRESETS[variant], names, options.boards, seed_from(options.seed))
            rows.append((variant, " ".join(names), f"{boards:.2f}", f"{deals:.2f}", f"{(deals / boards) ** 2:.1f}"))
    headings = ("", "table", "± boards", "± deals", "deals for the same ±")
    show(
        f"The first bot against the second, points per deal, {options.boards} boards and as many deals", headings, rows
    )


if __name__ == "__main__":
    main()
