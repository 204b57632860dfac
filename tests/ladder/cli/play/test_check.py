"""`pigpen check`, as a contestant types it."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any, cast

import pytest

from ladder.matches.check import WIRE
from ladder.sandbox.docker.containers import OWNER
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.host import scratch
from pigpen.check import cases_of
from pigpen.rules import PRESETS
from tests.e2e.command import pigpen
from tests.ladder.bad_checks import FLAWS

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
    assert ("Use it only for bots that you trust" in done.stderr) == (sandbox == "process")


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
    assert "✗ wire: continues after late notices: gone: its program ended with exit code 1\n" in done.stdout
    assert "KeyError: 'ouch'\n" in done.stdout
    assert f"1 of {len(WIRE) + len(cases_of(PRESETS['gongzhu']))} cases failed." in done.stdout
    assert "Traceback" not in done.stderr


def test_what_was_not_tried_is_said(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise SystemExit(3)")
    done = pigpen("check", str(tmp_path), *GONGZHU, "--sandbox", "process")
    assert done.returncode == 1
    assert "its program ended with exit code 3" in done.stdout
    assert "were not tried: it did not get through the first case." in done.stdout


def test_one_case_is_tried_alone_as_a_failure_says(tmp_path: Path) -> None:
    bot = flawed(tmp_path, "exposes a card that it does not hold")
    done = pigpen("check", bot, *GONGZHU, *LAVISH, "--sandbox", "process")
    command = done.stdout.splitlines()[-1].removeprefix("To try that case alone: pigpen ")
    assert command.startswith(f"check {bot} --rules gongzhu --case 'expose one card face up'")
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
    assert "not those about the connection" in done.stderr


def test_several_variants_may_be_named() -> None:
    words = ("--rules", "hearts", "--rules", "gongzhu-five")
    done = pigpen("check", "random", *words, "--sandbox", "inline", *LAVISH, "--json")
    assert {case["group"] for case in json.loads(done.stdout)["cases"]} == {"hearts", "gongzhu-five"}


def test_without_an_engine_the_platform_failed() -> None:
    done = pigpen("check", "random", DOCKER_HOST="unix:///nonexistent/docker.sock")
    assert done.returncode == 3
    assert done.stderr.startswith("pigpen: No Docker engine answers.")
    assert done.stdout == ""
