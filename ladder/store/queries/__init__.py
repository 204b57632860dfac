"""Queries for what people see of a ladder: each module reads one page, for the command and for the site."""
