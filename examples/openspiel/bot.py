"""Asks a bot of OpenSpiel's about deals that fit the view, as their player 0. To ask another one, change `make_bot`."""

from collections import Counter

import pigpen
from pigpen.rules import CARDS, PRESETS, Card, cards_in

try:
    import pyspiel
except ImportError:
    raise ImportError("this Python has no OpenSpiel; install it with: pip install open-spiel") from None

DEALS, SIMULATIONS = 20, 100
HEARTS = {"must_break_hearts", "qs_breaks_hearts", "can_lead_hearts_instead_of_qs", "no_pts_on_first_trick"}
GAMES = {"hearts": HEARTS, "hearts-jack": HEARTS | {"jd_bonus"}}
NUMBERS = [(card.rank - 2) * 4 + card.suit for card in CARDS]


def make_bot(game: pyspiel.Game, seed: int) -> pyspiel.Bot:
    """Any bot for player 0. This one looks into all hands, and so is asked about many deals; for others one will do."""
    return pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, seed), 26, SIMULATIONS, 100, False, seed, False)


def load_game(true: set[str]) -> pyspiel.Game:
    return pyspiel.load_game("hearts", {name: name in true for name in pyspiel.load_game("hearts").get_parameters()})


def state_of(game: pyspiel.Game, hands: list[int], offset: int = 0, then: bytes = b"") -> pyspiel.State:
    """Hands (masks) dealt, to be passed *offset* players on; *then* these cards have been passed and played."""
    state, rounds = game.new_initial_state(), zip(*map(cards_in, hands), strict=True)
    for action in (offset, *(NUMBERS[card] for cards in (*rounds, then) for card in cards)):
        state.apply_action(action)
    return state


class OpenSpiel(pigpen.Bot):
    def match_started(self, welcome: pigpen.Welcome) -> None:
        if welcome.rules.name not in GAMES or welcome.rules != PRESETS[welcome.rules.name]:
            raise SystemExit(f"OpenSpiel does not play by these rules; it does by: {', '.join(GAMES)}")
        self.game = load_game(GAMES[welcome.rules.name] | {"pass_cards"})
        self.bot = make_bot(self.game, welcome.seat)

    def play(self, view: pigpen.View) -> Card:
        return self.pass_cards(view, 1)[0]

    def pass_cards(self, view: pigpen.View, count: int = 3) -> list[Card]:
        players, votes = [(view.seat + step) % 4 for step in range(4)], Counter[int]()
        for _ in range(DEALS):
            deal = view.sample(view.rng)
            hands = [deal.dealt[seat] for seat in players]
            done = b"".join(bytes(cards_in(deal.passed[seat])) for seat in players) + deal.plays
            self.bot.restart_at(state := state_of(self.game, hands, deal.rules.pass_offset(deal.number), done))
            for _ in range(count):
                votes[action := self.bot.step(state)] += 1
                state.apply_action(action)
        return [CARDS[NUMBERS.index(action)] for action, _ in votes.most_common(count)]


if __name__ == "__main__":
    pigpen.run(OpenSpiel())
