"""A bot that remembers every deal gains nothing from it: each rotation of a board is played by another instance."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine
from tests.waiting import PATIENT

if TYPE_CHECKING:
    from ladder.sandbox.base import Sandbox
    from referee.records.lines import AnyLine, Instances

FOR_TWO = replace(PRESETS["gongzhu"], name="gongzhu-for-two", players=2, exposing=None)
"""Its first card is free, and a board is played by four instances of bots and not by sixteen."""
SPEC = MatchSpec(
    FOR_TWO,
    ("a", "b"),
    Format(boards=1),
    PATIENT,
    bytes(32),
)
LATER = pytest.mark.long
ITS_OWN = ("~", "$TMPDIR")
ANYWHERE = ("~", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/pigpen", "/run", "/", ".")
RECALLS = "I have seen these cards before."


def elephant(folder: Path, places: tuple[str, ...]) -> BotSource:
    """The bot that never forgets, and the places in which it keeps what it knows."""
    shutil.copytree(Path(__file__).parent / "elephant", folder)
    (folder / "places.txt").write_text("\n".join(places))
    return BotSource("elephant", folder=folder)


async def play(sandbox: Sandbox, bot: BotSource, concurrency: int) -> tuple[str, set[bool]]:
    """Give all instances' output, and whether they played their lowest cards: they do when they know nothing."""
    lines: list[AnyLine] = []
    try:
        played = await play_sandboxed(
            SPEC, [await sandbox.load(bot)] * len(SPEC.bots), lines.append, concurrency=concurrency
        )
    finally:
        await sandbox.close()
    assert [row.faults for row in played.result.results] == [0] * len(SPEC.bots), played.logs
    firsts = {first_card(line) == lowest(line) for line in lines if isinstance(line, DealLine)}
    return "".join(log for logs in played.logs.values() for log in logs), firsts


def first_card(line: DealLine) -> str | None:
    return next(step.play for step in line.steps if step.play)


def lowest(line: DealLine) -> str:
    """The lowest card of the seat that leads, in canonical order."""
    leader = next(step.seat for step in line.steps if step.play)
    return line.hands[leader].split()[0]


@pytest.mark.parametrize("concurrency", [1, pytest.param(4, marks=LATER)])
async def test_no_process_sees_a_board_twice(tmp_path: Path, concurrency: int) -> None:
    assert await play(ProcessSandbox(), elephant(tmp_path / "bot", ITS_OWN), concurrency) == ("", {True})


@pytest.mark.docker
@pytest.mark.usefixtures("no_leftovers")
@pytest.mark.parametrize(
    ("instances", "concurrency"),
    [
        ("warm", 4),
        pytest.param("fresh", 1, marks=LATER),
        pytest.param("warm", 1, marks=LATER),
        pytest.param("fresh", 4, marks=LATER),
    ],
)
async def test_no_container_sees_a_board_twice_wherever_its_bot_writes(
    tmp_path: Path, instances: Instances, concurrency: int
) -> None:
    assert await play(DockerSandbox(instances=instances), elephant(tmp_path / "bot", ANYWHERE), concurrency) == (
        "",
        {True},
    )


async def test_the_bot_would_know_the_cards_again_if_it_had_seen_them(tmp_path: Path) -> None:
    """A process may write into a folder of ours, and then it does: the test above can fail."""
    (tmp_path / "shared").mkdir()
    written, lowest_led = await play(ProcessSandbox(), elephant(tmp_path / "bot", (str(tmp_path / "shared"),)), 1)
    assert RECALLS in written
    assert lowest_led == {True, False}
