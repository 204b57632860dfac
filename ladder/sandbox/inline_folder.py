"""Surroundings of a bot in this process: the modules and files beside its bot.py, as in a process of its own."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import islice
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

NOTHING_OF_ITS_OWN = {"bot.py", "Dockerfile", "__pycache__"}
"""A folder that holds no more has nothing for its bot to find."""
_extensions: defaultdict[str, dict[str, ModuleType]] = defaultdict(dict)
"""Modules in machine code of each folder: a process can load each of them once."""


def has_files(folder: Path) -> bool:
    """Tell whether *folder* holds anything that its bot could import or read."""
    return bool({entry.name for entry in os.scandir(folder)} - NOTHING_OF_ITS_OWN)


class _Home:
    """The working directory of now, to come back to: where the system can, also if it is moved meanwhile."""

    def __init__(self) -> None:
        self._can_open = hasattr(os, "fchdir")  # Windows cannot
        self._path = "" if self._can_open else os.getcwd()
        self._number = os.open(".", getattr(os, "O_PATH", os.O_RDONLY)) if self._can_open else -1

    def enter(self) -> None:
        if self._can_open:
            os.fchdir(self._number)
        else:
            os.chdir(self._path)

    def close(self) -> None:
        if self._can_open:
            os.close(self._number)


class InlineFolder:
    """
    The folder of one instance of a bot, entered for each call of the bot.

    Inside, the folder is the working directory and the first place where modules are found. What the bot imports from
    there is its own: it is taken out of `sys.modules` outside, so that two bots, or two instances of one, can have a
    module of the same name. All else, such as numpy, is imported once for all bots.

    Only for a process in which nothing else runs meanwhile that depends on the working directory.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = os.path.realpath(folder)
        self._path = [self._folder, *sys.path]
        self._modules = dict(_extensions[self._folder])
        self._beside = {entry.name.partition(".")[0] for entry in os.scandir(self._folder)}
        self._beside -= {*sys.stdlib_module_names, "pigpen"}
        within = [os.path.realpath(each) + os.sep for each in sys.path]
        self._installed = tuple(
            each for each in within if each.startswith(self._folder + os.sep) and each != self._folder + os.sep
        )
        """Folders inside the bot's folder with packages of this interpreter: a virtual environment, for example."""

    def __enter__(self) -> Self:
        """Make this process the bot's."""
        self._home = _Home()
        try:
            os.chdir(self._folder)
        except OSError:
            self._home.close()
            raise
        self._others_path, sys.path = sys.path, self._path
        self._hidden = self._take_hidden()
        sys.modules.update(self._modules)
        self._count = len(sys.modules)
        return self

    def __exit__(self, *exception: object) -> None:
        """Make it pigpen's again."""
        names = [*islice(reversed(sys.modules), max(0, len(sys.modules) - self._count))]
        for name in {*self._modules, *filter(self._is_own, names)}:
            module = sys.modules.pop(name, None)
            if module is not None:
                self._modules[name] = module
                if (_file(module) or "").endswith(tuple(EXTENSION_SUFFIXES)):
                    _extensions[self._folder][name] = module
        sys.modules.update(self._hidden)
        self._path, sys.path = sys.path, self._others_path
        self._home.enter()
        self._home.close()

    def _take_hidden(self) -> dict[str, ModuleType]:
        """Take away what this process has imported under the name of a module of the bot."""
        shadowed = {top for top in self._beside if top in sys.modules}
        names = [name for name in sys.modules if name.partition(".")[0] in shadowed] if shadowed else []
        return {name: sys.modules.pop(name) for name in names}

    def _is_own(self, name: str) -> bool:
        file = _file(sys.modules[name])
        return file is not None and file.startswith(self._folder + os.sep) and not file.startswith(self._installed)


def _file(module: ModuleType) -> str | None:
    """Give the file of a module; of a folder without code, the folder."""
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    return os.path.realpath(file) if isinstance(file, str) else None
