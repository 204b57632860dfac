"""The bridge for programs that read and write lines: the form of lines, and the ways in which a program is wrong."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pigpen import Card, ClockSetting, DealResult, Face, FaultNotice, MatchResult, MoonChoice, View, Welcome
from pigpen import lines as bridge
from pigpen.bot import WrongAnswer, decide, notify
from pigpen.lines import SEED_BITS, LinesBot, Program, answer_in, main, request_line, welcome_line
from pigpen.rules import PRESETS, Deal, Exposure, Phase, deal_hands
from pigpen.wire.messages import MAX_BYTES
from tests.typed import typed

if TYPE_CHECKING:
    from pigpen.rules import Rules

PAGE = (Path(__file__).parents[2] / "docs" / "lines.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"<!-- line: (\w+) -->\n```text\n(.*?)\n```", PAGE, flags=re.DOTALL))
HELLO = "import sys, time; print('{\"protocol\":1}', flush=True); "
HEARTS = PRESETS["hearts"]
RULES = ("--rules", "hearts-short", "--rules", "gongzhu-sale")
"""Two variants that ask every kind of question between them."""


def view_of(deal: Deal, seat: int, **more: Any) -> View:
    given: dict[str, Any] = {"totals": (20, 0, 26, 32), "decision": 15, "seed": 65261, "limit": 1.0, "bank": 58.5}
    return View(*deal.known_to(seat), **given | {"last_took": 0.004, "last_cpu": 0.004} | more)


def deal_of(rules: Rules, plays: int | None = None) -> Deal:
    """A deal at its first question, or as soon as *plays* cards are played."""
    deal = Deal(rules, deal_hands(rules, bytes(32), 1), number=1)
    while plays is not None and (deal.phase is not Phase.PLAY or len(deal.plays) < plays):
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
    return deal


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def program(code: str) -> Program:
    return Program([sys.executable, "-c", code])


def test_the_page_shows_the_lines_as_they_are() -> None:
    assert BLOCKS["play"] == compact(request_line(view_of(deal_of(HEARTS, 6), 3)))
    welcome = Welcome(HEARTS, 2, "boards:16", ClockSetting(60.0, 0.1, 1.0, 30.0))
    assert BLOCKS["welcome"] == compact(welcome_line(welcome))
    sent: list[str] = []

    class Recorder(Program):
        def __init__(self) -> None:
            pass

        def write(self, message: dict[str, Any], what: str = "") -> None:
            sent.append(compact(message))

    bot = LinesBot(Recorder())
    fault = "QS is not legal: it does not follow the suit led"
    notify(bot, DealResult(3, 1, (0, 13, 5, 8), (20, 13, 31, 40)))
    notify(bot, FaultNotice("illegal", fault, 1, takeover=False))
    notify(bot, MatchResult(2, 6.25))
    assert BLOCKS["notices"].splitlines() == sent


def test_the_page_names_every_field_and_no_other() -> None:
    welcome = welcome_line(Welcome(HEARTS, 2, "game", ClockSetting(60.0, 0.1, 1.0, 30.0)))
    for title, fields in (("welcome", welcome), ("request", request_line(view_of(deal_of(HEARTS), 0)))):
        table = PAGE.partition(f"### {title}\n")[2].partition("\n##")[0]
        rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
        named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
        assert ["type", "decision", "phase", *named] == list(fields) or ["type", *named] == list(fields)


def test_the_rules_are_those_that_the_command_prints(tmp_path: Path) -> None:
    for name, rules in PRESETS.items():
        line = welcome_line(Welcome(rules, 0, "game", ClockSetting(60.0, 0.1, 1.0, 30.0)))
        assert compact(json.loads(typed("rules", name, "--json", folder=tmp_path).out)) == compact(line["rules"])


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("plays", [None, 0, 9])
def test_a_line_can_be_read_without_a_json_library(rules: Rules, plays: int | None) -> None:
    deal = deal_of(rules, plays)
    view = view_of(deal, next(iter(deal.to_act)), totals=tuple(range(rules.players)), seed=2**64 - 1)
    line = compact(request_line(view))
    assert line.isascii()
    assert " " not in re.sub(r'"taken":\[[^]]*\]', "", line)
    assert re.findall(r'"(\w+)":', line) == [*json.loads(line)]
    legal = line.partition('"legal":[')[2].partition("]")[0]
    assert tuple(Card.parse(name.strip('"')) for name in legal.split(",") if name) == view.legal
    assert json.loads(line)["seed"] == 2**SEED_BITS - 1


def test_exposed_cards_stand_in_three_lists() -> None:
    deal = Deal(PRESETS["gongzhu-sale"], deal_hands(PRESETS["gongzhu-sale"], bytes(32), 1), number=1)
    view = view_of(deal, 0)
    view.exposures = (Exposure(2, Card.parse("QS"), Face.DOWN), Exposure(0, Card.parse("JD"), Face.UP))
    line = request_line(view)
    assert (line["exposed"], line["exposed_by"], line["exposed_face"]) == (["QS", "JD"], [2, 0], ["down", "up"])


@pytest.mark.parametrize(
    ("phase", "answer", "action"),
    [
        (Phase.PLAY, '{"decision":15,"card":"9C"}', Card.parse("9C")),
        (Phase.PLAY, '\ufeff {"card": "9c", "decision": 15, "more": [1]} \r', Card.parse("9C")),
        (Phase.PLAY, '{"decision":14,"card":"9C"}', None),
        (Phase.PLAY, '{"decision":1}', None),
        (Phase.PASS, '{"decision":15,"pass":["AS","KS"]}', (Card.parse("AS"), Card.parse("KS"))),
        (Phase.EXPOSE, '{"decision":15,"expose":[]}', {}),
        (
            Phase.EXPOSE,
            '{"decision":15,"expose":["JD"],"face_down":["QS"]}',
            {Card.parse("JD"): Face.UP, Card.parse("QS"): Face.DOWN},
        ),
        (Phase.MOON, '{"decision":15,"moon":"add"}', MoonChoice.ADD),
    ],
)
def test_an_answer_is_read(phase: Phase, answer: str, action: object) -> None:
    view = view_of(deal_of(HEARTS), 0)
    view.phase = phase
    assert answer_in(answer.encode(), view) == action


@pytest.mark.parametrize(
    ("phase", "answer", "sentence"),
    [
        (Phase.PLAY, b"9C", '{"decision":15,"card":…}'),
        (Phase.PLAY, b"", "wrote ''"),
        (Phase.PLAY, b"\xff\xfe", "asked for"),
        (Phase.PLAY, b"[" * 60_000, "asked for"),
        (Phase.PLAY, b"9" * 60_000, "…'"),
        (Phase.PLAY, b'["9C"]', "asked for"),
        (Phase.PLAY, b'{"card":"9C"}', "asked for"),
        (Phase.PLAY, b'{"decision":true,"card":"9C"}', "asked for"),
        (Phase.PLAY, b'{"decision":16,"card":"9C"}', "asked for"),
        (Phase.PLAY, b'{"decision":15,"pass":["9C"]}', "asked for"),
        (Phase.PLAY, b'{"decision":15,"card":"10C"}', "'10C' is not a card"),
        (Phase.PLAY, b'{"decision":15,"card":7}', "7 is not a card"),
        (Phase.PLAY, b'{"decision":15,"card":["9C"]}', "['9C'] is not a card"),
        (Phase.PASS, b'{"decision":15,"pass":"AS KS"}', "no list of cards"),
        (Phase.PASS, b'{"decision":15,"pass":[null]}', "None is not a card"),
        (Phase.EXPOSE, b'{"decision":15,"expose":null}', "no list of cards"),
        (Phase.EXPOSE, b'{"decision":15,"expose":[],"face_down":"QS"}', "no list of cards"),
        (Phase.MOON, b'{"decision":15,"moon":"26"}', "subtract, add"),
        (Phase.MOON, b'{"decision":15,"moon":[]}', "subtract, add"),
    ],
)
def test_a_line_that_is_no_answer_is_named_beside_what_was_wanted(phase: Phase, answer: bytes, sentence: str) -> None:
    view = view_of(deal_of(HEARTS), 0)
    view.phase = phase
    with pytest.raises(WrongAnswer) as caught:
        answer_in(answer, view)
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 300


def test_the_answers_of_the_page_are_read() -> None:
    hello, *answers = BLOCKS["answers"].splitlines()
    with program(f"print({hello!r}, flush=True); input()") as child:
        assert child.hello() == Path(sys.executable).name
    fields = {"card": Phase.PLAY, "pass": Phase.PASS, "expose": Phase.EXPOSE, "moon": Phase.MOON}
    assert {field for answer in answers for field in json.loads(answer)} == {*fields, "decision", "face_down"}
    for answer in answers:
        number, field = json.loads(answer)["decision"], [*json.loads(answer)][1]
        view = view_of(deal_of(HEARTS), 0, decision=number)
        view.phase = fields[field]
        assert answer_in(answer.encode(), view) is not None


def asked(code: str, decision: int = 15, limit: float = 1.0) -> object:
    """The answer of the bridge for a program that runs *code* after its first line."""
    deal = deal_of(HEARTS, 6)
    with program(HELLO + code) as child:
        child.hello()
        return decide(LinesBot(child), view_of(deal, 3, decision=decision, limit=limit))


def test_a_program_that_has_ended_before_it_is_asked_is_told_of_with_the_decision(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with program(HELLO) as child:
        child.hello()
        child._process.wait()
        with pytest.raises(SystemExit):
            decide(LinesBot(child), view_of(deal_of(HEARTS, 6), 3, decision=15))
    assert "sent decision 15" in capfd.readouterr().err


def test_a_program_is_asked_and_answers() -> None:
    code = 'l = input(); print(\'{"decision":15,"card":"KC"}\' if "request" in l else l, flush=True)'
    assert asked(code) == Card.parse("KC")


def test_a_program_stays_in_step_after_a_line_too_many() -> None:
    code = 'print(\'{"decision":14,"card":"2C"}\\n{"decision":15,"card":"KC"}\', flush=True); input()'
    assert asked(code) == Card.parse("KC")


def test_a_very_long_line_is_read_up_to_the_limit() -> None:
    answer = '{"decision":15,"card":"KC"}'
    assert asked(f"print({answer!r}.ljust({MAX_BYTES}), flush=True); input()") == Card.parse("KC")


@pytest.mark.parametrize(
    ("code", "sentences", "exit_code"),
    [
        ("", ["ended with exit code 0 before", "decision 15"], 1),
        ("input(); sys.exit(7)", ["ended with exit code 7 before", "decision 15"], 1),
        ("input(); import os; os.abort()", ["was killed by SIGABRT before"], 1),
        ("input(); import os; os.kill(os.getpid(), 9)", ["was killed by SIGKILL, as happens where the memory"], 1),
        ("input(); import os; os.close(1); time.sleep(60)", ["closed its standard input or output before"], 1),
        (f"print('x' * {MAX_BYTES + 1}, flush=True); input()", [f"more than {MAX_BYTES:,} bytes"], 1),
        ("[print('x' * 99999, end='', flush=True) for _ in iter(int, 1)]", [f"more than {MAX_BYTES:,} bytes"], 1),
    ],
)
def test_a_program_that_cannot_go_on_ends_the_bot_with_a_sentence(
    code: str, sentences: list[str], exit_code: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "END_SECONDS", 1.0 if "close" in code else 60.0)
    with pytest.raises(SystemExit) as caught:
        asked(code)
    assert caught.value.code == exit_code
    printed = capfd.readouterr().err
    for sentence in sentences:
        assert sentence in printed


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("print('mybot')", "must be {\"protocol\":1}, and is 'mybot'"),
        ("print('{}')", "must be {\"protocol\":1}, and is '{}'"),
        ("print('{\"protocol\":2}')", "speaks protocol 2"),
        ("print('{\"protocol\":true}')", "speaks protocol True"),
        ("raise SystemExit(3)", "ended with exit code 3 before it wrote its first line"),
    ],
)
def test_a_program_says_first_that_it_is_ready(code: str, sentence: str, capfd: pytest.CaptureFixture[str]) -> None:
    with program(code) as child, pytest.raises(SystemExit):
        child.hello()
    assert sentence in capfd.readouterr().err


def test_a_name_in_the_first_line_is_for_logs() -> None:
    with program('print(\'{"protocol":1,"name":"Trotter","more":0}\')') as child:
        assert child.hello() == "Trotter"


@pytest.mark.parametrize(("kept", "so_far"), [("", "nothing"), ('{"decision":15', "only '{\"decision\":15'")])
def test_a_program_that_keeps_an_answer_back_is_told_to_flush_once(
    kept: str, so_far: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, answer = f'{{"protocol":1}}\n{kept}', '\n{"decision":15,"card":"KC"}'
    reported: list[str] = []
    code = f"print({first!r}, end='', flush=True); input(); input(); print({answer!r}, flush=True); input()"
    with program(code) as child:
        child.hello()

        def report(sentence: str) -> None:
            """Let the program continue as soon as the sentence is there."""
            reported.append(sentence)
            child.write({"type": "later"})

        monkeypatch.setattr(bridge, "_report", report)
        bot, view = LinesBot(child), view_of(deal_of(HEARTS, 6), 3, limit=0.01)
        with pytest.raises(WrongAnswer):
            decide(bot, view)  # the line that was not ended
        assert decide(bot, view) == Card.parse("KC")
    assert len(reported) == 1
    assert so_far in reported[0]
    assert "flush" in reported[0]


def test_the_exit_code_after_the_match_is_the_bots(capfd: pytest.CaptureFixture[str]) -> None:
    with program(HELLO + "sys.stdin.read()") as child:
        child.hello()
        child.end()
    with program(HELLO + "sys.stdin.read(); sys.exit(4)") as child:
        child.hello()
        with pytest.raises(SystemExit):
            child.end()
    assert "exit code 4 after" in capfd.readouterr().err


def test_a_program_that_does_not_end_is_named_and_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox ends it, and the bridge with it."""
    monkeypatch.setattr(bridge, "END_SECONDS", 0.01)
    reported: list[str] = []
    with program(HELLO + "sys.stdin.read(); time.sleep(60)") as child:
        child.hello()

        def report(sentence: str) -> None:
            reported.append(sentence)
            child.__exit__()

        monkeypatch.setattr(bridge, "_report", report)
        with pytest.raises(SystemExit):
            child.end()
    assert "still runs after" in reported[0]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ([], "Name the program"),
        (["./nothing"], 'pigpen play "lines:./nothing"'),
    ],
)
def test_the_bridge_by_itself_says_what_it_needs(
    command: list[str], sentence: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIGPEN_ADDRESS", raising=False)
    with pytest.raises(SystemExit) as caught:
        main(command)
    assert caught.value.code == 2
    assert sentence in capfd.readouterr().err


@pytest.mark.parametrize("name", ["./nothing", "/", "a\0b"])
def test_a_program_that_cannot_be_started_is_named(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        Program([name])
    assert caught.value.code == 2
    assert "cannot be started: " in capfd.readouterr().err


def test_a_pipe_that_breaks_kills_the_program_as_it_does_in_a_shell(capfd: pytest.CaptureFixture[str]) -> None:
    """Python ignores SIGPIPE, and a child would inherit that."""
    with Program(["sh", "-c", "kill -PIPE $$; echo it is ignored"]) as child, pytest.raises(SystemExit):
        child.read(60.0, "anything")
    assert "was killed by SIGPIPE" in capfd.readouterr().err


def test_the_shell_bot_of_the_page_passes_every_case(tmp_path: Path) -> None:
    (script,) = re.findall(r"```sh\n(#!/bin/sh\n.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "my bot").write_text(script)
    (tmp_path / "my bot").chmod(0o755)
    done = typed("check", "lines:'./my bot' --quick", "--sandbox", "process", "--limit", "60", *RULES, folder=tmp_path)
    assert done.code == 0, done.out
    assert "All " in done.out
    assert "my bot" in done.out


@pytest.mark.parametrize(
    ("script", "verdict", "sentence"),
    [
        ("echo mybot", "absent", "must be"),
        ("echo '{\"protocol\":1}'; read -r line; read -r line; exit 3", "gone", "exit code 3 before"),
        ("echo '{\"protocol\":1}'; while read -r line; do echo QS; done", "malformed", "'QS', and was asked for"),
    ],
)
def test_a_wrong_program_gets_its_verdict_and_reads_the_reason(
    tmp_path: Path, script: str, verdict: str, sentence: str
) -> None:
    (tmp_path / "bot").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bot").chmod(0o755)
    words = ("--sandbox", "process", "--rules", "hearts", "--case", "follow suit", "--limit", "60")
    done = typed("check", "lines:./bot", *words, folder=tmp_path)
    assert done.code == 1
    assert verdict in done.out
    assert sentence in " ".join(done.out.split())
