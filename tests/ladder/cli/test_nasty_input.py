"""Whatever is fed to a command, it ends with an exit code of its own, in words, and in printable characters."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import tomli_w
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pigpen.rules import PRESETS
from referee.records.lines import to_json
from referee.records.rules_file import to_toml
from tests.nasty import CONTROLS, DIGITS, changed, damaged, records, values, words
from tests.referee.recorded import SEED, faulty_seats, match_lines
from tests.typed import typed

some = settings(deadline=None, max_examples=10, derandomize=True, suppress_health_check=list(HealthCheck))
MATCHES: list[list[dict[str, Any]]] = [
    [json.loads(to_json(line)) for line in lines]
    for lines in (
        match_lines("hearts", "deals:1"),
        match_lines("gongzhu", "deals:2", faulty_seats),
        match_lines("gongzhu-sale", "boards:1")[:3],
        match_lines("gongzhu-partners", "game", faulty_seats)[:2],
    )
]
BOTS = ("random", "random", "random", "random")
SETTINGS = {
    "data_dir": "data", "database_url": "", "sandbox": "process", "runtime": "runc", "concurrency": 1, "boards": 4,
    "clock": "60+0.1", "limit": 1.0, "match_seconds": 60.0, "image_bytes": 10**9, "records": 0, "preflight_deals": 2,
}  # fmt: skip
READERS = (
    ("verify", "{}"), ("verify", "--json", "{}"), ("replay", "{}"), ("replay", "{}", "--as", "1"),
    ("replay", "{}", "--deal", "1"), ("why", "{}", "0", "--worst", "1"), ("why", "{}", "--deal", "1", "--step", "3"),
    ("rerun", "{}", "0", "random", "--sandbox", "inline"),
    ("rerun", "{}", "1", "random", "--sandbox", "inline", "--json"),
    ("play", *BOTS, "--resume", "{}", "--seed", SEED.hex(), "--sandbox", "inline", "--limit", "1"),
)  # fmt: skip
RULERS = (
    ("rules", "{}"), ("rules", "{}", "--json"), ("rules", "{}", "--toml"),
    ("play", *BOTS, "--rules", "{}", "--deals", "1", "--sandbox", "inline"),
    ("play", *BOTS, "--rules", "{}", "--deals", "1", "--sandbox", "inline", "--json"),
    ("check", "random", "--rules", "{}", "--sandbox", "inline"),
)  # fmt: skip
COMMANDS = (
    ("standings",), ("bots",), ("show",), ("matches",), ("logs",), ("explain",), ("retire",),
    ("suspend",), ("resume-bot",), ("allow-people",), ("table",),
    ("config",), ("db", "check"), ("db", "upgrade"), ("db", "backup"), ("db",), ("rules",), ("verify",), ("replay",),
    ("why",), ("rerun", "--sandbox", "inline"), ("play", "--sandbox", "inline", "--boards", "1"),
    ("check", "--sandbox", "inline"), ("compare", "--sandbox", "inline", "--boards", "2"), (),
)  # fmt: skip
OPTIONS = (
    "--json", "--csv", "--all", "--variant", "--first", "--limit", "--lines", "--deal", "--board", "--as",
    "--rotation", "--rules", "--seed", "--clock", "--record", "--resume", "--game", "--deals", "--reason", "--bot",
    "--status", "--toml", "--help", "--opponents", "--limit-list", "--field", "--elo0", "--alpha", "--plain",
    "--step", "--worst",
)  # fmt: skip


def has_no_nul(text: str) -> bool:
    """True if a command line or an environment can hold it at all."""
    return "\0" not in text


def try_file(content: bytes, command: tuple[str, ...], name: str) -> None:
    """Feed a file to a command."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(content)
        done = typed(*(name if word == "{}" else word for word in command), folder=Path(folder))
    assert done.is_civil, done


@some
@given(records(MATCHES), st.sampled_from(READERS))
def test_any_record(content: bytes, command: tuple[str, ...]) -> None:
    try_file(content, command, "match.jsonl")


rules_files = st.sampled_from([preset.to_plain() for preset in PRESETS.values()]).flatmap(changed)


@some
@given(rules_files, st.sampled_from(RULERS))
def test_any_rules(plain: dict[str, Any], command: tuple[str, ...]) -> None:
    try_file(tomli_w.dumps(plain).encode("utf-8", "surrogatepass"), command, "mine.toml")


@some
@given(damaged(to_toml(PRESETS["gongzhu-sale"]).encode()), st.sampled_from(RULERS))
def test_any_damaged_rules_file(content: bytes, command: tuple[str, ...]) -> None:
    try_file(content, command, "mine.toml")


@some
@given(changed(SETTINGS), st.dictionaries(st.sampled_from(sorted(SETTINGS)), words.filter(has_no_nul), max_size=2))
@example({"boards": 10**4000}, {})
@example({}, {"boards": DIGITS, "data_dir": CONTROLS})
@example({"data_dir": "a" * 5000}, {})
@example({"a\tb": 1}, {})
def test_any_settings(plain: dict[str, Any], environment: dict[str, str]) -> None:
    given_ = {f"PIGPEN_{name.upper()}": _encodable(text) for name, text in environment.items()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pigpen.toml").write_bytes(_toml(plain))
        for command in (("config",), ("config", "--json"), ("standings",)):
            done = typed(*command, folder=folder, **({"PIGPEN_DATA_DIR": ""} | given_))
            assert done.is_civil, done


@some
@given(st.sampled_from(COMMANDS), st.lists(st.one_of(st.sampled_from(OPTIONS), words, values.map(str)), max_size=4))
@example(("show",), ["\udcff"])
@example(("rules",), ["~no-such-user"])
@example(("play", "--sandbox", "inline"), ["~no-such-user", "a", "b", "c"])
@example(("verify",), ["a" * 5000])
@example(("replay",), ["a" * 5000])
def test_any_command_line(command: tuple[str, ...], rest: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = typed(*command, *filter(has_no_nul, rest), folder=Path(folder))
    assert done.is_civil, done


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _toml(plain: dict[str, Any]) -> bytes:
    return tomli_w.dumps(plain).encode("utf-8", "surrogatepass")
