"""Names that people type for bots, versions, variants and matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.errors import LadderError
from ladder.store import models
from ladder.store.database import Database
from ladder.store.lookup import find_match, find_stored_bot, find_variant, find_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.orm import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Trotter with two versions, of which only the first plays hearts, and Snout."""
    database = Database(f"sqlite:///{tmp_path / 'ladder.db'}")
    models.Base.metadata.create_all(database.engine)
    with database.write() as session:
        session.add_all(models.Variant(name=name, rules={}, added=1.0) for name in ("gongzhu", "hearts"))
        session.add(models.Owner(id=1, name="ada", added=1.0))
        session.flush()
        for bot, name in ((1, "Trotter"), (2, "Snout")):
            session.add(models.StoredBot(id=bot, name=name, owner_id=1, added=1.0))
        session.flush()
        for number, bot in ((1, 1), (2, 1), (1, 2)):
            session.add(
                models.Version(
                    bot_id=bot, number=number, identity=f"sha256:{bot}{number}", sandbox="process", source="./bot",
                    size=1, added=1.0,
                )
            )  # fmt: skip
        session.flush()
        for variant, version in (("gongzhu", 1), ("hearts", 1), ("gongzhu", 2)):
            session.add(models.Rating(variant=variant, version_id=version, since=1.0, rating=1500.0))
    with database.read() as session:
        yield session
    database.close()


def complaint(function: object, *words: object) -> str:
    assert callable(function)
    with pytest.raises(LadderError) as caught:
        function(*words)
    return str(caught.value)


def test_a_bot_s_name_is_its_newest_version(session: Session) -> None:
    assert find_version(session, "Trotter").number == 2
    assert find_version(session, "Trotter@1").number == 1


def test_in_a_variant_only_what_was_entered_there_counts(session: Session) -> None:
    assert find_version(session, "Trotter", "gongzhu").number == 2
    assert find_version(session, "Trotter", "hearts").number == 1
    assert complaint(find_version, session, "Trotter@2", "hearts").endswith(" hearts; there is Trotter@1.")
    assert "Snout is not entered" in complaint(find_version, session, "Snout", "hearts")


@pytest.mark.parametrize("word", ["Trotter@3", "Trotter@", "Trotter@x", "Trotter@01"])
def test_a_version_that_is_not_there_brings_the_list_of_those_that_are(session: Session, word: str) -> None:
    assert complaint(find_version, session, word).endswith(f" {word}; there is Trotter@1, Trotter@2.")


@pytest.mark.parametrize(("word", "meant"), [("trotter", "Trotter"), ("Troter", "Trotter"), ("SNOUTS", "Snout")])
def test_a_name_like_another_one_brings_it_to_mind(session: Session, word: str, meant: str) -> None:
    assert complaint(find_stored_bot, session, word).endswith(f" Did you mean {meant}?")


def test_a_name_like_no_other_one_brings_the_command_that_lists_all(session: Session) -> None:
    assert complaint(find_version, session, "x").endswith(": pigpen bots")


def test_an_unknown_variant_brings_those_that_are_played(session: Session) -> None:
    assert find_variant(session, "hearts").name == "hearts"
    assert complaint(find_variant, session, "heart").endswith("'heart'. It plays gongzhu, hearts.")


def test_a_match_that_is_not_there_brings_the_newest_one(session: Session) -> None:
    assert "no match 7 on" in complaint(find_match, session, 7)
    session.add(
        models.StoredMatch(id=5, variant="hearts", format="boards:1", clock={}, seed="00", commitment="11", added=1.0)
    )
    session.flush()
    assert find_match(session, 5).variant == "hearts"
    for number in (7, 0, -1, 2**70):
        assert complaint(find_match, session, number).endswith("the newest one is 5.")
