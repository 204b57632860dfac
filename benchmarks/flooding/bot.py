"""Writes to stdout as fast as it can."""

import os

LINE = b"x" * 79 + b"\n"

while True:
    os.write(1, LINE * 512)
