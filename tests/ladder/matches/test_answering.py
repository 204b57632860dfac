"""Questions, answered: the same as what is asked about, on whatever way it came."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ladder.app.computing.asking import hint_question, why_question
from ladder.errors import UserError
from ladder.matches.answering import answer
from ladder.matches.opinion import hint_of
from ladder.matches.why import why_of
from ladder.values.bot_comparison import FoundInRecords
from ladder.values.questions import (
    QUESTIONS,
    BotDeals,
    ComparedMatch,
    CompareQuestion,
    CostliestQuestion,
    Lane,
    RecordDeals,
    lane_of,
)
from ladder.values.why import Hint, Why
from referee.records.file import RecordWriter
from referee.records.recorded import Recorded
from referee.replay.deal_replay import decisions
from tests.ladder.ladders import played
from tests.referee.recorded import write_record

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("few_playouts")


@pytest.mark.parametrize("rules", ["hearts", "gongzhu-sale"])
def test_an_answer_is_that_of_the_decision_itself(rules: str, tmp_path: Path) -> None:
    recorded = Recorded.of(played(rules))
    first, *_, last = decisions(recorded, recorded.deals[0])
    for decision in (first, last):
        question = why_question(recorded, decision.line, decision.number, "17")
        sent = QUESTIONS.validate_json(question.model_dump_json())
        assert Why.model_validate_json(answer(sent, tmp_path)) == why_of(decision, "17")
        hint = hint_question(decision.view())
        timed = replace(decision.view(), bank=3.0, limit=2.0, last_took=1.0, last_cpu=0.5)
        assert hint == hint_question(timed), "the clock is not asked about"
        sent = QUESTIONS.validate_json(hint.model_dump_json())
        assert Hint.model_validate_json(answer(sent, tmp_path)) == hint_of(decision.view())


def test_progress_is_told_for_each_deal_and_what_is_gone_is_refused(tmp_path: Path) -> None:
    lines = played("gongzhu")
    with RecordWriter.create(tmp_path / "record.jsonl") as writer:
        for line in lines:
            writer.write(line)
    deals = RecordDeals(record="record.jsonl", source="17", commitment="")
    question = CostliestQuestion(looks=(BotDeals(deals=deals, bots=(0,)),), worst=1)
    reports: list[tuple[int, int]] = []
    answer(question, tmp_path, lambda *progress: reports.append(progress))
    steps = len(Recorded.of(lines).deals)
    assert reports == [(done + 1, steps) for done in range(steps)]
    assert lane_of(question) is Lane.LONG
    other = BotDeals(deals=deals.model_copy(update={"board": 99}), bots=(0,))
    with pytest.raises(UserError, match="no such deal"):
        answer(CostliestQuestion(looks=(other,), worst=1), tmp_path)


@pytest.mark.parametrize(
    ("where", "lane"),
    [
        ({"deal": 3}, Lane.SHORT),
        ({"board": 2, "rotation": 1}, Lane.SHORT),
        ({"board": 2}, Lane.SHORT),
        ({"rotation": 1}, Lane.LONG),
        ({}, Lane.LONG),
    ],
)
def test_a_deal_or_a_board_does_not_wait_for_whole_matches(where: dict[str, int], lane: Lane) -> None:
    deals = RecordDeals(record="record.jsonl", source="17", commitment="", **where)
    assert lane_of(CostliestQuestion(looks=(BotDeals(deals=deals, bots=(0,)),), worst=1)) is lane


def test_a_comparison_leaves_out_records_that_are_gone_and_keeps_no_short_question_waiting(tmp_path: Path) -> None:
    write_record(tmp_path / "record.jsonl", played("gongzhu"))
    looks = tuple(
        ComparedMatch(deals=RecordDeals(record=name, source=source, commitment=""), bot=0, other=1)
        for name, source in (("gone.jsonl", "18"), ("record.jsonl", "17"))
    )
    question = CompareQuestion(looks=looks)
    found = FoundInRecords.model_validate_json(answer(QUESTIONS.validate_json(question.model_dump_json()), tmp_path))
    assert (found.sources, found.deals) == (("17",), 4)
    assert lane_of(question) is Lane.LONG, "an ask-why waits in the other lane"
