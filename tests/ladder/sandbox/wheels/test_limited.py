"""A program that would run for ever, or fill the disk, is ended."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.wheels.installed import RunLimits, run


def python(text: str, folder: Path, **limits: float) -> tuple[int, str]:
    return run((sys.executable, "-c", text), {"MINE": "1"}, folder, RunLimits(**limits))  # type: ignore[arg-type]


def test_it_gives_the_exit_code_and_the_end_of_the_output(tmp_path: Path) -> None:
    text = "import os, sys; print('x' * 100_000, flush=True); sys.exit(f'{sorted(os.environ)}')"
    code, output = python(text, tmp_path)
    assert (code, len(output)) == (1, 64 * 1024)
    assert "MINE" in output
    assert "HOME" not in output


def test_one_that_runs_for_ever_is_ended_with_what_it_started(tmp_path: Path) -> None:
    text = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).wait()"
    with pytest.raises(SandboxError, match="took longer than 0 seconds"):
        python(text, tmp_path, seconds=0.0)


def test_one_that_writes_too_much_into_many_files_is_ended(tmp_path: Path) -> None:
    text = "for n in range(10**9):\n with open(str(n), 'wb') as file: file.write(bytes(100_000))"
    with pytest.raises(BotRejected, match=r"at least .*, unpacked; the limit is 1,048,576 bytes"):
        python(text, tmp_path, max_bytes=1 << 20)


def test_one_that_writes_too_many_files_is_ended(tmp_path: Path) -> None:
    text = "for n in range(10**9): open(str(n), 'wb').close()"
    with pytest.raises(BotRejected, match="more than 100 files"):
        python(text, tmp_path, max_files=100)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits other processes")
def test_no_file_can_grow_beyond_the_limit(tmp_path: Path) -> None:
    text = (
        "import os, resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "while resource.getrlimit(resource.RLIMIT_FSIZE)[0] < 0: pass\n"
        "with open('x', 'wb') as file:\n while True: file.write(bytes(1 << 16))"
    )
    with pytest.raises(BotRejected, match="at least 2,097,153 bytes, unpacked; the limit is 1,048,576 bytes"):
        python(text, tmp_path, max_bytes=1 << 20)
    assert (tmp_path / "x").stat().st_size <= 1 << 20


def test_a_program_that_is_missing_is_the_platforms_failure(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="/nonesuch/uv could not be started: No such file"):
        run(("/nonesuch/uv",), os.environ, tmp_path, RunLimits())
