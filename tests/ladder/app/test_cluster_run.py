"""Requirements of a run on other machines, before it begins."""

from __future__ import annotations

import platform
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.app.running import check_cluster, demands_of
from ladder.errors import UserError
from ladder.sandbox.docker.limits import Limits
from ladder.settings.settings import load_settings
from pigpen.rules import PRESETS
from pigpen.version import __version__
from tests.ladder.ladders import NOW
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from pathlib import Path


def with_bots(folder: Path, *pinned: str | None, registry: str = "", sandbox: str = "docker") -> UserError | None:
    """Give the error by which a ladder of such bots cannot be played on other machines."""
    settings = load_settings(data_dir=folder, registry=registry, sandbox=sandbox)
    with Ladder.open(settings, create=True) as ladder:
        with ladder.database.write() as session:
            for number, place in enumerate(pinned):
                identity = f"sha256:{number:064}"
                bot = Fit(f"Bot{number}", f"owner{number}", identity, sandbox, "bot", 7, pinned=place)
                bot.enter(session, [PRESETS["hearts"]], NOW)
        try:
            check_cluster(ladder)
        except UserError as error:
            return error
    return None


PINNED = f"registry.example/bot@sha256:{7:064}"


def test_images_that_are_in_no_registry_cannot_be_played_elsewhere(tmp_path: Path) -> None:
    assert str(with_bots(tmp_path, PINNED, None, None)) == (
        "The image of Bot1@1 and 1 more is on this machine only, and other machines cannot pull it. Set registry in "
        "pigpen.toml (pigpen up --registry PORT runs one): the next run with --cluster pushes it there."
    )


@pytest.mark.parametrize(
    ("pinned", "registry", "sandbox"),
    [(PINNED, "", "docker"), (None, "arena.example:5000", "docker"), (None, "", "process")],
)
def test_others_can(tmp_path: Path, pinned: str | None, registry: str, sandbox: str) -> None:
    assert with_bots(tmp_path, pinned, registry=registry, sandbox=sandbox) is None


def test_a_ladder_of_containers_asks_for_its_runtime_and_for_machines_like_this_one(tmp_path: Path) -> None:
    demands = demands_of(load_settings(data_dir=tmp_path, runtime="runsc"))
    assert (demands.version, demands.runtime, demands.architecture) == (__version__, "runsc", platform.machine())
    assert demands.slot_memory >= 4 * Limits().memory
    assert demands_of(load_settings(data_dir=tmp_path, sandbox="process")).runtime is None


def test_the_coordinator_s_process_knows_no_dask() -> None:
    check = "import sys, ladder.app.running; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)
