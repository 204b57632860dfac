"""
Settings of gRPC at both ends of the wire, and the import of gRPC, which reads its settings only then.

gRPC 1.80 and later hands every message from one thread of a pool to another. The older way, one thread that waits
for all sockets, takes two thirds of the CPU time; docs/adr/0011-grpc-on-one-thread.md says more. Two of gRPC's switches
turn it on. A version that lacks them would print an error, so they are set in the versions in which they were tried,
and a later version is asked. The environment is afterwards as it was: programs that the user starts inherit nothing.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TRIED = (1, 80), (1, 85)
"""The first and the last minor version of grpcio in which the switches were tried. Patch releases keep switches."""

ONE_THREAD = "-event_engine_client,-event_engine_listener"
"""Value of GRPC_EXPERIMENTS: gRPC's names of the switches, each turned off."""

LACKING = b"Unknown experiment"
"""gRPC's words for a switch that it lacks, on stderr."""
NOISE = b"before absl::InitializeLog()"
"""gRPC's words in the line that comes before its first message."""


def _load() -> str | None:
    """Import gRPC, with its switches where it has them; give the reason if it does not run on one thread."""
    chosen, version = os.environ.get("GRPC_EXPERIMENTS"), _version()
    if chosen is not None:
        is_set = {*ONE_THREAD.split(",")} <= {*chosen.split(",")}
        return _import_with(reason=None if is_set else f"GRPC_EXPERIMENTS is set to {chosen!r}")
    if "grpc" in sys.modules:
        return "grpc was imported before pigpen"
    if _minor(version) > TRIED[1]:
        return None if _has_switches() else f"grpcio {version} has no switch for it"
    if _minor(version) < TRIED[0]:
        return _import_with(reason=f"the switches were not tried in grpcio {version or 'of an unknown version'}")
    return _import_with(GRPC_EXPERIMENTS=ONE_THREAD)


def _import_with(*, reason: str | None = None, **settings: str) -> str | None:
    with _environment(GRPC_VERBOSITY="ERROR", **settings):
        import grpc  # noqa: F401
    return reason


def _version() -> str:
    """Read the version of grpcio without importing it; asking `importlib.metadata` would take as long as importing."""
    for folder in sys.path:
        with (
            contextlib.suppress(OSError, IndexError),
            open(os.path.join(folder, "grpc", "_grpcio_metadata.py"), encoding="utf-8") as file,
        ):
            return file.read().split('"""')[1]
    return ""


def _minor(version: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, version.split(".")[:2]))
    except ValueError:
        return ()


def _has_switches() -> bool:
    """
    Import gRPC with the switches, and tell whether it took them; what it prints of those that it lacks is dropped.

    gRPC reads them while its library is loaded, and has no other way to tell. What else is printed meanwhile is kept.
    """
    try:
        stderr, kept = os.dup(2), os.memfd_create("stderr")
    except (AttributeError, OSError):  # another system than Linux, or no stderr
        _import_with()
        return False
    try:
        os.dup2(kept, 2)
        _import_with(GRPC_EXPERIMENTS=ONE_THREAD)
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        with open(kept, "rb") as file:
            file.seek(0)
            lines = file.read().splitlines(keepends=True)
        os.write(2, b"".join(line for line in lines if LACKING not in line and NOISE not in line))
    return not any(LACKING in line for line in lines)


@contextlib.contextmanager
def _environment(**settings: str) -> Iterator[None]:
    """Set variables that the user has not set, for the duration of a block."""
    added = [name for name in settings if name not in os.environ]
    os.environ.update((name, settings[name]) for name in added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


WHY_NOT = _load()
"""The reason that gRPC runs with its defaults in this process, as a part of a sentence; None: it runs on one thread."""

# isort: split
import grpc as grpc  # noqa: E402  # for the modules that take it from here
