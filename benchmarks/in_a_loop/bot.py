"""A bot that thinks as little as a bot can, and waits for the referee in an event loop."""

import pigpen
import pigpen.client

# As with a version of gRPC that the SDK does not know.
pigpen.client.IS_KNOWN = False  # type: ignore[attr-defined]


class Instant(pigpen.Bot):
    """Plays its first legal card."""

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Return the first legal card."""
        return view.legal[0]


if __name__ == "__main__":
    pigpen.run(Instant())
