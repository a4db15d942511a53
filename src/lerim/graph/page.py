"""The graph as a page to explore: one file, which loads nothing and runs no script but its own.

Whatever records say is data: it stands in a block that no browser runs, with every `<` spelled out, and the page puts
it on the screen as text. Its policy allows one script and one style by their hash: nothing else would run anyway.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "web"
# What could end the block of data, or a line of it, spelled as JSON spells it.
_SPELLED = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def page_of(document: Mapping[str, Any]) -> str:
    """The page of a graph."""
    # All ASCII: what a terminal or an editor would take for a command to it is spelled out, too.
    data = json.dumps(document, ensure_ascii=True, separators=(",", ":")).translate(_SPELLED)
    before, after = _frame()
    return before + data + after


def script_of() -> str:
    """What makes the page move; whoever shows a graph in a page of their own serves it with that."""
    return _read("page.js")


@lru_cache(maxsize=1)
def _frame() -> tuple[str, str]:
    """The page around its data."""
    style, script = _read("page.css"), script_of()
    text = _read("page.html")
    for name, value in (
        ("style_hash", _hash(style)),
        ("script_hash", _hash(script)),
        ("style", style),
        ("script", script),
    ):
        text = text.replace(f"{{{name}}}", value)
    before, after = text.split("{data}")
    return before, after


def _hash(text: str) -> str:
    from hashlib import sha256  # Start-up: OpenSSL, for this page alone.

    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")
