"""
The information in a match of more boards: how often the better bot comes first, and what that costs.

    python -m benchmarks.match_length
    python -m benchmarks.match_length --boards 4000 --variants gongzhu

Boards played by the referee with bots in this process, at one table: `cautious`, and `cautious` that plays a random
card in a given percentage of decisions. They are taken in groups of 1, 2, 4, … boards, each of which is a match.
By the model of `ladder.ratings.elo` the Elo difference by the places grows like the root of the boards; it is fitted to
the matches of four boards and compared with the others. Three of those bots differ little, so that luck decides.

A comparison takes as many matches as it takes until the mean score is two standard errors above one half. With s the
seconds in which a match starts and d those of a deal, it costs matches · (s + rotations · boards · d).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from benchmarks.duels import load_bot
from benchmarks.report import show
from ladder.ratings.elo import SCALE, STANDARD_BOARDS, expected
from pigpen import Bot, Card, Face, View
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.match.match import Match
from referee.records.lines import AnyLine, DealLine
from referee.seats.seat import InlineSeat

SLIPS = (0.0, 0.1, 0.2, 0.4)
"""Share of its decisions in which each bot of the table slips."""
LENGTHS = (1, 2, 4, 8, 16)
VARIANTS = ("hearts", "gongzhu")

FloatArray = npt.NDArray[np.float64]


class Slipping(Bot):
    """Plays as `cautious` does, but now and then any card."""

    def __init__(self, slips: float) -> None:
        self._slips = slips
        self._cautious = load_bot("cautious")()

    def play(self, view: View) -> Card:
        """Slip, or think."""
        return view.rng.choice(view.legal) if view.rng.random() < self._slips else self._cautious.play(view)

    def pass_cards(self, view: View) -> Iterable[Card]:
        """Pass as the original does."""
        return self._cautious.pass_cards(view)

    def expose(self, view: View) -> Iterable[Card] | Mapping[Card, Face]:
        """Expose as the original does."""
        return self._cautious.expose(view)


def board_points(rules: Rules, boards: int, seed: str) -> FloatArray:
    """Play, and give the points of each bot on each board, (boards, bots), all rotations summed; more is better."""
    found: defaultdict[int, list[int]] = defaultdict(lambda: [0] * rules.players)

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[list[InlineSeat]]:
        yield [InlineSeat(Slipping(slips)) for slips in SLIPS]

    def write(line: AnyLine) -> None:
        if isinstance(line, DealLine):
            for seat, bot in enumerate(line.seats or ()):
                found[line.deal][bot] += line.scores[seat]

    names = tuple(f"slips {slips:g}" for slips in SLIPS)
    spec = MatchSpec(rules, names, Format(boards=boards), seed=seed_from(seed))
    asyncio.run(Match(spec, open_table, write).play())
    points = np.array([found[board] for board in sorted(found)], dtype=np.float64)
    return -points if rules.low_is_better else points


def score(points: FloatArray, a: int, b: int, boards: int) -> float:
    """Compute the mean score of bot a against bot b in matches of *boards* boards; a tie is one half."""
    matches = points[: len(points) // boards * boards].reshape(-1, boards, points.shape[1]).sum(axis=1)
    return float(np.mean(0.5 + 0.5 * np.sign(matches[:, a] - matches[:, b])))


def needed(mean: float) -> float:
    """Estimate how many matches it takes until a mean score is two standard errors above one half."""
    return 4 * mean * (1 - mean) / (mean - 0.5) ** 2


def rows_of(points: FloatArray, start: float, deal: float) -> list[Sequence[str]]:
    """Make a row for each length: the score of each pair and what the model says of it; then a comparison's cost."""
    pairs = list(combinations(range(points.shape[1]), 2))
    gaps = {pair: _gap(score(points, *pair, STANDARD_BOARDS)) for pair in pairs}
    rows: list[Sequence[str]] = []
    for boards in LENGTHS:
        scores = {pair: score(points, *pair, boards) for pair in pairs}
        cells = [f"{100 * scores[pair]:.1f} ({100 * expected(gaps[pair], 0.0, boards):.1f})" for pair in pairs]
        matches = needed(scores[pairs[0]])
        seconds = matches * (start + boards * points.shape[1] * deal)
        rows.append((str(boards), *cells, f"{matches:,.0f}", f"{matches * boards:,.0f}", f"{seconds / 60:,.1f} min"))
    return rows


def _gap(mean: float) -> float:
    """Find the Elo difference that gives a score."""
    return SCALE * math.log10(mean / (1 - mean))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--boards", type=int, default=4000)
    parser.add_argument("--variants", nargs="+", choices=sorted(PRESETS), default=VARIANTS)
    parser.add_argument("--seed", default="length", help="any text; the same text gives the same boards")
    parser.add_argument("--start", type=float, default=2.0, help="seconds in which the tables of a match start")
    parser.add_argument("--deal", type=float, default=0.075, help="seconds of a deal")
    options = parser.parse_args()
    for variant in options.variants:
        points = board_points(PRESETS[variant], options.boards, options.seed)
        pairs = [f"{SLIPS[a]:g}–{SLIPS[b]:g}" for a, b in combinations(range(len(SLIPS)), 2)]
        costs = [f"{what} for {pairs[0]}" for what in ("matches", "boards", "time")]
        title = f"{variant}: % of matches in which the better bot is first, and by the model; {options.boards} boards"
        show(title, ["boards", *pairs, *costs], rows_of(points, options.start, options.deal))


if __name__ == "__main__":
    main()
