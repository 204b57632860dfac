"""Variants in which a bot is entered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w

from ladder.entry.variants import choices, chosen_variants, outdated
from ladder.errors import BotRejected, LadderError
from ladder.store import models
from ladder.store.database import Database
from ladder.store.submission_look import look_at
from ladder.values.submission import VariantFile
from pigpen.rules import PRESETS, Rules
from referee.records.rules_file import RulesFileError, to_toml
from tests.ladder.databases import later_backend as backend
from tests.ladder.store.submitted import Fit
from tests.many_choices import WAYS, many_choices

__all__ = ["backend"]

GONGZHU = PRESETS["gongzhu"]
MINE = replace(GONGZHU, name="mine", title="Mine")


def enter(database: Database, *variants: Rules) -> None:
    with database.write() as session:
        Fit("Trotter", "ada", "sha256:1", "process", "mybot", 1).enter(session, variants)


def choose(database: Database, *words: str, bot: str = "Trotter", offered: tuple[str, ...] = ()) -> list[str]:
    with database.read() as session:
        return [rules.name for rules in chosen_variants(look_at(session, bot), choices(words), offered)]


def test_a_new_bot_plays_gongzhu_or_what_it_offers(database: Database) -> None:
    assert choose(database) == ["gongzhu"]
    assert choose(database, offered=("hearts", "gongzhu-five")) == ["hearts", "gongzhu-five"]


def test_a_known_bot_plays_what_it_played(database: Database) -> None:
    enter(database, PRESETS["hearts"], MINE)
    assert choose(database) == ["hearts", "mine"]
    assert choose(database, bot="Snout") == ["gongzhu"]


def test_words_name_presets_the_ladders_variants_and_files_each_once(database: Database, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(to_toml(MINE))
    file = str(tmp_path / "mine.toml")
    assert choose(database, "hearts", file, "hearts") == ["hearts", "mine"]
    enter(database, MINE)
    assert choose(database, "mine", file) == ["mine"]


def test_all_is_every_preset_and_every_variant_of_the_ladder(database: Database) -> None:
    enter(database, MINE)
    assert choose(database, "all") == [*PRESETS, "mine"]
    assert choose(database, "all", offered=("hearts",)) == ["hearts"]


def test_a_word_that_names_no_variant_is_a_mistake(database: Database) -> None:
    with pytest.raises(RulesFileError, match="no rules called 'herats'"):
        choose(database, "herats")


def test_C_10_no_bot_is_entered_in_a_variant_with_too_many_choices(database: Database, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(tomli_w.dumps(many_choices()))
    with pytest.raises(RulesFileError, match=f"mine.toml: passing.cards: {WAYS}"):
        choose(database, str(tmp_path / "mine.toml"))
    sent = VariantFile(file="mine.toml", rules=many_choices())  # what another machine has read
    with database.read() as session, pytest.raises(RulesFileError, match=f"^passing.cards: {WAYS}"):
        chosen_variants(look_at(session, "Trotter"), [sent], [])


def test_a_bot_is_not_entered_in_what_it_does_not_offer(database: Database) -> None:
    with pytest.raises(BotRejected, match=r"pigpen\.variants .* 'hearts', .* 'gongzhu'"):
        choose(database, "gongzhu", offered=("hearts",))


def test_what_an_image_says_is_quoted_in_printable_characters(database: Database) -> None:
    for offered in (("gongzhu\0",), ("hearts", "\x1b[31m")):
        for words in ((), ("gongzhu",)):
            with pytest.raises(BotRejected) as refused:
                choose(database, *words, offered=offered)
            assert str(refused.value).isprintable()


def test_what_a_bot_offers_is_a_name_and_never_a_file(database: Database, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(to_toml(MINE))
    with pytest.raises(BotRejected, match=r"names '\S+/mine\.toml', which"):
        choose(database, offered=("hearts", str(tmp_path / "mine.toml")))
    assert choose(database, str(tmp_path / "mine.toml"), offered=("hearts", "mine")) == ["mine"]


def test_one_name_means_one_set_of_rules(database: Database, tmp_path: Path) -> None:
    enter(database, MINE)
    (tmp_path / "other.toml").write_text(to_toml(replace(MINE, title="Other")))
    with pytest.raises(LadderError, match="'mine' by other rules"):
        choose(database, str(tmp_path / "other.toml"))
    (tmp_path / "preset.toml").write_text(to_toml(replace(MINE, name="hearts")))
    with pytest.raises(LadderError, match="preset 'hearts' with other"):
        choose(database, str(tmp_path / "preset.toml"))


def test_the_ladder_goes_on_with_the_rules_that_a_preset_had_once(database: Database) -> None:
    once = replace(GONGZHU, title="Gong Zhu, as it was")
    with database.write() as session:
        session.add(models.Variant(name="gongzhu", rules=once.to_plain(), added=1.0))
    with database.read() as session:
        look = look_at(session, "Trotter")
    variants = chosen_variants(look, ["gongzhu", "hearts"], ())
    assert variants == [once, PRESETS["hearts"]]
    assert outdated(look, variants) == ["gongzhu"]
    assert outdated(look, [PRESETS["hearts"]]) == []
