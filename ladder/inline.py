"""Bots in this very process: no wall, no clock that could stop them; for trying things out fast."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from typing import TYPE_CHECKING

from ladder.sandbox.base import BotRejected
from pigpen import Bot

if TYPE_CHECKING:
    from types import ModuleType

    from ladder.bots import BotSource

_numbers = itertools.count()


def load_bot_class(source: BotSource) -> type[Bot]:
    """
    Import the bot's bot.py and find the class in it.

    Raises:
        BotRejected: If there is no bot.py, it cannot be imported, or it holds no `pigpen.Bot` or several.
    """
    path = source.folder / "bot.py" if source.folder else None
    if path is None or not path.is_file():
        raise BotRejected(f"{source.name} has no bot.py, and --sandbox inline needs one. Use --sandbox docker.")
    name = f"pigpen_inline_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise BotRejected(f'{path} must call pigpen.run only under: if __name__ == "__main__":') from error
    except Exception as error:  # a stranger's module may raise anything
        raise BotRejected(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return _only_bot(module, source)


def _only_bot(module: ModuleType, source: BotSource) -> type[Bot]:
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    ]
    leaves = [each for each in classes if not any(other is not each and issubclass(other, each) for other in classes)]
    if len(leaves) != 1:
        found = ", ".join(each.__name__ for each in leaves) or "none"
        raise BotRejected(f"{source.name}: bot.py must define one class of pigpen.Bot; found: {found}.")
    return leaves[0]
