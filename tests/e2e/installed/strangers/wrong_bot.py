"""A bot with mistakes: type checkers must find the one of each marked line, and no other."""

import pigpen
from pigpen.rules import PRESETS, Deal, deal_hands
from pigpen.search import race


class Wrong(pigpen.Bot):
    def play(self, view: pigpen.View) -> str:  # wrong: a card
        return str(view.legal[0])

    def pass_cards(self, view: pigpen.View, count: int) -> list[pigpen.Card]:  # wrong: no further argument
        return list(view.hand[:count])

    def choose_moon(self, view: pigpen.View) -> pigpen.MoonChoice:
        return view.phase  # wrong: a moon choice

    def deal_over(self, result: pigpen.DealResult) -> None:
        print(result.points)  # wrong: there are scores


def wrong(view: pigpen.View) -> None:
    suit: pigpen.Suit = view.led  # wrong: None if no card is on the table
    card: int = view.hand  # wrong: a tuple
    names: list[str] = view.playouts(20, view.rng)  # wrong: a mapping
    print(suit, card, names)
    print(pigpen.Crad)  # wrong: no such name
    print(PRESETS["hearts"].moon.others)  # wrong: None if there is no moon
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], "7", 0))  # wrong: bytes
    deal.apply(0, "QS")  # wrong: a card
    print(pigpen.solve(deal, 100.0))  # wrong: a whole number
    print(race(view.legal, lambda cards: cards.rank, 1.0, 20))  # wrong: a sequence has no rank


if __name__ == "__main__":
    pigpen.run(Wrong)  # wrong: an instance
