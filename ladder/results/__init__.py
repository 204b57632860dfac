"""What the ladder keeps of a match: faults, summary, think times, rating changes, files."""
