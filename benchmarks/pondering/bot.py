"""Sends its neighbour a number by the time that it thinks: seat 0 waits, seat 1 notes the times between questions."""

import random
import sys
import time

import pigpen

LEVELS = 16
UNIT = 0.02
"""Seconds for each step of the number."""


def sent(deal: int, trick: int) -> int:
    """Give the number that is sent in a trick."""
    return random.Random(f"{deal} {trick}").randrange(LEVELS)


class Pondering(pigpen.Bot):
    """Plays its first legal card, as soon as it has sent or noted a number."""

    def __init__(self) -> None:
        self.answered = 0.0
        self.seen = 0

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Wait, or note how long the wait was if seat 0 was asked once in it."""
        waited = time.perf_counter() - self.answered
        played = [play.seat for trick in (*view.tricks, view.trick) for play in trick]
        if view.seat == 0:
            time.sleep(UNIT * sent(view.deal, played.count(0)))
        elif view.seat == 1 and self.seen and played[self.seen :].count(0) == 1:
            print("waited", view.deal, played.count(0) - 1, f"{waited:.6f}", file=sys.stderr)
        self.seen = len(played)
        self.answered = time.perf_counter()
        return view.legal[0]


if __name__ == "__main__":
    pigpen.run(Pondering())
