"""Blunders as often as the other one, at other cards."""

from benchmarks.blundering.bot import Blundering


class BlunderingToo(Blundering):
    """Another salt, other blunders."""

    salt = "too"
