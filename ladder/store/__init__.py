"""Where a ladder is kept: SQLite by default, PostgreSQL by URL."""
