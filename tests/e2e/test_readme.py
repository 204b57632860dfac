"""Every command of the README and of docs/guide.md is run, in the order in which a reader would type them."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.command import PIGPEN, ROOT, environment, pigpen

BOTS = ("Trotter", "Snout", "Truffle", "Acorn", "Mud")
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
"""Has the commands of the README, and more between them."""
OPENSPIEL = "pigpen play ./mybot ./examples/openspiel counting cautious"
SHORTER = {
    "pigpen ladder run --matches 10": "--matches 1",
    "pigpen play ./mybot random cautious counting --rules gongzhu --boards 8 --seed 7": "--boards 1 --sandbox inline",
    "pigpen play ./mybot counting counting counting --rules hearts --boards 50 --sandbox inline": "--boards 1",
    f"{OPENSPIEL} --rules hearts --boards 2 --limit 60 --clock 900 --sandbox inline": "--boards 1",
    "pigpen play random cautious counting ./mybot --rules mine.toml --boards 4 --sandbox process": "--boards 1",
    "pigpen check ./mybot": "--sandbox inline",
    "pigpen play random cautious counting ./mybot --seed 7 --record match.jsonl": "--boards 4 --sandbox inline",
    "pigpen play random cautious counting ./mybot --record long.jsonl": "--boards 2 --sandbox inline",
    "pigpen duel ./mybot counting --anchors random --rules hearts --boards 24 --sandbox inline --seed 7": "--boards 2",
    "pigpen compare ./mybot counting --field cautious --sandbox inline --seed 7": "--elo1 400",
    "pigpen rerun match.jsonl mybot ./mybot --board 3": "--sandbox inline",
    "pigpen why match.jsonl mybot --worst 3": "--board 3",
}
"""
Words at the end of each of these commands in each push: as much as those after it look at.

Containers play the match that `--resume` continues.
"""
QUICK_LADDER = {
    "PIGPEN_SANDBOX": "process", "PIGPEN_WORKERS": "1", "PIGPEN_CONCURRENCY": "1", "PIGPEN_PREFLIGHT_DEALS": "1",
    "PIGPEN_CLOCK": "600+1", "PIGPEN_LIMIT": "60",  # processes are timed by the wall
}  # fmt: skip
"""Ladder in processes; test_ladder_engine.py and tests/ladder/cli/test_packages.py play in containers, too."""
ONLY_THE_MATCH = """#!/bin/sh
[ "$1" != play ] || exec {pigpen} "$@"
echo "$PIGPEN_SANDBOX: $*" >&2
exit 1
"""
"""Plays the demo's first match, and only says what comes next."""
PATIENCE = 900
"""Seconds for all of a test, on a machine that is busy with other things, too."""
OTHER_LADDER = "Enter a bot in another ladder"
SDK_README = (ROOT / "sdk" / "README.md").read_text(encoding="utf-8")


def blocks(language: str, text: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def section(text: str, heading: str) -> str:
    """Give the text below a heading."""
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def commands(text: str) -> list[str]:
    """All but those of another ladder, which test_entering.py types."""
    text = text.replace(section(text, OTHER_LADDER), "")
    lines = [line.partition(" #")[0].strip() for block in blocks("sh", text) for line in block.splitlines()]
    return [line for line in lines if line]


def run(command: str, folder: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a command; if it uses a ladder, then one in *folder*."""
    path = f"{PIGPEN.parent}{os.pathsep}{os.environ['PATH']}"
    variables = environment(PATH=path, PIGPEN_DATA_DIR=str(folder / "ladder"), PIGPEN_PREFLIGHT_DEALS="1") | extra
    return subprocess.run(
        command, shell=True, cwd=folder, env=variables, capture_output=True, text=True, timeout=PATIENCE - 20,
        check=False,
    )  # fmt: skip


def run_pigpen(command: str, folder: Path, ladder: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run ``pigpen …``, or ``pigpen … > FILE``, as `run` does, with a board a match; in this process."""
    command, _, file = command.partition(" > ")
    words = shlex.split(command)
    variables = {"PIGPEN_DATA_DIR": str(folder / "ladder"), "PIGPEN_BOARDS": "1"}
    done = pigpen(*words[1:], folder=folder, **variables, **({} if words[1] == "play" else ladder))
    if file:
        (folder / file.strip()).write_text(done.stdout)
    return done


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README.md", "docs/guide.md"])
def test_it_holds_no_command_that_nobody_tries(text: str) -> None:
    assert {command.split()[0] for command in commands(text)} == {"make", "pigpen"}
    assert [command for command in commands(text) if command.startswith("make")] == ["make demo", "make test"]
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_commands_of_the_readme_are_in_the_guide_in_the_same_order() -> None:
    rest = iter(commands(GUIDE))
    assert [command for command in commands(README) if command not in rest] == []


def test_the_readme_fits_on_two_screens() -> None:
    assert len(README.splitlines()) <= 2 * 50


def interrupt(path: Path) -> None:
    """Leave of a finished match what there was of it when two deals were missing."""
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-3]))
    path.with_name(f"{path.name}.seed").write_text(json.loads(lines[-1])["seed"])


def look_at_the_site(folder: Path) -> None:
    """Type ``pigpen up``, look at the standings in the browser, press Ctrl-C."""
    variables = environment(PIGPEN_DATA_DIR=str(folder / "ladder"), PIGPEN_BOARDS="1")
    with subprocess.Popen([PIGPEN, "up"], cwd=folder, env=variables, stdout=subprocess.PIPE, text=True) as up:
        assert up.stdout is not None
        address = up.stdout.readline().removeprefix("The site is at ").strip()
        with urllib.request.urlopen(f"{address}v/gongzhu", timeout=PATIENCE) as page:
            assert "Trotter" in page.read().decode()
        up.send_signal(signal.SIGINT)
        up.send_signal(signal.SIGTERM)  # at once: other tests try how a match ends in order
        assert up.wait(PATIENCE) == 0


@pytest.mark.docker
@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("as_written", [False, pytest.param(True, marks=pytest.mark.long)], ids=["short", "as written"])
def test_the_pigpen_commands_work_one_after_the_other(
    tmp_path: Path, as_written: bool, request: pytest.FixtureRequest
) -> None:
    if not as_written:
        request.getfixturevalue("few_playouts")
    tried = [command for command in commands(GUIDE) if command.startswith("pigpen")]
    assert len(tried) >= 20
    assert set(SHORTER) <= set(tried)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command in tried:
        if "--resume" in command:
            interrupt(tmp_path / "long.jsonl")
        if command == "pigpen up":  # in each push, test_up.py types it
            if as_written:
                look_at_the_site(tmp_path)
            continue
        typed = command if as_written else f"{command} {SHORTER.get(command, '')}"
        done = run_pigpen(typed, tmp_path, {} if as_written else QUICK_LADDER)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert re.findall(r"(?:illegal|malformed|gone): .*", done.stdout) == []  # a slow machine may make a bot late
    for name, boards in (("match", 4), ("long", 2)):
        assert (tmp_path / f"{name}.jsonl").read_text().count('"type":"deal"') == (64 if as_written else 4 * boards)


@pytest.mark.docker
def test_the_demo_uses_containers_where_an_engine_answers(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    for script in ("demo", "engine", "runsc"):
        (tmp_path / "scripts" / script).symlink_to(ROOT / "scripts" / script)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "pigpen").write_text(ONLY_THE_MATCH.format(pigpen=PIGPEN))
    (tmp_path / ".venv" / "bin" / "pigpen").chmod(0o755)
    done = run("scripts/demo", tmp_path, PIGPEN_DEMO_FORMAT="--deals 1", TMPDIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (1, "docker: submit counting --name Trotter --owner ada\n")
    assert "process sandboxes" not in done.stdout
    assert "│ counting " in done.stdout


@pytest.mark.docker
@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_make_demo_plays_a_match_and_a_small_ladder_in_containers(tmp_path: Path) -> None:
    done = run("make demo", ROOT, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("counting", "cautious", "random", "random#2"):
        assert f"│ {name} " in done.stdout
    assert "process sandboxes" not in done.stdout
    assert standings(done.stdout, tmp_path, 16) == sorted(BOTS)
    look_at_the_demo(done.stdout)


@pytest.mark.timeout(PATIENCE)
def test_make_demo_plays_in_processes_where_no_engine_answers(tmp_path: Path) -> None:
    nothing = {"DOCKER_HOST": "unix:///nonexistent/docker.sock", "PIGPEN_NO_INSTALL": "1", "TMPDIR": str(tmp_path)}
    nothing |= {"PIGPEN_DEMO_MATCHES": "1", "PIGPEN_DEMO_FORMAT": "--deals 1"} | QUICK_LADDER
    done = run("make demo", ROOT, **nothing)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "in process sandboxes instead" in done.stdout
    assert "│ counting " in done.stdout
    assert standings(done.stdout, tmp_path, 1) == sorted(BOTS)
    look_at_the_demo(done.stdout)


def look_at_the_demo(printed: str) -> None:
    """Type the last line of the demo, and look at its standings in the browser."""
    lines = [line.strip() for line in printed.splitlines() if not line.startswith("make[")]  # of a make within a make
    command, variables = lines[-1], environment()
    assert command.endswith(".venv/bin/pigpen serve")
    with subprocess.Popen(
        f"exec env {command} --port 0", shell=True, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True
    ) as site:
        assert site.stdout is not None
        address = site.stdout.readline().removeprefix("The site is at ").strip()
        with urllib.request.urlopen(f"{address}v/gongzhu", timeout=PATIENCE) as page:
            assert "Trotter" in page.read().decode()
        site.terminate()


def standings(printed: str, folder: Path, matches: int) -> list[str]:
    """The bots in the table at the end of the demo, after all its matches, in a ladder in *folder*."""
    (where,) = re.findall(
        rf"A small ladder in (\S+): five bots of five owners, {matches} matches of one board", printed
    )
    assert Path(where).parent == folder
    assert f"(gongzhu): {matches} match" in printed
    return sorted(re.findall(rf"^ +[1-5] +(?:[\d–]+ +)?({'|'.join(BOTS)}) ", printed, flags=re.MULTILINE))


def test_the_bots_of_the_readmes_play(tmp_path: Path) -> None:
    bots = [*blocks("python", GUIDE), *blocks("python", SDK_README)]
    assert len(bots) == 5
    assert set(blocks("python", README)) <= set(bots)
    for number, code in enumerate(bots):
        (tmp_path / f"shown{number}").mkdir()
        (tmp_path / f"shown{number}" / "bot.py").write_text(code)
    for seats in (range(4), range(1, 5)):
        words = (*(f"./shown{number}" for number in seats), "--deals", "2", "--sandbox", "process", "--rules", "hearts")
        done = pigpen("play", *words, folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "fault:" not in done.stdout


def sections(text: str) -> set[str]:
    """By what names links lead to the headings of a page."""
    headings = re.findall("^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ["README.md", "SECURITY.md", "CONTRIBUTING.md", "sdk/README.md", "docs/guide.md"])
def test_every_file_and_name_that_is_mentioned_exists(page: str) -> None:
    import pigpen

    text = (ROOT / page).read_text(encoding="utf-8")

    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, section = target.partition("#")
        place = (ROOT / page).parent / file if file else ROOT / page
        assert place.is_dir() or place.stat().st_size > 0, target
        assert not section or section in sections(place.read_text(encoding="utf-8")), target
    for name in re.findall(r"`view\.(\w+)", text):
        assert hasattr(pigpen.View, name), name
