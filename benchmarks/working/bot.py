"""A bot that does the same work for every decision: a little for even ones, much for odd ones."""

import hashlib

import pigpen

BLOCK = bytes(1 << 16)
LITTLE, MUCH = 60, 1200
"""Blocks to hash: about 2.5 and 50 milliseconds."""


class Working(pigpen.Bot):
    """Hashes, then plays its first legal card."""

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Return the first legal card."""
        digest = hashlib.sha256()
        for _ in range(MUCH if view.decision % 2 else LITTLE):
            digest.update(BLOCK)
        return view.legal[0]


if __name__ == "__main__":
    pigpen.run(Working())
