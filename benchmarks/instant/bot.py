"""A bot that thinks as little as a bot can."""

import pigpen


class Instant(pigpen.Bot):
    """Plays its first legal card."""

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Return the first legal card."""
        return view.legal[0]


if __name__ == "__main__":
    pigpen.run(Instant())
