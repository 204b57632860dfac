"""Limits of an image that the ladder's registry and the sandbox share."""

from __future__ import annotations

MAX_FILES = 60_000
"""Files and folders, which the kernel maps one by one; lock_files.c, the program that locks them, has it too."""
MAX_LAYER_FILES = 4 * MAX_FILES
"""Those in all layers of an image: a layer may replace files of others, and a large image plays under gVisor."""
