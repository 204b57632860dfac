"""Counting the move tree: how many sequences of legal choices there are, choice by choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.rules.pairs import action, asked, options

if TYPE_CHECKING:
    from pigpen.rules import Deal
    from tests.rules.naive import NaiveDeal


def engine_counts(deal: Deal, depth: int) -> list[int]:
    """Nodes of the engine's tree at each depth from 1 to *depth*, fewer where it ends before."""
    level, counts = [deal], []
    for _ in range(depth):
        grown = []
        for parent in level:
            for move in options(parent) if not parent.is_over else ():
                child = parent.copy()
                seat = asked(child)
                assert seat is not None
                child.apply(seat, action(child, move))
                grown.append(child)
        if not grown:
            break
        level = grown
        counts.append(len(level))
    return counts


def naive_counts(deal: NaiveDeal, depth: int) -> list[int]:
    """The same of the naive referee's tree."""
    level, counts = [deal], []
    for _ in range(depth):
        grown = []
        for parent in level:
            for move in parent.options() if parent.asked() is not None else ():
                child = parent.copy()
                child.do(move)
                grown.append(child)
        if not grown:
            break
        level = grown
        counts.append(len(level))
    return counts
