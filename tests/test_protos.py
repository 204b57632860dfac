"""The wire contract: one place at the top of the tree, in every distribution, linted, and never broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from ladder.app.local.folder import wire_contract
from tests.e2e.installed.installing import copy_sources

ROOT = Path(__file__).parent.parent
CONTRACT = ROOT / "protos" / "pigpen" / "v1"
FILES = {path.name: path.read_bytes() for path in CONTRACT.glob("*.proto")}
TOP = {
    *{".ci", ".github", "benchmarks", "docs", "examples", "ladder", "pigpen_arena", "protos", "referee"},
    *{"sample_bots", "scripts", "sdk", "starter_kits", "tests"},
}
"""The folders at the top of the tree."""
REFEREE = "referee.proto"


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\0").split("\0")


def test_these_folders_stand_at_the_top_of_the_tree() -> None:
    assert {name.split("/")[0] for name in tracked() if "/" in name} == TOP
    assert {"Makefile", "pyproject.toml"} <= set(tracked())


def test_the_contract_stands_in_one_place() -> None:
    assert set(FILES) == {REFEREE, "rules.proto", "view.proto"}
    files = [ROOT / name for name in tracked() if name.endswith(".proto")]
    assert {file.parent for file in files} == {CONTRACT}


def test_the_checkout_and_a_wheel_find_it() -> None:
    """The wheel's own way is tested in `tests/e2e/installed/test_wheels.py`."""
    assert {path.name: path.read_bytes() for path in wire_contract()} == FILES


def test_a_source_distribution_and_the_wheel_made_from_it_have_it(tmp_path: Path) -> None:
    sources, made = copy_sources(tmp_path / "sources"), tmp_path / "made"
    build(sources / "sdk", "sdist", made)
    with tarfile.open(next(made.glob("*.tar.gz"))) as packed:
        packed.extractall(tmp_path / "unpacked")
    unpacked = next((tmp_path / "unpacked").iterdir())
    assert {path.name: path.read_bytes() for path in unpacked.rglob("*.proto")} == FILES
    build(unpacked, "wheel", made)
    assert protos_of_wheel(next(made.glob("*.whl"))) == FILES


def build(project: Path, target: str, to: Path) -> None:
    """Build without the compiler, which has nothing to do with the contract."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(to)]
    subprocess.run(command, cwd=project, env=os.environ | {"PIGPEN_PURE": "1"}, capture_output=True, check=True)


def protos_of_wheel(wheel: Path) -> dict[str, bytes]:
    """Its proto files, all of them in `pigpen/v1`."""
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if name.endswith(".proto")]
        assert {str(Path(name).parent) for name in names} == {"pigpen/v1"}
        return {Path(name).name: packed.read(name) for name in names}


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The contract, its generated code and the script, apart from the checkout."""
    shutil.copytree(ROOT / "protos", tmp_path / "protos")
    shutil.copytree(ROOT / "sdk" / "pigpen" / "v1", tmp_path / "sdk" / "pigpen" / "v1")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "protos", tmp_path / "scripts")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def protos(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"BIN": str(Path(sys.executable).parent)}
    command = [str(folder / "scripts" / "protos"), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def change(folder: Path, before: str, after: str) -> None:
    """Change the contract, and generate the code anew."""
    file = folder / "protos" / "pigpen" / "v1" / REFEREE
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after, 1))
    done = protos(folder)
    assert done.returncode == 0, done.stderr


ADDED = "// The card that the bot would play.\n  uint32 would_play = 99;\n\n  // Major version of this protocol"


def test_the_contract_passes_and_a_field_may_be_added(copied: Path) -> None:
    assert protos(copied, "--check").returncode == 0
    change(copied, "// Major version of this protocol", ADDED)
    done = protos(copied, "--check")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("uint32 protocol = 90;", id="another number"),
        pytest.param("string protocol = 1;", id="another type"),
        pytest.param("uint32 major = 1;", id="another name"),
        pytest.param("uint32 protocol = 1;\n  uint32 unexplained = 99;", id="a field without a comment"),
    ],
)
def test_a_change_that_breaks_bots_or_explains_nothing_is_refused(copied: Path, after: str) -> None:
    change(copied, "uint32 protocol = 1;", after)
    done = protos(copied, "--check")
    assert done.returncode != 0
    assert f"protos/pigpen/v1/{REFEREE}:" in done.stdout


def test_stale_code_is_named(copied: Path) -> None:
    with (copied / "protos" / "pigpen" / "v1" / REFEREE).open("a") as file:
        file.write("\n// A message.\nmessage More {}\n")
    done = protos(copied, "--check")
    assert (done.returncode, "referee_pb2.py is stale" in done.stderr) == (1, True)


def test_a_release_notes_its_contract(copied: Path) -> None:
    """On the tag of a release the contract must be the noted one: the next change is compared with it."""
    change(copied, "// Major version of this protocol", ADDED)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("add", "."), (*identity, "commit", "--quiet", "-m", "all"), ("tag", "v9.9.9")):
        subprocess.run(["git", *words], cwd=copied, check=True)
    assert protos(copied, "--check").returncode == 1
    assert protos(copied, "--released").returncode == 0
    assert protos(copied, "--check").returncode == 0
