"""How the arguments of a call become what a command asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pydantic

from ladder.errors import UserError
from referee.records.lines import sentence_of

if TYPE_CHECKING:
    from ladder.app.local.local_request import LocalRequest

R = TypeVar("R", bound="LocalRequest")


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
