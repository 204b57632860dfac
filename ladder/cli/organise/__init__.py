"""Commands for organisers: run a ladder, its site, its workers and its database."""
