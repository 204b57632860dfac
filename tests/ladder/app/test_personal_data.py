"""An account's data: complete when exported, moved when renamed, gone when deleted; results can still be verified."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import JSON, String, select, text

from ladder.app import personal_data, uploads
from ladder.app.accounts import registering
from ladder.app.event import holding
from ladder.app.ladder import Ladder
from ladder.app.personal_data import RENAME_DAYS, as_json, delete, export, rename
from ladder.errors import Forbidden, LadderError
from ladder.people.tables.table_opening import open_table
from ladder.results.files import TableFiles
from ladder.sandbox.bots.content import kept_folder
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_models import AuditEntry, TeamInvitation
from ladder.store.account_names import account_of
from ladder.store.all_tables import METADATA
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.entries import PLAYING
from ladder.store.commands.teams import make_team
from ladder.store.event_models import EventEntry
from ladder.store.lookup import code_of
from ladder.store.personal_columns import NAMES, SECRETS, VISITORS, personal_rows
from ladder.store.table_models import PeopleChair, PeopleTable
from ladder.values.accounts import LOCAL, Role, Viewer
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TableVisitor
from pigpen.rules import PRESETS
from referee.records.file import RecordWriter, read_record
from referee.records.lines import MatchLine, PersonLine, ResultLine
from referee.replay.verify import verify
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.app.event_ladders import FILE
from tests.ladder.ladders import NOW, enter, new_ladder, played, recorded_match
from tests.ladder.store.full_ladder import fill
from tests.ladder.store.handed_in import hand_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADA, NAME = Viewer("adalovelace", address="192.0.2.77"), "adalovelace"
OTHERS = {
    "account_groups": {"name"},
    "accounts": {"group_name", "role", "password", "subject", "reason"},
    "announcements": {"title", "text"},
    "audit": {"action", "address", "subject", "details"},
    "bots": {"name", "skeleton"},
    "computations": {"key", "lane", "question", "state", "answer", "answered", "status", "holder", "reason"},
    "coordinators": {"holder", "folder"},
    "credentials": {"kind", "hash", "name", "scopes"},
    "deadlines": {"variant"},
    "estimates": {"variant", "circles"},
    "event_entries": {"name", "owner", "identity", "commitment", "nonce", "checked_in_by"},
    "event_links": {"kind", "at", "data", "hash"},
    "event_rounds": {"kind", "cost", "bound", "method"},
    "event_tables": {"entrants", "boards", "taken_over", "record", "redo", "rulings"},
    "events": {
        "name", "file", "variant", "seed", "commitment", "rules", "entrants_hash", "stand_in", "stand_in_identity",
        "beacon_value", "contributions", "state", "reason", "unlisted", "announced",
    },
    "faults": {"place", "verdict", "why"},
    "former_names": {"hash"},
    "invitations": {"group_name", "hash", "role", "note"},
    "login_codes": {"device_hash", "user_code", "client", "address", "scopes"},
    "mail_addresses": {"address", "pending", "pending_hash", "language", "notices", "salt"},
    "mail_letters": {"kind", "key", "address", "language", "data", "status", "holder", "reason"},
    "matches": {
        "variant", "format", "clock", "seed", "commitment", "status", "rated_by", "worker", "holder", "reason",
    },
    "owners": {"name", "skeleton"},
    "pair_stats": {"variant", "newest"},
    "people_chairs": {"kind", "name", "secret_hash", "address", "token"},
    "people_tables": {
        "name", "purpose", "board", "variant", "rules", "format", "seed", "commitment", "guest", "network", "status",
        "holder", "reason",
    },
    "puzzle_answers": {"choice"},
    "puzzle_looks": {"variant"},
    "puzzles": {"variant", "found"},
    "rating_points": {"variant"},
    "ratings": {"variant", "state", "reason", "places", "seats", "recent", "history"},
    "seasons": {"variant", "name", "clock", "rules", "standings"},
    "seats": {"board_points", "timed"},
    "state_changes": {"variant", "state", "by", "reason"},
    "studies": {"name", "title"},
    "study_positions": {"title", "comment", "variant", "hands", "moves"},
    "submissions": {
        "ordered", "image", "folder", "sandbox", "status", "phase", "result", "holder", "reason",
    },
    "think_times": {"variant", "histogram"},
    "team_invitations": {"hash"},
    "variants": {"name", "skeleton", "rules", "season_name", "clock"},
    "versions": {"identity", "sandbox", "source", "pinned", "lock"},
    "void_attempts": {"variant"},
    "webhook_messages": {"key", "kind", "body", "status", "holder", "reason"},
    "webhooks": {"url", "kinds", "salt", "secret_hash", "reason"},
    "workers": {"name", "coordinator", "address", "wanted", "wanted_reason", "state", "reason", "facts"},
}  # fmt: skip
"""Columns that can hold text, whose whole value is no account's name: who adds one must say what becomes of it."""


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def live(ladder: Ladder) -> int:
    """Let a person leave traces wherever one can; gives the number of a match of the person's bot."""
    add_person(ladder, "olga", Role.ORGANISER)
    registering.invite(ladder, Viewer("olga", is_organiser=True), Role.CONTESTANT, NAME, "Ada herself")
    add_person(ladder, NAME)
    session_of(ladder, NAME)
    token_of(ladder, NAME)
    hand_in(ladder.database, NAME)
    uploads.begin_upload(ladder, ADA, 100)
    number = recorded_match(ladder, played(), logs={0: ("I am adalovelace", "other", "", "")})
    with ladder.database.write() as session:
        mine = session.scalars(select(models.Owner).where(models.Owner.name == NAME)).one()
        team = make_team(session, "badgers", None, 1.0)
        session.add(
            TeamInvitation(
                hash="e" * 64, team_id=team.owner_id, by=NAME, added=1.0, expires=2.0, used=1.5, used_by=NAME
            )
        )
        session.scalars(select(models.StoredBot).where(models.StoredBot.name == "Trotter")).one().owner_id = mine.id
        version = session.scalars(select(models.Version).order_by(models.Version.id)).first()
        assert version is not None
        version.source, version.pinned = f"{NAME}s-bot", f"arena.example:5000/{NAME}/trotter@sha256:{'0' * 64}"
        folder = kept_folder(ladder.settings.data_dir, version.identity)
        for bot in ("A", "B", "C", "D"):
            enter(session, f"Bot {bot}", "gongzhu")
        enter(session, "Trotter", "gongzhu")
        enter(session, "house-counting", "gongzhu", owner="house-counting")
        write_audit(session, ADA, "token.create", NAME, NOW, name="of adalovelace")
        write_audit(session, Viewer("olga"), "study.remove", "x", NOW, owner=NAME)
        variant = session.get_one(models.Variant, "gongzhu")
        session.add(
            models.FinishedSeason(
                variant="gongzhu", number=0, name="first", began=NOW - 9, ended=NOW - 8, after=0, last=0,
                clock={}, rules=variant.rules, standings={"standings": [{"bot": "Trotter", "owner": NAME}]},
            )
        )  # fmt: skip
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text("# by adalovelace")
    holding.open_event(ladder, LOCAL, "cup", FILE.format(show="live"), PRESETS["gongzhu"])
    holding.enter(ladder, ADA, "cup", "Trotter")
    sit(ladder)
    return number


def sit(ladder: Ladder) -> None:
    """Let the person have played at a table alone, and at one with a guest; of both there is a record."""
    files = TableFiles(ladder.settings.data_dir)
    for others in ((ChairOrder(kind=ChairKind.HOUSE, name="random"),) * 3, (ChairOrder(kind=ChairKind.PERSON),) * 3):
        order = TableOrder(variant="hearts", chairs=(ChairOrder(kind=ChairKind.PERSON), *others))
        opened = open_table(ladder, order, TableVisitor(account=NAME))
        with ladder.database.write() as session:
            table = session.scalars(select(PeopleTable).where(PeopleTable.name == opened.name)).one()
            for chair in session.scalars(select(PeopleChair).where(PeopleChair.table_id == table.id)):
                chair.joined, chair.points, chair.place = NOW, 0, 1
                if chair.kind == "person" and chair.account is None:
                    chair.name = "guest"
            table.status, table.finished = "over", NOW
            number = table.id
        write_record(files.folder(number) / "record.jsonl")


def write_record(path: Path) -> None:
    first, *deals, result = played()
    assert isinstance(first, MatchLine)
    assert isinstance(result, ResultLine)
    clock = first.clock
    names = (NAME, f"{NAME}#2", *first.bots[2:])
    people = tuple(PersonLine(bot=number, clock=clock) for number in (0, 1))
    with RecordWriter.create(path) as writer:
        writer.write(first.model_copy(update={"bots": names, "people": people}))
        for line in deals:
            writer.write(line)
        results = [each.model_copy(update={"bot": names[each.seat]}) for each in result.results]
        writer.write(result.model_copy(update={"results": tuple(results)}))


def dumped(ladder: Ladder) -> str:
    """Give all that stands in the tables."""
    with ladder.database.read() as session:
        found = {
            table.name: [tuple(map(str, row)) for row in session.execute(text(f'SELECT * FROM "{table.name}"'))]
            for table in METADATA.sorted_tables
        }
    return json.dumps(found, ensure_ascii=False)


def files_with(folder: Path, name: str) -> list[str]:
    """List the files in which a name stands, unpacked where they are packed, and those that are called so."""
    found = []
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        if name.encode() in content or name in path.name:
            found.append(str(path.relative_to(folder)))
    return found


def test_every_column_that_can_name_an_account_is_known() -> None:
    known = {(column.class_.__tablename__, column.key) for column in (*NAMES, *VISITORS)}
    there = {
        (table.name, column.name)
        for table in METADATA.sorted_tables
        for column in table.columns
        if isinstance(column.type, String | JSON)
    }
    others = {(table, column) for table, columns in OTHERS.items() for column in columns}
    assert there - known == others - known
    assert not known & others


def test_every_table_with_a_key_of_an_owner_is_exported(ladder: Ladder) -> None:
    add_person(ladder, NAME)
    with ladder.database.read() as session:
        owner = session.scalars(select(models.Owner).where(models.Owner.name == NAME)).one()
        exported = {rows.model.__tablename__ for rows in personal_rows(owner)}
    keyed = {
        table.name
        for table in METADATA.sorted_tables
        if {key.column.table.name for key in table.foreign_keys} & {"owners", "accounts", "bots"}
    }
    named = {column.class_.__tablename__ for column in (*NAMES, *VISITORS)}
    assert keyed | named | {"study_positions", "event_entries"} <= exported


def test_an_export_has_all_rows_and_no_secret(ladder: Ladder) -> None:
    live(ladder)
    found = export(ladder, ADA, NAME)
    count = {table: len(rows) for table, rows in found.tables.items() if rows}
    assert count == {
        "owners": 1,
        "accounts": 1,
        "invitations": 1,
        "team_invitations": 1,
        "credentials": 2,
        "audit": 4,
        "submissions": 1,
        "bots": 1,
        "versions": 2,
        "ratings": 2,
        "people_tables": 2,
        "people_chairs": 2,
        "event_entries": 1,
        "seasons": 1,
    }
    plain = json.loads(as_json(found))
    assert plain["account"] == NAME
    assert plain["tables"]["submissions"][0]["ordered"]["source"] == "mybot"
    assert not {column for rows in plain["tables"].values() for row in rows for column in row} & SECRETS


def test_a_full_ladder_is_exported(tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    fill(ladder.database)
    found = json.loads(as_json(export(ladder, LOCAL, "ada")))["tables"]
    wanted = {"studies", "study_positions", "puzzle_answers", "former_names", "event_entries"}
    assert {table for table in wanted if found[table]} == wanted
    ladder.database.close()


def test_another_person_gets_nothing(ladder: Ladder) -> None:
    live(ladder)
    for viewer in (Viewer("olga", is_organiser=True), Viewer("ben"), Viewer(NAME, by_token=True)):
        for act in (export, delete):
            with pytest.raises(Forbidden):
                act(ladder, viewer, NAME)
        with pytest.raises(Forbidden):
            rename(ladder, viewer, NAME, "ben")


def test_of_a_deleted_account_no_name_is_left(ladder: Ladder) -> None:
    match = live(ladder)
    named = {file.partition("/")[0] for file in files_with(ladder.settings.data_dir, NAME)}
    assert named >= {"folders", "records", "tables", "uploads"}
    done = delete(ladder, ADA, NAME)
    assert done.is_complete
    assert NAME not in dumped(ladder)
    assert "192.0.2.77" not in dumped(ladder)
    assert files_with(ladder.settings.data_dir, NAME) == []
    with ladder.database.read() as session:
        assert account_of(session, NAME) is None
        last = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
        assert last is not None
        assert (last.action, last.subject, last.actor) == ("account.delete", done.pseudonym, done.pseudonym)
        bot = session.scalars(select(models.StoredBot).where(models.StoredBot.name == "Trotter")).one()
        assert session.get_one(models.Owner, bot.owner_id).name == done.pseudonym
        mine = select(models.Version.id).where(models.Version.bot_id == bot.id)
        states = select(models.Rating.state).where(models.Rating.version_id.in_(mine))
        assert not set(session.scalars(states)) & {*map(str, PLAYING)}
        assert session.scalars(select(EventEntry)).all() == []
        assert session.scalars(select(PeopleTable)).one().owner is None
        attempt = session.get_one(models.StoredMatch, match).attempt
    assert ladder.files.read_logs(match, attempt) == {0: ("", "other", "", "")}
    assert verify(ladder.files.record(match, attempt)).holds


def test_the_records_of_others_can_still_be_read(ladder: Ladder) -> None:
    live(ladder)
    delete(ladder, LOCAL, NAME)
    with ladder.database.read() as session:
        (table,) = session.scalars(select(PeopleTable.id))
    first, *_, result = read_record(TableFiles(ladder.settings.data_dir).record(table))
    assert isinstance(first, MatchLine)
    assert first.bots[:2] == ("–", "–")
    assert isinstance(result, ResultLine)
    assert [each.bot for each in result.results if each.seat < 2] == ["–", "–"]


def test_programs_stay_while_a_match_needs_them(ladder: Ladder) -> None:
    live(ladder)
    with ladder.database.write() as session:
        match = session.scalars(select(models.StoredMatch)).one()
        match.status, match.ordinal = models.Status.LEASED, None
    assert not delete(ladder, LOCAL, NAME).is_complete
    assert any((ladder.settings.data_dir / "folders").iterdir())
    with ladder.database.write() as session:
        match = session.scalars(select(models.StoredMatch)).one()
        match.status, match.ordinal = models.Status.DONE, 1
    personal_data.remove_all_leftovers(ladder)
    assert not any((ladder.settings.data_dir / "folders").iterdir())
    assert NAME not in dumped(ladder)


def test_a_renamed_account_keeps_all_it_has(ladder: Ladder) -> None:
    live(ladder)
    before = {table: len(rows) for table, rows in export(ladder, ADA, NAME).tables.items()}
    rename(ladder, ADA, NAME, "countess")
    after = export(ladder, Viewer("countess"), "countess").tables
    more = {"audit": 2, "former_names": 1}
    assert {table: len(rows) for table, rows in after.items()} == {
        table: count + more.get(table, 0) for table, count in before.items()
    }
    with ladder.database.read() as session:
        assert session.scalars(select(EventEntry.owner)).all() == [code_of(session, "countess")]
    assert f'"{NAME}"' not in dumped(ladder)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("olga", "There is an account 'olga' already"),
        ("house-counting", "of a house bot"),
        ("0lga", "looks like 'olga'"),
        ("-x", "cannot be the name of an account"),
        ("", "cannot be the name of an account"),
        (NAME, "is called 'adalovelace' already"),
        ("left", "was that of another account"),
    ],
)
def test_a_name_that_cannot_be_is_refused(ladder: Ladder, new: str, why: str) -> None:
    live(ladder)
    add_person(ladder, "left")
    delete(ladder, LOCAL, "left")
    with pytest.raises(LadderError, match=why):
        rename(ladder, ADA, NAME, new)


def test_who_sits_at_a_table_that_is_played_keeps_the_name(ladder: Ladder) -> None:
    """Its record is being written; who is seated there has the name from the beginning."""
    add_person(ladder, NAME)
    order = TableOrder(variant="hearts", chairs=(ChairOrder(kind=ChairKind.PERSON),) * 4)
    opened = open_table(ladder, order, TableVisitor(account=NAME))
    with ladder.database.write() as session:
        table = session.scalars(select(PeopleTable).where(PeopleTable.name == opened.name)).one()
        chair = session.scalars(select(PeopleChair).where(PeopleChair.table_id == table.id)).first()
        assert chair is not None
        chair.account, chair.name, chair.joined, table.status = NAME, NAME, NOW, "playing"
        number = table.id
    with pytest.raises(LadderError, match="table"):
        rename(ladder, LOCAL, NAME, "grace")
    with ladder.database.write() as session:
        session.get_one(PeopleTable, number).status = "over"
    rename(ladder, LOCAL, NAME, "grace")


def test_capitals_can_be_changed_and_a_name_comes_back(ladder: Ladder) -> None:
    add_person(ladder, NAME)
    rename(ladder, LOCAL, NAME, "AdaLovelace")
    rename(ladder, LOCAL, "AdaLovelace", "countess")
    with pytest.raises(LadderError, match="of another account"):
        add_with(ladder, "ADALOVELACE")
    rename(ladder, LOCAL, "countess", NAME)


def add_with(ladder: Ladder, name: str) -> None:
    registering.invite(ladder, LOCAL, Role.CONTESTANT, name)


def test_its_owner_changes_a_name_once_in_a_while(ladder: Ladder) -> None:
    add_person(ladder, NAME)
    rename(ladder, ADA, NAME, "first")
    later = Ladder(ladder.settings, ladder.database, lambda: NOW + RENAME_DAYS * 86_400 - 1)
    with pytest.raises(LadderError, match="once in 30 days"):
        rename(later, Viewer("first"), "first", "second")
    later = Ladder(ladder.settings, ladder.database, lambda: NOW + RENAME_DAYS * 86_400)
    rename(later, Viewer("first"), "first", "second")


def test_the_only_organiser_stays(ladder: Ladder) -> None:
    add_person(ladder, "olga", Role.ORGANISER)
    olga = Viewer("olga", is_organiser=True)
    with pytest.raises(LadderError, match="the only organiser"):
        delete(ladder, olga, "olga")
    add_person(ladder, "otto", Role.ORGANISER)
    delete(ladder, olga, "olga")


def test_two_accounts_of_one_name_have_two_pseudonyms(ladder: Ladder) -> None:
    add_person(ladder, NAME)
    number = export(ladder, LOCAL, NAME).tables["owners"][0]["id"]
    add_person(ladder, f"deleted-{number}")
    assert delete(ladder, LOCAL, NAME).pseudonym == f"deleted-{number}-2"
