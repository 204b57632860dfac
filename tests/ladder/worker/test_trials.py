"""Trying submitted bots: an outcome whatever happens, and how far it has come."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from ladder.errors import BotRejected, ContainerLost, SandboxError
from ladder.matches.play import SeatedBot
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.trials import trial
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask, TrialProgress
from ladder.worker.trials import REPORT_SECONDS, ProgressReporter, try_task
from referee.match.formats import DEFAULT_CLOCK
from tests.for_two import FOR_TWO

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ladder.values.sandbox_kind import SandboxSetup


def task(folder: Path, **fields: Any) -> SubmissionTask:
    given: dict[str, Any] = {
        "submission": 7, "attempt": 2, "owner": "ada", "source": "mybot",
        "order": {"name": "Trotter", "source": "mybot", "word": "./mybot", "variants": (FOR_TWO.name,)},
        "image": None, "folder": str(folder), "sandbox": "process", "most_bytes": 10**9,
        "known": {
            "rules": {FOR_TWO.name: FOR_TWO.to_plain()}, "plays": (), "entered": {}, "holders": {}, "members": {},
        },
        "clock": asdict(DEFAULT_CLOCK), "deals": 1, "data_dir": str(folder.parent),
        "seconds": 300.0,
    }  # fmt: skip
    return SubmissionTask.model_validate(given | fields)


class Closed(ProcessSandbox):
    """Says whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.is_closed = False

    async def close(self) -> None:
        self.is_closed = True
        await super().close()


async def tried(wanted: SubmissionTask) -> tuple[SubmissionOutcome, list[TrialProgress], Closed]:
    sandbox, reports = Closed(), list[str]()

    def open_sandbox(_: SandboxSetup) -> Closed:
        return sandbox

    outcome = await try_task(wanted, open_sandbox, reports.append)
    assert (outcome.submission, outcome.attempt) == (7, 2)
    assert sandbox.is_closed
    return outcome, [TrialProgress.model_validate_json(each) for each in reports], sandbox


async def test_a_bot_that_is_fit_is_told_of_to_its_last_case(bot: Callable[..., Path]) -> None:
    outcome, reports, _ = await tried(task(bot()))
    assert outcome.program is not None
    assert outcome.failures == ()
    assert [rules["name"] for rules in outcome.variants] == [FOR_TWO.name]
    assert {each.phase for each in reports} == {"trying"}
    assert [reports[0].done, reports[-1].done] == [0, reports[-1].steps]
    assert [each.done for each in reports] == sorted(each.done for each in reports)


async def test_a_folder_that_is_gone_is_refused_without_the_ladder_s_path(tmp_path: Path) -> None:
    outcome, _, _ = await tried(task(tmp_path / "gone" / "mybot"))
    assert outcome.refused is not None
    assert "mybot" in outcome.refused
    assert str(tmp_path) not in outcome.refused


async def test_a_trial_that_takes_too_long_is_void(bot: Callable[..., Path]) -> None:
    outcome, _, _ = await tried(task(bot(), seconds=0.01))
    assert str(outcome.void).endswith("over after 0.01 seconds.")


@pytest.mark.parametrize(
    ("error", "void"),
    [
        (SandboxError("No Docker engine answers."), "No Docker engine answers."),
        (ContainerLost("A container was killed."), "A container was killed."),
        (KeyError("seat"), "The platform has a mistake: KeyError: 'seat'"),
        (OSError(28, "No space left"), "The platform has a mistake: OSError: [Errno 28] No space left"),
        (TimeoutError("somewhere else"), "The platform has a mistake: TimeoutError: somewhere else"),
    ],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
async def test_what_fails_on_our_side_is_void_and_nothing_else(
    error: Exception, void: str, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> SubmissionOutcome:
        raise error

    monkeypatch.setattr(trial, "try_submission", fails)
    outcome, _, _ = await tried(task(bot()))
    assert (outcome.void, outcome.refused, outcome.program) == (void, None, None)
    assert outcome.lost_container is isinstance(error, ContainerLost)


async def test_a_container_that_is_lost_in_a_trial_is_told_of(
    bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(_: object) -> None:
        raise ContainerLost("A container was killed.")

    monkeypatch.setattr(SeatedBot, "watch", lost)
    outcome, _, _ = await tried(task(bot()))
    assert (outcome.void, outcome.lost_container) == ("A container was killed.", True)


async def test_a_trial_that_is_given_up_closes_its_sandbox(
    bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox, has_begun = Closed(), asyncio.Event()

    async def hangs(*_: object) -> SubmissionOutcome:
        has_begun.set()
        await asyncio.Event().wait()
        raise BotRejected("never")

    monkeypatch.setattr(trial, "try_submission", hangs)
    trying = asyncio.create_task(try_task(task(bot()), lambda _: sandbox, print))
    await has_begun.wait()
    trying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trying
    assert sandbox.is_closed


def test_progress_is_told_now_and_then_and_at_the_end(tmp_path: Path) -> None:
    reports, now = list[str](), 0.0
    reporter = ProgressReporter(task(tmp_path), reports.append, lambda: now)
    with reporter("cases", 100) as advance:
        for _ in range(100):
            now += REPORT_SECONDS / 10
            advance("a case")
    done = [TrialProgress.model_validate_json(each).done for each in reports]
    assert (done[0], done[-1]) == (0, 100)
    assert 10 <= len(done) <= 13


def test_a_task_s_key_names_submission_and_attempt(tmp_path: Path) -> None:
    assert task(tmp_path).key == "submission-7-2"
