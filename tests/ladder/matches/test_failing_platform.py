"""The platform breaks in the middle of a real match: the match is void, the sentence says why, no bot is blamed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import docker
import pytest

from ladder.errors import SandboxError
from ladder.matches.inline_match import Played
from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.containers import SANDBOX
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.host import scratch
from pigpen import ClockSetting
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine, ResultLine
from tests.for_two import FOR_TWO
from tests.ladder.cut_engine import CutEngine
from tests.waiting import PATIENT

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("no_leftovers")]

NAMES = ("random", "random#2")
BOT = find_bot("random")
"""In both seats: one image is locked."""
HURRIED = ClockSetting(bank=600.0, increment=1.0, limit=0.5, start_up=60.0)
VOID = "The match is void, and nothing is held against any bot."
ENDLESS = 100_000
LATER = pytest.mark.long


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CutEngine]:
    """Give the engine that DOCKER_HOST names while the test runs."""
    proxy = CutEngine(tmp_path / "engine.sock")
    monkeypatch.setenv("DOCKER_HOST", proxy.address)
    yield proxy
    proxy.close()


@pytest.fixture
async def doomed(no_leftovers: None, client: docker.DockerClient, proxy: CutEngine) -> AsyncIterator[DockerSandbox]:
    """A sandbox that reaches its engine through the proxy."""
    sandbox = DockerSandbox()
    yield sandbox
    await sandbox.close()
    for name in mine(client):  # what could not be removed through the proxy
        client.api.remove_container(name, force=True)


def hang(proxy: CutEngine, sandbox: DockerSandbox) -> None:
    """Let the engine hang for a sandbox that does not wait long for it."""
    assert sandbox._client
    sandbox._client.api.timeout = 1
    proxy.hold()


def mine(client: docker.DockerClient, *labels: str) -> list[str]:
    """The containers of this process."""
    wanted = [f"pigpen.owner={scratch.this_process()}", *labels]
    return [found["Id"] for found in client.api.containers(all=True, filters={"label": wanted})]


async def play(
    sandbox: DockerSandbox,
    after_first_deal: Callable[[], object],
    deals: int = ENDLESS,
    clock: ClockSetting = PATIENT,
    sources: tuple[BotSource, ...] = (BOT, BOT),
    lines: list[AnyLine] | None = None,
) -> Played:
    """Play a match in which something happens after its first deal."""
    spec = MatchSpec(FOR_TWO, NAMES, Format(deals), clock, bytes(32))

    def write(line: AnyLine) -> None:
        if lines is not None:
            lines.append(line)
        if isinstance(line, DealLine) and line.deal == 0:
            after_first_deal()

    return await play_sandboxed(spec, [await sandbox.load(source) for source in sources], write)


async def test_an_engine_that_dies_in_mid_match(doomed: DockerSandbox, proxy: CutEngine) -> None:
    with pytest.raises(SandboxError, match=r"engine does not answer.*scripts/engine") as failure:
        await play(doomed, proxy.cut)
    assert str(failure.value).endswith(VOID)


@pytest.mark.long
async def test_an_engine_that_lets_nobody_in_any_more_spoils_no_match_that_needs_nothing_of_it(
    doomed: DockerSandbox, proxy: CutEngine
) -> None:
    played = await play(doomed, proxy.refuse, deals=3)
    assert [row.faults for row in played.result.results] == [0, 0]


async def test_an_engine_that_hangs_spoils_no_match_that_needs_nothing_of_it(
    doomed: DockerSandbox, proxy: CutEngine
) -> None:
    played = await play(doomed, lambda: hang(proxy, doomed), deals=3)
    assert [row.faults for row in played.result.results] == [0, 0]


async def test_an_engine_that_hangs_when_a_bot_has_vanished(
    doomed: DockerSandbox, proxy: CutEngine, client: docker.DockerClient
) -> None:
    """It is not known which bot caused that."""

    def hang_and_kill() -> None:
        hang(proxy, doomed)
        client.api.kill(mine(client, "seat=0")[0])

    with pytest.raises(SandboxError, match="engine does not answer") as failure:
        await play(doomed, hang_and_kill, deals=3, clock=HURRIED)
    assert str(failure.value).endswith(VOID)


@pytest.mark.parametrize("hand", ["kill", pytest.param("remove", marks=LATER)])
async def test_a_container_that_another_hand_takes_away(
    sandbox: DockerSandbox, client: docker.DockerClient, hand: str
) -> None:
    def take_away() -> None:
        name = mine(client, "seat=1")[0]
        client.api.kill(name) if hand == "kill" else client.api.remove_container(name, force=True)

    with pytest.raises(SandboxError, match="container was killed from") as failure:
        await play(sandbox, take_away)
    assert str(failure.value).endswith(VOID)


SUICIDES = {
    "kills all it can": (
        "import contextlib, os\n"
        "        with contextlib.suppress(PermissionError):\n"
        "            os.kill(1, 9)\n"
        "        os.kill(os.getpid(), 9)",
        137,
        False,
    ),
    "says that it was killed": ("import os; os._exit(137)", 137, False),
    "takes all memory": ("bytearray(400 << 20)", 137, True),
    "ends": ("raise SystemExit(7)", 7, False),
}


@pytest.mark.parametrize(
    "names",
    [("kills all it can", "takes all memory"), pytest.param(("says that it was killed", "ends"), marks=LATER)],
    ids=", ".join,
)
async def test_bots_that_end_themselves_are_blamed_and_the_record_says_how(
    sandbox: DockerSandbox, write: Callable[[str, dict[str, str]], Path], names: tuple[str, str]
) -> None:
    dockerfile = 'FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n'
    bad: list[BotSource] = []
    for name in names:
        line = SUICIDES[name][0]
        bot = (
            f"import pigpen\n\nclass Bad(pigpen.Bot):\n    def play(self, view):\n        {line}\n\npigpen.run(Bad())\n"
        )
        bad.append(BotSource(name, folder=write(name, {"bot.py": bot, "Dockerfile": dockerfile})))
    lines: list[AnyLine] = []
    played = await play(sandbox, lambda: None, deals=1, sources=(bad[0], bad[1]), lines=lines)
    assert [(row.faults, row.taken_over) for row in played.result.results] == [(1, True)] * 2
    steps = [step for deal in lines if isinstance(deal, DealLine) for step in deal.steps if step.why]
    recorded = {step.seat: (step.by, step.exit_code, step.oom) for step in steps}
    assert len(steps) == len(recorded)
    assert recorded == {seat: ("default:gone", *SUICIDES[name][1:]) for seat, name in enumerate(names)}


async def test_an_image_that_is_deleted_between_load_and_start(
    sandbox: DockerSandbox, client: docker.DockerClient, write: Callable[[str, dict[str, str]], Path]
) -> None:
    folder = write("lost", {"Dockerfile": 'FROM scratch\nCMD ["/bot"]\n'})
    build_image(client, archive(folder), tag="pigpen/test:lost", labels={"pigpen.test": "lost"})
    spec = MatchSpec(FOR_TWO, NAMES, Format(1), PATIENT, bytes(32))
    other = await sandbox.load(BOT)
    lost = await sandbox.load(BotSource("lost", image="pigpen/test:lost"))
    for locking in client.api.containers(filters={"label": f"{SANDBOX}={sandbox.id}", "ancestor": lost.identity}):
        client.api.remove_container(locking, force=True)  # or the engine would not delete the image
    client.images.remove("pigpen/test:lost")
    lines: list[AnyLine] = []
    with pytest.raises(SandboxError, match=r"No such image.*image deleted") as failure:
        await play_sandboxed(spec, [lost, other], lines.append)
    assert str(failure.value).endswith(VOID)
    assert not [line for line in lines if isinstance(line, ResultLine)]
