"""Progress of a computation that a visitor waits for."""

from __future__ import annotations

from ladder.values.value import Value


class Computing(Value):
    """Progress of a computation."""

    place: int | None
    """Its place in the queue, from 1; None: it is being computed now."""
    done: int
    """Number of its steps that are done."""
    steps: int
    """Number of its steps; 0: not known."""
    is_served: bool
    """True if the process that computes is running; if not, this waits until the organiser starts it."""
