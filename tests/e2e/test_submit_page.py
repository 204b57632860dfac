"""Every command of docs/submit.md is run, in the order in which a reader would type them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import PIGPEN, ROOT, environment, pigpen
from tests.ladder.registries import running_registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PAGE = (ROOT / "docs" / "submit.md").read_text(encoding="utf-8")
REGISTRY = "$REGISTRY"
PROCESS = "--sandbox process"


def commands() -> list[str]:
    """Those for a ladder on this machine; `test_entering` types those for a remote one."""
    here = re.sub(r"\n## To a remote ladder\n.*?(?=\n## )", "", PAGE, flags=re.DOTALL)
    blocks = re.findall(r"```sh\n(.*?)```", here, flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def run(folder: Path, *lines: str, registry: str = "") -> None:
    """Run lines one after the other: in this process, where the shell has nothing to do."""
    extra = {
        "PATH": f"{PIGPEN.parent}{os.pathsep}{os.environ['PATH']}",
        "PIGPEN_DATA_DIR": str(folder / "ladder"),
        "PIGPEN_PREFLIGHT_DEALS": "1",
        "PIGPEN_CLOCK": "600+1",
        "PIGPEN_LIMIT": "60",
        "REGISTRY": registry,
    }
    mask = os.umask(0o022)  # docker build copies modes: what it packs must be for everybody
    try:
        run_lines(folder, lines, extra)
    finally:
        os.umask(mask)


def run_lines(folder: Path, lines: Sequence[str], extra: Mapping[str, str]) -> None:
    for line in lines:
        if line.startswith("pigpen ") and "$" not in line:
            done = pigpen(*shlex.split(line)[1:], folder=folder, **extra)
        else:
            done = in_shell(line, folder, **extra)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def in_shell(line: str, folder: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
            line, shell=True, cwd=folder, env=environment(**extra), capture_output=True, text=True,
            timeout=250, check=False,
    )  # fmt: skip


def test_the_page_has_a_command_for_each_way_into_the_ladder_and_out_of_it() -> None:
    assert commands()[0] == "pigpen new mybot --like cautious"
    assert [line.split()[1] for line in commands() if line.startswith("pigpen")].count("submit") == 4
    assert sum(REGISTRY in line for line in commands()) == 3
    assert sum(PROCESS in line for line in commands()) == 1
    assert sum(line.startswith("pigpen retire") for line in commands()) == 1


@pytest.mark.timeout(900)
@pytest.mark.docker
def test_the_commands_for_folders_work_one_after_the_other(tmp_path: Path) -> None:
    run(tmp_path, *(line for line in commands() if REGISTRY not in line and PROCESS not in line))


@pytest.mark.docker
@pytest.mark.registry
def test_the_commands_for_a_registry_work_one_after_the_other(tmp_path: Path) -> None:
    with running_registry() as registry:
        run(tmp_path, commands()[0], *(line for line in commands() if REGISTRY in line), registry=registry)
    run(tmp_path, 'docker rmi --force "$REGISTRY/ada/snout:1"', registry=registry)


def test_the_commands_without_docker_work(tmp_path: Path) -> None:
    run(tmp_path, commands()[0], *(line for line in commands() if PROCESS in line))
    assert any((tmp_path / "alone").iterdir())


def test_every_file_that_is_mentioned_exists() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        file, _, part = target.partition("#")
        page = (ROOT / "docs" / (file or "submit.md")).read_text("utf-8")
        headings = [line.lstrip("# ").lower().replace(" ", "-") for line in page.splitlines() if line.startswith("#")]
        assert not part or part in headings, target
