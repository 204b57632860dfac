"""Ask why before you play: what each choice of an open decision is worth, from what its seat knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.matches.opinion import opinion_of
from ladder.values.why import OPINIONS, EstimatedChoice, Hint
from pigpen.rules.shuffle import derived_number

if TYPE_CHECKING:
    from pigpen.values.view import View


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
        legal=opinion.legal,
        choices=tuple(EstimatedChoice.model_validate(opinion.fields(each)) for each in opinion.found),
        deals=opinion.deals,
        search=opinion.search,
        opinion=OPINIONS[opinion.search],
    )
