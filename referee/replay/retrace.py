"""
Retracing of a recorded table: for each deal, the line that the referee would have written.

The steps are played again: who had to act, whether they might, and who decided it. The cards of each seat come from the
match's seed, or, while that is secret, from the record alone.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Protocol

from pigpen.rules import CARDS, Card, RulesError, deal_hands, mask_of
from referee.match.formats import circular_order
from referee.records.difference import compare, expect
from referee.records.framing import MAX_SECONDS, RecordDiffers, shortened
from referee.records.lines import DealLine, Step, deal_name, to_json
from referee.records.steps import (
    BY_AWAY,
    BY_BOT,
    BY_FORCED,
    BY_TAKEOVER,
    DEFAULT,
    NAMES,
    kind_and_words,
    names_of,
    parse_action,
    was_asked,
    words_of,
)
from referee.seats.verdict import Verdict, is_taken_over

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from pigpen.rules import Action, Deal, Rules
    from referee.match.formats import Format
    from referee.match.result import Tally

NUMBERS = dict(zip(NAMES, CARDS, strict=True))
MAX_SEATS = 8


def plain_step(seat: int, kind: str, words: str, by: str) -> str:
    """Write a step that is by the bot or forced: nearly all steps are of that kind."""
    return f'{{"seat":{seat},"{kind}":"{words}","by":"{by}"}}'


PLAYS = {
    by: [[plain_step(seat, "play", name, by) for name in NAMES] for seat in range(MAX_SEATS)]
    for by in (BY_BOT, BY_FORCED)
}
_SEAT_AND_BY = {"seat", "by"}


class Answers:
    """The bots of one table as the referee sees them: their faults, and who has been taken over."""

    def __init__(self, bots: int, *, has_forced: bool, people: Container[int] = ()) -> None:
        """
        Begin before the first deal.

        Args:
            bots: How many bots sit at the table.
            has_forced: `MatchLine.has_forced` of the record.
            people: The numbers of those that are people.
        """
        self._people = people
        self._has_forced = has_forced
        self._faults: list[list[Verdict]] = [[] for _ in range(bots)]
        self._plays_itself = [True] * bots
        """True for each bot that has not been taken over."""

    def play(self, deal: Deal, steps: Sequence[dict[str, Any]], seats: Sequence[int]) -> list[str]:
        """
        Play *deal* to its end, and write each step anew.

        Raises:
            RecordDiffers: If a step is not possible, or some are missing.
        """
        texts: list[str] = []
        try:
            for step in steps:
                card, seat, playable = NUMBERS.get(step.get("play", "")), deal.turn, deal.playable
                is_forced = self._has_forced and not playable & playable - 1
                by = BY_FORCED if is_forced else BY_BOT
                if (
                    card is not None
                    and playable
                    and step["by"] == by
                    and (is_forced or self._plays_itself[seats[seat]])
                ):
                    deal.play(card)
                    texts.append(PLAYS[by][seat][card])
                else:
                    texts.append(self._act(deal, step, seats))
        except (RulesError, RecordDiffers) as error:
            raise RecordDiffers(f"steps[{len(texts)}]: {error}") from None
        if not deal.is_over:
            raise RecordDiffers(f"the deal is not over after {len(steps)} steps")
        return texts

    def _act(self, deal: Deal, plain: dict[str, Any], seats: Sequence[int]) -> str:
        """Do any step but a play of a card by the bot, or forced."""
        if deal.is_over:
            raise RecordDiffers("the deal is over")
        seat = deal.to_act[0]
        if self._has_forced and deal.is_forced(seat):
            if plain["by"] != BY_FORCED:
                by = shortened(str(plain["by"]))
                raise RecordDiffers(f"it is by {by}, but only one action was legal: it should be by {BY_FORCED}")
            return _done(deal, seat, *kind_and_words(Step.model_validate(plain)), BY_FORCED)
        kinds = plain.keys() - _SEAT_AND_BY
        if plain["by"] != BY_BOT or len(kinds) != 1 or not self._plays_itself[seats[seat]]:
            return self._act_by_default(deal, Step.model_validate(plain), seat, seats[seat])
        kind = kinds.pop()
        return _done(deal, seat, kind, plain[kind], BY_BOT)

    def _act_by_default(self, deal: Deal, step: Step, seat: int, bot: int) -> str:
        """Do a step that the bot did not decide, or that no bot can have done."""
        action, verdict = _parsed(*kind_and_words(step)), _verdict_of(step)
        self._decide(step, verdict, bot, is_default=action == deal.default_action(seat))
        deal.apply(seat, action)
        kind, words = words_of(action)
        return to_json(Step.model_validate({"seat": seat, kind: words, "by": step.by, **_fault_fields(step, verdict)}))

    def _decide(self, step: Step, verdict: Verdict | None, bot: int, *, is_default: bool) -> None:
        """Check that *step* can be by whom it says it is by, and count the fault if there is one."""
        if self._plays_itself[bot] == (step.by == BY_TAKEOVER):
            state = "has not" if self._plays_itself[bot] else "has"
            raise RecordDiffers(f"it is by {step.by}, but bot {bot} {state} been taken over by then")
        if step.by == BY_AWAY and bot not in self._people:
            raise RecordDiffers(f"it is by {step.by}, but bot {bot} is no person")
        if verdict and verdict.is_final and bot in self._people:
            raise RecordDiffers(f"it is by {step.by}, but bot {bot} is a person, who is only ever away")
        if verdict and not step.why:
            raise RecordDiffers(f"it is by {step.by}, but does not say why")
        if step.by != BY_BOT and not is_default:
            raise RecordDiffers(f"it is by {step.by}, but not the default action")
        if verdict:
            self._faults[bot].append(verdict)
            self._plays_itself[bot] = bot in self._people or not is_taken_over(self._faults[bot])


def _done(deal: Deal, seat: int, kind: str, words: str, by: str) -> str:
    """Do what a step says, and write it."""
    action = _parsed(kind, words)
    deal.apply(seat, action)
    return plain_step(seat, *words_of(action), by)


def _verdict_of(step: Step) -> Verdict | None:
    """Find what was held against the bot at *step*, if anything was."""
    if step.by in (BY_BOT, BY_TAKEOVER, BY_AWAY):
        return None
    if step.by == BY_FORCED:
        raise RecordDiffers(f"it is by {BY_FORCED}, but the seat had to be asked")
    for verdict in Verdict:
        if step.by == f"{DEFAULT}{verdict}":
            return verdict
    raise RecordDiffers(f"no one decides as {step.by!r}")


def _fault_fields(step: Step, verdict: Verdict | None) -> dict[str, object]:
    """Give the fields of a fault: why, and how the program ended if that is the fault."""
    if verdict is None:
        return {}
    ended = verdict.is_final and step.exit_code is not None and step.oom is not None
    return {"why": step.why, **({"exit_code": step.exit_code, "oom": step.oom} if ended else {})}


def _parsed(kind: str, words: str) -> Action:
    try:
        return parse_action(kind, words)
    except ValueError as error:
        raise RecordDiffers(str(error)) from None


Dealt = tuple[tuple[int, ...], tuple[int, ...]]
"""The hands, a mask per seat, and the number of the bot in each seat."""


class Dealing(Protocol):
    """Says what was dealt."""

    def dealt(self, number: int, rotation: int | None, plain: dict[str, Any]) -> Dealt:
        """
        Give the hands and seats of deal *number* at its table.

        Args:
            number: Of the deal at its table; of the board, if there are boards.
            rotation: Of the board; None in other formats.
            plain: The deal's line as nested dicts and lists.
        """


class SeedDealing:
    """Deals from the match seed, as the referee does."""

    def __init__(self, rules: Rules, seed: bytes) -> None:
        self._identity = tuple(range(rules.players))
        self._hands = functools.lru_cache(1024)(functools.partial(deal_hands, rules, seed))
        self._order = functools.lru_cache(1024)(functools.partial(circular_order, rules, seed))

    def dealt(self, number: int, rotation: int | None, plain: dict[str, Any]) -> Dealt:
        """See `Dealing`."""
        if rotation is None:
            return self._hands(number), self._identity
        order = self._order(number)
        return self._hands(number), order[rotation:] + order[:rotation]


class RecordedDealing:
    """Believes the record, but checks that a board is the same in all its rotations."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._identity = tuple(range(rules.players))
        self._boards: dict[int, Dealt] = {}

    def dealt(self, number: int, rotation: int | None, plain: dict[str, Any]) -> Dealt:
        """
        See `Dealing`.

        Raises:
            RecordDiffers: If there are no such cards or seats, or the board was another one in an earlier rotation.
        """
        hands = tuple(map(_mask, plain["hands"]))
        if rotation is None:
            return hands, self._identity
        seats = tuple(map(int, plain["seats"]))
        order = seats[-rotation:] + seats[:-rotation] if rotation else seats
        if not self._is_order(order):
            raise RecordDiffers(f"seats {list(seats)} are not the bots' seats in rotation {rotation + 1}")
        if self._boards.setdefault(number, (hands, order)) != (hands, order):
            raise RecordDiffers("hands or seats are not those of this board in another rotation")
        return hands, seats

    def _is_order(self, order: tuple[int, ...]) -> bool:
        """Tell whether all bots are there once, from bot 0, partners opposite each other."""
        whole = sorted(order) == list(self._identity) and order[0] == 0
        return whole and (not self._rules.partners or order[2] == 2)


def _mask(hand: str) -> int:
    try:
        return mask_of(map(Card.parse, hand.split()))
    except ValueError as error:
        raise RecordDiffers(f"hands: {error}") from None


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
