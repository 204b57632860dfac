"""The bot in Node.js in a container that holds Node.js and nothing else: no shell, no Python, no users."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from pigpen.rules import seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine
from referee.records.rules_file import load_rules
from tests.waiting import PATIENT

pytestmark = [pytest.mark.node, pytest.mark.docker]

TAG = "pigpen/test:node"
DOCKERFILE = """
FROM scratch
COPY root /
WORKDIR /bot
CMD ["/node", "bot.js"]
"""


@pytest.fixture
def node_image(node_bot: BotSource, tmp_path: Path) -> BotSource:
    """Node.js as it is here, the libraries that it is linked with, and the bot."""
    assert node_bot.folder is not None
    node = shutil.which("node")
    assert node is not None
    root = tmp_path / "image" / "root"
    shutil.copytree(node_bot.folder, root / "bot")
    shutil.copy(node, root / "node")
    linked = subprocess.run(["ldd", node], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/\S+) \(", linked):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    subprocess.run(["chmod", "-R", "a+rX", root], check=True)  # the checkout's modes follow the umask
    (tmp_path / "image" / "Dockerfile").write_text(DOCKERFILE)
    client = connect()
    # Not with our own archive, which leaves node_modules out.
    client.images.build(path=str(tmp_path / "image"), tag=TAG, rm=True, network_mode="none")
    client.close()
    return BotSource("node", image=TAG)


async def test_it_plays_without_fault_beside_bots_in_python(node_image: BotSource) -> None:
    spec = MatchSpec(load_rules("hearts"), ("node", "a", "b", "c"), Format(2), PATIENT, seed_from("node"))
    lines: list[AnyLine] = []
    sandbox = DockerSandbox()
    try:
        programs = [await sandbox.load(source) for source in (node_image, *[find_bot("random")] * 3)]
        played = await play_sandboxed(spec, programs, lines.append)
    finally:
        await sandbox.close()
    assert [result.faults for result in played.result.results] == [0] * 4, played.logs
    steps = [step for line in lines if isinstance(line, DealLine) for step in line.steps]
    assert {step.by for step in steps} == {"bot", "forced"}
    assert played.logs[0][0].partition("] ")[2].endswith(f": place {played.result.results[0].place}.\n")
