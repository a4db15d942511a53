"""The types of documents as JSON schemas, as OpenAPI 3.1 has them."""

from __future__ import annotations

from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from lerim.serve.api.asking import bare, choices, is_required, said_of

Schema = dict[str, Any]
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


class Schemas:
    """The schemas that were asked for, and those they name."""

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}

    def of(self, hint: Any) -> Schema:
        """The schema of a type, with what is said about it."""
        schema, description = self._of(bare(hint)), said_of(hint)
        return {**schema, "description": description} if description else schema

    def _of(self, kind: Any) -> Schema:
        origin, parts = get_origin(kind), get_args(kind)
        if kind in _PLAIN:
            return {"type": _PLAIN[kind]}
        if origin is list:
            return {"type": "array", "items": self.of(parts[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(part) for part in parts]}
        if origin is Literal or (isinstance(kind, type) and issubclass(kind, Enum)):
            return {"type": "string", "enum": choices(kind)}
        if is_typeddict(origin or kind):
            return self._ref(kind)
        return {}

    def _ref(self, kind: Any) -> Schema:
        """A document by its name; that of a page has the name of what is on it."""
        origin, parts = get_origin(kind) or kind, get_args(kind)
        name = "".join((*(part.__name__.removesuffix("Payload") for part in parts), origin.__name__))
        if name not in self.named:
            self.named[name] = {}  # It may name itself.
            self.named[name] = self._object(
                origin, dict(zip(getattr(origin, "__parameters__", ()), parts, strict=True))
            )
        return {"$ref": f"#/components/schemas/{name}"}

    def _object(self, kind: Any, given: dict[Any, Any]) -> Schema:
        hints = get_type_hints(kind, include_extras=True)
        fields = {name: self.of(_filled(hint, given)) for name, hint in hints.items()}
        return {
            "type": "object",
            "properties": fields,
            "required": [name for name, hint in hints.items() if is_required(hint)],
        }


def _filled(hint: Any, given: dict[Any, Any]) -> Any:
    """A type with what its variables stand for here."""
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(given[one] for one in parameters)] if parameters and given else hint
