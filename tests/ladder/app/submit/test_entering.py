"""From a submission to the ladder, in the process sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select

from ladder.app.ladder import Ladder
from ladder.app.submit.ended import result_of
from ladder.app.submit.local_submission import submit as submit_order
from ladder.entry.variants import choices
from ladder.errors import BotRejected, LadderError, SandboxError
from ladder.sandbox.bots.content import content_hash, is_kept, kept_folder
from ladder.settings.settings import Settings, load_settings
from ladder.store import models
from ladder.store.database import Database
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import SubmissionOrder, SubmissionResult
from pigpen.rules import PRESETS
from tests.for_two import FOR_TWO, write_for_two
from tests.ladder.app.submit.observed import Observed
from tests.ladder.bad_checks import FLAWS
from tests.ladder.store.submitted import Fit


async def submit(
    database: Database,
    settings: Settings,
    folder: Path,
    *variants: str,
    steps: Observed | None = None,
    owner: str = "ada",
) -> SubmissionResult:
    order = SubmissionOrder(name="Trotter", source=folder.name, variants=choices(variants))
    ladder = Ladder(settings, database, lambda: 7.0)
    row = await submit_order(ladder, order, folder, steps or Observed(), owner=owner, sandbox=SandboxKind.PROCESS)
    return result_of(row)


def left(settings: Settings) -> list[Path]:
    """List the files in the folder where submissions wait."""
    return list((settings.data_dir / "submissions").glob("*"))


def counts(database: Database) -> tuple[int, ...]:
    """Count the owners, bots, versions, entries and variants."""
    tables = (models.Owner, models.StoredBot, models.Version, models.Rating, models.Variant)
    with database.read() as session:
        return tuple(session.scalar(select(func.count()).select_from(table)) or 0 for table in tables)


async def test_an_honest_bot_is_tried_and_entered_and_its_folder_kept(
    database: Database, settings: Settings, bot: Callable[..., Path], tmp_path: Path
) -> None:
    steps = Observed()
    outcome = await submit(database, settings, bot(), write_for_two(tmp_path), steps=steps)
    assert (outcome.version, outcome.new, outcome.reasons) == ("Trotter@1", True, ())
    assert steps.done == steps.total > 4
    assert is_kept(kept_folder(settings.data_dir, outcome.identity), outcome.identity)
    assert left(settings) == []
    with database.read() as session:
        version = session.scalars(select(models.Version)).one()
        assert (version.identity, version.sandbox, version.source) == (outcome.identity, "process", "mybot")
        assert (version.added, version.pinned) == (7.0, None)


def enter_untried(database: Database, folder: Path, variant: str) -> None:
    """Have a folder on the ladder, as if it had been tried."""
    with database.write() as session:
        bot = Fit("Trotter", "ada", f"sha256:{content_hash(folder)}", "process", folder.name, 100)
        bot.enter(session, [PRESETS[variant]])


async def test_the_same_folder_again_is_not_tried_again(
    database: Database, settings: Settings, bot: Callable[..., Path]
) -> None:
    folder = bot()
    enter_untried(database, folder, "gongzhu")
    steps = Observed()
    again = await submit(database, settings, folder, steps=steps)
    assert steps.total == 0
    assert (again.accepted, again.changed) == (True, False)


async def test_a_bot_is_tried_only_in_variants_that_are_new_to_it(
    database: Database, settings: Settings, bot: Callable[..., Path], tmp_path: Path
) -> None:
    folder = bot()
    enter_untried(database, folder, "gongzhu")
    steps = Observed()
    more = await submit(database, settings, folder, "gongzhu", write_for_two(tmp_path), steps=steps)
    assert steps.steps - {"wire"} == {FOR_TWO.name}
    assert [entry.news for entry in more.variants] == ["there already", "entered"]


@pytest.mark.parametrize("flaw", ["plays an illegal card", "crashes at one question"])
async def test_a_bot_that_fails_a_case_is_told_and_leaves_nothing(
    database: Database, settings: Settings, bot: Callable[..., Path], flaw: str
) -> None:
    sinner = FLAWS[flaw]
    outcome = await submit(database, settings, bot(method=sinner.method), sinner.rules)
    assert not outcome.accepted
    (failed,) = outcome.reasons
    assert (failed.where, failed.verdict, failed.format) == (sinner.case, sinner.verdict, None)
    assert sinner.text in failed.why
    assert counts(database) == (0, 0, 0, 0, 0)
    assert left(settings) == []
    assert not (settings.data_dir / "folders").exists()


SLEEPS = """
    def play(self, view):
        if len(view.tricks) >= 3:
            print("good night", flush=True)
            time.sleep(3600)
        return view.legal[0]
"""


async def test_a_bot_that_is_too_slow_is_told_so(
    database: Database, settings: Settings, bot: Callable[..., Path]
) -> None:
    quick = load_settings(data_dir=settings.data_dir, limit=1.0)
    outcome = await submit(database, quick, bot(method=SLEEPS), "hearts-short")
    failed = [case for case in outcome.reasons if case.verdict == "timeout"]
    assert any("good night" in case.output for case in failed)


async def test_two_submissions_of_one_folder_at_once_are_one_version(
    database: Database, settings: Settings, bot: Callable[..., Path], tmp_path: Path
) -> None:
    folder, variant = bot(), write_for_two(tmp_path)
    both = await asyncio.gather(*(submit(database, settings, folder, variant) for _ in range(2)))
    assert sorted(outcome.new for outcome in both) == [False, True]
    assert counts(database) == (1, 1, 1, 1, 1)
    assert is_kept(kept_folder(settings.data_dir, both[0].identity), both[0].identity)


async def test_a_name_that_is_anothers_is_refused_before_anything_is_tried(
    database: Database, settings: Settings, bot: Callable[..., Path]
) -> None:
    enter_untried(database, bot(), "hearts-short")
    steps = Observed()
    with pytest.raises(LadderError, match="a bot of ada's"):
        await submit(database, settings, bot("other"), "hearts-short", owner="ben", steps=steps)
    assert steps.total == 0


async def test_a_folder_that_is_too_large_is_refused(
    database: Database, settings: Settings, bot: Callable[..., Path]
) -> None:
    with pytest.raises(BotRejected, match=r"mybot .* more than 10 bytes"):
        await submit(database, settings.model_copy(update={"image_bytes": 10}), bot())


async def test_a_bot_that_needs_installed_packages_is_sent_to_docker(
    database: Database, settings: Settings, write: Callable[[str, dict[str, str]], Path]
) -> None:
    files = {"bot.js": "", "package.json": '{"dependencies": {"x": "1"}}', "node_modules/x/index.js": ""}
    with pytest.raises(LadderError, match=r"mybot .* packages \(node_modules\)"):
        await submit(database, settings, write("mybot", files))


async def test_the_platforms_failure_rejects_nobody(
    database: Database, settings: Settings, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bot()
    monkeypatch.setattr("ladder.sandbox.host.scratch.tempfile.gettempdir", lambda: "/nonexistent")
    monkeypatch.setattr("tempfile.tempdir", "/nonexistent")
    with pytest.raises(SandboxError, match="cannot be made"):
        await submit(database, settings, folder, "hearts-short")
    assert counts(database) == (0, 0, 0, 0, 0)
