"""Every command of docs/submit.md is run, in the order in which a reader would type them."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import PIGPEN, ROOT, environment
from tests.ladder.registries import running_registry

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs" / "submit.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL) for line in block.splitlines()]


@pytest.mark.docker
@pytest.mark.registry
def test_the_commands_work_one_after_the_other(tmp_path: Path) -> None:
    assert len(COMMANDS) == 10
    with running_registry() as registry:
        extra = {
            "PATH": f"{PIGPEN.parent}{os.pathsep}{os.environ['PATH']}",
            "PIGPEN_DATA_DIR": str(tmp_path / "ladder"),
            "PIGPEN_PREFLIGHT_BOARDS": "1",
            "REGISTRY": registry,
        }
        for command in COMMANDS:
            done = subprocess.run(
                command, shell=True, cwd=tmp_path, env=environment(**extra), capture_output=True, text=True,
                timeout=250, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert (tmp_path / "alone" / "ladder.db").is_file()
    subprocess.run(["docker", "rmi", "--force", f"{registry}/ada/snout:1"], check=True, capture_output=True)


def test_every_file_that_is_mentioned_exists() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).is_file(), target
