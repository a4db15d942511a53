"""Commands whose template came into the conversation in place of what was typed, when the text itself says so.

Spec Kit's commands are used with every agent. They hold what the user typed in a block that is theirs alone:
`## User Input`, a fence, and the sentence that the input must be considered; the first versions had `User input:`.
"""

from __future__ import annotations

import re

from lerim.lazy_regex import compile_later

_HEAD = r"\s*(?:---\r?\n.*?\n---\s+)?(?:#{1,2}[^\S\n]*\r?\n)?"
_FENCED = compile_later(
    _HEAD + r"## User Input\s+```(?:text)?[^\S\n]*\r?\n(?P<typed>.*)```\s+You \*\*MUST\*\* consider the user input",
    re.DOTALL,
)
_PLAIN = compile_later(
    _HEAD + r"The user input to you can be provided directly by the agent or as a command argument[^\n]*\s+"
    r"User input:[^\S\n]*\r?\n\s*(?P<typed>.*?)\r?\n\s*\n",
    re.DOTALL,
)
_OPENINGS = ("## User Input", "The user input to you can be provided")
#: How far down the block begins: behind the front matter of the command's file, if that was sent along.
_HEAD_CHARACTERS = 4_000


def typed_in(text: str) -> str | None:
    """What the user typed behind a command whose template this is, maybe nothing; None when it is no such template."""
    if not any(opening in text[:_HEAD_CHARACTERS] for opening in _OPENINGS):
        return None
    found = _FENCED.match(text) or _PLAIN.match(text)
    return found["typed"].strip() if found else None
