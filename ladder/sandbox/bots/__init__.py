"""Submissions: names, folders and images of bots, read once and checked; recipes by which a folder is built."""
