"""Loose values as agents leave them in JSON: times in several notations, JSON in strings, payloads that are no text."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any, TypedDict
from urllib.parse import unquote, urlsplit

from lerim.sources.loose_json import decoded
from lerim.sources.trace import MAX_SPOKEN_TEXT, MAX_TOOL_TEXT, shorten

# The year 5138 in seconds, March 1973 in milliseconds: no session lies beyond on either side.
_LEAST_MILLISECONDS = 100_000_000_000
_LARGEST = 2**63 - 1
_BASE64_CHARACTERS_PER_BYTE = 4 / 3
# What a tool is about, when one value of its input says it all.
_TELLING = ("command", "cmd", "filePath", "file_path", "target_file", "path", "url")


class Text(TypedDict):
    """A text within its limit, ready to be unpacked into a line."""

    text: str
    cut: int


def spoken(text: str) -> Text:
    """Words of a person or an agent."""
    kept, cut = shorten(text, MAX_SPOKEN_TEXT)
    return Text(text=kept, cut=cut)


def shown(text: str) -> Text:
    """Text of a tool, a file or a template: its beginning and its end."""
    kept, cut = shorten(text, MAX_TOOL_TEXT)
    return Text(text=kept, cut=cut)


def instant(value: object) -> str | None:
    """UTC with seconds from epoch seconds, epoch milliseconds or ISO 8601; None when it is none of these."""
    try:
        if isinstance(value, str) and value:
            given = datetime.fromisoformat(value)
            moment = given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            moment = datetime.fromtimestamp(value / 1000 if value >= _LEAST_MILLISECONDS else value, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def parsed(value: object) -> Any:
    """A value, or what the JSON in a string or blob says; None when that is no JSON."""
    if not isinstance(value, str | bytes):
        return value
    try:
        return decoded(value)
    except ValueError:
        return None


def as_object(value: object) -> dict[str, Any]:
    """The object itself or the one written in a string; an empty one for anything else."""
    found = parsed(value)
    return found if isinstance(found, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list; nothing for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(value: object) -> list[str]:
    """The texts in a list; nothing for anything else."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def string(value: object) -> str:
    """The value if it is text, else nothing."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    """The value if it is a number of something, else 0; as much of it as an integer column holds."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return 0
    return max(-_LARGEST, min(_LARGEST, int(value)))


def compact(value: object) -> str:
    """Text as it is, anything else as compact JSON, nothing for None."""
    if value is None or isinstance(value, str):
        return value or ""
    import orjson  # Start-up: a look at the disk reads nothing.

    return orjson.dumps(value, default=str).decode()


def call_text(arguments: object) -> str:
    """A tool's input: the command or path when it is the only thing that matters, else compact JSON."""
    fields = as_object(arguments)
    for name in _TELLING:
        others = fields.keys() - {name, "description", "explanation", "timeout", "workdir", "cwd", "limit", "offset"}
        if isinstance(fields.get(name), str) and (not others or name in {"command", "cmd"}):
            return str(fields[name])
    return compact(arguments)


def payload(mime: str, url: str, name: str = "") -> str:
    """A marker for something attached: an image or file in a data URL with its size, or a file by its name."""
    what = "image" if mime.startswith("image/") else "file"
    label = f"{what} {name}" if name else what
    if not url.startswith("data:"):
        return f"[{label}]"
    data = url.partition(",")[2]
    size = int(len(data.rstrip("=")) / _BASE64_CHARACTERS_PER_BYTE) if ";base64" in url[:200] else len(data)
    return f"[{label}, {size:,} bytes]"


def path_of(uri: object) -> str | None:
    """The path in a file or remote URI (`file:///c%3A/work` → `c:/work`), or a plain absolute path; else None."""
    if not isinstance(uri, str):
        return None
    if re.match(r"[A-Za-z]:[\\/]", uri) or uri.startswith("/"):
        return uri
    if "://" not in uri:
        return None
    path = unquote(urlsplit(uri).path)
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path or None
