"""How far a computation has come that a visitor waits for."""

from __future__ import annotations

from ladder.values.value import Value


class Computing(Value):
    """How far something has come that is being computed."""

    place: int | None
    """Its place in the queue, from 1; None: it is being computed now."""
    done: int
    """How many of its steps are done."""
    steps: int
    """How many there are; 0: not known."""
    is_served: bool
    """Whether the process that computes is running; if not, this waits until the organiser starts it."""
