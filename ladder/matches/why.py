"""Reasons that a recorded decision was good or costly: its estimate, what the house bots would do, and hindsight."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from ladder.matches.estimate import QUICK, TooManyChoices, estimates, played_out, rounded
from ladder.matches.opinion import opinion_of
from ladder.values.why import OPINIONS, Choice, Why
from referee.records.steps import was_asked, words_of
from referee.replay.deal_replay import decisions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from ladder.matches.estimate import ChoiceEstimate
    from ladder.matches.opinion import Opinion
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.deal_replay import RecordedDecision

CLOSER = 3
"""Candidates for each decision asked for: those that seem most costly at first are estimated with all deals."""


def why_of(decision: RecordedDecision, source: str) -> Why:
    """
    Estimate what each choice of a decision is worth; the same decision gives the same value.

    Args:
        decision: The decision.
        source: The match, as people name it.

    Raises:
        TooManyChoices: If it has too many legal choices to estimate them.
    """
    view, line = decision.view(), decision.line
    opinion = opinion_of(decision.view, decision.seed("estimate"), decision.chosen)
    choices = tuple(_choice(decision, opinion, each) for each in opinion.found)
    done = next(each for each in choices if each.chosen)
    return Why(
        source=source,
        rules=view.rules.name,
        low_is_better=view.rules.low_is_better,
        partners=view.rules.partners,
        place=line.name,
        deal=line.deal + 1,
        board=None if line.board is None else line.board + 1,
        rotation=None if line.rotation is None else line.rotation + 1,
        step=decision.number,
        seat=decision.seat,
        bot=decision.name,
        at=decision.at,
        hand=tuple(map(str, view.hand)),
        on_the_table=tuple(str(play.card) for play in view.trick),
        legal=opinion.legal,
        choices=choices,
        deals=opinion.deals,
        search=opinion.search,
        opinion=OPINIONS[opinion.search],
        chosen=decision.chosen,
        by=decision.step.by,
        cost=done.behind,
        cost_error=done.behind_error,
        scored=line.scores[decision.seat],
        rerun=rerun_line(source, decision.name, line.name),
    )


def unforced(recorded: Recorded, lines: Iterable[DealLine], bots: Collection[int]) -> Iterator[RecordedDecision]:
    """
    Give the decisions with a choice that some bots, by their numbers, were asked for.

    Raises:
        BadRecord: If a deal breaks the rules.
    """
    for line in lines:
        for decision in decisions(recorded, line):
            if decision.bot in bots and was_asked(decision.step.by):
                yield decision


def first_cost(decision: RecordedDecision) -> float | None:
    """Estimate with few deals what a decision cost, in points; None where it has too many legal choices."""
    try:
        found = estimates(decision.view(), decision.seed("quick"), QUICK, {decision.chosen})
    except TooManyChoices:
        return None
    return next(each.behind for each in found if words_of(each.action)[1] == decision.chosen)


class FirstLook(NamedTuple):
    """The decisions of some bots in a match, each with what it cost by an estimate with few deals."""

    costs: list[tuple[float, RecordedDecision]]
    not_estimated: int
    """Number of decisions that have too many choices."""

    @property
    def decisions(self) -> int:
        """Number of decisions."""
        return len(self.costs) + self.not_estimated

    def candidates(self, source: str) -> list[tuple[float, RecordedDecision, str]]:
        """Give the candidates that `costliest_of` takes; *source* is the match, as people name it."""
        return [(cost, decision, source) for cost, decision in self.costs]


def first_look(
    recorded: Recorded, lines: Iterable[DealLine], bots: Collection[int], advance: Callable[[], None] = lambda: None
) -> FirstLook:
    """
    Estimate all decisions with a choice that some bots, by their numbers, were asked for, with few deals.

    Args:
        recorded: The match, finished or not.
        lines: Some of its deals.
        bots: The bots.
        advance: Called after each deal.

    Raises:
        BadRecord: If a deal breaks the rules.
    """
    costs, left_out = [], 0
    for line in lines:
        for decision in unforced(recorded, [line], bots):
            cost = first_cost(decision)
            if cost is None:
                left_out += 1
            else:
                costs.append((cost, decision))
        advance()
    return FirstLook(costs, left_out)


def costliest_of(candidates: Iterable[tuple[float, RecordedDecision, str]], worst: int) -> list[Why]:
    """
    Find the most costly decisions: those that seem costly at first are estimated again, with other random numbers.

    Args:
        candidates: What each decision cost at first, and the match that it is from, as people name it.
        worst: Decisions to give at most; only such as cost more than their ± are given.
    """
    costly = [each for each in candidates if each[0] > 0]
    costly = sorted(costly, key=lambda each: -each[0])[: CLOSER * worst]
    closer = (why_of(decision, source) for _, decision, source in costly)
    sure = [each for each in closer if each.cost > each.cost_error]
    return sorted(sure, key=lambda each: -each.cost)[:worst]


def rerun_line(source: str, seat: str, place: str, bot: str = "FOLDER") -> str:
    """
    Give the command that puts the questions of one deal to another version of a bot.

    >>> rerun_line("17", "Trotter", "board 3, rotation 1")
    'pigpen rerun 17 Trotter FOLDER --board 3 --rotation 1'

    Args:
        source: The match, as people name it.
        seat: The bot in the record, by its name or number.
        place: The name of the deal.
        bot: The other version, as it is named on this machine; by default a word in the place of its folder.
    """
    where = [word for part in place.split(", ") for word in f"--{part}".split()]
    return shlex.join(["pigpen", "rerun", source, seat, bot, *where])


def _choice(decision: RecordedDecision, opinion: Opinion, found: ChoiceEstimate) -> Choice:
    as_dealt = played_out(decision.after(found.action), decision.seat, decision.seed("hindsight"))
    fields = {**opinion.fields(found), "as_dealt": rounded(as_dealt)}
    return Choice.model_validate({**fields, "chosen": fields["choice"] == decision.chosen})
