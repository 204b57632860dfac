from __future__ import annotations

from referee.seats.stream_seat import MAX_STREAMS, MAX_UNASKED, Traffic


def test_a_bot_that_answers_every_question_late_never_sends_too_much() -> None:
    traffic = Traffic()
    for _ in range(10 * MAX_UNASKED):
        traffic.question()
    for _ in range(10 * MAX_UNASKED):
        traffic.message()
    assert traffic.excess == ""


def test_a_few_messages_too_many_are_nothing() -> None:
    traffic = Traffic()
    for _ in range(MAX_UNASKED):
        traffic.message()
    assert traffic.excess == ""
    traffic.message()
    assert traffic.excess == "it sent more than 64 messages that were not asked for"


def test_two_answers_to_every_question_are_too_much_in_the_end() -> None:
    traffic = Traffic()
    for _ in range(MAX_UNASKED):
        traffic.question()
        traffic.message()
        traffic.message()
    assert traffic.excess == ""
    traffic.message()
    assert traffic.excess


def test_streams_are_counted_too() -> None:
    traffic = Traffic()
    for _ in range(MAX_STREAMS):
        traffic.stream()
    assert traffic.excess == ""
    traffic.stream()
    assert traffic.excess == "it opened more than 16 streams in one match"
