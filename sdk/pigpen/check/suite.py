"""All cases of a variant, in the order in which a bot is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.check.edges import EDGES, NO_PASS
from pigpen.check.kinds import kinds, whole_deals
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from pigpen.check.case import Case
    from pigpen.rules import Rules


def cases_of(rules: Rules) -> list[Case]:
    """
    List the cases of *rules*: each kind of question, for presets also difficult hands, and two whole deals.

    >>> from pigpen.check import cases_of
    >>> from pigpen.rules import PRESETS
    >>> [case.name for case in cases_of(PRESETS["gongzhu"])][:3]
    ['expose one card face up', 'expose with every such card in hand, face up', 'open the first trick']

    Each case has a deal of its own, and the numbers of the deals rise as in a match.
    """
    numbers = _Numbers(len(rules.plan.pass_offsets))
    cases = list(kinds(rules, numbers))
    if PRESETS.get(rules.name) == rules:
        cases += [edge.case(rules, numbers(NO_PASS)) for edge in EDGES if rules.name in edge.rules]
    return cases + list(whole_deals(rules, numbers))


class _Numbers:
    """Rising numbers of deals, each in a chosen place of the cycle of passes."""

    def __init__(self, cycle: int) -> None:
        self._cycle = cycle
        self._next = 0

    def __call__(self, place: int) -> int:
        self._next += (place - self._next) % self._cycle
        self._next += 1
        return self._next - 1
