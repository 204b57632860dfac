"""Variants by name or from a TOML file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pydantic
import tomli_w
from pydantic_core import ErrorDetails

from pigpen.rules import PRESETS, Rules

_adapter = pydantic.TypeAdapter(Rules)


class RulesFileError(ValueError):
    """No variant has that name, or the file describes none; the message says what is wrong and where."""


def load_rules(name: str) -> Rules:
    """
    Find the variant that *name* means: a preset, or the path of a TOML file.

    Raises:
        RulesFileError: If it means none, or the file has a mistake.
    """
    if name in PRESETS:
        return PRESETS[name]
    path = Path(name).expanduser()
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise RulesFileError(f"{name}: this file cannot be read: {reason}.") from None
    if text is None:
        raise RulesFileError(
            f"There are no rules called {name!r}. Choose one of {', '.join(PRESETS)}, or name a TOML file "
            "(start from one with: pigpen rules gongzhu --toml)."
        )
    try:
        return parse_rules(text)
    except RulesFileError as error:
        raise RulesFileError(f"{name}: {error}") from None


def parse_rules(text: str) -> Rules:
    """
    Read a variant from TOML.

    Raises:
        RulesFileError: If it is not TOML, or a field is wrong; the message names the field.
    """
    try:
        return rules_from(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise RulesFileError(f"this is not TOML: {error}") from None


def rules_from(plain: dict[str, Any]) -> Rules:
    """
    Read a variant from nested dicts, as `Rules.to_plain` gives them.

    Raises:
        RulesFileError: If a field is wrong; the message names the field.
    """
    try:
        return _adapter.validate_json(json.dumps(plain), strict=True)
    except pydantic.ValidationError as error:
        raise RulesFileError("; ".join(_sentence(detail) for detail in error.errors())) from None


def to_toml(rules: Rules) -> str:
    """The variant as a TOML file that `load_rules` reads back."""
    return tomli_w.dumps(rules.to_plain(), indent=2)


def _sentence(detail: ErrorDetails) -> str:
    field = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "unexpected_keyword_argument":
        return f"{field}: there is no such field"
    if detail["type"] == "missing":
        return f"{field}: this field is missing"
    text = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{field}: {text} (found {detail['input']!r})" if field else text
