"""An account called as a word of the database, or as another's bot, has, changes and removes nothing of others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from ladder.app.accounts import registering
from ladder.app.ladder import Ladder
from ladder.app.personal_data import delete, export, rename
from ladder.people.tables.table_opening import open_table
from ladder.store.account_models import AuditEntry
from ladder.store.commands.accounts import write_audit
from ladder.store.computing_models import Computation
from ladder.store.table_models import PeopleChair, PeopleTable
from ladder.values.accounts import LOCAL, Role, Viewer
from ladder.values.people import TABLE_FILE, ChairKind, ChairOrder, TableOrder, TableVisitor
from ladder.values.questions import AgreementQuestion, ProgramOwners, SourcesQuestion
from tests.ladder.accounts import add_person
from tests.ladder.app.test_personal_data import dumped
from tests.ladder.ladders import NOW, enter

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database

ZOE = Viewer("zoe", address="203.0.113.9")
BOB = Viewer("bob", address="198.51.100.77")
OLGA = Viewer("olga", is_organiser=True, address="198.51.100.1")
WORDS = (
    "id", "role", "scopes", "reason", "invitation", "contestant", "login", "hearts", "variant", "team", "Trotter", "7",
)  # fmt: skip
"""Names of accounts: keys and values of details, a bot's name, and a number."""
SOURCE = f"{TABLE_FILE}xyz.jsonl"


@pytest.fixture
def ladder(settings: Settings, database: Database) -> Ladder:
    """A ladder at which others have left entries in the audit log."""
    made = Ladder(settings, database, lambda: NOW)
    for name in ("zoe", "bob"):
        add_person(made, name)
    add_person(made, "olga", Role.ORGANISER)
    with database.write() as session:
        enter(session, "Trotter", owner="bob")
        write_audit(session, ZOE, "session.create", "zoe", NOW, id=5)
        write_audit(session, ZOE, "token.create", "zoe", NOW, id=6, scopes="read submit", by="login")
        write_audit(session, ZOE, "account.create", "zoe", NOW, role="contestant", invitation=3)
        write_audit(session, BOB, "submission.order", "Trotter", NOW, submission=1)
        write_audit(session, OLGA, "bot.suspend", "Trotter", NOW, where="hearts", reason="It does not answer.")
        write_audit(session, OLGA, "invitation.revoke", "7", NOW)
    return made


def entries(ladder: Ladder) -> list[tuple[Any, ...]]:
    with ladder.database.read() as session:
        rows = session.scalars(select(AuditEntry).order_by(AuditEntry.id))
        return [(row.actor, row.action, row.subject, row.details, row.address) for row in rows]


@pytest.mark.parametrize("name", WORDS)
def test_of_others_it_gets_nothing_and_leaves_their_entries_as_they_are(ladder: Ladder, name: str) -> None:
    before = entries(ladder)
    add_person(ladder, name)
    assert export(ladder, LOCAL, name).tables["audit"] == []
    rename(ladder, LOCAL, name, "quentin")
    delete(ladder, LOCAL, "quentin")
    add_person(ladder, f"{name}-2")
    assert entries(ladder)[: len(before)] == before


@pytest.mark.parametrize("name", WORDS)
def test_when_it_is_deleted_entries_of_others_stay(ladder: Ladder, name: str) -> None:
    before = entries(ladder)
    add_person(ladder, name)
    delete(ladder, LOCAL, name)
    assert entries(ladder)[: len(before)] == before


def test_what_others_did_to_an_account_is_given_without_who_and_from_where(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        write_audit(session, OLGA, "account.quota", "zoe", NOW, submissions_a_day=3)
        write_audit(session, OLGA, "study.remove", "abc", NOW, owner="zoe", title="Leads")
    rows = export(ladder, LOCAL, "zoe").tables["audit"]
    own, others = [row for row in rows if "actor" in row], [row for row in rows if "actor" not in row]
    assert {(row["actor"], row["address"]) for row in own} == {("zoe", "203.0.113.9")}
    assert [(row["action"], row["details"]) for row in others] == [
        ("account.quota", {"submissions_a_day": 3}),
        ("study.remove", {"owner": "zoe", "title": "Leads"}),
    ]
    assert not any("address" in row for row in others)
    rename(ladder, LOCAL, "zoe", "zora")
    assert ("olga", "study.remove", "abc", {"owner": "zora", "title": "Leads"}, OLGA.address) in entries(ladder)
    gone = delete(ladder, LOCAL, "zora").pseudonym
    assert ("olga", "study.remove", "abc", {"owner": gone}, OLGA.address) in entries(ladder)


def test_the_note_of_an_invitation_is_for_the_one_who_wrote_it(ladder: Ladder) -> None:
    note = "Yan Ling, 20260001"
    registering.invite(ladder, OLGA, Role.CONTESTANT, "yan", note)
    add_person(ladder, "yan")
    with_note = {name: json.dumps(export(ladder, LOCAL, name).tables, default=str) for name in ("olga", "yan")}
    assert {name: note in text for name, text in with_note.items()} == {"olga": True, "yan": False}
    assert len(export(ladder, LOCAL, "yan").tables["invitations"]) == 1
    delete(ladder, LOCAL, "yan")
    assert note not in dumped(ladder)


def test_of_a_guest_who_opened_a_table_its_player_gets_nothing(ladder: Ladder) -> None:
    opened = open_for_guest(ladder)
    rows = export(ladder, LOCAL, "zoe").tables["people_tables"]
    assert [row["name"] for row in rows] == [opened]
    assert "192.0.2.1" not in str(rows)
    assert not {"guest", "network"} & set(rows[0])


def open_for_guest(ladder: Ladder) -> str:
    """Let a guest open a table, at which zoe sits; gives its name."""
    order = TableOrder(variant="hearts", chairs=(ChairOrder(kind=ChairKind.PERSON),) * 4)
    opened = open_table(ladder, order, TableVisitor(guest="a" * 64, network="192.0.2.1"))
    with ladder.database.write() as session:
        table = session.scalars(select(PeopleTable).where(PeopleTable.name == opened.name)).one()
        assert table.network == "192.0.2.1"
        chair = session.get_one(PeopleChair, (table.id, 1))
        chair.account, chair.name, chair.joined = "zoe", "zoe", NOW
    return opened.name


def add_computation(ladder: Ladder, key: str, question: dict[str, Any], answer: str | None = None) -> None:
    status = "queued" if answer is None else "ended"
    with ladder.database.write() as session:
        session.add(
            Computation(
                key=key, lane="short", question=question, state="x", visitor="account bob", added=1.0, answer=answer,
                status=status,
            )
        )  # fmt: skip


def computations(ladder: Ladder) -> dict[str, dict[str, Any]]:
    with ladder.database.read() as session:
        return {row.key: row.question for row in session.scalars(select(Computation))}


def why(source: str, *people: str) -> dict[str, Any]:
    """Give a question about a decision of a record whose first players are people."""
    numbers = [{"bot": number} for number in range(len(people))]
    first = {"kind": "match", "bots": [*people, "Trotter"], "people": numbers}
    return {"kind": "why", "source": source, "lines": [json.dumps(first), "{}"], "step": 1}


@pytest.mark.parametrize("name", ["variant", "kind", "hearts", "why", "Trotter"])
def test_answers_for_others_stay(ladder: Ladder, name: str) -> None:
    add_person(ladder, name)
    add_computation(ladder, "waits", {"kind": "house", "rules": {"variant": "hearts"}, "bots": ["Trotter"]})
    add_computation(ladder, "asked", why("17", "Trotter"))
    add_computation(ladder, "table", why(SOURCE, "zoe"))
    add_computation(ladder, "match", {}, json.dumps({"source": "17", "bot": "Trotter", "rules": "hearts"}))
    add_computation(ladder, "lines", {}, f'{{"bots":["{name}"],"source":"{SOURCE}"}}\n{{}}\n')
    add_computation(ladder, "style", {}, json.dumps({"sources": ["17"], "variant": "hearts", "kind": "why"}))
    before = computations(ladder)
    rename(ladder, LOCAL, name, "vera")
    delete(ladder, LOCAL, "vera")
    assert computations(ladder) == before


@pytest.mark.parametrize("name", ["zoe", "zoë"])
def test_what_was_computed_about_a_person_at_a_table_goes_with_the_name(ladder: Ladder, name: str) -> None:
    if name != "zoe":
        rename(ladder, LOCAL, "zoe", name)
    add_computation(ladder, "asked", why(SOURCE, "bob", f"{name}#2"))
    decision = {"source": SOURCE, "bot": name}
    # As a computation writes its answer: letters as they are.
    add_computation(ladder, "one", {}, json.dumps(decision, ensure_ascii=False))
    found = {"sources": [SOURCE], "costliest": [decision | {"bot": "bob"}, decision]}
    add_computation(ladder, "several", {}, json.dumps(found, ensure_ascii=False))
    add_computation(ladder, "other", {}, json.dumps(decision | {"bot": f"{name}s"}, ensure_ascii=False))
    delete(ladder, LOCAL, name)
    assert list(computations(ladder)) == ["other"]


def test_a_question_about_owners_waits_on_with_the_new_name(ladder: Ladder) -> None:
    agreement = AgreementQuestion(looks=(), programs={"1": ("zoe", "zoe"), "2": ("bob", "sha256:2")})
    sources = SourcesQuestion(programs=(ProgramOwners(identity="zoe", owners=("bob", "zoe")),))
    for question in (agreement, sources):
        add_computation(ladder, question.kind, question.model_dump(mode="json"))
    rename(ladder, LOCAL, "zoe", "zora")
    there = computations(ladder)
    assert AgreementQuestion.model_validate(there["agreement"]).programs == {
        "1": ("zora", "zoe"),
        "2": ("bob", "sha256:2"),
    }
    assert SourcesQuestion.model_validate(there["sources"]).programs[0] == ProgramOwners(
        identity="zoe", owners=("bob", "zora")
    )
