"""The results that the ladder keeps of a match: faults, summary, think times, rating changes, files."""
