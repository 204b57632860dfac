"""
Strength of `tree` against another bot that searches, at equal CPU time, and of a bot with more time, in every variant.

    python -m benchmarks.tree --minutes 20
    python -m benchmarks.tree --ms 40 --rules gongzhu --minutes 10
    python -m benchmarks.tree --against uct --ms 10 --sealed
    python -m benchmarks.tree --bot uct --ms 40 --against uct --against-ms 4
    python -m benchmarks.tree --against OTHER_CHECKOUT/sdk/pigpen/sim/native/engine-x86_64.so

A figure says by how many points per deal `tree` does better, ± one standard error, when both have two seats each (at
five seats three against two, in turn). Each deal is played twice, with the bots in each other's seats, and is one
observation. Both bots may use the same CPU time for a card, and no trials are counted: `sampling` continues after its
usual 2,000 deals, too. Passes and exposures are chosen once for both; with --sealed each bot chooses its own, in the
time of five cards. Variants take turns until the time is over. The other bot is `sampling`, `uct`, `tree`, or `tree`
with another library, such as one that was compiled with other weights. With --against-ms it has another time, so that a
bot can play against itself: what more time is worth. --bot names a bot that plays in place of `tree`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from benchmarks.duels import in_errors, mean_and_error
from benchmarks.part_runner import machine
from benchmarks.report import show
from pigpen import Card, Policy, View
from pigpen.bot import decide
from pigpen.rules import PRESETS, Action, Deal, Phase, Rules, deal_hands, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.search import CardTree, SearchBot, card_trial, race, sealed_trial, some_passes
from pigpen.sim import native
from pigpen.sim.native.binding import Engine
from sample_bots.uct.bot import Uct

MANY = 1_000_000
"""Trials that no bot makes in its time."""
PASS_TRIALS = 12
"""Trials of a pass, which both bots take over."""
SEALED = 5
"""Time for a pass or an exposure, as a multiple of the time for a card; `Pace` gives as much."""


class Player(NamedTuple):
    """A bot that decides in a given CPU time."""

    card: Callable[[View, float], Card]
    sealed: Callable[[View, float], Action]


class Hurried(SearchBot):
    """Passes sooner than `sampling`: a match of both needs the time for cards."""

    def pass_cards(self, view: View) -> tuple[Card, ...]:
        """Try each pass in a few deals."""
        return race(some_passes(view), partial(sealed_trial, view, self.policy), float("inf"), PASS_TRIALS)


class Timed(SearchBot):
    """Decides in a given CPU time."""

    clock = staticmethod(time.thread_time)

    def __init__(self, given: float) -> None:
        self.given = given

    def seconds(self, view: View) -> float:
        """Return the time given."""
        return self.given


class TimedUct(Timed, Uct):
    """Decides as `uct` does, in a given CPU time."""

    trials = MANY


def by_trials(view: View, seconds: float) -> Action:
    """Pass or expose as `tree` and `sampling` do."""
    return decide(Timed(seconds), view)


def by_tree(view: View, seconds: float) -> Card:
    """Choose as `tree` does."""
    end = time.thread_time() + seconds
    tree = CardTree(view, view.rng)
    if (card := tree.solved()) is not None:
        return card
    return race(view.legal, tree.trial, end - time.thread_time(), MANY, time.thread_time)


def by_playouts(view: View, seconds: float) -> Card:
    """Choose as `sampling` does."""
    return race(view.legal, partial(card_trial, view, Policy.CAREFUL), seconds, MANY, time.thread_time)


TREE = Player(by_tree, by_trials)
BOTS = {
    "tree": TREE,
    "sampling": Player(by_playouts, by_trials),
    "uct": Player(
        lambda view, seconds: TimedUct(seconds).play(view), lambda view, seconds: decide(TimedUct(seconds), view)
    ),
}  # fmt: skip


def tree_of(engine: Engine) -> Player:
    """Give the player that chooses as `tree` does with another library."""

    def card(view: View, seconds: float) -> Card:
        with mock.patch.object(native, "engine", return_value=engine):
            return by_tree(view, seconds)

    return Player(card, by_trials)


@dataclass
class Match:
    """Deals of one variant."""

    rules: Rules
    seconds: tuple[float, float]
    """CPU time for a card, of both bots."""
    seed: bytes
    bots: tuple[Player, Player] = (TREE, BOTS["sampling"])
    sealed: bool = False
    """True if each bot passes and exposes for itself."""
    better: list[float] = field(default_factory=list)
    """Points by which the first bot did better, deal by deal."""
    used: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    """CPU time of each card, of both bots, in ms."""

    def play(self, number: int) -> None:
        """Play a deal twice."""
        start = Deal(self.rules, deal_hands(self.rules, self.seed, number), number=number)
        while start.phase in (Phase.PASS, Phase.EXPOSE) and not self.sealed:
            for seat, action in [(seat, decide(Hurried(), self._view(start, seat))) for seat in start.to_act]:
                start.apply(seat, action)
        self.better.append(statistics.fmean(self._play_on(start.copy(), first) for first in (0, 1)))

    def _play_on(self, deal: Deal, first: int) -> float:
        while not deal.is_over:
            for seat, action in [(seat, self._action(deal, seat, (seat + first) % 2)) for seat in deal.to_act]:
                deal.apply(seat, action)
        sides = [[score for seat, score in enumerate(deal.scores()) if (seat + first) % 2 == side] for side in (0, 1)]
        ahead = statistics.fmean(sides[0]) - statistics.fmean(sides[1])
        return -ahead if self.rules.low_is_better else ahead

    def _action(self, deal: Deal, seat: int, bot: int) -> Action:
        if deal.phase is Phase.MOON or deal.is_forced(seat):
            return deal.default_action(seat)
        view, player, seconds = self._view(deal, seat), self.bots[bot], self.seconds[bot]
        if deal.phase is not Phase.PLAY:
            return player.sealed(view, SEALED * seconds)
        began = time.thread_time()
        card = player.card(view, seconds)
        self.used[bot].append(1000 * (time.thread_time() - began))
        return card

    def _view(self, deal: Deal, seat: int) -> View:
        view = View(*deal.known_to(seat))
        view.totals, view.seed = (0,) * self.rules.players, derived_number("bot", self.seed, deal.number, seat)
        return view

    def row(self) -> tuple[str, ...]:
        """Give the figures of the variant."""
        mean, error = mean_and_error(self.better)
        digits = 2 if error < 1 else 1 if error < 10 else 0
        took = (f"{statistics.fmean(times):.1f}" for times in self.used)
        better = f"{mean:+.{digits}f} ± {error:.{digits}f}"
        return self.rules.name, str(len(self.better)), better, in_errors(mean, error), *took


def rounds(minutes: float) -> Iterator[int]:
    """Give numbers of deals until the time is over; two at least."""
    end = time.monotonic() + 60 * minutes
    for number in count():
        if number > 1 and time.monotonic() > end:
            return
        yield number


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--ms", type=float, default=4.0, help="CPU time for a card; default 4")
    parser.add_argument("--minutes", type=float, default=20.0, help="wall-clock time for all variants; default 20")
    parser.add_argument("--rules", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--seed", default="tree", help="any text; the same text gives the same hands")
    parser.add_argument("--bot", default="tree", choices=BOTS, help="the bot that is judged; default tree")
    parser.add_argument("--against", default="sampling", metavar="BOT", help=f"{', '.join(BOTS)}, or a library's file")
    parser.add_argument("--against-ms", type=float, metavar="MS", help="CPU time of that bot; default that of --ms")
    parser.add_argument("--sealed", action="store_true", help="each bot passes and exposes for itself")
    options = parser.parse_args()
    seed, names = seed_from(options.seed), options.rules or list(PRESETS)
    name, times = options.against, (options.ms, options.ms if options.against_ms is None else options.against_ms)
    try:
        other = BOTS.get(name) or tree_of(Engine(Path(name)))
    except (OSError, AttributeError) as error:
        parser.error(f"--against: {name} is neither {', '.join(BOTS)} nor a library of Pigpen: {error}")
    name = name if name in BOTS else "the other tree"
    bots, seconds = (BOTS[options.bot], other), (times[0] / 1000, times[1] / 1000)
    matches = [Match(PRESETS[each], seconds, seed, bots, options.sealed) for each in names]
    for number in rounds(options.minutes):
        for match in matches:
            match.play(number)
    one, two = (f"{bot} of {ms:g} ms" for bot, ms in zip((options.bot, name), times, strict=True))
    print(machine())
    show(
        f"{one} against {two} a card",
        ("", "deals", "points a deal better", "in errors", f"{one}: ms used", f"{two}: ms used"),
        [match.row() for match in matches],
    )


if __name__ == "__main__":
    main()
