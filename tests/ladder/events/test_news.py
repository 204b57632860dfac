"""Messages that follow from the public state of an event."""

from __future__ import annotations

import json

import pytest

from ladder.events.news import EventNews, PublicCourse, ShownTable, news
from ladder.values.webhooks import MessageKind


def kinds(before: PublicCourse, now: PublicCourse) -> list[str]:
    return [each.kind.value for each in news(before, now)]


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        ("", "open", "event.opened"), ("open", "frozen", "event.frozen"), ("frozen", "running", "event.started"),
        ("running", "paused", "event.paused"), ("paused", "running", "event.resumed"),
        ("running", "over", "event.over"), ("over", "running", "event.resumed"),
    ],
)  # fmt: skip
def test_each_new_state_is_a_message(before: str, now: str, kind: str) -> None:
    assert kinds(PublicCourse(before), PublicCourse(now)) == [kind]


def test_nothing_new_is_no_message() -> None:
    course = PublicCourse("running", (0, 0), (1,), (ShownTable(1, 1, 0, 0),))
    assert kinds(course, course) == []


def test_a_round_that_is_drawn_may_begin_a_stage() -> None:
    assert list(news(PublicCourse("running"), PublicCourse("running", (0, 0, 1)))) == [
        EventNews(MessageKind.STAGE_BEGUN, 1),
        EventNews(MessageKind.ROUND_DRAWN, 1),
        EventNews(MessageKind.ROUND_DRAWN, 2),
        EventNews(MessageKind.STAGE_BEGUN, 3),
        EventNews(MessageKind.ROUND_DRAWN, 3),
    ]


def test_results_come_before_what_follows_from_them() -> None:
    before = PublicCourse("running", (0,))
    now = PublicCourse("over", (0,), (1,), (ShownTable(1, 1, 0, 0), ShownTable(1, 2, 0, 0)))
    assert kinds(before, now) == ["event.result_shown", "event.result_shown", "event.round_over", "event.over"]


@pytest.mark.parametrize("again", [ShownTable(1, 1, 1, 0), ShownTable(1, 1, 0, 1)], ids=["played again", "a ruling"])
def test_a_result_that_is_another_one_is_sent_again(again: ShownTable) -> None:
    first, other = ShownTable(1, 1, 0, 0), ShownTable(1, 2, 0, 0)
    found = list(news(PublicCourse("running", shown=(first, other)), PublicCourse("running", shown=(again, other))))
    assert found == [EventNews(MessageKind.RESULT_SHOWN, 1, 1)]


def test_what_was_announced_is_read_as_it_was_written() -> None:
    course = PublicCourse("running", (0, 0, 1), (1, 2), (ShownTable(1, 1, 0, 2), ShownTable(3, 2, 1, 0)))
    assert PublicCourse.read(json.loads(json.dumps(course.plain()))) == course
    assert PublicCourse.read(None) == PublicCourse()
