"""Each line of a bot's log says at which of its decisions it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS, Rules
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine
from tests.for_two import FOR_TWO
from tests.waiting import PATIENT

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.sandbox.base import Sandbox
    from referee.records.lines import AnyLine

TALKER = """
import pigpen


class Talker(pigpen.Bot):
    def play(self, view):
        print(f"this is {view.decision}")
        return view.legal[0]


pigpen.run(Talker())
"""
DEALS = 3


@pytest.mark.parametrize(
    ("make", "rules"),
    [(ProcessSandbox, PRESETS["gongzhu"]), pytest.param(DockerSandbox, FOR_TWO, marks=pytest.mark.docker)],
    ids=["ProcessSandbox", "DockerSandbox"],
)
async def test_what_is_printed_before_an_answer_stands_at_that_decision(
    make: type[ProcessSandbox | DockerSandbox], rules: Rules, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(TALKER)
    (tmp_path / "Dockerfile").write_text('FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n')
    spec = MatchSpec(rules, tuple("abcd"[: rules.players]), Format(DEALS), PATIENT, bytes(32))
    sandbox: Sandbox = make()
    written: list[AnyLine] = []
    try:
        talker = await sandbox.load(BotSource("talker", folder=tmp_path))
        played = await play_sandboxed(spec, [talker] * rules.players, written.append)
    finally:
        await sandbox.close()
    steps = [step for line in written if isinstance(line, DealLine) for step in line.steps]
    for seat, log in enumerate(played.logs[0]):
        lines = [line.split("] this is ") for line in log.splitlines()]
        assert len(lines) == sum(step.seat == seat and step.play is not None and step.by == "bot" for step in steps) > 0
        assert [mark_printed for _, mark_printed in lines] == [mark.removeprefix("[") for mark, _ in lines]
