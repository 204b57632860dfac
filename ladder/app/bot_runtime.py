"""Under which OCI runtime a ladder's bots play on this machine: gVisor's, where the settings leave it open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ladder.app.doctor import engine_facts
from ladder.app.machine_findings import shared_kernel
from ladder.errors import SandboxError
from ladder.values.sandbox_kind import AUTO, SandboxKind, chosen_runtime, has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.settings.settings import Settings


def with_runtime(settings: Settings) -> Settings:
    """Give the settings with the runtime that this machine's engine has for them; as they are if none answers."""
    if settings.sandbox != SandboxKind.DOCKER or settings.runtime != AUTO:
        return settings
    try:
        engine = engine_facts()
    except SandboxError:  # the first match will say so
        return settings
    return settings.model_copy(update={"runtime": _chosen(settings, engine)})


def warning(settings: Settings, engine: Mapping[str, Any]) -> str:
    """Say that bots share the host's kernel under these settings, and what to do; empty: each has one of its own."""
    if has_own_kernel(_chosen(settings, engine)):
        return ""
    return shared_kernel(settings.runtime, engine.get("Runtimes") or ())


def _chosen(settings: Settings, engine: Mapping[str, Any]) -> str:
    return chosen_runtime(settings.runtime, engine.get("Runtimes") or ())
