"""
The rules for bots that keep failing, or make matches void: they are suspended for a while.

A bot fails a match if it was taken over in it. One that took its seat at none of its tables has shown at once that it
does not start, and all others have waited for each of its starts: it is suspended sooner. Nothing else counts: no bad
rating, and no match that was void because the platform failed, for that one has no result.

One match that was void though the platform worked suspends no bot. A fault of the machine concerns all bots alike, so
a bot is suspended only if it is in more such matches than chance explains (`is_behind`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED, NEVER_CAME, CLEAN = "x", "a", "."
FAILINGS = {
    "timeout": "timeouts",
    "illegal": "illegal actions",
    "malformed": "malformed answers",
    "gone": "programs that ended",
    "absent": "seats not taken",
}
"""Words for many faults of each verdict."""
IN_A_ROW = 3
"""Failed matches, one after the other, that suspend a bot."""
WINDOW = 50
"""Number of matches that are looked at, the last ones since the bot last resumed play."""
MAX_FAILED = WINDOW // 10
"""More failed matches than this within the window are too many, also before it is full."""
COOL_DOWN = 3600.0
"""Seconds that the first suspension lasts; each further time takes twice as long."""
LONGEST = 7 * 24 * 3600.0

MIN_VOIDS = 3
"""Fewer void attempts never suspend a bot."""
VOIDS = 50
"""Number of void attempts that are looked at, the last ones; of a bot, those since it last resumed play."""
MAX_CHANCE = 0.001
"""A bot is suspended if the chance is less that one which has nothing to do with it is in as many of them."""


@dataclass(frozen=True)
class Reporter:
    """A worker on another machine: what it reports of a bot is its word, which nothing in a record proves."""

    name: str
    is_alone: bool
    """True if no other worker is connected, which could be asked: then its word counts."""


def after(recent: str, failed: bool, never_came: bool = False) -> str:
    """Give the window after one more match; newest last."""
    return (recent + (NEVER_CAME if never_came else FAILED if failed else CLEAN))[-WINDOW:]


def failures(recent: str) -> int:
    """Count the failed matches in a window."""
    return recent.count(FAILED) + recent.count(NEVER_CAME)


def too_many(recent: str) -> int:
    """
    Count the failed matches for which a bot with this window is suspended; 0: it may play on.

    >>> too_many("..xx"), too_many(".xxx"), too_many("x.x.x.x.x"), too_many("x.x.x.x.x.x"), too_many("..a")
    (0, 3, 0, 6, 1)
    """
    if recent.endswith(NEVER_CAME):
        return 1
    if _in_a_row(recent) >= IN_A_ROW:
        return IN_A_ROW
    failed = failures(recent)
    return failed if failed > MAX_FAILED else 0


def believed(reporters: Sequence[str | None]) -> int:
    """
    Count the failed matches that are believed: of one worker at most as many as all others report.

    >>> believed(["barn"] * 9), believed(["barn", "barn", "sty"]), believed(["barn", "sty", "barn", "sty"])
    (0, 2, 4)
    >>> believed([None, None, "barn"])
    3

    Args:
        reporters: The worker that has played each of them; None: the coordinator's machine, which is always believed.
    """
    count = Counter(reporters)
    of_all = count.total()
    return sum(own if name is None else min(own, of_all - own) for name, own in count.items())


def unconfirmed(reporters: Sequence[str | None]) -> set[str]:
    """
    Name the worker that reports more failed matches of a bot than all others, if one does.

    >>> unconfirmed(["barn", "sty", "barn"]), unconfirmed(["barn", "sty"])
    ({'barn'}, set())
    """
    count = Counter(reporters)
    return {name for name, own in count.items() if name is not None and own > count.total() - own}


def confirmed(recent: str, reporters: Sequence[str | None]) -> int:
    """
    Count the failed matches, from the newest one back, for which a bot is suspended where several workers play.

    >>> confirmed("xxx", ["barn"] * 3), confirmed("xxxx", ["barn", "sty", "sty", "barn"])
    (0, 4)
    >>> confirmed("a", ["barn"]), confirmed("aa", ["sty", "barn"])
    (0, 2)

    Args:
        recent: The bot's window, which has too many of them (`too_many`).
        reporters: The worker that has played each failed match in it, newest first.

    Returns:
        How many; 0: the bot may play on, because too few are believed.
    """
    absences = _in_a_row(recent, NEVER_CAME)
    if believed(reporters[:absences]):
        return absences
    row = _in_a_row(recent)
    if believed(reporters[:row]) >= IN_A_ROW:
        return row
    return len(reporters) if believed(reporters) > MAX_FAILED else 0


def _in_a_row(recent: str, kinds: str = FAILED + NEVER_CAME) -> int:
    return len(recent) - len(recent.rstrip(kinds))


def chance(count: int, of: int, share: float) -> float:
    """
    Compute the chance of at least *count* in *of* tries, each with the chance *share*: a binomial distribution's tail.

    >>> chance(3, 3, 0.5), chance(0, 5, 0.25), round(chance(2, 4, 0.25), 4)
    (0.125, 1.0, 0.2617)
    """
    return sum(comb(of, each) * share**each * (1 - share) ** (of - each) for each in range(count, of + 1))


def is_behind(voids: int, of: int, share: float) -> bool:
    """
    Tell whether a bot is in more void attempts than chance explains.

    >>> is_behind(3, 3, 1 / 20), is_behind(3, 3, 1 / 4), is_behind(5, 5, 1 / 4), is_behind(50, 50, 1.0)
    (True, False, True, False)

    Args:
        voids: Void attempts that it is in.
        of: Void attempts that were looked at.
        share: Its part of all that was played meanwhile: what it would have of the void attempts by chance, 0 to 1.
    """
    return voids >= MIN_VOIDS and chance(voids, of, share) < MAX_CHANCE


def has_mended(recent: str) -> bool:
    """Tell whether the last `WINDOW` matches of a bot are clean, so that earlier suspensions no longer count."""
    return recent == CLEAN * WINDOW


def cool_down(suspensions: int) -> float:
    """
    Give the seconds that a bot is suspended.

    >>> [cool_down(suspensions) / 3600 for suspensions in (1, 2, 3, 8, 9, 500)]
    [1.0, 2.0, 4.0, 128.0, 168.0, 168.0]

    Args:
        suspensions: Times that it was suspended, this one included; 1 or more.
    """
    return min(LONGEST, COOL_DOWN * 2.0 ** min(max(suspensions - 1, 0), 20))


def why(recent: str, failed: list[int], verdict: str, seconds: float) -> str:
    """
    Give the sentence that tells an owner why a bot was suspended.

    Args:
        recent: Its window.
        failed: The numbers of the matches that it failed.
        verdict: What was held against it most often in them.
        seconds: Seconds that it is suspended.
    """
    how = f"{len(failed)} matches in a row" if len(failed) <= _in_a_row(recent) else (
        f"{len(failed)} of its last {len(recent)} matches"
    )  # fmt: skip
    numbers = ", ".join(map(str, failed))
    if len(failed) <= _in_a_row(recent, NEVER_CAME):
        return f"It took its seat at no table (match {numbers}); it plays again after {span(seconds)}."
    return f"It failed {how} ({numbers}), mostly by {FAILINGS[verdict]}; it plays again after {span(seconds)}."


def why_voids(matches: list[int], of: int, seconds: float, lost: bool) -> str:
    """
    Give the sentence that tells an owner that a bot was suspended for void matches.

    Args:
        matches: The numbers of the matches, one for each attempt.
        of: Void attempts that were looked at.
        seconds: Seconds that it is suspended.
        lost: Whether its own container was lost in them.
    """
    numbers = ", ".join(map(str, sorted(set(matches))))
    count = f"{len(matches)} of the last {of} attempts at matches that were void"
    what = "The machine worked, and its container was killed, in" if lost else "The machine worked, and it played, in"
    by_chance = f"more than chance explains (matches {numbers})"
    return f"{what} {count}: {by_chance}. It plays again after {span(seconds)}."


def span(seconds: float) -> str:
    """
    Write a time for people.

    >>> span(3600), span(8 * 3600), span(168 * 3600)
    ('1 hour', '8 hours', '7 days')
    """
    hours = round(seconds / 3600)
    if hours % 24 == 0:
        hours, unit = hours // 24, "day"
    else:
        unit = "hour"
    return counted(hours, unit)
