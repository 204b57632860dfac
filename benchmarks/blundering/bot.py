"""The counting bot, but every tenth card is picked by chance. Plays in this process only: it imports the sample bot."""

import random

import pigpen
from sample_bots.counting.bot import Counting

SHARE = 0.1


class Blundering(Counting):
    """Counts, and blunders."""

    salt = ""

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Return a card by chance every tenth time, else what the counting bot would play."""
        rng = random.Random(f"{self.salt} {view.seed} {view.decision}")
        return rng.choice(view.legal) if rng.random() < SHARE else super().play(view)
