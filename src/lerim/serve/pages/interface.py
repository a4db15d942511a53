"""The API as a page: every address, what it takes and what it answers, from the OpenAPI document itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lerim.serve.api.document import openapi
from lerim.serve.pages.shell import page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


async def api_page(request: Request) -> Response:
    document = openapi()
    return page(request, "interface.html", document=document, groups=_groups(document), type_of=type_of)


def _groups(document: dict[str, Any]) -> dict[str, list[tuple[str, str, dict[str, Any]]]]:
    """The operations by what they are about: each with its method and path."""
    found: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    return found


def type_of(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(type_of, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {type_of(schema['items'])}"
    return str(schema.get("type", "anything"))
