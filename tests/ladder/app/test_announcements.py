"""Announcements: written, listed and removed by organisers, with what they cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts import managing
from ladder.app.announcements import announce, announcements, remove
from ladder.errors import Forbidden, LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.store.commands.organiser_rows import MAX_ANNOUNCEMENTS
from ladder.values.accounts import LOCAL, Viewer
from tests.ladder.ladders import new_ladder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

OLGA = Viewer("olga", is_organiser=True)


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def test_the_newest_stands_first_until_it_is_removed(ladder: Ladder) -> None:
    announce(ladder, LOCAL, "Week 1")
    second = announce(ladder, OLGA, "  拱猪 week ", "Line 1\r\n\r\n* a list\n")
    assert [(each.title, each.text) for each in announcements(ladder)] == [
        ("拱猪 week", "Line 1\n\n* a list"),
        ("Week 1", ""),
    ]
    assert announcements(ladder, first=1) == [second]
    assert remove(ladder, OLGA, second.number) == second
    assert announce(ladder, LOCAL, "Week 2").number > second.number
    assert [each.title for each in announcements(ladder)] == ["Week 2", "Week 1"]
    actions = [(row.actor, row.action, row.details["title"]) for row in managing.audit(ladder, LOCAL, 10)]
    assert ("olga", "announcement.add", "拱猪 week") in actions
    assert ("olga", "announcement.remove", "拱猪 week") in actions


@pytest.mark.parametrize(
    ("title", "text"), [("", ""), ("  ", "x"), ("a\nb", ""), ("a\u202eb", ""), ("a", "b\u202ec\n")]
)
def test_what_cannot_be_shown_is_refused(ladder: Ladder, title: str, text: str) -> None:
    with pytest.raises(UserError, match="announcement"):
        announce(ladder, LOCAL, title, text)
    assert announcements(ladder) == []


def test_only_organisers_write_and_remove(ladder: Ladder) -> None:
    made = announce(ladder, LOCAL, "Week 1")
    for viewer in (Viewer("ada"), Viewer()):
        with pytest.raises(Forbidden):
            announce(ladder, viewer, "Week 2")
        with pytest.raises(Forbidden):
            remove(ladder, viewer, made.number)
    assert announcements(ladder) == [made]


def test_a_ladder_has_a_limited_number(ladder: Ladder) -> None:
    for number in range(MAX_ANNOUNCEMENTS):
        announce(ladder, LOCAL, f"Week {number}")
    with pytest.raises(LadderError, match="announcement remove NUMBER"):
        announce(ladder, LOCAL, "One more")
    with pytest.raises(LadderError, match="There is no announcement 999"):
        remove(ladder, LOCAL, 999)
    remove(ladder, LOCAL, announcements(ladder)[-1].number)
    announce(ladder, LOCAL, "One more")
