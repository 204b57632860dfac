"""What a bot is told besides its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pigpen.rules import Rules


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """
    How much time a bot has; all in seconds.

    >>> from pigpen import ClockSetting
    >>> clock = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)
    >>> clock.deals_per_bank
    16
    """

    bank: float
    """Time for each `deals_per_bank` deals begun."""
    increment: float
    """Added to the bank for every decision."""
    limit: float
    """The most a single decision may take."""
    start_up: float
    """From when all programs of the match have been started to this one's Hello."""
    deals_per_bank: int = 16


@dataclass(frozen=True, slots=True)
class Welcome:
    """
    What a bot learns when it has taken its seat.

    >>> from pigpen import Bot, ClockSetting, Welcome
    >>> from pigpen.rules import PRESETS
    >>> class Prepared(Bot):
    ...     def match_started(self, welcome: Welcome) -> None:
    ...         self.passes = welcome.rules.passing is not None
    ...
    >>> bot = Prepared()
    >>> bot.match_started(Welcome(PRESETS["gongzhu"], 0, "boards:16", ClockSetting(60.0, 0.1, 1.0, 10.0)))
    >>> bot.passes
    False
    """

    rules: Rules
    seat: int
    """Its seat in the first deal; each view names the seat of its own deal."""
    format: str
    """`game`, `deals:N` or `boards:N`; of each board other instances of the bot play the other seats."""
    clock: ClockSetting


@dataclass(frozen=True, slots=True)
class DealResult:
    """
    How a deal ended.

    >>> from pigpen import DealResult
    >>> result = DealResult(deal=0, seat=2, scores=(6, 3, 13, 4), totals=(6, 3, 13, 4))
    >>> result.scores[result.seat]
    13
    """

    deal: int
    """Number of the deal, from 0."""
    seat: int
    """The seat this bot had in it."""
    scores: tuple[int, ...]
    """Score of each seat in this deal."""
    totals: tuple[int, ...]
    """Total so far, in the game or match, of whoever sits in each seat."""


@dataclass(frozen=True, slots=True)
class FaultNotice:
    """
    Something the referee holds against the bot.

    >>> from pigpen import FaultNotice
    >>> notice = FaultNotice("timeout", "no answer within 1.000 s", faults=3, takeover=True)
    >>> notice.takeover
    True
    """

    verdict: str
    """Machine code: timeout, illegal or malformed."""
    message: str
    """The same for people."""
    faults: int
    """How many faults the bot has now."""
    takeover: bool
    """Whether the default policy plays the seat from here on."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """
    How the match ended for this bot; in the format `boards:N`, at its own table.

    >>> from pigpen import MatchResult
    >>> MatchResult(place=1, points_per_deal=5.25).place
    1
    """

    place: int
    """1 is the best; shared places are equal."""
    points_per_deal: float


Notice = DealResult | FaultNotice | MatchResult
