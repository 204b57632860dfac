"""Commands for people at tables, and the screen of a person in the terminal."""
