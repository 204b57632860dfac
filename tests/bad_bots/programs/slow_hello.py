"""Opens a stream and does not say Hello, until the referee has enough; then plays."""

from __future__ import annotations

from tests.bad_bots.honest import play_after
from tests.bad_bots.line import Line


def hesitate() -> dict[str, object]:
    return {"the stream": Line().refusal()}


play_after(hesitate)
