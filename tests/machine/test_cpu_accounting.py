"""CPU time that the kernel counts: of a group, held or not, and of an instance that was forked."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
import pytest

from ladder.sandbox.base import SeatMount
from ladder.sandbox.docker.control_group import GROUPS, ControlGroup, GroupFiles
from tests.ladder.containers import Forked, build, has_written, warm_sandbox
from tests.waiting import until

SPINNER = "import os\nwhile True: os.getppid()"


FOREVER = "import time\nwhile True: time.sleep(1)"


def work(seconds: float) -> None:
    """Use *seconds* of CPU time: what could run beside this would have run."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def folders() -> dict[str, tuple[Path, ...]]:
    """Find the folders in which this machine lets us make a group: for each generation those that make it up."""
    first = (GROUPS / "cpuacct", GROUPS / "freezer")
    second = next((each for each in (GROUPS / "unified", GROUPS) if (each / "cgroup.procs").exists()), None)
    found = {"first": first if all(map(Path.exists, first)) else (), "second": (second,) if second else ()}
    return {name: folders for name, folders in found.items() if folders}


@pytest.mark.root
@pytest.mark.parametrize("generation", folders())
def test_the_kernel_counts_and_holds_a_real_process(generation: str) -> None:
    name = f"pigpen-test-{os.getpid()}"
    made = [folder / name for folder in folders()[generation]]
    with in_groups(made) as spinner:
        group = ControlGroup(real_files(made))
        try:
            used = wait_for_growth(group, 0.0)
            group.freeze()
            wait_until_frozen(made)
            held = group.cpu_time()
            work(0.2)
            assert (group.cpu_time() or 0.0) - (held or 0.0) < 0.02, "a tenth of what a process gets that is not held"
            assert spinner.poll() is None
            group.thaw()
            assert wait_for_growth(group, held or 0.0) > used
        finally:
            group.thaw()
            group.close()


def real_files(made: list[Path]) -> GroupFiles:
    if len(made) == 1:
        return GroupFiles(made[0] / "cpu.stat", 1e-6, made[0] / "cgroup.freeze", b"1", b"0", *[made[0] / "x"] * 4)
    usage, freezer = made[0] / "cpuacct.usage", made[1] / "freezer.state"
    return GroupFiles(usage, 1e-9, freezer, b"FROZEN", b"THAWED", *[made[0] / "x"] * 4)


def wait_for_growth(group: ControlGroup, since: float) -> float:
    """Return the CPU time once it is above *since*."""
    return until(lambda: used if (used := group.cpu_time() or 0.0) > since else 0.0)


def wait_until_frozen(made: list[Path]) -> None:
    """Return when the kernel says that nothing runs there any more."""
    file, word = (made[0] / "cgroup.events", "frozen 1") if len(made) == 1 else (made[1] / "freezer.state", "FROZEN")
    until(lambda: word in file.read_text().splitlines())


@contextmanager
def in_groups(made: list[Path]) -> Iterator[subprocess.Popen[bytes]]:
    """A spinning process in fresh groups, which are gone afterwards."""
    for folder in made:
        folder.mkdir()
    try:
        with subprocess.Popen([sys.executable, "-c", SPINNER]) as spinner:
            try:
                for folder in made:
                    (folder / "cgroup.procs").write_text(str(spinner.pid))
                yield spinner
            finally:
                spinner.kill()
    finally:
        for folder in made:
            folder.rmdir()


@pytest.mark.docker
async def test_the_time_of_a_forked_instance_begins_at_zero_and_its_last_figure_stays(
    client: docker.DockerClient, python_image: str, mount: Callable[[str], SeatMount]
) -> None:
    sandbox = warm_sandbox()
    forked = Forked(await sandbox.load(build(client, python_image)), mount)
    spin = "import time\nwhile time.process_time() < 1: pass\nprint('spun')\n" + FOREVER
    first = await forked.start(spin)
    await has_written(first, "spun")
    await first.stop()
    used = first.controller.cpu_time()
    second = await forked.start(FOREVER)
    begun = second.controller.cpu_time()
    assert second.name == first.name
    assert used is not None
    assert begun is not None
    # The kernel's counts of a process and of its group differ by some ticks: the margin is half of what was used.
    assert begun < 0.5 < used == first.controller.cpu_time()
    await second.stop()
    await sandbox.close()
