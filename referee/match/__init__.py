"""Playing of a match: formats, seating, tables, players, result."""
