"""The same board from the same chair: whose points are better, and which decisions differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ladder.values.same_board import BoardDifference, BoardPlay
from referee.records.steps import action_of, kind_and_words, words_of
from referee.replay.deal_replay import decisions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.values.people import ChairKind
    from pigpen.rules import Rules
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.deal_replay import RecordedDecision


class BoardScore(NamedTuple):
    """The points of one person or bot for the board."""

    key: str
    name: str
    kind: ChairKind
    points: int
    you: bool = False
    counts: bool = True


class BoardDeal(NamedTuple):
    """A board as it was played, and the chair that is looked at."""

    recorded: Recorded
    line: DealLine
    chair: int


def ranked(rules: Rules, all_of_them: Sequence[BoardScore]) -> tuple[BoardPlay, ...]:
    """Sort all who have played from that chair, the best one first; equal ones share a place, you first of them."""
    sign = 1 if rules.low_is_better else -1
    keys = [sign * each.points for each in all_of_them]
    order = sorted(range(len(keys)), key=lambda each: (keys[each], not all_of_them[each].you))
    return tuple(
        BoardPlay(**all_of_them[each]._asdict(), place=1 + sum(key < keys[each] for key in keys)) for each in order
    )


def percentile(rules: Rules, yours: int, others: Sequence[int]) -> int | None:
    """
    Give the per cent of *others*, by their points, that you have beaten; equal ones count by half.

    >>> from pigpen.rules import PRESETS
    >>> percentile(PRESETS["hearts"], 3, [0, 3, 10, 26])
    62
    """
    if not others:
        return None
    sign = 1 if rules.low_is_better else -1
    beaten = sum(2 * (sign * yours < sign * each) + (yours == each) for each in others)
    return 50 * beaten // len(others)


def differences(yours: BoardDeal, other: BoardDeal) -> tuple[BoardDifference, ...]:
    """
    Find your decisions where the other one did something else at the same point of the deal, the first one first.

    What the rules forced upon you is no decision; what they forced upon the other one may differ from yours.

    Raises:
        BadRecord: If one of the deals breaks the rules.
    """
    theirs = dict(_by_place(other))
    return tuple(_compared(yours, other, theirs))


def _compared(yours: BoardDeal, other: BoardDeal, theirs: dict[str, int]) -> Iterator[BoardDifference]:
    known = {each.number: each for each in _decisions(other)}
    for mine in _decisions(yours):
        number = theirs.get(mine.at)
        if number is None:
            continue
        words = words_of(action_of(other.line.steps[number - 1]))[1]
        if words != mine.chosen:
            yield BoardDifference(
                at=mine.at,
                step=mine.number,
                other_step=number,
                yours=mine.chosen,
                other=words,
                same_position=_knew(mine) == _knew(known[number]) if number in known else False,
            )


def _decisions(played: BoardDeal) -> Iterator[RecordedDecision]:
    return (each for each in decisions(played.recorded, played.line) if each.seat == played.chair)


def _by_place(played: BoardDeal) -> Iterator[tuple[str, int]]:
    """Yield the number of each step of the chair, by when it was: as `RecordedDecision.at` says it."""
    tricks = 0
    for number, step in enumerate(played.line.steps, 1):
        if step.seat != played.chair:
            continue
        kind, _ = kind_and_words(step)
        tricks += kind == "play"
        yield f"trick {tricks}" if kind == "play" else kind, number


def _knew(decision: RecordedDecision) -> tuple[object, ...]:
    """Give all that the seat knew, without the rules, which are the same."""
    return decision.before.known_to(decision.seat)[1:]
