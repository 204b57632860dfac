"""Both wheels, made from a copy of the sources and installed in an empty environment outside the checkout."""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import httpx
import pytest

from ladder.app.ladder import Ladder
from ladder.app.remote.login import NOT_LOGGED_IN
from ladder.cli.failures import EXTRAS
from ladder.sandbox.docker.referee_container import installed_arena
from ladder.settings.settings import load_settings
from tests.e2e.command import ROOT, environment
from tests.e2e.installed.installing import COMPILED, Installation, copy_sources, make_wheels
from tests.ladder.accounts import add_person, token_of
from tests.ladder.remote_site import log_in, served
from tests.ladder.shown import a_ladder
from tests.waiting import PATIENCE

TABLE = ("random", "cautious", "counting", "random")
ALONE = {
    "check random --sandbox inline --rules hearts": "All 16 cases passed.",
    "compare random counting --sandbox inline --boards 2": "counting against random",
    "duel random counting --sandbox inline --boards 2": "points per deal",
    "replay one.jsonl --plain": "Points per deal",
    "rerun one.jsonl 0 cautious --sandbox inline": "decisions",
    "why one.jsonl 0 --worst 1": "step",
    "new mybot": "Made mybot with Dockerfile, bot.py.",
    "new theirs --like node": "protos",
    "new fast --lang cpp": "bot.cpp",
    "rules": "chinese-hearts",
}
"""Commands of contestants without a ladder, each with a part of its output."""
QUICK = {
    "pigpen_arena.examples.train": ("--steps", "20"),
    "duel": ("--boards", "2", "--sandbox", "inline"),
    "check": ("--sandbox", "inline", "--limit", "60"),
}
"""Words at the end of the commands of docs/learn.md."""
LATER = ("standings --local", "ladder tables", "db check", "up", "account add ada", "account list")
"""Commands of a ladder that say the same as others."""
TYPED = {
    "pigpen_sdk": {"pigpen/py.typed", "pigpen/v1/referee_pb2.pyi", "pigpen/v1/rules_pb2.pyi", "pigpen/v1/view_pb2.pyi"},
    "pigpen_arena": {"ladder/py.typed", "referee/py.typed"},
}
"""The files of each wheel that tell type checkers to read its types."""
TOP = {"pigpen_sdk": {"pigpen"}, "pigpen_arena": {"ladder", "pigpen_arena", "referee"}}
"""The folders that each wheel puts into site-packages, besides what tells pip about it."""
COPIED = ("sample_bots", "starter_kits")
"""Folders of bots to copy."""
CONTRACT = {"pigpen/v1/referee.proto", "pigpen/v1/rules.proto", "pigpen/v1/view.proto"}
FOR_LADDERS = ("alembic", "numpy", "orjson", "psycopg", "sqlalchemy", "threadpoolctl")


def test_the_same_sources_give_the_same_wheels_in_any_folder(wheels: dict[str, Path], tmp_path: Path) -> None:
    again = make_wheels(copy_sources(tmp_path / "a folder of another name"))
    assert {wheel.name for wheel in again.values()} == {wheel.name for wheel in wheels.values()}
    assert all(again[name].read_bytes() == wheel.read_bytes() for name, wheel in wheels.items())


def test_a_wheel_holds_what_is_compiled_for_both_machines(wheels: dict[str, Path]) -> None:
    held: dict[str, bytes] = {}
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as packed:
            held |= {Path(name).name: packed.read(name) for name in packed.namelist() if Path(name).suffix != ".py"}
    for file in COMPILED:
        assert held[file.name] == file.read_bytes(), f"{file.name} is not what the sources give: run scripts/venv"


def test_a_wheel_holds_all_that_the_site_is_made_of(wheels: dict[str, Path]) -> None:
    site = ROOT / "ladder" / "site"
    files = [file for file in site.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    assert {".html", ".css", ".js", ".mjs", ".svg", ".po"} < {file.suffix for file in files}
    with zipfile.ZipFile(wheels["pigpen_arena"]) as packed:
        held = {name: packed.read(name) for name in packed.namelist() if name.startswith("ladder/site/")}
    assert held == {str(file.relative_to(ROOT)): file.read_bytes() for file in files}


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as packed:
        return set(packed.namelist())


@pytest.mark.parametrize("distribution", TOP)
def test_a_wheel_installs_no_package_of_a_name_that_others_may_have(wheels: dict[str, Path], distribution: str) -> None:
    tops = {name.partition("/")[0] for name in names_in(wheels[distribution])}
    assert {top for top in tops if not top.endswith(".dist-info")} == TOP[distribution]


def test_the_bots_to_copy_are_data_of_a_package(wheels: dict[str, Path]) -> None:
    done = subprocess.run(["git", "ls-files", "-z", *COPIED], cwd=ROOT, capture_output=True, text=True, check=True)
    files = done.stdout.rstrip("\0").split("\0")
    assert {name.partition("/")[0] for name in files} == set(COPIED)
    with zipfile.ZipFile(wheels["pigpen_arena"]) as packed:
        held = {name: packed.read(name) for name in packed.namelist() if name.split("/")[1] in COPIED}
    assert held == {f"pigpen_arena/{name}": (ROOT / name).read_bytes() for name in files}


def build(project: Path, target: str, to: Path) -> Path:
    """Build a distribution with the compiler that is here, and give its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(to)]
    subprocess.run(command, cwd=project, capture_output=True, check=True)
    (made,) = to.iterdir()
    return made


def test_the_wheel_made_of_a_source_distribution_is_the_same(wheels: dict[str, Path], tmp_path: Path) -> None:
    with tarfile.open(build(copy_sources(tmp_path / "sources"), "sdist", tmp_path / "sdist")) as packed:
        packed.extractall(tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert set(COPIED) < {path.name for path in unpacked.iterdir()}
    assert build(unpacked, "wheel", tmp_path / "wheel").read_bytes() == wheels["pigpen_arena"].read_bytes()


def test_an_editable_install_reads_the_checkout_and_copies_nothing(tmp_path: Path) -> None:
    sources = copy_sources(tmp_path / "sources")
    with zipfile.ZipFile(build(sources, "wheel:editable", tmp_path / "made")) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
        assert [packed.read(name).decode().strip() for name in names] == [str(sources)]


def test_the_container_of_the_referee_gets_the_same_files_from_a_checkout_and_from_a_wheel(
    installation: Installation, tmp_path: Path
) -> None:
    code = (
        "from pathlib import Path; from ladder.sandbox.docker.referee_container import installed_arena;"
        "print(installed_arena().write_wheels(Path({!r})))"
    )
    there = names_in(Path(installation.python(code.format(str(tmp_path)))))
    here = names_in(installed_arena().write_wheels(tmp_path))
    assert here == there
    assert {f"pigpen_arena/{name}" for name in ("sample_bots/random/bot.py", "starter_kits/go/bot.go")} < here


@pytest.mark.parametrize("distribution", TYPED)
def test_a_wheel_tells_type_checkers_that_it_has_types(wheels: dict[str, Path], distribution: str) -> None:
    assert TYPED[distribution] - names_in(wheels[distribution]) == set()


def test_the_sdk_has_the_wire_contract_for_bots_in_other_languages(wheels: dict[str, Path]) -> None:
    assert {name for name in names_in(wheels["pigpen_sdk"]) if name.endswith(".proto")} == CONTRACT


def test_only_the_sdk_is_bound_to_a_platform(wheels: dict[str, Path]) -> None:
    assert f"musllinux_1_1_{platform.machine()}" in wheels["pigpen_sdk"].name
    assert wheels["pigpen_arena"].name.endswith("-py3-none-any.whl")


def test_without_a_compiler_the_wheels_are_pure(tmp_path: Path) -> None:
    pure = make_wheels(copy_sources(tmp_path / "sources"), PIGPEN_PURE="1")
    assert {wheel.name.partition("-py3-")[2] for wheel in pure.values()} == {"none-any.whl"}
    for distribution, wheel in pure.items():
        names = names_in(wheel)
        assert not {Path(name).name for name in names} & {file.name for file in COMPILED}
        assert TYPED[distribution] - names == set()


def test_nothing_of_the_checkout_is_used(installation: Installation) -> None:
    found = installation.python(
        "import pigpen, referee, ladder; print(pigpen.__file__, referee.__file__, ladder.__file__)"
    )
    assert all(Path(file).is_relative_to(installation.folder) for file in found.split())


def test_what_a_site_hands_out_is_installed_from_there_and_checked(
    installation: Installation, wheels: dict[str, Path]
) -> None:
    for name, wheel in wheels.items():
        code = f"import importlib.metadata as m; print(m.distribution({name!r}).read_text('direct_url.json'))"
        found = json.loads(installation.python(code))
        assert found["url"].startswith("http://127.0.0.1:")
        assert found["url"].endswith(f"/wheels/{wheel.name}")
        assert found["archive_info"]["hashes"] == {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}


def test_the_accelerated_engine_runs(installation: Installation) -> None:
    assert installation.python("import pigpen; print(pigpen.is_accelerated())") == "True"


def test_processes_play(installation: Installation) -> None:
    done = installation.run("pigpen", "play", *TABLE, "--deals", "1", "--sandbox", "process", "--record", "match.jsonl")
    assert done.returncode == 0, done.stderr
    verified = installation.run("pigpen", "verify", "match.jsonl")
    assert verified.returncode == 0, verified.stderr


@pytest.fixture(scope="module")
def recorded(installation: Installation) -> Installation:
    """The environment, where one deal has been played and recorded."""
    words = ("play", *TABLE, "--deals", "1", "--seed", "1", "--sandbox", "inline", "--record", "one.jsonl")
    done = installation.run("pigpen", *words)
    assert done.returncode == 0, done.stderr
    return installation


@pytest.mark.parametrize("line", ALONE)
def test_contestants_need_no_extra(recorded: Installation, line: str) -> None:
    done = recorded.run("pigpen", *line.split())
    assert done.returncode == (1 if line.startswith("compare") else 0), done.stderr
    assert ALONE[line] in done.stdout


def test_the_example_that_learns_needs_no_checkout(installation: Installation) -> None:
    text = (ROOT / "docs" / "learn.md").read_text("utf-8").partition("## An example that learns")[2]
    lines = text.partition("```\n")[2].partition("```")[0].splitlines()
    commands = [shlex.split(line, comments=True) for line in lines if not line.startswith("export ")]
    assert len(commands) == 5
    with installation.lent("numpy"):
        for command in commands:
            done = installation.run(*command, *QUICK[command[2] if command[0] == "python" else command[1]])
            assert done.returncode == 0, done.stdout + done.stderr


def test_contestants_use_a_remote_ladder(installation: Installation, tmp_path: Path) -> None:
    with Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder:
        with ladder.database.write() as session:
            a_ladder(session, matches=1)
        add_person(ladder, "zoe")
        with served(ladder) as address:
            login = log_in(tmp_path / "config", address, "zoe", token_of(ladder, "zoe"))
            for command, shown in (("standings", "Trotter"), ("submissions", "There are no submissions.")):
                done = installation.run("pigpen", command, **login)
                assert (done.returncode, done.stderr) == (0, "")
                assert shown in done.stdout


@pytest.mark.docker
def test_containers_play(installation: Installation) -> None:
    done = installation.run("pigpen", "play", *TABLE, "--deals", "1")
    assert done.returncode == 0, done.stderr
    assert "counting" in done.stdout


def test_the_site_is_served(installation: Installation, tmp_path: Path) -> None:
    # What ladders need is borrowed from here; the checkout is not, because paths of this kind have no .pth files.
    lent = environment(PYTHONPATH=sysconfig.get_path("purelib"), PIGPEN_DATA_DIR=str(tmp_path / "ladder"))
    command: list[str | Path] = [installation.folder / "bin" / "pigpen", "serve", "--port", "0"]

    def get(address: str) -> str:
        return httpx.get(address, trust_env=False, timeout=PATIENCE).raise_for_status().text

    with subprocess.Popen(command, cwd=tmp_path, env=lent, stdout=subprocess.PIPE, text=True) as site:
        try:
            assert site.stdout is not None
            address = site.stdout.readline().split()[-1]
            english, chinese = (get(f"{address}help?lang={language}") for language in ("en", "zh"))
            style = get(address + english.partition('<link rel="stylesheet" href="/')[2].partition('"')[0])
        finally:
            site.terminate()
    assert "<h1>Help</h1>" in english
    assert "<h1>帮助</h1>" in chinese
    assert "color-scheme" in style


def test_it_makes_the_same_bot_base_image_as_a_checkout(installation: Installation) -> None:
    code = "from ladder.sandbox.docker.base_image import BaseImage; print(BaseImage().content())"
    here = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert installation.python(code) == here.stdout.strip()


def test_a_contestant_gets_nothing_that_only_ladders_need(installation: Installation) -> None:
    code = f"import importlib.util as util; print([name for name in {FOR_LADDERS} if util.find_spec(name)])"
    assert installation.python(code) == "[]"


@pytest.mark.parametrize(
    "words",
    [
        "ladder run --matches 1",
        "submit random --sandbox process --local",
        "serve",
        *(pytest.param(words, marks=pytest.mark.long) for words in LATER),
    ],
)
def test_a_ladders_command_says_what_to_install(installation: Installation, wheels_site: str, words: str) -> None:
    done = installation.run("pigpen", *words.split())
    assert done.returncode == 2
    assert done.stderr == f"pigpen: {EXTRAS['ladder'].format(f'pip install -r {wheels_site}/wheels/ladder.txt')}\n"


def test_a_command_of_remote_ladders_asks_for_a_log_in(installation: Installation) -> None:
    done = installation.run("pigpen", "standings")
    assert (done.returncode, done.stderr) == (2, f"pigpen: {NOT_LOGGED_IN}\n")


def test_a_workers_command_says_what_to_install(installation: Installation, wheels_site: str) -> None:
    done = installation.run("pigpen", "worker", "tls://10.0.0.1:8786", "--certificate", "mars.pem")
    assert done.returncode == 2
    assert done.stderr == f"pigpen: {EXTRAS['worker'].format(f'pip install -r {wheels_site}/wheels/worker.txt')}\n"
