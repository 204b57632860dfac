"""The schema of what the commands print is fresh, and names every command that prints JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from jsonschema import Draft202012Validator
from typer.core import TyperGroup

from ladder.app.schema import PLACE, PRINTED, api_schema
from ladder.cli.commands import COMMANDS
from ladder.cli.typer_app import load_command
from ladder.values.reports import Backup
from ladder.values.value import Time, Value, time_of
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE = Path(__file__).resolve().parents[3] / "docs" / "json.md"
WITH_ARGUMENT = {
    "submissions ID": "submissions",
    "rules NAME": "rules",
    "matches MATCH": "matches",
    "why --step": "why",
    "account add --password": "account add",
    "account invite --from": "account invite",
}


def test_the_schema_in_the_docs_is_fresh() -> None:
    assert json.loads(PLACE.read_text()) == json.loads(json.dumps(api_schema())), "run: make schema"


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(api_schema())


def all_below(group: str, commands: Mapping[str, Any]) -> dict[str, Any]:
    """All commands, those of groups too, by the words that are typed."""
    found = {group + name: each for name, each in commands.items()}
    for name, each in commands.items():
        if isinstance(each, TyperGroup):
            found |= all_below(f"{group}{name} ", each.commands)
    return found


def test_it_names_every_command_that_prints_json() -> None:
    found = all_below("", {name: load_command(name) for name in COMMANDS})
    printing = {
        name for name, each in found.items() if "--json" in {option for one in each.params for option in one.opts}
    }
    assert {WITH_ARGUMENT.get(name, name) for name in PRINTED} == printing


def test_the_page_names_the_value_of_every_command() -> None:
    rows = re.findall(r"^\| `(.+)` \| (.+) \|$", PAGE.read_text(), flags=re.MULTILINE)
    assert [command for command, _ in rows] == list(PRINTED)
    for command, words in rows:
        value = PRINTED[command]
        (name,) = [each.__name__ for each in get_args(value) or (value,)]
        assert words == "a list of sentences" if name == "str" else f"`{name}`" in words
        assert words.startswith("a list of ") is bool(get_args(value))


@pytest.mark.parametrize("name", PRESETS)
def test_rules_fit_it(name: str) -> None:
    schema = api_schema()
    validator = Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["rules NAME"]})
    validator.validate(json.loads(json.dumps(PRESETS[name].to_plain())))


class Moment(Value):
    """A value with a time."""

    at: Time


def test_times_are_iso_8601_in_utc() -> None:
    for moment in (Moment(at=time_of(1_795_323_600.0)), Moment.model_validate({"at": 1_795_323_600.0})):
        assert moment.model_dump(mode="json") == {"at": "2026-11-22T05:00:00Z"}
        assert Moment.model_validate_json('{"at": "2026-11-22T05:00:00Z"}') == moment


def test_a_value_stays_as_it_is() -> None:
    value = Backup(file=Path("ladder.db"), size=1)
    with pytest.raises(ValueError, match="frozen"):
        value.size = 2
