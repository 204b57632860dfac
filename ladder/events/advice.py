"""
Advice about an event: findings, wrong or unwise, in sentences; its size; and the recommended format.

The size is given for certain numbers of entrants. The format is recommended for a number of entrants and deals, with a
file that describes it.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.events.beacons import why_no_beacon
from ladder.events.claims import exceptions, spans
from ladder.events.legs import Leg, exact_design, game_deals, legs_of, round_robin_rounds, sides_of
from ladder.values.events import (
    MAX_BOARDS,
    MAX_ENTRANTS,
    MIN_REVEAL_SECONDS,
    Event,
    EventCheck,
    Plan,
    PlannedStage,
    Stage,
)
from ladder.values.text import counted, why_odd
from ladder.values.value import in_utc

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pigpen.rules import Rules

LAST_TABLE = 0.4
"""The least share of the deals that the last table should have (docs/events.md)."""
CHECK_IN_SECONDS = 10 * 60.0
"""The least time that a check-in should take."""
EVENING = 6.0
"""Hours after which an event is long, where its file does not say when it ends."""
PLAYS = 13 + 2
"""Decisions of a bot in a deal at most, about."""
WAYS_OUT = "Write a stage before it that is always played, or allow other numbers of entrants"
DEAL_SECONDS = 0.12
"""Seconds of a deal of bots that answer at once, on a core of its own."""
START_SECONDS = 0.11
"""Seconds in which a bot of a table is started and ended, on a core of its own (docs/performance.md, kernel)."""


@dataclass(frozen=True)
class Pace:
    """The pace of matches: tables at once, and seconds of a deal."""

    tables: int = 4
    """That play at once."""
    seconds: float = DEAL_SECONDS
    """Of a deal."""
    start: float | None = None
    """Seconds in which the bots of a table are started and ended; None: `START_SECONDS` for each."""

    def starting(self, rules: Rules) -> float:
        """Give the seconds of the start of a table."""
        return START_SECONDS * rules.players if self.start is None else self.start


def checked(event: Event, rules: Rules, house_bots: Collection[str], pace: Pace) -> EventCheck:
    """Check an event that its file describes."""
    plans = [plan_of(event, entrants, rules, pace) for entrants in _sizes(event)]
    return EventCheck(
        name=event.name,
        variant=rules.name,
        wrong=tuple(dict.fromkeys(_wrong(event, rules, house_bots))),
        unwise=tuple(dict.fromkeys(_unwise(event, rules, plans, pace))),
        exceptions=exceptions(event, rules),
        plans=tuple(plans),
    )


def plan_of(event: Event, entrants: int, rules: Rules, pace: Pace) -> Plan:
    """Say what an event is with that number of entrants."""
    legs = legs_of(event, entrants, rules)
    total = sum(leg.deals(rules) for leg in legs)
    stages = []
    for number in dict.fromkeys(leg.stage for leg in legs):
        own = [leg for leg in legs if leg.stage == number]
        sides, deals = sides_of(rules), sum(leg.deals(rules) for leg in own)
        stages.append(
            PlannedStage(
                stage=event.stages[number].name,
                kind=own[0].kind,
                entrants=own[0].entrants,
                rounds=sum(leg.rounds for leg in own),
                tables=own[0].tables(sides),
                matches=sum(leg.matches(sides) for leg in own),
                deals=deals,
                share=deals / total,
                meetings=_meetings(own[0], sides),
            )
        )
    hours = sum(leg_hours(leg, rules, pace) for leg in legs)
    return Plan(entrants=entrants, stages=tuple(stages), deals=total, hours=hours)


def leg_hours(leg: Leg, rules: Rules, pace: Pace) -> float:
    """Estimate the hours of a leg; each rotation of a match is a table of its own."""
    tables = leg.tables(sides_of(rules)) * (1 if leg.boards is None else rules.players)
    deals = game_deals(rules)[1] if leg.boards is None else leg.boards
    each = pace.starting(rules) + deals * pace.seconds
    return leg.rounds * math.ceil(tables / pace.tables) * each / 3600


def _meetings(leg: Leg, sides: int) -> tuple[int, int] | None:
    """Say how often two meet in a round robin of which that is known."""
    exact = exact_design(leg.tables(sides) * sides, sides)
    if leg.kind != "round-robin" or not exact or leg.rounds % len(exact):
        return None
    often = leg.rounds * (sides - 1) // max(leg.tables(sides) * sides - 1, 1)
    return often, often


def _sizes(event: Event) -> list[int]:
    """List the fewest entrants, the most, and those where a condition begins or ceases to hold."""
    fewest, most = event.entrants
    bounds = [int(re.sub(r"\D", "", stage.when)) for stage in event.stages if stage.when]
    near = {size for bound in bounds for size in (bound - 1, bound) if fewest < size < most}
    changes = {size for size in near if legs_key(event, size) != legs_key(event, size - 1)}
    return sorted({fewest, most, *changes})


def legs_key(event: Event, entrants: int) -> tuple[bool, ...]:
    """Give which stages are played."""
    return tuple(stage.is_played(entrants) for stage in event.stages)


def _wrong(event: Event, rules: Rules, house_bots: Collection[str]) -> Iterator[str]:
    sides = sides_of(rules)
    if event.stand_in not in house_bots:
        yield f"There is no house bot {event.stand_in!r} to stand in; choose one of {', '.join(sorted(house_bots))}."
    yield from _wrong_texts(event)
    for one, other in (
        ("opens", "freezes"),
        ("check_in", "freezes"),
        ("opens", "ends"),
        ("freezes", "ends"),
        ("starts", "ends"),
    ):
        before, after = getattr(event, one), getattr(event, other)
        if before is not None and before == after:
            yield f"{other} and {one} are the same moment, {in_utc(before)}; nothing can happen between them."
    if why := why_no_beacon(event):
        yield f"{why[0].upper()}{why[1:]}."
    until = event.reveals or event.beacon_at or event.starts
    if event.freezes and until and (until - event.freezes).total_seconds() < MIN_REVEAL_SECONDS:
        yield (
            f"Nonces can be revealed from freezes, {in_utc(event.freezes)}, to {in_utc(until)}: entrants need at least "
            f"{MIN_REVEAL_SECONDS / 60:.0f} minutes. Let reveals, beacon_at or starts be later."
        )
    yield from _wrong_sizes(event, rules)
    finals = [number for number, stage in enumerate(event.stages) if stage.kind == "final"]
    if finals and finals != [len(event.stages) - 1]:
        yield f"The final {event.stages[finals[0]].name!r} must be the last stage, and the only final."
    for stage in event.stages:
        name = f"Stage {stage.name!r}"
        if stage.kind == "final" and (stage.take or sides) > sides:
            yield f"{name} takes {stage.take}, and a table of {rules.name} has {sides} bots; a final is one table."
        if (stage.advance or 1) >= sides:
            yield f"{name}: of {sides} at a table {stage.advance} cannot advance; at most {sides - 1} can."
        if stage.deals and stage == event.stages[0]:
            yield f"{name} is the first; it cannot have half of the deals. Write a format such as boards:64."
        if stage.standings == "points" and stage.kind == "swiss":
            yield (
                f"{name}: a Swiss cannot be ranked by points. The best meet the hardest tables, and points of one "
                "table say little about those of another. Write standings = 'performance'."
            )
        for moment in stage.round_starts:
            if event.starts and moment < event.starts:
                yield f"{name}: a round starts {in_utc(moment)}, before the event does ({in_utc(event.starts)})."
            if event.ends and moment >= event.ends:
                yield f"{name}: a round starts {in_utc(moment)}, and the event ends {in_utc(event.ends)}."
        if stage.round_starts and sorted(stage.round_starts) != list(stage.round_starts):
            yield f"{name}: round_starts are not in order."
    late = int(event.late_entry.removeprefix("round ")) if event.late_entry != "none" else 0
    first = event.stages[0]
    if late and (first.kind != "swiss" or late > max(1, (first.rounds or 1) // 2)):
        yield (
            f"Late entry until {event.late_entry} is possible only in a Swiss, and until half of its rounds. "
            "Write late_entry = 'none'."
        )


def _wrong_texts(event: Event) -> Iterator[str]:
    """
    Yield what is wrong with texts that pages, feeds, calendars and terminals show.

    Such an event can be read, so that one which was opened before it was refused still can be held.
    """
    texts = [("name", event.name), ("variant", event.variant), ("stand_in", event.stand_in)]
    texts += [(f"prize {number}", prize) for number, prize in enumerate(event.prizes, 1)]
    texts += [(f"the name of stage {number}", stage.name) for number, stage in enumerate(event.stages, 1)]
    if isinstance(event.seeding, tuple):
        texts += [(f"seeding {number}", name) for number, name in enumerate(event.seeding, 1)]
    for what, text in texts:
        if odd := why_odd(text):
            yield f"{what}: {odd}; write one line that can be printed."


def _wrong_sizes(event: Event, rules: Rules) -> Iterator[str]:
    """Yield what is wrong with some numbers of entrants only, because stages are left out with them."""
    wrong = defaultdict[str, list[int]](list)
    for size in range(event.entrants[0], event.entrants[1] + 1):
        legs = legs_of(event, size, rules)
        if not legs:
            wrong["no stage is played. Leave out a condition (when), or allow other numbers of entrants"].append(size)
            continue
        first = event.stages[legs[0].stage]
        if first.deals and first != event.stages[0]:
            reason = "but deals = 'half' needs one before it"
            wrong[f"{first.name!r} is the first stage that is played, {reason}. {WAYS_OUT}"].append(size)
        elif legs[0].entrants < size and event.seeding == "lot":
            takes = (
                f"{first.name!r} is the first stage that is played, and takes {legs[0].entrants}: chance decides who "
            )
            wrong[f"{takes}plays. Write seeding = 'rating', or: {WAYS_OUT}"].append(size)
    for why, sizes in wrong.items():
        yield f"With {spans(sizes)} entrants {why}."


def _unwise(event: Event, rules: Rules, plans: list[Plan], pace: Pace) -> Iterator[str]:
    yield from _unwise_stages(event)
    sides = sides_of(rules)
    fewest, most = plans[0].entrants, plans[-1].entrants
    tables = -(-fewest // sides)
    if event.per_owner > tables:
        yield (
            f"An owner may have {event.per_owner} bots, and with {fewest} entrants there "
            f"{'is 1 table' if tables == 1 else f'are {tables} tables'}: bots of one owner will meet. They could help "
            "each other."
        )
    elif event.per_owner > 1 and any(stage.kind in ("round-robin", "final") for stage in event.stages):
        yield (
            f"An owner may have {event.per_owner} bots. In a whole round robin and in the final they meet, and could "
            "help each other. Write per_owner = 1, or say in the rules that it is forbidden."
        )
    if event.rated:
        yield "rated = true changes nothing: the ladder rates no match of an event. Write rated = false."
    if event.late_entry != "none":
        yield (
            f"late_entry = {event.late_entry!r} changes nothing: on a ladder bots enter until the list of entrants is "
            "final. Write late_entry = 'none'."
        )
    if event.check_in and event.freezes and (event.freezes - event.check_in).total_seconds() < CHECK_IN_SECONDS:
        yield (
            f"Bots check in from {in_utc(event.check_in)} to {in_utc(event.freezes)} only. Who misses that does not "
            f"play: let check_in be at least {CHECK_IN_SECONDS / 60:.0f} minutes before freezes."
        )
    if fewest < sides:
        yield f"With {fewest} entrants a table of {sides} has {counted(sides - fewest, 'stand-in')}."
    for plan in plans:
        last = plan.stages[-1] if plan.stages else None
        if last and last.share < LAST_TABLE and plan.entrants > sides:
            yield (
                f"With {plan.entrants} entrants the last stage, {last.stage!r}, has {last.share:.0%} of the deals. "
                f"With at least {LAST_TABLE:.0%} at one last table the best bot wins more often: end with a final and "
                "deals = 'half'."
            )
        elif last and last.matches > last.rounds and plan.entrants > sides:
            yield (
                f"With {plan.entrants} entrants the last stage, {last.stage!r}, has more than one table. A final of "
                f"the best {sides} with half of the deals finds the best bot more often."
            )
    yield from _too_long(event, rules, plans[-1], most, pace)


def _unwise_stages(event: Event) -> Iterator[str]:
    for stage in event.stages:
        name = f"Stage {stage.name!r}"
        if stage.kind == "swiss" and stage.standings in ("match places", "board places"):
            yield (
                f"{name} is a Swiss ranked by {stage.standings}: the best meet the hardest tables, and lose places for "
                "it. Write standings = 'performance'."
            )
        elif stage.standings == "points":
            yield (f"{name} is ranked by points, which weak opponents give more of. Write standings = 'board places'.")
        if stage.format == "game" and stage.kind == "final":
            yield f"{name} is one game, in one seating: chance decides much of it. Write deals = 'half'."
        if stage.play_off is None:
            yield f"{name} has no play-off: bots that are level at the cut are separated by card points or lot."
        if stage.round_starts and stage.rounds and len(stage.round_starts) != stage.rounds:
            times = len(stage.round_starts)
            yield f"{name} has {stage.rounds} rounds, and round_starts has the times of {times}."
    if event.tie_breaks and event.tie_breaks[-1] != "lot":
        yield "The last tie-break is not lot: bots may share a place, and prizes."
    if len(set(event.tie_breaks)) < len(event.tie_breaks):
        yield "A tie-break is named twice; the second one decides nothing."


def _too_long(event: Event, rules: Rules, plan: Plan, entrants: int, pace: Pace) -> Iterator[str]:
    given = (event.ends - event.starts).total_seconds() / 3600 if event.starts and event.ends else EVENING
    if event.starts and event.starts == event.ends:  # that is wrong in itself
        given = math.inf
    if plan.hours > given:
        takes, there = _differing(plan.hours, given)
        yield (
            f"With {entrants} entrants the event takes about {takes} hours, more than the {there} that "
            "there are. Play fewer boards, allow fewer entrants, or use more workers (--workers, --deal-seconds, "
            "--start-seconds)."
        )
    for stage in event.stages:
        if stage.format == "game" and stage.is_played(entrants):
            hours = _longest_game(stage, rules) / 3600
            if hours > given / 2:
                yield (
                    f"Stage {stage.name!r}: one game of {game_deals(rules)[2]} deals in which all bots use their clock "
                    f"of {stage.clock} takes {hours:.1f} hours. Write a shorter clock, or boards."
                )
        for before, after in pairwise(stage.round_starts):
            room = (after - before).total_seconds() / 3600
            legs = [leg for leg in legs_of(event, entrants, rules) if event.stages[leg.stage] == stage]
            needed = max((leg_hours(leg, rules, pace) / leg.rounds for leg in legs), default=0.0)
            if needed > room:
                takes, after_that = _differing(needed, room)
                yield f"Stage {stage.name!r}: a round takes about {takes} hours; the next starts after {after_that}."
                break


def _differing(hours: float, other: float) -> tuple[str, str]:
    """
    Write two numbers of hours with as many decimals as it takes to see which is more.

    >>> _differing(0.03, 0.02), _differing(5.6, 1.0)
    (('0.03', '0.02'), ('5.6', '1.0'))
    """
    texts = [(f"{hours:.{digits}f}", f"{other:.{digits}f}") for digits in range(1, 9)]
    return next((each for each in texts if each[0] != each[1]), texts[-1])


def _longest_game(stage: Stage, rules: Rules) -> float:
    """Estimate the seconds of a long game in which all bots use all their time."""
    bank, _, increment = stage.clock.partition("+")
    decisions = game_deals(rules)[2] * PLAYS
    return rules.players * (float(bank) + float(increment or 0) * decisions)


ALL_MEET = 16
"""Up to this number of entrants a round robin is recommended; above, rounds without a rematch, then halving."""
LONGEST = 21
"""Rounds of a round robin at most."""
ROUNDS, FIRST_ROUNDS = 3, 0.3
"""Rounds before the first halving, and their share of the deals before the final."""


def recommended_stages(rules: Rules, entrants: int, deals: int) -> tuple[Stage, ...]:
    """
    Give the recommended stages, with about *deals* deals in all, half of them in the final.

    Up to 16 entrants: a round robin, then a final. Above: rounds without a rematch, halving down to one table, and a
    final.
    """
    sides = sides_of(rules)
    filled = -(-entrants // sides) * sides
    tables = filled // sides
    half = max(1, deals // 2 // rules.players)  # boards
    if entrants <= sides:
        return (Stage(name="Final", kind="final", take=sides, format=_format(deals // rules.players)),)
    final = Stage(name="Final", kind="final", take=sides, deals="half")
    if entrants <= ALL_MEET:
        rounds = min(round_robin_rounds(filled, sides), LONGEST)
        own = None if rounds == round_robin_rounds(filled, sides) else rounds
        return (
            Stage(name="Round robin", kind="round-robin", rounds=own, format=_format(half / (rounds * tables))),
            final,
        )
    sizes = [entrants]
    while sizes[-1] > sides:
        sizes.append(max(sides, -(-sizes[-1] // 2)))
    halved = sum(-(-size // sides) for size in sizes[:-1])
    first = FIRST_ROUNDS * half / (ROUNDS * tables)
    second = (1 - FIRST_ROUNDS) * half / halved
    return (
        Stage(name="Rounds", kind="round-robin", rounds=ROUNDS, format=_format(first)),
        Stage(name="Halving", kind="halving", until=sides, format=_format(second), carry=True, standings="performance"),
        final,
    )


def _format(boards: float) -> str:
    """Write the format with that number of boards, or the nearest one that a match can have."""
    return f"boards:{min(max(1, round(boards)), MAX_BOARDS)}"


def recommended_event(rules: Rules, entrants: int, deals: int) -> Event:
    """Give an event with the recommended stages."""
    return Event(
        name="Recommended",
        variant=rules.name,
        entrants=(entrants, entrants),
        stages=recommended_stages(rules, entrants, deals),
    )


def new_file(rules: Rules, entrants: int, deals: int) -> str:
    """
    Write the file of an event in the recommended format.

    Raises:
        UserError: If no event can have that many entrants.
    """
    if not 2 <= entrants <= MAX_ENTRANTS:
        raise UserError(f"An event has 2 to {MAX_ENTRANTS} entrants, not {entrants}.")
    parts = [HEAD.format(variant=json.dumps(rules.name), fewest=min(4, entrants), most=entrants)]
    parts += [_stage_text(stage) for stage in recommended_stages(rules, entrants, deals)]
    return "\n".join(parts)


def _stage_text(stage: Stage) -> str:
    plain = stage.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    return "[[stage]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in plain.items())


HEAD = """\
# An event; docs/events.md explains every field. Check it with: pigpen event check FILE
[event]
name = "My event"
variant = {variant}
entrants = [{fewest}, {most}]       # fewest and most
per_owner = 1
seeding = "lot"            # or "rating", or names in order
# starts = 2026-12-05T19:00:00Z
# ends = 2026-12-05T23:00:00Z
stand_in = "counting"      # the house bot that fills tables; it is never ranked
"""
