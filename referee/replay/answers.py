"""The steps of recorded deals, played again: who had to act, whether they might, and who decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pigpen.rules import CARDS, RulesError
from referee.records.by import BY_AWAY, BY_BOT, BY_FORCED, BY_TAKEOVER, DEFAULT
from referee.records.errors import RecordDiffers, shortened
from referee.records.lines import Step, to_json
from referee.records.steps import NAMES, kind_and_words, parse_action, words_of
from referee.seats.verdict import Verdict, is_taken_over

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from pigpen.rules import Action, Deal

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
