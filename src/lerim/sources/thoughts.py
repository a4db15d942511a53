"""Thoughts that a model wrote into its answer: between tags, as models without a channel for them do.

What an agent only thought is nobody's word, so a reader must not take it for what was said.
"""

from __future__ import annotations

import re

from lerim.lazy_regex import compile_later

_TAGS = r"think|thinking|thought|thoughts|reasoning|reflection"
# At the beginning only: further down, an agent may speak about such tags.
_LEADING = compile_later(rf"\s*<(?P<tag>{_TAGS})>(?P<thought>.*?)(?:</(?P=tag)>|\Z)", re.DOTALL)
# Some templates open the tag in the prompt; the answer then has only its end, on a line of its own.
_ENDING = compile_later(r"(?P<thought>.*?)^[^\S\n]*</think(?:ing)?>[^\S\n]*$", re.DOTALL | re.MULTILINE)
# Aider's own name for the tag, which nobody writes by chance.
_NAMED = compile_later(r"<(?P<tag>thinking-content-[0-9a-f]{8,64})>(?P<thought>.*?)(?:</(?P=tag)>|\Z)", re.DOTALL)
_NAMED_END = compile_later(r"</thinking-content-[0-9a-f]{8,64}>")


def set_apart(text: str) -> list[tuple[bool, str]]:
    """The pieces of an agent's text in order, each with whether it is a thought. Empty pieces are left out."""
    found = _pieces(text) if "<" in text else [(False, text)]
    return [(is_thought, piece) for is_thought, piece in found if piece.strip()]


def _pieces(text: str) -> list[tuple[bool, str]]:
    if "thinking-content-" in text:
        return _named(text)
    pieces: list[tuple[bool, str]] = []
    while leading := _LEADING.match(text):
        pieces.append((True, leading["thought"].strip()))
        text = text[leading.end() :]
    if not pieces and "</think" in text and (ending := _ENDING.match(text)) and "<think" not in ending[0]:
        pieces.append((True, ending["thought"].strip()))
        text = text[ending.end() :]
    # What follows a thought begins with the blank lines after the tag.
    return [*pieces, (False, text.lstrip("\n") if pieces else text)]


def _named(text: str) -> list[tuple[bool, str]]:
    pieces: list[tuple[bool, str]] = []
    at = 0
    # What stands before an end alone began in an earlier piece of the file.
    if (end := _NAMED_END.search(text)) and not _NAMED.search(text, 0, end.end()):
        pieces, at = [(True, text[: end.start()].strip())], end.end()
    for found in _NAMED.finditer(text, at):
        pieces += [(False, text[at : found.start()].strip("\n")), (True, found["thought"].strip())]
        at = found.end()
    return [*pieces, (False, text[at:].strip("\n") if pieces else text)]
