"""Storage of a ladder: SQLite by default, PostgreSQL by URL."""
