"""
Bots in this process: no isolation, and no enforced time limit; for quick experiments.

Each has the modules and files beside its bot.py, as in a process of its own.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import pickle
import secrets
import sys
from collections import defaultdict
from copy import copy, deepcopy
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import islice
from typing import TYPE_CHECKING, Self
from weakref import WeakValueDictionary

from ladder.errors import BotRejected
from ladder.sandbox.excerpt import advice
from ladder.values.names import LOCK, REQUIREMENTS
from pigpen import Bot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import ModuleType

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.wheels.packages import Packages
    from pigpen import Card, DealResult, Face, FaultNotice, MatchResult, MoonChoice, View, Welcome

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


_programs: WeakValueDictionary[str, InlineProgram] = WeakValueDictionary()


@contextlib.contextmanager
def as_program() -> Iterator[None]:
    """Let bots run here as `python bot.py` does: with its arguments, and with stdout for what the SDK leaves there."""
    own = sys.argv
    sys.argv = ["bot.py"]
    try:
        with contextlib.redirect_stdout(sys.stderr):  # as the SDK's client does
            yield
    finally:
        sys.argv = own


class InlineProgram:
    """
    A bot that is ready to be made in this process, within `as_program`. It never changes: its own copy is itself.

    A pickle of it names the folder, from which the bot is imported again. The module is called the same there, so that
    a pickle of the bot finds its class, if that of the program stands before it.
    """

    def __init__(self, source: BotSource, module: str | None = None) -> None:
        """
        Import the bot.

        Args:
            source: The bot.
            module: Name of the module that holds its class; None: a new one.

        Raises:
            BotRejected, SandboxError: As `load_bot_class`.
        """
        self._source, self._module = source, module or _new_name()
        self._folder: AbstractContextManager[object] = contextlib.nullcontext()
        if source.folder and (source.folder / "bot.py").is_file() and has_files(source.folder):
            self._folder = InlineFolder(source.folder)
        with self._folder:
            self._make: Callable[[], Bot] = source.make or load_bot_class(source, module=self._module)
        self.name: str = getattr(self._make, "__name__", source.name)
        """Name of the class or function that makes the bot."""
        _programs[self._module] = self

    def __deepcopy__(self, memo: object) -> InlineProgram:
        return self

    def __reduce__(self) -> tuple[Callable[..., InlineProgram], tuple[BotSource, str]]:
        return _imported_again, (self._source, self._module)

    def within(self) -> AbstractContextManager[object]:
        """Enter the bot's folder, if it has files of its own there: only inside are the bot's modules found."""
        return self._folder

    def __call__(self) -> Bot:
        """Make a bot; it may raise anything."""
        with self._folder:
            bot = self._make()
        return _InFolder(bot, self) if isinstance(self._folder, InlineFolder) else bot


def _imported_again(source: BotSource, module: str) -> InlineProgram:
    if known := _programs.get(module):
        return known
    with as_program():
        return InlineProgram(source, module)


class _InFolder(Bot):
    """A bot that is called within its folder."""

    def __init__(self, bot: Bot, program: InlineProgram) -> None:
        self._bot = bot
        self._program = program
        self._folder = program.within()

    def __copy__(self) -> Bot:
        return _InFolder(copy(self._bot), self._program)

    def __deepcopy__(self, memo: dict[int, object]) -> Bot:
        return _InFolder(deepcopy(self._bot, memo), self._program)

    def __reduce__(self) -> tuple[Callable[..., Bot], tuple[InlineProgram, bytes]]:
        with self._folder:
            return _unpickled_in_folder, (self._program, pickle.dumps(self._bot))

    def play(self, view: View) -> Card:
        with self._folder:
            return self._bot.play(view)

    def pass_cards(self, view: View) -> Iterable[Card]:
        with self._folder:
            return self._bot.pass_cards(view)

    def expose(self, view: View) -> Iterable[Card] | Mapping[Card, Face]:
        with self._folder:
            return self._bot.expose(view)

    def choose_moon(self, view: View) -> MoonChoice:
        with self._folder:
            return self._bot.choose_moon(view)

    def match_started(self, welcome: Welcome) -> None:
        with self._folder:
            self._bot.match_started(welcome)

    def deal_over(self, result: DealResult) -> None:
        with self._folder:
            self._bot.deal_over(result)

    def fault(self, notice: FaultNotice) -> None:
        with self._folder:
            self._bot.fault(notice)

    def match_over(self, result: MatchResult) -> None:
        with self._folder:
            self._bot.match_over(result)


def _unpickled_in_folder(program: InlineProgram, bot: bytes) -> Bot:
    with program.within():
        return _InFolder(pickle.loads(bot), program)  # it stands in a pickle itself


def load_bot_class(source: BotSource, packages: Packages | None = None, module: str | None = None) -> type[Bot]:
    """
    Import the bot's bot.py and find the class in it; what is beside bot.py is found by `InlineProgram` only.

    The packages of its requirements.txt come last on the path: what this process uses itself stays what it is.

    Args:
        source: The bot.
        packages: Where packages come from; what pip is set to if None.
        module: Name of the module to make, or that is there already; None: a new one.

    Raises:
        BotRejected: If there is no bot.py, it cannot be imported, or it holds no `pigpen.Bot` or several.
        SandboxError: If its packages could not be fetched.
    """
    folder = source.folder
    path = folder / "bot.py" if folder else None
    if folder is None or path is None or not path.is_file():
        raise BotRejected(f"{source.name} has no bot.py, and --sandbox inline needs one. Use --sandbox docker.")
    _install(folder, packages)
    name = module or _new_name()
    if name not in sys.modules:
        try:
            _import(name, path)
        except BaseException:
            sys.modules.pop(name, None)
            raise
    return _only_bot(sys.modules[name], source)


def _import(name: str, path: Path) -> None:
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
        reason = f"{type(error).__name__}: {error}"
        hint = f". {text}" if (text := advice(reason)) else ""
        raise BotRejected(f"{path} cannot be imported: {reason}{hint}") from error


def _new_name() -> str:
    """Name a module as no process has named one: what it holds may be pickled."""
    return f"pigpen_inline_{secrets.token_hex(8)}"


def _install(folder: Path, packages: Packages | None) -> None:
    if not any((folder / name).exists() for name in (REQUIREMENTS, LOCK)):
        return  # to read the whole folder for each instance would take long
    from ladder.sandbox.wheels.local_install import installed_for  # takes long to import, and few bots need packages

    installed = installed_for(folder, packages)
    if installed and str(installed) not in sys.path:
        sys.path.append(str(installed))
        importlib.invalidate_caches()


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
