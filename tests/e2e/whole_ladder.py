"""A whole ladder with containers, as its organiser runs it: `pigpen up`, and a contestant who has an account there."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ladder.app.ladder import Ladder
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.settings.settings import load_settings
from pigpen.rules import PRESETS
from tests.e2e.command import PIGPEN, environment
from tests.ladder.accounts import add_person, token_of
from tests.ladder.ladders import NOW
from tests.ladder.store.submitted import Fit
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

PATIENCE = 600


async def images_of(samples: Iterable[str]) -> dict[str, str]:
    """The ids of the images of sample bots. Their trials are not the point here."""
    sandbox = DockerSandbox()
    try:
        return {sample: (await sandbox.load(find_bot(sample))).identity for sample in samples}
    finally:
        await sandbox.close()


@contextmanager
def whole_ladder(folder: Path, house: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """
    Run a ladder; gives its address, and a token of the contestant ada.

    Args:
        folder: For its data and its log.
        house: Bots of the house in Gong Zhu, each with the name of its sample bot.
    """
    variables = environment(
        PIGPEN_DATA_DIR=str(folder / "data"), PIGPEN_SITE_PORT=str(free_port()), PIGPEN_BOARDS="1",
        PIGPEN_PREFLIGHT_DEALS="1", PIGPEN_CLOCK="600+1", PIGPEN_LIMIT="60", PIGPEN_CONCURRENCY="1",
    )  # fmt: skip
    images = asyncio.run(images_of(house.values()))
    with Ladder.open(load_settings(data_dir=folder / "data"), create=True) as ladder:
        with ladder.database.write() as session:
            for name, sample in house.items():
                bot = Fit(name, f"owner-of-{name}", images[sample], "docker", sample, 1000, can_fork=True)
                bot.enter(session, [PRESETS["gongzhu"]], NOW)
        add_person(ladder, "ada")
        token = token_of(ladder, "ada")
    with (
        (folder / "up.log").open("w") as log,
        subprocess.Popen(
            [PIGPEN, "up"], cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=log, text=True
        ) as up,
    ):
        try:
            assert up.stdout is not None
            address = ""
            while not address.startswith("http"):
                line = up.stdout.readline()
                assert line, (folder / "up.log").read_text()
                address = line.removeprefix("The site is at ").strip().rstrip("/")
            yield address, token
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):  # at once: other tests try how matches end in order
                up.send_signal(number)
            up.wait(PATIENCE)
