"""The first process of a container of ours: the launcher of one instance, or the server that forks many."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.base import SAME_HASHES
from ladder.sandbox.docker.limits import SEAT_FOLDER, environment, new_user
from ladder.sandbox.docker.processors import put_processor_files
from ladder.sandbox.docker.programs import CONFINE, FORK_SERVER, LAUNCHER, put_program, put_script
from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.host.visible import make_visible
from ladder.values.sandbox_kind import has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.sandbox.base import SeatMount
    from ladder.sandbox.docker.container_plan import ContainerPlan


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
