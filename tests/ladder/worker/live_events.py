"""The events of matches between bots that play anything."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Literal

from ladder.values.live_events import parse
from ladder.worker.live_observer import HELD_CHARACTERS, LiveObserver
from referee.match.formats import Format, MatchSpec
from tests.referee.tables import play_tables
from tests.referee.wires import Tap
from tests.referee.worlds import careless

if TYPE_CHECKING:
    from ladder.values.live_events import AnyLive
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine


def unexpected(error: Exception) -> None:
    raise error


def spec_of(rules: Rules, form: str, seed: bytes) -> MatchSpec:
    return MatchSpec(rules, tuple(f"bot{bot}" for bot in range(rules.players)), Format.parse(form), seed=seed)


def watched(
    rules: Rules,
    form: str,
    public: Literal["played", "open"] = "played",
    seed: bytes = bytes(32),
    concurrency: int = 1,
    max_held: int = HELD_CHARACTERS,
) -> tuple[list[str], list[AnyLine]]:
    """The events of a match as they were sent, and its record."""
    spec, rng = spec_of(rules, form, seed), Random(f"{rules.name} {form}")
    tables = [[Tap(careless(rng)) for _ in range(rules.players)] for _ in range(spec.format.tables(rules))]
    sent: list[str] = []
    lines: list[AnyLine] = []
    observer = LiveObserver(spec, public, sent.append, unexpected, max_held)
    asyncio.run(play_tables(spec, tables, lines.append, concurrency, observer=observer))
    return sent, lines


def read(sent: list[str]) -> list[AnyLive]:
    """The events as values, numbered."""
    return [parse(f'{{"id":{number},{line[1:]}') for number, line in enumerate(sent, 1)]
