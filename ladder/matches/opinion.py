"""
Opinions on decisions and boards: the estimates of a model, and the play of house bots.

`opinion_of` is about one decision, from what its seat knows: asked of a record as of a table that waits. `hint_of` is
for an open decision, before it is played: what each choice is worth, from what its seat knows. `analysis_of` is for a
position with all hands open. `house_board` has house
bots play a board, in this process: people's points are compared with theirs.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ladder.matches.estimate import BATCHES, FULL, POLICY, choices, count_choices, estimates, played_out, rounded
from ladder.matches.house import house_bot, house_choices
from ladder.matches.reasons import reasons_of
from ladder.sandbox.bots.bot_source import seat_names
from ladder.values.why import OPINIONS, Analysis, EstimatedChoice, Hint, OpenChoice
from pigpen.rules.shuffle import derived_number
from pigpen.sim.playout import settle
from pigpen.sim.sim_random import SimRandom
from pigpen.values.notices import ClockSetting
from pigpen.values.view import View
from referee.match.formats import MatchSpec
from referee.match.match import Match
from referee.records.steps import names_of, words_of
from referee.seats.seat import InlineSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from ladder.matches.estimate import ChoiceEstimate
    from ladder.values.why import Search
    from pigpen.rules import Action, Rules
    from referee.match.formats import Format
    from referee.records.lines import AnyLine
    from referee.replay.position import Position


@dataclass(frozen=True, slots=True)
class Opinion:
    """The estimate of each choice, and what the house bots would do."""

    found: Sequence[ChoiceEstimate]
    """The best one first; of many only those that did best in a quick first estimate, and all that were chosen."""
    house: Mapping[str, str]
    """The action of each house bot, as a record says it."""
    legal: int
    """Number of legal choices."""
    deals: int
    """Sampled deals in which each choice was tried."""
    search: Search
    """The method by which they were tried."""
    view: View
    """Knowledge of the seat."""

    def fields(self, each: ChoiceEstimate) -> dict[str, object]:
        """Give the estimate of a choice, as it is shown."""
        choice = words_of(each.action)[1]
        return {
            "choice": choice,
            "points": rounded(each.points),
            "points_error": rounded(each.error),
            "ahead": rounded(each.ahead),
            "behind": rounded(each.behind),
            "behind_error": rounded(each.behind_error),
            "reasons": reasons_of(self.view, self.found[0], each),
            "house": tuple(name for name, chosen in self.house.items() if chosen == choice),
        }


def opinion_of(make_view: Callable[[], View], seed: int, chosen: str | None = None) -> Opinion:
    """
    Ask the model and the house bots; the same arguments give the same value.

    Args:
        make_view: Gives what the seat knows, each time as a fresh value.
        seed: Of the random numbers.
        chosen: What was done, as a record says it, if that is known.

    Raises:
        TooManyChoices: If there are too many legal choices to estimate them.
    """
    view = make_view()
    choices(view)  # before the house bots try them all
    house = house_choices(make_view)
    wanted = {*house.values()} if chosen is None else {chosen, *house.values()}
    found = estimates(view, seed, FULL, wanted)
    deals = BATCHES * FULL.deals(view, len(found))
    return Opinion(found, house, count_choices(view), deals, FULL.search(view), view)


def hint_of(view: View) -> Hint:
    """
    Estimate each choice of an open decision, and ask the house bots; the same decision gives the same value.

    Args:
        view: What the seat that is asked knows. Nothing else is looked at.

    Raises:
        TooManyChoices: If it has too many legal choices to estimate them.
    """
    seed = derived_number("why/hint", view.seed.to_bytes(8), view.deal, view.phase, len(view.plays))
    opinion = opinion_of(lambda: replace(view, limit=0.0, bank=0.0), seed)
    return Hint(
        decision=view.decision,
        low_is_better=view.rules.low_is_better,
        partners=view.rules.partners,
        legal=opinion.legal,
        choices=tuple(EstimatedChoice.model_validate(opinion.fields(each)) for each in opinion.found),
        deals=opinion.deals,
        search=opinion.search,
        opinion=OPINIONS[opinion.search],
    )


def analysis_of(position: Position, seat: int) -> Analysis:
    """
    Estimate each choice of a seat in a position, from what it knows, and as the cards lie; the same always.

    Args:
        position: The position.
        seat: A seat that must act there.

    Raises:
        TooManyChoices: If it has too many legal choices to estimate them.
    """
    deal, rules = position.deal(), position.rules

    def seed(purpose: str) -> int:
        """Derive random numbers from what the seat knows alone."""
        known = names_of(deal.hands[seat]).encode() + bytes(deal.plays)
        return derived_number(f"why/analysis/{purpose}", known, deal.number, seat)

    opinion = opinion_of(
        lambda: View(*deal.known_to(seat), totals=(0,) * rules.players, seed=seed("view")), seed("estimate")
    )
    before = deal.copy()
    settle(before, POLICY, SimRandom.of(random.Random(seed("others"))), but=seat)

    def as_dealt(action: Action) -> float:
        after = before.copy()
        after.apply(seat, action)
        return rounded(played_out(after, seat, seed("hindsight")))

    return Analysis(
        seat=seat,
        low_is_better=rules.low_is_better,
        partners=rules.partners,
        legal=opinion.legal,
        choices=tuple(
            OpenChoice.model_validate({**opinion.fields(each), "as_dealt": as_dealt(each.action)})
            for each in opinion.found
        ),
        deals=opinion.deals,
        search=opinion.search,
        opinion=OPINIONS[opinion.search],
    )


PATIENT = ClockSetting(bank=3600.0, increment=60.0, limit=60.0, start_up=60.0)
"""No house bot errs because this machine is busy."""


def house_board(rules: Rules, form: Format, seed: bytes, bots: Sequence[str]) -> list[AnyLine]:
    """
    Let house bots play, and give the lines of the record; not from within an event loop.

    Args:
        rules: The variant.
        form: Which deals; a board takes some 30 ms.
        seed: The match seed.
        bots: The house bots, by their numbers.
    """
    lines: list[AnyLine] = []
    spec = MatchSpec(rules, seat_names(bots), form, PATIENT, seed)

    @asynccontextmanager
    async def open_table(table: int) -> AsyncIterator[list[InlineSeat]]:
        yield [InlineSeat(house_bot(name)) for name in bots]

    asyncio.run(Match(spec, open_table, lines.append).play())
    return lines
