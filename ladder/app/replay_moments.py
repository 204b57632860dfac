"""The moments of a recorded deal as values: what `view_table` shows, with who decided and how long that took."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ladder.values.matches import LONGEST_PRINT, LONGEST_WORDS, ReplayMoment, ReplaySeat, ReplayStep, ReplayTrick
from ladder.values.text import sanitize
from pigpen.rules import Face, Suit
from referee.records.recorded import seats_of
from referee.records.steps import NAMES, kind_and_words, was_asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pigpen.rules import Card
    from referee.replay.deal_replay import DealReplay, Moment
    from referee.replay.table_view import LastAction, TableView, ViewedSeat

_LABEL = re.compile(r"\[(\d+)\] ")
"""Before each line of a bot's output the decision at which it was printed."""
LETTERS = {suit: suit.name[0] for suit in Suit}


def moments(
    replay: DealReplay, views: Sequence[TableView], before: Sequence[int], printed: Mapping[int, str]
) -> tuple[ReplayMoment, ...]:
    """
    Make all moments of a deal.

    Args:
        replay: The deal.
        views: What is to be shown of each moment.
        before: How many decisions each bot had been asked for in this rotation before the deal.
        printed: What bots have printed in this rotation, by their numbers; of those that are left out nothing is shown.
    """
    is_open = all(viewed.open for viewed in views[0].seats)
    reader = _StepReader(
        seats_of(replay.line), list(before), {bot: _by_decision(text) for bot, text in printed.items()}
    )
    made, done = [], 0
    for view, moment in zip(views, replay.moments, strict=True):
        events = tuple(reader.read(moment, view.last_actions, done if is_open else None))
        done += len(moment.done)
        made.append(shown_moment(view, events, done if is_open else None))
    return tuple(made)


def tricks(views: Sequence[TableView]) -> tuple[ReplayTrick, ...]:
    """Give every whole trick of a deal."""
    found = []
    for place, (then, now) in enumerate(pairwise(views), 1):
        if now.winner is None or now.scores is not None or len(then.trick) == len(now.trick):
            continue
        gain = now.seats[now.winner].points - then.seats[now.winner].points
        found.append(
            ReplayTrick(
                number=now.number,
                leader=now.trick[0].seat,
                cards=card_words(play.card for play in now.trick),
                winner=now.winner,
                points=gain,
                ends=place,
            )
        )
    return tuple(found)


class _StepReader:
    """Reads steps in order, and counts the decisions of each bot."""

    def __init__(self, bots: Sequence[int], decisions: list[int], printed: Mapping[int, Mapping[int, str]]) -> None:
        self._bots = bots
        self._decisions = decisions
        self._printed = printed

    def read(self, moment: Moment, last_actions: Iterable[LastAction], done: int | None) -> Iterator[ReplayStep]:
        """Give what may be known of the steps of a moment, of which the first is number *done* + 1."""
        known = {each.seat: each for each in last_actions}
        for place, (step, _, cpu) in enumerate(moment.done, 1):
            bot, asked = self._bots[step.seat], was_asked(step.by)
            self._decisions[bot] += asked
            if (seen := known.get(step.seat)) is None:
                continue
            decision = self._decisions[bot] if asked and seen.by else None
            kind, words = kind_and_words(step)
            yield ReplayStep.model_validate(
                {
                    "number": None if done is None else done + place,
                    "seat": step.seat,
                    "kind": kind,
                    "action": words,
                    "by": seen.by,
                    "why": sanitize((seen.why or "")[:LONGEST_WORDS]),
                    "took_ms": _ms(seen.took),
                    "cpu_ms": _ms(cpu) if seen.by else None,
                    "unasked_ms": _ms(seen.unasked),
                    "decision": decision,
                    "printed": self._printed.get(bot, {}).get(decision or 0, ""),
                }
            )


def shown_moment(view: TableView, steps: Sequence[ReplayStep] = (), after: int | None = None) -> ReplayMoment:
    """
    Make a moment of what is to be shown of it.

    Args:
        view: What is shown.
        steps: What has just been done.
        after: How many steps have been done; None where that is not to be known.
    """
    return ReplayMoment.model_validate(
        {
            "after": after,
            "steps": tuple(steps),
            "phase": view.phase.name.lower(),
            "trick": view.number,
            "leader": view.trick[0].seat if view.trick else None,
            "cards": card_words(play.card for play in view.trick),
            "winning": view.winning.seat if view.winning else None,
            "complete": view.winner is not None,
            "seats": tuple(map(_seat, view.seats)),
            "result": view.scores is not None,
        }
    )


def _seat(viewed: ViewedSeat) -> ReplaySeat:
    return ReplaySeat(
        asked=viewed.asked,
        hand=card_words(viewed.hand),
        unknown=viewed.unknown,
        legal=card_words(viewed.legal),
        exposed=" ".join(f"{NAMES[card]}{'*' * (face is Face.DOWN)}" for card, face in viewed.exposed.items()),
        hidden=viewed.hidden,
        voids="".join(LETTERS[suit] for suit in sorted(viewed.voids)),
        passed=card_words(viewed.passed),
        received=card_words(viewed.received),
        taken=card_words(viewed.taken),
        points=viewed.points,
    )


def card_words(cards: Iterable[Card]) -> str:
    """Name cards in their order, with a space between."""
    return " ".join(NAMES[card] for card in cards)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(1000 * seconds, 3)


def _by_decision(text: str) -> dict[int, str]:
    """Divide what a bot printed by the decision at which it did; what it printed before the first one is left out."""
    found: dict[int, list[str]] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            found.setdefault(int(label[1][:18]), []).append(sanitize(line[label.end() :], spared="\t"))
    return {decision: "\n".join(lines)[:LONGEST_PRINT] for decision, lines in found.items()}
