"""The runtimes of the containers that are measured: a ladder's default comes first, and runc beside it."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.values.sandbox_kind import AUTO, SHARED, chosen_runtime

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.report import Row

VARIABLE = "PIGPEN_BENCHMARK_RUNTIME"
"""The runtime that is measured, for this process and those that it starts."""


def runtimes() -> tuple[str, ...]:
    """
    Name the runtimes to measure: the one in which a ladder plays by default on this engine, and then runc.

    Raises:
        SandboxError: If no engine answers.
    """
    with closing(connect()) as client, engine_errors("tell its runtimes"):
        default = chosen_runtime(AUTO, client.api.info().get("Runtimes") or ())
    return (default,) if default == SHARED else (default, SHARED)


def in_each(measure: Callable[[], list[Row]]) -> list[Row]:
    """
    Measure under one runtime after the other; each row ends with the name of its own.

    Raises:
        SandboxError: If no engine answers.
    """
    rows = []
    for runtime in runtimes():
        os.environ[VARIABLE] = runtime
        rows += [replace(row, what=f"{row.what} ({runtime})") for row in measure()]
    return rows


def measured_runtime() -> str:
    """Name the runtime that is measured now; runc outside of `in_each`."""
    return os.environ.get(VARIABLE, SHARED)


def containers(**options: Any) -> DockerSandbox:
    """Make a sandbox of containers of that runtime."""
    return DockerSandbox(measured_runtime(), **options)
