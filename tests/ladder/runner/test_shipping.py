"""Tasks go to machines that have nothing of the ladder's disk, and nobody but `play_remotely` notices."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ladder.cluster.scheduler_process import InvalidAnswer
from ladder.errors import SandboxError
from ladder.runner.cluster_executor import play_remotely
from ladder.sandbox.bots.content import MAX_PACKED, Content, is_kept, keep_folder, kept_folder
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask, TriedProgram
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.bot_store import BotStore, StorePlan
from ladder.worker.match_tasks import MatchOutcome, MatchTask, TaskBot, load_version
from ladder.worker.worker import MAX_RECORD, Worker
from referee.match.formats import DEFAULT_CLOCK
from tests.for_two import FOR_TWO
from tests.ladder.worker.test_match_tasks import TASK
from tests.ladder.worker.test_worker import QUICK


class RemoteWorker:
    """A worker on another machine; it receives tasks and gives outcomes as text."""

    def __init__(self, data_dir: Path, max_record: int = MAX_RECORD) -> None:
        self.data_dir = data_dir
        self.received: list[dict[str, Any]] = []
        self._worker = Worker(load_version, store=BotStore(StorePlan(data_dir=data_dir)), max_record=max_record)

    async def play(self, task: str) -> str:
        self.received.append(json.loads(task))
        return await self._worker.play(task)

    @property
    def kinds(self) -> list[str]:
        return [task["kind"] for task in self.received]

    async def aclose(self) -> None:
        await self._worker.close()


@pytest.fixture
async def remote(tmp_path: Path) -> AsyncIterator[RemoteWorker]:
    async with aclosing(RemoteWorker(tmp_path / "remote")) as remote:
        yield remote


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """The ladder's."""
    return tmp_path / "ladder"


@pytest.fixture
def match(data_dir: Path) -> MatchTask:
    """A match of bots that were entered as folders."""
    kept = keep_folder(Content.read(QUICK), data_dir)
    bots = [
        TaskBot(name=bot.name, identity=f"sha256:{kept.name}", sandbox=SandboxKind.PROCESS, folder=str(kept))
        for bot in TASK.bots
    ]
    return TASK.model_copy(update={"bots": tuple(bots)})


async def played(task: MatchTask, remote: RemoteWorker, data_dir: Path, max_packed: int = MAX_PACKED) -> MatchOutcome:
    answer = await play_remotely(task.model_dump_json(), remote.play, data_dir, max_packed)
    return MatchOutcome.model_validate_json(answer)


async def test_folders_are_sent_where_they_are_missing_and_once(
    match: MatchTask, remote: RemoteWorker, data_dir: Path
) -> None:
    outcomes = [await played(match, remote, data_dir) for _ in range(2)]
    assert [outcome.void for outcome in outcomes] == [None, None]
    assert remote.kinds == ["match", "folder", "match", "match"]
    assert not any(str(data_dir) in json.dumps(task) for task in remote.received)
    assert is_kept(kept_folder(remote.data_dir, match.bots[0].identity), match.bots[0].identity)


async def test_a_record_that_is_too_large_to_come_back_is_told_of_in_a_sentence(
    match: MatchTask, data_dir: Path, tmp_path: Path
) -> None:
    async with aclosing(RemoteWorker(tmp_path / "remote", max_record=1000)) as remote:
        outcome = await played(match, remote, data_dir)
    assert outcome.record is None
    assert "1,000 are the most" in str(outcome.void)


async def test_a_folder_that_somebody_changed_here_suspends_its_bot(
    match: MatchTask, remote: RemoteWorker, data_dir: Path
) -> None:
    (Path(str(match.bots[0].folder)) / "bot.py").write_text("I am another one")
    outcome = await played(match, remote, data_dir)
    assert outcome.lost == match.bots[0].identity
    assert "not what was entered" in str(outcome.void)


async def test_a_folder_that_is_too_large_to_be_sent_suspends_its_bot(
    match: MatchTask, remote: RemoteWorker, data_dir: Path
) -> None:
    outcome = await played(match, remote, data_dir, max_packed=10)
    assert outcome.lost == match.bots[0].identity
    assert "10 are the most" in str(outcome.void)


async def test_a_machine_gets_no_folder_that_is_not_of_its_task(match: MatchTask, data_dir: Path) -> None:
    async def asks(_: str) -> str:
        return MatchOutcome(match=7, attempt=2, void="I lack it.", missing=("sha256:" + "0" * 64,)).model_dump_json()

    with pytest.raises(InvalidAnswer, match="task does not name"):
        await play_remotely(match.model_dump_json(), asks, data_dir)


async def test_a_machine_that_lacks_a_folder_again_and_again_has_no_room(match: MatchTask, data_dir: Path) -> None:
    async def forgets(task: str) -> str:
        identity = match.bots[0].identity
        return MatchOutcome(match=7, attempt=2, void="I lack it.", missing=(identity,)).model_dump_json()

    with pytest.raises(SandboxError, match="folders of its bots"):
        await play_remotely(match.model_dump_json(), forgets, data_dir)


@pytest.mark.parametrize("answer", ["", "[]", "null", '{"void": "x"}', '{"void": "x", "missing": 3}', "garbage"])
async def test_what_is_no_outcome_is_passed_on(match: MatchTask, data_dir: Path, answer: str) -> None:
    async def answers(_: str) -> str:
        return answer

    assert await play_remotely(match.model_dump_json(), answers, data_dir) == answer


def submission(folder: Path, data_dir: Path, **fields: Any) -> SubmissionTask:
    given: dict[str, Any] = {
        "submission": 7, "attempt": 2, "owner": "ada", "source": "mybot",
        "order": {"name": "Trotter", "source": "mybot", "word": "./mybot", "variants": (FOR_TWO.name,)},
        "image": None, "folder": str(folder), "sandbox": "process", "most_bytes": 10**9,
        "known": {
            "rules": {FOR_TWO.name: FOR_TWO.to_plain()}, "plays": (), "entered": {}, "holders": {}, "members": {},
        },
        "clock": asdict(DEFAULT_CLOCK), "deals": 1, "data_dir": str(data_dir), "seconds": 300.0,
    }  # fmt: skip
    return SubmissionTask.model_validate(given | fields)


async def tried(task: SubmissionTask, remote: RemoteWorker, data_dir: Path) -> SubmissionOutcome:
    return SubmissionOutcome.model_validate_json(await play_remotely(task.model_dump_json(), remote.play, data_dir))


async def test_a_submitted_folder_is_tried_elsewhere_and_kept_here(
    bot: Callable[..., Path], remote: RemoteWorker, data_dir: Path
) -> None:
    outcome = await tried(submission(bot(), data_dir), remote, data_dir)
    assert (outcome.void, outcome.refused, outcome.failures) == (None, None, ())
    assert outcome.program is not None
    assert is_kept(kept_folder(data_dir, outcome.program.identity), outcome.program.identity)
    assert remote.kinds == ["submission", "folder", "submission"]
    assert not any(str(data_dir) in json.dumps(task) for task in remote.received)


async def test_a_bot_that_fails_elsewhere_is_not_kept(
    write: Callable[[str, dict[str, str]], Path], remote: RemoteWorker, data_dir: Path
) -> None:
    outcome = await tried(submission(write("dies", {"bot.py": "exit(3)"}), data_dir), remote, data_dir)
    assert outcome.failures
    assert not (data_dir / "folders").exists()


async def test_a_refusal_names_no_path(remote: RemoteWorker, data_dir: Path, tmp_path: Path) -> None:
    outcome = await tried(submission(tmp_path / "gone", data_dir), remote, data_dir)
    assert outcome.refused is not None
    assert (str(tmp_path) in outcome.refused, "mybot" in outcome.refused) == (False, True)


async def test_a_worker_that_tried_another_bot_has_lied(bot: Callable[..., Path], data_dir: Path) -> None:
    another = TriedProgram(identity=f"sha256:{'0' * 64}", pinned=None, size=1, lock=None, can_fork=False)

    async def lies(_: str) -> str:
        return SubmissionOutcome(submission=7, attempt=2, program=another).model_dump_json()

    with pytest.raises(InvalidAnswer, match="It tried another bot"):
        await play_remotely(submission(bot(), data_dir).model_dump_json(), lies, data_dir)
    assert not (data_dir / "folders").exists()
