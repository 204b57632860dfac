"""Programs of ladder bots at tables: one that is missing ends no table of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ladder.errors import SandboxError
from ladder.people.playing import table_programs
from ladder.people.playing.table_programs import TablePrograms
from ladder.settings.settings import load_settings
from ladder.store.queries.leased_matches import SeatedVersion
from ladder.worker import match_tasks
from ladder.worker.match_tasks import ProgramLost

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.values.sandbox_kind import SandboxSetup
    from ladder.worker.match_tasks import TaskBot

GOOD, OTHER, LOST, UNREACHABLE = (
    SeatedVersion(name, f"sha256:{number:064}", "docker", f"arena.example/{name}@sha256:{number:064}")
    for number, name in enumerate(("good", "other", "lost", "unreachable"))
)


class Opened:
    """A sandbox that only knows whether it is open."""

    def __init__(self) -> None:
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Opened]:
    """All sandboxes that were opened, in order."""
    found: list[Opened] = []

    def open_sandbox(setup: SandboxSetup) -> Opened:
        found.append(Opened())
        return found[-1]

    async def load_version(sandbox: Opened, bot: TaskBot) -> object:
        if bot.name == LOST.bot:
            raise ProgramLost("Its image is gone.", bot.identity)
        if bot.name == UNREACHABLE.bot:
            raise SandboxError("Its registry does not answer.")
        return sandbox

    monkeypatch.setattr(table_programs, "open_sandbox", open_sandbox)
    monkeypatch.setattr(match_tasks, "load_version", load_version)
    return found


@pytest.mark.parametrize("version", [LOST, UNREACHABLE])
async def test_a_version_that_cannot_be_had_ends_no_table_of_others(
    tmp_path: Path, opened: list[Opened], version: SeatedVersion
) -> None:
    programs = TablePrograms(load_settings(data_dir=tmp_path), lambda: 0.0)

    async def fail() -> None:
        with pytest.raises(SandboxError):
            async with programs.loaded({0: version}):
                pytest.fail("it was loaded")

    async with programs.loaded({0: GOOD}) as first:
        await fail()
        await fail()
        async with programs.loaded({0: GOOD, 1: OTHER}) as second:
            known: list[Any] = [first[0], second[0]]
            assert [each.is_open for each in known] == [True, True]
        assert known[0] is not known[1], "after a failure later tables get another sandbox"
    assert [each for each in opened if each.is_open] == [known[1]]
    await programs.close()
    assert not any(each.is_open for each in opened)
