"""The stages of `make demo`, as `scripts/demo` names them."""

from __future__ import annotations

import doctest
import os
import subprocess
from pathlib import Path

from benchmarks import demo

PRETENDED = "#!/bin/sh\nexit {code}\n"


def stages_of(folder: Path, engine: int, **settings: str) -> list[str]:
    """Run the demo with an engine script that ends so, and other programs that do nothing; the stages that it names."""
    for name, code in {
        "scripts/engine": engine,
        "scripts/runsc": 0,
        ".venv/bin/pigpen": 0,
        ".venv/bin/python": 0,
    }.items():
        program = folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(PRETENDED.format(code=code))
        program.chmod(0o755)
    script = folder / "scripts" / "demo"
    script.write_bytes((demo.ROOT / "scripts" / "demo").read_bytes())
    script.chmod(0o755)
    environment = os.environ | {"TMPDIR": str(folder)} | settings
    printed = subprocess.run([script], env=environment, capture_output=True, text=True, check=True).stdout
    return [line.removeprefix(demo.MARK) for line in printed.splitlines() if line.startswith(demo.MARK)]


def test_each_stage_is_named(tmp_path: Path) -> None:
    play = ["first match", "submissions", "matches of the ladder", "standings"]
    assert stages_of(tmp_path, 0, PIGPEN_DEMO_STAGES="1") == ["engine and gVisor", "bot image", *play]
    assert stages_of(tmp_path, 3, PIGPEN_DEMO_STAGES="1") == ["engine and gVisor", *play]
    assert stages_of(tmp_path, 0) == []


def test_a_stage_lasts_until_the_next_one() -> None:
    assert doctest.testmod(demo).attempted > 0
    assert doctest.testmod(demo).failed == 0
