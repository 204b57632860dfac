"""Public events of a match: enough to follow it, and nothing that is hidden."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from ladder.values.live_events import (
    LiveDeal,
    LiveExposed,
    LiveFault,
    LiveMatch,
    LiveMoon,
    LiveOpened,
    LivePassed,
    LivePlayed,
    LiveResult,
    LiveScored,
    to_line,
)
from pigpen.rules import PRESETS
from pigpen.rules.cards import parse_cards
from referee.match.table import bot_seed
from referee.records.lines import DealLine, MatchLine, ResultLine
from tests.ladder.worker.live_events import read, watched
from tests.referee.wires import found
from tests.rules.table import named

if TYPE_CHECKING:
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

SEED = bytes(range(100, 132))
CARD = re.compile(r"[2-9TJQKA][CDHS]\b")
every_preset = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)


def deals_of(lines: list[AnyLine]) -> dict[tuple[int, int], DealLine]:
    return {(line.rotation or 0, line.deal): line for line in lines if isinstance(line, DealLine)}


@every_preset
@pytest.mark.parametrize("public", ["played", "open"])
def test_an_event_reads_as_it_was_meant(rules: Rules, public: str) -> None:
    sent, _ = watched(rules, "boards:1", public)  # type: ignore[arg-type]
    for line, event in zip(sent, read(sent), strict=True):
        if isinstance(event, LiveOpened):
            assert json.loads(to_line(event)) == json.loads(line)
        else:
            assert to_line(event) == line


def test_the_first_event_tells_what_is_played_and_the_last_one_how_it_ended() -> None:
    sent, lines = watched(PRESETS["gongzhu"], "boards:2")
    first, *_, last = read(sent)
    assert isinstance(lines[0], MatchLine)
    assert first == LiveMatch(
        id=1, variant="gongzhu", format="boards:2", bots=("bot0", "bot1", "bot2", "bot3"), tables=4, deals=8,
        commitment=lines[0].commitment, started=lines[0].started, public="played",
    )  # fmt: skip
    assert isinstance(lines[-1], ResultLine)
    assert isinstance(last, LiveResult)
    assert last.places == tuple(each.place for each in lines[-1].results)
    assert last.totals == tuple(each.total for each in lines[-1].results)


@every_preset
def test_every_card_is_told_in_order_and_every_score(rules: Rules) -> None:
    sent, lines = watched(rules, "boards:2", concurrency=3)
    events = read(sent)
    for (table, deal), line in deals_of(lines).items():
        of_deal = [
            each for each in events if (getattr(each, "table", None), getattr(each, "deal", None)) == (table, deal)
        ]
        begun, scored = of_deal[0], next(each for each in of_deal if isinstance(each, LiveScored))
        assert isinstance(begun, LiveDeal)
        assert begun.seats == line.seats
        assert [a + b for a, b in zip(begun.totals, line.scores, strict=True)] == list(line.totals)
        plays = [(each.seat, each.card) for each in of_deal if isinstance(each, LivePlayed)]
        assert plays == [(step.seat, step.play) for step in line.steps if step.play is not None]
        assert (scored.scores, scored.totals) == (line.scores, line.totals)
        assert [type(each) for each in of_deal].count(LivePassed) == any(step.passed is not None for step in line.steps)
        assert [each.choice for each in of_deal if isinstance(each, LiveMoon)] == [
            step.moon for step in line.steps if step.moon is not None
        ]


@every_preset
def test_a_deal_is_opened_with_its_record_once_every_table_has_played_it(rules: Rules) -> None:
    for concurrency in (1, rules.players):
        sent, lines = watched(rules, "boards:2", concurrency=concurrency)
        deals = deals_of(lines)
        scored: list[int] = []
        opened: dict[tuple[int, int], DealLine] = {}
        for event in read(sent):
            if isinstance(event, LiveScored):
                scored.append(event.deal)
            elif isinstance(event, LiveOpened):
                assert scored.count(event.deal) == rules.players
                opened[event.table, event.deal] = event.line
        assert opened == deals


def test_where_there_is_one_table_a_deal_is_opened_when_it_is_over() -> None:
    types = [event.type for event in read(watched(PRESETS["hearts"], "deals:3")[0])]
    assert [types[place + 1] for place, each in enumerate(types) if each == "scored"] == ["opened"] * 3


def test_more_deals_than_find_room_are_not_opened() -> None:
    sent, lines = watched(PRESETS["gongzhu"], "boards:8", max_held=50_000)
    opened = {(each.table, each.deal): each.line for each in read(sent) if isinstance(each, LiveOpened)}
    assert 8 < len(opened) < 32
    assert opened.items() <= deals_of(lines).items()


@every_preset
def test_before_that_no_card_is_named_but_those_that_lie_face_up(rules: Rules) -> None:
    sent, lines = watched(rules, "boards:2", seed=SEED)
    deals = deals_of(lines)
    for line, event in zip(sent, read(sent), strict=True):
        named_cards = CARD.findall(line)
        if isinstance(event, LiveOpened):
            continue
        if isinstance(event, LivePlayed):
            assert named_cards == [event.card]
            assert set(type(event).model_fields) - event.model_fields_set == {"by", "ms"}
        elif isinstance(event, LiveExposed):
            steps = deals[event.table, event.deal].steps
            shown = " ".join(step.expose or "" for step in steps).split()
            assert sorted(named_cards) == sorted(word for word in shown if not word.endswith("*"))
            assert sum(event.hidden) == sum(word.endswith("*") for word in shown)
        else:
            assert named_cards == []
            assert not isinstance(event, LiveFault)


@every_preset
def test_no_hand_is_there_in_another_form_and_no_seed(rules: Rules) -> None:
    sent, lines = watched(rules, "boards:2", seed=SEED)
    sent_bytes = "\n".join(sent).encode()
    assert not found(SEED, sent_bytes)
    for (table, deal), line in deals_of(lines).items():
        for seat in range(rules.players):
            own = bot_seed(SEED, deal, seat, table)
            assert str(own).encode() not in sent_bytes
            assert not found(own.to_bytes(8, "big"), sent_bytes)
        for hand in line.hands:
            mask = parse_cards(hand.split())
            assert str(mask).encode() not in sent_bytes
            assert not found(mask.to_bytes(7, "big"), sent_bytes)


def test_with_open_hands_everything_is_told_at_once() -> None:
    rules = PRESETS["gongzhu-sale"]
    sent, lines = watched(rules, "boards:1", "open")
    events = read(sent)
    for (table, deal), line in deals_of(lines).items():
        of_deal = [
            each for each in events if (getattr(each, "table", None), getattr(each, "deal", None)) == (table, deal)
        ]
        assert isinstance(of_deal[0], LiveDeal)
        assert of_deal[0].hands == line.hands
        exposed = next(each for each in of_deal if isinstance(each, LiveExposed))
        assert sum(card.endswith("*") for cards in exposed.cards for card in cards.split()) == sum(exposed.hidden)
        plays = [(each.by, each.ms) for each in of_deal if isinstance(each, LivePlayed)]
        times = zip(line.steps, line.took_ms, strict=True)
        assert plays == [(step.by, took) for step, took in times if step.play is not None]
        faults = [(each.seat, f"default:{each.verdict}", each.why) for each in of_deal if isinstance(each, LiveFault)]
        assert faults == [(step.seat, step.by, step.why) for step in line.steps if step.by.startswith("default:")]


def test_with_open_hands_passed_cards_are_told() -> None:
    sent, lines = watched(PRESETS["hearts"], "deals:1", "open")
    passed = next(each for each in read(sent) if isinstance(each, LivePassed))
    assert passed.cards == tuple(step.passed for step in deals_of(lines)[0, 0].steps[:4])


def test_the_matches_here_hold_faults_and_face_down_cards() -> None:
    sale = deals_of(watched(PRESETS["gongzhu-sale"], "boards:2")[1]).values()
    assert any("*" in (step.expose or "") for line in sale for step in line.steps)
    events = [event for rules in PRESETS.values() for event in read(watched(rules, "boards:2", "open")[0])]
    assert any(isinstance(event, LiveFault) for event in events)
