"""
Rules on the wire: field for field, by the names that the dataclasses and the messages share.

Walking the fields keeps the two in step: a part of the rules that one side lacks is an error here, and a test
sends every preset there and back.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Any

from pigpen.rules import Rules
from pigpen.v1 import rules_pb2


def rules_to_message(rules: Rules) -> rules_pb2.Rules:
    """Make a message of a variant."""
    message = rules_pb2.Rules()
    _write(rules, message)
    return message


def rules_from_message(message: rules_pb2.Rules) -> Rules:
    """
    Read the variant of a message.

    Raises:
        ValueError: If it is not a game.
    """
    rules = _read(Rules, message)
    assert isinstance(rules, Rules)
    return rules


def _write(part: Any, message: Any) -> None:
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if value is None:
            continue
        if dataclasses.is_dataclass(value):
            getattr(message, field.name).SetInParent()
            _write(value, getattr(message, field.name))
        elif isinstance(value, Mapping):
            _write_mapping(value, getattr(message, field.name))
        elif isinstance(value, tuple):
            getattr(message, field.name).extend(_plain(item) for item in value)
        else:
            setattr(message, field.name, _plain(value))


def _write_mapping(value: Mapping[str, Any], target: Any) -> None:
    for key, item in value.items():
        if isinstance(item, tuple):
            target[key].names.extend(item)
        else:
            target[key] = item


def _plain(value: Any) -> Any:
    """Give the value for the wire: an enum's number there is its place in the class, from 1."""
    return list(type(value)).index(value) + 1 if isinstance(value, enum.Enum) else value


def _read(part: type, message: Any) -> Any:
    hints = typing.get_type_hints(part)
    return part(
        **{
            field.name: _value(_required(hints[field.name]), getattr(message, field.name))
            for field in dataclasses.fields(part)
            if not _absent(hints[field.name], message, field.name)
        }
    )


def _value(hint: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(hint):
        return _read(typing.cast("type", hint), value)
    origin = typing.get_origin(hint)
    if origin is tuple:
        return tuple(_value(typing.get_args(hint)[0], item) for item in value)
    if origin is Mapping:
        return {key: tuple(item.names) if hasattr(item, "names") else item for key, item in value.items()}
    if isinstance(hint, enum.EnumMeta):
        if not 1 <= value <= len(hint):
            raise ValueError(f"{value} stands for no {hint.__name__}")
        return list(hint)[value - 1]
    return value


def _required(hint: Any) -> Any:
    """Give the type inside an optional one."""
    if isinstance(hint, types.UnionType):
        return next(arm for arm in typing.get_args(hint) if arm is not type(None))
    return hint


def _absent(hint: Any, message: Any, name: str) -> bool:
    return isinstance(hint, types.UnionType) and not message.HasField(name)
