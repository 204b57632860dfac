"""What installing Pigpen stands on: no compiled file in git, and a lock that fits what the projects ask for."""

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
LOCK = (ROOT / "requirements-dev.lock").read_text()
PINS = {
    canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", LOCK, flags=re.MULTILINE)
}


def wanted() -> list[Requirement]:
    """Everything that both projects ask for, to run, to build and to be worked on."""
    lines: list[str] = []
    for folder in (ROOT, ROOT / "sdk"):
        about = tomllib.loads((folder / "pyproject.toml").read_text())
        extras = about["project"].get("optional-dependencies", {}).values()
        lines += [line for extra in extras for line in extra]
        lines += [*about["build-system"]["requires"], *about["project"]["dependencies"]]
    return [Requirement(line) for line in lines if line != "pigpen-sdk"]


@pytest.mark.parametrize("requirement", wanted(), ids=lambda requirement: requirement.name)
def test_the_lock_fits_what_is_asked_for(requirement: Requirement) -> None:
    assert requirement.specifier.contains(PINS[canonicalize_name(requirement.name)]), "run scripts/lock"


def test_the_lock_has_hashes_for_everything_and_names_no_host() -> None:
    entries = re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) > len(PINS) / 2
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"://|--(extra-)?index|--find-links", LOCK)


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
