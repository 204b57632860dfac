"""Models that say in their JSON Schema what their fields are."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import sys
from collections import ChainMap
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import GetJsonSchemaHandler
    from pydantic_core.core_schema import CoreSchema


class Described(BaseModel):
    """
    A model of which the docstrings below its fields are their descriptions.

    They are read from the sources when a schema is asked for. With `use_attribute_docstrings` pydantic reads them
    whenever a class is made: a seventh of the time in which the site starts, for what nearly no process needs.
    """

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = handler(core_schema)
        fields = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in descriptions(cls).items():
            for key in {name, cls.model_fields[name].alias} & fields.keys():
                fields[key].setdefault("description", text)
        return schema


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Read by field the docstring below it in the sources, where those are there."""
    found = ChainMap(*(dict(_docstrings(each.__module__).get(each.__qualname__, {})) for each in model.__mro__))
    return {name: found[name] for name in model.model_fields if name in found}


@functools.cache
def _docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """Read by class of a module and by field the string that stands below it; nothing of modules without sources."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return {}
    return {each.name: dict(_of_fields(each.body)) for each in ast.parse(source).body if isinstance(each, ast.ClassDef)}


def _of_fields(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, below in itertools.pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)
