"""Events: what a file describes, what is wrong or unwise about it, what was drawn, what a simulation found."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from ladder.values.clocks import DEFAULT_CLOCK_TEXT, MAX_LIMIT, MIN_LIMIT, read_clock
from ladder.values.value import Time, Value, in_utc
from referee.match.formats import DEFAULT_CLOCK
from referee.records.framing import MAX_DEALS, MAX_SEATS

MAX_ENTRANTS = 200
MAX_ROUNDS = 200
MAX_BEACON = 500
"""Characters of a beacon's address."""
MAX_BEACON_VALUE = 16 * 1024
"""Bytes of a beacon's value."""
REVEAL_SECONDS = 30 * 60.0
"""Seconds after the freeze in which nonces may be revealed, if the file says nothing."""
MIN_REVEAL_SECONDS = 5 * 60.0
"""The fewest seconds for that."""
MAX_BOARDS = MAX_DEALS // MAX_SEATS
"""A match of a stage fits into a record at a table of any size."""
FORMAT = re.compile(r"game|boards:[1-9]\d{0,5}", flags=re.ASCII)
Score = Literal["board places", "match places", "performance", "points"]
"""By what a stage ranks: see docs/events.md."""
TieBreak = Literal[
    "performance", "board points", "head to head", "boards won", "opponents", "card points", "lot"
]  # fmt: skip
StageKind = Literal["round-robin", "swiss", "pods", "halving", "final"]
Text = Annotated[str, Field(min_length=1, max_length=200)]


def boards_of(form: str) -> int | None:
    """
    Give the boards of a match of a stage; None: a game.

    >>> boards_of("boards:12"), boards_of("game")
    (12, None)
    """
    return None if form == "game" else int(form.removeprefix("boards:"))


def _format(form: str | None) -> str | None:
    if form is not None and not (FORMAT.fullmatch(form) and (boards_of(form) or 1) <= MAX_BOARDS):
        raise ValueError(f"a stage is played as game or boards:N with N from 1 to {MAX_BOARDS}")
    return form


class Stage(Value):
    """One part of an event: rounds of one kind, at whose end some advance to the next stage."""

    name: Text
    kind: StageKind
    when: str | None = None
    """The stage is played only then: `entrants >= 24`."""
    take: int | None = Field(default=None, ge=2, le=MAX_ENTRANTS)
    """The best of the stage before that play this one; by default all who are still in."""
    rounds: int | None = Field(default=None, ge=1, le=MAX_ROUNDS)
    """By default: a whole round robin; of halving, one round at each size; a Swiss must say it."""
    round_starts: tuple[Time, ...] = ()
    """Rounds begin no earlier; by default as soon as the round before is over."""
    format: str | None = None
    """`boards:N` or `game`; a final may say `deals` instead."""
    deals: Literal["half"] | None = None
    """Of a final: as many deals as all stages before it together."""
    clock: str = DEFAULT_CLOCK_TEXT
    limit: float = Field(default=DEFAULT_CLOCK.limit, ge=MIN_LIMIT, le=MAX_LIMIT)
    """Seconds for one decision."""
    pair_by: Literal["match places", "board places", "performance"] = "match places"
    """Of a Swiss: what those at one table have about the same of."""
    standings: Score = "board places"
    """By what the stage ranks."""
    advance: int | None = Field(default=None, ge=1, le=7)
    """Of pods: the best of each table that advance."""
    until: int | None = Field(default=None, ge=2, le=MAX_ENTRANTS)
    """Of pods and halving: it ends when at most that many are left."""
    carry: bool = False
    """True if the results of the stage before count as well, and those that it carried itself."""
    play_off: str | None = "boards:4"
    """Format of the play-off of those who are level at the cut, or at place 1; doubled if they are still level."""

    _formats = field_validator("format", "play_off")(_format)

    @field_validator("when")
    @classmethod
    def _condition(cls, when: str | None) -> str | None:
        if when is not None and not re.fullmatch(r"entrants (>=|<=|<|>) ?[1-9]\d{0,3}", when, flags=re.ASCII):
            raise ValueError("a condition is written as in: entrants >= 24")
        return when

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Stage:
        read_clock(self.clock, self.limit)
        for field, kinds in _ONLY.items():
            if field in self.model_fields_set and self.kind not in kinds and getattr(self, field) is not None:
                raise ValueError(f"{field} is not for a {self.kind} stage, only for {' and '.join(kinds)}")
        for field in _NEEDS[self.kind]:
            if getattr(self, field) is None:
                raise ValueError(f"a {self.kind} stage needs {field}")
        if (self.format is None) == (self.deals is None):
            both = (
                "deals = 'half' or a format such as boards:64, not both"
                if self.kind == "final"
                else "a format: boards:N"
            )
            raise ValueError(f"a {self.kind} stage needs {both}")
        if self.play_off == "game":
            raise ValueError("a play-off is played over boards: boards:4")
        return self

    def is_played(self, entrants: int) -> bool:
        """Tell whether the stage is played in an event with that number of entrants."""
        if self.when is None:
            return True
        _, comparison, number = re.split(r"\s*(>=|<=|<|>)\s*", self.when)
        bound = int(number)
        return {
            ">=": entrants >= bound,
            "<=": entrants <= bound,
            "<": entrants < bound,
            ">": entrants > bound,
        }[comparison]


_ONLY: dict[str, tuple[StageKind, ...]] = {
    "rounds": ("round-robin", "swiss", "halving"),
    "round_starts": ("round-robin", "swiss", "pods", "halving", "final"),
    "deals": ("final",),
    "pair_by": ("swiss",),
    "advance": ("pods",),
    "until": ("pods", "halving"),
}
_NEEDS: dict[StageKind, tuple[str, ...]] = {
    "round-robin": (),
    "swiss": ("rounds",),
    "pods": ("advance", "until"),
    "halving": ("until",),
    "final": (),
}


class Event(Value):
    """An event as its file describes it."""

    name: Text
    variant: Text
    """A preset, or a TOML file with rules beside the event's file."""
    rated: bool = False
    entrants: tuple[int, int]
    """The fewest and the most."""
    per_owner: int = Field(default=1, ge=1, le=MAX_ENTRANTS)
    """The most bots of one owner."""
    seeding: Literal["rating", "lot"] | tuple[str, ...] = "lot"
    """The order before the first round: by rating, by lot, or the names in order."""
    zone: str | None = None
    """Zone of the times that have none of their own: `Europe/Berlin`."""
    opens: Time | None = None
    check_in: Time | None = None
    """From then until `freezes` those who have entered check in; who does not is not on the list of entrants."""
    waiting_list: int = Field(default=0, ge=0, le=MAX_ENTRANTS)
    """Bots that may enter beyond the most entrants; they take the places that become free, in order of entry."""
    freezes: Time | None = None
    """Versions are pinned then, and the list of entrants is final."""
    reveals: Time | None = None
    """Until then entrants may reveal their nonces; by default until the beacon, or the start."""
    beacon: Annotated[str, Field(max_length=MAX_BEACON)] | None = None
    """Address of a public beacon whose value enters the draw; it is fetched at `beacon_at`."""
    beacon_at: Time | None = None
    """The first moment at which the beacon's value is known to anyone."""
    starts: Time | None = None
    ends: Time | None = None
    """Time by which it must be over."""
    stand_in: Text = "counting"
    """The house bot that fills tables and replaces bots that leave; it is never ranked."""
    takeovers: int = Field(default=2, ge=0, le=MAX_ROUNDS)
    """A bot that the default policy has taken over at that many tables leaves; 0: none leaves by it."""
    late_entry: str = "none"
    """`none`, or the last round before which a bot may still enter: `round 3`."""
    show: Literal["live", "round", "manual"] = "round"
    appeal_hours: int | None = Field(default=None, ge=1, le=24 * 366)
    """Hours after the last result in which the organiser may still rule; then results are official."""
    prizes: tuple[Text, ...] = ()
    tie_breaks: tuple[TieBreak, ...] = (
        "board points", "head to head", "boards won", "opponents", "card points", "lot"
    )  # fmt: skip
    stages: tuple[Stage, ...] = Field(min_length=1, max_length=20)

    @field_validator("late_entry")
    @classmethod
    def _late(cls, late: str) -> str:
        if not re.fullmatch(r"none|round [1-9]\d{0,2}", late, flags=re.ASCII):
            raise ValueError("late entry is none, or the last round before which it is possible: round 3")
        return late

    @model_validator(mode="after")
    def _is_possible(self) -> Event:
        fewest, most = self.entrants
        if not 2 <= fewest <= most <= MAX_ENTRANTS:
            raise ValueError(f"entrants are [fewest, most], from 2 to {MAX_ENTRANTS}; these are [{fewest}, {most}]")
        names_of_times = ("opens", "check_in", "freezes", "reveals", "beacon_at", "starts", "ends")
        moments = [(name, at) for name in names_of_times if (at := getattr(self, name))]
        for (one, before), (other, after) in pairwise(moments):
            if before > after:
                raise ValueError(f"{other} ({in_utc(after)}) is before {one} ({in_utc(before)})")
        if (self.beacon is None) != (self.beacon_at is None):
            raise ValueError("beacon and beacon_at belong together: an address, and when its value becomes known")
        if self.check_in and not self.freezes:
            raise ValueError("check_in needs freezes: at that time the check-in ends")
        names = [stage.name for stage in self.stages]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two stages are named {twice!r}")
        return self

    @property
    def links_entries(self) -> bool:
        """True if each entry is a link of the chain, since the list of entrants follows from them by a rule."""
        return self.check_in is not None or self.waiting_list > 0

    def reveals_until(self, frozen: float) -> float:
        """
        Give the Unix time until which nonces may be revealed.

        Args:
            frozen: Unix time at which the list of entrants became final. If that was late, there is still time after
                it, but none after the beacon's value is known.
        """
        planned = self.reveals or self.beacon_at or self.starts
        until = max(planned.timestamp() if planned else frozen + REVEAL_SECONDS, frozen + MIN_REVEAL_SECONDS)
        return min(until, self.beacon_at.timestamp()) if self.beacon_at else until


class PlannedStage(Value):
    """A stage as it is with a certain number of entrants."""

    stage: str
    kind: StageKind
    entrants: int
    """That play it."""
    rounds: int
    tables: int
    """In its first round."""
    matches: int
    deals: int
    """Of all its tables; of games an estimate."""
    share: float
    """Of the deals of the whole event, 0 to 1."""
    meetings: tuple[int, int] | None
    """The fewest and the most times that two of them meet, where that is known before the draw."""


class Plan(Value):
    """An event with a certain number of entrants."""

    entrants: int
    stages: tuple[PlannedStage, ...]
    deals: int
    hours: float
    """An estimate, from the seconds that a deal takes and the tables that play at once."""


class EventCheck(Value):
    """Errors and unwise choices in an event's file, and its plans."""

    name: str
    variant: str
    wrong: tuple[str, ...]
    """Sentences; with any of them the event cannot be run."""
    unwise: tuple[str, ...]
    exceptions: tuple[str, ...]
    """With which numbers of entrants a stage is not what its format is for others, such as one without a rematch."""
    plans: tuple[Plan, ...]
    """With the fewest entrants, the most, and where a condition begins to hold."""


class DrawnTable(Value):
    """One table of a round."""

    number: int
    bots: tuple[str, ...]
    """By their numbers at the table; stand-ins are named `stand-in 1`, …."""
    seed: str
    """Of its match, in hex."""


class EventMargin(Value):
    """Distance of a bot from the next one, and the part of it that may be chance (`ladder.events.margins`)."""

    difference: float
    """Of the score of the stage: of places, points, or Elo; 0: they are level, and a tie-break decided."""
    plus_minus: float
    """Half of its 95 % interval."""
    superiority: float
    """Likelihood that it is the better one, 0 to 1."""
    boards: int
    """On which at least one of the two has sat; a match that counts by its total, or a game, is one."""
    together: int
    """On which both have."""
    is_tied: bool
    """True if the likelihood is less than 97.5 %: statistically they are level."""


class EventPlace(Value):
    """One place in the standings of a stage."""

    place: int
    name: str
    values: tuple[float | None, ...]
    """In the order of `EventDraw.criteria`; None: that criterion says nothing of this bot."""
    why: str
    """Reason that this bot is before the next one; empty for the last."""
    stage: str
    """The stage that it played last, of which the figures are; empty: it has played in none."""
    out_after: int | None
    """The round of that stage after which it went out; None: it is still in, or has played the last one."""
    margin: EventMargin | None
    """To the next one; None: there is none, or its place does not follow from a score that both have."""


class EventDraw(Value):
    """The next round of an event, or its end."""

    event: str
    entrants_hash: str
    """SHA-256 of the list of entrants."""
    stage: str
    round: int
    """From 1; counts within the stage, play-offs included. 0: the event is over."""
    kind: Literal["round", "play-off", "over"]
    format: str
    tables: tuple[DrawnTable, ...]
    cost: tuple[int, int, int]
    """Pairs of one owner at a table; meetings; distances in the standings, and lots (docs/events.md)."""
    bound: tuple[int, int, int]
    """No tables cost less."""
    method: Literal["design", "order", "optimum", "search"]
    """Method that found the tables. `design`: a design. `order`: by places alone. `optimum`: no others cost less."""
    criteria: tuple[str, ...]
    """In order; at the end of the event those of the last stage first, then those that only stages before it have."""
    standings: tuple[EventPlace, ...]
    """Of the stage so far; at the end of the event, of all entrants."""


class Chances(Value):
    """Figures of one simulated format."""

    name: str
    events: int
    """That were simulated."""
    deals: int
    best_wins: float
    best_wins_error: float
    """One standard error."""
    best_three_win: float
    """P(one of the three best wins)."""
    best_in_three: float
    """P(the best is among the first three)."""
    tau: float
    """Kendall's τ between places and strengths."""
    elo_lost: float
    """The mean by which the winner is weaker than the best."""
    hours: tuple[float, float]
    """The median and the 95th percentile."""
    last_table: float
    """Its share of the deals."""


class EntrantChance(Value):
    """Chances of one entrant by a simulation."""

    name: str
    rating: float
    wins: float
    """P(it wins)."""
    first_three: float


class EventSimulation(Value):
    """Result of a simulation of an event."""

    entrants: int
    formats: tuple[Chances, ...]
    """Of the file, and of the file that it is compared with."""
    recommended: Chances
    """The recommended format with as many deals as the file has."""
    recommendation: str
    each: tuple[EntrantChance, ...]
    """With the ratings of entrants alone."""
