"""Statements compiled once for all databases of a session: each test has engines of its own, and they would forget."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

from sqlalchemy import create_engine, event

from ladder.store import database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Engine
    from sqlalchemy.engine.interfaces import Dialect


@contextmanager
def compiled_once() -> Iterator[None]:
    """Meanwhile all engines for ladders in one kind of database have one dialect, and one cache of statements."""
    dialects: dict[str, Dialect] = {}
    cache: dict[Any, Any] = {}

    def make(url: URL, **options: Any) -> Engine:
        engine = create_engine(url, execution_options={"compiled_cache": cache}, **options)
        own = engine.dialect
        if own.name in dialects:
            engine.dialect = dialects[own.name]
        else:  # a dialect knows its server from the first connection on
            event.listen(engine, "engine_connect", lambda _: dialects.setdefault(own.name, own), once=True)
        return engine

    with mock.patch.object(database, "create_engine", make):
        yield
