"""
Share of right reasons: reasons that the coach gives, judged by deals whose end is known.

    python -m benchmarks.reasons --rules hearts gongzhu --boards 8
    python -m benchmarks.reasons --tricks 6 7 --drawn 30

Positions are decisions about a card in boards that house bots play, without a pass: those in which the coach gives a
reason with points. Two choices are compared as the coach compares them: the best by its estimate, and the one that was
made or the next that is clearly worse.

**The truth** of a position: every deal that fits what the seat knew counts alike. In each of them all hands are
opened, one of the two cards is played, and from there all seats play as well as they can (`pigpen.solve`). All deals
that fit are taken, or where they are more than `--most`, `--drawn` of them, drawn at random (with `--drawn 0` such
positions are left out). The points of each card, of the doubler and of moons are counted as the coach counts them.

**A reason is right** if what it names makes a difference in the same direction in the truth; **in size** if that is
also at least a third of the points that the coach says. For the trick the difference of the shares must have the same
direction. A void is no estimate and is not judged. The last rows are of each kind of reason, and in brackets of those
that speak for the other card; *best is best* counts positions in which the truth prefers the coach's best card, too.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ladder.matches.estimate import FULL, estimates
from ladder.matches.opinion import house_board
from ladder.matches.reasons import parts_of, reasons_of
from pigpen import margin, solve
from pigpen.rules import PRESETS, Card, MoonChoice, Phase
from pigpen.sim.possible_deals import PossibleDeals
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.tally import Tally
from referee.match.formats import Format
from referee.records.recorded import Recorded
from referee.records.steps import words_of
from referee.replay.deal_replay import decisions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.matches.estimate import ChoiceEstimate
    from ladder.values.why import Reason
    from pigpen.rules import Deal, Rules
    from pigpen.values.view import View
    from referee.replay.deal_replay import RecordedDecision

BOTS = ("random", "counting", "random", "cautious", "random")
"""Players of the boards: some of their cards cost points."""
SIZE = 1 / 3
"""Share of its points that the truth must have for a reason that is right in size."""


class Position(NamedTuple):
    """A decision for which the coach gives reasons."""

    view: View
    best: ChoiceEstimate
    other: ChoiceEstimate
    reasons: tuple[Reason, ...]

    @property
    def tricks(self) -> int:
        """Number of tricks to the end."""
        return len(self.view.hand)


def positions(rules: Rules, boards: int, tricks: Sequence[int]) -> Iterator[Position]:
    """Give the positions of boards that house bots play, with one of these numbers of tricks to the end."""
    without_pass = replace(rules, passing=None)
    recorded = Recorded.of(house_board(without_pass, Format.parse(f"deals:{boards}"), bytes(32), BOTS[: rules.players]))
    for line in recorded.deals:
        for decision in decisions(recorded, line):
            if decision.before.phase is Phase.PLAY and len(decision.view().hand) in tricks:
                found = position_of(decision)
                if found is not None:
                    yield found


def position_of(decision: RecordedDecision) -> Position | None:
    """Ask the coach about a decision; None: it gives no reason with points."""
    view = decision.view()
    best, *others = estimates(view, decision.seed("estimate"), FULL)
    given = [(each, reasons_of(view, best, each)) for each in others]
    given = [(each, reasons) for each, reasons in given if any(reason.points is not None for reason in reasons)]
    made = [pair for pair in given if words_of(pair[0].action)[1] == decision.chosen]
    return Position(view, best, *(made or given)[0]) if given else None


def deals_of(view: View, most: int) -> list[Deal] | None:
    """Give every deal that fits, by drawing until none is missing; None: there are more than *most*."""
    possible = PossibleDeals(view)
    if not possible.all_fit or (ways := possible.unseen.ways()) > most:
        return None
    found: dict[object, Deal] = {}
    rng = SimRandom(1)
    while len(found) < ways:
        deal = possible.draw_hands(rng)
        found[tuple(deal.hands), tuple(deal.exposures)] = deal
    return list(found.values())


def some_deals(view: View, count: int) -> list[Deal]:
    """Draw some of the deals that fit."""
    possible, rng = PossibleDeals(view), SimRandom(2)
    return [possible.draw_hands(rng) for _ in range(count)]


def truth(view: View, card: Card, deals: Sequence[Deal]) -> Tally:
    """Count over deals in which a card is played and then all play as well as they can, with open hands."""
    tally = Tally()
    for deal in deals:
        played = deal.copy()
        played.play(card)
        while played.phase is Phase.PLAY:
            legal = played.legal(played.turn)
            played.play(legal[0] if len(legal) == 1 else solve(played).card)
        if played.phase is Phase.MOON:
            seat = played.turn
            played = max(map(partial(_ended, played), MoonChoice), key=partial(_margin, seat=seat))
        tally.note(played, played.scores(), view.seat, card)
    return tally


def _ended(deal: Deal, choice: MoonChoice) -> Deal:
    after = deal.copy()
    after.apply(after.turn, choice)
    return after


def _margin(deal: Deal, seat: int) -> float:
    return margin(deal.rules, deal.scores(), seat)


class Judged(NamedTuple):
    """A reason with points, or the trick, and its truth."""

    reason: Reason
    truth: float
    """Points: above 0, they speak for the coach's best choice. For the trick the difference of the shares."""

    @property
    def kind(self) -> str:
        """The kind of the reason, in brackets if it speaks for the other card."""
        return f"({self.reason.kind})" if self.reason.points is not None and self.stated < 0 else self.reason.kind

    @property
    def stated(self) -> float:
        """The figure of the coach."""
        return self.reason.after - self.reason.after_best if self.reason.points is None else self.reason.points

    @property
    def is_right(self) -> bool:
        """True if both have the same direction."""
        return self.stated * self.truth > 0

    @property
    def is_right_in_size(self) -> bool:
        """True if the truth is at least a third of it, too."""
        return self.is_right and abs(self.truth) >= SIZE * abs(self.stated)


class Verdict(NamedTuple):
    """The judged reasons of one position."""

    behind: float
    """In truth: points by which the other card is behind the coach's best one."""
    judged: tuple[Judged, ...]


def verdict(position: Position, deals: Sequence[Deal]) -> Verdict:
    """Judge the reasons of a position by some deals."""
    view = position.view
    best, other = (truth(view, _card(each), deals) for each in (position.best, position.other))
    sign = -1 if view.rules.low_is_better else 1
    parts = parts_of(view.rules, best, other)
    kinds: dict[str, float] = {part.kind: points for part, points in parts.items()}

    def true(reason: Reason) -> float:
        if reason.kind == "trick":
            return (other.tricks - best.tricks) / len(deals)
        if reason.kind in ("card", "points"):
            cards = map(Card.parse, reason.cards)
            return sign * sum(best.points[card] - other.points[card] for card in cards) / len(deals)
        return kinds.get(reason.kind, 0.0)

    judged = tuple(Judged(each, true(each)) for each in position.reasons if each.kind != "void")
    return Verdict(sum(parts.values()), judged)


def _card(found: ChoiceEstimate) -> Card:
    assert isinstance(found.action, Card)
    return found.action


def verdicts(rules: Rules, boards: int, tricks: Sequence[int], most: int, drawn: int) -> Iterator[tuple[int, Verdict]]:
    """Judge the positions of some boards; each with its tricks to the end."""
    for position in positions(rules, boards, tricks):
        deals = deals_of(position.view, most) or some_deals(position.view, drawn)
        if deals:
            yield position.tricks, verdict(position, deals)


COLUMNS = ("positions", "best is best", "reasons", "right", "right in size", "first is right", "trick", "right")


class Sums:
    """Sums over positions, for a row of the table."""

    def __init__(self) -> None:
        """Begin with none."""
        self._counts = Counter[str]()
        self.kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Counts of each kind of reason."""

    def add(self, found: Verdict) -> None:
        """Add a position."""
        points = [each for each in found.judged if each.reason.points is not None]
        trick = [each for each in found.judged if each.reason.points is None]
        self._counts.update(
            {
                "positions": 1,
                "best": found.behind >= 0,
                "points": len(points),
                "right": sum(each.is_right for each in points),
                "size": sum(each.is_right_in_size for each in points),
                "first": points[0].is_right,
                "tricks": len(trick),
                "tricks right": sum(each.is_right for each in trick),
            }
        )
        for each in found.judged:
            self.kinds[each.kind].update(
                {
                    "reasons": 1,
                    "right": each.is_right,
                    "size": each.is_right_in_size,
                    "best": found.behind >= 0,
                    "best, right": each.is_right and found.behind >= 0,
                }
            )

    def row(self) -> str:
        """Write the shares."""
        counts = self._counts
        return (
            f"{counts['positions']:4} | {_share(counts['best'], counts['positions'])} | {counts['points']:4} | "
            f"{_share(counts['right'], counts['points'])} | {_share(counts['size'], counts['points'])} | "
            f"{_share(counts['first'], counts['positions'])} | {counts['tricks']:4} | "
            f"{_share(counts['tricks right'], counts['tricks'])}"
        )

    def share_right(self) -> float:
        """Give the share of reasons with points that are right."""
        return self._counts["right"] / self._counts["points"]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:3.0f} %" if whole else "    –"


def main() -> None:
    """Print a row for each variant and number of tricks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", nargs="+", default=["hearts", "gongzhu"], choices=list(PRESETS))
    parser.add_argument("--boards", type=int, default=8, help="deals that are played")
    parser.add_argument("--tricks", nargs="+", type=int, default=[2, 3, 4, 5], help="tricks to the end")
    parser.add_argument("--most", type=int, default=200, help="deals that fit, at most")
    parser.add_argument("--drawn", type=int, default=30, help="deals that are drawn before the last five tricks")
    given = parser.parse_args()
    print("variant | tricks | " + " | ".join(COLUMNS))
    everything = Sums()
    for name in given.rules:
        sums = {tricks: Sums() for tricks in given.tricks}
        for tricks, found in verdicts(PRESETS[name], given.boards, given.tricks, given.most, given.drawn):
            sums[tricks].add(found)
            everything.add(found)
        for tricks, each in sums.items():
            print(f"{name} | {tricks} | {each.row()}", flush=True)
    print(f"all | | {everything.row()}")
    print("\nkind | reasons | right | right in size | right where best is best")
    for kind, counts in sorted(everything.kinds.items()):
        shares = (_share(counts[name], counts["reasons"]) for name in ("right", "size"))
        print(f"{kind} | {counts['reasons']} | {' | '.join(shares)} | {_share(counts['best, right'], counts['best'])}")


if __name__ == "__main__":
    main()
