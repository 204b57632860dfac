"""Tasks and outcomes as JSON: the ladder plays what was entered, or nothing."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pydantic
import pytest

from ladder.sandbox.bots.bot_source import SAMPLES
from ladder.sandbox.bots.content import Content, keep_folder
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.match_tasks import MatchOutcome, MatchTask, ProgramLost, TaskBot, load_version
from pigpen.rules import PRESETS
from referee.match.formats import DEFAULT_CLOCK


@pytest.fixture
def kept(tmp_path: Path) -> TaskBot:
    """A folder that was entered."""
    content = Content.read(SAMPLES / "random")
    return TaskBot(
        name="Trotter",
        identity=f"sha256:{content.hash}",
        sandbox=SandboxKind.PROCESS,
        folder=str(keep_folder(content, tmp_path)),
    )


async def test_a_kept_folder_is_what_was_entered(kept: TaskBot) -> None:
    assert kept.identity == (await load_version(ProcessSandbox(), kept)).identity


async def test_a_kept_folder_that_was_changed_does_not_play(kept: TaskBot) -> None:
    (Path(str(kept.folder)) / "bot.py").write_text("print('I am another one')")
    with pytest.raises(ProgramLost, match="Trotter: it is sha256:"):
        await load_version(ProcessSandbox(), kept)


async def test_a_kept_folder_that_was_removed_is_the_platforms_failure(kept: TaskBot) -> None:
    Path(str(kept.folder)).rename(f"{kept.folder}-moved")
    with pytest.raises(ProgramLost, match="Trotter, which was entered"):
        await load_version(ProcessSandbox(), kept)


SEED = bytes(range(32))
IDENTITY = f"sha256:{'0' * 64}"
TASK = MatchTask(
    match=7,
    attempt=2,
    rules=PRESETS["gongzhu-partners"].to_plain(),
    format="boards:1",
    clock=asdict(DEFAULT_CLOCK),
    seed=SEED.hex(),
    bots=tuple(
        TaskBot(name=name, identity=IDENTITY, sandbox=SandboxKind.PROCESS, folder="/bots/0")
        for name in ("Trotter", "Snout", "Trotter#2", "Snout#2")
    ),
    seconds=60.0,
)


def test_a_task_comes_through_as_it_is() -> None:
    assert MatchTask.model_validate_json(TASK.model_dump_json()) == TASK


def test_a_task_says_what_the_referee_is_to_play() -> None:
    spec = MatchTask.model_validate_json(TASK.model_dump_json()).spec()
    assert (spec.rules, spec.bots) == (PRESETS["gongzhu-partners"], ("Trotter", "Snout", "Trotter#2", "Snout#2"))
    assert (str(spec.format), spec.clock, spec.seed) == ("boards:1", DEFAULT_CLOCK, SEED)


def test_the_seed_shows_in_no_text_about_a_task() -> None:
    assert SEED.hex() not in repr(TASK)
    assert SEED.hex() not in str(TASK)


def test_a_key_names_the_attempt() -> None:
    assert TASK.key == "match-7-2"


@pytest.mark.parametrize(
    "outcome",
    [
        MatchOutcome(match=7, attempt=2, record=bytes(range(256)), logs={0: ("a", ""), 3: ("", "é\x1b")}),
        MatchOutcome(match=7, attempt=2, record=b"", starting_seconds=1.25, playing_seconds=0.0),
        MatchOutcome(match=7, attempt=2, void="No Docker engine answers."),
    ],
)
def test_an_outcome_comes_through_as_it_is(outcome: MatchOutcome) -> None:
    assert MatchOutcome.model_validate_json(outcome.model_dump_json()) == outcome


@pytest.mark.parametrize("fields", [{}, {"record": b"", "void": "No."}])
def test_an_outcome_is_a_record_or_void(fields: dict[str, str | bytes]) -> None:
    with pytest.raises(pydantic.ValidationError, match="either a record or void"):
        MatchOutcome.model_validate({"match": 1, "attempt": 1, **fields})
