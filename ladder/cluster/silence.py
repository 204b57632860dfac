"""Keeps libraries from logging to the terminal: to them, every end of a connection is an error."""

from __future__ import annotations

import logging


def hush(*libraries: str) -> None:
    """Let the loggers of libraries say nothing; not even by the handler of last resort."""
    for name in [*libraries, *logging.Logger.manager.loggerDict]:
        if name.partition(".")[0] in libraries:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = False
