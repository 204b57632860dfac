"""A task in, an outcome out: plays one match, without a database."""
