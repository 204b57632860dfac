"""Sandboxes, in which programs of bots run: containers, processes, or this process."""
