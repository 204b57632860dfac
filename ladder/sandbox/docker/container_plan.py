"""
Plan from which every instance of a bot starts: its image, the abilities of the engine, and the first process.

The first process of a container of ours is the launcher of one instance, or the server that forks many.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.sandbox.base import SAME_HASHES
from ladder.sandbox.docker.built_images import FILES_ONLY, RECIPE_LABEL, REPOSITORY
from ladder.sandbox.docker.engine import engine_errors
from ladder.sandbox.docker.limits import SEAT_FOLDER, environment, new_user, put_processor_files
from ladder.sandbox.docker.programs import CONFINE, FORK_SERVER, LAUNCHER, put_program, put_script
from ladder.sandbox.host.scratch import disk_errors, make_visible
from ladder.values.sandbox_kind import GVISOR, chosen_runtime, has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docker import DockerClient

    from ladder.sandbox.base import SeatMount

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


@dataclass(frozen=True)
class FirstProcess:
    """The first process of one container, and what the container needs for it."""

    folder: Path
    """Folder of the host that the container sees as `SEAT_FOLDER`."""
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    labels: Mapping[str, str]


def launcher(plan: ContainerPlan, mount: SeatMount) -> FirstProcess:
    """
    Prepare a container for one instance, in its seat's folder.

    Raises:
        SandboxError: If there is no room, or no such program.
    """
    with disk_errors(mount.folder):
        make_visible(mount.folder)
    put_program(LAUNCHER, plan.engine.machine, mount.folder)
    put_processor_files(mount.folder)
    command = (f"{SEAT_FOLDER}/{LAUNCHER}", str(new_user()), *plan.command)
    return FirstProcess(mount.folder, command, environment(SEAT_FOLDER, mount.token), mount.labels)


def fork_server(plan: ContainerPlan, folder: Path) -> FirstProcess:
    """
    Prepare a warm container, in a folder of its own.

    Raises:
        SandboxError: If there is no room, or no such program.
    """
    assert plan.fork is not None
    put_program(CONFINE, plan.engine.machine, folder)
    put_script(FORK_SERVER, folder)
    put_processor_files(folder)
    # The bot's folder and packages are no place from which the server imports; its environment is not the bot's to set.
    python = ("python3", "-s", "-P", f"{SEAT_FOLDER}/{FORK_SERVER.name}")
    variables = {"PYTHONPATH": "", "PIGPEN_PATH": plan.fork.path, "PIGPEN_USER": str(new_user()), **SAME_HASHES}
    if has_own_kernel(plan.runtime):
        variables["PIGPEN_OWN_KERNEL"] = "1"
    return FirstProcess(folder, (*python, *plan.fork.command), variables, {"pigpen.instances": "warm"})
