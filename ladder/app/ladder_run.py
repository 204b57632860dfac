"""
The run of a ladder: its plan, its executor, and the log of each of its processes.

Where matches are played on other machines, the executor waits for their workers, and images that only this machine's
engine has are pushed for them.
"""

from __future__ import annotations

import platform
import random
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog

from ladder.app.doctor import with_runtime
from ladder.app.event_beacons import fetching_beacons
from ladder.app.event_log import event_log
from ladder.app.retention import removing_old
from ladder.app.seasons import check_clocks
from ladder.app.webhooks import delivering
from ladder.cluster.certificates import SCHEDULER, certificates_folder, make_authority
from ladder.cluster.scheduler_process import SchedulerProcess
from ladder.errors import LadderError, SandboxError, StoreError, UserError
from ladder.registry.image_names import ImageName
from ladder.registry.registry_client import RegistryClient
from ladder.runner.calibration import Calibration
from ladder.runner.cluster_dispatch import ClusterDispatch
from ladder.runner.cluster_executor import ClusterExecutor, play_remotely
from ladder.runner.coordinator import Coordinator
from ladder.runner.executor import LocalExecutor
from ladder.runner.fleet import Fleet, FleetTable
from ladder.runner.fleet_admission import Demands
from ladder.runner.lease_loop import Alarm
from ladder.runner.leased_tasks import RegistryLogins
from ladder.runner.runner import Runner, StopCondition
from ladder.sandbox.docker.limits import Limits
from ladder.sandbox.host import scratch
from ladder.sandbox.host.machine import all_cores, default_slots
from ladder.store.commands.queue import why_too_short
from ladder.store.commands.submission_queue import pin
from ladder.store.lookup import find_variant
from ladder.store.queries.images import unpinned_images
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.match_tasks import ProbeTask
from ladder.worker.worker_pool import WorkerPool, WorkerProcess
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from ladder.app.ladder import Ladder
    from ladder.runner.executor import Executor
    from ladder.settings.settings import Settings

START_SECONDS, LOOK_SECONDS = 15.0, 0.5
"""Limit, in seconds, of the registry's start; seconds between two looks."""

log = structlog.get_logger()


def push_images(ladder: Ladder, start_seconds: float = START_SECONDS) -> int:
    """
    Push images that only this machine's engine has into the ladder's registry, so that remote workers can play them.

    What cannot be pushed now is named in the log, and is pushed the next time. Done twice, the second does nothing.

    Args:
        ladder: The ladder.
        start_seconds: How long the registry may take to start.

    Returns:
        How many images were pushed.
    """
    with ladder.database.read() as session:
        unpinned = unpinned_images(session)
    if unpinned and not ladder.settings.registry:
        bots = [bot for image in unpinned for bot in image.bots]
        log.warning("image.no_registry", bots=bots, reason="Only this machine can play them: setting registry.")
        return 0
    if unpinned:
        _wait(ladder, unpinned[0].identity, start_seconds)
    return sum(_pushed(ladder, image.identity, image.bots) for image in unpinned)


def _wait(ladder: Ladder, identity: str, seconds: float) -> None:
    """Give the registry time to start: `pigpen up` starts everything at once."""
    place = RegistryLogins(ladder.settings).place(identity, ladder.clock())
    assert place is not None
    for _ in range(int(seconds / LOOK_SECONDS)):
        with suppress(SandboxError), RegistryClient(place.login) as registry:
            registry.digest(ImageName(place.repository, "latest"))
            return
        time.sleep(LOOK_SECONDS)


def _pushed(ladder: Ladder, identity: str, bots: tuple[str, ...]) -> bool:
    from ladder.trials.trial_images import is_here, push  # a ladder of processes needs no Docker

    try:
        if not is_here(identity):
            log.warning("image.missing", identity=identity, bots=bots, reason="This machine's engine does not have it.")
            return False
        place = RegistryLogins(ladder.settings).place(identity, ladder.clock())
        assert place is not None
        pinned = push(place, identity)
    except SandboxError as error:
        log.warning("image.not_pushed", identity=identity, bots=bots, reason=str(error))
        return False
    with ladder.database.write() as session:
        pin(session, identity, pinned)
    log.info("image.pushed", identity=identity, bots=bots, pinned=pinned)
    return True


SEATS = 4
"""As many bots play at nearly every table."""
MATCH_MEMORY = SEATS * Limits().memory
"""Bytes of memory that the containers of one match may take, gVisor's own kernels included."""


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
    table = FleetTable(ladder.database, scratch.this_process(), ladder.clock)
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
    return Demands(__version__, settings.runtime, platform.machine(), MATCH_MEMORY)


def matches_at_once(settings: Settings) -> int:
    """Give how many matches this machine plays at once: as set, or as many as its cores and its memory hold."""
    return settings.concurrency or default_slots(MATCH_MEMORY if settings.sandbox == SandboxKind.DOCKER else 0)


@dataclass(frozen=True)
class RunPlan:
    """The plan of a run of a ladder."""

    matches: int | None = None
    """Number of results after which the run ends; None: no limit."""
    until_ci: float | None = None
    """End when the ± of every bot is at most this, in Elo; None: this does not end it."""
    variants: tuple[str, ...] = ()
    """Play only these; none: all."""
    concurrency: int | None = None
    """Number of matches to play at once; None: as the settings say."""
    cluster: bool = False
    """Play on other machines, and not on this one."""
    seed: str = ""
    """Decides by what chance opponents are chosen; empty: by another one each time."""


def check_run(ladder: Ladder, plan: RunPlan) -> None:
    """
    Refuse a run that cannot be.

    Raises:
        LadderError: If the ladder does not play one of the variants.
        UserError: If the settings leave a match too little time, or bots cannot come to the cluster, or matches of the
            season were played with another clock.
        UnfitFolder: If bots on this machine cannot be reached, because the folder for temporary files has a long path.
    """
    if plan.cluster:
        check_cluster(ladder)
    else:
        scratch.check_socket_paths(tempfile.gettempdir())
    with ladder.database.read() as session:
        for name in plan.variants:
            find_variant(session, name)
        if reason := why_too_short(session, ladder.settings, plan.variants or None):
            raise UserError(reason)
    check_clocks(ladder, plan.variants or None)


@contextmanager
def ladder_run(
    ladder: Ladder, plan: RunPlan, watch: Callable[[Mapping[str, Any]], None], *, log_to_stderr: bool
) -> Iterator[Runner]:
    """
    Prepare a run that `check_run` has let through; `Runner.run` begins it, `Runner.stop` ends it.

    Args:
        ladder: The ladder.
        plan: What is to be done.
        watch: Called with each event.
        log_to_stderr: Write each event to stderr, too.

    Raises:
        UserError: If the certificates of a cluster cannot be used.
        SandboxError: If the log cannot be written, or no worker of a cluster could come.
    """
    with ExitStack() as stack:
        stack.enter_context(event_log(ladder, "ladder", watch, to_stderr=log_to_stderr))
        chance = random.Random(plan.seed or None)
        # Workers of a cluster choose, each for its own machine.
        settings = ladder.settings if plan.cluster else with_runtime(ladder.settings)
        coordinator = Coordinator(ladder.database, settings, chance, ladder.clock, list(plan.variants) or None)
        stack.callback(coordinator.live.close)
        stack.callback(_left, coordinator)
        alarm = Alarm()
        executor = _executor(ladder, plan, coordinator, alarm)
        stack.callback(executor.close)
        stack.enter_context(delivering(ladder))
        stack.enter_context(fetching_beacons(ladder))
        stack.enter_context(removing_old(ladder))
        yield Runner(coordinator, executor, StopCondition(plan.matches, plan.until_ci), alarm)


def _executor(ladder: Ladder, plan: RunPlan, coordinator: Coordinator, alarm: Alarm) -> Executor:
    if plan.cluster:
        return cluster_executor(ladder, coordinator, plan.concurrency, alarm.ring)
    slots = plan.concurrency or matches_at_once(ladder.settings)
    workers = min(ladder.settings.workers or len(all_cores()), slots)
    start = partial(
        WorkerProcess.start,
        take_events=coordinator.live.append,
        take_progress=coordinator.submissions.take_progress,
    )
    return LocalExecutor(WorkerPool(workers, start), slots)


def _left(coordinator: Coordinator) -> None:
    with suppress(StoreError, LadderError):  # the others will miss it
        coordinator.leave()
