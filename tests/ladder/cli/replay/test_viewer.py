"""A recorded match on a screen, and as plain text. What both should look like lies in `replays/`."""

from __future__ import annotations

import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from rich.cells import cell_len

from ladder.cli.replay.replay_text import match_text, places_text
from ladder.cli.replay.replay_viewer import help_screen, screen
from ladder.terminal.card_text import happened, spelled
from ladder.terminal.sanitize import folded
from ladder.terminal.table_fields import HEIGHT, WIDTH
from pigpen.rules import PRESETS
from referee.records.lines import MatchLine
from referee.records.recorded import Recorded
from referee.records.rules_file import rules_from
from referee.replay.deal_replay import Cursor, DealReplay
from referee.replay.table_view import replayed_deal, view_table
from tests.referee.bots import moon_lines, showy_seats
from tests.referee.recorded import faulty_seats, match_lines
from tests.referee.scripted_seats import WorkingSeat, honest

REPLAYS = Path(__file__).parent / "replays"


def cursor_in(rules: str, moment: int = 0) -> Cursor:
    cursor = Cursor(Recorded.of(match_lines(rules, "deals:1", showy_seats)))
    cursor.moment = moment % len(cursor.replay.moments)
    return cursor


def drawn(cursor: Cursor, seat: int | None = None, width: int = WIDTH, height: int = HEIGHT) -> str:
    """The screen, as if each decision had taken no time."""
    text = "\n".join(line.plain.rstrip() for line in screen(cursor, seat, width, height)) + "\n"
    return re.sub(r"\([0-9.]+ ms\)", "(0.0 ms)", text)


SCREENS = {
    "after the pass": ("hearts", 1, None),
    "in a trick": ("gongzhu", 20, None),
    "from a seat": ("gongzhu-sale", 23, 1),
    "five seats": ("gongzhu-five", 31, None),
    "the result of partners": ("gongzhu-partners", -1, None),
}


@pytest.mark.parametrize(("rules", "moment", "seat"), SCREENS.values(), ids=SCREENS)
def test_a_moment_looks_like_this(rules: str, moment: int, seat: int | None, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.id.replace(" ", "_")
    assert drawn(cursor_in(rules, moment), seat) == (REPLAYS / f"{name}.txt").read_text()


@pytest.mark.parametrize("rules", PRESETS)
def test_every_moment_of_every_variant_fits_from_every_seat(rules: str) -> None:
    cursor = cursor_in(rules)
    for moment in range(len(cursor.replay.moments)):
        cursor.moment = moment
        seats = (None, moment % PRESETS[rules].players)
        ways = [*product(seats, ((WIDTH, HEIGHT), (120, 40), (300, 30)))]
        for seat, (width, height) in (ways[moment % 6], ways[(moment + 1) % 6]):
            lines = screen(cursor, seat, width, height)
            assert HEIGHT - 1 <= len(lines) <= height
            assert max(cell_len(line.plain) for line in lines) <= width


def test_a_name_in_wide_letters_takes_no_room_from_the_points() -> None:
    first, *rest = match_lines("gongzhu", "deals:1", showy_seats)
    assert isinstance(first, MatchLine)
    screens = []
    for name in ("bot", "猪猪的机器人"):
        cursor = Cursor(Recorded.of([first.model_copy(update={"bots": (name, *first.bots[1:])}), *rest]))
        cursor.last()
        screens.append(drawn(cursor).replace(name, ""))
    narrow, wide = (re.findall(r"[-+]?\d+", text) for text in screens)
    assert wide == narrow


def test_a_small_terminal_is_told_what_is_needed_and_still_sees_what_happens() -> None:
    lines = drawn(cursor_in("gongzhu", 2), None, 79, 24).splitlines()
    assert re.findall(r"\d+", lines[0]) == ["80", "24", "79", "24"]
    assert "leads" in lines[1]
    assert len(screen(cursor_in("gongzhu", 2), None, 10, 2)) == 2


def test_the_seat_from_which_one_looks_is_at_the_bottom() -> None:
    for seat in range(4):
        rows = drawn(cursor_in("hearts", 1), seat).splitlines()
        assert f" {seat} bot{seat} 0" in rows[14][20:60]
        assert f" {(seat + 1) % 4} bot" in rows[8][:20]
        assert f" {(seat + 3) % 4} bot" in rows[8][50:]


def test_the_last_result_of_a_finished_match_shows_the_places() -> None:
    assert "\n Points per deal: 1. bot" in drawn(cursor_in("hearts", -1))


def test_what_a_moon_is_worth_is_told() -> None:
    cursor = Cursor(Recorded.of(moon_lines()), 2)
    cursor.last()
    cursor.back()
    assert "bot0 has shot the " in drawn(cursor)
    assert "moon has been shot" in drawn(cursor, 1)


def test_faults_are_marked_with_their_reason_from_the_own_seat_only() -> None:
    cursor = Cursor(Recorded.of(match_lines("hearts", "deals:1", faulty_seats)))
    assert cursor.next_fault(1)
    text = "✗ 1 bot1: default:absent: it did not take its seat within 10 s"
    assert text in drawn(cursor, 1)
    assert "✗ 0 bot0: default:malformed: " in drawn(cursor)
    assert "✗" not in drawn(cursor, 2)


@pytest.mark.parametrize("players", [2, 3, 6, 7, 8])
def test_tables_of_other_sizes_are_drawn_too(players: int) -> None:
    plain = PRESETS["hearts"].to_plain() | {"players": players, "removed": ["2D", "3D", "4D", "5D"][: 52 % players]}
    plain["passing"] = {"cards": 2, "directions": ["left", "none"]}
    cursor = Cursor(Recorded.of(match_lines(rules_from(plain), "deals:1")))
    for moment in range(len(cursor.replay.moments)):
        cursor.moment = moment
        text = drawn(cursor)
        assert all(f" {seat} bot{seat} " in text for seat in range(players))


def test_the_help_fits_and_names_every_key() -> None:
    text = "\n".join(line.plain for line in help_screen(HEIGHT))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert len(text.splitlines()) <= HEIGHT
    for key in ("PgDn", "Home", "End", "]", "f", "v", "q"):
        assert key in text


def test_a_terminal_without_unicode_sees_the_same_picture_in_other_signs() -> None:
    for line in screen(cursor_in("gongzhu-sale", 23), 1, WIDTH, HEIGHT):
        assert folded(line.plain, "ascii").isascii()
        assert len(folded(line.plain, "ascii")) == len(line.plain)


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
    assert text.count("✗ 0 bot0: default:malformed: ") == 3
    assert text.count("✗ 1 bot1: default:absent: ") == 1
    assert text.count("policy plays for 0 bot0.") == 1
    assert text.count("policy plays for 1 bot1.") == 1


def test_from_another_seat_nobodys_faults_are_told() -> None:
    match = Recorded.of(match_lines("hearts", "deals:1", faulty_seats))
    assert "✗" not in text_of(match, 2)
    assert "default" not in text_of(match, 2)
    assert text_of(match, 1).count("✗") == 1


def test_the_shooters_choice_is_told() -> None:
    match = Recorded.of(moon_lines())
    assert "bot0 has shot the " in text_of(match)


def test_an_unfinished_match_says_so() -> None:
    match = Recorded.of(match_lines("hearts", "deals:3")[:-1])
    assert "not finished: 3 deals" in places_text(match)


def test_work_before_a_bot_was_asked_is_told() -> None:
    lines = match_lines("hearts", "deals:1", lambda players: [WorkingSeat(honest) for _ in range(players)])
    own = sum(step.by == "bot" and step.play is not None for step in Recorded.of(lines).deals[0].steps)
    assert own > 26
    for match, times in ((Recorded.of(lines), own), (recorded("hearts"), 0)):
        replay = DealReplay(match.rules, match.first, match.deals[0])
        deal, moments = replayed_deal(replay), [view_table(replay, place) for place in range(len(replay.moments))]
        texts = [happened(deal, now, before) for before, now in pairwise(moments)]
        assert sum(" ms, 250.0 ms before " in text for text in texts) == times


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
