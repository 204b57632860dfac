"""The executor of a run whose matches are played on other machines."""

from __future__ import annotations

import platform
import time
from functools import partial
from typing import TYPE_CHECKING

from ladder.app.image_publication import push_images
from ladder.cluster.certificates import SCHEDULER, certificates_folder, make_authority
from ladder.cluster.scheduler_process import SchedulerProcess
from ladder.errors import UserError
from ladder.runner.calibration import Calibration
from ladder.runner.cluster_dispatch import ClusterDispatch
from ladder.runner.cluster_executor import ClusterExecutor, play_remotely
from ladder.runner.fleet import Fleet, FleetTable
from ladder.runner.fleet_roster import Demands
from ladder.sandbox.docker.limits import Limits
from ladder.sandbox.host import owners
from ladder.store.queries.images import unpinned_images
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.match_tasks import ProbeTask
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder
    from ladder.runner.coordinator import Coordinator
    from ladder.settings.settings import Settings

SEATS = 4
"""As many bots play at nearly every table."""


def check_cluster(ladder: Ladder) -> None:
    """
    Refuse a cluster to which the bots cannot come.

    Raises:
        UserError: If images of bots are on this machine only, and the ladder has no registry.
    """
    if ladder.settings.sandbox != SandboxKind.DOCKER or ladder.settings.registry:
        return
    with ladder.database.read() as session:
        bots = [name for image in unpinned_images(session) for name in image.bots]
    if bots:
        more = f" and {len(bots) - 1} more" if len(bots) > 1 else ""
        raise UserError(
            f"The image of {bots[0]}{more} is on this machine only, and other machines cannot pull it. Set registry in "
            "pigpen.toml (pigpen up --registry PORT runs one): the next run with --cluster pushes it there."
        )


def cluster_executor(
    ladder: Ladder, coordinator: Coordinator, max_at_once: int | None, changed: Callable[[], None]
) -> ClusterExecutor:
    """
    Wait for workers of other machines.

    Args:
        ladder: The ladder.
        coordinator: Hears of the matches and trials that they work at.
        max_at_once: The most tasks at once; None: as many as the workers take.
        changed: Called, from any thread, when the workers take more tasks at once, or fewer.

    Raises:
        UserError: If the certificates cannot be used.
        SandboxError: If no worker can connect, such as when the port is taken.
        StoreError: If the database does not answer.
    """
    settings = ladder.settings
    folder = certificates_folder(settings.data_dir)
    make_authority(folder)
    if settings.sandbox == SandboxKind.DOCKER:
        push_images(ladder)
    start = partial(
        SchedulerProcess.start,
        settings.cluster_listen,
        folder / SCHEDULER,
        take_events=coordinator.live.append,
        take_progress=coordinator.submissions.take_progress,
    )
    table = FleetTable(ladder.database, owners.this_process(), ladder.clock)
    dispatch = ClusterDispatch(
        Fleet(demands_of(settings), ladder.clock, time.monotonic),
        start,
        Calibration(),
        ProbeTask(sandbox=settings.sandbox),
        table.exchange,
        changed,
        lambda task, play: play_remotely(task, play, settings.data_dir),
    )
    return ClusterExecutor(dispatch, max_at_once)


def demands_of(settings: Settings) -> Demands:
    """Give what a ladder asks of each worker."""
    if settings.sandbox == SandboxKind.PROCESS:
        return Demands(__version__)
    return Demands(__version__, settings.runtime, platform.machine(), SEATS * Limits().memory)
