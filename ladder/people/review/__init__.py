"""The worth of decisions, before and after; the record, score sheet and replays of a table."""
