"""Compiles the programs that run in containers while a wheel or an editable install of `pigpen-arena` is made."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "sdk"))

from native_build import CompileHook, Native  # noqa: E402  (a build knows no path but its own)

PROGRAMS = ROOT / "ladder" / "sandbox" / "docker" / "programs"


PROGRAM = ("-static", "-fno-pie", "-no-pie")
LIBRARY = ("-shared", "-fPIC")


def native(name: str, kind: tuple[str, ...], *headers: str) -> Native:
    """One file of the folder, which runs in any image of its machine."""
    sources = tuple(PROGRAMS / source for source in ("system.h", *headers, f"{name}.c"))
    return Native(f"{name}-{{}}", sources, ("-Os", "-Wno-unused-function", *kind))


class ProgramsHook(CompileHook):
    """Compiles them all. The wheel is the same for every platform: they run in containers only."""

    natives = (
        native("launcher", PROGRAM, "confine.h"),
        native("lock_files", PROGRAM),
        native("confine", LIBRARY, "confine.h"),
    )


def get_build_hook() -> type[ProgramsHook]:
    """Return the hook that hatchling takes."""
    return ProgramsHook
