"""Notices: what a bot is sent besides its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pigpen.rules import Rules


NO_ACTION = "the answer holds no action"
"""The referee's message for an empty answer, which the SDK sends if a method of the bot returned no answer."""


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """
    The clock of a match. All times are in seconds.

    >>> from pigpen import ClockSetting
    >>> clock = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)
    >>> clock.deals_per_bank
    16
    """

    bank: float
    """Time added to the bank at the first deal, and again after every `deals_per_bank` deals."""
    increment: float
    """Time added to the bank for each decision."""
    limit: float
    """Longest time for one decision."""
    start_up: float
    """Longest time until the bot has its seat, from the moment when all programs of the match have been started."""
    deals_per_bank: int = 16
    """Number of deals after which `bank` is added to the bank again."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """
    The facts of a match, sent to a bot when it has its seat.

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
    """The variant."""
    seat: int
    """Seat of the bot in the first deal; each view has the seat of its own deal."""
    format: str
    """`game`, `deals:N` or `boards:N`. With boards, other instances of the bot play each board from the other seats."""
    clock: ClockSetting
    """The bot's clock."""


@dataclass(frozen=True, slots=True)
class DealResult:
    """
    The end of a deal.

    >>> from pigpen import DealResult
    >>> result = DealResult(deal=0, seat=2, scores=(6, 3, 13, 4), totals=(6, 3, 13, 4))
    >>> result.scores[result.seat]
    13
    """

    deal: int
    """Number of the deal, from 0, as `View.deal`. Commands and pages count from 1."""
    seat: int
    """Seat of the bot in this deal."""
    scores: tuple[int, ...]
    """Score of each seat in this deal."""
    totals: tuple[int, ...]
    """Total of the bot in each seat, in the game or match so far."""


@dataclass(frozen=True, slots=True)
class FaultNotice:
    """
    A fault: an answer that was late, illegal or unreadable.

    >>> from pigpen import FaultNotice
    >>> notice = FaultNotice("timeout", "no answer within 1.000 s", faults=3, takeover=True)
    >>> notice.takeover
    True
    """

    verdict: str
    """The kind of fault, for programs: timeout, illegal or malformed."""
    message: str
    """The fault in one sentence."""
    faults: int
    """Number of faults of the bot in this match, this one included."""
    takeover: bool
    """True if the default policy plays the seat from now on."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """
    The end of the match for this bot. In the format `boards:N` it counts the boards that this instance has played.

    >>> from pigpen import MatchResult
    >>> MatchResult(place=1, points_per_deal=5.25).place
    1
    """

    place: int
    """Place of the bot, 1 the best; bots with equal results share a place."""
    points_per_deal: float
    """Mean score per deal of the bot."""


Notice: TypeAlias = DealResult | FaultNotice | MatchResult
"""Any of the notices that are sent after the welcome."""
