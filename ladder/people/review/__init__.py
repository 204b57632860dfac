"""What decisions are worth, before and after; the record, score sheet and replays of a table."""
