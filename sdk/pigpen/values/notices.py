"""What a bot is told besides its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pigpen.rules import Rules


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """How much time a bot has; all in seconds."""

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
    """What a bot learns when it has taken its seat."""

    rules: Rules
    seat: int
    """Its seat in the first deal; each view names the seat of its own deal."""
    format: str
    """`game`, `deals:N` or `boards:N`; of each board other instances of the bot play the other seats."""
    clock: ClockSetting


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal ended."""

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
    """Something the referee holds against the bot."""

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
    """How the match ended for this bot; in the format `boards:N`, at its own table."""

    place: int
    """1 is the best; shared places are equal."""
    points_per_deal: float


Notice = DealResult | FaultNotice | MatchResult
