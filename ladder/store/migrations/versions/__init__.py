"""Migrations: the first file names the schema of the first release, each other one leads from the one before it."""
