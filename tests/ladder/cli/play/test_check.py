"""`pigpen check` and `pigpen rerun`, as a contestant types them, and the faults in the output of `pigpen play`."""

from __future__ import annotations

import io
import json
import re
import shlex
import time
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from ladder.cli.play.play import MAX_FAULTS, print_result
from ladder.matches.check import WIRE
from ladder.sandbox.docker.containers import OWNER
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.host import scratch
from ladder.values.local_results import FaultReport, PlayedBot, PlayedMatch, RotationLog
from pigpen.check import cases_of
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from tests.e2e.command import pigpen
from tests.ladder.bad_checks import FLAWS
from tests.referee.recorded import match_lines, write_record

GONGZHU = ("--rules", "gongzhu")
LAVISH = ("--limit", "100")


def flawed(folder: Path, name: str) -> str:
    """The path of a bot with the flaw *name*."""
    (folder / "bot.py").write_text(FLAWS[name].program)
    return str(folder)


def test_a_good_bot_passes_every_case() -> None:
    assert_good("process")


@pytest.mark.docker
def test_in_containers_too_and_the_cases_of_the_wire_are_forked_in_one() -> None:
    begun: Any = time.time()  # the engine knows parts of a second, and the library passes them on
    assert_good("docker")
    wanted = {"event": "start", "label": f"{OWNER}={scratch.this_process()}"}
    client, ended = connect(), cast("Any", time.time())
    started = [*client.events(since=begun, until=ended, decode=True, filters=wanted)]
    client.close()
    assert len(WIRE) >= 5
    assert [event["Actor"]["Attributes"].get("pigpen.instances") for event in started].count("warm") == 1
    assert len(started) <= 3  # the others lock the image's files, and answer the cases of the variant


def assert_good(sandbox: str) -> None:
    """Check a bot that passes every case."""
    done = pigpen("check", "cautious", *GONGZHU, *LAVISH, "--sandbox", sandbox)
    assert done.returncode == 0, done.stderr
    counts = len(WIRE), len(cases_of(PRESETS["gongzhu"]))
    count = sum(counts)
    assert done.stdout.count("│ ✓ │") == 2
    assert all(f"│ all {each}" in done.stdout for each in counts)
    assert "✗" not in done.stdout
    assert f"All {count} cases passed.\n" in done.stdout
    for used in ("Start-up ", "ms at the median", "peak memory "):
        assert used in done.stdout
    assert ("bots that you trust" in done.stderr) == (sandbox == "process")


def test_each_case_is_a_line_for_who_wants_that() -> None:
    words = ("check", "cautious", "--rules", "hearts", *GONGZHU, *LAVISH, "--sandbox", "inline")
    counts = [len(cases_of(PRESETS[name])) for name in ("hearts", "gongzhu")]
    assert pigpen(*words).stdout.count("│ ✓ │") == len(counts)
    for option in ("-v", "--verbose"):
        assert pigpen(*words, option).stdout.count("│ ✓ │") == sum(counts)


def test_of_a_variant_that_fails_every_case_is_shown(tmp_path: Path) -> None:
    bot = flawed(tmp_path, "exposes a card that it does not hold")
    done = pigpen("check", bot, "--rules", "hearts", *GONGZHU, *LAVISH, "--sandbox", "inline")
    failed = done.stdout.count("│ ✗ │")
    assert failed >= 1
    assert done.stdout.count("│ ✓ │") + failed == 1 + len(cases_of(PRESETS["gongzhu"]))
    assert done.stdout.count("✗ gongzhu: ") == failed


def test_a_flaw_is_shown_with_its_reason_and_the_bots_own_words(tmp_path: Path) -> None:
    bot = flawed(tmp_path, "crashes at a notice")
    done = pigpen("check", bot, *GONGZHU, *LAVISH, "--sandbox", "process")
    assert done.returncode == 1
    assert done.stdout.count("│ ✗ │") == 1
    assert "✗ wire: continues after late " in done.stdout
    assert "KeyError: 'ouch'\n" in done.stdout
    assert f"1 of {len(WIRE) + len(cases_of(PRESETS['gongzhu']))} cases failed." in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("method", ["play", "match_started"])
def test_an_exception_in_this_process_is_shown_once_with_its_line(tmp_path: Path, method: str) -> None:
    (tmp_path / "bot.py").write_text(
        f"import pigpen\n\nclass B(pigpen.Bot):\n    play = min\n    def {method}(self, view):\n        return no\n"
    )
    done = pigpen("check", str(tmp_path), *GONGZHU, *LAVISH, "--sandbox", "inline")
    assert done.returncode == 1
    assert done.stdout.count("✗ gongzhu: ") > (method == "play")
    assert done.stdout.count(f'bot.py", line 6, in {method}\n') == 1
    assert "frames of Pigpen\n" in done.stdout or "frame of Pigpen\n" in done.stdout


def test_what_was_not_tried_is_said(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise SystemExit(3)")
    done = pigpen("check", str(tmp_path), *GONGZHU, "--sandbox", "process")
    assert done.returncode == 1
    assert "ended with exit code 3" in done.stdout
    assert "were not tried: " in done.stdout


def test_one_case_is_tried_alone_as_a_failure_says(tmp_path: Path) -> None:
    bot = flawed(tmp_path, "exposes a card that it does not hold")
    done = pigpen("check", bot, *GONGZHU, *LAVISH, "--sandbox", "process")
    command = done.stdout.splitlines()[-1].removeprefix("To try that case alone: pigpen ")
    assert command.startswith(f"check {bot} --rules gongzhu ")
    assert " --case 'expose" in command
    again = pigpen(*shlex.split(command), *LAVISH)
    assert (again.returncode, again.stdout.count("│ ✗ │"), again.stdout.count("✓")) == (1, 1, 0)
    assert "1 of 1 case failed." in again.stdout
    assert "To try that case alone" not in again.stdout


@pytest.mark.parametrize(
    ("case", "sandbox", "tried"),
    [
        ("lead", "inline", {("hearts", "lead"), ("gongzhu", "lead")}),
        ("play last to a trick", "process", {("hearts", "play last to a trick"), ("gongzhu", "play last to a trick")}),
        ("takes its seat and answers", "process", {("wire", "takes its seat and answers")}),
    ],
)
def test_a_case_is_tried_where_there_is_one(case: str, sandbox: str, tried: set[tuple[str, str]]) -> None:
    words = ("--rules", "hearts", *GONGZHU, "--case", case)
    done = pigpen("check", "random", *words, "--sandbox", sandbox, *LAVISH, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["passed"]) == (0, True)
    assert {(each["group"], each["case"]) for each in found["cases"]} == tried


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--case", "Follow"), "There is no case 'Follow'. Did you mean 'follow suit'?"),
        (("--case", "folow suit"), "There is no case 'folow suit'. Did you mean 'follow suit'?"),
        (("--case", "xyz", "--case", "lead"), "There is no case 'xyz'; there are: "),
    ],
)
def test_a_case_that_is_not_there_is_a_mistake(words: tuple[str, ...], sentence: str) -> None:
    done = pigpen("check", "random", "--rules", "hearts", *words, "--sandbox", "inline")
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr


def test_json_says_the_same_for_scripts(tmp_path: Path) -> None:
    bot = flawed(tmp_path, "exposes a card that it does not hold")
    done = pigpen("check", bot, *GONGZHU, *LAVISH, "--sandbox", "process", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["sandbox"], found["passed"]) == ("process", False)
    assert found["start_up_ms"] > 0
    assert found["peak_memory_bytes"] > 0
    assert set(found["think_ms"]) == {"median", "worst"}
    (failed,) = [case for case in found["cases"] if not case["passed"]]
    assert (failed["group"], failed["case"], failed["verdict"]) == ("gongzhu", "expose one card face up", "illegal")


def test_inline_tries_the_cards_and_not_the_wire() -> None:
    done = pigpen("check", "random", "--sandbox", "inline", *LAVISH, "--json")
    assert done.returncode == 0, done.stderr
    assert {case["group"] for case in json.loads(done.stdout)["cases"]} == set(PRESETS)
    assert "about the connection" in done.stderr


def test_several_variants_may_be_named() -> None:
    words = ("--rules", "hearts", "--rules", "gongzhu-five")
    done = pigpen("check", "random", *words, "--sandbox", "inline", *LAVISH, "--json")
    assert {case["group"] for case in json.loads(done.stdout)["cases"]} == {"hearts", "gongzhu-five"}


def test_without_an_engine_the_platform_failed() -> None:
    done = pigpen("check", "random", DOCKER_HOST="unix:///nonexistent/docker.sock")
    assert done.returncode == 3
    assert done.stderr.startswith("pigpen: No Docker engine answers.")
    assert done.stdout == ""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A match of the sample bots, two boards of hearts."""
    path = tmp_path_factory.mktemp("records") / "match.jsonl"
    done = pigpen(
        "play", "cautious", "random", "random", "random", "--rules", "hearts", "--boards", "2", "--seed", "7",
        "--sandbox", "inline", "--record", str(path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return str(path)


def write_bot(folder: Path, line: str) -> str:
    """A bot whose `play` is one line."""
    folder.mkdir()
    (folder / "bot.py").write_text(
        f"import pigpen\n\nclass Other(pigpen.Bot):\n    def play(self, view):\n        {line}\n\n"
        "if __name__ == '__main__':\n    pigpen.run(Other())\n"
    )
    return str(folder)


@pytest.mark.parametrize("sandbox", ["process", "inline"])
def test_the_same_bot_differs_nowhere(record: str, sandbox: str) -> None:
    done = pigpen("rerun", record, "cautious", "cautious", "--sandbox", sandbox)
    assert (done.returncode, re.findall(r"\d+", done.stdout)) == (0, ["84", "0", "28"])


@pytest.mark.docker
def test_the_default_is_a_container(record: str) -> None:
    done = pigpen("rerun", record, "random", "random", "--board", "2", "--rotation", "1")
    assert (done.returncode, re.findall(r"\d+", done.stdout)) == (0, ["10", "0", "4"]), done.stderr


def test_another_bot_differs_and_the_table_says_where(record: str) -> None:
    words = ("rerun", record, "0", "random", "--board", "2", "--sandbox", "inline")
    done = pigpen(*words)
    assert done.returncode == 0
    assert "random differs from cautious" in done.stdout
    for heading in ("deal", "at", "on the table", "may choose", "then", "now", "points", "ms"):
        assert f" {heading} " in done.stdout
    found = json.loads(pigpen(*words, "--json").stdout)
    assert (found["decisions"], found["forced"], found["at_fault"], found["untried"]) == (43, 13, 0, 0)
    assert found["differ"] == len(found["differences"]) > 10
    assert f"43 decisions, {found['differ']} differ. 13 forced " in done.stdout
    for row in found["differences"]:
        assert row["board"] == 2
        assert row["then"] != row["now"]
        assert {*row["then"].split(), *row["now"].split()} <= {*row["may_choose"]} <= {*row["hand"]}


def test_the_list_can_be_cut_short_but_not_the_count(record: str) -> None:
    words = ("rerun", record, "0", "random", "--sandbox", "inline")
    whole = json.loads(pigpen(*words, "--json").stdout)
    short = json.loads(pigpen(*words, "--json", "--limit-list", "3").stdout)
    assert short["differences"] == [{**row, "now_ms": now["now_ms"]} for row, now in pairs(whole, short)]
    assert len(short["differences"]) == 3
    assert short["differ"] == whole["differ"]
    shown = pigpen(*words, "--limit-list", "3").stdout
    assert f"… and {whole['differ'] - 3} more" in shown
    assert "│" not in pigpen(*words, "--limit-list", "0").stdout


def pairs(
    whole: dict[str, list[dict[str, object]]], short: dict[str, list[dict[str, object]]]
) -> zip[tuple[dict[str, object], dict[str, object]]]:
    return zip(whole["differences"], short["differences"], strict=False)


def test_faults_are_listed_with_the_reason_and_the_bots_own_words(record: str, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bad", "return view.unseen[0] if len(view.tricks) < 2 else {}['ouch']")
    done = pigpen("rerun", record, "cautious", bot, "--board", "1", "--rotation", "1", "--sandbox", "process")
    assert done.returncode == 0
    assert "✗ board 1, rotation 1, trick 1: illegal: " in done.stdout
    assert "✗ board 1, rotation 1, trick 4: gone: " in done.stdout
    assert "KeyError: 'ouch'" in done.stdout
    assert "were not asked: " in done.stdout


def test_a_late_answer_is_listed(record: str, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "slow", "import time; time.sleep(0.2 * (len(view.tricks) == 4)); return view.legal[0]")
    words = ("--board", "1", "--rotation", "2", "--sandbox", "inline", "--limit", "0.1", "--json")
    found = json.loads(pigpen("rerun", record, "cautious", bot, *words).stdout)
    late = [row for row in found["differences"] if row["verdict"] == "timeout"]
    assert "trick 5" in [row["at"] for row in late]
    assert {row["why"] for row in late} == {"no answer within 0.100 s"}


def test_a_mistake_is_one_sentence(record: str, tmp_path: Path) -> None:
    unfinished = str(write_record(tmp_path / "half.jsonl", match_lines("hearts", "deals:2")[:-1]))
    for words, message in (
        (
            (unfinished, "0", "random"),
            "cannot be replayed: the match is not finished, and its seed is published at the end",
        ),
        ((record, "nix", "random"), "there is no bot 'nix' in it; there are 0 cautious, 1 random,"),
        ((record, "0", "nix"), "There is no bot 'nix'"),
        (
            (record, "0", "random", "--board", "3"),
            "has no deal for --board 3; it holds the boards 1 to 2, rotations 1 to 4.",
        ),
        ((str(tmp_path / "none"), "0", "random"), "cannot be read: No such file or directory."),
    ):
        done = pigpen("rerun", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


SPEC = MatchSpec(PRESETS["hearts"], ("mybot",) * 4, Format(1))


def fault(rotation: int, verdict: str, why: str, decision: int = 3) -> FaultReport:
    code = 1 if verdict == "gone" else None
    return FaultReport(
        seat=0, rotation=rotation, place=f"board 1, rotation {rotation}", decision=decision, verdict=verdict, why=why,
        exit_code=code, oom=None if code is None else False,
    )  # fmt: skip


def crash(rotation: int, error: str = "KeyError: 'QS'") -> RotationLog:
    printed = (
        f"[{rotation}] thinking {rotation}\n" * (rotation - 1)
        + f"[{rotation}] Traceback (most recent call last):\n[{rotation}] {error}\n"
    )
    return RotationLog(
        rotation=rotation, printed=printed, faults=(fault(rotation, "gone", "its program ended with exit code 1"),)
    )


def shown(*logs: RotationLog) -> str:
    row = PlayedBot(
        seat=0, bot="mybot", total=0, points_per_deal=0.0, standard_error=None, place=1, timed="wall",
        faults=sum(len(log.faults) for log in logs), taken_over=False, think_ms={"median": 1.0, "worst": 2.0},
        why=(), rotations=logs,
    )  # fmt: skip
    found = PlayedMatch(rules="hearts", format="deals:1", seed="00", deals=1, results=(row,))
    out = io.StringIO()
    print_result(SPEC, found, Console(file=out, width=200))
    return out.getvalue().partition("was at fault:\n")[2]


def test_the_same_error_in_many_rotations_is_shown_once() -> None:
    printed = shown(*(crash(rotation) for rotation in range(1, 9)))
    assert printed.splitlines() == [
        "  board 1, rotation 1, decision 3: gone: its program ended with exit code 1",
        "  Its output:",
        "    [1] Traceback (most recent call last):",
        "    [1] KeyError: 'QS'",
        "  … and 7 more like these; --json has all.",
    ]


def test_another_error_is_shown_too() -> None:
    printed = shown(crash(1), crash(2), crash(3, "ValueError: no card"), crash(4))
    assert printed.count("Its output:") == 2
    assert "ValueError: no card" in printed
    assert "… and 2 more like these" in printed


def test_of_illegal_plays_one_of_a_kind_is_shown_whatever_the_bot_printed() -> None:
    logs = (
        RotationLog(
            rotation=rotation,
            printed=f"[1] {'chatter ' * rotation}\n",
            faults=(
                fault(rotation, "illegal", f"{card} may not be played, legal: 2C"),
                fault(rotation, "timeout", "no answer within 1.000 s", 4),
            ),
        )
        for rotation, card in enumerate(["QS", "10H", "AD"], 1)
    )
    printed = shown(*logs)
    assert (printed.count("illegal"), printed.count("timeout"), printed.count("Its output:")) == (1, 1, 1)
    assert "… and 4 more like these" in printed


def test_many_kinds_of_faults_are_cut_and_counted() -> None:
    kinds = [chr(ord("a") + number) for number in range(MAX_FAULTS + 5)]
    printed = shown(*(crash(rotation, f"Error: {kind}") for rotation, kind in enumerate(kinds, 1)))
    assert printed.count("gone: its program") == MAX_FAULTS
    assert "… and 5 more of " in printed
