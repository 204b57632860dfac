"""Importing in one process what the processes that are forked from it have in common."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ladder.garbage import no_garbage

if TYPE_CHECKING:
    from collections.abc import Iterable


def import_shared(modules: Iterable[str]) -> None:
    """Import modules, and derive once what SQLAlchemy derives from the tables."""
    from ladder.store.all_tables import complete_models

    with no_garbage():
        for module in modules:
            importlib.import_module(module)
        complete_models()
