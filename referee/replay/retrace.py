"""A recorded table played again: for each deal, the line that the referee would have written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.records.by import was_asked
from referee.records.difference import compare, expect
from referee.records.errors import RecordDiffers
from referee.records.limits import MAX_SECONDS
from referee.records.lines import DealLine, deal_name, to_json
from referee.records.steps import names_of
from referee.replay.answers import Answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules import Deal, Rules
    from referee.match.formats import Format
    from referee.match.result import Tally
    from referee.replay.dealing import Dealing

Times = tuple[Any, ...]
"""Milliseconds of each step; of CPU time also None."""
MAX_MS = 1000 * MAX_SECONDS
"""The longest time of a step, in milliseconds."""
_NO_STEPS = '"steps":[]'


class Retrace:
    """One table of a recorded match."""

    def __init__(
        self,
        rules: Rules,
        form: Format,
        rotation: int | None,
        dealing: Dealing,
        *,
        has_forced: bool,
        people: frozenset[int] = frozenset(),
    ) -> None:
        """
        Begin before the first deal.

        Args:
            rules: The variant.
            form: The format of the match.
            rotation: Number of the table where there are boards, else None.
            dealing: Says what was dealt.
            has_forced: `MatchLine.has_forced` of the record.
            people: The numbers of those that are people.
        """
        self._rotation = rotation
        self._dealing = dealing
        self._seats: tuple[int, ...] = ()
        self._answers = Answers(rules.players, has_forced=has_forced, people=people)
        self._people = people
        self._game = form.started(rules, lambda _: self._seats)

    @property
    def is_over(self) -> bool:
        """True if all deals have been played here."""
        return self._game.is_over

    @property
    def place(self) -> str:
        """Name of the next deal."""
        return deal_name(self._game.deals, self._rotation)

    def take(self, plain: dict[str, Any], text: bytes, tally: Tally) -> None:
        """
        Play the next deal by its line, and compare the line with what the referee would have written.

        Hands, seats, scores, totals and numbers are found anew; what the bots answered, what was held against them, and
        the times are the line's own. The deal is added to *tally*.

        Args:
            plain: The line as nested dicts and lists.
            text: The same as it stands in the file, without its chain.
            tally: Takes the deal if it is right.

        Raises:
            RecordDiffers: If it cannot have been played like that, or is not written like that; the message says why.
        """
        if self.is_over:
            raise RecordDiffers(f"there is no {self.place} in this match")
        place, number = self.place, self._game.deals
        try:
            expect("deal", plain["deal"], number)
            hands, self._seats = self._dealing.dealt(number, self._rotation, plain)
            names = [names_of(hand) for hand in hands]
            expect("hands", plain["hands"], names)
            expect("seats", plain.get("seats", list(self._seats)), list(self._seats))
            deal = self._next_deal(hands)
            texts = self._answers.play(deal, plain["steps"], self._seats)
            took, cpu, unasked = _times(plain)
            if self._people:
                self._check_people(plain["steps"], cpu, unasked)
            self._game.add(deal)
            scores = deal.scores()
            compare(text, self._written(number, names, texts, scores, took, cpu, unasked))
        except RecordDiffers as error:
            raise RecordDiffers(f"{place}: {error}") from None
        tally.count(self._rotation or 0, number, self._seats, scores, _in_seconds(plain["steps"], took, cpu))

    def _written(
        self,
        number: int,
        hands: list[str],
        steps: list[str],
        scores: tuple[int, ...],
        took: Times,
        cpu: Times,
        unasked: Times,
    ) -> str:
        """Write the line of a deal, its steps given as text."""
        on_board = self._rotation is not None
        line = DealLine.model_construct(
            deal=number,
            board=number if on_board else None,
            rotation=self._rotation,
            seats=self._seats if on_board else None,
            hands=tuple(hands),
            steps=(),
            scores=scores,
            totals=tuple([self._game.totals[bot] for bot in self._seats]),
            took_ms=took,
            cpu_ms=None if cpu.count(None) == len(cpu) else cpu,
            unasked_ms=None if unasked.count(None) == len(unasked) else unasked,
        )
        head, tail = to_json(line).split(_NO_STEPS)
        return f'{head}"steps":[{",".join(steps)}]{tail}'

    def _check_people(self, steps: Sequence[dict[str, Any]], cpu: Times, unasked: Times) -> None:
        for number, step in enumerate(steps):
            if self._seats[step["seat"]] in self._people and (cpu[number], unasked[number]) != (None, None):
                raise RecordDiffers(f"steps[{number}] is a person's, but took CPU time")

    def _next_deal(self, hands: tuple[int, ...]) -> Deal:
        try:
            return self._game.next_deal(hands)
        except ValueError as error:
            raise RecordDiffers(str(error)) from None


def _times(plain: dict[str, Any]) -> tuple[Times, Times, Times]:
    """Give wall and CPU times of each step, and CPU time before it, in milliseconds."""
    steps = plain["steps"]
    took: Times = tuple(plain["took_ms"])
    cpu, unasked = (tuple(plain[key]) if key in plain else (None,) * len(steps) for key in ("cpu_ms", "unasked_ms"))
    _check_times("took_ms", took, len(steps), {float})
    _check_times("cpu_ms", cpu, len(steps), {float, type(None)})
    _check_times("unasked_ms", unasked, len(steps), {float, type(None)})
    for number, step in enumerate(steps):
        if not was_asked(step["by"]) and (took[number] or (cpu[number], unasked[number]) != (None, None)):
            raise RecordDiffers(f"steps[{number}] is by {step['by']}, but took time")
    return took, cpu, unasked


def _in_seconds(steps: Sequence[dict[str, Any]], took: Times, cpu: Times) -> list[tuple[int, str, float, float | None]]:
    return [
        (step["seat"], step["by"], wall / 1000, None if used is None else used / 1000)
        for step, wall, used in zip(steps, took, cpu, strict=True)
    ]


def _check_times(field: str, times: Times, steps: int, kinds: set[type]) -> None:
    if len(times) != steps:
        raise RecordDiffers(f"{field} has {len(times)} times for {steps} steps")
    known = tuple(filter(None, times))
    if not kinds.issuperset(map(type, times)) or min(known, default=0.0) < 0 or max(known, default=0.0) > MAX_MS:
        raise RecordDiffers(f"{field} holds something that is no time in milliseconds")
