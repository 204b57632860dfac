"""Requirements of installing Pigpen: no compiled file in git, and locks that fit the projects' dependencies."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hatch_engine import wheel_tag

ROOT = Path(__file__).parent.parent
LOCKS = {extra: (ROOT / f"requirements-{extra}.lock").read_text() for extra in ("dev", "docs")}
"""That of the extra `docs` is installed beside the other one, which has all the rest."""
PINNED = re.compile(r"^([\w.-]+)==([\w.]+)", flags=re.MULTILINE)


def pins(lock: str) -> dict[str, str]:
    """Each distribution's version."""
    return {canonicalize_name(name): version for name, version in PINNED.findall(lock)}


def wanted() -> list[tuple[str, Requirement]]:
    """Everything that both projects ask for, to run, to build and to be worked on, and the lock that has it."""
    lines: list[tuple[str, str]] = []
    for folder in (ROOT, ROOT / "sdk"):
        about = tomllib.loads((folder / "pyproject.toml").read_text())
        for extra, asked in about["project"].get("optional-dependencies", {}).items():
            lines += [("docs" if extra == "docs" else "dev", line) for line in asked]
        needed = [*about["build-system"]["requires"], *about["project"]["dependencies"]]
        lines += [("dev", line) for line in needed if line != "pigpen-sdk"]
    return [(lock, Requirement(line)) for lock, line in lines]


@pytest.mark.parametrize(("lock", "requirement"), wanted(), ids=lambda value: getattr(value, "name", value))
def test_a_lock_fits_what_is_asked_for(lock: str, requirement: Requirement) -> None:
    assert requirement.specifier.contains(pins(LOCKS[lock])[canonicalize_name(requirement.name)]), "run scripts/lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_hashes_for_everything_and_names_no_host(lock: str) -> None:
    entries = re.split(r"^(?=[a-z])", LOCKS[lock], flags=re.MULTILINE)[1:]
    assert len(entries) > len(pins(LOCKS[lock])) / 2
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"://|--(extra-)?index|--find-links", LOCKS[lock])


def test_what_both_locks_hold_has_one_version() -> None:
    dev, docs = (set(pins(LOCKS[lock]).items()) for lock in ("dev", "docs"))
    assert {name for name, _ in docs - dev} & {name for name, _ in dev} == set()


def test_no_compiled_file_is_in_git() -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]
    compiled = (b"\x7fELF", b"MZ\x90", b"\xcf\xfa\xed\xfe", b"\0asm", b"!<arch>")
    assert len(files) > 100
    assert [file for file in files if file.read_bytes().startswith(compiled)] == []


@pytest.mark.parametrize(
    ("platform", "tag"),
    [
        ("linux-x86_64", "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"),
        ("linux-aarch64", "py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"),
        ("linux-riscv64", "py3-none-any"),
        ("macosx-14.0-arm64", "py3-none-any"),
        ("win-amd64", "py3-none-any"),
    ],
)
def test_a_wheel_names_the_platform_on_which_its_engine_runs(platform: str, tag: str) -> None:
    assert wheel_tag(platform) == tag
