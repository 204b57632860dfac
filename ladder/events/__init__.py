"""Events: what a file describes, draws, scores, places, and a simulation. Pure functions (docs/events.md)."""
