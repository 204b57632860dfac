"""
Points that known cards are worth: `tree` that sees all hands against `tree` that does not, phase by phase.

    python -m benchmarks.ceiling --minutes 60
    python -m benchmarks.ceiling --rules hearts --rules gongzhu --ms 10
    python -m benchmarks.ceiling --column sealed --column all --rules hearts

A deal is played by ordinary `tree` bots. Where a phase of it begins (passing and exposing, the first four tricks, the
tricks between, the last five), the deal is played on twice more from there: at one table every other seat
searches with the true hands in place of sampled ones until the phase is over, at the other table the seats between do
so. After the phase all are ordinary bots again. So the tables of a phase have the same play before it, and a figure is
what knowing the cards in that phase alone is worth: points a deal by which a seat that knows them does better than one
that does not, ± one standard error; a deal is one observation. *all* is the same with the cards known from the first
decision to the last: a ceiling for whatever a bot may infer of the others' hands, as long as it searches in the same
way. The other way round, *counting* is how much better `tree` is than that sample bot, and *gone* is the part of the
way from `counting` to the ceiling that `tree` has gone.

All searches have the same CPU time, and passes and exposures that of five cards. Where the true hands are known, the
last five tricks are solved. Variants take turns until the time is over. No bot can do this: the hands are put into the
search here, around the view, which has none but the seat's own.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from unittest import mock

from benchmarks.duels import load_bot, mean_and_error
from benchmarks.part_runner import machine
from benchmarks.report import show
from benchmarks.tree import SEALED, TREE, rounds
from pigpen import View
from pigpen.bot import decide
from pigpen.rules import PRESETS, Action, Deal, Face, Phase, Rules, SeatView, deal_hands, mask_of, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.sim import possible_deals
from pigpen.sim.sampling import Unseen
from pigpen.sim.splits import CardPlace

PHASES = ("sealed", "tricks 1–4", "between", "last five")
"""The phases of a deal, in their order."""
EARLY, LATE = 4, 5
"""Number of tricks in the first and in the last of them that have any."""
ALL, ANCHOR = "all", "counting"
COLUMNS = (ANCHOR, *PHASES, ALL)
REPORTED = 20
"""After this number of deals the figures so far are printed."""

Player = Callable[[View, Deal], Action]
"""Decides for the seat of a view; only some look at the deal, with its hands."""


def phase_of(deal: Deal) -> str | None:
    """Name the phase in which *deal* is; None where nothing is left to search."""
    if deal.phase in (Phase.PASS, Phase.EXPOSE):
        return PHASES[0]
    if deal.phase is not Phase.PLAY:
        return None
    trick = len(deal.leaders) - 1
    if deal.rules.hand_size - trick <= LATE:
        return PHASES[3]
    return PHASES[1] if trick < EARLY else PHASES[2]


class Shown(Unseen):
    """The cards that a view does not show, where they really lie: one way to deal them."""

    def __init__(self, deal: Deal, view: SeatView) -> None:
        """Find where the cards lie in *deal*."""
        self._hands = tuple(deal.hands)
        down = [shown for shown in deal.exposures if shown.face is Face.DOWN]
        self._down = [mask_of(shown.card for shown in down if shown.seat == seat) for seat in range(len(deal.hands))]
        super().__init__(view)

    def _may_hold(self, place: CardPlace, candidates: int) -> int:
        down = self._down[place.seat]
        return down if place.face_down else self._hands[place.seat] & ~down


def ordinary(given: float, view: View, deal: Deal) -> Action:
    """Decide as `tree` does."""
    return TREE.card(view, given) if view.phase is Phase.PLAY else TREE.sealed(view, SEALED * given)


def knowing(given: float, view: View, deal: Deal) -> Action:
    """Decide as `tree` does, with the hands of *deal* in every trial."""
    with mock.patch.object(possible_deals, "Unseen", partial(Shown, deal)):
        return ordinary(given, view, deal)


def anchor(view: View, deal: Deal) -> Action:
    """Decide as the sample bot `counting` does."""
    return decide(load_bot(ANCHOR)(), view)


@dataclass
class Ceiling:
    """Deals of one variant."""

    rules: Rules
    seed: bytes
    tree: Player
    knowing: Player
    """Plays as `tree`, but knows the cards."""
    anchor: Player = anchor
    columns: Collection[str] = COLUMNS
    """The figures that are measured; without those of the last tricks the rest of the deal need not be played."""
    better: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Points by which the seats that know more do better, deal by deal; those of `tree` over the anchor."""

    def play(self, number: int) -> None:
        """Play a deal, and play it on from the beginning of each phase."""
        deal = Deal(self.rules, deal_hands(self.rules, self.seed, number), number=number)
        gains = dict.fromkeys(self.columns, 0.0)
        if ALL in gains:
            gains[ALL] = self._gain(deal, dict.fromkeys(PHASES, self.knowing))
        if ANCHOR in gains:
            gains[ANCHOR] = -self._gain(deal, dict.fromkeys(PHASES, self.anchor))
        left = {phase for phase in PHASES if phase in gains}
        while left and (phase := phase_of(deal)):
            if phase in left:
                left.remove(phase)
                gains[phase] = self._gain(deal, {phase: self.knowing})
            self._step(deal, [self.tree] * self.rules.players)
        for name, gain in gains.items():
            self.better[name].append(gain)

    def _gain(self, start: Deal, others: Mapping[str, Player]) -> float:
        """Play on twice, every other seat by *others* in their phases; return what these seats do better by."""
        return statistics.fmean(self._played_on(start.copy(), others, first) for first in (0, 1))

    def _played_on(self, deal: Deal, others: Mapping[str, Player], first: int) -> float:
        while phase := phase_of(deal):
            pair = others.get(phase, self.tree), self.tree
            self._step(deal, [pair[(seat + first) % 2] for seat in range(self.rules.players)])
        while not deal.is_over:
            deal.apply(deal.turn, deal.default_action(deal.turn))
        sides = [[score for seat, score in enumerate(deal.scores()) if (seat + first) % 2 == side] for side in (0, 1)]
        ahead = statistics.fmean(sides[0]) - statistics.fmean(sides[1])
        return -ahead if self.rules.low_is_better else ahead

    def _step(self, deal: Deal, players: Sequence[Player]) -> None:
        """Make the decisions that are to be made now; sealed ones are made before any takes effect."""
        for seat, action in [(seat, self._action(deal, seat, players[seat])) for seat in deal.to_act]:
            deal.apply(seat, action)

    def _action(self, deal: Deal, seat: int, player: Player) -> Action:
        if deal.is_forced(seat):
            return deal.default_action(seat)
        view = View(*deal.known_to(seat))
        view.totals, view.seed = (0,) * self.rules.players, derived_number("bot", self.seed, deal.number, seat)
        return player(view, deal)

    def row(self) -> tuple[str, ...]:
        """Give the figures of the variant."""
        found = {name: mean_and_error(self.better.get(name, (0.0, 0.0))) for name in COLUMNS}
        deals = max(map(len, self.better.values()))
        return self.rules.name, str(deals), *(figure(*each) for each in found.values()), gone(found[ANCHOR], found[ALL])


def figure(mean: float, error: float) -> str:
    """Write a mean and its standard error."""
    digits = 2 if error < 1 else 1 if error < 10 else 0
    return f"{mean:+.{digits}f} ± {error:.{digits}f}" if error or mean else "–"


def gone(behind: tuple[float, float], ahead: tuple[float, float]) -> str:
    """Say what part of the way is *behind*, where the rest is *ahead*, each with its standard error."""
    way = behind[0] + ahead[0]
    if not all((*behind, *ahead)) or way <= 0:
        return "–"
    error = ((ahead[0] * behind[1]) ** 2 + (behind[0] * ahead[1]) ** 2) ** 0.5 / way**2
    return f"{100 * behind[0] / way:.0f} ± {100 * error:.0f} %"


HEADINGS = ("", "deals", *COLUMNS, "gone")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--ms", type=float, default=4.0, help="CPU time for a card; default 4")
    parser.add_argument("--minutes", type=float, default=60.0, help="wall-clock time for all variants; default 60")
    parser.add_argument("--rules", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--column", action="append", choices=COLUMNS, help="may be repeated; default all")
    parser.add_argument("--seed", default="ceiling", help="any text; the same text gives the same hands")
    options = parser.parse_args()
    seed, names = seed_from(options.seed), options.rules or list(PRESETS)
    columns, given = options.column or COLUMNS, options.ms / 1000
    tree, known = partial(ordinary, given), partial(knowing, given)
    found = [Ceiling(PRESETS[name], seed, tree, known, columns=columns) for name in names]
    for number in rounds(options.minutes):
        for each in found:
            each.play(number)
        if number % REPORTED == REPORTED - 1:
            print(*(" | ".join(each.row()) for each in found), sep="\n", file=sys.stderr, flush=True)
    print(machine())
    title = f"Points a deal that known cards are worth, {options.ms:g} ms a card"
    show(title, HEADINGS, [each.row() for each in found])


if __name__ == "__main__":
    main()
