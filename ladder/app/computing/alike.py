"""
Bots that resemble each other: equal programs, equal answers, and sources that share much.

Equal programs are known at once. The process that computes compares answers in the records of the newest matches, and
the fingerprints of sources. The ladder itself puts each program that is to be fingerprinted into the queue.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ladder.app.computing.asking import NoAnswer, known_answer, new_question
from ladder.app.computing.comparing import looks_at
from ladder.entry.policy import Act, check
from ladder.errors import TooOften
from ladder.results.kept_sources import SourceFiles
from ladder.store import lookup
from ladder.store.commands.computations import ask
from ladder.store.queries.alike import OwnedVersion, entered_versions, newest_ordinal, owned_versions
from ladder.store.queries.computations import does_wait
from ladder.store.queries.matches import results
from ladder.values.alike import (
    AlikeAnswers,
    AlikeBots,
    AlikeSources,
    EqualPrograms,
    FoundAgreement,
    FoundSources,
    LikeBot,
)
from ladder.values.questions import AgreementQuestion, PrintsQuestion, ProgramOwners, SourcesQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
    from ladder.values.matches import MatchRow
    from ladder.values.questions import Question
    from ladder.values.value import Computing

MAX_MATCHES = 1_000
"""Newest matches of a variant whose answers are compared."""
MAX_DEALS = 64_000
"""Deals of these matches together; reading them takes about a minute of CPU time."""
PARTS = 16
MAX_STEP = 128
"""Answers are compared again once a sixteenth of all results is new, or as many as these if that is fewer."""
ASKER = "alike"
"""The place in the queue that fingerprints take: one of their own, as a visitor's."""


class _Known(NamedTuple):
    """The newest answer to a question, as JSON, the progress of the next one, or why there is none."""

    answer: str | None = None
    computing: Computing | None = None
    refused: str = ""


class _Answers(NamedTuple):
    found: FoundAgreement
    versions: Mapping[str, OwnedVersion]
    known: _Known


def alike_bots(ladder: Ladder, viewer: Viewer, variant: str | None = None, asker: str = "") -> AlikeBots:
    """
    List the bots that resemble each other, as far as that is known; what is not known yet is put into the queue.

    Args:
        ladder: The ladder.
        viewer: Who asks: an organiser.
        variant: Where to compare answers; None: in the oldest variant.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        Forbidden: If the viewer is no organiser.
        LadderError: If there is no such variant.
        TooOften: If too much waits, of this asker or of all.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        variants = lookup.variants(session)
        if variant is not None:
            variant = lookup.find_variant(session, variant).name
        entered = entered_versions(session)
    variant = variant or next(iter(variants), None)
    programs = _by_identity(entered)
    answers = _answers(ladder, variant, asker) if variant else _Answers(NO_ANSWERS, {}, _Known())
    files = SourceFiles(ladder.settings.data_dir)
    kept, waiting = set(files.fingerprinted()), set(files.waiting())
    sources, known = _sources(ladder, {each: programs[each] for each in programs if each in kept}, asker)
    return AlikeBots(
        equal=tuple(_equal(programs)),
        variant=variant,
        variants=tuple(variants),
        matches=answers.found.matches,
        pairs=answers.found.pairs,
        answers=tuple(_alike_answers(answers, {each.id for each in entered})),
        answers_computing=answers.known.computing,
        answers_refused=answers.known.refused,
        programs=sources.programs,
        waiting=len(programs.keys() & waiting - kept),
        unknown=len(programs.keys() - waiting - kept),
        sources=tuple(_alike_sources(sources, programs)),
        sources_computing=known.computing,
        sources_refused=known.refused,
    )


NO_ANSWERS = FoundAgreement(matches=0, pairs=0, alike=())
NO_SOURCES = FoundSources(programs=0, alike=())


def _by_identity(versions: Iterable[OwnedVersion]) -> dict[str, list[OwnedVersion]]:
    programs: dict[str, list[OwnedVersion]] = {}
    for each in versions:
        programs.setdefault(each.identity, []).append(each)
    return programs


def _equal(programs: Mapping[str, Sequence[OwnedVersion]]) -> list[EqualPrograms]:
    found = [
        EqualPrograms(identity=identity, bots=_bots(versions))
        for identity, versions in programs.items()
        if len({each.bot for each in versions}) > 1
    ]
    return sorted(found, key=lambda each: (-len(each.bots), each.identity))


def _answers(ladder: Ladder, variant: str, asker: str) -> _Answers:
    """Find what is known of equal answers in a variant."""
    with ladder.database.read() as session:
        matches = _within(results(session, MAX_MATCHES, variant, before=_before(newest_ordinal(session))))
        seated = {seat.version_id for match in matches for seat in match.seats}
        versions = {str(each.id): each for each in owned_versions(session, seated)}
    looks = looks_at(ladder, matches)
    if not looks:
        return _Answers(NO_ANSWERS, versions, _Known())
    question = AgreementQuestion(
        looks=looks, programs={name: (each.owner, each.identity) for name, each in versions.items()}
    )
    known = _known(ladder, question, asker, f"agreement: {variant}")
    found = FoundAgreement.model_validate_json(known.answer) if known.answer else NO_ANSWERS
    return _Answers(found, versions, known)


def _known(ladder: Ladder, question: Question, asker: str, name: str) -> _Known:
    """Ask; that one list cannot be made leaves the others."""
    try:
        found = known_answer(ladder, question, asker, name)
    except NoAnswer as error:
        return _Known(refused=str(error))
    return _Known(found.answer, found.computing)


def _before(newest: int) -> int:
    """
    Round the number of results down, so that the question is not another one after each match.

    >>> [_before(newest) - 1 for newest in (0, 5, 31, 33, 100, 1329, 1_000_000)]
    [0, 5, 31, 32, 100, 1280, 999936]
    """
    step = min(MAX_STEP, 1 << max(0, (newest // PARTS).bit_length() - 1))
    return newest // step * step + 1


def _within(matches: Iterable[MatchRow]) -> list[MatchRow]:
    found: list[MatchRow] = []
    deals = 0
    for match in matches:
        deals += match.deals or 0
        if deals > MAX_DEALS:
            break
        found.append(match)
    return found


def _alike_answers(answers: _Answers, entered: set[int]) -> Iterable[AlikeAnswers]:
    """Name the bots; versions that have retired since are left out."""
    for each in answers.found.alike:
        one, other = answers.versions.get(each.one), answers.versions.get(each.other)
        if one and other and {one.id, other.id} <= entered:
            given = each.model_dump(exclude={"one", "other"})
            first, second = _bots([one, other])
            yield AlikeAnswers(one=first, other=second, **given)


def _sources(ladder: Ladder, programs: Mapping[str, Sequence[OwnedVersion]], asker: str) -> tuple[FoundSources, _Known]:
    """Find what is known of the sources of programs whose fingerprints are kept."""
    if len(programs) < 2:
        return FoundSources(programs=len(programs), alike=()), _Known()
    question = SourcesQuestion(
        programs=tuple(
            ProgramOwners(identity=identity, owners=tuple(sorted({each.owner for each in versions})))
            for identity, versions in programs.items()
        )
    )
    known = _known(ladder, question, asker, "sources")
    return FoundSources.model_validate_json(known.answer) if known.answer else NO_SOURCES, known


def _alike_sources(found: FoundSources, programs: Mapping[str, Sequence[OwnedVersion]]) -> Iterable[AlikeSources]:
    for each in found.alike:
        if each.one in programs and each.other in programs:
            given = each.model_dump(exclude={"one", "other"})
            yield AlikeSources(one=_bots(programs[each.one]), other=_bots(programs[each.other]), **given)


def _bots(versions: Iterable[OwnedVersion]) -> tuple[LikeBot, ...]:
    ordered = sorted(versions, key=lambda each: (each.bot, each.number))
    return tuple(LikeBot(bot=each.bot, version=each.number, owner=each.owner) for each in ordered)


class SourceLook:
    """Puts programs that are to be fingerprinted into the queue, one at a time, and each once while it lives."""

    def __init__(self, ladder: Ladder) -> None:
        self._files = SourceFiles(ladder.settings.data_dir)
        self._asked: set[str] = set()

    def look(self, session: Session, now: float) -> None:
        """Put the next one into the queue, unless one waits there; in a transaction that writes."""
        identity = next((each for each in self._files.waiting() if each not in self._asked), None)
        if identity is None or does_wait(session, ASKER):
            return
        with suppress(TooOften):  # then a later look finds the same program
            ask(session, new_question(PrintsQuestion(identity=identity), ASKER), now)
            self._asked.add(identity)
