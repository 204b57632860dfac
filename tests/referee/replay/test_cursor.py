"""Stepping through a recorded match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from referee.records.recorded import BadRecord, Deals, Recorded
from referee.replay.deal_replay import Cursor
from tests.referee.recorded import faulty_seats, match_lines

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return Recorded.of(match_lines("hearts", "boards:2"))


def walk(cursor: Cursor, step: Callable[[], bool]) -> list[tuple[int, int]]:
    """The places on the way until there is none further."""
    places = [(cursor.deal, cursor.moment)]
    while step():
        places.append((cursor.deal, cursor.moment))
    return places


def test_card_by_card_one_comes_through_every_moment_of_every_deal_and_back(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    forward = walk(cursor, cursor.forward)
    assert len(forward) == len(set(forward)) > 8 * 52
    assert forward == sorted(forward)
    assert walk(cursor, cursor.back) == forward[::-1]
    assert (cursor.deal, cursor.moment) == (0, 0)


def test_trick_by_trick_one_comes_through_every_stop_and_back(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    forward = walk(cursor, cursor.next_trick)
    assert [moment for deal, moment in forward if deal == 0] == [0, 1, *range(5, 54, 4), 54]
    assert walk(cursor, cursor.previous_trick) == forward[::-1]


def test_from_inside_a_trick_one_goes_to_its_end_or_to_the_end_of_the_one_before(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    cursor.moment = 11
    assert cursor.next_trick()
    assert cursor.moment == 13
    cursor.moment = 11
    assert cursor.previous_trick()
    assert cursor.moment == 9


def test_deal_by_deal_one_comes_to_the_beginning_of_each(recorded: Recorded) -> None:
    cursor = Cursor(recorded, 5)
    cursor.moment = 20
    assert walk(cursor, cursor.next_deal) == [(5, 20), (6, 0), (7, 0)]
    assert walk(cursor, cursor.previous_deal) == [(place, 0) for place in range(7, -1, -1)]
    assert cursor.replay.line == recorded.deals[0]


def test_home_and_end_are_the_cards_as_dealt_and_the_result(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    assert cursor.last()
    assert cursor.replay.is_result(cursor.moment)
    assert not cursor.last()
    assert cursor.first()
    assert cursor.moment == 0
    assert not cursor.first()


def test_the_faults_are_found_one_after_the_other() -> None:
    recorded = Recorded.of(match_lines("hearts", "deals:2", faulty_seats))
    blamed = [step.why for line in recorded.deals for step in line.steps if step.why]
    cursor, found = Cursor(recorded), []
    while cursor.next_fault():
        found += [step.why for step, _, _ in cursor.replay.moments[cursor.moment].done if step.why]
    assert found == blamed
    assert len(found) > 3
    cursor = Cursor(recorded)
    assert cursor.next_fault(1)
    assert not cursor.next_fault(1)
    assert not Cursor(recorded).next_fault(2)


def test_faults_of_later_deals_are_found_from_an_earlier_one(recorded: Recorded) -> None:
    deal = recorded.deals[6]
    steps = (*deal.steps[:9], deal.steps[9].model_copy(update={"why": "as the script says"}), *deal.steps[10:])
    deals = (*recorded.deals[:6], deal.model_copy(update={"steps": steps}), recorded.deals[7])
    cursor = Cursor(Recorded(recorded.first, recorded.rules, Deals.of(deals), None), 2)
    cursor.moment = 50
    assert cursor.next_fault()
    assert (cursor.deal, cursor.moment) == (6, 7)
    assert cursor.replay.line == deals[6]


def test_a_record_that_has_grown_is_taken_up_where_one_is(recorded: Recorded) -> None:
    cursor = Cursor(Recorded(recorded.first, recorded.rules, recorded.deals[4:5], None))
    cursor.moment = 7
    assert not cursor.next_deal()
    cursor.renew(recorded)
    assert recorded.deals[cursor.deal].name == "board 2, rotation 1"
    assert cursor.moment == 7
    assert cursor.next_deal()


def test_another_match_in_the_same_file_is_refused(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    for other in (
        Recorded.of(match_lines("gongzhu", "boards:2")),
        Recorded(recorded.first, recorded.rules, Deals(), None),
    ):
        with pytest.raises(BadRecord, match="it holds another match now"):
            cursor.renew(other)


def test_a_deal_that_breaks_the_rules_is_refused_when_one_comes_to_it(recorded: Recorded) -> None:
    broken = recorded.deals[1].model_copy(update={"steps": recorded.deals[1].steps[1:]})
    cursor = Cursor(Recorded(recorded.first, recorded.rules, Deals.of((recorded.deals[0], broken)), None))
    with pytest.raises(BadRecord, match="board 1, rotation 2: "):
        cursor.next_deal()
    assert cursor.deal == 0
