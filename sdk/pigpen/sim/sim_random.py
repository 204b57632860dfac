"""
Random numbers for simulations, simple enough that the accelerated engine draws the same ones.

A Lehmer generator with 128 bits of state (P. L'Ecuyer's multiplier for the modulus 2¹²⁸); the upper half of the state
is the number. Not for dealing cards in a match: that is `pigpen.rules.shuffle`.
"""

from __future__ import annotations

from typing import Protocol

MULTIPLIER = 0xDA942042E4DD58B5
STATE = (1 << 128) - 1
WORD = 1 << 64


class Bits(Protocol):
    """
    A source of random bits for a simulation: a `random.Random`, or any other object with this method.

    >>> import random
    >>> from pigpen import Bits
    >>> def toss(rng: Bits) -> str:
    ...     return "heads" if rng.getrandbits(1) else "tails"
    ...
    >>> toss(random.Random(1))
    'tails'
    """

    def getrandbits(self, count: int, /) -> int:
        """Return *count* random bits as a number."""


class SimRandom:
    """
    A random number generator for simulations.

    Attributes:
        state: The 128 bits of state, from which all later numbers follow; odd.
    """

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        """Start at *seed*, of which 127 bits count."""
        self.state: int = (seed << 1 | 1) & STATE

    @classmethod
    def of(cls, rng: Bits) -> SimRandom:
        """Make a generator that is seeded from *rng*."""
        return cls(rng.getrandbits(127))

    def word(self) -> int:
        """Draw a number below 2⁶⁴."""
        self.state = state = self.state * MULTIPLIER & STATE
        return state >> 64

    def below(self, count: int) -> int:
        """Draw a number below *count*. All are equally likely, to within one in 2⁶⁴ / *count*."""
        self.state = state = self.state * MULTIPLIER & STATE
        return (state >> 64) * count >> 64
