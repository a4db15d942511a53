"""Long lists, a page at a time. A cursor says after which item to go on, not how many came before: whatever is added
meanwhile, nothing is told twice, and nothing is left out."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lerim.errors import UsageError

_T = TypeVar("_T")
Key = tuple[str | int, ...]
#: How many a page has, and has at most.
PAGE, MOST = 50, 1000


def cursor_after(key: Key) -> str:
    """What a client sends to have what comes after. Opaque: what is in it is nobody's business."""
    return base64.urlsafe_b64encode(json.dumps(key, separators=(",", ":")).encode()).decode().rstrip("=")


def key_of(cursor: str | None, *kinds: type) -> Key | None:
    """The key in a cursor, of these types. Raises UsageError for one that was not given out here."""
    if not cursor:
        return None
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        key = None
    if not isinstance(key, list) or [type(part) for part in key] != [*kinds]:
        raise UsageError("this cursor is none that was given out here", hint="leave cursor out to begin anew")
    return tuple(key)


def limit_of(asked: Any) -> int:
    """How many are wanted. Raises UsageError."""
    limit = int(asked.get("limit", PAGE))
    if not 1 <= limit <= MOST:
        raise UsageError(f"'limit' must be from 1 to {MOST:,}", hint="what is beyond comes with cursor")
    return limit


def paged(items: Sequence[_T], key: Callable[[_T], Key], asked: Any, *kinds: type) -> tuple[list[_T], str | None]:
    """A page of a list that is sorted by a key, the greatest first; and where to go on, if there is more."""
    limit, after = limit_of(asked), key_of(asked.get("cursor"), *kinds)
    left = [item for item in items if after is None or key(item) < after]
    return left[:limit], cursor_after(key(left[limit - 1])) if len(left) > limit else None
