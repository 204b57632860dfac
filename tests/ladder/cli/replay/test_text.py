"""A recorded match as plain text. What it should look like lies in `replays/`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len

from ladder.cli.replay.text import match_text, places_text
from ladder.terminal.card_text import happened, spelled
from ladder.terminal.sanitize import folded
from pigpen.rules import PRESETS
from referee.records.lines import MatchLine
from referee.records.recorded import Recorded
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import replayed_deal, view_table
from tests.referee.bots import moon_lines, showy_seats
from tests.referee.recorded import faulty_seats, match_lines
from tests.referee.scripted_seats import WorkingSeat, honest

REPLAYS = Path(__file__).parent / "replays"


def recorded(rules: str, form: str = "deals:1") -> Recorded:
    return Recorded.of(match_lines(rules, form, showy_seats))


def text_of(match: Recorded, bot: int | None = None) -> str:
    return "\n".join(match_text(match, match.deals, bot)) + "\n"


def test_a_deal_with_all_hands_open_reads_like_this() -> None:
    assert text_of(recorded("hearts")) == (REPLAYS / "hearts.txt").read_text()


def test_a_deal_from_one_seat_reads_like_this() -> None:
    assert text_of(recorded("gongzhu-sale"), 1) == (REPLAYS / "sale_as_1.txt").read_text()


@pytest.mark.parametrize("rules", PRESETS)
def test_every_variant_can_be_told_from_every_seat(rules: str) -> None:
    match = recorded(rules, "boards:1")
    for bot in (None, *range(PRESETS[rules].players)):
        text = text_of(match, bot)
        for line in match.deals:
            assert f"\nBoard 1, rotation {(line.rotation or 0) + 1}" in text
        tricks = [row for row in text.splitlines() if "›" in row]
        assert len(tricks) == PRESETS[rules].hand_size * PRESETS[rules].players
        assert all(row.count("*") == 1 for row in tricks)


def test_a_name_in_wide_letters_is_as_wide_as_it_looks() -> None:
    first, *rest = match_lines("gongzhu", "deals:1", showy_seats)
    assert isinstance(first, MatchLine)
    text = text_of(Recorded.of([first.model_copy(update={"bots": ("猪", "猪猪", *first.bots[2:])}), *rest]))
    one, two, three = text.splitlines()[3:6]
    assert [cell_len(row.partition("♠")[0]) for row in (one, two, three)] == [10, 10, 10]


def test_a_bot_is_followed_to_its_seats() -> None:
    match = recorded("hearts", "boards:1")
    parts = text_of(match, 2).split("\nBoard ")[1:]
    for part, line in zip(parts, match.deals, strict=True):
        assert line.seats is not None
        assert part.splitlines()[1].split()[:2] == [str(line.seats.index(2)), "bot2"]


def test_a_fault_is_told_with_its_reason_and_a_takeover_once() -> None:
    text = text_of(Recorded.of(match_lines("hearts", "deals:1", faulty_seats)))
    assert text.count("✗ 0 bot0: default:malformed: it cannot be read") == 3
    assert text.count("✗ 1 bot1: default:absent: it did not take its seat within 10 s") == 1
    assert text.count("The default policy plays for 0 bot0.") == 1
    assert text.count("The default policy plays for 1 bot1.") == 1


def test_from_another_seat_nobodys_faults_are_told() -> None:
    match = Recorded.of(match_lines("hearts", "deals:1", faulty_seats))
    assert "✗" not in text_of(match, 2)
    assert "default" not in text_of(match, 2)
    assert text_of(match, 1).count("✗") == 1


def test_the_shooters_choice_is_told() -> None:
    match = Recorded.of(moon_lines())
    assert "0 bot0 has shot the moon: +26 for everybody else." in text_of(match)


def test_an_unfinished_match_says_so() -> None:
    match = Recorded.of(match_lines("hearts", "deals:3")[:-1])
    assert places_text(match) == "The match is not finished: 3 deals so far."


def test_work_before_a_bot_was_asked_is_told() -> None:
    lines = match_lines("hearts", "deals:1", lambda players: [WorkingSeat(honest) for _ in range(players)])
    own = sum(step.by == "bot" and step.play is not None for step in Recorded.of(lines).deals[0].steps)
    assert own > 26
    for match, times in ((Recorded.of(lines), own), (recorded("hearts"), 0)):
        replay = DealReplay(match.rules, match.first, match.deals[0])
        deal, moments = replayed_deal(replay), [view_table(replay, place) for place in range(len(replay.moments))]
        texts = [happened(deal, now, before) for before, now in pairwise(moments)]
        assert sum(" ms, 250.0 ms before it was asked)" in text for text in texts) == times


def test_a_deal_without_passing_says_so() -> None:
    match = recorded("hearts", "deals:4")
    assert [row for row in text_of(match).splitlines() if row.startswith("Deal")] == [
        "Deal 1, 3 cards passed left",
        "Deal 2, 3 cards passed right",
        "Deal 3, 3 cards passed across",
        "Deal 4, no passing",
    ]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_any_terminal_can_print_what_is_folded_for_it(encoding: str) -> None:
    lines = text_of(recorded("gongzhu-sale"), 1).splitlines()
    for line in lines:
        assert len(folded(line, encoding)) == len(line)
        assert folded(line, encoding).encode(encoding) or not line
        assert folded(line, "utf-8") == line
    assert any("Exposed: 0 bot0 AH x4" in folded(line, "ascii") for line in lines)


def test_cards_of_a_record_are_spelled_with_their_signs() -> None:
    assert [spelled(text) for text in ("QS", "TC 2H*", "add", "")] == ["Q♠", "T♣ 2♥*", "add", "nothing"]
