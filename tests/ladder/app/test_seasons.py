"""An organiser begins a new season, and old standings stay readable."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from ladder.app import bots
from ladder.app.accounts import managing
from ladder.app.ladder import Ladder
from ladder.app.ladder_run import RunPlan, check_run
from ladder.app.seasons import new_season, seasons
from ladder.errors import Forbidden, LadderError, UnfitFolder, UserError
from ladder.settings.settings import load_settings
from ladder.store.commands.results import record_summary
from ladder.store.models import Rating
from ladder.values.accounts import ANONYMOUS, LOCAL, Viewer
from pigpen.rules import PRESETS
from tests.e2e.command import pigpen
from tests.ladder import ladders

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from subprocess import CompletedProcess


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path, sandbox="process"), create=True) as ladder:
        with ladder.database.write() as session:
            versions = [ladders.enter(session, f"Bot{number}") for number in range(4)]
            match = ladders.queue(session, versions)
            assert record_summary(session, match, ladders.lease(session, match), ladders.summary_of(), ladders.NOW)
        yield ladder


def with_clock(ladder: Ladder, clock: str) -> Ladder:
    settings = load_settings(data_dir=ladder.settings.data_dir, clock=clock, sandbox="process")
    return Ladder(settings, ladder.database)


def test_a_run_with_another_clock_is_refused_without_a_new_season(ladder: Ladder) -> None:
    other = with_clock(ladder, "10+0.1")
    check_run(ladder, RunPlan())
    with pytest.raises(UserError, match="pigpen ladder season new --variant hearts"):
        check_run(other, RunPlan())
    new_season(other, LOCAL, "hearts", "fast")
    check_run(other, RunPlan())
    assert [(row.name, row.clock) for row in seasons(ladder)] == [("1", "60+0.1"), ("fast", "10+0.1")]
    assert [(row.action, row.subject) for row in managing.audit(ladder, LOCAL)] == [("season.new", "hearts")]


def test_a_run_whose_bots_could_not_be_reached_is_refused(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/" + "x" * 62)
    with pytest.raises(UnfitFolder):
        check_run(ladder, RunPlan())


@pytest.mark.parametrize("viewer", [ANONYMOUS, Viewer("ada")])
def test_only_organisers_may(ladder: Ladder, viewer: Viewer) -> None:
    with pytest.raises(Forbidden):
        new_season(ladder, viewer)
    assert len(seasons(ladder)) == 1


def test_old_standings_can_be_cut_and_unknown_seasons_are_named(ladder: Ladder) -> None:
    before = bots.standings(ladder)
    new_season(ladder, LOCAL)
    assert bots.standings(ladder, season="1") == before
    (two,) = bots.standings(ladder, first=2, season="1")
    assert two.standings == before[0].standings[:2]
    with pytest.raises(LadderError, match=r"no season 'x'\. .* 1, "):
        bots.standings(ladder, season="x")
    with pytest.raises(LadderError, match="has had a season '1' already"):
        new_season(ladder, LOCAL, name="1")


def test_a_season_that_is_over_waits_for_no_bot(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        session.execute(
            update(Rating).where(Rating.rating == max(session.scalars(select(Rating.rating)))).values(state="retired")
        )
    (before,) = bots.standings(ladder, everyone=True)
    assert before.missing_owners > 0
    new_season(ladder, LOCAL)
    (after,) = bots.standings(ladder, everyone=True, season="1")
    assert after == before.model_copy(update={"missing_owners": 0})


def test_new_rules_must_be_for_the_same_table(ladder: Ladder) -> None:
    rules = PRESETS["hearts"]
    with pytest.raises(LadderError, match="cannot follow"):
        new_season(ladder, LOCAL, "hearts", rules=PRESETS["gongzhu"])
    changed = replace(rules, title="Other hearts")
    before = seasons(ladder)[0].rules_hash
    new_season(ladder, LOCAL, "hearts", rules=changed)
    assert [row.rules_hash == before for row in seasons(ladder)] == [True, False]
    assert bots.standings(ladder)[0].title == "Other hearts"


def test_before_a_season_begins_its_clock_is_shown(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("ladder.cli.organise.season.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr("typer.confirm", lambda question, **options: asked.append(question))
    here = str(ladder.settings.data_dir)
    words = ("ladder", "season", "new", "--variant", "hearts")
    done = pigpen(*words, PIGPEN_DATA_DIR=here, PIGPEN_SANDBOX="process", PIGPEN_CLOCK="9+1", PIGPEN_LIMIT="3")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Nothing was changed." in done.stderr
    assert "clock 9+1, limit 3? " in asked[0]
    assert len(seasons(ladder)) == 1


def test_the_commands_do_the_same(ladder: Ladder) -> None:
    def run(*words: str, clock: str = "") -> CompletedProcess[str]:
        here = str(ladder.settings.data_dir)
        return pigpen(*words, PIGPEN_DATA_DIR=here, PIGPEN_SANDBOX="process", PIGPEN_CLOCK=clock)

    before = run("standings", "--json").stdout
    refused = run("ladder", "run", "--matches", "1", clock="9+1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "pigpen ladder season new" in refused.stderr
    up = run("up", clock="9+1")
    assert up.returncode == 2
    assert "pigpen ladder season new" in up.stderr
    unsure = run("ladder", "season", "new")
    assert (unsure.returncode, unsure.stdout) == (2, "")
    assert "Add --yes" in unsure.stderr
    done = run("ladder", "season", "new", "--name", "fast", "--yes", clock="9+1")
    assert (done.returncode, "season fast of hearts" in done.stdout, "clock 9+1, limit 1" in done.stdout) == (
        0,
        True,
        True,
    )
    assert run("standings", "--season", "1", "--json").stdout == before
    listed = run("ladder", "season", "list", "--json").stdout
    assert [(row["name"], row["matches"]) for row in json.loads(listed)] == [("1", 1), ("fast", 0)]
    text = run("ladder", "season", "list").stdout.splitlines()
    assert text[1].startswith("hearts fast: 0 results, ")
    assert "clock 9+1, limit 1" in text[1]
