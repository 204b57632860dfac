"""Studies: who may make, change, read and remove them, and their puzzles, which tell nothing before the answer."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from ladder.app.accounts import managing
from ladder.errors import LadderError, UserError
from ladder.people.review import studies
from ladder.people.review.studies import MAX_POSITIONS, MAX_STUDIES
from ladder.people.review.study_puzzles import NO_CARD, NOT_CLEAR, answer_study_puzzle, judge, mark_puzzle
from ladder.settings.settings import load_settings
from ladder.store.account_models import AuditEntry
from ladder.store.commands.puzzles import keep_puzzles
from ladder.store.computing_models import StoredPuzzle, StoredPuzzleAnswer
from ladder.store.queries import puzzles as puzzle_queries
from ladder.store.study_models import StudyPosition
from ladder.values.accounts import LOCAL, Role, Viewer
from ladder.values.people import TableVisitor
from ladder.values.studies import MAX_TITLE, StudiedPosition
from pigpen.rules import PRESETS
from referee.replay.position import Position
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.computing_here import compute_all, computed
from tests.ladder.ladders import NOW, new_ladder
from tests.ladder.puzzles import made_up
from tests.ladder.site.person import Person, Program
from tests.ladder.studies import ADA, CLEAR, GONGZHU, HEARTS, Clear, add_to, as_puzzle, new_study

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

pytestmark = pytest.mark.usefixtures("few_playouts")
BEN, OLGA = Viewer("ben"), Viewer("olga", is_organiser=True)
GUEST = TableVisitor(guest="a guest")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    for name, role in (("ada", Role.CONTESTANT), ("ben", Role.CONTESTANT), ("olga", Role.ORGANISER)):
        add_person(made, name, role)
    yield made
    made.database.close()


def person(ladder: Ladder, name: str = "") -> Person:
    """A browser, logged in to an account or not."""
    made = Person(ladder)
    if name:
        made.cookies.set("pigpen_session", session_of(ladder, name))
    return made


def test_a_study_is_made_filled_from_the_analysis_board_and_read_by_all(ladder: Ladder) -> None:
    ada = person(ladder, "ada")
    made = ada.send("/studies", title="Moons <b>", public="1")
    assert made.status_code == 303
    place = made.headers["location"]
    assert re.fullmatch(r"/studies/[\w-]{12}", place), "it cannot be guessed"
    board = ada.get(f"/analysis/gongzhu?{GONGZHU.query}").text
    add = unescape(re.findall(r'class="button study" href="([^"]+)"', board)[0])
    first = ada.send(add, study=place.rpartition("/")[2], title="The lead", comment="Line one\r\nline <i>two</i>")
    assert first.headers["location"].startswith(f"{place}#p")
    ada.send(f"/analysis/hearts/study?{HEARTS.query}", study=place.rpartition("/")[2])
    page = person(ladder).get(place).text
    assert "Moons &lt;b&gt;" in page
    assert "Line one\nline &lt;i&gt;two&lt;/i&gt;" in page
    assert "Position 2" in page, "it has no title"
    assert unescape(page).count("/analysis/") >= 2
    assert "act=" not in page
    assert 'name="act"' not in page
    assert "/o/ada" not in page, "an account without bots has no such page"
    listed = person(ladder).get("/studies").text
    assert place in listed
    assert "Moons &lt;b&gt;" in listed


def test_from_the_board_a_new_study_is_made_at_once(ladder: Ladder) -> None:
    ada = person(ladder, "ada")
    address = f"/analysis/gongzhu/study?{GONGZHU.query}"
    missing = ada.send(address, study="", new="", title="kept as typed", public="0")
    assert missing.status_code == 422
    assert "kept as typed" in missing.text
    long = ada.send(address, study="", new="Endings", title="x" * (MAX_TITLE + 1))
    assert (long.status_code, studies.own_studies(ladder, ADA)) == (422, ()), "no empty study is left"
    made = ada.send(address, study="", new="Endings", public="0")
    (row,) = studies.own_studies(ladder, ADA)
    assert made.headers["location"].startswith(f"/studies/{row.name}#p")
    assert (row.title, row.public, row.positions) == ("Endings", False, 1)


def test_positions_that_are_none_are_refused(ladder: Ladder) -> None:
    ada = person(ladder, "ada")
    for wrong in ("hands=", f"hands={GONGZHU.hands}&moves=2C", "hands=AK..._..._..._..."):
        assert ada.get(f"/analysis/gongzhu/study?{wrong}").status_code == 422
    assert ada.get(f"/analysis/nothing/study?{GONGZHU.query}").status_code == 404


def test_a_study_that_is_not_public_is_found_by_its_address_alone(ladder: Ladder) -> None:
    name = new_study(ladder, "Secret", public=False)
    assert "Secret" not in person(ladder).get("/studies").text
    assert Program(ladder).ask("GET", "/studies").json()["studies"] == []
    assert "Secret" in person(ladder).get(f"/studies/{name}").text
    assert "Secret" in person(ladder, "ada").get("/studies").text, "it is hers"
    studies.change_study(ladder, ADA, name, "Open", True)
    assert "Open" in person(ladder).get("/studies").text


def test_newer_studies_come_first_some_at_a_time(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "LISTED", 2)
    for number in range(5):
        new_study(ladder, f"Study {number}", public=number != 3)
    found, seen = studies.studies(ladder), []
    seen += [row.title for row in found.studies]
    while found.next:
        found = studies.studies(ladder, found.next)
        seen += [row.title for row in found.studies]
    assert seen == ["Study 4", "Study 2", "Study 1", "Study 0"]
    page = person(ladder).get("/studies").text
    older = re.findall(r'rel="next" href="([^"]+)"', page)[0]
    assert "Study 1" in person(ladder).get(older).text


def test_positions_are_moved_changed_and_removed(ladder: Ladder) -> None:
    name = new_study(ladder)
    numbers = [add_to(ladder, name, GONGZHU, title) for title in "abc"]

    def order() -> str:
        page = studies.study_page(ladder, ADA, GUEST, name)
        return "".join(entry.title for entry in page.entries)

    ada = person(ladder, "ada")
    ada.send(f"/studies/{name}", f"/studies/{name}/{numbers[2]}/edit", act="up")
    assert order() == "acb"
    ada.send(f"/studies/{name}", f"/studies/{name}/{numbers[0]}/edit", act="up")
    assert order() == "acb", "it is the first"
    ada.send(f"/studies/{name}", f"/studies/{name}/{numbers[0]}/edit", act="down")
    assert order() == "cab"
    ada.send(f"/studies/{name}", f"/studies/{name}/{numbers[1]}/edit", act="down")
    assert order() == "cab", "it is the last"
    ada.send(f"/studies/{name}", f"/studies/{name}/{numbers[2]}/edit", act="remove")
    assert order() == "ab"
    ada.send(f"/studies/{name}", f"/studies/{name}/{numbers[0]}/edit", act="save", title="A", comment="猪")
    first = studies.study_page(ladder, ADA, GUEST, name).entries[0]
    assert (first.title, first.comment) == ("A", "猪")
    assert ada.send(f"/studies/{name}", f"/studies/{name}/99/edit", act="up").status_code == 404
    again = add_to(ladder, name, HEARTS, "d")
    assert again > max(numbers), "an address never leads to another position"


def test_others_change_nothing_and_organisers_remove(ladder: Ladder) -> None:
    name = new_study(ladder)
    number = add_to(ladder, name, GONGZHU)
    for other in (BEN, OLGA):
        for act in (
            lambda who: studies.change_study(ladder, who, name, "Mine", True),
            lambda who: studies.add_position(ladder, who, name, HEARTS.position, "", ""),
            lambda who: studies.change_position(ladder, who, name, number, "x", ""),
            lambda who: studies.move_position(ladder, who, name, number, True),
            lambda who: studies.remove_position(ladder, who, name, number),
            lambda who: judge(ladder, who, name, number, ""),
        ):
            with pytest.raises(LadderError, match="no such study"):
                act(other)
    with pytest.raises(LadderError, match="no such study"):
        studies.remove_study(ladder, BEN, name)
    olga = person(ladder, "olga")
    page = olga.get(f"/studies/{name}").text
    assert "Delete the study" in page
    assert 'name="act"' not in page
    assert olga.send(f"/studies/{name}", f"/studies/{name}/removal").status_code == 303
    assert olga.get(f"/studies/{name}").status_code == 200, "she was not sure"
    olga.send(f"/studies/{name}", f"/studies/{name}/removal", sure="1")
    assert olga.get(f"/studies/{name}").status_code == 404
    with ladder.database.read() as session:
        assert session.scalar(select(func.count(StudyPosition.id))) == 0
        entry = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
        assert entry is not None
        assert (entry.actor, entry.action, entry.details["owner"]) == ("olga", "study.remove", "ada")


def test_studies_of_a_disabled_account_are_hidden_from_all_but_organisers(ladder: Ladder) -> None:
    name = new_study(ladder)
    managing.disable(ladder, LOCAL, "ada", "spam")
    assert person(ladder, "ben").get(f"/studies/{name}").status_code == 404
    assert Program(ladder).ask("GET", f"/studies/{name}").status_code == 404
    assert "Moons" not in person(ladder).get("/studies").text
    assert "Delete the study" in person(ladder, "olga").get(f"/studies/{name}").text
    managing.enable(ladder, LOCAL, "ada")
    assert person(ladder).get(f"/studies/{name}").status_code == 200


def test_an_account_has_so_many_studies_and_a_study_so_many_positions(ladder: Ladder) -> None:
    names = [new_study(ladder) for _ in range(MAX_STUDIES)]
    with pytest.raises(UserError, match="as many studies"):
        new_study(ladder)
    new_study(ladder, author=BEN)
    full = person(ladder, "ada").send("/studies", title="One more", public="1")
    assert (full.status_code, "as many studies" in full.text) == (422, True)
    for _ in range(MAX_POSITIONS):
        add_to(ladder, names[0], GONGZHU)
    with pytest.raises(UserError, match="as many positions"):
        add_to(ladder, names[0], GONGZHU)
    assert person(ladder).get(f"/studies/{names[0]}").status_code == 200


@pytest.mark.parametrize("given", CLEAR, ids=lambda given: given.variant)
def test_a_puzzle_tells_nothing_before_its_answer_and_then_why(ladder: Ladder, given: Clear) -> None:
    name = new_study(ladder)
    first = add_to(ladder, name, given, "What now?", "It is obvious.")
    later = Position.parse(PRESETS[given.variant], given.hands.split("_"), f"{given.moves}_{given.right}", 3)
    second = studies.add_position(ladder, ADA, name, later, "After it", "Told you.")
    ada = person(ladder, "ada")
    place = f"/studies/{name}/{first}"
    assert ada.get(f"{place}/puzzle").status_code == 503, "it is to be computed first, and no process does that here"
    compute_all(ladder)
    assert "says clearly" in ada.get(f"{place}/puzzle").text
    assert ada.send(f"{place}/puzzle").headers["location"] == f"/studies/{name}#p{first}"
    answers = [
        asked.text
        for visitor in (person(ladder), person(ladder, "ben"))
        for asked in (visitor.get(f"/studies/{name}"), visitor.get(place), visitor.get(f"/studies/{name}/{second}"))
    ]
    answers.append(Program(ladder).ask("GET", f"/studies/{name}").text)
    answers.append(Program(ladder, token_of(ladder, "ben")).ask("GET", f"/studies/{name}").text)
    for text in map(unescape, answers):
        for secret in ("obvious", "Told you", given.hands, given.moves, *given.hands.split("_")[1:], "behind"):
            assert secret not in text
    assert GONGZHU.hands in ada.get(f"/studies/{name}").text or given is HEARTS, "its author sees all"
    guest = person(ladder)
    assert guest.send(place, card="XX").status_code == 422
    assert guest.send(place, card=given.wrong).headers["location"] == place
    shown = unescape(guest.get(place).text)
    assert "Not the best card." in shown
    assert "It is obvious." in shown
    assert given.hands in shown, "the analysis board is linked"
    assert "estimate" in shown
    assert guest.send(place, card=given.right).status_code == 303
    assert "Not the best card." in guest.get(place).text, "the first answer counts"
    page = unescape(guest.get(f"/studies/{name}").text)
    assert "missed" in page
    assert "Told you." in page
    ben = person(ladder, "ben")
    ben.send(place, card=given.right)
    assert "Right." in ben.get(place).text
    value = Program(ladder, token_of(ladder, "ben")).ask("GET", f"/studies/{name}").json()
    assert [entry["hidden"] for entry in value["entries"]] == [False, False]
    puzzle = value["entries"][0]["puzzle"]
    assert (puzzle["is_right"], puzzle["tried"]["people"], puzzle["tried"]["people_right"]) == (True, 2, 1)


def test_only_a_clear_card_makes_a_puzzle(ladder: Ladder) -> None:
    name = new_study(ladder)
    passing = Position.parse(PRESETS["hearts"], HEARTS.hands.split("_"))
    opening = Position.parse(PRESETS["hearts"], HEARTS.hands.split("_"), "2C", 3)
    none, vague = (studies.add_position(ladder, ADA, name, each, "", "") for each in (passing, opening))
    ada = person(ladder, "ada")
    refused = ada.get(f"/studies/{name}/{none}/puzzle")
    assert (refused.status_code, NO_CARD in refused.text) == (422, True)
    assert ada.send(f"/studies/{name}", f"/studies/{name}/{vague}/puzzle").headers["location"].endswith("/puzzle")
    compute_all(ladder)
    page = ada.get(f"/studies/{name}/{vague}/puzzle").text
    assert NOT_CLEAR in page
    assert "<button" not in page.partition("<h1")[2].partition("</main>")[0]
    assert ada.send(f"/studies/{name}", f"/studies/{name}/{vague}/puzzle").status_code == 422
    with pytest.raises(LadderError):
        answer_study_puzzle(ladder, BEN, GUEST, name, vague, "2C")
    assert person(ladder).get(f"/studies/{name}/{vague}").headers["location"] == f"/studies/{name}#p{vague}"


def test_a_puzzle_of_a_study_is_in_no_list_and_no_streak_and_goes_with_it(ladder: Ladder) -> None:
    name = new_study(ladder)
    number = add_to(ladder, name, GONGZHU)
    as_puzzle(ladder, name, number)
    ben = TableVisitor("ben")
    answer_study_puzzle(ladder, BEN, ben, name, number, GONGZHU.right)
    with ladder.database.write() as session:
        (puzzle,) = session.scalars(select(StoredPuzzle.id))
        assert puzzle_queries.known_puzzle(session, puzzle) is None
        assert puzzle_queries.next_puzzle(session, "gongzhu", "") is None
        assert puzzle_queries.streak_of(session, "account ben") == 0
        keep_puzzles(session, 99, [made_up()], NOW)
        assert session.get(StoredPuzzle, puzzle) is not None
    assert person(ladder).get(f"/puzzle/{puzzle}").status_code == 404
    ada = person(ladder, "ada")
    ada.send(f"/studies/{name}", f"/studies/{name}/{number}/edit", act="open")
    assert GONGZHU.hands in unescape(person(ladder).get(f"/studies/{name}").text)
    with ladder.database.read() as session:
        assert session.scalar(select(func.count()).select_from(StoredPuzzleAnswer)) == 0
        assert session.scalar(select(func.count(StoredPuzzle.id))) == 0
    as_puzzle(ladder, name, number)
    studies.remove_study(ladder, ADA, name)
    with ladder.database.read() as session:
        assert session.scalar(select(func.count(StoredPuzzle.id))) == 0


def test_from_the_board_a_position_is_added_as_a_puzzle(ladder: Ladder) -> None:
    name = new_study(ladder)
    ada = person(ladder, "ada")
    added = ada.send(f"/analysis/gongzhu/study?{GONGZHU.query}", study=name, puzzle="1")
    assert re.fullmatch(rf"/studies/{name}/\d+/puzzle", added.headers["location"])


def test_a_position_that_the_ladder_does_not_play_any_more_is_said_to_be_so(ladder: Ladder) -> None:
    name = new_study(ladder)
    add_to(ladder, name, GONGZHU, comment="still readable")
    with ladder.database.write() as session:
        session.scalars(select(StudyPosition)).one().variant = "gone-variant"
    page = person(ladder).get(f"/studies/{name}")
    assert page.status_code == 200
    assert "still readable" in page.text
    assert 'class="diagram' not in page.text
    assert "/analysis/gone-variant" not in page.text


def test_an_export_is_the_value_of_the_api_and_leads_back_to_the_same_position(ladder: Ladder) -> None:
    name = new_study(ladder)
    number = add_to(ladder, name, HEARTS, "t", "c")
    as_puzzle(ladder, name, number)
    page = person(ladder, "ada").get(f"/studies/{name}").text
    address = re.findall(r'href="([^"]+)" download="study-', page)[0]
    value = person(ladder, "ada").get(address).json()
    (entry,) = value["entries"]
    assert (value["owner"], entry["title"], entry["comment"], entry["hidden"]) == ("ada", "t", "c", False)
    stored = StudiedPosition(**entry["position"])
    assert studies.position_in_study(ladder, entry["variant"], stored) == HEARTS.position
    assert computed(ladder, lambda: judge(ladder, ADA, name, number, "")).puzzle is not None


def test_marking_twice_keeps_the_answers(ladder: Ladder) -> None:
    name = new_study(ladder)
    number = add_to(ladder, name, GONGZHU)
    as_puzzle(ladder, name, number)
    answer_study_puzzle(ladder, BEN, TableVisitor("ben"), name, number, GONGZHU.wrong)
    mark_puzzle(ladder, ADA, name, number, "")
    page = studies.study_page(ladder, BEN, TableVisitor("ben"), name)
    assert page.entries[0].puzzle is not None
    assert page.entries[0].puzzle.is_right is False
