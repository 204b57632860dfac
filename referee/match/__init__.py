"""How a match is played: formats, seating, tables, players, result."""
