"""`pigpen ladder announcement`, as an organiser types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from ladder.app.schema import api_schema
from tests.typed import Typed, typed

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = api_schema()


def command(folder: Path, *words: str) -> Typed:
    return typed("ladder", "announcement", *words, folder=folder)


def value(folder: Path, *words: str) -> Any:
    found = json.loads(command(folder, *words, "--json").out)
    schema = SCHEMA["properties"][f"ladder announcement {words[0]}"]
    Draft202012Validator({**schema, "$defs": SCHEMA["$defs"]}).validate(found)
    return found


def test_an_announcement_is_written_listed_and_removed(tmp_path: Path) -> None:
    added = command(tmp_path, "add", "Week 1", "--text", "Read the *rules*.")
    assert (added.code, added.err) == (0, "")
    assert added.out.endswith(": pigpen ladder announcement remove 1\n")
    (tmp_path / "week2.md").write_text("- one\n\n- two\n")
    assert value(tmp_path, "add", "Week 2", "--file", "week2.md")["text"] == "- one\n\n- two"
    lines = command(tmp_path, "list").out.splitlines()
    assert (lines[0][:3], lines[0].split()[-2:]) == ("2  ", ["Week", "2"])
    assert lines[1:4] == ["   - one", "", "   - two"]
    assert lines[-1] == "   Read the *rules*."
    assert [row["title"] for row in value(tmp_path, "list")] == ["Week 2", "Week 1"]
    assert command(tmp_path, "remove", "1").out == "Announcement 1 is removed: Week 1\n"
    assert value(tmp_path, "remove", "2")["title"] == "Week 2"
    assert command(tmp_path, "list").out.startswith("There are no announcements.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", " "], "but this one is empty"),
        (["add", "x" * 101], "at most 100 characters, but this one 101"),
        (["add", "x", "--text", "y" * 4001], "at most 4,000 characters, but this one 4,001"),
        (["add", "x", "--text", "y", "--file", "z"], "--text and --file exclude each other"),
        (["add", "x", "--file", "none.md"], "none.md: it cannot be read"),
        (["remove", "7"], "There is no announcement 7. To list all: pigpen ladder announcement list"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    command(tmp_path, "add", "Week 1")
    refused = command(tmp_path, *words)
    assert refused.is_one_sentence, refused
    assert sentence in refused.err
    assert len(value(tmp_path, "list")) == 1
