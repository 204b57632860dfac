"""Variants by name or from a TOML file."""

from __future__ import annotations

import functools
import json
import tomllib
from pathlib import Path
from typing import Any

import pydantic
import tomli_w
from pydantic_core import ErrorDetails

from pigpen.rules import PRESETS, Rules
from pigpen.rules.errors import PigpenError
from referee.records.framing import shortened

FILE_BYTES = 16 * 1024
"""The most bytes of a rules file; the presets have less than 1 KiB."""
MAX_LEVELS = 10
"""Levels to which tables and lists can be nested at most; those of the presets have four levels."""
MAX_DIGITS = 20
"""The most digits of a number; the rules allow fewer."""
MAX_MISTAKES = 3
"""Mistakes that one message names at most."""
MAX_SHOWN = 400
"""Characters of one of them at most."""
TOO_DEEP = f"tables and lists are nested more than {MAX_LEVELS} levels deep"


class RulesFileError(PigpenError, ValueError):
    """No variant has that name, or the file describes none; the message says what is wrong and where."""

    exit_code = 2


def load_rules(name: str) -> Rules:
    """
    Find the variant that *name* means: a preset, or the path of a TOML file.

    Raises:
        RulesFileError: If it means none, or the file has a mistake.
    """
    if name in PRESETS:
        return PRESETS[name]
    try:
        text = _text(name)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise RulesFileError(f"{name}: this file cannot be read: {reason}.") from None
    if text is None:
        raise no_such_rules(name)
    try:
        return parse_rules(text)
    except RulesFileError as error:
        raise RulesFileError(f"{name}: {error}") from None


def no_such_rules(name: str) -> RulesFileError:
    """Make the message for a word that names no variant."""
    return RulesFileError(
        f"There are no rules called {name!r}. Choose one of {', '.join(PRESETS)}, or name a TOML file "
        "(start from one with: pigpen rules gongzhu --toml)."
    )


def _text(name: str) -> str | None:
    """Read the file of that name; None if there is none."""
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # ~ and a name that no user has
        return None
    if not path.is_file():
        return None
    with path.open("rb") as file:
        content = file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise RulesFileError(f"{name}: this file is longer than {FILE_BYTES:,} bytes; rules need far fewer.")
    return content.decode("utf-8-sig")


def parse_rules(text: str) -> Rules:
    """
    Read a variant from TOML.

    Raises:
        RulesFileError: If it is not TOML, or a field is wrong; the message names the field.
    """
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesFileError(f"this is not TOML: {shortened(str(error), MAX_SHOWN)}") from None
    except ValueError:  # Python reads no decimal number of more than 4,300 digits
        raise RulesFileError(f"a number has more than {MAX_DIGITS} digits") from None
    except RecursionError:
        raise RulesFileError(TOO_DEEP) from None
    rules = rules_from(plain)
    if not rules.title.isprintable():  # it is shown in terminals and on pages
        raise RulesFileError("title: it has a character that cannot be printed; write one line of text")
    return rules


def rules_from(plain: dict[str, Any]) -> Rules:
    """
    Read a variant from nested dicts, as `Rules.to_plain` gives them.

    Raises:
        RulesFileError: If a field is wrong; the message names the field.
    """
    _check_values(plain)
    try:
        return _adapter().validate_json(json.dumps(plain), strict=True)
    except pydantic.ValidationError as error:
        found = [shortened(_sentence(detail), MAX_SHOWN) for detail in error.errors()[:MAX_MISTAKES]]
        more = error.error_count() - len(found)
        raise RulesFileError(
            "; ".join(found) + (f"; and {more} more mistake{'s' * (more != 1)}" if more else "")
        ) from None


@functools.cache
def _adapter() -> pydantic.TypeAdapter[Rules]:
    return pydantic.TypeAdapter(Rules)


def _check_values(value: object, place: str = "", level: int = 0) -> None:
    """Refuse what JSON does not have, or Python cannot write as text."""
    if level > MAX_LEVELS:
        raise RulesFileError(TOO_DEEP)
    if isinstance(value, dict):
        for key, item in value.items():
            _check_values(item, f"{place}.{shortened(key)}" if place else shortened(key), level + 1)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _check_values(item, f"{place}.{number}", level + 1)
    elif isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        raise RulesFileError(f"{place}: a number has more than {MAX_DIGITS} digits")
    elif not isinstance(value, str | int | float):
        raise RulesFileError(f"{place}: rules hold no date and no time")


def to_toml(rules: Rules) -> str:
    """Write the variant as a TOML file that `load_rules` reads back."""
    return tomli_w.dumps(rules.to_plain(), indent=2)


def _sentence(detail: ErrorDetails) -> str:
    field = ".".join(shortened(str(part)) for part in detail["loc"])
    if detail["type"] == "unexpected_keyword_argument":
        return f"{field}: there is no such field"
    if detail["type"] == "missing":
        return f"{field}: this field is missing"
    text = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{field}: {text} (found {shortened(repr(detail['input']))})" if field else text
