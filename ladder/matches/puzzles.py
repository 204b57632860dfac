"""Finds puzzles in a record: cards to be played, with a clear gap between the best choice and the others."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ladder.matches.estimate import QUICK, estimates
from ladder.matches.why import unforced, why_of
from ladder.values.why import FoundPuzzle, FoundPuzzles, PuzzlePosition, PuzzleSeat
from pigpen.rules import Face, Phase
from pigpen.rules.scoring import card_points
from referee.records.steps import BY_BOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ladder.matches.estimate import ChoiceEstimate
    from ladder.values.why import Choice, OpenChoice, Why
    from pigpen.rules import Rules
    from pigpen.values.view import View
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.deal_replay import RecordedDecision

MAX_DEALS = 4
"""Deals of a match that are looked at: the same boards come again in each rotation."""
FEWEST_CHOICES = 3
CLOSER = 6
"""Candidates for each puzzle asked for, that are estimated with all deals."""
GAP = 2.5
"""Points in hearts by which all wrong cards are behind at least, each with its whole interval; others in proportion."""
LEVEL = 0.25
"""The share of the gap within which a card is as good as the best one."""
HEARTS_POINTS = 26.0


def puzzles_in(
    recorded: Recorded,
    lines: Sequence[DealLine],
    source: str,
    max_puzzles: int,
    advance: Callable[[int, int], None] = lambda done, steps: None,
) -> FoundPuzzles:
    """
    Find puzzles; the same record gives the same ones.

    Args:
        recorded: A match that is done.
        lines: The deals to look at; of these the first `MAX_DEALS` boards, each in its first rotation.
        source: The match, as people name it.
        max_puzzles: Number of puzzles to give at most, one of each deal.
        advance: Called after each step, with how many are done and how many there are.

    Raises:
        BadRecord: If a deal breaks the rules.
    """
    looked = list(islice((line for line in lines if not line.rotation), MAX_DEALS))
    steps = len(looked) + CLOSER * max_puzzles
    candidates: list[RecordedDecision] = []
    for done, line in enumerate(looked, 1):
        candidates += _candidates(recorded, line)
        advance(done, steps)
    candidates.sort(key=lambda each: each.seed("puzzle"))  # any of them: the widest gaps are the easiest puzzles
    found: dict[str, FoundPuzzle] = {}
    for done, decision in enumerate(candidates[: CLOSER * max_puzzles], len(looked) + 1):
        place = decision.line.name
        puzzle = _puzzle(decision, source) if len(found) < max_puzzles and place not in found else None
        if puzzle:
            found[place] = puzzle
        advance(done, steps)
    return FoundPuzzles(puzzles=tuple(found.values()))


def gap_of(rules: Rules) -> float:
    """
    Give the points that must lie between right and wrong cards, in proportion to what the cards are worth.

    >>> from pigpen.rules import PRESETS
    >>> round(gap_of(PRESETS["hearts"]), 1), round(gap_of(PRESETS["gongzhu"]), 1)
    (2.5, 38.5)
    """
    return GAP * sum(map(abs, rules.plan.points)) / HEARTS_POINTS


def right_of(found: Sequence[OpenChoice], gap: float) -> int:
    """Count the right choices, which come first; 0: it is not clear which those are."""
    right = sum(each.behind <= LEVEL * gap for each in found)
    clear = all(each.behind - each.behind_error >= gap for each in found[right:])
    return right if clear and 2 * right <= len(found) else 0


def position_of(view: View) -> PuzzlePosition:
    """Write down what a seat knows that is to play a card; other seats follow it in the order of play."""
    players, me = view.rules.players, view.seat
    order = [(me + place) % players for place in range(players)]
    open_trick = {play.seat: str(play.card) for play in view.trick}
    played = [play for trick in (*view.tricks, view.trick) for play in trick]
    exposed = {each.card: each.face for each in view.exposures}
    points = card_points(view.rules, [view.taken_mask(seat) for seat in range(players)], exposed)
    return PuzzlePosition(
        variant=view.rules.name,
        trick=len(view.tricks) + 1,
        hand=tuple(map(str, view.hand)),
        legal=tuple(map(str, view.legal)),
        seats=tuple(
            PuzzleSeat(
                points=points[seat],
                cards=view.rules.hand_size - sum(play.seat == seat for play in played),
                exposed=tuple(_exposed(view, seat)),
                played=open_trick.get(seat, ""),
            )
            for seat in order
        ),
        leader=order.index(view.trick[0].seat) if view.trick else 0,
        tricks=tuple(
            tuple(str(next(play.card for play in trick if play.seat == seat)) for seat in order)
            for trick in view.tricks
        ),
        leaders=tuple(order.index(trick[0].seat) for trick in view.tricks),
        winners=tuple(order.index(view.winner(number)) for number in range(len(view.tricks))),
        passed=tuple(map(str, view.passed)),
        received=tuple(map(str, view.received)),
    )


def _candidates(recorded: Recorded, line: DealLine) -> Iterator[RecordedDecision]:
    """Yield the decisions of a deal that may be puzzles by an estimate with few deals."""
    gap = gap_of(recorded.rules)
    for decision in unforced(recorded, [line], range(len(recorded.first.bots))):
        view = decision.view()
        if view.phase is not Phase.PLAY or decision.step.by != BY_BOT or len(view.legal) < FEWEST_CHOICES:
            continue
        found = estimates(view, decision.seed("quick"), QUICK)
        if _is_promising(found, gap):
            yield decision


def _is_promising(found: Sequence[ChoiceEstimate], gap: float) -> bool:
    right = sum(each.behind <= LEVEL * gap for each in found)
    return 2 * right <= len(found) and found[right].behind >= gap


def _puzzle(decision: RecordedDecision, source: str) -> FoundPuzzle | None:
    view, why = decision.view(), why_of(decision, source)
    count = right_of(why.choices, gap_of(view.rules))
    if not count or not _is_a_question(why.choices[:count], why):
        return None
    return FoundPuzzle(position=position_of(view), right=tuple(each.choice for each in why.choices[:count]), why=why)


def _is_a_question(right: Sequence[Choice], why: Why) -> bool:
    """Tell whether at least one of the bots, the one that sat there or a house bot, was wrong."""
    return sum(each.bots for each in right) < sum(each.bots for each in why.choices)


def _exposed(view: View, seat: int) -> Iterator[str]:
    for each in view.exposures:
        if each.seat == seat:
            yield f"{each.card}{'*' * (each.face is Face.DOWN)}"
    yield from ["down"] * view.hidden[seat]
