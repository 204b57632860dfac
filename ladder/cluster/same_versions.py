"""The check that a worker has the same Python and the same Dask as its scheduler: they speak as their versions do."""

from __future__ import annotations

import platform
from typing import Any

import dask
import distributed

NAMES = {"python": "Python", "dask": "Dask", "distributed": "Dask distributed"}


def why_not(versions: Any) -> str | None:
    """
    Say why a worker with these versions cannot work here; None: it can.

    Args:
        versions: As Dask's workers report them; of Python, only the first two numbers count.
    """
    ours = {"python": platform.python_version(), "dask": dask.__version__, "distributed": distributed.__version__}
    try:
        theirs = {name: str(versions["packages"][name]) for name in ours}
    except (LookupError, TypeError):
        return "it does not say which versions of Python and Dask it has."
    for name, version in ours.items():
        here, there = _part(name, version), _part(name, theirs[name])[:40]
        if here != there:
            return f"it has {NAMES[name]} {there}, and the coordinator has {here}. Install the same on both machines."
    return None


def _part(name: str, version: str) -> str:
    return ".".join(version.split(".")[:2]) if name == "python" else version
