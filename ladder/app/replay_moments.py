"""The moments of a recorded deal with what the ladder knows besides: numbers of decisions, and what bots printed."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ladder.values.matches import LONGEST_PRINT, LONGEST_WORDS, ReplayTrick
from ladder.values.text import sanitize
from referee.records.recorded import seats_of
from referee.records.steps import was_asked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.replay.deal_replay import DealReplay
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
