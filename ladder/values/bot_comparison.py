"""Two bots beside each other: what they have scored at the tables at which both sat on different sides."""

from __future__ import annotations

from typing import Literal

from ladder.values.computing import Computing
from ladder.values.value import Value


class MeanOfBoards(Value):
    """A mean, in points a deal, of which each board is one observation."""

    mean: float
    """More is better in every variant."""
    error: float
    """Half the width of the 95 % interval: 1.96 standard errors, s / √n."""
    boards: int


class ComparedBoard(Value):
    """A board that both have played."""

    match: int
    board: int
    """From 1."""
    bot: float
    """Points a deal of the first bot; more is better in every variant."""
    other: float
    """Those of the second one."""

    @property
    def difference(self) -> float:
        """By how much the first was better."""
        return self.bot - self.other


class PhasePoints(Value):
    """By how much the first bot was better in a part of the deals."""

    first: int
    """The first trick of this part, from 1."""
    last: int
    """The last trick of it; after the last one of the deal a moon is counted, too."""
    difference: MeanOfBoards


class Favour(Value):
    """
    Points that one bot gives another, beyond those that bots give each other otherwise.

    Given are the points of the cards that the giver plays to a trick which the receiver takes.
    """

    by: Literal["bot", "other"]
    """The giver among the two."""
    points: MeanOfBoards
    """Above 0: it gives better cards than chance has it; below 0: worse ones."""
    p: float
    """Probability that chance alone gives a mean at least as far from 0, for one test."""
    adjusted_p: float
    """The same for all ordered pairs of the field: `p` times their number, at most 1 (Bonferroni)."""


class FoundFavour(Value):
    """A `Favour` before it is adjusted."""

    by: Literal["bot", "other"]
    points: MeanOfBoards
    p: float


class FoundInRecords(Value):
    """Findings in the records of common matches."""

    sources: tuple[str, ...]
    """The matches, as people name them; deals in which any bot was taken over are left out."""
    deals: int
    phases: tuple[PhasePoints, ...]
    """Opening, middle and end; nothing where fewer than two boards are left."""
    favours: tuple[FoundFavour, ...]
    """From the first bot to the second, and back; nothing where too few boards are left, or fewer than four sides."""


class BotComparison(Value):
    """Comparison of the results of two versions against each other in a variant."""

    variant: str
    title: str
    bot: str
    """The name of the first one."""
    version: int
    """Its number among the versions of the bot."""
    other: str
    """The name of the second one."""
    other_version: int
    matches: int
    """Matches in which both sat on different sides."""
    score: float
    """Those in which the first was placed before the second; equal places count one half."""
    boards: int
    """Boards of those matches whose points are known."""
    board_score: float
    """Those on which the first was better; half of those on which they are level."""
    difference: MeanOfBoards | None
    """By how much the first was better, on all those boards; None where fewer than two are known."""
    newest: int
    """The matches that are looked at more closely: the newest ones."""
    differing: tuple[ComparedBoard, ...]
    """Of their boards those on which the two differ most, the largest difference first."""
    sources: tuple[int, ...]
    """The matches whose records have been read."""
    deals: int
    """Deals of theirs in which no bot was taken over."""
    phases: tuple[PhasePoints, ...]
    favours: tuple[Favour, ...]
    pairs: int
    """Ordered pairs of active bots, for which favours are adjusted."""
    computing: Computing | None
    """Progress of reading the newest records; None: it is done."""
