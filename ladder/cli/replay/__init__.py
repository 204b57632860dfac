"""Commands that look into a match: replay, verify, why."""
