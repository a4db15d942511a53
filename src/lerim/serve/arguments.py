"""What a model gives a tool, held against what the tool takes: each mistake in words that help it do better. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lerim.errors import UsageError
from lerim.serve.tools import Field, McpTool

_WRITTEN = {"string": "a text", "integer": "a whole number", "array": "a list"}


def checked(tool: McpTool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, without those that are null. Raises UsageError with the first that is wrong."""
    return _object(tool.name, tool.fields, given)


def _object(where: str, fields: Mapping[str, Field], given: Mapping[str, Any]) -> dict[str, Any]:
    known = ", ".join(fields) or "nothing"
    if unknown := [name for name in given if name not in fields]:
        raise UsageError(f"{where}: there is no argument '{str(unknown[0])[:60]}'", hint=f"it takes {known}")
    values = {name: value for name, value in given.items() if value is not None}
    if missing := [name for name, field in fields.items() if field.is_required and name not in values]:
        raise UsageError(f"{where}: '{missing[0]}' is missing", hint=f"it takes {known}")
    return {name: _value(f"{where}: '{name}'", fields[name], value) for name, value in values.items()}


def _value(where: str, field: Field, value: Any) -> Any:
    match field.type:
        case "integer" if isinstance(value, int) and not isinstance(value, bool):
            if not field.least <= value <= field.most:
                raise UsageError(f"{where} is {field.least} to {field.most}, and not {str(value)[:20]}")
            return value
        case "string" if isinstance(value, str):
            return _text(where, field, value)
        case "array" if isinstance(value, list):
            return _list(where, field, value)
    raise UsageError(f"{where} is {_WRITTEN[field.type]}, and not {_kind(value)}")


def _text(where: str, field: Field, text: str) -> str:
    if field.choices and text not in field.choices:
        raise UsageError(f"{where} is one of {', '.join(field.choices)}, and not '{text[:40]}'")
    if not text.strip() and field.is_required:
        raise UsageError(f"{where} is empty")
    if len(text) > field.most:
        raise UsageError(f"{where} has {len(text):,} characters; at most {field.most:,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{where} is no valid Unicode") from None
    return text


def _list(where: str, field: Field, values: list[Any]) -> list[Any]:
    if len(values) > field.most:
        raise UsageError(f"{where} has {len(values)} entries; at most {field.most}")
    for value in values:
        if not isinstance(value, dict):
            raise UsageError(f"{where} is a list of objects with {', '.join(field.items)}")
    return [_object(f"{where}, number {number}", field.items, value) for number, value in enumerate(values, 1)]


def _kind(value: Any) -> str:
    kinds: dict[type, str] = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "an object")
