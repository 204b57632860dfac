"""Teams: who may act for one, how one comes in and goes, and what is left of it."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from ladder.app import bot_logs, personal_data, states
from ladder.app.accounts import managing, registering, teams
from ladder.app.accounts.grades import grades
from ladder.app.accounts.groups import set_group, set_group_quota
from ladder.app.accounts.managing import WITHDRAWN
from ladder.app.accounts.sessions import Visit, viewer_by
from ladder.app.accounts.teams import LAST_DISABLED, LAST_MEMBER, SUBMITTED_TODAY, TEAM_DISABLED
from ladder.app.deadlines import lift_deadline, set_deadline
from ladder.app.event import holding, reading
from ladder.app.submit import ordering
from ladder.entry.claims import HOUSE_NAME, check_possession
from ladder.entry.policy import Act, may
from ladder.errors import Conflict, Forbidden, LadderError, TooOften, UserError
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_models import Account, StoredSubmission, SubmissionStatus, TeamInvitation
from ladder.store.commands.teams import ANOTHER_TEAM, FULL_TEAM, NOT_OPEN, OWN_BOTS
from ladder.store.queries.account_lists import accounts
from ladder.store.submission_look import look_at
from ladder.trials.trial_tasks import KnownToLadder
from ladder.values.accounts import LOCAL, Role, Scope, Viewer
from ladder.values.submission import SubmissionOrder
from pigpen.rules import PRESETS
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.app.event_ladders import FILE, open_cup
from tests.ladder.ladders import enter, new_ladder
from tests.ladder.site.person import PASSWORD, quick_passwords
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

PEOPLE = ("ada", "bob", "cleo", "dan")
SIZE = 3
REGISTRY = "arena.test:5000"


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    """A ladder with four people, a team of ada's that has a bot, and one of cleo's."""
    made = new_ladder(load_settings(data_dir=tmp_path, sandbox="docker", team_size=SIZE, registry=REGISTRY))
    for name in PEOPLE:
        add_person(made, name)
    teams.found_team(made, person(made, "ada"), "badgers")
    teams.found_team(made, person(made, "cleo"), "cats")
    with made.database.write() as session:
        enter(session, "Trotter", owner="badgers")
        session.execute(update(models.Version).values(sandbox="docker"))
    yield made
    made.database.close()


def person(ladder: Ladder, name: str) -> Viewer:
    """A caller with that account, as the ladder sees it now."""
    return viewer_by(ladder, session_of(ladder, name), "192.0.2.7")


def comes_in(ladder: Ladder, name: str, by: str = "ada") -> str:
    """Let an account join by a link of a member's; gives the link's secret."""
    secret = teams.invite(ladder, person(ladder, by)).secret
    teams.join(ladder, person(ladder, name), secret)
    return secret


def submitted(ladder: Ladder, viewer: Viewer, bot: str) -> StoredSubmission:
    """Submit an image that the viewer has pushed."""
    wanted = SubmissionOrder(name=bot, image=f"{viewer.name}/{bot.lower()}:1", variants=("hearts",))
    number = ordering.order(ladder, viewer, wanted).id
    with ladder.database.read() as session:
        return session.get_one(StoredSubmission, number)


def of_team(ladder: Ladder, name: str) -> tuple[str, ...]:
    (row,) = [row for row in teams.teams(ladder) if row.name == name]
    return row.members


def last(ladder: Ladder, count: int = 1) -> list[tuple[str, str, str]]:
    return [(row.actor, row.action, row.subject) for row in managing.audit(ladder, LOCAL, count)]


def test_a_member_acts_for_the_team_and_the_log_says_who_it_was(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    assert of_team(ladder, "badgers") == ("ada", "bob")
    bob = person(ladder, "bob")
    row = submitted(ladder, bob, "Trotter")
    assert row.owner == "badgers"
    (entry,) = managing.audit(ladder, LOCAL, 1)
    assert (entry.actor, entry.action, entry.details["team"]) == ("bob", "submission.order", "badgers")
    ada = person(ladder, "ada")
    assert [each.id for each in ordering.submissions(ladder, ada).submissions] == [row.id]
    assert ordering.withdraw(ladder, ada, row.id).status == "withdrawn"
    assert last(ladder) == [("ada", "submission.withdraw", "Trotter")]
    states.retire(ladder, bob, "Trotter", [], "x")
    with ladder.database.read() as session:
        assert session.scalars(select(models.StateChange.by)).all()[-1] == "owner"
    assert bot_logs.matches_of(ladder, ada, "Trotter").matches == ()


def test_a_disabled_member_does_nothing_more_for_the_team(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    ada, bob = person(ladder, "ada"), person(ladder, "bob")
    adas, bobs = submitted(ladder, ada, "Trotter"), submitted(ladder, bob, "Canter")
    cats = submitted(ladder, person(ladder, "cleo"), "Mud")
    links = [teams.invite(ladder, viewer).secret for viewer in (ada, bob, person(ladder, "cleo"))]
    managing.disable(ladder, LOCAL, "bob", "It cheats.")
    found = {row.id: (row.status, row.reason) for row in ordering.submissions(ladder, LOCAL).submissions}
    waiting = (SubmissionStatus.QUEUED, "")
    assert found == {adas.id: waiting, bobs.id: (SubmissionStatus.WITHDRAWN, WITHDRAWN), cats.id: waiting}
    assert ("", "submission.withdraw", "Canter") in last(ladder, 2)
    with pytest.raises(LadderError, match=re.escape(NOT_OPEN)):
        teams.join(ladder, person(ladder, "dan"), links[1])
    assert {teams.inviting_team(ladder, link) for link in (links[0], links[2])} == {"badgers", "cats"}
    managing.enable(ladder, LOCAL, "bob")
    with pytest.raises(LadderError, match=re.escape(NOT_OPEN)):
        teams.inviting_team(ladder, links[1])


def test_what_a_member_submitted_for_a_former_team_is_withdrawn_too(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    row = submitted(ladder, person(ladder, "bob"), "Canter")
    teams.leave(ladder, person(ladder, "bob"))
    managing.disable(ladder, LOCAL, "bob", "It cheats.")
    assert ordering.submission(ladder, LOCAL, row.id).status == SubmissionStatus.WITHDRAWN


def test_in_events_a_member_acts_as_the_owner_of_the_teams_bot(ladder: Ladder) -> None:
    """The public list names who has withdrawn a bot for its owner: a member of the team is no such organiser."""
    comes_in(ladder, "bob")
    file = FILE.format(show="live").replace('"gongzhu"\n', '"gongzhu"\nwaiting_list = 2\n')
    open_cup(ladder, 4, file=file)
    with ladder.database.write() as session:
        enter(session, "Canter", "gongzhu", owner="badgers")
    for name in ("ada", "bob"):
        holding.enter(ladder, person(ladder, name), "cup", "Canter")
    holding.withdraw(ladder, person(ladder, "bob"), "cup", "Canter")
    assert reading.event(ladder, LOCAL, "cup").unlisted == ()
    with pytest.raises(LadderError):
        holding.enter(ladder, person(ladder, "cleo"), "cup", "Canter")
    holding.withdraw(ladder, LOCAL, "cup", "Bot-1")
    assert [each.name for each in reading.event(ladder, LOCAL, "cup").unlisted] == ["Bot-1"]


def test_a_token_of_a_member_has_its_scopes_for_the_team_too(ladder: Ladder) -> None:
    reader = viewer_by(ladder, token_of(ladder, "ada", Scope.READ), "")
    assert may(reader, Act.READ_OUTPUT, "badgers")
    assert not may(reader, Act.SUBMIT, "badgers")
    for act in (teams.invite, teams.leave):
        with pytest.raises(Forbidden):
            act(ladder, viewer_by(ladder, token_of(ladder, "ada"), ""))


@pytest.mark.parametrize("name", ["cleo", "dan"])
def test_a_member_of_another_team_and_a_stranger_do_nothing(ladder: Ladder, name: str) -> None:
    row = submitted(ladder, person(ladder, "ada"), "Trotter")
    stranger = person(ladder, name)
    for act in Act:
        assert not may(stranger, act, "badgers")
    with pytest.raises(LadderError):
        ordering.submission(ladder, stranger, row.id)
    with pytest.raises(LadderError):
        ordering.withdraw(ladder, stranger, row.id)
    with pytest.raises(LadderError):
        states.retire(ladder, stranger, "Trotter", [], "x")
    with pytest.raises(LadderError, match="bot of badgers"):
        submitted(ladder, stranger, "Trotter")
    assert ordering.submissions(ladder, stranger, owner="badgers").submissions == ()


def test_a_member_may_not_act_as_the_team_itself(ladder: Ladder) -> None:
    ada = person(ladder, "ada")
    for act in (Act.CHANGE_ACCOUNT, Act.READ_ACCOUNT, Act.ADMINISTER, Act.EDIT_STUDY, Act.REMOVE_STUDY):
        assert not may(ada, act, "badgers")
    with pytest.raises(Forbidden):
        personal_data.rename(ladder, ada, "badgers", "weasels")
    with pytest.raises(Forbidden):
        personal_data.delete(ladder, ada, "badgers")


def test_who_has_left_does_nothing_more(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    before = person(ladder, "bob")
    link = teams.invite(ladder, before).secret
    row = submitted(ladder, before, "Trotter")
    teams.leave(ladder, before)
    after = person(ladder, "bob")
    assert (after.team, of_team(ladder, "badgers")) == (None, ("ada",))
    with pytest.raises(LadderError):
        ordering.submission(ladder, after, row.id)
    with pytest.raises(LadderError, match=NOT_OPEN[:20]):  # its links are gone, too
        teams.join(ladder, person(ladder, "dan"), link)
    for act in (teams.invite, teams.leave):  # a request that was let in before
        with pytest.raises(LadderError):
            act(ladder, before)
    with pytest.raises(Conflict):
        submitted(ladder, before, "Second")
    assert submitted(ladder, after, "Second").owner == "bob"


def test_the_last_member_leaves_no_bots_at_play_and_no_quota_used_today(ladder: Ladder) -> None:
    """Else one person would have a fresh quota with each new team, and several bots at one table."""
    row = submitted(ladder, person(ladder, "ada"), "Second")
    both = LAST_MEMBER.format(team="badgers", bots="Second, Trotter", first="Second")
    with pytest.raises(LadderError, match=re.escape(both)):
        teams.leave(ladder, person(ladder, "ada"))
    states.retire(ladder, person(ladder, "ada"), "Trotter", [], "x")
    with pytest.raises(LadderError, match=re.escape(LAST_MEMBER.format(team="badgers", bots="Second", first="Second"))):
        teams.leave(ladder, person(ladder, "ada"))
    with ladder.database.write() as session:
        session.get_one(StoredSubmission, row.id).status = SubmissionStatus.REFUSED
    with pytest.raises(LadderError, match=re.escape(SUBMITTED_TODAY.format(team="badgers"))):
        teams.leave(ladder, person(ladder, "ada"))
    assert of_team(ladder, "badgers") == ("ada",)
    late = dataclasses.replace(ladder, clock=lambda: ladder.clock() + 24 * 3600.0)
    teams.leave(late, person(ladder, "ada"))
    assert of_team(ladder, "badgers") == ()


def test_another_member_who_stays_lets_one_leave_and_the_organiser_takes_out_the_last(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    teams.leave(ladder, person(ladder, "ada"))
    with pytest.raises(LadderError):
        teams.leave(ladder, person(ladder, "bob"))
    teams.set_team(ladder, LOCAL, "bob", None)
    assert of_team(ladder, "badgers") == ()


def test_a_link_works_once_for_a_time_and_until_it_is_taken_back(ladder: Ladder) -> None:
    secret = comes_in(ladder, "bob")
    teams.leave(ladder, person(ladder, "bob"))
    dan = person(ladder, "dan")
    made = teams.invite(ladder, person(ladder, "ada"))
    teams.revoke_invitation(ladder, person(ladder, "ada"), made.id)
    other = teams.invite(ladder, person(ladder, "cleo"))
    with pytest.raises(LadderError):  # of another team
        teams.revoke_invitation(ladder, person(ladder, "ada"), other.id)
    for wrong in (secret, made.secret, "", "pgj_wrong", other.secret[:-1]):
        with pytest.raises(LadderError, match=NOT_OPEN[:20]):
            teams.join(ladder, dan, wrong)
    late = dataclasses.replace(ladder, clock=lambda: ladder.clock() + teams.LINK_DAYS * 24 * 3600.0)
    with pytest.raises(LadderError, match=NOT_OPEN[:20]):
        teams.join(late, dan, other.secret)
    assert teams.inviting_team(ladder, other.secret) == "cats"
    assert teams.join(ladder, dan, other.secret).members == ("cleo", "dan")
    assert last(ladder) == [("dan", "team.join", "cats")]
    with ladder.database.read() as session:
        assert other.secret not in str([vars(each) for each in session.scalars(select(TeamInvitation))])


def test_an_account_is_in_one_team_and_has_no_bots_of_its_own_at_play(ladder: Ladder) -> None:
    secret = teams.invite(ladder, person(ladder, "ada")).secret
    with pytest.raises(LadderError, match=ANOTHER_TEAM.format(name="cleo", team="cats")[:40]):
        teams.join(ladder, person(ladder, "cleo"), secret)
    with pytest.raises(LadderError):
        teams.found_team(ladder, person(ladder, "cleo"), "dogs")
    with ladder.database.write() as session:
        enter(session, "Mud", owner="dan")
        session.execute(update(models.Version).values(sandbox="docker"))
    with pytest.raises(LadderError, match=OWN_BOTS.format(name="dan", bots="Mud", first="Mud")[:40]):
        teams.join(ladder, person(ladder, "dan"), secret)
    with pytest.raises(LadderError):
        teams.found_team(ladder, person(ladder, "dan"), "dogs")
    states.retire(ladder, person(ladder, "dan"), "Mud", [], "x")
    teams.join(ladder, person(ladder, "dan"), secret)
    with pytest.raises(LadderError, match="bot of dan"):  # else it would play beside the team's
        submitted(ladder, person(ladder, "dan"), "Mud")


def test_a_member_has_no_bots_of_its_own_in_an_event(ladder: Ladder) -> None:
    """Retired on the ladder, they would still sit beside the team's."""
    open_cup(ladder, 4)
    dan, secret = person(ladder, "dan"), teams.invite(ladder, person(ladder, "ada")).secret
    with ladder.database.write() as session:
        enter(session, "Mud", "gongzhu", owner="dan")
        enter(session, "Pond", "gongzhu", owner="dan")
    holding.enter(ladder, dan, "cup", "Mud")
    for bot in ("Mud", "Pond"):
        states.retire(ladder, dan, bot, [], "x")
    for act in (lambda: teams.found_team(ladder, dan, "dogs"),
                lambda: teams.join(ladder, dan, secret),
                lambda: teams.set_team(ladder, LOCAL, "dan", "badgers")):  # fmt: skip
        with pytest.raises(LadderError, match="pigpen event withdraw cup Mud"):
            act()
    holding.withdraw(ladder, dan, "cup", "Mud")
    teams.join(ladder, dan, secret)
    for viewer in (person(ladder, "dan"), LOCAL):
        with pytest.raises(LadderError, match="badgers"):
            holding.enter(ladder, viewer, "cup", "Pond")


def test_the_last_member_leaves_no_bot_in_an_event_that_is_not_over(ladder: Ladder) -> None:
    open_cup(ladder, 4)
    ada = person(ladder, "ada")
    with ladder.database.write() as session:
        enter(session, "Canter", "gongzhu", owner="badgers")
    holding.enter(ladder, ada, "cup", "Canter")
    for bot in ("Trotter", "Canter"):
        states.retire(ladder, ada, bot, [], "x")
    with pytest.raises(LadderError, match="pigpen event withdraw cup Canter"):
        teams.leave(ladder, ada)
    holding.freeze(ladder, LOCAL, "cup")
    holding.withdraw(ladder, ada, "cup", "Canter")  # a stand-in plays for it
    teams.leave(ladder, ada)
    assert of_team(ladder, "badgers") == ()


def test_an_event_that_is_over_hinders_no_one_from_joining_a_team(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        enter(session, "Mud", "gongzhu", owner="dan")
    open_cup(ladder, 4)
    holding.enter(ladder, person(ladder, "dan"), "cup", "Mud")
    states.retire(ladder, person(ladder, "dan"), "Mud", [], "x")
    with ladder.database.write() as session:
        session.execute(update(models.StoredEvent).values(state="over"))
    comes_in(ladder, "dan")
    assert of_team(ladder, "badgers") == ("ada", "dan")


def test_after_the_deadline_only_an_organiser_changes_who_is_in_a_team(ladder: Ladder) -> None:
    """Else a student who has done nothing would have the place of the team's bot."""
    secret = teams.invite(ladder, person(ladder, "ada")).secret
    set_deadline(ladder, LOCAL, None, ["gongzhu"])  # other variants are open
    teams.invite(ladder, person(ladder, "ada"))
    set_deadline(ladder, LOCAL, None)
    late = dataclasses.replace(ladder, clock=lambda: ladder.clock() + 60)
    for act in (lambda: teams.found_team(late, person(ladder, "dan"), "dogs"),
                lambda: teams.join(late, person(ladder, "dan"), secret),
                lambda: teams.invite(late, person(ladder, "ada"))):  # fmt: skip
        with pytest.raises(LadderError, match=re.escape(teams.CLOSED[:22])):
            act()
    assert teams.set_team(late, LOCAL, "bob", "badgers").team == "badgers"
    teams.leave(late, person(ladder, "bob"))
    lift_deadline(ladder, LOCAL)
    assert teams.join(late, person(ladder, "dan"), secret).members == ("ada", "dan")


def test_a_team_takes_one_place_on_the_sheet_for_grades(ladder: Ladder) -> None:
    for name in ("bob", "dan"):
        comes_in(ladder, name)
    with ladder.database.write() as session:
        enter(session, "Purr", owner="cats", rating=1400)
        session.execute(update(models.Rating).values(matches=30))
    rows = {row.account: (row.place, row.rank) for row in grades(ladder, LOCAL, "hearts")}
    assert rows == {"ada": (1, 1), "bob": (1, 1), "dan": (1, 1), "cleo": (2, 2)}


def test_an_image_that_was_a_members_own_bot_is_taken_for_the_team(ladder: Ladder) -> None:
    """It is pushed under the member's own name; that of a stranger is not."""
    own = Fit("Mud", "dan", f"sha256:{'a' * 64}", "docker", "mud", 1, image=f"{REGISTRY}/dan/mud:1")
    with ladder.database.write() as session:
        own.enter(session, [PRESETS["hearts"]], registry=REGISTRY)
    states.retire(ladder, person(ladder, "dan"), "Mud", [], "x")
    comes_in(ladder, "dan")
    with ladder.database.read() as session:
        known = KnownToLadder.of(look_at(session, "Fetch")).look()
    for owner in ("badgers", "dan"):
        check_possession(known, owner, own.identity, own.image, REGISTRY)
    for owner in ("cats", "cleo", "ada"):
        with pytest.raises(LadderError, match="bot of dan"):
            check_possession(known, owner, own.identity, own.image, REGISTRY)
    with ladder.database.write() as session:
        found = dataclasses.replace(own, bot="Fetch", owner="badgers").enter(
            session, [PRESETS["hearts"]], registry=REGISTRY
        )
    assert found.version == "Fetch@1"
    with pytest.raises(LadderError, match="bot of dan"), ladder.database.write() as session:
        dataclasses.replace(own, bot="Purr", owner="cats").enter(session, [PRESETS["hearts"]], registry=REGISTRY)


def test_a_team_has_a_limit_of_members(ladder: Ladder) -> None:
    none, pairs = (
        dataclasses.replace(ladder, settings=ladder.settings.model_copy(update={"team_size": size})) for size in (0, 2)
    )
    made = teams.invite(ladder, person(ladder, "ada")).secret
    comes_in(pairs, "bob")
    full = FULL_TEAM.format(team="badgers", limit=2)[:30]
    with pytest.raises(LadderError, match=full):
        teams.join(pairs, person(ladder, "dan"), made)
    with pytest.raises(LadderError, match=full):
        teams.invite(pairs, person(ladder, "ada"))
    with pytest.raises(LadderError, match=full):
        teams.set_team(pairs, LOCAL, "dan", "badgers")
    for act in (lambda: teams.found_team(none, person(ladder, "dan"), "dogs"),
                lambda: teams.join(none, person(ladder, "dan"), made),
                lambda: teams.set_team(none, LOCAL, "dan", "dogs")):  # fmt: skip
        with pytest.raises(LadderError, match="team_size"):
            act()


@pytest.mark.parametrize("name", ["house-counting", "House-Tree"])
def test_the_names_of_house_bots_are_no_accounts_or_teams(ladder: Ladder, name: str) -> None:
    link = registering.invite(ladder, LOCAL, Role.CONTESTANT).secret
    for act in (lambda: teams.found_team(ladder, person(ladder, "dan"), name),
                lambda: teams.set_team(ladder, LOCAL, "dan", name),
                lambda: registering.invite(ladder, LOCAL, Role.CONTESTANT, name),
                lambda: registering.register(ladder, quick_passwords(), name, PASSWORD, link, Visit("", "")),
                lambda: managing.add(ladder, LOCAL, name, Role.CONTESTANT),
                lambda: personal_data.rename(ladder, person(ladder, "dan"), "dan", name),
                lambda: submitted(ladder, person(ladder, "dan"), name)):  # fmt: skip
        with pytest.raises(LadderError, match=re.escape(HOUSE_NAME.format(name=name))):
            act()


@pytest.mark.parametrize("name", ["ada", "Badgers", "b\u0430dgers", "Trotter\u200b", "../x", "", "eve", "ev\u0435"])
def test_the_name_of_a_team_is_one_of_its_own(ladder: Ladder, name: str) -> None:
    registering.invite(ladder, LOCAL, Role.CONTESTANT, "eve")
    with pytest.raises(LadderError):
        teams.found_team(ladder, person(ladder, "dan"), name)


def test_nobody_logs_in_as_a_team(ladder: Ladder) -> None:
    with pytest.raises(LadderError, match="pigpen account team NAME badgers"):
        registering.invite(ladder, LOCAL, Role.CONTESTANT, "badgers")
    with pytest.raises(LadderError):
        registering.new_password(ladder, LOCAL, "badgers")
    with pytest.raises(LadderError):
        managing.add_with_password(ladder, quick_passwords(), LOCAL, "badgers", Role.CONTESTANT, PASSWORD)
    with pytest.raises(UserError):
        managing.set_role(ladder, LOCAL, "badgers", Role.ORGANISER)
    with pytest.raises(LadderError):
        teams.set_team(ladder, LOCAL, "badgers", "cats")


def test_an_organiser_makes_a_team_and_changes_its_members(ladder: Ladder) -> None:
    set_group(ladder, LOCAL, "bob", "course-a")
    assert teams.set_team(ladder, LOCAL, "bob", "dogs").team == "dogs"
    with ladder.database.read() as session:
        assert accounts(session, "dogs")[0].group == "course-a"
    assert teams.set_team(ladder, LOCAL, "bob", "badgers").team == "badgers"
    assert of_team(ladder, "dogs") == ()
    assert teams.set_team(ladder, LOCAL, "bob", None).team is None
    assert last(ladder) == [("", "account.team", "bob")]
    with pytest.raises(LadderError):  # a person's name
        teams.set_team(ladder, LOCAL, "bob", "ada")
    with pytest.raises(Forbidden):
        teams.set_team(ladder, person(ladder, "bob"), "bob", "badgers")


def test_quotas_count_a_team_once(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    managing.set_quota(ladder, LOCAL, "badgers", 1)
    submitted(ladder, person(ladder, "ada"), "Trotter")
    with pytest.raises(TooOften):
        submitted(ladder, person(ladder, "bob"), "Trotter")
    managing.set_quota(ladder, LOCAL, "badgers", None)
    set_group(ladder, LOCAL, "badgers", "course-a")
    set_group_quota(ladder, LOCAL, "course-a", None, 1)
    with pytest.raises(LadderError, match="Trotter"):
        submitted(ladder, person(ladder, "bob"), "Second")


def ended(ladder: Ladder, number: int) -> None:
    """Let a submission come to its end, refused."""
    with ladder.database.write() as session:
        session.get_one(StoredSubmission, number).status = SubmissionStatus.REFUSED


@pytest.mark.parametrize("of_team", [None, 20])
def test_the_smallest_own_quota_of_a_member_holds_for_the_team(ladder: Ladder, of_team: int | None) -> None:
    managing.set_quota(ladder, LOCAL, "dan", 0)
    teams.found_team(ladder, person(ladder, "dan"), "dogs")
    managing.set_quota(ladder, LOCAL, "dogs", of_team)
    with pytest.raises(TooOften, match="is 0"):
        submitted(ladder, person(ladder, "dan"), "Mud")
    managing.set_quota(ladder, LOCAL, "bob", 1)
    managing.set_quota(ladder, LOCAL, "badgers", of_team)
    comes_in(ladder, "bob")
    ended(ladder, submitted(ladder, person(ladder, "ada"), "Trotter").id)
    for name in ("ada", "bob"):
        with pytest.raises(TooOften, match="is 1"):
            submitted(ladder, person(ladder, name), "Trotter")
    teams.leave(ladder, person(ladder, "bob"))
    submitted(ladder, person(ladder, "ada"), "Trotter")


def test_what_a_member_has_submitted_for_itself_counts_for_the_team(ladder: Ladder) -> None:
    few = dataclasses.replace(ladder, settings=ladder.settings.model_copy(update={"submissions_a_day": 2}))
    ended(few, submitted(few, person(few, "dan"), "Mud").id)
    teams.found_team(few, person(few, "dan"), "dogs")
    ended(few, submitted(few, person(few, "dan"), "Fetch").id)
    with pytest.raises(TooOften, match="is 2"):
        submitted(few, person(few, "dan"), "Fetch")


def test_a_disabled_team_has_no_members_that_act(ladder: Ladder) -> None:
    before, link = person(ladder, "ada"), teams.invite(ladder, person(ladder, "ada")).secret
    managing.disable(ladder, LOCAL, "badgers", "It shares its bots.")
    ada = person(ladder, "ada")
    assert ada.team is None
    for viewer in (before, ada):
        with pytest.raises(Forbidden):
            submitted(ladder, viewer, "Second")
    with pytest.raises(LadderError):
        teams.join(ladder, person(ladder, "dan"), link)
    managing.enable(ladder, LOCAL, "badgers")
    assert person(ladder, "ada").team == "badgers"


def test_a_member_of_a_disabled_team_is_told_so_and_can_leave(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    link = teams.invite(ladder, person(ladder, "cleo")).secret
    before, wanted = person(ladder, "bob"), SubmissionOrder(name="Mud", image="bob/mud:1")
    managing.disable(ladder, LOCAL, "badgers", "It shares its bots.")
    disabled = re.escape(TEAM_DISABLED.format(team="badgers"))
    for viewer in (before, person(ladder, "bob")):
        assert teams.disabled_team(ladder, viewer) == "badgers"
        with pytest.raises(LadderError, match=disabled):
            teams.found_team(ladder, viewer, "dogs")
        with pytest.raises(LadderError, match=disabled):
            teams.join(ladder, viewer, link)
        with pytest.raises(LadderError, match=disabled):
            teams.invite(ladder, viewer)
        with pytest.raises(LadderError, match=disabled):
            submitted(ladder, viewer, "Mud")
        with pytest.raises(LadderError, match=disabled):
            ordering.check(ladder, viewer, wanted)
    teams.leave(ladder, person(ladder, "bob"))
    assert teams.disabled_team(ladder, person(ladder, "bob")) == ""
    assert submitted(ladder, person(ladder, "bob"), "Mud").owner == "bob"
    with pytest.raises(LadderError, match=re.escape(LAST_DISABLED.format(team="badgers", bots="Trotter"))):
        teams.leave(ladder, person(ladder, "ada"))  # she cannot retire it
    states.retire(ladder, LOCAL, "Trotter", [], "x")
    teams.leave(ladder, person(ladder, "ada"))
    assert teams.found_team(ladder, person(ladder, "ada"), "weasels").members == ("ada",)


def test_each_member_has_the_bots_of_the_team_on_the_sheet_for_grades(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    submitted(ladder, person(ladder, "bob"), "Trotter")
    rows = {row.account: row for row in grades(ladder, LOCAL, "hearts")}
    assert set(rows) == set(PEOPLE)
    assert {(rows[name].team, rows[name].bot, rows[name].submissions) for name in ("ada", "bob")} == {
        ("badgers", "Trotter", 1)
    }
    assert rows["ada"].place == rows["bob"].place == 1
    assert (rows["dan"].team, rows["dan"].bot) == ("", "")


def test_a_team_outlives_a_member_and_goes_with_the_last_one(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    personal_data.delete(ladder, LOCAL, "ada")
    assert of_team(ladder, "badgers") == ("bob",)
    personal_data.delete(ladder, person(ladder, "bob"), "bob")
    assert [row.name for row in teams.teams(ladder)] == ["cats"]
    with ladder.database.read() as session:
        trotter = session.scalars(select(models.StoredBot)).one()
        assert session.get_one(models.Owner, trotter.owner_id).name.startswith("deleted-")
        assert session.scalars(select(models.Rating.state)).all() == ["retired"]
        assert session.scalars(select(TeamInvitation)).all() == []


def test_a_team_can_be_renamed_and_deleted_by_the_organiser_and_its_members_stay(ladder: Ladder) -> None:
    comes_in(ladder, "bob")
    personal_data.rename(ladder, LOCAL, "badgers", "weasels")
    personal_data.rename(ladder, LOCAL, "bob", "robert")
    assert of_team(ladder, "weasels") == ("ada", "robert")
    assert person(ladder, "ada").team == "weasels"
    exported = personal_data.export(ladder, person(ladder, "robert"), "robert").tables
    assert [row["used_by"] for row in exported["team_invitations"]] == ["robert"]
    assert "hash" not in exported["team_invitations"][0]
    personal_data.delete(ladder, LOCAL, "weasels")
    assert person(ladder, "ada").team is None
    with ladder.database.read() as session:
        assert session.scalars(select(Account.team_id).where(Account.team_id.is_not(None))).all() != []  # cleo's
        assert {row.name for row in accounts(session)} == {"ada", "cats", "cleo", "dan", "robert"}
