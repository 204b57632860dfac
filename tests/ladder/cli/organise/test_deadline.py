"""`pigpen ladder deadline`, as an organiser types it."""

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
LATER = "2126-12-18T18:00+01:00"


def command(folder: Path, *words: str) -> Typed:
    return typed("ladder", "deadline", *words, folder=folder)


def value(folder: Path, *words: str) -> Any:
    found = json.loads(command(folder, *words, "--json").out)
    schema = SCHEMA["properties"][f"ladder deadline {words[0]}"]
    Draft202012Validator({**schema, "$defs": SCHEMA["$defs"]}).validate(found)
    return found


def test_a_deadline_is_set_listed_and_lifted(tmp_path: Path) -> None:
    assert "2126-12-18 at 17:00:00 UTC" in command(tmp_path, "set", LATER).out
    others, hearts = command(tmp_path, "set", "2126-12-20T00:00Z", "--variant", "hearts").out.splitlines()
    assert "other variants close on 2126-12-18 " in others
    assert "hearts close on 2126-12-20 " in hearts
    assert [row["variant"] for row in value(tmp_path, "list")] == [None, "hearts"]
    assert [row["variant"] for row in value(tmp_path, "lift", "--variant", "hearts")] == [None]
    assert [row["variant"] for row in value(tmp_path, "set", "now", "--variant", "gongzhu")] == [None, "gongzhu"]
    assert command(tmp_path, "lift").out.endswith(": pigpen ladder deadline set TIME\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["set", "friday"], "'friday' is not a time with its time zone"),
        (["set", "2020-01-01T00:00Z"], "2020-01-01 00:00 UTC is past"),
        (["set", "9999-12-31T23:59-14:00"], "its year must be from 2 to 9998"),
        (["set", "0001-01-01T00:00+14:00"], "its year must be from 2 to 9998"),
        (["set", LATER, "--variant", "whist"], "whist"),
        (["lift"], "There is no deadline."),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    command(tmp_path, "set", LATER)
    command(tmp_path, "lift")
    refused = command(tmp_path, *words)
    assert refused.is_one_sentence, refused
    assert sentence in refused.err
    assert value(tmp_path, "list") == []


def test_a_submission_on_this_machine_is_refused_after_it(tmp_path: Path) -> None:
    command(tmp_path, "set", "now", "--variant", "hearts")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("")
    words = ["submit", "bot", "--sandbox", "process", "--owner", "ada", "--name", "Trotter"]
    refused = typed(*words, "--variant", "hearts", folder=tmp_path)
    assert refused.is_one_sentence, refused
    assert "Submissions for hearts closed " in refused.err
    assert "closed" not in typed(*words, "--variant", "gongzhu", folder=tmp_path).err
