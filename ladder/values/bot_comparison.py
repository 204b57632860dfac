"""
Comparison of a bot with other bots.

The style of a bot is a few shares of its decisions and deals beside those of the bots that it has met. Two bots are
compared by what they have scored at the tables at which both sat on different sides.
"""

from __future__ import annotations

from typing import Literal

from ladder.values.value import Computing, Value

Trait = Literal["leads", "ducks", "pig", "moons", "exposes"]
"""
Share that a bar shows.

`leads`: leads of a jack or higher, of leads with a choice. `ducks`: cards below the one that wins so far, where it
could go below or above in the suit led. `pig`: deals in which it took the pig. `moons`: deals in which it took three
quarters of the cards that make a moon. `exposes`: cards exposed, of those that it could expose.
"""
Second = Literal["pig_given", "moons_made", "exposing_yield"]
"""
A figure beside a bar.

`pig_given`: deals in which another took the pig that it played. `moons_made`: deals in which it took all cards of a
moon. `exposing_yield`: points a deal with a card exposed, minus those where it could expose one and did not.
"""


class StyleBar(Value):
    """One share, 0 to 1."""

    trait: Trait
    share: float
    error: float
    """Half the width of the 95 % interval: 1.96 · √(p (1 − p) / n)."""
    of: int
    """Decisions, cards or deals of which it is a share: n."""
    median: float | None
    """The median of the same share of the bots that it has met; None where fewer than three have enough of them."""


class StyleFigure(Value):
    """One more figure."""

    name: Second
    value: float
    """A share of deals, 0 to 1, or points a deal; more points are better in every variant."""
    error: float
    """Half the width of the 95 % interval; of a difference 1.96 · √(s₁² / n₁ + s₂² / n₂)."""
    of: int


class SeatPoints(Value):
    """Its score in a seat."""

    seat: int
    """From 1; seat 1 is the first of a deal."""
    mean: float
    """Points a deal; more is better in every variant."""
    error: float
    """Half the width of the 95 % interval: 1.96 · s / √n."""
    deals: int


class DealCost(Value):
    """Cost of choices against the best ones, by estimate."""

    mean: float
    """Points a deal; 0 if all were the best ones, and below 0 only by chance."""
    error: float
    """Half the width of the 95 % interval: 1.96 · s / √n, times `often`."""
    estimated: int
    """Decisions drawn by lot and estimated: n."""
    often: float
    """Decisions a deal and bot."""


class PhaseCosts(Value):
    """Points that a bot gives away in one part of the deals."""

    phase: Literal["pass", "expose", "play", "moon"]
    first: int
    """The first trick of the part, counted from 1; 0 where no card is played."""
    last: int
    own: DealCost
    others: DealCost | None
    """That of the other bots at its tables, all together; None where too few decisions are there."""


class FoundStyle(Value):
    """Style of a bot, as found in records."""

    sources: tuple[str, ...]
    """The matches, as people name them; deals in which any bot was taken over are left out."""
    deals: int
    bars: tuple[StyleBar, ...]
    figures: tuple[StyleFigure, ...]
    seats: tuple[SeatPoints, ...]
    costs: tuple[PhaseCosts, ...]
    """In the order of a deal."""


class BotStyle(Value):
    """Style of a version of a bot in a variant."""

    variant: str
    title: str
    bot: str
    version: int
    """Its number among the versions of the bot."""
    variants: tuple[str, ...]
    """All in which it is entered."""
    sources: tuple[int, ...]
    """The matches that were read, of the newest ones."""
    deals: int
    bars: tuple[StyleBar, ...]
    figures: tuple[StyleFigure, ...]
    seats: tuple[SeatPoints, ...]
    costs: tuple[PhaseCosts, ...]
    """In the order of a deal."""
    computing: Computing | None
    """Progress of reading the newest records; None: it is done."""


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
    """Ordered pairs of active bots that have played, for which favours are adjusted."""
    computing: Computing | None
    """Progress of reading the newest records; None: it is done."""
