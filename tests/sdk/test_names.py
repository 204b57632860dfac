"""The public names: each door has one `__all__`, and what docs, samples and examples use is in it."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType

import pytest

import pigpen
from pigpen.rules import Deal, Rules
from tests.e2e.test_readme import blocks

ROOT = Path(__file__).parent.parent.parent
DOORS = ("pigpen", "pigpen.check", "pigpen.learn", "pigpen.rules", "pigpen.search")
"""The modules from which bots import."""
WITH_MORE = {
    "pigpen.learn.net_bot": ("NetBot",),
    "pigpen.learn.net_tree": ("NetTree",),
    "pigpen.learn.onnx_net": ("OnnxNet",),
    "pigpen.learn.openspiel": (),
    "pigpen.learn.registered": ("NAMES",),
}
"""Modules that need more than Pigpen, which what learns imports, and their public names."""
PACKAGES = (ROOT / "sdk" / "pigpen", ROOT / "referee", ROOT / "ladder", ROOT / "pigpen_arena")
OTHER = ("pigpen.toml", "pigpen.v1")
"""A file; and the package of the wire contract, from which a bot takes only the proto files."""
INITS = {
    ".".join(file.parent.relative_to(package.parent).parts): file
    for package in PACKAGES
    for file in sorted(package.rglob("__init__.py"))
}
PAGES = [ROOT / "README.md", ROOT / "sdk" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NO_VERBS = {
    "a", "about", "above", "all", "among", "an", "any", "as", "both", "by", "each", "every", "everything", "few",
    "for", "from", "half", "how", "if", "in", "it", "its", "likewise", "milliseconds", "no", "nobody", "none", "nor",
    "not", "nothing", "of", "one", "only", "our", "seconds", "several", "some", "something", "that", "the", "their",
    "there", "these", "they", "this", "those", "two", "under", "until", "what", "whatever", "when", "where",
    "whether", "which", "who", "whose", "why", "with", "without",
}  # fmt: skip
"""Words with which no imperative begins."""


def public_names() -> list[tuple[str, str]]:
    return [(door, name) for door in DOORS for name in importlib.import_module(door).__all__]


def functions_of(value: object) -> Iterator[FunctionType]:
    """The function itself, or the public methods that a class of ours defines."""
    if inspect.isfunction(value):
        yield value
    elif inspect.isclass(value):
        for base in value.__mro__:
            if base.__module__.partition(".")[0] == "pigpen":
                for name, each in vars(base).items():
                    function = each.__func__ if isinstance(each, classmethod) else each
                    if inspect.isfunction(function) and not name.startswith("_"):
                        yield function


@pytest.mark.parametrize("package", INITS)
def test_a_package_that_holds_names_says_which_are_public(package: str) -> None:
    body = ast.parse(INITS[package].read_text("utf-8")).body
    module = importlib.import_module(package)
    assert ast.get_docstring(ast.Module(body, [])), "a package says what it is"
    if any(isinstance(each, ast.Assign | ast.ClassDef | ast.FunctionDef | ast.ImportFrom) for each in body):
        assert module.__all__
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
    else:
        assert not hasattr(module, "__all__")


@pytest.mark.parametrize("door", DOORS)
def test_a_door_has_every_name_once(door: str) -> None:
    module = importlib.import_module(door)
    assert len(module.__all__) == len(set(module.__all__))
    assert [name for name in module.__all__ if getattr(module, name) is None] == []
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize(("door", "name"), public_names())
def test_every_public_class_and_function_has_a_docstring_of_its_own(door: str, name: str) -> None:
    value = getattr(importlib.import_module(door), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__doc__
        assert not value.__doc__.startswith(f"{name}(")  # what `dataclass` and `NamedTuple` write


@pytest.mark.parametrize(("door", "name"), public_names())
def test_the_docstring_of_a_function_begins_with_a_verb(door: str, name: str) -> None:
    for function in functions_of(getattr(importlib.import_module(door), name)):
        first = (inspect.getdoc(function) or "").partition(" ")[0]
        assert first.isalpha(), function
        assert first.lower() not in NO_VERBS, function


def is_attribute(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True if a function is read like an attribute, or only describes another one: a noun may stand for it."""
    names = [ast.unparse(each).rpartition(".")[2] for each in function.decorator_list]
    return any(name in ("property", "cached_property", "setter", "overload") for name in names)


def without_verb(source: str) -> list[str]:
    """The functions whose docstring begins with no verb, with their lines."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_attribute(node):
            words = (ast.get_docstring(node) or "Do").split(maxsplit=1)
            first = words[0].rstrip(".,:;") if words else ""
            if not first.isalpha() or first.lower() in NO_VERBS:
                found.append(f"{node.lineno} {node.name}")
    return found


@pytest.mark.parametrize("package", [*PACKAGES, ROOT / "benchmarks"], ids=lambda path: path.name)
def test_the_docstring_of_every_function_begins_with_a_verb(package: Path) -> None:
    files = [file for file in package.rglob("*.py") if "_pb2" not in file.name]
    assert len(files) > 5
    found = {str(file.relative_to(ROOT)): without_verb(file.read_text("utf-8")) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('def f():\n    """Whether it is."""', ["1 f"]),
        ('class A:\n    async def _f(self):\n        """(n,) The slope."""', ["2 _f"]),
        ('def f():\n    def g():\n        """\n        A bot.\n        """', ["2 g"]),
        ('def f():\n    """Begin; see `g`."""\n\ndef g():\n    return 1', []),
        ('class A:\n    @property\n    def f(self):\n        """The bot."""', []),
        ('class A:\n    @functools.cached_property\n    def f(self):\n        """The bot."""', []),
    ],
)
def test_a_docstring_without_a_verb_would_be_noticed(source: str, found: list[str]) -> None:
    assert without_verb(source) == found


def examples_of(source: str) -> str:
    """The lines of the examples in docstrings, without what belongs to a block."""
    return "\n".join(re.findall(r"^ *>>> ((?:from|import) pigpen.*)$", source, flags=re.MULTILINE))


@cache
def programs() -> dict[str, str]:
    """Collect the programs that contestants read and copy: sample bots, examples, code in pages and in docstrings."""
    found: dict[str, str] = {}
    for folder in ("sample_bots", "examples", "pigpen_arena/examples"):
        found |= {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in (ROOT / folder).rglob("*.py")}
    for page in PAGES:
        for number, code in enumerate(blocks("python", page.read_text("utf-8"))):
            found[f"{page.relative_to(ROOT)}, block {number}"] = code
    for file in (ROOT / "sdk" / "pigpen").rglob("*.py"):
        found[str(file.relative_to(ROOT))] = examples_of(file.read_text("utf-8"))
    return found


def not_public(program: str) -> list[str]:
    """The names of the SDK that a program uses and that are in no `__all__`."""
    tree, wrong = ast.parse(program), []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "pigpen":
            door = str(node.module)
            public = importlib.import_module(door).__all__ if door in DOORS else WITH_MORE.get(door, ())
            wrong += [f"{node.module}.{alias.name}" for alias in node.names if alias.name not in public]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.partition(".")[0] == "pigpen"]
            wrong += [name for name in names if name not in (*DOORS, *WITH_MORE)]
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pigpen":
            names = [f"pigpen.{node.attr}"] if node.attr not in pigpen.__all__ else []
            wrong += [name for name in names if name not in DOORS]
    return wrong


@pytest.mark.parametrize("program", programs())
def test_what_contestants_read_and_copy_uses_public_names_only(program: str) -> None:
    assert not_public(programs()[program]) == []


@pytest.mark.parametrize("page", ["README.md", "sdk/README.md", "docs/guide.md"])
def test_every_name_that_a_page_for_contestants_has_is_public(page: str) -> None:
    names = re.findall(r"`(pigpen(?:\.[A-Za-z_]\w*)+)", (ROOT / page).read_text("utf-8"))
    assert [name for name in names if name not in (*DOORS, *OTHER) and not is_public(name)] == []


def is_public(dotted: str) -> bool:
    door, _, name = dotted.rpartition(".")
    return door in DOORS and name in importlib.import_module(door).__all__


def test_a_name_that_is_not_public_would_be_noticed() -> None:
    assert not_public("from pigpen.sim.solving import solve") == ["pigpen.sim.solving.solve"]
    assert not_public("from pigpen.search import MAX_TRIED") == ["pigpen.search.MAX_TRIED"]
    assert not_public("import pigpen.client\npigpen.decide()") == ["pigpen.client", "pigpen.decide"]
    assert any("pigpen" in program for name, program in programs().items() if name.startswith("sdk/README.md"))


def types_in(value: object) -> Iterator[str]:
    """The words in the annotations of a function, or of the public methods and fields of a class."""
    if inspect.isclass(value):
        for base in value.__mro__:
            if base.__module__.partition(".")[0] == "pigpen":
                fields = vars(base).get("__annotations__", {})
                yield from words(each for name, each in fields.items() if not name.startswith("_"))
                for name, each in vars(base).items():
                    if isinstance(each, property | cached_property) and not name.startswith("_"):
                        yield from types_in(each.fget if isinstance(each, property) else each.func)
    for function in functions_of(value):
        yield from words(inspect.get_annotations(function).values())


def words(annotations: Iterable[object]) -> Iterator[str]:
    for annotation in annotations:
        yield from re.findall(r"\w+", str(annotation))


def defined() -> set[str]:
    """Every class and type alias that the SDK defines."""
    found: set[str] = set()
    for file in (ROOT / "sdk" / "pigpen").rglob("*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
                found.add(ast.unparse(node.target))
    return found


@pytest.mark.parametrize(("door", "name"), public_names())
def test_every_type_in_a_public_signature_is_public(door: str, name: str) -> None:
    public = {each for _, each in public_names()}
    assert set(types_in(getattr(importlib.import_module(door), name))) & defined() <= public


def test_the_types_in_signatures_are_found() -> None:
    assert {"Action", "Card", "KnownToSeat", "MoonChoice"} <= set(types_in(Deal)) & defined()
    assert {"Deal", "Chooser", "Policy", "Bits"} <= set(types_in(pigpen.playout)) & defined()
    assert {"Passing", "Plan"} <= set(types_in(Rules)) & defined()


def stem(word: str) -> str:
    """The word without its ending: the same for `table`, `tables` and `tabled`."""
    for ending in ("ings", "ing", "ers", "er", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def alike(folder: Path) -> list[list[str]]:
    """The modules of a folder whose names differ by endings alone."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder.glob("*.py")):
        found.setdefault("_".join(map(stem, file.stem.strip("_").split("_"))), []).append(file.stem)
    return [names for names in found.values() if len(names) > 1]


@pytest.mark.parametrize("package", [*PACKAGES, ROOT / "benchmarks"], ids=lambda path: path.name)
def test_no_two_modules_of_a_folder_differ_by_an_ending(package: Path) -> None:
    folders = [package, *(each for each in package.rglob("*") if each.is_dir())]
    assert [names for folder in folders for names in alike(folder)] == []


def test_two_such_modules_would_be_noticed(tmp_path: Path) -> None:
    for name in ("watch", "watches", "open_tables", "_open_table", "sitting", "seat"):
        (tmp_path / f"{name}.py").touch()
    assert alike(tmp_path) == [["_open_table", "open_tables"], ["watch", "watches"]]


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'playuot'"):
        _ = getattr(pigpen, "playuot")  # noqa: B009  (a type checker refuses the plain one)


def test_a_bot_that_never_simulates_does_not_load_what_simulates() -> None:
    program = (
        "import sys, pigpen, pigpen.client; print([name for name in sys.modules if name.startswith('pigpen.sim')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
