"""A small fixed ladder to look at: its matches were really played, and only the times in it are made up."""

from __future__ import annotations

import functools
import random
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.store import models
from ladder.store.commands.results import record_summary
from tests.ladder import ladders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.results.summary import MatchSummary

OWNERS = {"Trotter": "ada", "Snout": "ben", "Truffle": "cora", "Acorn": "dan", "Mud": "eve"}
THINKING = {"pass": {9: 1}, "lead": {6: 3, 7: 8, 12: 1}, "follow": {5: 10, 6: 20, 7: 9}}
"""By phase and bin: what is made up for each bot and match."""


def a_ladder(session: Session, variant: str = "gongzhu", matches: int = 30) -> dict[str, int]:
    """
    Enter the bots of `OWNERS` and let them play; give each one's version id.

    In the last match one bot is taken over.
    """
    versions = {bot: ladders.enter(session, bot, variant, owner=owner) for bot, owner in OWNERS.items()}
    rng = random.Random(variant)
    for number in range(matches):
        play(session, seats_of(versions, variant, rng), variant, number, sinner=2 if number == matches - 1 else None)
    return versions


def seats_of(versions: dict[str, int], variant: str, rng: random.Random) -> Sequence[int]:
    """Draw the seats, as the numbers of the bots."""
    if variant.endswith("partners"):
        return rng.sample([*versions.values()], 2) * 2
    return rng.sample([*versions.values()], 5 if variant.endswith("five") else 4)


def play(session: Session, versions: Sequence[int], variant: str, number: int, sinner: int | None = None) -> int:
    """Play a match and record it; give its id."""
    seed = str(number % 10)
    match = ladders.queue(session, versions, variant, seed)
    attempt = ladders.lease(session, match)
    assert record_summary(session, match, attempt, summary_of(variant, seed, sinner), ladders.NOW + 60 * number)
    return match


@functools.cache
def summary_of(variant: str, seed: str, sinner: int | None = None) -> MatchSummary:
    """Give the summary of a match of sample bots; played once for all tests of a session."""
    return timeless(ladders.summary_of(variant, seed, sinner))


def timeless(summary: MatchSummary) -> MatchSummary:
    """The same, with times that do not depend on the machine."""
    bins = {phase: [counts.get(place, 0) for place in range(22)] for phase, counts in THINKING.items()}
    bots = [replace(bot, timed="cpu", median_ms=0.5, worst_ms=12.25, thinking=bins) for bot in summary.bots]
    return replace(summary, bots=tuple(bots))


def suspend(session: Session, version: int, reason: str, variant: str = "gongzhu") -> None:
    """Suspend a version by hand."""
    entry = session.get_one(models.Rating, (variant, version))
    entry.state, entry.since, entry.reason = models.State.SUSPENDED, ladders.NOW, reason
    session.add(
        models.StateChange(
            variant=variant, version_id=version, at=ladders.NOW, state="suspended", by="ladder", reason=reason
        )
    )
    session.flush()
