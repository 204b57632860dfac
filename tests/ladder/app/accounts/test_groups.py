"""Groups of accounts: who is in which, their standings and sheets for grades, and what each account may do."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from ladder.app import bots, personal_data
from ladder.app.accounts import managing
from ladder.app.accounts.grades import grades
from ladder.app.accounts.groups import groups, set_group, set_group_quota
from ladder.app.accounts.guests import Guest
from ladder.app.accounts.registering import invitations, invite_all, register, take_back
from ladder.app.accounts.sessions import DAY, Visit
from ladder.app.accounts.teams import set_team
from ladder.app.submit import ordering
from ladder.app.submit.ordering import TOO_MANY_A_DAY, TOO_MANY_BOTS, TOO_MANY_VERSIONS
from ladder.entry.claims import MEANS_NONE
from ladder.errors import Forbidden, LadderError, TooOften, UserError
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands import submission_queue
from ladder.store.commands.personal_data import forget_old
from ladder.values.accounts import LOCAL, Role, Viewer
from ladder.values.submission import SubmissionOrder
from pigpen.rules import PRESETS
from tests.ladder.accounts import add_person
from tests.ladder.ladders import enter, new_ladder
from tests.ladder.site.person import PASSWORD, quick_passwords
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

HERE = Visit("", "a test's")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    """A ladder on which ada, bob and eve have accounts, and each a bot in Hearts."""
    made = new_ladder(load_settings(data_dir=tmp_path, sandbox="docker"))
    with made.database.write() as session:
        for bot, owner in (("Trotter", "ada"), ("Snout", "bob"), ("Curly", "eve")):
            enter(session, bot, owner=owner)
        session.execute(update(models.Version).values(sandbox="docker"))
    for name in ("ada", "bob", "eve"):
        add_person(made, name)
    yield made
    made.database.close()


def known(ladder: Ladder) -> dict[str, int]:
    return {row.name: row.accounts for row in groups(ladder)}


def judged(ladder: Ladder, bot: str) -> None:
    ordering.check(ladder, Viewer("ada"), SubmissionOrder(name=bot, upload="a" * 64, variants=("hearts",)))


def test_a_group_is_there_as_long_as_somebody_is_in_it(ladder: Ladder) -> None:
    assert set_group(ladder, LOCAL, "ada", "course-a").group == "course-a"
    set_group(ladder, LOCAL, "bob", "course-a")
    assert known(ladder) == {"course-a": 2}
    set_group(ladder, LOCAL, "ada", "拱猪班")
    assert known(ladder) == {"course-a": 1, "拱猪班": 1}
    assert set_group(ladder, LOCAL, "bob", None).group is None
    assert known(ladder) == {"拱猪班": 1}
    with pytest.raises(LadderError, match="no account 'mallory'"):
        set_group(ladder, LOCAL, "mallory", "course-a")
    for wrong in ("../x", "", "x" * 65):
        with pytest.raises(LadderError, match="a group"):
            set_group(ladder, LOCAL, "ada", wrong)
    assert known(ladder) == {"拱猪班": 1}


@pytest.mark.parametrize("name", ["none", "None"])
@pytest.mark.parametrize("put", [set_group, set_team])
def test_the_word_for_no_group_names_no_group_and_no_team(
    ladder: Ladder, put: Callable[[Ladder, Viewer, str, str], object], name: str
) -> None:
    with_teams = dataclasses.replace(ladder, settings=ladder.settings.model_copy(update={"team_size": 2}))
    with pytest.raises(LadderError) as refused:
        put(with_teams, LOCAL, "ada", name)
    assert refused.value.sentence == MEANS_NONE
    assert known(ladder) == {}


def test_a_group_ends_with_its_last_account_or_open_invitation(ladder: Ladder) -> None:
    guests = [Guest("lou", "", "typo"), Guest("kim", "", "late")]
    invite_all(ladder, LOCAL, Role.CONTESTANT, guests, days=1)
    set_group(ladder, LOCAL, "eve", "solo")
    assert known(ladder) == {"late": 0, "solo": 1, "typo": 0}
    (typo,) = [each for each in invitations(ladder, LOCAL) if each.name == "lou"]
    take_back(ladder, LOCAL, typo.id)
    assert known(ladder) == {"late": 0, "solo": 1}
    personal_data.delete(ladder, LOCAL, "eve")
    assert known(ladder) == {"late": 0}
    with ladder.database.write() as session:
        forget_old(session, 0.0, None, ladder.clock() + 2 * DAY)
    assert known(ladder) == {}


def test_names_of_groups_do_not_look_alike(ladder: Ladder) -> None:
    set_group(ladder, LOCAL, "ada", "Course-1")
    with pytest.raises(LadderError, match="looks like 'Course-1'"):
        set_group(ladder, LOCAL, "bob", "course-l")


def test_invited_persons_come_into_the_group_of_their_invitation(ladder: Ladder) -> None:
    guests = [Guest(None, "No. 1", "course-a"), Guest("finn", "No. 2", "course-b"), Guest(None, "No. 3")]
    links = invite_all(ladder, LOCAL, Role.CONTESTANT, guests)
    assert known(ladder) == {"course-a": 0, "course-b": 0}
    assert [row.group for row in invitations(ladder, LOCAL)] == [None, "course-b", "course-a"]
    for link, name in zip(links, ("dora", "finn", "gus"), strict=True):
        register(ladder, quick_passwords(), name, PASSWORD, link.secret, HERE)
    assert {row.name: row.group for row in managing.accounts(ladder, LOCAL) if row.name in ("dora", "finn", "gus")} == {
        "dora": "course-a", "finn": "course-b", "gus": None,
    }  # fmt: skip
    with pytest.raises(LadderError, match="line 3: "):
        invite_all(ladder, LOCAL, Role.CONTESTANT, [Guest(None, "", "new"), Guest(None, "", "../x", "x.csv: line 3")])
    assert "new" not in known(ladder)


def test_standings_and_grades_of_a_group(ladder: Ladder) -> None:
    for name in ("ada", "eve"):
        set_group(ladder, LOCAL, name, "course-a")
    (all_of_them,), (table,) = bots.standings(ladder, "hearts"), bots.standings(ladder, "hearts", group="course-a")
    assert {row.owner for row in table.standings} == {"ada", "eve"}
    assert list(table.standings) == [row for row in all_of_them.standings if row.owner != "bob"]
    sheet = grades(ladder, LOCAL, "hearts", group="course-a")
    assert {(row.account, row.group) for row in sheet} == {("ada", "course-a"), ("eve", "course-a")}
    assert {row.group for row in grades(ladder, LOCAL, "hearts")} == {"", "course-a"}
    none = r"There is no group 'course-z'\. Choose one of course-a"
    with pytest.raises(LadderError, match=none):
        bots.standings(ladder, "hearts", group="course-z")
    with pytest.raises(LadderError, match=none):
        grades(ladder, LOCAL, "hearts", group="course-z")


def test_a_group_limits_submissions_a_day_unless_the_account_has_a_quota(ladder: Ladder) -> None:
    set_group(ladder, LOCAL, "ada", "course-a")
    set_group_quota(ladder, LOCAL, "course-a", 0, None)
    with pytest.raises(TooOften, match=TOO_MANY_A_DAY.format(limit=0)):
        judged(ladder, "Trotter")
    managing.set_quota(ladder, LOCAL, "ada", 1)
    judged(ladder, "Trotter")
    managing.set_quota(ladder, LOCAL, "ada", None)
    set_group_quota(ladder, LOCAL, "course-a", None, None)
    judged(ladder, "Trotter")


def test_a_group_limits_the_bots_of_an_account(ladder: Ladder) -> None:
    set_group(ladder, LOCAL, "ada", "course-a")
    set_group_quota(ladder, LOCAL, "course-a", None, 1)
    judged(ladder, "Trotter")
    with pytest.raises(LadderError, match="pigpen retire Trotter"):
        judged(ladder, "Second")
    set_group_quota(ladder, LOCAL, "course-a", None, 2)
    judged(ladder, "Second")


def refused_for(ladder: Ladder, bot: str, *, keep_old: bool = False, limit: int = 1) -> str:
    """The constant sentence with which a submission of ada's is refused; empty: it is taken."""
    set_group_quota(ladder, LOCAL, "course-a", None, limit)
    wanted = SubmissionOrder(name=bot, upload="a" * 64, variants=("hearts",), keep_old=keep_old)
    try:
        ordering.check(ladder, Viewer("ada"), wanted)
    except LadderError as error:
        return error.sentence
    return ""


def test_versions_that_are_kept_count_as_bots_of_a_group(ladder: Ladder) -> None:
    """Else any number of bots would play under one name."""
    set_group(ladder, LOCAL, "ada", "course-a")
    assert refused_for(ladder, "Trotter", keep_old=True) == TOO_MANY_VERSIONS
    assert refused_for(ladder, "Trotter", keep_old=True, limit=2) == ""
    with ladder.database.write() as session:
        for number in range(2):
            fit = Fit("Trotter", "ada", f"sha256:{number}", "docker", "x", 1)
            fit.enter(session, [PRESETS["hearts"], PRESETS["gongzhu"]], keep_old=True)
    assert [refused_for(ladder, "Trotter", keep_old=True, limit=limit) for limit in (3, 4)] == [TOO_MANY_VERSIONS, ""]
    assert [refused_for(ladder, "Second", limit=limit) for limit in (3, 4)] == [TOO_MANY_BOTS, ""]
    assert refused_for(ladder, "Trotter", limit=1) == ""  # it takes the place of all of them
    with ladder.database.write() as session:
        Fit("Trotter", "ada", "sha256:9", "docker", "x", 1).enter(session, [PRESETS["hearts"]])
    assert [refused_for(ladder, "Second", limit=limit) for limit in (2, 3)] == [TOO_MANY_BOTS, ""]  # two in Gong Zhu


def test_versions_that_wait_to_be_kept_count_too(ladder: Ladder) -> None:
    set_group(ladder, LOCAL, "ada", "course-a")
    for name, keep_old in (("Second", True), ("Second", True), ("Third", False), ("Third", False)):
        with ladder.database.write() as session:
            order = SubmissionOrder(name=name, keep_old=keep_old)
            submission_queue.add(session, order, ladder.clock(), owner="ada", sandbox="docker", remote=True)
    many = dataclasses.replace(ladder, settings=ladder.settings.model_copy(update={"submissions_waiting": 10}))
    assert [refused_for(many, "Fourth", limit=limit) for limit in (4, 5)] == [TOO_MANY_BOTS, ""]
    assert [refused_for(many, "Third", limit=limit) for limit in (3, 4)] == [TOO_MANY_BOTS, ""]
    assert [refused_for(many, "Second", limit=limit) for limit in (4, 5)] == [TOO_MANY_VERSIONS, ""]


def test_the_refusal_names_the_bot_and_those_beside_it(ladder: Ladder) -> None:
    set_group(ladder, LOCAL, "ada", "course-a")
    with ladder.database.write() as session:
        for name in ("Second", "Third"):
            enter(session, name, owner="ada")
        session.execute(update(models.Version).values(sandbox="docker"))
    set_group_quota(ladder, LOCAL, "course-a", None, 1)
    with pytest.raises(LadderError) as caught:
        judged(ladder, "Trotter")
    assert caught.value.values == {
        "group": "course-a", "limit": 1, "bot": "Trotter", "bots": "Second, Third", "first": "Second"
    }  # fmt: skip


def test_only_organisers_change_groups(ladder: Ladder) -> None:
    set_group(ladder, LOCAL, "ada", "course-a")
    with pytest.raises(Forbidden):
        set_group(ladder, Viewer("ada"), "ada", None)
    with pytest.raises(Forbidden):
        set_group_quota(ladder, Viewer("ada"), "course-a", 100, None)
    with pytest.raises(LadderError, match="no group 'course-z'"):
        set_group_quota(ladder, LOCAL, "course-z", 100, None)
    with pytest.raises(UserError, match="1 bot or more"):
        set_group_quota(ladder, LOCAL, "course-a", None, 0)
    found = [(row.actor, row.action, row.subject) for row in managing.audit(ladder, LOCAL, 5)]
    assert ("", "account.group", "ada") in found
