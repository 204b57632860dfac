"""
Lines of the record of a match, in JSON: one for the match, one for each deal, one for the result.

Everything but the times depends only on the match seed and on what the bots answered. The times stand in
fields of their own, so that `without_times` can leave them out. In their JSON Schema the lines say what their fields
are.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import json
import sys
from collections import ChainMap
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from referee.records.framing import MAX_DIGITS, MAX_LEVELS, MAX_LINES, MAX_SEATS, MAX_SECONDS, MAX_STEPS, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import GetJsonSchemaHandler
    from pydantic_core import ErrorDetails
    from pydantic_core.core_schema import CoreSchema


class Described(BaseModel):
    """
    A model of which the docstrings below its fields are their descriptions.

    They are read from the sources when a schema is asked for. With `use_attribute_docstrings` pydantic reads them
    whenever a class is made: a seventh of the time in which the site starts, for what nearly no process needs.
    """

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = handler(core_schema)
        fields = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in descriptions(cls).items():
            for key in {name, cls.model_fields[name].alias} & fields.keys():
                fields[key].setdefault("description", text)
        return schema


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Read by field the docstring below it in the sources, where those are there."""
    found = ChainMap(*(dict(_docstrings(each.__module__).get(each.__qualname__, {})) for each in model.__mro__))
    return {name: found[name] for name in model.model_fields if name in found}


@functools.cache
def _docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """Read by class of a module and by field the string that stands below it; nothing of modules without sources."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return {}
    return {each.name: dict(_of_fields(each.body)) for each in ast.parse(source).body if isinstance(each, ast.ClassDef)}


def _of_fields(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, below in itertools.pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)


VERSION = 2
"""Of the format of records that are written."""
FIRST_WITH_FORCED = 2
"""Since this version a bot is not asked where exactly one action is legal."""
READABLE = (1, VERSION)
"""The versions that are understood."""
TIMES = frozenset(
    {"started", "took_ms", "cpu_ms", "unasked_ms", "timed", "think_ms"}
    | {"image_files", "instances", "runtime", "machine"}
)
"""The fields that hold times, or tell how the match was run: they differ from run to run."""

CHAIN = "chain"
"""The key that a line gets in a file (referee/records/framing.py)."""

Timed = Literal["cpu", "wall"]
"""Measure of a bot's time: CPU time of its program, or wall time."""

ImageFiles = Literal["locked", "read", "isolated"]
"""Protection of an image's files: a container cannot learn of another one from their page cache."""

Instances = Literal["warm", "fresh"]
"""Start of bots' instances: forked in a warm container, or each in a container of its own."""

Cards = str
"""Cards by name with a space between: ``QS KH 2C``. A card put face down has ``*`` behind it: ``QS*``."""


_TOO_LONG = 10**MAX_DIGITS


def _short(number: int) -> int:
    if not -_TOO_LONG < number < _TOO_LONG:
        raise ValueError(f"it has more than {MAX_DIGITS} digits")
    return number


Number = Annotated[int, AfterValidator(_short)]
"""A whole number that can be written again."""
ExitCode = Annotated[int, Field(ge=-(2**31), lt=2**31)]
DealNumber = Annotated[int, Field(ge=0, lt=MAX_LINES)]
SeatNumber = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
"""Of a seat, of a bot, or of a rotation."""
Seconds = Annotated[float, Field(ge=0, le=MAX_SECONDS)]
Milliseconds = Annotated[float, Field(ge=0, le=1000 * MAX_SECONDS)]
AtSeats = Field(max_length=MAX_SEATS, fail_fast=True)
"""A list with one entry for each seat."""
ThinkTimes = Annotated[dict[Literal["median", "worst"], Milliseconds], Field(min_length=2)]
AtSteps = Field(max_length=MAX_STEPS, fail_fast=True)
"""A list with one entry for each step."""


class Line(Described):
    """Base class of the lines."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ClockLine(Line):
    """The clock; seconds."""

    bank: Seconds
    """Time for each `deals_per_bank` deals begun."""
    increment: Seconds
    """Added for every decision."""
    limit: Seconds
    """The most for one decision."""
    start_up: Seconds
    """The most until a bot has taken its seat."""
    deals_per_bank: Annotated[int, Field(ge=1, lt=MAX_LINES)]
    """Number of deals that a bank is for."""


class PersonLine(Line):
    """A seat that a person plays: nothing of such a match is ever rated."""

    bot: SeatNumber
    """Its number, as a bot's."""
    kind: Literal["human"] = "human"
    """The kind of player at this seat."""
    timed: Literal["wall"] = "wall"
    """Time that its clock is charged."""
    clock: ClockLine
    """Its own clock, apart from the bots'."""


class MatchLine(Line):
    """The first line: what is played."""

    type: Literal["match"] = "match"
    version: Number = VERSION
    """Of the format of records; in version 1 bots were also asked where exactly one action was legal."""
    rules: dict[str, Any]
    """The variant, field for field as in a rules file."""
    format: str
    """`game`, `deals:N`, `boards:N` or `board:B:R`."""
    bots: Annotated[tuple[str, ...], AtSeats]
    """Name of each bot; its place here is its number. On boards the seats of each deal stand with it."""
    clock: ClockLine
    commitment: str
    """SHA-256 of the match seed, in hex."""
    started: str
    """Time of the start, UTC, ISO 8601."""
    image_files: ImageFiles | None = None
    """
    Protection of images' files, in whose page cache a bot could leave notes; left out where there are no images.

    `locked`: kept in memory throughout. `isolated`: each container has a kernel of its own. `read`: only read before
    each table, at least for one of the bots.
    """
    instances: Instances | None = None
    """
    Start of the bots' instances; left out where there were no containers.

    `warm`: forked in containers that are kept between matches, at least for one of the bots. `fresh`: each in a
    container of its own.
    """
    runtime: str | None = None
    """
    The OCI runtime of the bots' containers, such as `runsc` or `runc`; left out where there were no containers.

    Where bots had several, one under which containers share the host's kernel.
    """
    machine: str | None = None
    """
    The class of the machine on which all bots sat: its processor, architecture and cores; left out if unknown.

    Times of matches on machines of other classes cannot be compared with these.
    """

    people: Annotated[tuple[PersonLine, ...], AtSeats] | None = None
    """The people among the bots, by rising numbers; left out where none is."""

    @property
    def people_numbers(self) -> frozenset[int]:
        """The numbers of those that are people."""
        return frozenset(each.bot for each in self.people or ())

    def clock_of(self, bot: int) -> ClockLine:
        """Give the clock of a bot, or a person, by its number."""
        return next((each.clock for each in self.people or () if each.bot == bot), self.clock)

    @property
    def has_forced(self) -> bool:
        """True if an action was played without asking where it was the only legal one."""
        return self.version >= FIRST_WITH_FORCED


class Step(Line):
    """One action: exactly one of pass, expose, play and moon is there."""

    seat: SeatNumber
    """The seat whose action it is."""
    passed: Cards | None = Field(default=None, alias="pass")
    """The cards passed on."""
    expose: Cards | None = None
    """The cards exposed; often none."""
    play: Cards | None = None
    """The card played."""
    moon: str | None = None
    """The shooter's choice: `subtract` or `add`."""
    by: str
    """`bot` (or a person in its place), `forced`, `default:` and a verdict code, `takeover`, or `away`."""
    why: str | None = None
    """The bot's fault, in words, where the default action stands for its own."""
    exit_code: ExitCode | None = None
    """Exit code of the bot's program, where its end is the fault: 128 + the signal's number when killed."""
    oom: bool | None = None
    """True if that program or a child of it was killed for memory; there whenever `exit_code` is."""

    @property
    def is_sealed(self) -> bool:
        """True if it answers a sealed question: cards are passed or exposed."""
        return self.passed is not None or self.expose is not None


def deal_name(number: int, rotation: int | None) -> str:
    """
    Name a deal as people do, who count from 1.

    >>> deal_name(2, 0)
    'board 3, rotation 1'
    >>> deal_name(2, None)
    'deal 3'

    Args:
        number: Of the deal, or of the board, from 0.
        rotation: Of the board, from 0; None if the match has no boards.
    """
    return f"deal {number + 1}" if rotation is None else f"board {number + 1}, rotation {rotation + 1}"


class DealLine(Line):
    """One deal."""

    type: Literal["deal"] = "deal"
    deal: DealNumber
    """Number of the deal, from 0; if there are boards, of the board."""
    board: DealNumber | None = None
    """Number of the board, from 0, in the formats `boards:N` and `board:B:R`."""
    rotation: SeatNumber | None = None
    """Number of the board's rotation, from 0."""
    seats: Annotated[tuple[SeatNumber, ...], AtSeats] | None = None
    """The bot in each seat, by its number in the first line; where it is left out, bot i sat in seat i."""
    hands: Annotated[tuple[Cards, ...], AtSeats]
    """The cards dealt to each seat."""
    steps: Annotated[tuple[Step, ...], AtSteps]
    """Every action, in order; those of a sealed question by seat."""
    scores: Annotated[tuple[Number, ...], AtSeats]
    """Points of each seat in the deal."""
    totals: Annotated[tuple[Number, ...], AtSeats]
    """Total in this rotation, this deal included, of the bot in each seat."""
    took_ms: Annotated[tuple[Milliseconds, ...], AtSteps]
    """Time of each step by the referee's clock, in milliseconds."""
    cpu_ms: Annotated[tuple[Milliseconds | None, ...], AtSteps] | None = None
    """CPU time of the bot's program during each step, in milliseconds; null where it was not read or not asked."""
    unasked_ms: Annotated[tuple[Milliseconds | None, ...], AtSteps] | None = None
    """CPU time, in milliseconds, that the bot's program had used before each step since its last answer, or since it
    took its seat; null where it was not read, or the bot not asked."""

    @property
    def name(self) -> str:
        """Name of the deal for people, as `deal_name` gives it."""
        return deal_name(self.deal, self.rotation)

    def timed_steps(self) -> Iterator[tuple[Step, float, float | None]]:
        """
        Yield each step with its seconds by the referee's clock, and of CPU time; None where that was not read.

        Raises:
            ValueError: If there is not one time of each kind for each step.
        """
        nothing = (None,) * len(self.steps)
        times = zip(self.steps, self.took_ms, self.cpu_ms or nothing, self.unasked_ms or nothing, strict=True)
        for step, took, cpu, _ in times:
            yield step, took / 1000, None if cpu is None else cpu / 1000

    def unasked(self) -> tuple[float | None, ...]:
        """Give the CPU seconds that the bot of each step had used before it was asked; None where that was not read."""
        times = self.unasked_ms or (None,) * len(self.steps)
        return tuple([None if each is None else each / 1000 for each in times])


class BotResult(Line):
    """The result of one bot."""

    bot: str
    """Its name."""
    seat: SeatNumber
    """Its number in the first line, which is its seat in the first deal unless there are boards."""
    place: Annotated[int, Field(ge=1, le=MAX_SEATS)]
    """1 is the best; equal bots share one, and a bot that was taken over comes last, with its partner."""
    total: Number
    """Points in all deals together."""
    points_per_deal: float
    """Their mean: what the place goes by."""
    standard_error: float | None = None
    """Of points per deal: over the boards, in `deals:N` over the deals; none in a `game`, or where there is but one."""
    faults: Annotated[int, Field(ge=0, le=MAX_LINES * MAX_STEPS)]
    """In all rotations together."""
    taken_over: bool
    """True if the default policy took its seat over, in one rotation at least."""
    timed: Timed
    """Time that the bot's clock was charged: CPU time of its program, or wall time where that cannot be read."""
    think_ms: ThinkTimes
    """Median and worst think time in milliseconds, in CPU time where `timed` says so."""


class ResultLine(Line):
    """The last line: how it ended, and the seed that the first line committed to."""

    type: Literal["result"] = "result"
    seed: str
    """The match seed, 64 hex digits."""
    deals: DealNumber
    """Number of deals in all rotations together."""
    results: Annotated[tuple[BotResult, ...], AtSeats]
    """By the bots' numbers in the first line."""


AnyLine = Annotated[MatchLine | DealLine | ResultLine, Field(discriminator="type")]


@functools.cache
def _adapter() -> pydantic.TypeAdapter[MatchLine | DealLine | ResultLine]:
    return pydantic.TypeAdapter(AnyLine)


def to_json(line: Line) -> str:
    """Write a line as it stands in the file, without its chain and the line break."""
    return line.model_dump_json(by_alias=True, exclude_none=True)


def from_json(text: str | bytes) -> MatchLine | DealLine | ResultLine:
    """
    Read one line.

    Raises:
        pydantic.ValidationError: If it is none; the error names the field.
    """
    return _adapter().validate_json(text)


def objection(detail: ErrorDetails) -> str:
    """Say what pydantic says against a line."""
    if "recursion limit" in detail["msg"]:
        return f"it is nested more than {MAX_LEVELS} levels deep"
    return detail["msg"].removeprefix("Value error, ")


def sentence_of(error: pydantic.ValidationError) -> str:
    """Say what is wrong with a line first, and where."""
    detail = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(shortened(str(part)) for part in detail["loc"])
    return f"{field}: {objection(detail)}" if field else objection(detail)


def without_times(lines: Iterable[str]) -> list[str]:
    """
    Give the lines with every time left out: what two matches with the same seed and the same bots have in common.

    The chain of lines that come from a file is left out, too: it depends on the times.
    """
    return [json.dumps(_timeless(json.loads(line)), ensure_ascii=False) for line in lines]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in TIMES | {CHAIN}}
    return [_timeless(item) for item in value] if isinstance(value, list) else value
