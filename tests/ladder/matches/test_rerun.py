"""Another version of a bot with the questions of a record, and bots whose native code cannot be forked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import pytest

from ladder.matches.check import MAX_STARTS, ConformanceCheck
from ladder.matches.inline_match import inline_table, play_inline
from ladder.matches.play import sandboxed_table
from ladder.matches.rerun import Rerun, rerun
from ladder.sandbox.base import Sandbox
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.forked import CAN_FORK
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine
from referee.records.recorded import Recorded
from referee.replay.rerun import asked, table_reruns
from referee.seats.verdict import Exit, Verdict
from tests.referee.recorded import SEED
from tests.waiting import PATIENCE, PATIENT

Write = Callable[[str, dict[str, str]], Path]
BOTS = ("counting", "cautious", "random", "random")
LIMIT = 1000.0


@pytest.fixture(scope="module")
def match() -> Recorded:
    lines: list[AnyLine] = []
    spec = MatchSpec(PRESETS["hearts"], ("counting", "cautious", "random", "random#2"), Format(boards=1), seed=SEED)
    asyncio.run(play_inline(spec, [find_bot(name) for name in BOTS], lines.append))
    return Recorded.of(lines)


@pytest.fixture
async def processes() -> AsyncIterator[ProcessSandbox]:
    sandbox = ProcessSandbox()
    yield sandbox
    await sandbox.close()


@pytest.fixture(scope="module")
def half(match: Recorded) -> Recorded:
    """Two of its four tables, where each costs a process or a container."""
    return Recorded(match.first, match.rules, match.deals[:2], match.result)


async def put_in(sandbox: Sandbox, source: BotSource, match: Recorded, bot: int) -> Rerun:
    """Put all questions of a recorded bot to a bot in a sandbox."""
    open_table = partial(sandboxed_table, [await sandbox.load(source)], [source.name])
    return await rerun(table_reruns(match, bot, match.deals, LIMIT), open_table)


async def put_inline(source: BotSource, match: Recorded, bot: int) -> Rerun:
    return await rerun(table_reruns(match, bot, match.deals, LIMIT), partial(inline_table, [source]))


def questions(match: Recorded, bot: int) -> int:
    """Count the questions for a bot: every card and pass that was not forced."""
    return sum(len(asked(line, bot)) for line in match.deals)


def changed(write: Write, line: str) -> BotSource:
    """The random bot with another line at the beginning of its `play`."""
    source = find_bot("random").folder
    assert source is not None
    text = (source / "bot.py").read_text()
    head = '        """Play any legal card."""\n'
    assert head in text
    return BotSource("changed", folder=write("changed", {"bot.py": text.replace(head, f"{head}        {line}\n")}))


@pytest.mark.parametrize("bot", range(4))
async def test_the_same_bot_in_this_process_makes_the_same_decisions(match: Recorded, bot: int) -> None:
    done = await put_inline(find_bot(BOTS[bot]), match, bot)
    assert (len(done.answers), done.different, done.untried, done.output) == (questions(match, bot), (), 0, "")
    assert done.forced == 4 * 14 - questions(match, bot) > 0


async def test_the_same_bot_in_processes_makes_the_same_decisions(half: Recorded, processes: ProcessSandbox) -> None:
    done = await put_in(processes, find_bot("random"), half, 2)
    assert (len(done.answers), done.different, done.untried) == (questions(half, 2), (), 0)


@pytest.mark.docker
async def test_the_same_bot_in_containers_makes_the_same_decisions(half: Recorded, no_leftovers: None) -> None:
    sandbox = DockerSandbox()
    try:
        done = await put_in(sandbox, find_bot("counting"), half, 0)
    finally:
        await sandbox.close()
    assert (len(done.answers), done.different, done.untried) == (questions(half, 0), (), 0)


async def test_a_changed_bot_differs_where_its_change_says(
    half: Recorded, processes: ProcessSandbox, write: Write
) -> None:
    bot = changed(write, "if len(view.tricks) == 3: return view.legal[0]")
    for done in (await put_in(processes, bot, half, 2), await put_inline(bot, half, 2)):
        fourth = [answer for answer in done.answers if len(answer.view.tricks) == 3 and answer.step.play]
        assert [answer.now for answer in fourth] == [str(answer.view.legal[0]) for answer in fourth]
        assert list(done.different) == [answer for answer in fourth if answer.now != answer.then]
        assert len(done.different) > 0


async def test_a_bot_that_ends_is_started_again_for_what_is_left(
    match: Recorded, processes: ProcessSandbox, write: Write
) -> None:
    bot = changed(write, "assert len(view.hand) != 5, 'this is too much'")
    for done in (await put_in(processes, bot, match, 3), await put_inline(bot, match, 3)):
        assert 1 < len(done.different) <= 4, "in some deals the ninth card is forced"
        assert {answer.verdict for answer in done.different} == {Verdict.GONE}
        assert {len(answer.view.hand) for answer in done.different} == {5}
        assert (len(done.answers), done.untried) == (questions(match, 3), 0)
        assert "AssertionError: this is" in done.output


async def test_a_bot_that_ends_again_and_again_is_given_up_at_each_table(match: Recorded, write: Write) -> None:
    done = await put_inline(changed(write, "raise KeyError('ouch')"), match, 2)
    gone = [answer for answer in done.answers if answer.verdict]
    assert len(gone) == 4 * MAX_STARTS
    assert done.untried == questions(match, 2) - len(done.answers)
    assert done.untried > 0


async def test_an_instance_sees_the_deals_of_one_table_only(match: Recorded, write: Write) -> None:
    """A bot that plays otherwise once it has seen a deal from another seat never does so."""
    line = "self.seat = getattr(self, 'seat', view.seat); assert self.seat == view.seat, 'another table'"
    done = await put_inline(changed(write, line), match, 2)
    assert {line.seats.index(2) for line in match.deals if line.seats} == {0, 1, 2, 3}
    assert done.different == ()


async def test_a_bot_that_never_comes_is_tried_once(match: Recorded, processes: ProcessSandbox, write: Write) -> None:
    clock = match.first.clock.model_copy(update={"start_up": 0.5})
    hurried = Recorded(match.first.model_copy(update={"clock": clock}), match.rules, match.deals, match.result)
    absent = BotSource("absent", folder=write("absent", {"bot.py": "import time\ntime.sleep(1000)\n"}))
    done = await put_in(processes, absent, hurried, 0)
    assert [answer.verdict for answer in done.answers] == [Verdict.ABSENT]
    assert done.untried == questions(match, 0) - 1


CRASHING = """
import os, signal, sys
if {when}:
    os.kill(os.getpid(), signal.SIG{signal})
import pigpen
class B(pigpen.Bot):
    def play(self, view):
        return view.legal[0]
if __name__ == "__main__":
    pigpen.run(B())
"""
FORKED = '"pigpen.client" in sys.modules'
"""Test for a forked bot: it has imported that before its main file runs."""
Crashing = Callable[..., BotSource]


@pytest.fixture
def crashing(tmp_path: Path) -> Crashing:
    def make(when: str, signal: str = "SEGV") -> BotSource:
        (tmp_path / "bot.py").write_text(CRASHING.format(when=when, signal=signal))
        return BotSource("fragile", folder=tmp_path)

    return make


async def passes(sandbox: Sandbox, bot: BotSource) -> tuple[bool, bool, str]:
    """Tell if it passes the check, if it could be forked afterwards, and the first fault of it."""
    try:
        program = await sandbox.load(bot)
        report = await ConformanceCheck(program, PATIENT, PATIENCE).run([PRESETS["hearts"]])
        return report.passed, program.can_fork, report.outcomes[0].reason
    finally:
        await sandbox.close()


@pytest.mark.docker
async def test_in_containers_it_is_forked_no_more(crashing: Crashing) -> None:
    reports: list[str] = []
    sandbox = DockerSandbox(instances="warm", report=reports.append)
    assert await passes(sandbox, crashing(FORKED)) == (True, False, "")
    [sentence] = [line for line in reports if "fragile" in line]
    assert f"took its seat ({Exit(139)})" in sentence


@pytest.mark.skipif(not CAN_FORK, reason="processes are forked on Linux alone")
@pytest.mark.parametrize("signal", ["SEGV", "ABRT", "ILL"])
async def test_in_processes_it_is_forked_no_more(crashing: Crashing, signal: str) -> None:
    passed, _, reason = await passes(ProcessSandbox(), crashing(FORKED, signal))
    assert (passed, reason) == (True, "")


async def test_one_that_crashes_anyway_is_at_fault(crashing: Crashing) -> None:
    passed, _, reason = await passes(ProcessSandbox(), crashing("True"))
    assert (passed, reason) == (False, str(Exit(139)))
