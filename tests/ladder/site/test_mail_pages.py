"""A person gives an address, confirms it, forgets the password, and ends letters: on pages, and by links in letters."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app import personal_data
from ladder.app.accounts import mail, managing, registering, sessions
from ladder.app.accounts.mail import MAX_ASKED, MAX_PASSWORDS
from ladder.app.ladder import Ladder
from ladder.errors import LadderError
from ladder.settings.settings import load_settings
from ladder.site.server.attempts import LIMITS, Attempt
from ladder.store.account_models import AuditEntry
from ladder.store.commands.letters import post_notice
from ladder.store.mail_models import Letter, MailAddress
from ladder.store.models import Owner
from ladder.values.accounts import LOCAL, Role
from ladder.values.mail import NOTICES, USUAL_NOTICES, LetterKind
from tests.ladder.ladders import NOW, new_ladder
from tests.ladder.mail.outbox import link_in, sent
from tests.ladder.mail.servers import SITE, mail_settings
from tests.ladder.site.person import PASSWORD, Person, Program, quick_passwords
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import EmailMessage
    from pathlib import Path

PAGE = "/me/account"
ADA = "ada@mail.example"
HOUR = 3600.0


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def ladder(tmp_path: Path, clock: Time) -> Iterator[Ladder]:
    made = new_ladder(mail_settings(tmp_path, 25))
    made = Ladder(made.settings, made.database, clock)
    for name, role in (("ada", Role.CONTESTANT), ("ben", Role.CONTESTANT), ("olga", Role.ORGANISER)):
        managing.add_with_password(made, quick_passwords(), LOCAL, name, role, PASSWORD)
    yield made
    made.database.close()


@pytest.fixture
def ada(ladder: Ladder) -> Person:
    return person(ladder, "ada")


def person(ladder: Ladder, name: str = "", app: Person | None = None, address: str = "192.0.2.7") -> Person:
    made = Person(ladder, app.app if app else None, address=address)
    if name:
        assert made.log_in(name).status_code == 303
    return made


def give(ada: Person, address: str = ADA, password: str = PASSWORD) -> int:
    return ada.send(PAGE, f"{PAGE}/mail", address=address, password=password).status_code


def confirm(ladder: Ladder, visitor: Person) -> None:
    *_, letter = sent(ladder)
    use(visitor, letter)


def use(visitor: Person, letter: EmailMessage) -> None:
    """Confirm the address to which a letter went."""
    assert follow(visitor, letter) == 200


def follow(visitor: Person, letter: EmailMessage) -> int:
    """Try that; gives the status of the answer."""
    link = link_in(letter, "mail/confirm")
    return visitor.send(link, "/mail/confirm", link=link.partition("link=")[2]).status_code


def address_of(ladder: Ladder, name: str = "ada") -> str | None:
    found = mail.mail_of(ladder, LOCAL, name)
    return found.address if found else None


def test_without_the_setting_there_is_nothing_of_it(tmp_path: Path) -> None:
    made = new_ladder(load_settings(data_dir=tmp_path))
    managing.add_with_password(made, quick_passwords(), LOCAL, "ada", Role.CONTESTANT, PASSWORD)
    ada = person(made, "ada")
    assert 'id="mail"' not in ada.get(PAGE).text
    assert give(ada) == 422
    assert ada.get("/login/forgotten").status_code == 404
    assert "/login/forgotten" not in person(made, app=ada).get("/login").text
    assert "e-mail" not in ada.get("/privacy").text
    made.database.close()


def test_an_address_counts_when_it_is_confirmed(ladder: Ladder, ada: Person) -> None:
    assert 'id="mail"' in ada.get(PAGE).text
    assert give(ada) == 303
    assert address_of(ladder) is None
    assert f"{ADA} waits for its confirmation" in ada.get(PAGE).text
    (letter,) = sent(ladder)
    assert letter["To"] == ADA
    link = link_in(letter, "mail/confirm")
    phone = person(ladder, app=ada)
    for _ in range(2):  # a mail server opens it, too
        shown = phone.get(link)
        assert (shown.status_code, "ada" in shown.text, ADA in shown.text) == (200, True, True)
    assert address_of(ladder) is None
    done = phone.send(link, "/mail/confirm", link=link.partition("link=")[2])
    assert (done.status_code, "is confirmed" in done.text) == (200, True)
    assert address_of(ladder) == ADA
    assert f"Letters go to {ADA}" in ada.get(PAGE).text
    assert phone.get(link).status_code == 404
    assert phone.post("/mail/confirm", csrf="", link=link.partition("link=")[2]).status_code == 404


@pytest.mark.parametrize("address", ["", "ada", "ada@mail.example\r\nBcc: eve@evil.example", "a b@mail.example"])
def test_what_is_no_address_is_refused(ladder: Ladder, ada: Person, address: str) -> None:
    assert give(ada, address) == 422
    assert not sent(ladder)


def test_an_address_needs_the_password(ladder: Ladder, ada: Person) -> None:
    for way in ("", "/removal"):
        refused = ada.send(PAGE, f"{PAGE}/mail{way}", address=ADA, password="wrong horse")
        assert refused.status_code == 403
    assert not sent(ladder)


def test_a_link_ends_after_a_day_or_with_the_next_one(ladder: Ladder, ada: Person, clock: Time) -> None:
    give(ada, "old@mail.example")
    (first,) = sent(ladder)
    give(ada)
    (second,) = sent(ladder)
    assert ada.get(link_in(first, "mail/confirm")).status_code == 404
    assert ada.get(link_in(second, "mail/confirm")).status_code == 200
    clock.now += 24 * HOUR + 1
    assert ada.get(link_in(second, "mail/confirm")).status_code == 404


def test_another_address_is_told_to_the_one_before(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    give(ada, "new@mail.example")
    assert address_of(ladder) == ADA
    asked, link = sent(ladder)
    assert (asked["To"], "new@mail.example" in str(asked), link["To"]) == (ADA, False, "new@mail.example")
    assert (asked["List-Unsubscribe"], link_in(asked, "login")) == (None, WAY_OUT)
    use(ada, link)
    assert address_of(ladder) == "new@mail.example"
    (letter,) = sent(ladder)
    assert letter["To"] == ADA
    assert "new@mail.example" not in str(letter)
    assert ada.send(PAGE, f"{PAGE}/mail/removal", password=PASSWORD).status_code == 303
    (letter,) = sent(ladder)
    assert letter["To"] == "new@mail.example"
    assert mail.mail_of(ladder, LOCAL, "ada") is None


def test_a_warning_comes_whatever_is_changed_after_it(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    change_on_page(ladder, ada)
    assert give(ada, "new@mail.example", ANOTHER) == 303
    link = mail.secret_of(mail.key_of(ladder), mail.CONFIRMATION, waiting_salt(ladder))
    assert ada.send(f"/mail/confirm?link={link}", "/mail/confirm", link=link).status_code == 200
    assert ada.send(PAGE, f"{PAGE}/mail/removal", password=ANOTHER).status_code == 303
    warned = [(letter["To"], WAY_OUT in letter.get_content()) for letter in sent(ladder)]
    assert warned == [(ADA, True), (ADA, True), (ADA, False), ("new@mail.example", False)]


def waiting_salt(ladder: Ladder) -> str:
    """Give what the link follows from that is in a letter which is not sent yet."""
    with ladder.database.read() as session:
        waits = Letter.kind == LetterKind.CONFIRM, Letter.status == "queued"
        return str(session.scalars(select(Letter).where(*waits)).one().data["salt"])


ANOTHER = "another horse entirely"
WAY_OUT = "/login/forgotten"
"""In letters about a new password, or an address that waits, and not in those about a new address."""


def change_on_page(ladder: Ladder, ada: Person) -> None:
    assert ada.send(PAGE, f"{PAGE}/password", old=PASSWORD, new=ANOTHER).status_code == 200


def change_by_organisers_link(ladder: Ladder, ada: Person) -> None:
    secret = registering.new_password(ladder, LOCAL, "ada").secret
    page = f"/register?invitation={secret}"
    assert ada.send(page, "/register", name="ada", password=ANOTHER, invitation=secret).status_code == 303


def change_by_letter(ladder: Ladder, ada: Person) -> None:
    visitor = person(ladder, app=ada)
    forget(visitor, "ada")
    (letter,) = sent(ladder)
    link = link_in(letter, "register")
    secret = link.partition("invitation=")[2]
    assert visitor.send(link, "/register", name="ada", password=ANOTHER, invitation=secret).status_code == 303


@pytest.mark.parametrize("change", [change_on_page, change_by_organisers_link, change_by_letter])
def test_another_password_is_told_to_the_confirmed_address(
    ladder: Ladder, ada: Person, change: Callable[[Ladder, Person], None]
) -> None:
    give(ada)
    confirm(ladder, ada)
    mail.choose(ladder, LOCAL, "ada", [], "en")
    give(ada, "new@mail.example")
    sent(ladder)
    change(ladder, ada)
    (letter,) = sent(ladder)
    assert (letter["To"], letter["List-Unsubscribe"]) == (ADA, None)
    assert link_in(letter, "login") == WAY_OUT
    assert ANOTHER not in letter.get_content()


def revoke_on_page(ladder: Ladder, ada: Person) -> None:
    assert ada.send(PAGE, f"{PAGE}/revoke").status_code == 303


def revoke_by_organiser(ladder: Ladder, ada: Person) -> None:
    sessions.revoke_every(ladder, LOCAL, "ada")


def disable_for_a_while(ladder: Ladder, ada: Person) -> None:
    managing.disable(ladder, LOCAL, "ada", "Her laptop was stolen.")
    managing.enable(ladder, LOCAL, "ada")


SAFE_AGAIN = [
    change_on_page, change_by_organisers_link, change_by_letter, revoke_on_page, revoke_by_organiser,
    disable_for_a_while,
]  # fmt: skip
"""Ways to keep out a person who has known the password, or has had a session."""


@pytest.mark.parametrize("is_sent", [True, False])
@pytest.mark.parametrize(
    ("change", "has_address"),
    [(change, has) for change in SAFE_AGAIN for has in (True, False) if has or change is not change_by_letter],
)
def test_an_address_that_waits_is_forgotten_with_the_old_password(
    ladder: Ladder, ada: Person, change: Callable[[Ladder, Person], None], has_address: bool, is_sent: bool
) -> None:
    if has_address:
        give(ada)
        confirm(ladder, ada)
    thief = person(ladder, "ada", ada, "203.0.113.66")
    give(thief, "evil@mail.example")
    secret = mail.secret_of(mail.key_of(ladder), mail.CONFIRMATION, waiting_salt(ladder))
    if is_sent or change is change_by_letter:
        sent(ladder)
    change(ladder, ada)
    assert "evil@mail.example" not in [letter["To"] for letter in sent(ladder)]
    found = mail.mail_of(ladder, LOCAL, "ada")
    assert (found and found.pending, address_of(ladder)) == (None, ADA if has_address else None)
    assert thief.get(f"/mail/confirm?link={secret}").status_code == 404
    with pytest.raises(LadderError):
        mail.confirm(ladder, secret, "203.0.113.66")
    forget(person(ladder, app=ada), "ada")
    assert [letter["To"] for letter in sent(ladder)] == ([ADA] if has_address else [])
    ada = person(ladder, app=ada)
    if ada.log_in("ada").status_code != 303:
        assert ada.log_in("ada", ANOTHER).status_code == 303
    assert "evil@mail.example" not in ada.get(PAGE).text


def test_a_link_that_waits_stays_good_when_a_session_or_another_account_ends(ladder: Ladder, ada: Person) -> None:
    give(ada)
    (letter,) = sent(ladder)
    change_on_page(ladder, person(ladder, "ben", ada))
    phone = person(ladder, "ada", ada)
    assert phone.send(PAGE, "/logout").status_code == 303
    use(ada, letter)
    assert address_of(ladder) == ADA


def test_a_warning_comes_only_if_the_address_is_another_one(ladder: Ladder, ada: Person) -> None:
    give(ada)
    assert [letter["To"] for letter in sent(ladder)] == [ADA], "none is confirmed yet"
    give(ada)
    confirm(ladder, ada)
    give(ada, ADA.upper())
    assert [letter["To"] for letter in sent(ladder)] == [ADA.upper()]


def move(ladder: Ladder, ada: Person) -> None:
    give(ada, "new@mail.example")
    confirm(ladder, ada)


def remove_on_page(ladder: Ladder, ada: Person) -> None:
    assert ada.send(PAGE, f"{PAGE}/mail/removal", password=PASSWORD).status_code == 303


def remove_by_organiser(ladder: Ladder, ada: Person) -> None:
    mail.remove(ladder, LOCAL, "ada")


LINK_ENDERS = [
    change_on_page, change_by_organisers_link, change_by_letter, move, remove_on_page, remove_by_organiser
]  # fmt: skip


@pytest.mark.parametrize("is_sent", [True, False])
@pytest.mark.parametrize("change", LINK_ENDERS)
def test_links_for_a_password_end_with_the_password_and_with_the_address(
    ladder: Ladder, ada: Person, change: Callable[[Ladder, Person], None], is_sent: bool
) -> None:
    give(ada)
    confirm(ladder, ada)
    for _ in range(2):
        forget(person(ladder, app=ada), "ada")
    with ladder.database.write() as session:
        mail.answer_requests(session, mail.key_of(ladder), ladder.clock())
    secrets = waiting_secrets(ladder)
    assert len(secrets) == 2
    if is_sent or change in (change_by_letter, move):
        sent(ladder)
    change(ladder, ada)
    assert not [letter for letter in sent(ladder) if "invitation=" in letter.get_content()]
    thief, visit = person(ladder, app=ada, address="203.0.113.66"), sessions.Visit("203.0.113.66", "a browser")
    for secret in secrets:
        assert thief.get(f"/register?invitation={secret}").status_code == 403
        with pytest.raises(LadderError):
            registering.register(ladder, quick_passwords(), "ada", "a third horse", secret, visit)


def waiting_secrets(ladder: Ladder) -> list[str]:
    """Give the secrets of links for a new password that no letter has been sent with yet."""
    key = mail.key_of(ladder)
    with ladder.database.read() as session:
        waits = Letter.kind == LetterKind.PASSWORD, Letter.status == "queued"
        salts = [str(row.data["salt"]) for row in session.scalars(select(Letter).where(*waits))]
    return [mail.secret_of(key, sessions.INVITATION, salt) for salt in salts]


def test_the_same_address_again_and_a_first_one_end_no_links(ladder: Ladder, ada: Person) -> None:
    organisers = registering.new_password(ladder, LOCAL, "ada").secret
    give(ada)
    confirm(ladder, ada)
    forget(person(ladder, app=ada), "ada")
    (letter,) = sent(ladder)
    give(ada)
    confirm(ladder, ada)
    assert ada.get(link_in(letter, "register")).status_code == 200
    move(ladder, ada)
    assert ada.get(link_in(letter, "register")).status_code == 403
    assert ada.get(f"/register?invitation={organisers}").status_code == 200, "it was not sent to an address"
    change_on_page(ladder, ada)
    assert ada.get(f"/register?invitation={organisers}").status_code == 403


def test_no_letter_goes_where_none_can(ladder: Ladder, ada: Person) -> None:
    give(ada)
    sent(ladder)
    change_on_page(ladder, ada)
    assert not sent(ladder), "the address is not confirmed"


def test_a_refused_or_first_password_is_no_change(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    assert ada.send(PAGE, f"{PAGE}/password", old="wrong horse", new=ANOTHER).status_code == 403
    managing.add_with_password(ladder, quick_passwords(), LOCAL, "cara", Role.CONTESTANT, PASSWORD)
    assert not sent(ladder)


def test_strangers_addresses_get_few_letters(ladder: Ladder, ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    network, of_account, seconds = LIMITS[Attempt.MAIL_TO]
    monkeypatch.setitem(LIMITS, Attempt.MAIL_FROM_ALL, (network, of_account + 1, seconds))
    for number in range(of_account):
        assert give(ada, f"Eve+{number}@mail.example") == 303
    assert give(ada, "eve@Mail.Example") == 429
    assert give(ada, "frank@mail.example") == 303
    assert give(ada, "grace@mail.example") == 429, "an account may give five a day"
    ben = person(ladder, "ben", ada, "198.51.100.9")
    assert give(ben, "eve@mail.example") == 303, "a stranger uses up its own letters alone"
    assert give(ben, "EVE@mail.example") == 429, "a mailbox gets a number in all"
    assert give(ben, "ben@mail.example") == 303


def forget(visitor: Person, asked: str) -> str:
    answer = visitor.send("/login/forgotten", asked=asked)
    assert answer.status_code == 200
    return re.sub(r'value="[0-9a-f]+"', "", answer.text)


@pytest.mark.parametrize("asked", ["ada", ADA, ADA.upper(), " ada "])
def test_a_forgotten_password_is_set_by_a_link(ladder: Ladder, ada: Person, asked: str) -> None:
    give(ada)
    confirm(ladder, ada)
    visitor = person(ladder, app=ada)
    forget(visitor, asked)
    (letter,) = sent(ladder)
    assert letter["To"] == ADA
    link = link_in(letter, "register")
    assert "Set a new password" in visitor.get(link).text
    invitation = link.partition("invitation=")[2]
    done = visitor.send(link, "/register", name="ada", password=ANOTHER, invitation=invitation)
    assert done.status_code == 303
    assert ada.get(PAGE).headers["location"].startswith("/login"), "sessions have ended"
    assert person(ladder, app=ada).log_in("ada").status_code == 403
    assert person(ladder, app=ada).log_in("ada", ANOTHER).status_code == 303
    assert visitor.get(link).status_code == 403, "it works once"


def test_the_link_ends_after_an_hour(ladder: Ladder, ada: Person, clock: Time) -> None:
    give(ada)
    confirm(ladder, ada)
    forget(person(ladder, app=ada), "ada")
    (letter,) = sent(ladder)
    clock.now += HOUR - 1
    assert ada.get(link_in(letter, "register")).status_code == 200
    clock.now += 2
    assert ada.get(link_in(letter, "register")).status_code == 403


def test_the_answer_is_the_same_for_all(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    managing.add_with_password(ladder, quick_passwords(), LOCAL, "cara", Role.CONTESTANT, PASSWORD)
    give(person(ladder, "cara", ada), "cara@mail.example")
    confirm(ladder, ada)
    managing.disable(ladder, LOCAL, "cara", "left")
    visitor = person(ladder, app=ada)
    answers = {forget(visitor, asked) for asked in ("ada", "ben", "cara", "no-one", "no-one@mail.example", "猪")}
    answers.add(forget(visitor, "a\0da"))
    assert len(answers) == 1
    with ladder.database.read() as session:
        rows = session.scalars(select(Letter).where(Letter.kind == LetterKind.FORGOTTEN)).all()
        assert len(rows) == 7
        assert {(row.owner_id, row.address, row.status) for row in rows} == {(None, None, "queued")}
    assert [letter["To"] for letter in sent(ladder)] == [ADA]
    with ladder.database.read() as session:
        assert not session.scalars(select(Letter).where(Letter.kind == LetterKind.FORGOTTEN)).all()


def test_a_class_with_one_address_gives_addresses_and_forgets_passwords(ladder: Ladder, ada: Person) -> None:
    names = [f"student-{number}" for number in range(25)]
    for name in names:
        managing.add_with_password(ladder, quick_passwords(), LOCAL, name, Role.CONTESTANT, PASSWORD)
        assert give(person(ladder, name, ada), f"{name}@mail.example") == 303
    visitor = person(ladder, app=ada)
    assert {visitor.send("/login/forgotten", asked=name).status_code for name in names} == {200}


def test_a_browser_that_is_known_asks_for_its_account_when_the_address_has_used_up_its_number(
    ladder: Ladder, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, Attempt.FORGOTTEN, (3, 5, 3600))
    student = person(ladder, app=ada)
    codes = [student.send("/login/forgotten", asked=f"name-{number}").status_code for number in range(4)]
    assert codes == [200] * 3 + [429]
    assert ada.send("/login/forgotten", asked="ada").status_code == 200
    assert ada.send("/login/forgotten", asked="ben").status_code == 429


def test_what_is_asked_for_has_a_length(ladder: Ladder, ada: Person) -> None:
    for length, status in ((0, 422), (MAX_ASKED - 1, 200), (MAX_ASKED, 200), (MAX_ASKED + 1, 422)):
        assert ada.send("/login/forgotten", asked="x" * length).status_code == status


def test_no_one_is_flooded_with_links_and_no_link_ends_another(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    for number in range(MAX_PASSWORDS + 2):
        forget(person(ladder, app=ada, address=f"198.51.{number}.7"), "ada")
    letters = sent(ladder)
    assert len(letters) == MAX_PASSWORDS
    assert all(ada.get(link_in(each, "register")).status_code == 200 for each in letters)
    visitor = person(ladder, app=ada, address="203.0.113.1")
    codes = [visitor.send("/login/forgotten", asked="ada").status_code for _ in range(7)]
    assert codes == [200] * 5 + [429] * 2


def test_links_name_the_site_of_the_settings_whatever_a_browser_says(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    answer = ada.ask(
        "POST", "/login/forgotten", data={"asked": "ada"},
        headers={"Host": "evil.example", "Origin": "http://evil.example", "X-Forwarded-Host": "evil.example"},
    )  # fmt: skip
    assert answer.status_code in (200, 403)
    forget(person(ladder, app=ada), "ada")
    for letter in sent(ladder):
        assert "evil" not in str(letter)


def test_a_stolen_database_opens_nothing(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    forget(person(ladder, app=ada), "ada")
    key = mail.key_of(ladder)
    with ladder.database.write() as session:
        mail.answer_requests(session, key, NOW)
    dump = " ".join(rows_of(ladder))
    (letter,) = sent(ladder)
    secret = link_in(letter, "register").partition("invitation=")[2]
    assert (secret in dump, key.hex() in dump) == (False, False)


def rows_of(ladder: Ladder) -> list[str]:
    from ladder.store.all_tables import all_tables

    with ladder.database.read() as session:
        return [str(row._mapping) for table in all_tables() for row in session.execute(table.select())]


def notice(ladder: Ladder, kind: LetterKind, key: str) -> None:
    data = {"event": "cup", "title": "The Cup", "bots": "Trotter", "number": 3, "bot": "Trotter", "status": "entered"}
    with ladder.database.write() as session:
        post_notice(session, kind, key, ladder.clock(), None, data | {"variant": "gongzhu", "reason": "x"})


@pytest.mark.parametrize("every", [False, True])
def test_a_letter_is_ended_by_its_link(ladder: Ladder, ada: Person, every: bool) -> None:
    give(ada)
    confirm(ladder, ada)
    notice(ladder, LetterKind.EVENT, "1")
    (letter,) = sent(ladder)
    link = link_in(letter, "mail/unsubscribe")
    visitor = person(ladder, app=ada)
    assert "an event begins" in visitor.get(link).text
    notice(ladder, LetterKind.EVENT, "2")
    assert len(sent(ladder)) == 1, "opening it ends nothing"
    assert visitor.post(link, **({"every": "1"} if every else {})).status_code == 200
    for kind in (LetterKind.EVENT, LetterKind.BOT_SUSPENDED):
        notice(ladder, kind, "3")
    assert [each["Subject"] for each in sent(ladder)] == ([] if every else ["Trotter is suspended"])


def test_a_mail_program_ends_a_letter_by_one_request(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    notice(ladder, LetterKind.EVENT, "1")
    (letter,) = sent(ladder)
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = letter["List-Unsubscribe"].strip("<>").removeprefix(SITE)
    program = person(ladder, app=ada)
    answer = asyncio.run(program._ask("POST", link, {"data": {"List-Unsubscribe": "One-Click"}}))
    assert answer.status_code == 200
    found = mail.mail_of(ladder, LOCAL, "ada")
    assert found is not None
    assert found.notices == tuple(kind for kind in USUAL_NOTICES if kind is not LetterKind.EVENT)


def test_a_link_ends_letters_of_one_account_and_kind_alone(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    ben = person(ladder, "ben", ada)
    give(ben, "ben@mail.example")
    confirm(ladder, ada)
    notice(ladder, LetterKind.EVENT, "1")
    mine = next(letter for letter in sent(ladder) if letter["To"] == ADA)
    link = link_in(mine, "mail/unsubscribe")
    with ladder.database.read() as session:
        numbers = dict(session.execute(select(Owner.name, Owner.id)).all())
    for forged in (
        link.replace(f"who={numbers['ada']}", f"who={numbers['ben']}"),
        link.replace("what=event", "what=suspended"),
        link.replace("what=event", "what=password"),
        link[:-1],
        f"{link}%E7%8C%AA",
        link.replace("what=event", "what=%0d%0a"),
    ):
        assert ada.post(forged).status_code == 404, forged
    for name in ("ada", "ben"):
        found = mail.mail_of(ladder, LOCAL, name)
        assert found is not None
        assert found.notices == USUAL_NOTICES
    assert ada.send(PAGE, f"{PAGE}/mail/removal", password=PASSWORD).status_code == 303
    assert ada.post(link).status_code == 404


def test_letters_and_their_language_are_chosen(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    chosen = {f"letter_{kind}": "on" for kind in (LetterKind.ROUND, LetterKind.DEADLINE)}
    assert ada.send(PAGE, f"{PAGE}/mail/choices", language="zh", **chosen).status_code == 303
    for kind in NOTICES:
        notice(ladder, kind, "1") if kind is not LetterKind.DEADLINE else None
    (letter,) = sent(ladder)
    assert letter["Subject"] == "The Cup：第 3 轮抽签已完成"
    page = ada.get(PAGE).text
    assert 'name="letter_round" checked' in page
    assert 'name="letter_event" checked' not in page


def test_no_one_else_sees_an_address(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    ben, olga = person(ladder, "ben", ada), person(ladder, "olga", ada)
    for visitor in (person(ladder, app=ada), ben, olga):
        for path in ("/", "/o/ada", "/me/account", "/admin", "/admin/audit", "/metrics", "/api/v1/me"):
            assert ADA not in visitor.get(path).text
    assert ADA not in Program(ladder, app=ada.app).ask("GET", "/owners/ada").text
    with ladder.database.read() as session:
        entries = session.scalars(select(AuditEntry).where(AuditEntry.action == "account.mail")).all()
        assert len(entries) == 2
        assert ADA not in " ".join(f"{each.subject} {each.details}" for each in entries)


def test_the_address_is_in_the_persons_data_and_goes_with_the_account(ladder: Ladder, ada: Person) -> None:
    give(ada)
    confirm(ladder, ada)
    give(ada, "new@mail.example")
    data = ada.send(PAGE, f"{PAGE}/data", password=PASSWORD).json()["tables"]
    (row,) = data["mail_addresses"]
    assert (row["address"], row["pending"], "salt" in row) == (ADA, "new@mail.example", False)
    assert {each["kind"] for each in data["mail_letters"]} == {"asked", "confirm"}
    personal_data.delete(ladder, LOCAL, "ada")
    with ladder.database.read() as session:
        assert not session.scalars(select(MailAddress)).all()
        assert not session.scalars(select(Letter)).all()


def test_privacy_names_the_server(ladder: Ladder, ada: Person) -> None:
    assert "127.0.0.1" in ada.get("/privacy").text
