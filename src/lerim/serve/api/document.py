"""The OpenAPI document: made from the table of routes, and from the types of what they ask and answer."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, get_type_hints

from lerim import __version__
from lerim.payloads.web import ApiErrorPayload, ConflictPayload
from lerim.serve.api.asking import PROJECT, is_required
from lerim.serve.api.routes import API_ROUTES
from lerim.serve.api.schemas import Schema, Schemas
from lerim.serve.api.table import ApiRoute

PREFIX = "/api/v1"
_NAMES = re.compile(r"{(\w+)(?::\w+)?}")
_ABOUT = "The memory of your coding agents. Every document is the one that `lerim … --json` prints."
_WHOSE = "a registered project by id or name, or `global`; left out: the one of the folder where it was started"


@lru_cache(maxsize=1)
def openapi() -> dict[str, Any]:
    """The document, made once."""
    schemas = Schemas()
    paths: dict[str, Any] = {}
    for route in API_ROUTES:
        path = PREFIX + _NAMES.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Lerim", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.named.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(route: ApiRoute, schemas: Schemas) -> Schema:
    operation: Schema = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "tags": [route.path.split("/")[1]],
        "parameters": [*_in_path(route), *_in_query(route, schemas)],
        "responses": {
            str(route.code): _content("what was asked for", schemas.of(route.answers)),
            "default": _content("what went wrong", schemas.of(ApiErrorPayload)),
        },
    }
    if route.does:
        operation["description"] = "The same as " + ", ".join(f"`lerim {name}`" for name in route.does) + "."
    if route.method == "PATCH":
        operation["responses"]["412"] = _content("somebody changed it meanwhile", schemas.of(ConflictPayload))
    if route.method != "GET" and get_type_hints(route.asks):
        required = any(map(is_required, get_type_hints(route.asks, include_extras=True).values()))
        content = {"application/json": {"schema": schemas.of(route.asks)}}
        operation["requestBody"] = {"required": required, "content": content}
    return operation


def _operation_id(route: ApiRoute) -> str:
    words = re.findall(r"\w+", _NAMES.sub(r"of_\1", route.path))
    return "_".join((route.method.lower(), *words))


def _in_path(route: ApiRoute) -> list[Schema]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _NAMES.findall(route.path)
    ]


def _in_query(route: ApiRoute, schemas: Schemas) -> list[Schema]:
    found: list[Schema] = [{"name": PROJECT, "in": "query", "schema": {"type": "string"}, "description": _WHOSE}]
    if route.method != "GET":
        return found
    for name, hint in get_type_hints(route.asks, include_extras=True).items():
        schema = schemas.of(hint)
        description = schema.pop("description", "")
        found.append(
            {"name": name, "in": "query", "required": is_required(hint), "schema": schema, "description": description}
        )
    return found


def _content(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
