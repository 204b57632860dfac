"""
The record of a match: JSON Lines, one for the match, one for each deal, one for the result.

Everything but the times depends only on the match seed and on what the bots answered. The times stand in
fields of their own, so that `without_times` can leave them out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERSION = 1
TIMES = frozenset({"started", "took_ms", "cpu_ms", "unasked_ms", "timed", "think_ms"})
"""The fields that hold times, or tell how they were taken."""

CHAIN = "chain"
"""The key that a line gets in a file (referee/chain.py)."""

Timed = Literal["cpu", "wall"]
"""How a bot's time was measured: in CPU time of its program, or in wall time."""

Cards = str
"""Cards by name with a space between: ``QS KH 2C``. A card put face down has ``*`` behind it: ``QS*``."""


class Line(BaseModel):
    """What the lines have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ClockLine(Line):
    """The clock; seconds."""

    bank: float
    """Time for each `deals_per_bank` deals begun."""
    increment: float
    """Added for every decision."""
    limit: float
    """The most for one decision."""
    start_up: float
    """The most until a bot has taken its seat."""
    deals_per_bank: int
    """How many deals a bank is for."""


class MatchLine(Line):
    """The first line: what is played."""

    type: Literal["match"] = "match"
    version: int = VERSION
    """Of the format of records."""
    rules: dict[str, Any]
    """The variant, field for field as in a rules file."""
    format: str
    """`game`, `deals:N` or `boards:N`."""
    bots: tuple[str, ...]
    """Name of each bot; its place here is its number. In `boards:N` the seats of each deal stand with it."""
    clock: ClockLine
    commitment: str
    """SHA-256 of the match seed, in hex."""
    started: str
    """When, UTC, ISO 8601."""


class Step(Line):
    """One action: exactly one of pass, expose, play and moon is there."""

    seat: int
    """Whose action it is."""
    passed: Cards | None = Field(default=None, alias="pass")
    """The cards passed on."""
    expose: Cards | None = None
    """The cards exposed; often none."""
    play: Cards | None = None
    """The card played."""
    moon: str | None = None
    """What the shooter takes: `subtract` or `add`."""
    by: str
    """`bot`, `default:` and a verdict code, or `takeover`."""
    why: str | None = None
    """What was held against the bot, in words, where the default action stands for its own."""
    exit_code: int | None = None
    """How the bot's program ended, where that is why: its exit code, 128 + the signal's number when killed."""
    oom: bool | None = None
    """Whether that program or a child of it was killed for memory; there whenever `exit_code` is."""


class DealLine(Line):
    """One deal."""

    type: Literal["deal"] = "deal"
    deal: int
    """Number of the deal at its table, from 0."""
    board: int | None = None
    """Number of the board, from 0, in the format `boards:N`."""
    rotation: int | None = None
    """Which of the board's seatings this is, from 0; it is also the number of the table that played it."""
    seats: tuple[int, ...] | None = None
    """Which bot sat in each seat, by its number in the first line; where it is left out, bot i sat in seat i."""
    hands: tuple[Cards, ...]
    """The cards dealt to each seat."""
    steps: tuple[Step, ...]
    """Every action, in order; those of a sealed question by seat."""
    scores: tuple[int, ...]
    """What the deal brought each seat."""
    totals: tuple[int, ...]
    """Totals at this table, this deal included, of whoever sits in each seat."""
    took_ms: tuple[float, ...]
    """How long each step took by the referee's clock, in milliseconds."""
    cpu_ms: tuple[float | None, ...] | None = None
    """CPU time of the bot's program during each step, in milliseconds; null where it was not read, or nobody asked."""
    unasked_ms: tuple[float | None, ...] | None = None
    """CPU time, in milliseconds, that the bot's program had used before each step since its last answer, or since it
    took its seat; null where it was not read, or nobody asked."""

    @property
    def name(self) -> str:
        """What people call it: by its board and rotation, or else by its number."""
        return f"deal {self.deal}" if self.board is None else f"board {self.board}, rotation {self.rotation}"

    def timed_steps(self) -> Iterator[tuple[Step, float, float | None]]:
        """
        Each step with its seconds by the referee's clock, and of CPU time; None where that was not read.

        Raises:
            ValueError: If there is not one time of each kind for each step.
        """
        nothing = (None,) * len(self.steps)
        times = zip(self.steps, self.took_ms, self.cpu_ms or nothing, self.unasked_ms or nothing, strict=True)
        for step, took, cpu, _ in times:
            yield step, took / 1000, None if cpu is None else cpu / 1000

    def unasked(self) -> tuple[float | None, ...]:
        """Seconds of CPU time that the bot of each step had used before it was asked; None where that was not read."""
        times = self.unasked_ms or (None,) * len(self.steps)
        return tuple([None if each is None else each / 1000 for each in times])


class BotResult(Line):
    """How one bot did."""

    bot: str
    """Its name."""
    seat: int
    """Its number in the first line, which is its seat in the first deal unless the format is `boards:N`."""
    place: int
    """1 is the best; equal bots share one, and whoever was taken over comes last, with its partner."""
    total: int
    """Points in all deals together."""
    points_per_deal: float
    """Their mean: what the place goes by."""
    standard_error: float | None = None
    """Of points per deal: over the boards, in `deals:N` over the deals; none in a `game`, or where there is but one."""
    faults: int
    """At all tables together."""
    taken_over: bool
    """Whether the default policy took its seat over, at one table at least."""
    timed: Timed
    """What the bot's clock was charged: CPU time of its program, or wall time where that cannot be read."""
    think_ms: dict[str, float]
    """Median and worst think time in milliseconds, in CPU time where `timed` says so."""


class ResultLine(Line):
    """The last line: how it ended, and the seed that the first line committed to."""

    type: Literal["result"] = "result"
    seed: str
    """The match seed, 64 hex digits."""
    deals: int
    """Number of deals at all tables together."""
    results: tuple[BotResult, ...]
    """By the bots' numbers in the first line."""


AnyLine = Annotated[MatchLine | DealLine | ResultLine, Field(discriminator="type")]
_adapter: pydantic.TypeAdapter[MatchLine | DealLine | ResultLine] = pydantic.TypeAdapter(AnyLine)


def to_json(line: Line) -> str:
    """A line as it stands in the file, without its chain and the line break."""
    return line.model_dump_json(by_alias=True, exclude_none=True)


def from_json(text: str | bytes) -> MatchLine | DealLine | ResultLine:
    """
    Read one line.

    Raises:
        pydantic.ValidationError: If it is none; the error names the field.
    """
    return _adapter.validate_json(text)


def without_times(lines: Iterable[str]) -> list[str]:
    """
    The lines with every time left out: what two matches with the same seed and the same bots have in common.

    The chain of lines that come from a file is left out, too: it depends on the times.
    """
    return [json.dumps(_timeless(json.loads(line)), ensure_ascii=False) for line in lines]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in TIMES | {CHAIN}}
    return [_timeless(item) for item in value] if isinstance(value, list) else value
