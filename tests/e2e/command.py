"""The command `pigpen`, as a user types it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PIGPEN = Path(sys.executable).parent / "pigpen"
ROOT = Path(__file__).resolve().parents[2]


def environment(**extra: str) -> dict[str, str]:
    """A plain terminal, 100 columns wide."""
    return os.environ | {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"} | extra


def pigpen(*words: str, folder: Path = ROOT, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run ``pigpen WORDS`` in *folder*."""
    return subprocess.run(
        [PIGPEN, *words],
        cwd=folder, env=environment(**extra), capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """``pigpen WORDS`` while it runs; killed at the end if it still does."""
    with subprocess.Popen(
        [PIGPEN, *words], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            yield program
        finally:
            program.kill()
