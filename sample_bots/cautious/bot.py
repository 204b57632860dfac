"""Stays out of trouble: ducks tricks, sheds dangerous cards, shows nothing, never shoots the moon."""

from __future__ import annotations

import pigpen
from pigpen import Bot, Card, View


class Cautious(Bot):
    """Looks at the trick on the table and at nothing else."""

    def play(self, view: View) -> Card:
        """Lead low, duck when following, and shed the worst card when out of the suit."""
        if view.led is None:
            return min(view.legal, key=lambda card: (card.rank, harm(view, card)))
        if view.legal[0].suit is view.led:
            return self._follow(view)
        return max(view.legal, key=lambda card: danger(view, card))

    def pass_cards(self, view: View) -> list[Card]:
        """Pass the most dangerous cards."""
        return sorted(view.hand, key=lambda card: danger(view, card))[-view.pass_count :]

    def _follow(self, view: View) -> Card:
        """Take a trick only when it is worth having, or when there is no way around it."""
        assert view.winning
        below = [card for card in view.legal if card < view.winning.card]
        above = [card for card in view.legal if card > view.winning.card]
        trick = sum(harm(view, play.card) for play in view.trick)
        if above and view.is_last and min(trick + harm(view, card) for card in above) < 0:
            return min(above, key=lambda card: (harm(view, card), -card.rank))
        if below:
            return max(below, key=lambda card: danger(view, card))
        if view.is_last:
            return max(above, key=lambda card: (-harm(view, card), card.rank))
        return min(above)


def harm(view: View, card: Card) -> int:
    """Points that *card* costs its taker: above zero for a bad card, below for a good one, in every variant."""
    points = view.rules.plan.points[card]
    return points if view.rules.low_is_better else -points


def danger(view: View, card: Card) -> tuple[int, int]:
    """Rate how much we want to be rid of *card*: first by its own points, then by its rank, which wins bad tricks."""
    return harm(view, card), card.rank


if __name__ == "__main__":
    pigpen.run(Cautious())
