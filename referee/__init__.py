"""The referee: seats, clocks, tables, matches, records. It knows the games, and nothing of Docker or ladders."""
