"""The ladder plays what was entered, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ladder.sandbox.bots.bot_source import SAMPLES
from ladder.sandbox.bots.content import Content, keep_folder
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.match_tasks import ProgramLost, TaskBot, load_version


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
    with pytest.raises(ProgramLost, match="is not what was entered as Trotter: it is sha256:"):
        await load_version(ProcessSandbox(), kept)


async def test_a_kept_folder_that_was_removed_is_the_platforms_failure(kept: TaskBot) -> None:
    Path(str(kept.folder)).rename(f"{kept.folder}-moved")
    with pytest.raises(ProgramLost, match="Trotter, which was entered once, cannot be loaded any more"):
        await load_version(ProcessSandbox(), kept)
