"""Packages that the environments need, and the error where one is missing."""

from __future__ import annotations

NOT_INSTALLED = (
    "Environments for learning need gymnasium, numpy and pettingzoo. Install them: "
    "pip install gymnasium numpy pettingzoo"
)


def missing(error: ModuleNotFoundError) -> ImportError:
    """Make the error for a package that is missing; another error stays what it is."""
    name = (error.name or "").partition(".")[0]
    return ImportError(NOT_INSTALLED) if name in ("gymnasium", "numpy", "pettingzoo") else error
