"""Common base of the messages to workers and from them."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, ConfigDict

from ladder.values.text import sanitize
from referee.records.lines import Described

MAX_SENTENCE = 10_000
"""Characters; one with the end of a build's output has some thousands."""


def storable(text: str, max_characters: int = MAX_SENTENCE) -> str:
    """Cut a text that may quote a bot or a worker to *max_characters* characters that can be stored and shown."""
    return sanitize(text[:max_characters], spared="\n\t")


Sentence = Annotated[str, AfterValidator(storable)]


class Message(Described):
    """Base class of tasks and outcomes."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
