"""Conversion of the arguments of a call to the options of a command."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import pydantic

from ladder.errors import UserError
from pigpen.rules.errors import PigpenError
from referee.records.lines import sentence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine

    from ladder.app.local.match_plan import LocalRequest

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound="LocalRequest")

OPTION = re.compile(r"--([a-z][a-z0-9]*)\b(?: (docker|inline|process)\b)?")
"""An option in the sentence of an error, with the name of a sandbox if one follows."""


def naming_arguments(work: Callable[P, Coroutine[object, object, T]]) -> Callable[P, Coroutine[object, object, T]]:
    """Make a function that does the same, and whose errors name its arguments where the command's name options."""
    names = inspect.signature(work).parameters

    @functools.wraps(work)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await work(*args, **kwargs)
        except PigpenError as error:
            error.args = (in_python(str(error), names),)
            raise

    return call


def in_python(sentence: str, names: Collection[str]) -> str:
    """
    Write options as the arguments of that name.

    >>> in_python("Use --sandbox docker, or leave --boards out.", ["boards", "sandbox"])
    'Use sandbox="docker", or leave boards out.'
    """

    def argument(option: re.Match[str]) -> str:
        name, value = option.groups()
        return option[0] if name not in names else f'{name}="{value}"' if value else name

    return OPTION.sub(argument, sentence)


def requested(kind: type[R], **given: object) -> R:
    """
    Make the request that a command would make.

    Raises:
        UserError: If a value makes no sense.
    """
    try:
        return kind.model_validate(given)
    except pydantic.ValidationError as error:
        raise UserError(f"{sentence_of(error)}.") from None
