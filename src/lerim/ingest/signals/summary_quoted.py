"""What a user quotes of what the agent said or planned: their wish is what they say of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lerim.sources.trace import Line, ToolCall

#: With fewer words a line may be the user's own, whoever said it before.
_LEAST_WORDS = 8
#: Who quotes takes so few lines, and says so much of them: else it is a message of the agent's, pasted again.
_MOST_LINES, _MOST_OF_IT = 4, 60
_MARKS = re.compile(r"^[\s>*#•·–-]+|[\s:.…*]+$")
_TAKEN_OUT = re.compile(r'"old_string":"(?P<old>(?:[^"\\]|\\.)*)')
_PLANS = re.compile(r"plan", re.IGNORECASE)


def without_quoted(text: str, heard: Sequence[str]) -> str:
    """A message without the lines that the agent had said before, word for word; whole where more is left of it than
    what somebody says of a quotation, or nothing."""
    lines = text.split("\n")
    kept = [line for line in lines if not _is_quoted(line, heard)]
    own = "\n".join(kept)
    is_quotation = 0 < len(lines) - len(kept) <= _MOST_LINES
    return own if is_quotation and 0 < len(own.split()) <= _MOST_OF_IT else text


def _is_quoted(line: str, heard: Sequence[str]) -> bool:
    bare = unmarked_code(_MARKS.sub("", line))
    return len(bare.split()) >= _LEAST_WORDS and any(bare in said for said in heard)


def unmarked_code(text: str) -> str:
    """The text as it is copied from a screen: without the marks of code and of what is set bold."""
    return text.replace("`", "").replace("**", "")


def plans_before(lines: Iterable[Line]) -> list[str]:
    """What stood in plans before an edit took it out: a long plan is cut where it was written, and quoted whole."""
    edits = (line.text for line in lines if isinstance(line, ToolCall) and puts_plan(line))
    return [unmarked_code(found["old"]) for text in edits if (found := _TAKEN_OUT.search(text)) is not None]


def puts_plan(call: ToolCall) -> bool:
    """Whether a call writes a plan or puts it before the user."""
    return _PLANS.search(call.tool) is not None or "plans/" in call.text[:400]
