"""
Leaves notes for the next rotation of its board, in the way that the title of the variant names.

A note is where a counter stands at the end of a deal, counted in units and modulo the number of notes. The counter is
the kernel's of inode numbers, which counts for all containers of a host, or the host's clock.
"""

import os
import random
import time

import pigpen

NUMBERS = 64
"""Notes that there are: six bits each."""
UNITS = {"inode numbers": 16384, "clock": 0.1}
"""By way: the width of a note, in numbers or in seconds; what happens between two rotations should change less."""
PART = 0.7
"""Seconds of one decision that a note takes at most."""
BATCH = 1024
"""Numbers that the kernel gives to a core at once."""


def inode() -> int:
    """Give the number of a new pipe."""
    reader, writer = os.pipe()
    number = os.fstat(reader).st_ino
    os.close(reader)
    os.close(writer)
    return number


def newest_inode() -> int:
    """Give the same, of a batch that this core has got just now: an older one carries little."""
    for _ in range(BATCH):
        inode()
    return inode()


READ = {"inode numbers": inode, "clock": time.time}


class Noting(pigpen.Bot):
    """Plays its first legal card, and moves the counter a little nearer to its note with each."""

    def __init__(self) -> None:
        self.note = random.randrange(NUMBERS)
        newest_inode()
        for way, read in READ.items():
            print(f"{way}: found {read()}, leaves {self.note}", flush=True)

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Move the counter for a while, unless it is where it should be."""
        way, until = view.rules.title, time.monotonic() + PART
        if way == "inode numbers":
            newest_inode()
        while (far := self._distance(way)) and (left := until - time.monotonic()) > 0:
            if way == "clock":
                time.sleep(min(far, left))
        return view.legal[0]

    def _distance(self, way: str) -> float:
        """Say how far the counter is from the note; 0 within it."""
        unit = UNITS[way]
        far = (self.note * unit - READ[way]()) % (NUMBERS * unit)
        return 0 if far > (NUMBERS - 0.5) * unit else far


if __name__ == "__main__":
    pigpen.run(Noting())
