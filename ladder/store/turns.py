"""Fair order of a queue in which several people have entries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

T = TypeVar("T")


def in_turn(waiting: Iterable[T], whose: Callable[[T], str], served: Mapping[str, float]) -> list[T]:
    """
    Sort what waits as it will be taken: people take turns.

    The person served longest ago goes first, and each person's second entry comes after the first ones of all.

    >>> in_turn(["a1", "a2", "b1"], lambda each: each[0], {"a": 5.0})
    ['b1', 'a1', 'a2']

    Args:
        waiting: The oldest first.
        whose: Gives who waits for a thing.
        served: When each of them was served last; people who never were are left out.
    """
    before, rounds = Counter[str](), list[tuple[int, float, int, T]]()
    for place, each in enumerate(waiting):
        rounds.append((before[whose(each)], served.get(whose(each), 0.0), place, each))
        before[whose(each)] += 1
    return [each for *_, each in sorted(rounds, key=lambda one: one[:3])]
