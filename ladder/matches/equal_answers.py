"""
Equal answers: the decisions that several bots have met with equal knowledge, and how often two of them agreed.

The rotations of a board give each seat the same cards, to another bot each time. As long as nothing else has happened
that the seat knows of, its bots face the same decision.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from ladder.ratings.agreement import agreements
from ladder.values.alike import FoundAgreement, FoundAlikeAnswers
from pigpen.rules import Deal
from pigpen.rules.cards import parse_cards
from referee.records.recorded import BadRecord, seats_of
from referee.records.steps import BY_BOT, action_of, kind_and_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ladder.ratings.agreement import Counts, Pair
    from pigpen.rules import Rules
    from referee.records.lines import DealLine, Step
    from referee.records.recorded import Recorded

MANY = 6
"""Choices from which on decisions are of one kind: cards from 6 on."""


MAX_LISTED = 100
"""Pairs that are listed at most."""
UNLIKELY = 0.05
"""Probability below which a pair is listed; of simulated ladders without copies, 5 to 12 % list one."""


class _Answer(NamedTuple):
    bot: int
    kind: str
    words: str


class EqualAnswers:
    """Counts for all pairs of bots; takes records one by one."""

    def __init__(self) -> None:
        self.counts: defaultdict[Pair, Counts] = defaultdict(dict)
        """For each pair that has met equal decisions."""

    def take_all(self, recorded: Recorded, lines: Iterable[DealLine], bots: Sequence[str]) -> None:
        """
        Add the deals of a match; without boards it has no equal decisions.

        Args:
            recorded: The match.
            lines: Its deals.
            bots: What names each bot, by its number in the match.

        Raises:
            BadRecord: If what was played breaks the rules.
        """
        boards: defaultdict[int, list[DealLine]] = defaultdict(list)
        for line in lines:
            if line.board is not None:
                boards[line.board].append(line)
        for rotations in boards.values():
            for answers in equal_decisions(recorded.rules, rotations):
                self._count(answers, bots)

    def found(self, programs: Mapping[str, tuple[str, str]], matches: int) -> FoundAgreement:
        """
        List the pairs that agree more often than chance makes others agree.

        Args:
            programs: Owner and identity of each bot. Pairs that share one are left out: they are known to be alike,
                and say nothing of the chance of others.
            matches: Number of matches taken.
        """
        strangers = {
            pair: counts
            for pair, counts in self.counts.items()
            if all(one != other for one, other in zip(*(programs[each] for each in pair), strict=True))
        }
        found = agreements(strangers)
        alike = [
            FoundAlikeAnswers(
                one=each.pair[0],
                other=each.pair[1],
                decisions=each.decisions,
                equal=each.equal,
                chance=round(each.chance, 4),
                p=each.p,
            )
            for each in found[:MAX_LISTED]
            if each.p <= UNLIKELY
        ]
        return FoundAgreement(matches=matches, pairs=len(found), alike=tuple(alike))

    def _count(self, answers: Iterable[_Answer], bots: Sequence[str]) -> None:
        first: dict[str, _Answer] = {}
        for answer in answers:
            first.setdefault(bots[answer.bot], answer)
        for one, other in combinations(sorted(first), 2):
            kind, is_equal = first[one].kind, first[one].words == first[other].words
            decisions, equal = self.counts[one, other].get(kind, (0, 0))
            self.counts[one, other][kind] = decisions + 1, equal + is_equal


def equal_decisions(rules: Rules, rotations: Sequence[DealLine]) -> Iterator[list[_Answer]]:
    """
    Find the decisions of a board that were met in more than one of its rotations, with all answers.

    A rotation is followed as long as the cards played are those of another one: afterwards no two seats know the same.

    Raises:
        BadRecord: If what was played breaks the rules.
    """
    found: defaultdict[tuple[object, ...], list[_Answer]] = defaultdict(list)
    followed = [_Rotation(rules, line) for line in rotations]
    while len(followed) > 1:
        for rotation in followed:
            for known, answer in rotation.advance():
                found[known].append(answer)
        followed = [each for each in followed if any(each.may_meet(other) for other in followed)]
    yield from (answers for answers in found.values() if len(answers) > 1)


class _Rotation:
    """A rotation of a board, played again step by step."""

    def __init__(self, rules: Rules, line: DealLine) -> None:
        self._line, self._seats = line, seats_of(line)
        self._steps = list(line.steps)
        with _as_bad_record(line):
            self._deal = Deal(rules, [parse_cards(hand.split()) for hand in line.hands], number=line.deal)
        self._plays = b""

    def advance(self) -> list[tuple[tuple[object, ...], _Answer]]:
        """Do what was done at the next moment; give what each bot that chose knew, and its answer."""
        deal, count = self._deal, len(self._deal.to_act)
        now, self._steps = self._steps[:count], self._steps[count:]
        with _as_bad_record(self._line):
            if len(now) < count:
                raise ValueError("it ends in the middle")
            chosen: list[tuple[tuple[object, ...], _Answer]] = [
                (deal.known_to(step.seat)[1:], self._answer(step))
                for step in now
                if step.by == BY_BOT and not deal.is_forced(step.seat)
            ]
            for step in now:
                deal.apply(step.seat, action_of(step))
        self._plays = bytes(deal.plays)
        return chosen

    def may_meet(self, other: _Rotation) -> bool:
        """Tell whether a seat may still know the same in both."""
        if other is self or self._deal.is_over:
            return False
        return self._plays.startswith(other._plays) or other._plays.startswith(self._plays)

    def _answer(self, step: Step) -> _Answer:
        kind, words = kind_and_words(step)
        choices = self._deal.legal_mask(step.seat).bit_count()
        return _Answer(self._seats[step.seat], f"{kind} {min(choices, MANY)}", words)


@contextmanager
def _as_bad_record(line: DealLine) -> Iterator[None]:
    """Raise `BadRecord` for what breaks the rules."""
    try:
        yield
    except (ValueError, IndexError) as error:
        raise BadRecord(f"{line.name}: {error}") from None
