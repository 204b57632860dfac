"""The record of a match: its lines, its file, its hash chain."""
