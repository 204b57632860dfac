"""Messages that follow from the public state of an event."""

from __future__ import annotations

import json
import re

import pytest

from ladder.errors import UserError
from ladder.events.event_file import parse_entrants, parse_event
from ladder.events.held import EventNews, PublicCourse, ShownTable, news
from ladder.values.webhooks import MessageKind
from tests.ladder.events.files import EXAMPLES

EVENT = '[event]\nname = "A"\nvariant = "gongzhu"\nentrants = [4, 16]\n'
STAGE = '[[stage]]\nname = "S"\nkind = "round-robin"\nformat = "boards:4"\n'


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_an_event(path: object) -> None:
    assert parse_event(path.read_text("utf-8")).stages  # type: ignore[attr-defined]


MISTAKES = {
    "not TOML": ("[event", "this is not TOML"),
    "a long number": (EVENT + f"starts = {'9' * 5000}\n" + STAGE, "a number is too long"),
    "a long hexadecimal number": (EVENT + STAGE + f"rounds = 0x{'f' * 5000}\n", "a number is too long"),
    "deep lists": (f"a = {'[' * 5000}", "nested too deep"),
    "no event": (STAGE, r"an event has one \[event\]"),
    "no stage": (EVENT, r"at least one \[\[stage\]\]"),
    "another table": (EVENT + STAGE + "[prizes]\n", "'prizes' is not known"),
    "stages by another name": (EVENT + "stages = []\n" + STAGE, r"write a \[\[stage\]\] for each"),
    "a field that is not there": (EVENT + "colour = 1\n" + STAGE, "event: colour: there is no such field"),
    "a field of a stage": (EVENT + STAGE + "colour = 1\n", "stage 'S': colour: there is no such field"),
    "a missing field": ('[event]\nname = "A"\nentrants = [4, 16]\n' + STAGE, "event: variant: this field is missing"),
    "too few entrants": (EVENT.replace("[4, 16]", "[1, 16]") + STAGE, "from 2 to 200; these are \\[1, 16\\]"),
    "most before fewest": (EVENT.replace("[4, 16]", "[16, 4]") + STAGE, "these are \\[16, 4\\]"),
    "times": (
        EVENT + "opens = 2026-12-05T10:00:00Z\nstarts = 2026-12-04T10:00:00Z\n" + STAGE,
        r"starts \(2026-12-04 10:00 UTC\) is before opens \(2026-12-05 10:00 UTC\)",
    ),
    "times in two zones": (
        EVENT + "opens = 2026-12-20T01:00:00-08:00\nfreezes = 2026-12-20T08:00:00Z\n" + STAGE,
        r"freezes \(2026-12-20 08:00 UTC\) is before opens \(2026-12-20 09:00 UTC\)",
    ),
    "times that differ by seconds": (
        EVENT + "opens = 2026-12-20T01:00:30-08:00\nends = 2026-12-20T09:00:29.5Z\n" + STAGE,
        r"ends \(2026-12-20 09:00:29 UTC\) is before opens \(2026-12-20 09:00:30 UTC\)",
    ),
    "a time without a zone": (EVENT + "starts = 2026-12-04T10:00:00\n" + STAGE, "event: starts: .*timezone"),
    "a year in no time zone": (
        EVENT + "ends = 9999-12-31T23:59:59-23:00\n" + STAGE,
        "event: ends: the year must be from 2 to 9998",
    ),
    "late entry": (EVENT + 'late_entry = "always"\n' + STAGE, "late entry is none"),
    "two stages of a name": (EVENT + STAGE + STAGE, "two stages are named 'S'"),
    "a kind": (EVENT + STAGE.replace("round-robin", "knockout"), "stage 'S': kind"),
    "a format": (EVENT + STAGE.replace("boards:4", "deals:4"), "game or boards:N"),
    "a format without end": (EVENT + STAGE.replace("boards:4", "boards:999999"), "N from 1 to 12499;"),
    "a format that no record could hold": (EVENT + STAGE.replace("boards:4", "boards:12500"), "N from 1 to 12499;"),
    "no format": (EVENT + STAGE.replace('format = "boards:4"\n', ""), "needs a format"),
    "both": (EVENT + STAGE.replace("round-robin", "final") + 'deals = "half"\n', "deals = 'half' or a format"),
    "a clock": (EVENT + STAGE + 'clock = "fast"\n', "'fast' is not a clock"),
    "a Swiss without rounds": (EVENT + STAGE.replace("round-robin", "swiss"), "a swiss stage needs rounds"),
    "a condition": (EVENT + STAGE + 'when = "owners > 3"\n', "entrants >= 24"),
    "of another kind": (EVENT + STAGE + "advance = 2\n", "advance is not for a round-robin stage, only for pods"),
    "a play-off": (EVENT + STAGE + 'play_off = "game"\n', "a play-off is played over boards"),
}


@pytest.mark.parametrize(("text", "sentence"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named(text: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_event(text)
    assert re.search(sentence, str(caught.value)), caught.value


def test_a_condition_is_one_comparison() -> None:
    stage = parse_event(EVENT + STAGE + 'when = "entrants >= 8"\n').stages[0]
    assert [stage.is_played(size) for size in (7, 8, 9)] == [False, True, True]
    stage = parse_event(EVENT + STAGE + 'when = "entrants < 8"\n').stages[0]
    assert [stage.is_played(size) for size in (7, 8)] == [True, False]


def test_entrants_come_from_a_list_or_from_standings() -> None:
    one, two = parse_entrants("name,owner,rating\nTrotter,ada,1520.5\nSnout,bob,\n")
    assert (one.number, one.name, one.owner, one.rating, two.rating) == (1, "Trotter", "ada", 1520.5, None)
    assert parse_entrants("variant,rank,bot,owner,elo\ngongzhu,1,Snout,bob,1600\n")[0].rating == 1600


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Trotter,ada\n", "name the columns"),
        ("name,owner\nTrotter,\n", "entrant 1 has no owner"),
        ("name,owner\nA,a\nA,b\n", "two entrants are named 'A'"),
        ("name,owner,rating\nA,a,good\n", "'good' is not a rating"),
        ("name,owner,rating\nA,a,nan\n", "'nan' is not a rating"),
        ('name,owner\n"A,a\n', "not CSV"),
        ("name,owner\n" + "".join(f"b{n},o\n" for n in range(201)), "at most 200"),
    ],
)
def test_a_mistake_among_the_entrants_is_named(text: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        parse_entrants(text)


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
