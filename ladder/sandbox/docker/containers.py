"""Single steps with containers, as plain blocking calls: launch one, remove one, remove the leftovers."""

from __future__ import annotations

import re
import secrets
import time
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

from docker.errors import APIError, NotFound
from docker.types import LogConfig

from ladder.errors import SandboxError
from ladder.sandbox.docker import control_group
from ladder.sandbox.docker.control_group import ControlGroup, files_of, thaw
from ladder.sandbox.docker.engine import ENGINE_ERRORS, ENGINE_SECONDS, engine_errors
from ladder.sandbox.docker.limits import STARTS_AS, Limits, host_config
from ladder.sandbox.host import scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from concurrent.futures import Future

    from docker import DockerClient

    from ladder.sandbox.docker.container_plan import ContainerPlan, FirstProcess

MARK = "pigpen"
"""Label of every container of ours; its value is 1."""

OWNER = "pigpen.owner"
"""Label naming the process that started the container (scratch.py of sandbox/host)."""

COORDINATOR = "pigpen.coordinator"
"""Label naming the process for which the owner works, if it works for another."""

SANDBOX = "pigpen.sandbox"
"""Label with the id of the one sandbox that started the container."""

NAME = re.compile(r"pigpen-[0-9a-f]{16}", re.ASCII)
"""Names of our containers; no container with another name is removed, whatever its labels."""

REMOVALS = 6
"""Leftovers that are removed at one time."""

SWEEP_SECONDS = 5.0
"""Seconds that a start waits for the removal of leftovers: one that cannot be removed must not block every start."""

_LOOK_SECONDS = 0.02
_CONFLICT = 409


def container_name() -> str:
    """Make a name for a container of ours (`NAME`)."""
    return f"pigpen-{secrets.token_hex(8)}"


def labels_of(sandbox: str) -> dict[str, str]:
    """Give the labels by which the containers of the sandbox with the id *sandbox* are found again."""
    coordinator = scratch.coordinator()
    for_whom = {} if coordinator is None else {COORDINATOR: coordinator}
    return {MARK: "1", OWNER: scratch.this_process(), SANDBOX: sandbox, **for_whom}


def create_idle(client: DockerClient, image: str, sandbox: str) -> str:
    """
    Create a container that is not to be started, for *sandbox*: through it the engine shows the image's files.

    Returns:
        Its id.

    Raises:
        DockerException: If the engine refuses.
    """
    api = client.api
    created = api.create_container(
        image,
        entrypoint=["/"],
        name=container_name(),
        working_dir="/",  # the engine would make the image's own
        labels=labels_of(sandbox),
        host_config=api.create_host_config(network_mode="none", log_config=LogConfig(type="none")),
        network_disabled=True,
        healthcheck={"test": ["NONE"]},
        use_config_proxy=False,
    )
    return str(created["Id"])


def launch(
    client: DockerClient,
    name: str,
    plan: ContainerPlan,
    first: FirstProcess,
    *,
    limits: Limits,
    sandbox: str,
    reclaimed: Future[bool] | None = None,
) -> ControlGroup | None:
    """
    Create and start the container *name*, in few calls: a table's start waits for this. On failure none is left.

    Args:
        client: The engine.
        name: A new name (`container_name`).
        plan: What runs.
        first: Its first process, and the folder that it sees of the host.
        limits: What it may use.
        sandbox: Id of the sandbox that it belongs to.
        reclaimed: Done when the kernel has reclaimed what earlier containers looked up; waited for before the start.

    Returns:
        Its control group; None where that cannot be found, or the container has ended already.

    Raises:
        SandboxError: If the engine fails.
    """
    api = client.api
    group_above = control_group.parent_group(plan.engine.cgroup_driver)
    with engine_errors("start a bot's container"):
        try:
            api.create_container(
                plan.image,
                entrypoint=[first.command[0]],
                command=list(first.command[1:]),
                name=name,
                hostname="pen",
                user=STARTS_AS,
                environment=dict(first.environment),
                labels={**first.labels, **labels_of(sandbox)},
                host_config=host_config(api, first.folder, limits, plan.runtime, group_above),
                # Beside network "none", and half a start's time: the runtime makes the empty network namespace by
                # itself, where the engine would run another process to set it up.
                network_disabled=True,
                # An image's health check would run beside the bot, at the engine's expense.
                healthcheck={"test": ["NONE"]},
                use_config_proxy=False,
            )
            if reclaimed is not None:
                control_group.wait_for_reclaim(reclaimed)
            api.start(name)
            found = api.inspect_container(name)
        except BaseException:
            discard(client, name)
            raise
    files = files_of(found["State"]["Pid"], found["Id"])
    return ControlGroup(files) if files else None


def remove(client: DockerClient, name: str) -> None:
    """
    Kill and remove the container *name*; it may be gone already.

    Raises:
        SandboxError: If the engine fails.
    """
    with engine_errors("remove a container"):
        try:
            # The volumes too: an image that was there before this version's check may have declared one.
            client.api.remove_container(name, force=True, v=True)
        except NotFound:
            return
        except APIError as error:
            if error.status_code != _CONFLICT:
                raise


def discard(client: DockerClient, name: str) -> None:
    """Remove the container *name* if the engine lets us; if not, the next sweep will."""
    try:
        client.api.remove_container(name, force=True, v=True)
    except ENGINE_ERRORS:
        return


def sweep(client: DockerClient, seconds: float = SWEEP_SECONDS) -> None:
    """
    Remove the containers whose owners, or the coordinators of those, have died, for example of kill -9.

    Args:
        client: The engine.
        seconds: Wait no longer for that.

    Raises:
        SandboxError: If the engine fails.
    """
    left = [one for one in _listed(client, f"{MARK}=1") if _has_no_owner(one)]
    _remove_all(client, left, seconds)


def remove_sandbox(client: DockerClient, sandbox: str) -> None:
    """
    Remove whatever the sandbox with the id *sandbox* still has, known or not; look until nothing is left.

    Raises:
        SandboxError: If the engine fails, or has not removed all in `ENGINE_SECONDS`.
    """
    deadline = time.monotonic() + ENGINE_SECONDS
    while left := _listed(client, f"{SANDBOX}={sandbox}"):
        _remove_all(client, left, deadline - time.monotonic())
        if time.monotonic() > deadline:
            raise SandboxError(f"The Docker engine did not remove {len(left)} containers of bots.")
        time.sleep(_LOOK_SECONDS)


def _listed(client: DockerClient, label: str) -> list[Mapping[str, Any]]:
    """List our containers with the label: a label alone proves nothing, any image or container may have it."""
    with engine_errors("list its containers"):
        found = client.api.containers(all=True, filters={"label": [f"{MARK}=1", OWNER, label]})
    return [one for one in found if any(NAME.fullmatch(name.removeprefix("/")) for name in one["Names"] or ())]


def _has_no_owner(found: Mapping[str, Any]) -> bool:
    """Tell whether its owner, or the coordinator of that, has ended: then its match is not awaited any more."""
    marks = [found["Labels"].get(name, "") for name in (OWNER, COORDINATOR)]
    return any(scratch.is_owner(mark) and scratch.is_dead(mark) for mark in marks)


def _remove_all(client: DockerClient, found: Iterable[Mapping[str, Any]], seconds: float) -> None:
    """Remove containers, a few at a time, and wait at most *seconds*; the others are removed in the background."""
    left = [str(one["Id"]) for one in found]

    def remove_some() -> None:
        with suppress(IndexError):
            while True:
                identifier = left.pop()
                thaw(identifier)  # its owner may have left it frozen: in gVisor the engine ends it only after 10 s
                discard(client, identifier)

    deadline = time.monotonic() + seconds
    # Daemons: a container that the engine cannot remove must not hold up our exit either.
    threads = [Thread(target=remove_some, daemon=True) for _ in left[:REMOVALS]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
