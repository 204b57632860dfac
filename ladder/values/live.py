"""Matches that are being played."""

from __future__ import annotations

from typing import Literal

from ladder.values.live_events import Cards, LiveEvent
from ladder.values.value import Time, Value


class LivePlay(Value):
    """A card on the table."""

    seat: int
    card: str


class LiveTable(Value):
    """The deal under way in one rotation, or the last one."""

    table: int
    """Number of the rotation, from 0 as in the events; in a match without boards, 0."""
    deal: int
    """Number of the deal, from 0; if there are boards, of the board."""
    seats: tuple[int, ...]
    """Number of the bot in each seat."""
    totals: tuple[int, ...]
    """Of the player in each seat: before the deal, and after it once it is over."""
    scores: tuple[int, ...] | None = None
    """Of each seat, once the deal is over."""
    hands: tuple[Cards, ...] | None = None
    passed: tuple[Cards, ...] | None = None
    exposed: tuple[Cards, ...] | None = None
    hidden: tuple[int, ...] | None = None
    plays: tuple[LivePlay, ...] = ()
    """Every card played in the deal, in order."""
    complete: bool = True
    """True if no event of this deal was lost."""


class LiveProgress(Value):
    """Progress of a match."""

    public: Literal["played", "open"]
    deals: int | None
    """In all rotations together; None: not known beforehand."""
    deals_done: int
    points: tuple[int, ...]
    """By the bots' numbers, of all deals that are over."""
    tables: tuple[LiveTable, ...]
    """Those at which a deal has begun."""
    mark: str
    """Of the last event that is in here: follow the match from there."""


class LiveRow(Value):
    """A match that is being played."""

    match: int
    attempt: int
    variant: str
    format: str
    started: Time | None
    bots: tuple[str, ...]
    """By number, versions left out."""
    versions: tuple[int, ...]
    """Number of each bot's version."""
    progress: LiveProgress | None
    """None: no deal has begun yet, or the ladder shows nothing of running matches."""


class LivePage(Value):
    """Some of the events of a match."""

    match: int
    attempt: int
    """The attempt that is being played, or the last one."""
    events: tuple[LiveEvent, ...]
    ended: bool
    """True if these go up to the last event of the attempt."""
