"""An extension of Griffe, which reads docstrings for the documentation: examples become blocks of code."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", flags=re.MULTILINE)
"""From a prompt to the next empty line, as doctest reads it."""


def fenced(docstring: str) -> str:
    """Put each example of a docstring into a fenced block."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", docstring)


class FencedExamples(griffe.Extension):
    """Applies `fenced` to every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """See griffe."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
