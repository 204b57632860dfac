"""`scripts/python`: which Python .venv is made with, asked of programs that say what a Python says of itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

READY = ".venv/.ready"
SCRIPT = Path(__file__).parent.parent / "scripts" / "python"


def a_python(file: Path, version: int, speed: str, *, can_make_venv: bool = True) -> Path:
    """Write a program that answers the script's questions."""
    answer = f'echo "{version} {speed} {file}"'
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        f'#!/bin/sh\ncase "$2" in *CONFIG_ARGS*) {answer} ;; *) {"true" if can_make_venv else "false"} ;; esac\n'
    )
    file.chmod(0o755)
    return file


def chosen(tmp_path: Path, system: Path, named: Path | str | None = None) -> tuple[str, str]:
    """Ask the script; returns the path that it prints, and what it says."""
    environment = {"PATH": f"{tmp_path}/bin:{os.defpath}"} | ({"PYTHON": str(named)} if named else {})
    done = subprocess.run([SCRIPT, system], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr


def test_an_optimized_python_of_the_path_is_taken(tmp_path: Path) -> None:
    mine = a_python(tmp_path / "bin" / "python3", 311, "fast")
    assert chosen(tmp_path, a_python(tmp_path / "system", 312, "fast")) == (str(mine), "")


@pytest.mark.parametrize("speed", ["fast", "slow"], ids=["says so", "does not say so"])
def test_the_systems_is_taken_if_that_of_the_path_is_not_optimized(tmp_path: Path, speed: str) -> None:
    mine = a_python(tmp_path / "bin" / "python3", 311, "slow")
    system = a_python(tmp_path / "system", 311, speed)
    path, printed = chosen(tmp_path, system)
    assert path == str(system)
    assert f"Taking {system}" in printed
    assert f"PYTHON={mine}" in printed


@pytest.mark.parametrize("why", ["missing", "older", "cannot make an environment"])
def test_the_systems_is_left_if_it_does_not_do(tmp_path: Path, why: str) -> None:
    mine = a_python(tmp_path / "bin" / "python3", 312, "slow")
    system = tmp_path / "system"
    if why != "missing":
        a_python(system, 311 if why == "older" else 312, "fast", can_make_venv=why == "older")
    assert chosen(tmp_path, system) == (str(mine), "")


def test_a_python_that_is_named_is_taken(tmp_path: Path) -> None:
    a_python(tmp_path / "bin" / "python3", 311, "fast")
    named = a_python(tmp_path / "with a space" / "python3", 311, "slow")
    assert chosen(tmp_path, a_python(tmp_path / "system", 312, "fast"), named) == (str(named), "")


@pytest.mark.parametrize("named", ["old", "missing"])
def test_a_python_that_does_not_do_is_refused_with_one_sentence(tmp_path: Path, named: str) -> None:
    a_python(tmp_path / "old", 310, "fast")
    with pytest.raises(subprocess.CalledProcessError) as error:
        chosen(tmp_path, a_python(tmp_path / "system", 312, "fast"), tmp_path / named)
    assert error.value.returncode == 2
    assert error.value.stdout == ""
    assert error.value.stderr.count("\n") == 1
    assert "Python 3.11" in error.value.stderr
    assert "make PYTHON=" in error.value.stderr


def test_make_takes_a_python_that_is_named_also_where_there_is_an_environment(tmp_path: Path) -> None:
    (tmp_path / "Makefile").symlink_to(SCRIPT.parent.parent / "Makefile")
    for name in ("pyproject.toml", "hatch_build.py", "requirements-dev.lock", "scripts/venv", "scripts/python", READY):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert typed(tmp_path, "demo") == ["scripts/demo"]
    assert typed(tmp_path, "demo", f"PYTHON={sys.executable}")[0] == "scripts/venv"


def typed(folder: Path, *words: str) -> list[str]:
    """Give the commands that `make` would run."""
    environment = {"PATH": os.environ["PATH"]}  # a make that runs the tests says so in its own variables
    make = ["make", "--dry-run", *words]
    done = subprocess.run(make, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_real_script_finds_a_python_that_runs() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON"}
    done = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=True)
    ran = subprocess.run(
        [done.stdout.strip(), "-c", "import sys; print(sys.version_info >= (3, 11))"], capture_output=True
    )
    assert ran.stdout == b"True\n"
