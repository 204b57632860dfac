"""A person at the table: the client of the seat, and what a listener shows of it."""
