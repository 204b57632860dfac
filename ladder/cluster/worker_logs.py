"""Lines for the log that come from other machines."""

from __future__ import annotations

import json
from contextlib import suppress

LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
LINE_CHARACTERS = 64 << 10
"""A line that is longer is dropped."""
OURS = ("timestamp", "worker_name")
"""What no worker may say for us."""


def log_line(body: str, name: str) -> str | None:
    """
    Check a line for the log, and add the name of the worker that wrote it; None if it is none.

    Args:
        body: The event, as JSON.
        name: The worker's.
    """
    if len(body) > LINE_CHARACTERS:
        return None
    with suppress(ValueError, RecursionError):
        event = json.loads(body)
        if isinstance(event, dict) and event.get("level") in LEVELS and isinstance(event.get("event"), str):
            kept = {key: value for key, value in event.items() if key not in OURS}
            return json.dumps(kept | {"worker_name": name})
    return None
