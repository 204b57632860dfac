"""Bad or hostile input to every command: an exit code of its own, one sentence, printable characters."""

from __future__ import annotations

import ast
import gzip
import json
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import structlog
import tomli_w
import typer
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import ladder.cli
from ladder.cli.commands import COMMANDS
from ladder.cli.typer_app import load_command
from ladder.results.files import LOGS_BYTES, MatchFiles
from ladder.runner.run_log import log_to
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from pigpen.rules import PRESETS
from referee.records.lines import MatchLine, to_json
from referee.records.rules_file import FILE_BYTES, to_toml
from tests.ladder import shown
from tests.nasty import BIDI, CONTROLS, DIGITS, changed, damaged, records, values, words
from tests.referee.recorded import SEED, faulty_seats, match_lines, write_record
from tests.typed import Typed, typed

if TYPE_CHECKING:
    from collections.abc import Iterator

HEARTS = to_toml(PRESETS["hearts"])
HEX = "0x" + "f" * 5000
BAD_RULES = {
    "5,000 digits": (HEARTS.replace("players = 4", f"players = {DIGITS}"), "a number has more than 20 digits"),
    "5,000 hex digits": (HEARTS.replace("players = 4", f"players = {HEX}"), "players: a number has more than 20"),
    "a date": (HEARTS.replace("players = 4", "players = 2026-01-31"), "players: rules hold no date and no time"),
    "a time": (HEARTS.replace("players = 4", "players = 12:00:00"), "players: rules hold no date and no time"),
    "deep lists": (HEARTS.replace("removed = []", f"removed = {'[' * 5000}{']' * 5000}"), "nested more than 10 levels"),
    "deep tables": (f"[{'.'.join('a' * 1000)}]\n{HEARTS}", "nested more than 10 levels"),
    "20 lists": (HEARTS.replace("removed = []", f"removed = {'[' * 20}{']' * 20}"), "nested more than 10 levels"),
    "a huge list": (HEARTS.replace("removed = []", f"removed = [{'0, ' * 5000}]"), "and 4997 more mistakes"),
    "a huge file": (HEARTS + "#" * FILE_BYTES, "this file is longer than 16,384 bytes"),
    "controls in a name": (HEARTS.replace("players = 4", '"\\u001b[2J\\u009b\\u202e" = 4'), "there is no such field"),
    "infinity": (HEARTS.replace("players = 4", "players = inf"), "players: should be a valid integer (found inf)"),
}  # fmt: skip
BAD_SETTINGS = {
    "5,000 digits": (f"boards = {DIGITS}", "a number in it has too many digits"),
    "5,000 hex digits": (f"boards = {HEX}", "boards in "),
    "an image's 5,000 hex digits": (f"image_bytes = {HEX}", "image_bytes in "),
    "a time of 5,000 hex digits": (f"match_seconds = {HEX}", "match_seconds in "),
    "a date": ("boards = 2026-01-31", "boards in "),
    "deep lists": (f"boards = {'[' * 5000}", "it is nested too deep"),
    "a table": ("[clock]\na = 1", "clock in "),
    "a NUL in a path": ('data_dir = "a\\u0000b"', "no path has a NUL character in it"),
    "a path of no user": ('data_dir = "~no such/x"', "there is no user of the name 'no such'"),
    "an empty path": ('data_dir = ""', "it is empty"),
    "a NUL in a URL": ('database_url = "sqlite:////tmp/a\\u0000b"', "it is not a URL"),
    "controls in a name": ('"\\u001b[2J\\u009b\\u202e" = 4', "is not a setting"),
    "controls in a value": ('clock = "\\u001b[2J\\u009b\\u202e"', "is not a clock"),
}
BAD_EVENTS = {
    "5,000 digits": (f"a = {DIGITS}", "a number is too long"),
    "5,000 hex digits": (f"[event]\nname = {HEX}\n[[stage]]", "a number is too long"),
    "deep lists": (f"a = {'[' * 5000}", "nested too deep"),
    "a year without a neighbour": ("[event]\nstarts = 0001-01-01T00:00:00+23:00\n[[stage]]", "from 2 to 9998"),
}
BAD_LOGS = {
    "cut off": gzip.compress(b"{}" * 99)[:-20],
    "not packed": b"{}",
    "changed": gzip.compress(b"{}")[:10] + b"\xff" * 30,
    "not JSON": gzip.compress(b"{"),
    "a list": gzip.compress(b"[1]"),
    "too few bots": gzip.compress(b'{"0": ["a"]}'),
    "no texts": gzip.compress(b'{"0": [1, 2, 3, 4]}'),
    "no table": gzip.compress(b'{"\\u001b": ["", "", "", ""]}'),
    "5,000 digits": gzip.compress(b'{"%s": ["", "", "", ""]}' % DIGITS.encode()),
    "deep": gzip.compress(b"[" * 10**6),
    "a bomb": gzip.compress(b" " * (LOGS_BYTES + 1)),
    "nothing": b"",
}


@pytest.mark.parametrize("name", BAD_RULES)
@pytest.mark.parametrize("command", [("rules",), ("play", *["random"] * 4, "--sandbox", "inline", "--rules")])
def test_bad_rules_are_one_sentence(tmp_path: Path, name: str, command: tuple[str, ...]) -> None:
    text, words = BAD_RULES[name]
    (tmp_path / "mine.toml").write_text(text)
    done = typed(*command, "mine.toml", folder=tmp_path)
    assert done.is_one_sentence, done
    assert words in done.err


@pytest.mark.parametrize("name", BAD_EVENTS)
def test_bad_events_are_one_sentence(tmp_path: Path, name: str) -> None:
    text, words = BAD_EVENTS[name]
    (tmp_path / "cup.toml").write_text(text)
    done = typed("event", "check", "cup.toml", folder=tmp_path)
    assert done.is_one_sentence, done
    assert words in done.err


@pytest.mark.parametrize("name", BAD_SETTINGS)
@pytest.mark.parametrize("command", ["config", "standings"])
def test_bad_settings_are_one_sentence(tmp_path: Path, name: str, command: str) -> None:
    text, words = BAD_SETTINGS[name]
    (tmp_path / "pigpen.toml").write_text(text)
    done = typed(command, folder=tmp_path, PIGPEN_DATA_DIR="" if "data_dir" in text else str(tmp_path))
    assert done.is_one_sentence, done
    assert words in done.err


@pytest.mark.parametrize("target", [None, "nowhere", "pigpen.toml"])
@pytest.mark.parametrize("command", ["config", "standings"])
def test_a_settings_file_that_is_none_is_one_sentence(tmp_path: Path, target: str | None, command: str) -> None:
    path = tmp_path / "pigpen.toml"
    if target is None:
        path.mkdir()
    else:
        path.symlink_to(target)
    done = typed(command, folder=tmp_path)
    assert done.is_one_sentence, done
    assert f"'{path}' cannot be read: " in done.err


@pytest.mark.parametrize("value", [DIGITS, HEX, "2026-01-31", CONTROLS, "[" * 5000, "-1", "nan"])
@pytest.mark.parametrize(
    "name", ["BOARDS", "LIMIT", "IMAGE_BYTES", "MATCH_SECONDS", "CLOCK", "SANDBOX", "DATABASE_URL"]
)
def test_so_are_bad_settings_of_the_environment(tmp_path: Path, name: str, value: str) -> None:
    done = typed("config", folder=tmp_path, **{f"PIGPEN_{name}": value})
    assert done.is_one_sentence, done
    assert f"PIGPEN_{name} in the environment " in done.err


@pytest.fixture(scope="module")
def ladder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with one match."""
    folder = tmp_path_factory.mktemp("ladder")
    database = open_ladder(load_settings(data_dir=folder / "data"), create=True)
    with database.write() as session:
        shown.a_ladder(session, matches=1)
    database.close()
    MatchFiles(folder / "data").keep(1, 1, b"", {0: ("", "", "", "")})
    return folder


@pytest.mark.parametrize("name", BAD_LOGS)
def test_a_damaged_log_is_one_sentence(ladder_folder: Path, name: str) -> None:
    path = MatchFiles(ladder_folder / "data").logs(1, 1)
    path.write_bytes(BAD_LOGS[name])
    done = typed("logs", "1", "0", folder=ladder_folder)
    assert done.is_one_sentence, done
    assert f"cannot be read from {str(path)!r}: " in done.err


def test_what_is_wrong_with_a_match_of_the_ladder_names_it_by_its_number(ladder_folder: Path) -> None:
    done = typed("verify", "1", folder=ladder_folder)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("match 1 does not hold: ")


@pytest.mark.parametrize("word", ["m.jsonl", "1.5", "1.0", "1_0", "+1", "", "٣", "9" * 5000])
@pytest.mark.parametrize("command", [("explain", "{}"), ("logs", "{}", "0"), ("matches", "{}")])
def test_a_word_that_is_not_the_number_of_a_match_is_repeated(
    tmp_path: Path, command: tuple[str, ...], word: str
) -> None:
    done = typed(*(each.format(word) for each in command), folder=tmp_path)
    assert done.is_one_sentence, done
    assert done.err.startswith(f"pigpen: '{word[:50]}")
    assert done.err.endswith("pigpen matches).\n")


@pytest.mark.parametrize("command", [("explain", "{}"), ("logs", "{}", "0"), ("matches", "{}")])
def test_there_is_no_match_of_a_huge_number(ladder_folder: Path, command: tuple[str, ...]) -> None:
    done = typed(*(each.format("9" * 30) for each in command), folder=ladder_folder)
    assert done.is_one_sentence, done


@pytest.mark.parametrize("option", ["--variant hearts", "--status queued", "--bot nobody", "--limit 20"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_match_and_the_options_of_a_search_exclude_each_other(
    ladder_folder: Path, option: str, form: tuple[str, ...]
) -> None:
    done = typed("matches", "1", *option.split(), *form, folder=ladder_folder)
    assert done.is_one_sentence, done
    assert f"match and {option.split()[0]} exclude " in done.err
    assert done.is_one_sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("gongzhu", "--toml", "--json"), "Choose one of --toml and --json."),
        (("--toml", "--json"), "Choose one of --toml and --json."),
        (("--toml",), "--toml needs a name: pigpen rules gongzhu --toml"),
    ],
)
def test_options_of_rules_that_make_no_sense_are_one_sentence(
    tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    done = typed("rules", *options, folder=tmp_path)
    assert done.is_one_sentence, done
    assert done.err == f"pigpen: {sentence}\n"


def test_standard_input_is_one_record(tmp_path: Path) -> None:
    done = typed("verify", "-", "match.jsonl", "-", folder=tmp_path)
    assert done.is_one_sentence, done
    assert done.is_one_sentence
    assert done.err.startswith("pigpen: Standard input ")


def test_an_export_that_is_missing_is_named_once(tmp_path: Path) -> None:
    done = typed("event", "verify", "nothing", folder=tmp_path)
    assert done.is_one_sentence, done
    reason = "it cannot be read as an export of an event: No such file or directory"
    assert done.err == f"pigpen: nothing: {reason}.\n"


def test_a_word_that_is_not_text_is_one_sentence(ladder_folder: Path) -> None:
    for command in ("show", "retire", "resume-bot"):
        done = typed(command, "\udcff\udc9b", folder=ladder_folder)
        assert done.is_one_sentence, done
        assert "'\\udcff\\udc9b' is not UTF-8" in done.err


@pytest.mark.parametrize(
    "words", [(CONTROLS,), ("rules", f"--{CONTROLS}"), ("replay", CONTROLS), ("matches", "--status", CONTROLS)]
)
def test_a_mistyped_command_cannot_speak_to_the_terminal(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = typed(*words, folder=tmp_path)
    assert (done.is_civil, done.code, done.out) == (True, 2, ""), done


@pytest.mark.parametrize("number", BIDI)
def test_names_in_a_record_are_shown_without_what_speaks_to_a_terminal(tmp_path: Path, number: int) -> None:
    letter = chr(number)
    nasty = f"a{letter}[bold]b"
    first, *rest = match_lines("hearts", "deals:1")
    assert isinstance(first, MatchLine)
    rules = {**first.rules, "name": nasty, "title": nasty}
    changed = first.model_copy(update={"bots": (nasty, *first.bots[1:]), "rules": rules})
    path = str(write_record(tmp_path / f"{letter}.jsonl", [changed, *rest[:-1]]))
    for command in (("verify", path), ("replay", path)):
        done = typed(*command, folder=tmp_path)
        assert (done.is_civil, done.code) == (True, 0), done
        assert "a�[bold]b" in done.out
    as_json = typed("verify", "--json", path, folder=tmp_path)
    assert as_json.is_civil
    assert f"\\u{number:04x}" in as_json.out
    assert (json.loads(as_json.out)["rules"], json.loads(as_json.out)["record"]) == (nasty, path)


def test_a_variants_name_is_shown_without_what_speaks_to_a_terminal_and_is_kept_in_toml_and_json(
    tmp_path: Path,
) -> None:
    nasty = "".join(map(chr, BIDI)) + "\x7f\n\t[bold]\U000e0001猪"
    name, title = json.dumps(nasty).replace("\\udb40\\udc01", "\\U000e0001"), tomllib.loads(HEARTS)["title"]
    text = HEARTS.replace('name = "hearts"', f"name = {name}")
    (tmp_path / "mine.toml").write_text(text.replace(f'title = "{title}"', f"title = {name}"), "utf-8")
    refused = typed("rules", "mine.toml", folder=tmp_path)
    assert (refused.is_civil, refused.code, "mine.toml: title: " in refused.err) == (True, 2, True), refused
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    shown_ = typed("rules", "mine.toml", folder=tmp_path)
    assert (shown_.is_civil, shown_.code) == (True, 0), shown_
    for form, read in ((("--toml",), tomllib.loads), (("--json",), json.loads)):
        done = typed("rules", "mine.toml", *form, folder=tmp_path)
        assert (done.is_civil, done.code) == (True, 0), done
        assert (read(done.out)["name"], read(done.out)["title"]) == (nasty, title)
    bots = ("random", "cautious", "random", "cautious")
    play = ("play", *bots, "--rules", "mine.toml", "--deals", "1", "--sandbox", "inline")
    for command in (play, (*play, "--json")):
        done = typed(*command, folder=tmp_path)
        assert (done.is_civil, done.code) == (True, 0), done
    done = typed("check", "random", "--rules", "mine.toml", "--sandbox", "inline", folder=tmp_path)
    assert (done.is_civil, done.code, "�[bold]" in done.out) == (True, 0, True), done


def test_a_setting_is_shown_as_toml_that_says_the_same(tmp_path: Path) -> None:
    done = typed("config", folder=tmp_path, PIGPEN_RUNTIME="r\x9b\u202e\x1b")
    assert done.is_civil
    assert tomllib.loads(done.out)["runtime"] == "r\x9b\u202e\x1b"


def test_a_folders_name_is_no_markup(tmp_path: Path) -> None:
    folder = tmp_path / "[red]ada"
    folder.mkdir()
    (folder / "bot.py").write_text((Path(ladder.cli.__file__).parents[2] / "sample_bots/random/bot.py").read_text())
    done = typed("play", *[f"./{folder.name}"] * 4, "--deals", "1", "--sandbox", "inline", folder=tmp_path)
    assert (done.is_civil, done.code, "[red]ada" in done.out) == (True, 0, True), done


def test_the_ladders_log_is_ascii(tmp_path: Path) -> None:

    stop = log_to(tmp_path / "ladder.jsonl", to_stderr=False)
    log = structlog.get_logger().bind()
    log.info("bot.suspended", bot=CONTROLS, reason=CONTROLS)
    stop()
    (line,) = (tmp_path / "ladder.jsonl").read_text("ascii").splitlines()
    assert line.isprintable()
    assert json.loads(line)["bot"] == CONTROLS


SAFE = {"sanitize", "json_line", "toml_text", "folded"}
OTHERS = {"new.py"}
"""Files that print the words that their own user has typed."""


def test_nothing_is_printed_that_was_not_sanitized() -> None:
    """A new output that is not sanitized fails here; what `console.print` is given is looked at by the tests above."""
    found = []
    for path in sorted(Path(ladder.cli.__file__).parent.rglob("*.py")):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            name = ast.unparse(call.func)
            if name == "json.dumps" and path.name != "sanitize.py":
                found.append(f"{path.name}: {ast.unparse(call)}")
            if name in ("typer.echo", "print") and path.name not in OTHERS and not all(map(_is_safe, call.args[:1])):
                found.append(f"{path.name}: {ast.unparse(call)}")
    assert found == []


def _is_safe(text: ast.expr) -> bool:
    if isinstance(text, ast.IfExp):
        return _is_safe(text.body) and _is_safe(text.orelse)
    if isinstance(text, ast.JoinedStr):
        return all(_is_safe(part.value) for part in text.values if isinstance(part, ast.FormattedValue))
    called = ast.unparse(text.func) if isinstance(text, ast.Call) else ""
    return isinstance(text, ast.Constant) or called in SAFE | {"watch.summary"}


def test_what_is_looked_for_would_be_noticed() -> None:
    assert not Typed(("x",), 0, "\x9b", "").is_civil
    assert not Typed(("x",), 0, "", "Traceback (most recent call last)").is_civil
    assert not _is_safe(ast.parse("f'{name}'", mode="eval").body)


def test_a_word_that_is_none_of_those_of_an_option_is_refused_with_them(tmp_path: Path) -> None:
    done = typed("standings", "--by", "eloo", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "'--by': 'eloo' " in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("requeue", "abc"), "Invalid value for 'match': 'abc' should be a valid integer."),
        (("play", "--limit", "soon"), "Invalid value for '--limit': 'soon' should be a valid number."),
        (("play", "--deals", "0"), "Invalid value for '--deals': '0' should be greater than or equal to 1."),
        (("play", "--deals", "x" * 200), f"Invalid value for '--deals': '{'x' * 79}… should be a valid integer."),
    ],
)
def test_a_number_that_cannot_be_used_is_named(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    words = ("ladder", *words) if words[0] == "requeue" else words
    done = typed(*words, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    without_frame = "".join(done.err.replace("│", "").split())
    assert sentence.replace(" ", "") in without_frame


def parameters(words: tuple[str, ...], found: Any) -> Iterator[tuple[str, Any]]:
    """All parameters of a command, and of those below it."""
    for name, inner in getattr(found, "commands", {}).items():
        yield from parameters((*words, name), inner)
    yield from ((f"{' '.join(words)} {each.name}", each) for each in found.params)


def test_each_number_of_a_command_is_taken_up_to_its_limit_and_refused_beyond() -> None:
    tried = 0
    for first in COMMANDS:
        context = typer.Context(load_command(first))
        for name, parameter in parameters((first,), load_command(first)):
            for limit, outwards in ((getattr(parameter, "min", None), -1), (getattr(parameter, "max", None), 1)):
                if limit is None:
                    continue
                tried += 1
                for number in (limit - outwards, limit):
                    assert parameter.process_value(context, str(number)) == number, name
                with pytest.raises(typer.BadParameter):
                    parameter.process_value(context, str(limit + outwards))
    assert tried > 40


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
FUZZED_COMMANDS = (
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
@given(
    st.sampled_from(FUZZED_COMMANDS),
    st.lists(st.one_of(st.sampled_from(OPTIONS), words, values.map(str)), max_size=4),
)
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
