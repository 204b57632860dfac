"""Rules that come from outside: files, records, and what was sent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import tomli_w

from pigpen.rules import PRESETS
from referee.records.lines import MatchLine
from referee.records.recorded import BadRecord, Recorded
from referee.records.rules_file import RulesFileError, load_rules, rules_from, to_toml
from tests.many_choices import WAYS, many_choices
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from pathlib import Path


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(PRESETS["hearts"]), encoding="utf-8-sig")
    assert load_rules(str(path)) == PRESETS["hearts"]


@pytest.mark.parametrize("title", ["a\x01", "\u202egnp", "two\nlines"])
def test_a_title_that_cannot_be_printed_is_refused_in_a_file(tmp_path: Path, title: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(replace(PRESETS["hearts"], title=title)), encoding="utf-8")
    with pytest.raises(RulesFileError, match=r"mine.toml: title: "):
        load_rules(str(path))
    assert rules_from(replace(PRESETS["hearts"], title=title).to_plain()).title == title, "records that have it stay"


def test_C_10_too_many_choices_are_refused_in_a_file_and_in_what_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(tomli_w.dumps(many_choices()))
    with pytest.raises(RulesFileError, match=f"mine.toml: passing.cards: {WAYS}"):
        load_rules(str(path))
    with pytest.raises(RulesFileError, match=f"^passing.cards: {WAYS}"):
        rules_from(many_choices())


def test_C_10_too_many_choices_are_refused_in_a_record() -> None:
    first, *_ = match_lines("hearts", "boards:1")
    assert isinstance(first, MatchLine)
    with pytest.raises(BadRecord, match=f"its rules cannot be understood: passing.cards: {WAYS}"):
        Recorded.of([first.model_copy(update={"rules": many_choices(), "bots": ("a", "b")})])
