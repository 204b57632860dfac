"""Plan from which every instance of a bot starts: its image, and the abilities of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ladder.sandbox.docker.built_images import FILES_ONLY, RECIPE_LABEL, REPOSITORY
from ladder.sandbox.docker.engine import engine_errors
from ladder.values.sandbox_kind import GVISOR, chosen_runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docker import DockerClient


MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def machine_of(architecture: str) -> str:
    """
    Give a kind of processor as `uname -m` calls it.

    Args:
        architecture: As an engine calls it: Docker says ``x86_64``, Podman ``amd64``, others ``linux/amd64``.
    """
    name = architecture.rpartition("/")[2]
    return MACHINES.get(name, name)


@dataclass(frozen=True)
class EngineFacts:
    """Facts that the engine reports of itself."""

    machine: str
    """Its kind of processor, as `uname -m` calls it."""
    runtimes: frozenset[str]
    """The OCI runtimes that it knows."""
    cgroup_driver: str
    """Maker of its control groups: ``cgroupfs`` or ``systemd``."""
    id: str = ""
    """The engine's own id."""

    @classmethod
    def of(cls, client: DockerClient) -> EngineFacts:
        """Ask *client*."""
        found = client.api.info()
        runtimes = frozenset(found.get("Runtimes") or ())
        return cls(machine_of(found["Architecture"]), runtimes, str(found.get("CgroupDriver")), str(found.get("ID")))


@dataclass(frozen=True)
class ForkPlan:
    """Plan by which a fork server starts a bot: the interpreter and the SDK are ours, and already there."""

    command: tuple[str, ...]
    """The bot's main file, in its folder, and its arguments."""
    path: str
    """Folder of the bot's packages; empty: it has none."""


@dataclass(frozen=True)
class ContainerPlan:
    """Plan from which every instance of a bot starts."""

    image: str
    """The image's id."""
    command: tuple[str, ...]
    """The program and its arguments, as the image has them."""
    size: int
    """Bytes of the image."""
    runtime: str
    """The OCI runtime."""
    engine: EngineFacts
    fork: ForkPlan | None = None
    """Plan for a fork server (`first_process.fork_server`); None: only a fresh container starts it."""


def plan(client: DockerClient, image: str, runtime: str, is_ours: bool = False, gvisor: str = GVISOR) -> ContainerPlan:
    """
    Find out how to start *image*.

    Args:
        client: The engine.
        image: The image's id.
        runtime: The OCI runtime, or `ladder.values.sandbox_kind.AUTO`.
        is_ours: Whether it is known that we built it; else this engine's tags show it.
        gvisor: How the engine calls gVisor's runtime.

    Raises:
        SandboxError: If the engine fails.
    """
    with engine_errors("look up what an image runs"):
        found, engine = client.images.get(image).attrs, EngineFacts.of(client)
    config = found["Config"]
    command = (*(config["Entrypoint"] or ()), *(config["Cmd"] or ()))
    chosen = chosen_runtime(runtime, engine.runtimes, gvisor)
    return ContainerPlan(image, command, int(found["Size"]), chosen, engine, _fork_plan(found, command, is_ours))


def _fork_plan(found: Mapping[str, Any], command: tuple[str, ...], is_ours: bool) -> ForkPlan | None:
    """Plan how a fork server runs an image; None if it is not ours, or has more than files in its bot's folder."""
    is_built_here = any(tag.startswith(f"{REPOSITORY}:") for tag in found["RepoTags"] or ())
    if not (is_ours or is_built_here) or (found["Config"]["Labels"] or {}).get(RECIPE_LABEL) != FILES_ONLY:
        return None
    variables = dict(each.split("=", 1) for each in found["Config"]["Env"] or ())
    return ForkPlan(command[1:], variables.get("PYTHONPATH", ""))
