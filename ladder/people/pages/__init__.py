"""Pages, streams and API of tables for people."""
