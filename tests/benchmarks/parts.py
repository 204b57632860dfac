"""Parts of a table that take no time to measure. The process that measures imports this module, and little else."""

from __future__ import annotations

from benchmarks.report import Row, compared
from ladder.errors import SandboxError


def compared_rows(rounds: int) -> list[Row]:
    """Two rows."""
    return compared(("bare", "ours"), ([4.0] * rounds, [6.0] * rounds), "ms", "bare")


def fail(rounds: int) -> list[Row]:
    """Have no engine."""
    raise SandboxError("No engine [here].")


def crash(rounds: int) -> list[Row]:
    """Have a mistake."""
    raise RuntimeError("no luck")
