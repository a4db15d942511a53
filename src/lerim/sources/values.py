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
_COMMANDS = ("command", "cmd")
_TELLING = (*_COMMANDS, "filePath", "file_path", "filepath", "target_file", "path", "url")
# Where a command runs.
_FOLDERS = ("workdir", "cwd", "working_directory", "directory", "dir_path", "dir")
# Which part of a file is read.
_EXTENT = frozenset(
    {"offset", "limit", "line_start", "line_end", "start_line", "end_line", "startLine", "endLine", "num_lines"}
    | {"view_range"}
)
# How a tool is called rather than what it is to do.
_ASIDE = frozenset({"description", "explanation", "timeout"})
_COMMANDS_ASIDE = frozenset(
    {"justification", "summary", "mode", "shell", "sessionId", "session_id", "sandbox_permissions", "prefix_rule"}
    | {"options", "parsingResult", "requestedSandboxPolicy", "riskLevel", "riskLevelReason"}
)


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


def call_text(arguments: object, cwd: str | None = None) -> str:
    """A tool's input: the command or path when it is all that matters, with where it runs unless that is the session's
    own folder, or which part of a file is read; else compact JSON."""
    fields = as_object(arguments)
    for name in _TELLING:
        if isinstance(fields.get(name), str) and not any(_matters(name, *item) for item in fields.items()):
            return f"{fields[name]}{_where(name, fields, cwd)}"
    return compact(arguments)


def _matters(telling: str, name: str, value: object) -> bool:
    if name == telling or name in _ASIDE or name in (_FOLDERS if telling in _COMMANDS else _EXTENT):
        return False
    # Of what goes with a command, numbers and switches say how long to wait and the like.
    is_said = isinstance(value, str | list | dict) and bool(value)
    return telling not in _COMMANDS or (is_said and name not in _COMMANDS_ASIDE)


def _where(telling: str, fields: dict[str, Any], cwd: str | None) -> str:
    if telling in _COMMANDS:
        folder = next((folder for name in _FOLDERS if (folder := string(fields.get(name)))), "")
        return f"\n[in {folder}]" if folder and folder != cwd else ""
    extent = ", ".join(f"{name} {compact(value)}" for name, value in fields.items() if name in _EXTENT)
    return f" [{extent}]" if extent else ""


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
    try:
        path = unquote(urlsplit(uri).path)
    except ValueError:
        return None
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path or None
