"""
Searches a tree for each of some deals that fit what it knows, by UCT, and takes the card that the trees tried most.

UCT (L. Kocsis, C. Szepesvári, 2006) grows a tree by one choice in each trial. On the way down, the seat that is to
decide takes the choice with the best mean result for itself so far, plus a bonus for choices that were seldom tried.
From the new choice on, the deal is played out by a simple policy, and each choice on the way is credited with the
result of the seat that makes it. With several players that is a max^n search (N. R. Sturtevant, 2008). It needs open
hands. So the unseen cards are dealt at random several times, each of these deals has a tree of its own, and all trees
vote.

It was written from those descriptions and uses nothing of `CardTree`: an anchor by which other searches can be judged.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import pigpen
from pigpen import Card, Face, View, margin, playout
from pigpen.search import SearchBot, sealed_trial, some_exposures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pigpen.rules import Deal

Answer = TypeVar("Answer", tuple[Card, ...], dict[Card, Face])

DEALS = 20
"""Number of deals, each with a tree, in which a card is searched."""
MAX_TRIALS = 1_000
"""Largest number of trials for a card, in all trees together, and for a pass or an exposure."""
EXPLORATION = 0.4
"""Factor of the bonus for choices that were seldom tried, where results lie between 0 and 1."""


class Node:
    """A choice in a tree: the number of times that it was tried, and its results for the seat that makes it."""

    __slots__ = ("after", "choice", "total", "visits")

    def __init__(self, choice: Any = None) -> None:
        self.choice = choice
        self.visits = 0
        self.total = 0.0
        """Sum of the results."""
        self.after: list[Node] = []
        """The choices that follow this one; none until it is tried for the second time."""

    def select(self, scale: float) -> Node:
        """Return what to try next: first all once, then by UCB1, where results differ by *scale* at most."""
        best, highest, log = self.after[0], -math.inf, math.log(self.visits or 1)
        for node in self.after:
            if not node.visits:
                return node
            value = node.total / node.visits + EXPLORATION * scale * math.sqrt(log / node.visits)
            if value > highest:
                best, highest = node, value
        return best


class Uct(SearchBot):
    """Searches for cards in trees of open deals; a pass or an exposure has one tree, of the seat's own choices."""

    trials: int = MAX_TRIALS
    """Largest number of trials for one decision; with more, the bot uses more of a long clock."""

    def play(self, view: View) -> Card:
        """Try cards in several deals in turn; return the one that was tried most, in all trees together."""
        end, scale = self.clock() + self.seconds(view), results_scale(view)
        trees = [(view.sample(view.rng), Node()) for _ in range(DEALS)]
        for number in range(self.trials):
            deal, root = trees[number % DEALS]
            self._try_card(view, deal.copy(), root, scale)
            if self.clock() > end:
                break
        votes = dict.fromkeys(view.legal, 0)
        for _, root in trees:
            for node in root.after:
                votes[node.choice] += node.visits
        return max(view.legal, key=votes.__getitem__)

    def pass_cards(self, view: View) -> tuple[Card, ...]:
        """Choose one card after the other."""

        def left(cards: Sequence[Card]) -> list[Card]:
            return [card for card in view.hand if card not in cards]

        return self._sealed(view, view.pass_count, left, tuple)

    def expose(self, view: View) -> dict[Card, Face]:
        """Choose among all ways to expose some of the cards, or 1,000 of them."""
        ways = some_exposures(view)
        return self._sealed(view, 1, lambda chosen: ways, lambda chosen: chosen[0])

    def _try_card(self, view: View, deal: Deal, node: Node, scale: float) -> None:
        """Follow the tree of *deal* to a new choice, play the deal out, and credit the choices on the way."""
        path: list[tuple[int, Node]] = []
        node.visits += 1
        while node.visits:
            node.after = node.after or [Node(card) for card in deal.legal(deal.turn)]
            if not node.after:
                break
            node = node.select(scale)
            path.append((deal.turn, node))
            deal.play(node.choice)
        scores = playout(deal, self.policy, view.rng)
        for seat, each in path:
            each.visits += 1
            each.total += margin(view.rules, scores, seat)

    def _sealed(
        self, view: View, count: int, options: Callable[[list[Any]], list[Any]], action: Callable[[list[Any]], Answer]
    ) -> Answer:
        """
        Search for *count* choices of this seat in one tree; each trial has a deal of its own.

        Args:
            view: What the seat knows.
            count: Number of the choices, of which all together make an answer.
            options: Gives what can be chosen after the choices so far.
            action: Makes the answer of all choices.
        """
        end, scale, root = self.clock() + self.seconds(view), results_scale(view), Node()
        for _ in range(self.trials):
            path = [root]
            for _ in range(count):
                node = path[-1]
                if not node.after:
                    free = options([each.choice for each in path[1:]])
                    node.after = [Node(choice) for choice in view.rng.sample(free, len(free))]
                path.append(node.select(scale))
            (result,) = sealed_trial(view, self.policy, [action([node.choice for node in path[1:]])])
            for node in path:
                node.visits += 1
                node.total += result
            if self.clock() > end:
                break
        chosen: list[Any] = []
        node = root
        while node.after:
            node = max(node.after, key=lambda each: each.visits)
            chosen.append(node.choice)
        return action(chosen)


def results_scale(view: View) -> int:
    """Return by how much results differ, at most and roughly: `margin` counts the points of a deal for each seat."""
    return view.rules.players * sum(map(abs, view.rules.plan.points))


if __name__ == "__main__":
    pigpen.run(Uct())
