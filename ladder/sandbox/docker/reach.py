"""
Check that a container can connect to a Unix socket of this machine, without which no bot can take its seat.

None can where the engine runs in a virtual machine or on another machine. The container that keeps an image in memory
is the first to notice; where there is none, because each container has a kernel of its own, one is started for this.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from ladder.errors import EngineApart, SandboxError
from ladder.sandbox.docker.container_instance import NAME as LOG_SOCKET
from ladder.sandbox.docker.container_plan import FirstProcess
from ladder.sandbox.docker.containers import container_name, discard, launch
from ladder.sandbox.docker.engine import ENGINE_SECONDS, WITHOUT_CONTAINERS, before_any_bot, engine_errors
from ladder.sandbox.docker.limits import SEAT_FOLDER, new_user
from ladder.sandbox.docker.programs import LAUNCHER, put_program
from ladder.sandbox.host.scratch import bind_visible, make_visible_folder, scratch_folder
from ladder.values.sandbox_kind import has_own_kernel

if TYPE_CHECKING:
    from docker import DockerClient

    from ladder.sandbox.docker.container_plan import ContainerPlan
    from ladder.sandbox.docker.limits import Limits

NO_SOCKET = 125
"""Exit code of the launcher when it cannot connect to its log socket."""
NO_PROGRAM = 127
"""Exit code of the launcher when it could connect, and there is no such program."""
NOTHING = "/nonexistent"
"""Program that the launcher is to start once it has connected: none of the image runs for this."""

_REACHED: set[tuple[str, str]] = set()
"""Engines by their ids, with the runtimes under which this process has found that containers can connect."""


def unreachable(runtime: str = "") -> SandboxError:
    """Give the error for an engine whose containers cannot connect."""
    cannot = "Containers of this Docker engine cannot connect to Unix sockets of this machine."
    if has_own_kernel(runtime):
        return SandboxError(
            f"{cannot} The runtime {runtime} opens no sockets of this machine to containers. Tell it to: with runsc "
            "the argument is --host-uds=open, which scripts/runsc sets."
        )
    return EngineApart(
        f"{cannot} It runs in a virtual machine or on another machine, or a security module forbids it. "
        f"Use an engine on this machine (DOCKER_HOST names one), or {WITHOUT_CONTAINERS}"
    )


def check_reach(client: DockerClient, plan: ContainerPlan, sandbox: str, limits: Limits) -> None:
    """
    Make sure that containers can connect; asked once of each engine and runtime, which takes as long as a bot's start.

    Args:
        client: The engine.
        plan: An image, and how it is started.
        sandbox: Id of the sandbox that asks, which its containers have as a label.
        limits: What a container may use.

    Raises:
        EngineApart: If the engine does not see this machine's files, or containers cannot connect to its sockets.
        SandboxError: If the runtime opens no sockets to containers, or the engine fails.
    """
    if (plan.engine.id, plan.runtime) in _REACHED:
        return
    name = container_name()
    with scratch_folder() as scratch, socket.socket(socket.AF_UNIX) as listener:
        folder = scratch / "reach"
        make_visible_folder(folder)
        bind_visible(listener, folder / LOG_SOCKET)
        listener.listen(1)
        put_program(LAUNCHER, plan.engine.machine, folder)
        first = FirstProcess(folder, (f"{SEAT_FOLDER}/{LAUNCHER}", str(new_user()), NOTHING), {}, {})
        with before_any_bot():
            group = launch(client, name, plan, first, limits=limits, sandbox=sandbox)
        if group is not None:
            group.close()
        try:
            with engine_errors("try whether containers can connect"):
                ended = client.api.wait(name, timeout=ENGINE_SECONDS)
        finally:
            discard(client, name)
    if ended["StatusCode"] == NO_SOCKET:
        raise unreachable(plan.runtime)
    if ended["StatusCode"] == NO_PROGRAM:
        _REACHED.add((plan.engine.id, plan.runtime))
