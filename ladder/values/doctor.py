"""Report on what a machine offers to a ladder."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from ladder.values.value import Value


@dataclass(frozen=True, config=ConfigDict(use_attribute_docstrings=True))
class Finding:
    """One thing that was looked at."""

    name: str
    holds: bool
    found: str
    """State of it on this machine."""
    follows: str = ""
    """Consequence where it does not hold, and the way out."""
    is_protection: bool = False
    """True if bots, or the machine, are less safe without it."""


class DoctorReport(Value):
    """Everything that was looked at."""

    stands: bool
    """True if all protections between bots work."""
    findings: tuple[Finding, ...]
