"""Answers what visitors of the site ask: each question is simulated here, in whatever process that may."""

from __future__ import annotations

import base64
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from ladder.errors import UserError
from ladder.matches.choice_costs import ChoiceCosts
from ladder.matches.compared_records import ComparedRecords
from ladder.matches.equal_answers import EqualAnswers
from ladder.matches.estimate import TooManyChoices
from ladder.matches.opinion import analysis_of, hint_of, house_board
from ladder.matches.puzzles import puzzles_in
from ladder.matches.source_prints import keep_prints, resembling
from ladder.matches.style import Styles
from ladder.matches.why import FirstLook, costliest_of, first_look, why_of
from ladder.values.questions import (
    AgreementQuestion,
    AnalysisQuestion,
    ComparedMatch,
    CompareQuestion,
    FoundCostliest,
    HintQuestion,
    HouseQuestion,
    PrintsQuestion,
    PuzzlesQuestion,
    SourcesQuestion,
    StyledMatch,
    StyleQuestion,
    WhyQuestion,
)
from pigpen.v1 import referee_pb2
from pigpen.wire.messages import view_of
from referee.match.formats import Format
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.lines import from_json, to_json
from referee.records.recorded import BadRecord, Recorded
from referee.records.rules_file import rules_from
from referee.replay.deal_replay import NoDecision, decision_at
from referee.replay.position import BETWEEN, Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ladder.values.questions import CostliestQuestion, Question, RecordDeals
    from pigpen.values.view import View
    from referee.records.recorded import Deals

    Advance = Callable[[int, int], None]
    """Takes how many steps are done, and how many there are."""

Look = TypeVar("Look", ComparedMatch, StyledMatch)


def answer(question: Question, folder: Path, advance: Advance = lambda done, steps: None) -> str:
    """
    Simulate, and give the answer as JSON, or as lines of a record; not from within an event loop.

    Args:
        question: What is asked. The same question has the same answer.
        folder: The ladder's, in which its records are, and sources; fingerprints are written there.
        advance: Called after each step of what takes long.

    Raises:
        RecordError: If a record cannot be read.
        UserError: If what is asked for is not there, or cannot be estimated.
    """
    try:
        if isinstance(question, WhyQuestion):
            return _why(question)
        if isinstance(question, HintQuestion):
            return hint_of(_view(question)).model_dump_json()
        if isinstance(question, AnalysisQuestion):
            return _analysis(question)
        if isinstance(question, HouseQuestion):
            return _house(question)
        if isinstance(question, CompareQuestion):
            return _compared(question, folder, advance)
        if isinstance(question, StyleQuestion):
            return _style(question, folder, advance)
        if isinstance(question, PuzzlesQuestion):
            return _puzzles(question, folder, advance)
        if isinstance(question, AgreementQuestion):
            return _agreement(question, folder, advance)
        if isinstance(question, PrintsQuestion):
            return keep_prints(folder, question.identity).model_dump_json()
        if isinstance(question, SourcesQuestion):
            return resembling(folder, question.programs).model_dump_json()
        return _costliest(question, folder, advance)
    except (BadRecord, NoDecision, TooManyChoices) as error:
        raise UserError(f"There is no estimate: {error}.") from None


def _view(question: HintQuestion) -> View:
    message = referee_pb2.RefereeMessage.FromString(base64.b64decode(question.request))
    return view_of(message.request, rules_from(question.rules))


def _why(question: WhyQuestion) -> str:
    recorded = Recorded.of(map(from_json, question.lines))
    return why_of(decision_at(recorded, recorded.deals[0], question.step), question.source).model_dump_json()


def _analysis(question: AnalysisQuestion) -> str:
    rules, hands = rules_from(question.rules), question.hands.split(BETWEEN)
    position = Position.parse(rules, hands, question.moves, question.number, question.leader)
    return analysis_of(position, question.seat).model_dump_json()


def _costliest(question: CostliestQuestion, folder: Path, advance: Advance) -> str:
    read = [(*_read(look.deals, folder), look) for look in question.looks]
    steps, done, found = sum(len(lines) for _, lines, _ in read), 0, list[tuple[FirstLook, str]]()
    for recorded, lines, look in read:
        for line in lines:
            found.append((first_look(recorded, [line], set(look.bots)), look.deals.source))
            done += 1
            advance(done, steps)
    candidates = [each for look, source in found for each in look.candidates(source)]
    return FoundCostliest(
        sources=tuple(look.deals.source for look in question.looks),
        decisions=sum(look.decisions for look, _ in found),
        not_estimated=sum(look.not_estimated for look, _ in found),
        costliest=tuple(costliest_of(candidates, question.worst)),
    ).model_dump_json()


def _compared(question: CompareQuestion, folder: Path, advance: Advance) -> str:
    found = ComparedRecords()
    for recorded, lines, look in _readable(question.looks, folder, advance):
        found.take_all(recorded, lines, look.deals.source, look.bot, look.other)
    return found.found().model_dump_json()


def _style(question: StyleQuestion, folder: Path, advance: Advance) -> str:
    found, costs, half = Styles(), ChoiceCosts(question.bot), len(question.looks)
    for recorded, lines, look in _readable(question.looks, folder, lambda done, _: advance(done, 2 * half)):
        found.take_all(recorded, lines, look.deals.source, look.bots)
        costs.take_all(recorded, lines, look.deals.source, look.bots)
    estimated = costs.found(lambda done, steps: advance(half + half * done // steps, 2 * half))
    return found.found(question.bot, estimated).model_dump_json()


def _readable(looks: Sequence[Look], folder: Path, advance: Advance) -> Iterator[tuple[Recorded, Deals, Look]]:
    """Read one match after the other; removed since, as old records are, or damaged ones are left out."""
    for done, look in enumerate(looks):
        advance(done, len(looks))
        with suppress(RecordError):
            recorded, lines = _read(look.deals, folder)
            yield recorded, lines, look


def _house(question: HouseQuestion) -> str:
    rules, form = rules_from(question.rules), Format.parse(question.format)
    return "\n".join(map(to_json, house_board(rules, form, bytes.fromhex(question.seed), question.bots)))


def _puzzles(question: PuzzlesQuestion, folder: Path, advance: Advance) -> str:
    recorded, lines = _read(question.deals, folder)
    return puzzles_in(recorded, lines, question.deals.source, question.most, advance).model_dump_json()


def _agreement(question: AgreementQuestion, folder: Path, advance: Advance) -> str:
    found, matches = EqualAnswers(), 0
    for recorded, lines, look in _readable(question.looks, folder, advance):
        found.take_all(recorded, lines, look.bots)
        matches += 1
    return found.found(question.programs, matches).model_dump_json()


def _read(wanted: RecordDeals, folder: Path) -> tuple[Recorded, Deals]:
    recorded = Recorded.of(read_record(folder / wanted.record))
    lines = recorded.deals.where(wanted.deal, wanted.board, wanted.rotation)
    if not lines:
        raise BadRecord("the record has no such deal any more")
    return recorded, lines
