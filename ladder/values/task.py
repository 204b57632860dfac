"""What goes to workers and comes back has this in common."""

from __future__ import annotations

from pydantic import ConfigDict

from referee.records.described import Described


class Message(Described):
    """What tasks and outcomes have in common."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
