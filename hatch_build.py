"""Compiles the programs that run in containers while a wheel or an editable install of `pigpen-arena` is made."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "sdk"))

from native_build import CompileHook, Native  # noqa: E402  (a build knows no path but its own)

PROGRAMS = ROOT / "ladder" / "sandbox" / "docker" / "programs"


def program(name: str) -> Native:
    """One program of the folder, which runs in any image of its machine."""
    sources = (PROGRAMS / "system.h", PROGRAMS / f"{name}.c")
    flags = ("-Os", "-Wno-unused-function", "-static", "-fno-pie", "-no-pie")
    return Native(f"{name}-{{}}", sources, flags)


class ProgramsHook(CompileHook):
    """Compiles them all. The wheel is the same for every platform: they run in containers only."""

    natives = (program("launcher"), program("lock_files"))


def get_build_hook() -> type[ProgramsHook]:
    """Which hook hatchling takes."""
    return ProgramsHook
