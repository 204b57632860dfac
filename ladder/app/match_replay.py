"""
A recorded match of the ladder, deal by deal, for pages and programs to show.

Its moments hold what the ladder knows besides: numbers of decisions, and what bots printed.
"""

from __future__ import annotations

import re
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from ladder.app import matches
from ladder.app.bot_logs import printed_in, readable_seats
from ladder.app.matches import RecordedMatch, read_recorded
from ladder.errors import UserError
from ladder.values.accounts import ANONYMOUS
from ladder.values.matches import LONGEST_PRINT, LONGEST_WORDS, DealPlace, DealReplayed, ReplayTrick
from ladder.values.text import sanitize
from referee.records.recorded import BadRecord, seats_of
from referee.records.steps import names_of, was_asked
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import deal_fields, view_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from referee.replay.table_view import TableMoment, TableStep

_LABEL = re.compile(r"\[(\d+)\] ")
"""Before each line of a bot's output the decision at which it was printed."""


def with_decisions(
    replay: DealReplay, moments: Sequence[TableMoment], before: Sequence[int], printed: Mapping[int, str]
) -> tuple[TableMoment, ...]:
    """
    Add to the steps of a deal the numbers of their decisions, and what was printed at them.

    Args:
        replay: The deal.
        moments: Its moments, as they are to be shown; a step whose decider is not known from there gets nothing.
        before: How many decisions each bot had been asked for in this rotation before the deal.
        printed: What bots have printed in this rotation, by their numbers; of those that are left out nothing is shown.
    """
    bots, decisions = seats_of(replay.line), list(before)
    texts = {bot: _by_decision(text) for bot, text in printed.items()}

    def known(shown: TableStep, bot: int) -> TableStep:
        decision = decisions[bot] if shown.by and was_asked(shown.by) else None
        text = texts.get(bot, {}).get(decision or 0, "")
        why = sanitize(shown.why[:LONGEST_WORDS])
        return shown.model_copy(update={"why": why, "decision": decision, "printed": text})

    made = []
    for moment, recorded in zip(moments, replay.moments, strict=True):
        for step, _, _ in recorded.done:
            decisions[bots[step.seat]] += was_asked(step.by)
        made.append(moment.model_copy(update={"steps": tuple(known(step, bots[step.seat]) for step in moment.steps)}))
    return tuple(made)


def tricks(moments: Sequence[TableMoment]) -> tuple[ReplayTrick, ...]:
    """Give every whole trick of a deal."""
    found = []
    for place, (then, now) in enumerate(pairwise(moments), 1):
        if now.winner is None or now.leader is None or now.scores is not None or len(then.cards) == len(now.cards):
            continue
        gain = now.seats[now.winner].points - then.seats[now.winner].points
        found.append(
            ReplayTrick(
                number=now.trick, leader=now.leader, cards=now.cards, winner=now.winner, points=gain, ends=place
            )
        )
    return tuple(found)


def _by_decision(text: str) -> dict[int, str]:
    """Divide what a bot printed by the decision at which it did; what it printed before the first one is left out."""
    found: dict[int, list[str]] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            found.setdefault(int(label[1][:18]), []).append(sanitize(line[label.end() :], spared="\t"))
    return {decision: "\n".join(lines)[:LONGEST_PRINT] for decision, lines in found.items()}


NOTHING_PRINTED: Mapping[int, str] = MappingProxyType({})


def deal_replayed(
    ladder: Ladder, match: int, board: int, rotation: int, seat: int | None = None, viewer: Viewer = ANONYMOUS
) -> DealReplayed:
    """
    Play one deal of a match again.

    Args:
        ladder: The ladder.
        match: The number of the match.
        board: The number of the board, from 1; in a match without boards, of the deal.
        rotation: The number of the board's rotation, from 1; in a match without boards, 1.
        seat: Show what this seat knew, and nothing else; None: all hands.
        viewer: Who asks, and is shown what those bots printed whose output they may read.

    Raises:
        LadderError: If there is no such match.
        UserError: If it has no record, no such deal, or no such seat.
    """
    recorded = read_recorded(matches.record_of(ladder, match))
    place = DealPlace(board=board, rotation=rotation)
    if place not in recorded.where:
        raise UserError(f"Match {match} has no {_named(place, recorded)}; it has {_extent(recorded)}.")
    if seat is not None and seat >= recorded.recorded.rules.players:
        raise UserError(f"Match {match} has no seat {seat}; its seats are 0 to {recorded.recorded.rules.players - 1}.")
    printed = _printed(ladder, match, rotation, viewer)
    try:
        return replayed(recorded, place, seat, match, printed)
    except BadRecord as error:
        raise UserError(f"The record of match {match} cannot be replayed: {error}.") from None


def sees_more(ladder: Ladder, match: int, viewer: Viewer) -> bool:
    """Tell whether a viewer is shown more of a match than the public is."""
    if viewer.name is None or ladder.settings.public_logs:
        return False
    return bool(readable_seats(ladder, viewer, match))


def replayed(
    recorded: RecordedMatch,
    place: DealPlace,
    seat: int | None = None,
    match: int | None = None,
    printed: Mapping[int, str] = NOTHING_PRINTED,
) -> DealReplayed:
    """
    Play one deal of a record again.

    Args:
        recorded: The record.
        place: One of its deals.
        seat: Show what this seat knew, and nothing else; None: all hands.
        match: The number of the match on the ladder, if it is one.
        printed: What bots printed in the rotation of the deal, by their numbers.

    Raises:
        BadRecord: If what was played breaks the rules.
    """
    rules, first = recorded.recorded.rules, recorded.recorded.first
    index = recorded.where[place]
    replay = DealReplay(rules, first, recorded.recorded.deals[index])
    line, seen_from = replay.line, None if seat is None else (seat,)
    moments = [view_table(replay, moment, seen_from) for moment in range(len(replay.moments))]
    places = tuple(recorded.where)
    kinds = ("person" if bot in first.people_numbers else "bot" for bot in seats_of(line))
    return DealReplayed(
        **deal_fields(rules, line.deal, map(sanitize, replay.bots), kinds, seat),
        match=match,
        format=first.format,
        place=place,
        boards=line.board is not None,
        previous=places[index - 1] if index else None,
        next=places[index + 1] if index + 1 < len(places) else None,
        faults=recorded.faults if seat is None else (),
        numbers=seats_of(line),
        hands=tuple(
            names_of(hand) if seat in (None, each) else "" for each, hand in enumerate(replay.moments[0].deal.dealt)
        ),
        moments=with_decisions(replay, moments, recorded.decisions[place], printed),
        tricks=tricks(moments),
    )


def _printed(ladder: Ladder, match: int, rotation: int, viewer: Viewer) -> dict[int, str]:
    """Give what bots printed in a rotation, by their numbers, as far as *viewer* may read it and it is still there."""
    if viewer.name is None and not ladder.settings.public_logs:
        return {}
    readable = readable_seats(ladder, viewer, match)
    try:
        tails = printed_in(ladder, viewer, matches.match(ladder, match)).get(rotation - 1, ()) if readable else ()
    except UserError:
        return {}
    return {number: text for number, text in enumerate(tails) if number in readable}


def _named(place: DealPlace, recorded: RecordedMatch) -> str:
    if recorded.has_boards:
        return f"board {place.board}, rotation {place.rotation}"
    return f"deal {place.board}" if place.rotation == 1 else f"rotation {place.rotation}"


def _extent(recorded: RecordedMatch) -> str:
    last = max(recorded.where, key=lambda place: place.board).board
    if not recorded.has_boards:
        return f"no boards, but the deals 1 to {last}"
    return f"the boards 1 to {last}, rotations 1 to {max(place.rotation for place in recorded.where)}"
