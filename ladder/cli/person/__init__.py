"""A person at a table, in the terminal; commands about tables for people."""
