"""`pigpen account`: what it prints, and what it does."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from ladder.app.accounts.registering import register
from ladder.app.accounts.sessions import Visit, log_in
from ladder.app.ladder import Ladder
from ladder.app.schema import api_schema
from ladder.errors import Forbidden
from ladder.settings.settings import load_settings
from ladder.store.commands.accounts import NOT_GOOD
from tests.ladder.ladders import enter
from tests.ladder.site.person import PASSWORD, quick_passwords
from tests.typed import Typed, run_here, typed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINK = re.compile(r"(\S+)/register\?invitation=(pgi_[\w-]{43})\n")
SCHEMA = api_schema()
HERE = Visit("", "a test's")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose ladder begins with the first account."""
    return tmp_path


@pytest.fixture
def ladder(folder: Path) -> Iterator[Ladder]:
    """That ladder."""
    with Ladder.open(load_settings(data_dir=folder / "data"), create=True) as ladder:
        yield ladder


def account(folder: Path, *words: str, **environment: str) -> Typed:
    return typed("account", *words, folder=folder, **environment)


def done(folder: Path, *words: str, **environment: str) -> str:
    found = account(folder, *words, **environment)
    assert (found.code, found.is_civil) == (0, True), found.err
    return found.out


def value(folder: Path, *words: str) -> Any:
    """Run it with `--json`, and give its output, which is as the schema says."""
    found = json.loads(done(folder, *words, "--json"))
    special = next((each for each in ("--password", "--from") if each in words), "")
    name = f"account {words[0]} {special}".rstrip()
    Draft202012Validator({**SCHEMA["properties"][name], "$defs": SCHEMA["$defs"]}).validate(found)
    return found


def secret_in(out: str, base: str = "http://127.0.0.1:8020") -> str:
    found = LINK.fullmatch(out)
    assert found is not None
    assert found[1] == base
    return found[2]


def come(ladder: Ladder, secret: str, name: str = "") -> None:
    """Open a link, and choose a name and a password."""
    register(ladder, quick_passwords(), name, PASSWORD, secret, HERE)


def can_log_in(ladder: Ladder, name: str) -> bool:
    try:
        log_in(ladder, quick_passwords(), name, PASSWORD, HERE)
    except Forbidden:
        return False
    return True


def test_an_account_gets_its_password_by_a_link(folder: Path, ladder: Ladder) -> None:
    secret = secret_in(done(folder, "add", "ada"))
    assert not can_log_in(ladder, "ada")
    come(ladder, secret)
    assert can_log_in(ladder, "ada")
    assert account(folder, "add", "ada").is_one_sentence
    assert account(folder, "add", "Ada").is_one_sentence
    assert account(folder, "add", "../ada").is_one_sentence


def test_a_link_leads_to_where_the_site_is(folder: Path) -> None:
    for name, value, base in (
        ("PIGPEN_SITE_URL", "https://arena.example/", "https://arena.example"),
        ("PIGPEN_SITE_HOST", "0.0.0.0", "http://127.0.0.1:8020"),
        ("PIGPEN_SITE_HOST", "::1", "http://[::1]:8020"),
        ("PIGPEN_SITE_PORT", "80", "http://127.0.0.1:80"),
    ):
        secret_in(done(folder, "invite", **{name: value}), base)


def test_a_password_may_be_given_here(folder: Path, ladder: Ladder) -> None:
    words = ["account", "add", "olga", "--organiser", "--password"]
    for text, code in (("short\n", 2), ("", 2), (f"{PASSWORD}\n", 0)):
        assert run_here(words, folder, {"PIGPEN_DATA_DIR": str(folder / "data")}, text)[0] == code
    assert can_log_in(ladder, "olga")


def test_somebody_is_invited_and_uninvited(folder: Path, ladder: Ladder) -> None:
    come(ladder, secret_in(done(folder, "invite", "--note", "the team from Graz")), "graz")
    done(folder, "invite", "--name", "bob", "--organiser", "--days", "3")
    open_one, used = value(folder, "invitations")
    assert (open_one["name"], open_one["role"], open_one["used"]) == ("bob", "organiser", None)
    assert (used["note"], used["used_by"], used["by"]) == ("the team from Graz", "graz", "")
    assert "the team from Graz" in done(folder, "invitations")
    assert done(folder, "uninvite", str(open_one["id"])) == "Invitation 2 is withdrawn.\n"
    for number in ("1", "2", "3"):
        assert account(folder, "uninvite", number).is_one_sentence
    assert account(folder, "invite", "--name", "graz").is_one_sentence
    assert account(folder, "invite", "--days", "366").code == 2


def test_an_account_is_disabled_and_enabled(folder: Path, ladder: Ladder) -> None:
    come(ladder, secret_in(done(folder, "invite")), "ada")
    assert value(folder, "disable", "ada", "--reason", "It \x1b[31mcheats.")["disabled"] is not None
    assert not can_log_in(ladder, "ada")
    out = done(folder, "list")
    assert "ada is disabled since" in out
    assert value(folder, "sessions", "ada") == []
    assert value(folder, "enable", "ada")["disabled"] is None
    assert can_log_in(ladder, "ada")
    assert account(folder, "disable", "ada", "--reason", " ").is_one_sentence
    assert account(folder, "disable", "eve", "--reason", "x").is_one_sentence
    assert account(folder, "enable", "eve").is_one_sentence


def test_an_account_has_a_quota_and_a_role(folder: Path) -> None:
    done(folder, "add", "ada")
    assert "submit 100 times" in done(folder, "quota", "ada", "100")
    assert value(folder, "quota", "ada", "0")["submissions_a_day"] == 0
    assert "submit 20 times" in done(folder, "quota", "ada", "default")
    for wrong in ("x", "-1", "1e3", "9" * 10, "٣"):
        assert account(folder, "quota", "--", "ada", wrong).is_one_sentence
    assert done(folder, "role", "ada", "organiser").startswith("ada is an organiser")
    assert value(folder, "list")[0]["role"] == "organiser"
    assert done(folder, "role", "ada", "contestant") == "ada is a contestant now.\n"


def test_a_new_password_ends_sessions_and_older_links(folder: Path, ladder: Ladder) -> None:
    first = secret_in(done(folder, "add", "ada"))
    second = secret_in(done(folder, "password", "ada"))
    assert value(folder, "password", "ada")["link"].startswith("http://127.0.0.1:8020/register?invitation=pgi_")
    for secret in (first, second):
        with pytest.raises(Exception, match=re.escape(NOT_GOOD)):
            come(ladder, secret)
    come(ladder, secret_in(done(folder, "password", "ada")))
    assert can_log_in(ladder, "ada")


def test_sessions_are_listed_and_revoked(folder: Path, ladder: Ladder) -> None:
    come(ladder, secret_in(done(folder, "add", "ada")))
    can_log_in(ladder, "ada")
    newest, oldest = (row["id"] for row in value(folder, "sessions", "ada"))
    assert "a test's" in done(folder, "sessions", "ada")
    assert done(folder, "revoke", "ada", str(oldest)) == "Revoked: 1.\n"
    assert [row["id"] for row in value(folder, "sessions", "ada")] == [newest]
    assert account(folder, "revoke", "ada", "99").is_one_sentence
    assert done(folder, "revoke", "ada") == "Revoked: 1.\n"
    assert value(folder, "sessions", "ada") == []


def test_everything_is_in_the_audit_log_and_no_secret(folder: Path, ladder: Ladder) -> None:
    secret = secret_in(done(folder, "add", "ada"))
    come(ladder, secret)
    for words in ("quota ada 3", "role ada organiser", "disable ada --reason x\x1b[31m", "enable ada", "revoke ada",
                  "invite", "uninvite 2", "password ada"):  # fmt: skip
        done(folder, *words.split())
    rows = value(folder, "audit")
    assert [row["action"] for row in rows[::-1]] == [
        "account.create", "invitation.create", "account.password", "session.create", "account.quota", "account.role",
        "account.disable", "account.enable", "account.revoke", "invitation.create", "invitation.revoke",
        "invitation.create",
    ]  # fmt: skip
    assert {row["actor"] for row in rows} == {"", "ada"}
    assert len(value(folder, "audit", "--limit", "2")) == 2
    printed = done(folder, "audit") + json.dumps(rows)
    assert "this machine" in printed
    lines = done(folder, "audit", COLUMNS="40").splitlines()
    assert len(lines) == 1 + len(rows)
    for line, row in zip(lines[1:], rows, strict=True):
        assert f" {row['action']} " in line
        assert all(str(value) in line for value in row["details"].values() if value and str(value).isprintable())
    assert "pgi_" not in printed
    assert "\x1b" not in printed


@pytest.mark.sqlite
def test_without_a_ladder_there_is_nobody(folder: Path) -> None:
    for words in (["list"], ["audit"], ["invitations"], ["sessions", "ada"], ["enable", "ada"]):
        assert account(folder, *words).is_one_sentence
    assert not (folder / "data").exists()


def test_a_list_of_people_is_invited(folder: Path, ladder: Ladder) -> None:
    (folder / "course.csv").write_text("\ufeffName;Note\nbob;Bob, row 2\n;=1+1\n\n", encoding="utf-8")
    out = done(folder, "invite", "--from", "course.csv", "--days", "3")
    bob, other = csv.DictReader(io.StringIO(out))
    assert (bob["name"], bob["note"], other["name"], other["note"]) == ("bob", "Bob, row 2", "", "'=1+1")
    come(ladder, secret_in(f"{other['link']}\n"), "eve")
    come(ladder, secret_in(f"{bob['link']}\n"), "bob")
    assert {row["note"] for row in value(folder, "invitations")} == {"Bob, row 2", "=1+1"}
    (folder / "course.csv").write_text("note\nCarla\nDora\n")
    found = value(folder, "invite", "--from", "course.csv")
    assert [(row["name"], row["note"]) for row in found] == [("", "Carla"), ("", "Dora")]
    assert len({row["link"] for row in found}) == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,note\neve,\nbob,\n", "course.csv: line 3: There is an account 'bob' already"),
        ("name\neve\n../eve\n", "course.csv: line 3: "),
        ("name\nB0b\n", "course.csv: line 2: The name 'B0b' looks like 'bob', which is taken"),
        ("name\neve\nEve\n", "course.csv: line 3: 'Eve' looks like 'eve' in line 2."),
        (
            "note,group\nE,course-1\nF,course-1\nG,course-l\n",
            "course.csv: line 4: 'course-l' looks like 'course-1' in ",
        ),
        ("name,note,Name\neve,,carl\n", "course.csv: the first line names the column 'name' twice"),
        ("name,note,gruop\neve,,a\n", "course.csv: there is no column 'gruop': the columns are name, note and group. "),
        ("name,note,\neve,,a\n", "course.csv: there is no column ''"),
        (f"note\nE\n{'x' * 201}\n", "course.csv: line 3: The note has 201 characters; it can have 200 at most."),
        ('name\n"eve"s\n', "course.csv: line 2: this is not CSV: a cell that begins with a quotation mark "),
        (f"name\n{'x' * 140_000}\n", "course.csv: line 2: this is not CSV"),
        ("person\neve\n", "course.csv: the first line must name the "),
        ("name\neve\ncarl\neve\n", "course.csv: line 4: 'eve' stands in line 2, too"),
        ("name\neve,too\n", "course.csv: line 2 has 2 cells"),
        ("name,note\n", "course.csv: it has 0 persons"),
        ("", "course.csv: the first "),
        ('name\n"eve\n', "course.csv: line 2: this is not CSV"),
    ],
)
def test_a_list_with_a_mistake_invites_none(folder: Path, text: str, sentence: str) -> None:
    done(folder, "add", "bob")
    before = value(folder, "invitations")
    (folder / "course.csv").write_text(text)
    refused = account(folder, "invite", "--from", "course.csv")
    assert refused.is_one_sentence, refused
    assert refused.err.startswith(f"pigpen: {sentence}"), refused.err
    assert value(folder, "invitations") == before
    assert account(folder, "invite", "--from", "course.csv", "--name", "eve").code == 2
    assert account(folder, "invite", "--from", "none.csv").is_one_sentence


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_list_has_line_ends_of_any_machine(folder: Path, end: str) -> None:
    text = end.join(("name,note,,", '"eve","Eve\n""the first"",,,"', "carl,Carl,,", ""))
    (folder / "course.csv").write_bytes(text.replace("\n", end).encode())
    found = value(folder, "invite", "--from", "course.csv")
    assert [(row["name"], row["note"]) for row in found] == [("eve", 'Eve\n"the first",,,'), ("carl", "Carl")]


def test_a_note_that_is_too_long_is_refused(folder: Path) -> None:
    refused = account(folder, "invite", "--note", "x" * 201)
    assert (refused.code, refused.is_one_sentence) == (2, True), refused
    assert "200 at most" in refused.err
    done(folder, "invite", "--note", f" {'x' * 200} ")
    assert [row["note"] for row in value(folder, "invitations")] == ["x" * 200]


def test_accounts_are_in_groups(folder: Path, ladder: Ladder) -> None:
    (folder / "course.csv").write_text("note,group\nNo. 1,course-b\nNo. 2,\n", encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(done(folder, "invite", "--from", "course.csv", "--group", "course-a"))))
    assert [row["group"] for row in rows] == ["course-b", "course-a"]
    come(ladder, secret_in(f"{rows[0]['link']}\n"), "bob")
    come(ladder, secret_in(done(folder, "invite", "--group", "course-a")), "ada")
    assert [row["group"] for row in value(folder, "list")] == ["course-a", "course-b"]
    assert "course-a" in done(folder, "list")
    assert "bob is in the" in done(folder, "group", "bob", "course-a")
    printed = done(folder, "group-quota", "course-a", "--submissions", "5", "--bots", "2")
    assert "course-a may submit 5 times" in printed
    assert "at most 2 bots" in printed
    (course_a,) = value(folder, "groups")  # the invitation to the other one was used
    assert course_a == {"name": "course-a", "accounts": 2, "submissions_a_day": 5, "bots": 2}
    assert "any number of bots" in done(folder, "group-quota", "course-a")
    assert value(folder, "group", "bob", "none")["group"] is None
    assert ["course-a", "1", "–", "–"] in [line.split() for line in done(folder, "groups").splitlines()]
    assert account(folder, "group-quota", "course-z").is_one_sentence
    assert account(folder, "group-quota", "course-a", "--bots", "many").is_one_sentence
    assert account(folder, "group-quota", "course-a", "--bots", "0").is_one_sentence
    assert account(folder, "group", "eve", "course-a").is_one_sentence
    assert account(folder, "group", "ada", "../x").is_one_sentence


def test_accounts_are_in_teams(folder: Path, ladder: Ladder) -> None:
    for name in ("ada", "bob"):
        done(folder, "add", name)
    assert "team_size" in account(folder, "team", "ada", "badgers").err
    size = {"PIGPEN_TEAM_SIZE": "2"}
    assert "the team badgers" in done(folder, "team", "ada", "badgers", **size)
    done(folder, "team", "bob", "badgers", **size)
    assert ["badgers", "ada,", "bob"] in [line.split() for line in done(folder, "teams").splitlines()]
    assert [row["members"] for row in value(folder, "teams")] == [["ada", "bob"]]
    assert "its members" in done(folder, "list")
    assert value(folder, "team", "bob", "none")["team"] is None
    assert account(folder, "team", "eve", "badgers", **size).is_one_sentence
    assert account(folder, "team", "bob", "../x", **size).is_one_sentence
    assert account(folder, "password", "badgers").is_one_sentence
    assert account(folder, "role", "badgers", "organiser").is_one_sentence


def test_a_sheet_for_grades_has_a_line_for_each_contestant(folder: Path, ladder: Ladder) -> None:
    with ladder.database.write() as session:
        enter(session, "Trotter", owner="ada")
    come(ladder, secret_in(done(folder, "invite", "--name", "ada", "--note", "No. 17")))
    come(ladder, secret_in(done(folder, "invite", "--note", "No. 4")), "bob")
    ada, bob = csv.DictReader(io.StringIO(done(folder, "grades", "hearts")))
    assert [ada[name] for name in ("account", "note", "place", "bot")] == ["ada", "No. 17", "1", "Trotter"]
    assert [bob[name] for name in ("account", "note", "place", "bot")] == ["bob", "No. 4", "", ""]
    assert [row["account"] for row in value(folder, "grades", "hearts")] == ["ada", "bob"]
    assert account(folder, "grades", "whist").is_one_sentence
