"""A model's opinion of one decision, from what its seat knows: asked of a record as of a table that waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.matches.estimate import BATCHES, FULL, choices, count_choices, estimates
from ladder.matches.house import house_choices
from referee.records.steps import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.matches.estimate import ChoiceEstimate
    from ladder.values.why import Search
    from pigpen.values.view import View


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

    def fields(self, each: ChoiceEstimate) -> dict[str, object]:
        """Give the estimate of a choice, as it is shown."""
        choice = words_of(each.action)[1]
        return {
            "choice": choice,
            "points": round(each.points, 3),
            "points_error": round(each.error, 3),
            "ahead": round(each.ahead, 3),
            "behind": round(each.behind, 3),
            "behind_error": round(each.behind_error, 3),
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
    return Opinion(found, house, count_choices(view), BATCHES * FULL.deals(view, len(found)), FULL.search(view))
