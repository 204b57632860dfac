"""`pigpen check` finds each flaw, finds none in the sample bots, and never blames a bot for the sandbox."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.errors import SandboxError
from ladder.matches.check import MAX_STARTS, WIRE, ConformanceCheck, Report, Trial
from ladder.sandbox.base import SOCKET_NAME, Exit, Instance, SeatMount
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.docker.container_instance import DockerInstance
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.starter import WarmInstance
from ladder.sandbox.host.machine import peak_of_process
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen import ClockSetting
from pigpen.check import Outcome, cases_of
from pigpen.rules import PRESETS, Phase
from referee.match.formats import DEFAULT_CLOCK
from tests.ladder import bad_checks, containers
from tests.ladder.bad_checks import FLAWS, Flaw

if TYPE_CHECKING:
    from pigpen.check import Case
    from pigpen.rules import Action, Deal

Write = Callable[[str, dict[str, str]], Path]
Checked = Callable[..., Awaitable[Report]]
LAVISH = replace(DEFAULT_CLOCK, limit=100.0, start_up=100.0)
"""No bot is too late, however slow the machine."""
SHORT = 0.2
LATER = pytest.mark.long
ask = Trial.ask


@pytest.fixture
async def processes() -> AsyncIterator[ProcessSandbox]:
    sandbox = ProcessSandbox()
    yield sandbox
    await sandbox.close()


@pytest.fixture
def report(processes: ProcessSandbox, write: Write) -> Checked:
    """Check a bot.py in the process sandbox."""

    async def make(program: str, rules: str = "hearts", clock: ClockSetting = LAVISH, end: float = 100.0) -> Report:
        bot = BotSource("bad", folder=write("bad", {"bot.py": program}))
        return await ConformanceCheck(await processes.load(bot), clock, end).run([PRESETS[rules]])

    return make


def failed(report: Report) -> list[Outcome]:
    return [outcome for outcome in report.outcomes if not outcome.passed]


def outcome(report: Report, name: str) -> Outcome:
    return next(outcome for outcome in report.outcomes if outcome.name == name)


@pytest.mark.parametrize("name", [*(pytest.param(name, marks=LATER) for name in ("random", "cautious")), "counting"])
async def test_the_sample_bots_pass_in_processes(name: str, processes: ProcessSandbox) -> None:
    seen: list[Outcome] = []
    check = ConformanceCheck(await processes.load(find_bot(name)), LAVISH, 100.0, seen.append)
    report = await check.run(list(PRESETS.values()))
    assert failed(report) == []
    assert report.passed
    assert len(report.outcomes) == len(WIRE) + sum(len(cases_of(rules)) for rules in PRESETS.values())
    assert seen == list(report.outcomes)
    assert report.start_up is not None
    assert report.memory is not None
    assert report.memory > 1_000_000


@pytest.mark.docker
@pytest.mark.long
async def test_a_sample_bot_passes_in_containers(sandbox: DockerSandbox) -> None:
    """As below in hearts; in processes all are played on each push."""
    check = ConformanceCheck(await sandbox.load(find_bot("counting")), LAVISH, 100.0)
    report = await check.run(list(PRESETS.values()))
    assert failed(report) == []
    assert report.memory is not None
    assert report.memory > 1_000_000


@pytest.mark.docker
async def test_the_cases_of_the_wire_are_forked_in_one_container_and_memory_is_that_of_a_fresh_one(
    no_leftovers: None,
) -> None:
    names: list[str] = []
    sandbox = containers.warm_sandbox()
    try:
        program = await sandbox.load(find_bot("counting"))
        start = program.start

        async def noted(mount: SeatMount) -> DockerInstance | WarmInstance:
            names.append((instance := await start(mount)).name)
            return instance

        program.start = noted  # type: ignore[method-assign]
        report = await ConformanceCheck(program, LAVISH, 100.0).run([PRESETS["hearts"]])
    finally:
        await sandbox.close()
    assert failed(report) == []
    assert report.passed
    assert len(names) == len(WIRE) + 1
    assert names[-1] not in names[:-1]
    assert len(set(names[:-1])) == 1
    assert report.memory is not None
    assert report.memory > 1_000_000


async def test_a_bot_that_is_seated_or_refused_before_its_start_returns_passes(
    processes: ProcessSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = await processes.load(find_bot("counting"))
    start = program.start

    async def slowly(mount: SeatMount) -> Instance:
        instance = await start(mount)
        ended = asyncio.ensure_future(instance.wait())
        while (mount.folder / SOCKET_NAME).exists() and not ended.done():
            await asyncio.sleep(0.001)
        ended.cancel()
        return instance

    monkeypatch.setattr(program, "start", slowly)
    assert failed(await ConformanceCheck(program, LAVISH, 100.0).run([PRESETS["hearts"]])) == []


LATER_FLAWS = (
    "plays an illegal card",
    "crashes at one question",
    "exposes a card that it does not hold",
    "crashes at a notice",
)
"""In each push, test_entering.py submits the first two, and tests/ladder/cli/play/test_check.py checks the others."""


@pytest.mark.parametrize(
    "flaw", [pytest.param(flaw, id=name, marks=LATER if name in LATER_FLAWS else ()) for name, flaw in FLAWS.items()]
)
async def test_a_flaw_fails_the_case_that_is_there_for_it_and_no_other(
    flaw: Flaw, report: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    if flaw.verdict == "timeout":
        monkeypatch.setattr(Trial, "ask", ask_hurried_about_the_moon)
    found = await report(flaw.program, flaw.rules)
    assert [(each.group, each.name) for each in failed(found)] == [(flaw.group, flaw.case)], failed(found)
    (only,) = failed(found)
    assert only.verdict == flaw.verdict
    assert flaw.text in only.reason
    assert ("KeyError: 'ouch'" in only.output) == ("ouch" in flaw.program)


async def ask_hurried_about_the_moon(trial: Trial, case: Case, deal: Deal, grace: float = 0.0) -> Action:
    """Put one question; 3 s are enough for one about the moon, and `LAVISH` is the clock of all others."""
    return await ask(trial, case, deal, 3.0 - LAVISH.limit if deal.phase is Phase.MOON else grace)


async def test_a_bot_that_never_connects_fails_the_first_case_and_is_not_tried_further(
    report: Checked,
) -> None:
    found = await report(bad_checks.NEVER_CONNECTS, clock=replace(LAVISH, start_up=SHORT))
    first, *others = found.outcomes
    assert (first.verdict, first.reason.endswith("its seat within 0.2 s")) == ("absent", True)
    assert {each.verdict for each in others} == {"untried"}
    assert found.start_up is None


async def test_a_bot_that_ends_at_once_is_shown_with_its_last_words(report: Checked) -> None:
    found = await report(bad_checks.ENDS_AT_ONCE)
    first = found.outcomes[0]
    assert first.reason == str(Exit(0))
    assert first.output == "good night"


async def test_a_bot_that_never_ends_hangs(report: Checked) -> None:
    found = await report(bad_checks.NEVER_ENDS, end=SHORT)
    hanging = {each.name for each in found.outcomes if each.verdict == "hangs"}
    *_, refused, last = WIRE
    assert hanging == {refused, last}
    assert failed(found) == [each for each in found.outcomes if each.verdict == "hangs"]


async def test_a_bot_that_always_crashes_is_not_started_for_ever(report: Checked) -> None:
    found = await report(bad_checks.CRASHES_ALWAYS, "hearts")
    assert outcome(found, next(iter(WIRE))).verdict == "gone"
    assert {each.verdict for each in found.outcomes[1:]} == {"untried"}


async def test_a_bot_that_crashes_in_one_variant_is_started_a_few_times(
    processes: ProcessSandbox, write: Write
) -> None:
    bot = BotSource("bad", folder=write("bad", {"bot.py": bad_checks.CRASHES_ALWAYS}))
    report = await ConformanceCheck(await processes.load(bot), LAVISH).run([PRESETS["gongzhu"], PRESETS["hearts"]])
    verdicts = [each.verdict for each in report.outcomes if each.group == "hearts"]
    assert verdicts == ["gone"] * MAX_STARTS + ["untried"] * (len(verdicts) - MAX_STARTS)
    assert {each.group for each in failed(report)} == {"hearts"}


async def test_a_broken_sandbox_is_not_the_bots_fault() -> None:
    class Broken:
        identity = "sha256:0"
        image_files = None
        instance_kind = None
        runtime = None
        witness = None

        def never_fork(self, end: Exit) -> None:
            """It forks none."""

        async def start(self, mount: SeatMount) -> Instance:
            raise SandboxError("The engine is gone.")

    with pytest.raises(SandboxError, match=r"The engine is gone\."):
        await ConformanceCheck(Broken(), LAVISH).run([PRESETS["hearts"]])


def test_memory_is_read_of_those_who_live() -> None:
    assert (peak_of_process(os.getpid()) or 0) > 1_000_000
    assert peak_of_process(2**22 + 1) is None
