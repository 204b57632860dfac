"""Commands as a user types them, and their output."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from ladder.cli.play.compare import VERDICTS
from ladder.ratings.sprt import SprtDecision
from ladder.sandbox.docker.containers import OWNER
from ladder.sandbox.docker.engine import connect
from pigpen.rules import PRESETS
from referee.records.lines import without_times
from tests.e2e.command import PATIENT, PIGPEN, environment, pigpen, pigpen_process, started
from tests.for_two import FOR_TWO, write_for_two
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

LATER = pytest.mark.long
FOUR = ("random", "cautious", "counting", "random")


def result(*words: str) -> dict[str, object]:
    done = pigpen("play", *words, "--json", "--clock", "600+1", "--limit", "60")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def record(path: Path, *words: str) -> list[str]:
    done = pigpen("play", *words, "--record", str(path))
    assert done.returncode == 0, done.stderr
    first, *deals, last = path.read_text().splitlines()
    return without_times([first, *sorted(deals, key=table_and_deal), last])


def table_and_deal(line: str) -> tuple[int, int]:
    """Give the table and the number of a deal; the order of the lines is that in which deals ended."""
    deal = json.loads(line)
    return deal.get("rotation", 0), deal["deal"]


def test_play_shows_a_table_with_every_bot() -> None:
    done = pigpen("play", *FOUR, "--deals", "2", "--seed", "7", "--sandbox", "process")
    assert done.returncode == 0
    assert f"{PRESETS['gongzhu'].title}: 2 deals (high " in done.stdout
    for heading in ("place", "bot", "points/deal", "total", "faults", "median ms", "worst ms"):
        assert heading in done.stdout
    for name in ("random", "cautious", "counting", "random#2"):
        assert f"│ {name} " in done.stdout
    assert "bots that you trust" in done.stderr


def test_a_match_is_of_16_boards_unless_another_is_asked_for(tmp_path: Path) -> None:
    done = pigpen("play", "random", "cautious", "--rules", write_for_two(tmp_path), "--sandbox", "inline")
    assert done.returncode == 0, done.stderr
    assert f"{FOR_TWO.title}: 16 boards, 32 deals (low " in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if "│ random " in line]
    assert re.search(r"│ +\d+\.\d\d ± \d+\.\d\d │", row)


def test_a_game_has_no_standard_error() -> None:
    done = pigpen("play", *FOUR, "--rules", "hearts", "--sandbox", "inline", "--game")
    assert done.returncode == 0, done.stderr
    assert "±" not in done.stdout


def test_the_same_seed_and_bots_give_the_same_record_in_every_sandbox(tmp_path: Path) -> None:
    match = (*FOUR, *PATIENT, "--rules", "hearts", "--deals", "3", "--seed", "7")
    first = record(tmp_path / "1.jsonl", *match, "--sandbox", "process")
    assert first == record(tmp_path / "2.jsonl", *match, "--sandbox", "inline")
    other = record(tmp_path / "3.jsonl", *match[:-1], "8", "--sandbox", "inline")
    assert first != other


@pytest.mark.parametrize("numbers", [("4",), pytest.param(("1", "2"), marks=LATER)])
def test_the_same_seed_and_bots_give_the_same_boards_in_every_sandbox_at_any_concurrency(
    tmp_path: Path, numbers: tuple[str, ...]
) -> None:
    match = ("cautious", "counting", *PATIENT, "--rules", write_for_two(tmp_path), "--boards", "3", "--seed", "7")
    first = record(tmp_path / "inline.jsonl", *match, "--sandbox", "inline")
    for number in numbers:
        path = tmp_path / f"{number}.jsonl"
        assert first == record(path, *match, "--sandbox", "process", "--concurrency", number)


@pytest.mark.docker
@pytest.mark.parametrize(
    ("length", "how", "instances"),
    [("--deals", (), "warm"), pytest.param("--boards", ("--fresh",), "fresh", marks=LATER)],
)
def test_containers_give_the_same_record_as_processes_forked_or_not(
    tmp_path: Path, length: str, how: tuple[str, ...], instances: str
) -> None:
    match = ("cautious", "counting", *PATIENT, "--rules", write_for_two(tmp_path), length, "1", "--seed", "7")
    contained = record(tmp_path / "1.jsonl", *match, "--sandbox", "docker", "--concurrency", "4", *how)
    assert contained == record(tmp_path / "2.jsonl", *match, "--sandbox", "process")
    first_lines = [json.loads((tmp_path / name).read_text().partition("\n")[0]) for name in ("1.jsonl", "2.jsonl")]
    assert [line.get("instances") for line in first_lines] == [instances, None]


@pytest.mark.docker
@pytest.mark.runsc
@pytest.mark.parametrize("bots", [("cautious", "counting"), ("random", "exact")], ids=" ".join)
def test_gvisor_gives_the_same_record_as_runc(tmp_path: Path, bots: tuple[str, str]) -> None:
    """Also of bots that think until their time is up, if there is enough of it for all that they would do."""
    clock = ("--clock", "6000+10", "--limit", "600")
    match = (*bots, "--rules", write_for_two(tmp_path), "--deals", "1", "--seed", "7", "--sandbox", "docker", *clock)
    paths = {runtime: tmp_path / f"{runtime}.jsonl" for runtime in ("runc", "runsc")}
    first, second = (record(path, *match, "--runtime", runtime) for runtime, path in paths.items())
    assert first == second
    for runtime, path in paths.items():
        line = json.loads(path.read_text().partition("\n")[0])
        assert (line["runtime"], line["instances"]) == (runtime, "warm")


@pytest.mark.parametrize("rules", PRESETS)
def test_every_variant_plays_to_its_own_end(rules: str) -> None:
    bots = ("cautious", "counting") if PRESETS[rules].partners else ("cautious", "counting", *["random"] * 3)
    found = result(*bots[: PRESETS[rules].players], "--rules", rules, "--game", "--sandbox", "inline", "--seed", "1")
    assert found["format"] == "game"
    assert isinstance(found["results"], list)
    assert [row["faults"] for row in found["results"]] == [0] * PRESETS[rules].players


def test_a_rules_file_of_ones_own_is_played(tmp_path: Path) -> None:
    toml = pigpen("rules", "hearts", "--toml").stdout
    changes = {
        "players = 4": "players = 3",
        "removed = []": 'removed = ["2D"]',
        '"across",': "",
        'name = "hearts"': 'name = "three"',
    }
    for old, new in changes.items():
        assert old in toml
        toml = toml.replace(old, new)
    path = tmp_path / "three.toml"
    path.write_text(toml)
    found = result("random", "cautious", "counting", "--rules", str(path), "--deals", "4", "--sandbox", "inline")
    assert found["rules"] == "three"
    assert "3 players" in pigpen("rules", str(path)).stdout


def test_a_record_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text("precious")
    done = pigpen("play", *FOUR, "--sandbox", "inline", "--record", str(path))
    assert done.returncode == 2
    assert "is there already" in done.stderr
    assert path.read_text() == "precious"


def test_where_the_seed_cannot_be_kept_no_empty_record_stays_behind(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.with_name("match.jsonl.seed").mkdir()
    done = pigpen("play", *FOUR, "--sandbox", "inline", "--record", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pigpen: ")
    assert done.stderr.endswith(f"'{path}.seed' cannot be written: {os.strerror(errno.EISDIR)}.\n")
    assert not path.exists()


def test_a_match_whose_record_somebody_removed_can_be_stopped_as_any_other(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    words = ("play", *FOUR, "--sandbox", "inline", "--boards", "500", "--record", str(path))
    with started(*words) as program:
        while not path.exists() or not path.stat().st_size:
            assert program.poll() is None, program.communicate()
            time.sleep(0.01)
        path.unlink()
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=PATIENCE)
    assert (program.returncode, errors.splitlines()[-1]) == (130, "pigpen: Interrupted.")
    assert list(tmp_path.iterdir()) == []


def test_a_bot_at_fault_is_shown_with_the_reason_and_its_own_words(tmp_path: Path) -> None:
    bot = tmp_path / "broken"
    assert pigpen("new", str(bot)).returncode == 0
    text = (bot / "bot.py").read_text()
    (bot / "bot.py").write_text(
        text.replace("def play(self", 'def play(self, view):\n        raise KeyError("ouch")\n\n    def other(self')
    )
    done = pigpen("play", str(bot), "random", "random", "random", "--deals", "1", "--sandbox", "inline")
    assert done.returncode == 0
    assert "1 (taken over)" in done.stdout
    assert re.search("gone: .* exit code 1\n", done.stdout)
    assert "KeyError: 'ouch'" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("play", "random", "random", "random", "--deals", "1", "--sandbox", "inline"),
        ("check", "--rules", "hearts", "--sandbox", "process"),
    ],
    ids=["play", "check"],
)
def test_what_a_bot_prints_cannot_speak_to_the_terminal(tmp_path: Path, words: tuple[str, ...]) -> None:
    bot = write_bot(tmp_path / "bad", r"raise ValueError('\x1b]0;owned\x07\tbye')")
    done = pigpen(words[0], str(bot), *words[1:])
    assert re.search("ValueError: �]0;owned� +bye\n", done.stdout)
    assert not {"\x1b", "\x07"} & {*done.stdout}


def test_a_bot_at_fault_on_boards_shows_an_error_once(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bad", "raise KeyError('ouch')")
    rules = write_for_two(tmp_path)
    done = pigpen("play", str(bot), "random", *PATIENT, "--rules", rules, "--boards", "2", "--sandbox", "process")
    assert done.returncode == 0
    assert "2 (taken over)" in done.stdout
    assert re.search(r"board 1, rotation 1, decision \d: gone: .* 1\n", done.stdout)
    assert re.search("\n *… and 1 more .*--json", done.stdout)
    assert done.stdout.count("KeyError: 'ouch'") == 1


def test_a_match_that_never_began_leaves_no_record(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    done = pigpen("play", "some/image:1", *FOUR[1:], "--sandbox", "process", "--record", str(path))
    assert done.returncode == 2
    assert not path.exists()


BAD_BOTS = {
    "nothing": "return None",
    "a number": "return int(view.legal[0])",
    "a name": "return str(view.legal[0])",
    "a card not held": "return view.unseen[0] if view.unseen else view.legal[0]",
    "an error": "raise KeyError('ouch')",
    "an error of the connection": "raise ConnectionRefusedError('no network here')",
    "the end": "raise SystemExit(5)",
}


@pytest.mark.parametrize("names", [tuple(BAD_BOTS)[:4], tuple(BAD_BOTS)[4:]], ids=", ".join)
def test_a_bot_at_fault_has_the_same_record_in_every_sandbox(tmp_path: Path, names: tuple[str, ...]) -> None:
    bots = [str(write_bot(tmp_path / name.replace(" ", "-"), BAD_BOTS[name])) for name in names]
    match = (*bots, *FOUR[len(bots) :], *PATIENT, "--rules", "hearts", "--deals", "1", "--seed", "7")
    records = [record(tmp_path / f"{name}.jsonl", *match, "--sandbox", name) for name in ("process", "inline")]
    assert records[0] == records[1]
    faults = {row["bot"]: row["faults"] for row in json.loads(records[0][-1])["results"]}
    assert [name for name in names if not faults[name.replace(" ", "-")]] == [n for n in names if n == "a number"]


def test_json_holds_why_a_bot_failed(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bad", "print('hello'); raise KeyError('ouch')")
    for sandbox in ("process", "inline"):
        found = result(str(bot), *FOUR[1:], "--deals", "1", "--sandbox", sandbox)
        assert isinstance(found["results"], list)
        row = next(row for row in found["results"] if row["bot"] == "bad")
        assert [why.endswith(" exit code 1") for why in row["why"]] == [True]
        (log,) = row["rotations"]
        assert (log["rotation"], log["faults"][0]["verdict"]) == (1, "gone")
        assert "KeyError: 'ouch'" in log["printed"]


@pytest.mark.parametrize("command", ["play", "check"])
@pytest.mark.parametrize("sandbox", ["process", "inline"])
def test_a_module_that_is_missing_leads_to_requirements_txt(tmp_path: Path, command: str, sandbox: str) -> None:
    bot = write_bot(tmp_path / "bad", "return view.legal[0]")
    (bot / "bot.py").write_text("import nonesuch\n" + (bot / "bot.py").read_text())
    (bot / "pyproject.toml").write_text('[project]\ndependencies = ["nonesuch"]\n')
    rest = (*FOUR[1:], "--deals", "1") if command == "play" else ("--rules", "hearts")
    done = pigpen(command, str(bot), *rest, "--sandbox", sandbox)
    assert re.search(r"pyproject\.toml of bad .* requirements\.txt ", done.stderr)
    printed = " ".join((done.stdout + done.stderr).split())
    assert re.search(r"nonesuch is not .* requirements\.txt", printed)


def test_output_shows_what_a_healthy_bot_printed(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "talker", "print(f'this is {view.decision}'); return view.legal[0]")
    match = (str(bot), *FOUR[1:], *PATIENT, "--deals", "1", "--sandbox", "process")
    silent, shown = (pigpen("play", *match, *more).stdout for more in ((), ("--output",)))
    assert "this is" not in silent
    _, _, output = shown.partition("talker (seat 0) printed:\nrotation 1: no fault, ")
    lines = output.partition("\n\n")[0].splitlines()[1:]
    assert lines
    assert all(re.fullmatch(r"  │ \[(\d+)\] this is \1", line) for line in lines)
    assert output.count("printed nothing.") == 3


def write_bot(folder: Path, line: str) -> Path:
    """A bot whose `play` is one line."""
    folder.mkdir()
    (folder / "bot.py").write_text(
        "import pigpen\n\nclass Bad(pigpen.Bot):\n    def play(self, view):\n"
        f"        {line}\n\nif __name__ == '__main__':\n    pigpen.run(Bad())\n"
    )
    return folder


@pytest.mark.parametrize("sandbox", ["process", "inline"])
def test_a_program_without_a_bot_is_told_what_it_lacks(tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "bot.py").write_text("import pigpen\n")
    done = pigpen("play", str(tmp_path / "empty"), *FOUR[1:], "--deals", "1", "--sandbox", sandbox)
    assert ("did it call pigpen.run?" in done.stdout) == (sandbox == "process")
    assert ("one class of pigpen.Bot" in done.stderr) == (sandbox == "inline")


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=LATER)], ids=lambda number: number.name
)
def test_a_bot_in_this_process_that_never_answers_can_be_stopped(tmp_path: Path, number: signal.Signals) -> None:
    bot = write_bot(tmp_path / "loop", f"open({str(tmp_path / 'mark')!r}, 'w').close(); [0 for _ in iter(int, 1)]")
    with started("play", str(bot), *FOUR[1:], "--sandbox", "inline") as program:
        while not (tmp_path / "mark").exists():
            assert program.poll() is None
            time.sleep(0.05)
        program.send_signal(number)
        _, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == 128 + number
    assert "Traceback" not in errors


def test_new_bots_play_at_once(tmp_path: Path) -> None:
    new = [f"my{like}" for like in FOUR[:3]]
    for like, name in zip(FOUR, new, strict=False):
        done = pigpen("new", name, "--like", like, folder=tmp_path)
        assert done.returncode == 0
        assert sorted(path.name for path in (tmp_path / name).iterdir()) == ["Dockerfile", "bot.py"]
    words = (*(f"./{name}" for name in new), "random", "--deals", "1", "--sandbox", "process")
    played = pigpen("play", *words, folder=tmp_path)
    assert played.returncode == 0, played.stderr
    assert all(name in played.stdout for name in new)


@pytest.mark.parametrize("rules", PRESETS)
def test_rules_shows_a_variant_in_words_and_as_toml(rules: str) -> None:
    done = pigpen("rules", rules)
    assert done.returncode == 0
    assert f"({rules})" in done.stdout
    assert f'name = "{rules}"' in done.stdout
    assert f"{PRESETS[rules].players} players" in done.stdout


def test_rules_without_a_name_lists_the_presets() -> None:
    listing = pigpen("rules").stdout
    assert all(f"│ {name} " in listing for name in PRESETS)


MISTAKES = {
    "an unknown bot": (("play", "nix", *FOUR[1:]), "There is no bot 'nix'"),
    "a folder without a bot": (("play", "./docs", *FOUR[1:]), ") and no Dockerfile"),
    "an unknown variant": (("play", *FOUR, "--rules", "whist"), "There are no rules called 'whist'"),
    "an unknown variant to show": (("rules", "whist"), "There are no rules called 'whist'"),
    "too few bots": (("play", "random"), "gongzhu takes 4 bots; 1 named"),
    "too many bots": (("play", *FOUR, "random"), "gongzhu takes 4 bots; 5 named"),
    "three bots for two teams": (("play", *FOUR[1:], "--rules", "gongzhu-partners"), "2 bots, one for each team, or 4"),
    "two ends": (("play", *FOUR, "--game", "--deals", "3"), "--deals and --game exclude each other"),
    "two lengths": (("play", *FOUR, "--boards", "3", "--deals", "3"), "--boards and --deals exclude each other"),
    "no deals": (("play", *FOUR, "--deals", "0"), "Invalid value for '--deals'"),
    "no boards": (("play", *FOUR, "--boards", "0"), "Invalid value for '--boards'"),
    "no tables": (("play", *FOUR, "--concurrency", "0"), "Invalid value for '--concurrency'"),
    "a bad clock": (("play", *FOUR, "--clock", "fast"), "'fast' is not a clock"),
    "no time at all": (("play", *FOUR, "--clock", "0", "--sandbox", "inline"), "leaves no time"),
    "a limit without end": (("play", *FOUR, "--limit", "inf"), "Invalid value for '--limit'"),
    "a bank without end": (("play", *FOUR, "--clock", f"60+{10**20}"), "is too long"),
    "a very long name": (("play", "x" * 300, *FOUR[1:]), "There is no bot"),
    "rules with a very long name": (("rules", "x" * 300), "this file cannot be read: File name too long"),
    "rules that are a folder": (("rules", "docs"), "There are no rules called 'docs'"),
    "a bad limit": (("play", *FOUR, "--limit", "0"), "Invalid value for '--limit'"),
    "a record nowhere": (("play", *FOUR, "--record", "/nonexistent/x", "--sandbox", "inline"), "cannot be written"),
    "an unknown bot to check": (("check", "nix"), "There is no bot 'nix'"),
    "an unknown variant to check": (("check", "random", "--rules", "whist"), "There are no rules called 'whist'"),
    "an image to check in a process": (("check", "some/image:1", "--sandbox", "process"), "Use --sandbox docker"),
    "a bad limit to check": (("check", "random", "--limit", "0"), "Invalid value for '--limit'"),
    "an unknown sandbox": (("play", *FOUR, "--sandbox", "cage"), "Invalid value for '--sandbox'"),
    "an image in a process": (("play", "some/image:1", *FOUR[1:], "--sandbox", "process"), "Use --sandbox docker"),
    "an unknown sample": (("new", "x", "--like", "nix"), "There is no sample bot 'nix'"),
    "a folder that is there": (("new", "docs"), "is there already"),
    "a folder without a bot that is not empty": (("play", "./docs", *FOUR[1:]), "Make a folder with a bot: pigpen new"),
    "a folder nowhere": (("new", "/proc/x/y"), "cannot be made"),
    "an unknown command": (("dance",), "No such command"),
}  # fmt: skip


@pytest.mark.parametrize("words_and_text", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_answered_in_words(words_and_text: tuple[tuple[str, ...], str]) -> None:
    words, text = words_and_text
    done = pigpen(*words)
    assert done.returncode == 2
    assert text in " ".join(done.stderr.replace("│", "").split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("players = 4", "players = 3", "removed: 52 cards cannot be dealt evenly to 3 players"),
        ("players = 4", 'players = "four"', "players: should be a valid integer"),
        ("players = 4", "players = 4\ncolour = 1", "colour: there is no such field"),
        ('card = "2C"', 'card = "1C"', "opening.card: '1C' is not a card"),
        ('"left"', '"up"', "passing.directions.0: should be 'left', 'right', 'across' or 'none'"),
        ("cards = 3", "cards = 14", "passing.cards: 14 is not a number from 1 to 13"),
        ("[end]\n", "[end]\nsooner = true\n", "end.sooner: there is no such field"),
        ("limit = 100", "", "end.limit: this field is missing"),
        ("players = 4", "players = ", "this is not TOML"),
    ],
)
def test_a_wrong_field_of_a_rules_file_is_named(tmp_path: Path, old: str, new: str, field: str) -> None:
    toml = pigpen("rules", "hearts", "--toml").stdout
    assert old in toml
    path = tmp_path / "mine.toml"
    path.write_text(toml.replace(old, new, 1))
    done = pigpen("rules", str(path))
    assert done.returncode == 2
    assert f"mine.toml: {field}" in done.stderr


def test_no_engine_is_the_platforms_failure_and_says_the_way_out() -> None:
    done = pigpen("play", *FOUR, DOCKER_HOST="unix:///nonexistent/docker.sock")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("pigpen: No Docker engine answers.")
    assert "--sandbox process" in done.stderr


STOPPED = {signal.SIGINT: (130, "Interrupted."), signal.SIGTERM: (143, "Terminated.")}


@pytest.mark.long
@pytest.mark.parametrize("number", STOPPED, ids=lambda number: number.name)
def test_a_match_that_is_stopped_cleans_up(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "match.jsonl"
    with started("play", *FOUR, "--deals", "90000", "--sandbox", "process", "--record", str(path)) as program:
        wait_for_deals(program, path)
        stop(program, number)


def stop(program: subprocess.Popen[str], number: signal.Signals) -> None:
    """Send a signal, and see the command end as it should."""
    program.send_signal(number)
    _, errors = program.communicate(timeout=PATIENCE)
    code, text = STOPPED.get(number, (-number, ""))
    assert program.returncode == code
    assert errors.endswith(f"pigpen: {text}\n" if text else "")
    assert "Traceback" not in errors


WARM, FRESH = ((), "pigpen.instances=warm"), (("--fresh",), "seat")


@pytest.mark.docker
@pytest.mark.parametrize(
    ("killed", "number", "kind"),
    [
        pytest.param(WARM, signal.SIGTERM, FRESH, id="SIGKILL-warm-SIGTERM-fresh"),
        pytest.param(FRESH, signal.SIGTERM, WARM, id="SIGKILL-fresh-SIGTERM-warm", marks=LATER),
        pytest.param(None, signal.SIGINT, WARM, id="SIGINT-warm", marks=LATER),
        pytest.param(None, signal.SIGINT, FRESH, id="SIGINT-fresh", marks=LATER),
    ],
)
def test_no_container_outlives_a_match_that_is_stopped(
    tmp_path: Path,
    killed: tuple[tuple[str, ...], str] | None,
    number: signal.Signals,
    kind: tuple[tuple[str, ...], str],
) -> None:
    """After a kill -9 it is the next start that removes them."""
    first = play_in_containers(tmp_path / "1.jsonl", killed, signal.SIGKILL) if killed else 0
    second = play_in_containers(tmp_path / "2.jsonl", kind, number)
    assert [containers_of(pid) for pid in (first, second)] == [[], []]


def play_in_containers(path: Path, kind: tuple[tuple[str, ...], str], number: signal.Signals) -> int:
    """Play in containers of that kind until a signal; the number of the process."""
    fresh, label = kind
    words = ("cautious", "counting", "--rules", write_for_two(path.parent), "--deals", "90000", *fresh)
    with started("play", *words, "--record", str(path)) as program:
        wait_for_deals(program, path)
        assert len(containers_of(program.pid, label)) == 2
        stop(program, number)
    return program.pid


def containers_of(pid: int, *labels: str) -> list[str]:
    """Names of the containers that process *pid* started; only those with the *labels*, if any."""
    client = connect()
    try:
        found = client.api.containers(all=True, filters={"label": ["pigpen=1", *labels]})
        return [str(each["Names"]) for each in found if each["Labels"][OWNER].split(" ")[3] == str(pid)]
    finally:
        client.close()


def wait_for_deals(program: subprocess.Popen[str], path: Path) -> None:
    """Wait until the first deal has been recorded."""
    while not path.exists() or path.read_text().count("\n") < 2:
        assert program.poll() is None
        time.sleep(0.05)


def test_compare_says_which_version_is_better_and_by_how_much() -> None:
    words = ("--field", "cautious", "--elo1", "400", "--seed", "7", "--sandbox", "inline")
    done = pigpen("compare", "random", "counting", *words)
    assert done.returncode == 0, done.stderr
    assert f"counting against random: {PRESETS['gongzhu'].title}" in done.stdout
    for row in ("points per deal", "95 % at any time", "likelihood of superiority", "normalised Elo", "LLR"):
        assert row in done.stdout
    assert VERDICTS[SprtDecision.BETTER].format(new="counting", old="random", elo0=0, elo1=400) in done.stdout


@pytest.mark.parametrize(
    ("bots", "bounds", "sentence"),
    [
        pytest.param(("cautious", "random"), ("-2000", "-800"), "random is not worse than cautious by", id="worse"),
        pytest.param(("random", "cautious"), ("-400", "0"), "cautious is not worse than random by", id="better"),
    ],
)
def test_a_comparison_that_asks_for_no_regression_never_exits_with_0(
    tmp_path: Path, bots: tuple[str, str], bounds: tuple[str, str], sentence: str
) -> None:
    asked = (f"--elo0={bounds[0]}", f"--elo1={bounds[1]}", "--boards", "200", "--field", "random", "--seed", "7")
    done = pigpen("compare", *bots, *asked, "--rules", write_for_two(tmp_path), "--sandbox", "inline")
    assert sentence in " ".join(done.stdout.split())
    assert done.returncode == 1


def test_compare_in_a_sandbox_comes_to_the_same_as_in_this_process(tmp_path: Path) -> None:
    rules = write_for_two(tmp_path)
    words = ("compare", "cautious", "counting", "--boards", "2", "--rules", rules, "--seed", "7", *PATIENT, "--json")
    found = [json.loads(pigpen(*words, "--sandbox", sandbox).stdout) for sandbox in ("inline", "process")]
    assert found[0] == found[1]
    assert (found[0]["decision"], found[0]["accepted"], found[0]["boards"], found[0]["deals"]) == ("open", None, 2, 8)


def test_a_comparison_that_is_stopped_shows_what_it_has_come_to(tmp_path: Path) -> None:
    """The new version stops the command it plays in, when it has seen the boards of one batch and begun another."""
    bot = write_bot(tmp_path / "stopping", "seen(view); return view.legal[0]")
    counting = """
import os, signal, sys
def seen(view):
    sys.decisions = getattr(sys, "decisions", 0) + 1
    if sys.decisions == 600:
        os.kill(os.getpid(), signal.SIGINT)
"""
    (bot / "bot.py").write_text(counting + (bot / "bot.py").read_text())
    words = ("--field", "random", "--boards", "100", "--rules", "hearts-short", "--sandbox", "inline", "--json")
    done = pigpen_process("compare", "cautious", str(bot), *words)
    assert (done.returncode, done.stderr) == (130, "pigpen: Interrupted.\n")
    found = json.loads(done.stdout)
    assert (found["decision"], found["boards"], found["deals"]) == ("open", 8, 64)


def test_a_duel_says_by_how_much_a_bot_is_better_and_so_of_anchors(tmp_path: Path) -> None:
    rules = write_for_two(tmp_path)
    words = ("duel", "counting", "cautious", "--anchors", "random", "--boards", "4", "--rules", rules, "--seed", "7")
    shown = pigpen(*words, "--sandbox", "inline")
    assert shown.returncode == 0, shown.stderr
    for heading in ("points per deal", "95 %", "won", "Elo"):
        assert heading in " ".join(shown.stdout.split())
    found = [json.loads(pigpen(*words, *PATIENT, "--sandbox", each, "--json").stdout) for each in ("inline", "process")]
    assert found[0] == found[1]
    rows = [(row["one"], row["other"], row["boards"], row["deals"]) for row in found[0]["duels"]]
    assert rows == [("counting", "cautious", 4, 8), ("counting", "random", 4, 8), ("cautious", "random", 4, 8)]


def test_compare_exits_with_1_when_the_new_version_is_not_shown_to_be_better(tmp_path: Path) -> None:
    words = ("--boards", "2", "--rules", write_for_two(tmp_path), "--sandbox", "inline")
    done = pigpen("compare", "cautious", "cautious", *words)
    assert done.returncode == 1, done.stderr
    assert "Not decided after 2 boards" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--field", ","), "--field ',': name 1 to 3 opponents"),
        (("--field", "random,random,random,random"), "name 1 to 3 opponents for gongzhu"),
        (("--rules", "gongzhu-partners", "--field", "random,random,random"), "name 1 to 2 opponents"),
        (("--elo0", "50"), "--elo0 50 must be less than --elo1 50"),
        (("--elo1", "1e308"), "--elo1 1e+308 is out of range; write a number from -2000 to 2000."),
        (("--elo0", "-inf"), "--elo0 -inf is out of range"),
        (("--elo1", "nan"), "--elo1 nan is out of range"),
        (("--alpha", "0.5"), "--alpha 0.5 is not an error rate"),
        (("--beta", "0"), "--beta 0 is not an error rate"),
    ],
)
def test_compare_says_what_is_wrong_with_a_question(words: tuple[str, ...], sentence: str) -> None:
    done = pigpen("compare", "random", "counting", "--sandbox", "inline", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_shell_completes_commands_once_it_has_been_told_how(tmp_path: Path) -> None:
    """The shell is the one that is named, not the one from which the tests were started, which typer looks for."""
    done = pigpen_process(
        "--install-completion", "bash", HOME=str(tmp_path), _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
    )
    assert (done.returncode, done.stderr) == (0, "")
    (script,) = (tmp_path / ".bash_completions").iterdir()
    assert str(script) in (tmp_path / ".bashrc").read_text()
    words = f"source {script}; COMP_WORDS=(pigpen sub) COMP_CWORD=1; _pigpen_completion pigpen; echo ${{COMPREPLY[@]}}"
    path = f"{PIGPEN.parent}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.run(
        ["bash", "-c", words], env=environment(PATH=path), capture_output=True, text=True, check=True
    )
    assert shell.stdout.split() == ["submit", "submissions"]
