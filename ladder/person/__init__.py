"""A person at the table: the client of the seat, and what a front shows of it."""
