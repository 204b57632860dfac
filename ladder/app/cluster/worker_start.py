"""Starting a worker of a cluster on this machine; it needs no database and no settings of a ladder."""

from __future__ import annotations

import os
import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.app.cluster.certs import check_worker_name
from ladder.cluster.certificates import read_identity
from ladder.cluster.worker_program import WorkerProgram
from ladder.errors import UserError
from ladder.sandbox.host.machine import all_cores, default_slots
from ladder.sandbox.host.scratch import MAX_FOLDER_BYTES
from ladder.sandbox.host.whole_file import cache_folder
from ladder.values.names import NAME_LENGTH
from ladder.worker.bot_store import FOLDER_BYTES, IMAGE_BYTES, StorePlan

if TYPE_CHECKING:
    from collections.abc import Callable

ADDRESS = re.compile(r"tls://([\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})", re.ASCII)


@dataclass(frozen=True)
class WorkerPlan:
    """The options of a worker."""

    address: str
    """Of the coordinator: ``tls://HOST:PORT``."""
    certificate: Path
    name: str = ""
    """Empty: the machine's."""
    slots: int | None = None
    """Tasks at once; None: one for each core that bots have, and one that starts meanwhile."""
    data_dir: Path | None = None
    """Takes temporary files, and bots' folders; None: where such files are usually."""
    image_bytes: int | None = None
    """Limit of the images on its engine together, in bytes; None: 20 GiB."""
    folder_bytes: int | None = None
    """Limit of the bots' folders on its disk together, in bytes; None: 2 GiB."""


def open_worker(plan: WorkerPlan, say: Callable[[str], None]) -> WorkerProgram:
    """
    Prepare a worker; its `run` works for a coordinator until its `stop` is called.

    Args:
        plan: How.
        say: Tells what happens, in a sentence.

    Raises:
        UserError: If the plan makes no sense.
    """
    _check(plan)
    read_identity(plan.certificate)
    if plan.data_dir is not None:
        _keep_files_in(plan.data_dir)
    slots = plan.slots or default_slots()
    processes = min(len(all_cores()), slots)
    store = StorePlan(
        data_dir=(plan.data_dir or cache_folder() / "worker").absolute(),
        image_bytes=plan.image_bytes or IMAGE_BYTES,
        folder_bytes=plan.folder_bytes or FOLDER_BYTES,
    )
    return WorkerProgram(plan.address, plan.certificate, worker_name(plan), slots, processes, store, say)


def worker_name(plan: WorkerPlan) -> str:
    """Give the worker's name: as the plan says, or the machine's."""
    return plan.name or re.sub(r"[^A-Za-z0-9._-]", "-", platform.node())[:NAME_LENGTH].lstrip("._-") or "worker"


def _check(plan: WorkerPlan) -> None:
    match = ADDRESS.fullmatch(plan.address)
    if not match or not 0 < int(match[2]) < 65536:
        raise UserError(f"{plan.address!r} is not the address of a coordinator; write it as tls://10.0.0.1:8786.")
    if plan.name:
        check_worker_name(plan.name)


def _keep_files_in(folder: Path) -> None:
    """Let this process and those that it starts make their temporary files there."""
    temporary = folder.absolute() / "tmp"
    if len(os.fsencode(temporary)) > MAX_FOLDER_BYTES:
        raise UserError(
            f"The path of --data-dir {folder} is too long: bots are reached by sockets below it. Choose one of at most "
            f"{MAX_FOLDER_BYTES - len('/tmp')} bytes."
        )
    try:
        temporary.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"The folder {temporary} cannot be made: {error.strerror}.") from error
    os.environ["TMPDIR"] = str(temporary)
    import tempfile

    with suppress(AttributeError):
        tempfile.tempdir = None  # it remembers the folder that it has found before
