"""What goes to workers and comes back has this in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, ConfigDict

from ladder.values.text import sanitize
from referee.records.described import Described

Sentence = Annotated[str, AfterValidator(sanitize)]
"""It may quote what a bot has said, so it is made fit to be shown and to be stored."""


class Message(Described):
    """What tasks and outcomes have in common."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
