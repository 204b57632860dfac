"""
A new version, as docs/store.md has it typed: back up, upgrade, check; and back to the version before.

The ladders are those that earlier builds have left (`tests.ladder.store.stored_folders`): upgraded if migrations begin
at their schema, and if not, refused in one sentence and left alone. The long test rehearses a release with a migration.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from ladder.store.commands.opening import REFUSALS
from ladder.store.driver_failures import place
from ladder.store.schema import REVISION, REVISIONS, Age, age_of
from tests.e2e.command import PLAIN, ROOT
from tests.ladder.store import stored_folders
from tests.ladder.store.test_migrations import FOLLOWING, NEW_COLUMN, copy_of_the_tree, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sqlite

PAGE = (ROOT / "docs" / "store.md").read_text(encoding="utf-8").partition("## Upgrades")[2]
SAVE, UPGRADE, BACK = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
DATA = "/var/lib/pigpen"
AGREES = "Everything agrees.\n"
LOOKS = (("standings", "--variant", "hearts", "--all", "--json"), ("matches", "--json"), ("bots", "--json"))


class Installation:
    """A ladder's folder, and the versions of Pigpen that are installed for it one after the other."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.tree = ROOT
        """Of the version that is installed now."""

    def type(self, lines: str, code: int = 0) -> str:
        """Type commands of the page; what they print, and where the code is not 0, what they complain."""
        python = f"{shlex.quote(sys.executable)} -m ladder.cli.entry"
        before = f'pigpen() {{ {python} "$@"; }}; systemctl() {{ :; }}; cd {shlex.quote(str(self.data.parent))}'
        text = lines.replace(DATA, str(self.data))
        done = subprocess.run(
            ["bash", "-ec", f"{before}\n{text}"], capture_output=True, text=True, check=False,
            env={
                **os.environ, **PLAIN, **stored_folders.variables(self.data),
                "PYTHONPATH": f"{self.tree}:{self.tree}/sdk",
            },
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr if code else done.stdout

    def shown(self) -> list[str]:
        """Texts that commands show of it."""
        return [self.type(shlex.join(["pigpen", *words])) for words in LOOKS]

    def content(self) -> dict[str, str]:
        """Each file of its folder by its hash, and the database by its statements."""
        files = [path for path in self.data.rglob("*") if path.is_file() and not path.name.startswith("ladder.db")]
        found = {str(path.relative_to(self.data)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
        with closing(sqlite3.connect(self.data / "ladder.db")) as database:
            found["ladder.db"] = "\n".join(database.iterdump())
        return found


@pytest.fixture
def place_of_it(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "pigpen")


def test_the_present_schema_and_an_earlier_one_are_kept() -> None:
    kept = {file.name.partition(".")[0] for file in stored_folders.stored()}
    assert set(REVISIONS[:-1]) <= kept, "python -m tests.ladder.store.stored_folders, in the commit of the release"
    assert {age_of(revision) for revision in kept} >= {Age.UNRELEASED}


@pytest.mark.parametrize("file", stored_folders.stored(), ids=lambda file: file.name.partition(".")[0])
def test_a_ladder_of_an_earlier_build_is_upgraded_or_refused_and_comes_back_as_it_was(
    file: Path, place_of_it: Installation
) -> None:
    stored_folders.unpack(file, place_of_it.data)
    before, revision = place_of_it.content(), file.name.partition(".")[0]
    place_of_it.type(SAVE)
    if age_of(revision) is Age.UNRELEASED:
        where = place(load_settings(data_dir=place_of_it.data).url)
        sentence = REFUSALS[Age.UNRELEASED].format(where=where, revision=revision, here=REVISION)
        assert place_of_it.type("pigpen db upgrade", code=2) == f"pigpen: {sentence}\n"
        assert place_of_it.type("pigpen standings", code=2) == f"pigpen: {sentence}\n"
        assert place_of_it.content() == before
    else:
        assert place_of_it.type(UPGRADE).endswith(AGREES)
        place_of_it.type("pigpen suspend Random --reason tried")
        assert place_of_it.content() != before
    place_of_it.type(BACK.replace("pigpen db check --records\n", ""))
    assert place_of_it.content() == before


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.timeout(1500)
def test_a_release_with_a_migration_upgrades_a_ladder_of_the_release_before_and_back(
    place_of_it: Installation, tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    copy_of_the_tree(old)
    run(old, "-m", "tests.ladder.store.releases")  # from the first release on, migrations begin
    copy_of_the_tree(new, old)
    models = new / "ladder" / "store" / "models.py"
    models.write_text(models.read_text("utf-8").replace(FOLLOWING, NEW_COLUMN + FOLLOWING), "utf-8")
    run(new, "-m", "ladder.store.migrations.write", "Addresses of owners")

    place_of_it.tree = old
    present = stored_folders.FOLDER / f"{REVISION}.tar.gz"
    if present in stored_folders.stored():
        stored_folders.unpack(present, place_of_it.data)
    else:
        stored_folders.make(place_of_it.data)
    before, shown = place_of_it.content(), place_of_it.shown()
    place_of_it.type(SAVE)
    place_of_it.tree = new
    upgraded = place_of_it.type(UPGRADE)
    assert REVISION in upgraded
    assert " 0001_" in upgraded
    assert upgraded.endswith(AGREES)
    assert place_of_it.shown() == shown
    place_of_it.tree = old
    assert "of a newer Pigpen" in place_of_it.type("pigpen standings", code=2)
    assert place_of_it.type(BACK).endswith(AGREES)
    assert place_of_it.content() == before
    assert place_of_it.shown() == shown
