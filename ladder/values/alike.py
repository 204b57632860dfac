"""
Bots of a ladder that resemble each other, for its organisers.

A resemblance is a reason to look, and no verdict: bots may be alike because they play well, or began with the same
lesson. The ladder itself does nothing about it.
"""

from __future__ import annotations

import math

from ladder.values.value import Computing, Value


class LikeBot(Value):
    """A version that plays, or is suspended."""

    bot: str
    version: int
    owner: str


class EqualPrograms(Value):
    """Several bots with exactly one program: the same image, or folders with the same content."""

    identity: str
    """``sha256:`` and 64 hex digits."""
    bots: tuple[LikeBot, ...]


class AlikeAnswers(Value):
    """Two bots of two owners that gave equal answers more often than others do."""

    one: LikeBot
    other: LikeBot
    decisions: int
    """Decisions that both have met with equal knowledge, on the same board."""
    equal: int
    """Number of those with equal answers."""
    chance: float
    """Share of equal answers, 0 to 1, that other pairs of bots have at such decisions."""
    p: float
    """Probability that any pair of this variant agrees as often by chance: by Student's distribution, times the
    number of pairs."""


class AlikeSources(Value):
    """Two programs of different owners whose sources resemble each other."""

    one: tuple[LikeBot, ...]
    """The bots with the first program."""
    other: tuple[LikeBot, ...]
    shared: int
    """Fingerprints that both have; what is shipped for bots to begin with does not count."""
    one_prints: int
    """All fingerprints of the first program that count."""
    other_prints: int


class AlikeBots(Value):
    """Bots that resemble each other."""

    equal: tuple[EqualPrograms, ...]
    variant: str | None
    """The variant in which answers were compared; None: the ladder has none."""
    variants: tuple[str, ...]
    matches: int
    """Number of the newest matches that were read."""
    pairs: int
    """Number of pairs that have met enough equal decisions."""
    answers: tuple[AlikeAnswers, ...]
    """The least likely pair first."""
    answers_computing: Computing | None
    """Progress of a newer list; None: this is the newest one."""
    answers_refused: str
    """Reason that answers could not be compared, in a sentence; empty: they were."""
    programs: int
    """Number of programs whose sources were compared."""
    waiting: int
    """Number of programs whose sources are to be fingerprinted."""
    unknown: int
    """Number of programs whose sources the ladder does not have: images, and bots that were entered before it kept
    fingerprints."""
    sources: tuple[AlikeSources, ...]
    """Those that share most of the smaller program first."""
    sources_computing: Computing | None
    sources_refused: str
    """As for answers."""


LEAST_CHANCE = 1_000_000
"""Beyond it a distribution says nothing exact."""


def one_in(p: float) -> int:
    """
    Put a probability as "one in a number", with one digit that counts; `LEAST_CHANCE` also stands for all below it.

    >>> [one_in(p) for p in (0.04, 0.0003, 0.0000027, 0.0)]
    [20, 3000, 300000, 1000000]
    """
    if p * LEAST_CHANCE <= 1:
        return LEAST_CHANCE
    number = 1 / p
    unit: int = 10 ** math.floor(math.log10(number))
    return math.floor(number / unit) * unit


class FoundAlikeAnswers(Value):
    """A pair in a `FoundAgreement`, by what names its bots there; the fields are those of `AlikeAnswers`."""

    one: str
    other: str
    decisions: int
    equal: int
    chance: float
    p: float


class FoundAgreement(Value):
    """The answer to an `AgreementQuestion`."""

    matches: int
    pairs: int
    alike: tuple[FoundAlikeAnswers, ...]


class FoundPrints(Value):
    """The answer to a `PrintsQuestion`; the fingerprints themselves are in the ladder's folder."""

    prints: int


class FoundAlikeSources(Value):
    """Two programs in a `FoundSources`, by identity; the other fields are those of `AlikeSources`."""

    one: str
    other: str
    shared: int
    one_prints: int
    other_prints: int


class FoundSources(Value):
    """The answer to a `SourcesQuestion`."""

    programs: int
    alike: tuple[FoundAlikeSources, ...]
