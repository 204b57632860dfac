"""A person downloads what the ladder knows, renames the account and deletes it: on its own page, with the password."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts import managing
from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from ladder.store.account_names import account_of
from ladder.values.accounts import LOCAL, Role
from tests.ladder.accounts import add_person, session_of
from tests.ladder.ladders import NOW, enter, new_ladder
from tests.ladder.site.person import BASE, PASSWORD, Person, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = "/me/account"
WAYS = ("data", "name", "deletion")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    managing.add_with_password(made, quick_passwords(), LOCAL, "ada", Role.CONTESTANT, PASSWORD)
    yield made
    made.database.close()


@pytest.fixture
def ada(ladder: Ladder) -> Person:
    person = Person(ladder)
    assert person.log_in("ada").status_code == 303
    return person


def is_there(ladder: Ladder, name: str) -> bool:
    with ladder.database.read() as session:
        return account_of(session, name) is not None


def test_the_file_has_what_is_known(ada: Person) -> None:
    answer = ada.send(PAGE, f"{PAGE}/data", password=PASSWORD)
    assert answer.headers["content-disposition"] == 'attachment; filename="account.json"'
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json()["tables"]["owners"][0]["name"] == "ada"


def test_an_account_is_renamed_and_stays_logged_in(ladder: Ladder, ada: Person) -> None:
    assert ada.send(PAGE, f"{PAGE}/name", password=PASSWORD, name=" countess ").status_code == 303
    assert "countess" in ada.get(PAGE).text
    assert not is_there(ladder, "ada")
    refused = ada.send(PAGE, f"{PAGE}/name", password=PASSWORD, name="ada")
    assert refused.status_code == 422
    assert "once in 30 days" in refused.text


def test_an_account_is_deleted_and_logged_out(ladder: Ladder, ada: Person) -> None:
    with ladder.database.write() as session:
        enter(session, "ada-bot", "gongzhu", owner="ada")
    assert "ada-bot" in ada.get(PAGE).text.partition("Delete the account")[2]
    refused = ada.send(PAGE, f"{PAGE}/deletion", password=PASSWORD, name="Ada")
    assert (refused.status_code, is_there(ladder, "ada")) == (422, True)
    answer = ada.send(PAGE, f"{PAGE}/deletion", password=PASSWORD, name="ada")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert not is_there(ladder, "ada")
    assert ada.get(PAGE).headers["location"].startswith("/login")
    assert ada.log_in("ada").status_code == 403
    assert "/o/deleted-" in ada.get("/b/ada-bot").text


@pytest.mark.parametrize("way", WAYS)
def test_without_the_password_nothing_is_done(ladder: Ladder, ada: Person, way: str) -> None:
    for password in ("", "wrong horse"):
        refused = ada.send(PAGE, f"{PAGE}/{way}", password=password, name="ada")
        assert refused.status_code == 403
        assert "The password is wrong." in refused.text
    assert is_there(ladder, "ada")


@pytest.mark.parametrize("way", WAYS)
def test_a_form_of_another_page_does_nothing(ladder: Ladder, ada: Person, way: str) -> None:
    assert ada.post(f"{PAGE}/{way}", password=PASSWORD, name="ada").status_code == 403
    sent = ada.ask("POST", f"{PAGE}/{way}", data={"password": PASSWORD}, headers={"Origin": "https://evil.test"})
    assert sent.status_code in (303, 403)
    assert is_there(ladder, "ada")


@pytest.mark.parametrize(("age", "status"), [(600, 303), (601, 403)])
def test_without_a_password_the_log_in_must_be_fresh(ladder: Ladder, age: float, status: int) -> None:
    add_person(ladder, "ben")
    person = Person(Ladder(ladder.settings, ladder.database, lambda: NOW + age))
    person.cookies.set("pigpen_session", session_of(ladder, "ben"), domain="site.test")
    answer = person.send(PAGE, f"{PAGE}/deletion", name="ben")
    assert answer.status_code == status
    assert is_there(ladder, "ben") == (status == 403)
    assert person.base == BASE


def test_passwords_are_not_tried_often(ada: Person) -> None:
    answers = [ada.send(PAGE, f"{PAGE}/data", password="wrong horse").status_code for _ in range(11)]
    assert answers == [403] * 10 + [429]
