"""The program of the house bots of a table."""
