"""What an agent says of its work, without the text that it only drafted for the user: a ticket, a mail, a comment.

A draft tells in the past what was never done, or what somebody else is to be told.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.glance import seldom
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_words import statements

_TEXTS = (
    r"(?:tickets?|(?:e-?)?mails?|messages?|comments?|repl(?:y|ies)|changelogs?|change ?log|release notes?"
    r"|announcements?"
    r"|(?:pr|mr|pull request|merge request|issue|commit) (?:description|text|body|message|comment)s?"
    r"|posts?|letters?|tweets?|wording|texts?|drafts?|bug reports?|status updates?|newsletters?)"
)
#: Who asks for a text, and not for work.
_WANTS_TEXT = seldom(
    r"\b(?:write|draft|word|phrase|formulate|compose|give me|gimme|suggest|schreib(?:e|st)?|entwirf)\b"
    rf"[^.?!\n]{{0,40}}\b{_TEXTS}\b"
    r"|\bwhat (?:should|could|do|can|shall) (?:i|we) (?:answer|reply|write|say|tell)\b"
    r"|\bhow (?:should|would|could|do) (?:i|we|you) (?:word|phrase|put|answer|formulate)\b",
    re.IGNORECASE,
)
#: A line that says that a text follows, or begins one.
_LABEL = seldom(
    r"^[\s>*_#-]*(?:(?:here(?:['’]s| is| are)|and|the|a|an|my|your|suggested|proposed|possible|short|new) ){0,3}"
    rf"(?:draft(?: of)? )?(?:the |a )?(?:{_TEXTS}|subject|betreff)"
    r"(?: (?:text|entry|draft|title|body)| (?:for|to|on|in|about) [^:\n]{1,40})?[*_]*:[*_]*[ \t]*(?P<rest>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
#: A whole text in quotes, on lines of its own or behind a colon.
_QUOTED = seldom(r"(?:^[\s>*_-]*|:\s+)(?:\"[^\"]{25,}\"|“[^”]{25,}”|„[^“”]{25,}[“”]|«[^»]{25,}»)[.\s]*$", re.MULTILINE)
_OF_THE_TEXT = re.compile(
    rf"^(?:i(?:['’]ve| have)? )?(?:wrote|written|drafted|created|opened|filed|posted|sent|put|added|updated|saved)\b"
    rf"[^.]*(?:\b{_TEXTS}\b|#\d|\w\.\w|\bit\b)",
    re.IGNORECASE,
)
#: A label is followed by its text, or by a word on it.
_LEAST_TEXT = 6


def told_statements(reply: str, asked: str, *, has_edits: bool) -> list[str]:
    """What a message says, sentence by sentence, without what it drafts. Where files were changed, only what it marks
    as a draft is one."""
    return list(_told(reply, asked, has_edits=has_edits))


@lru_cache(maxsize=256)  # A message is read for what it concludes, and the last of a turn for how that ended.
def _told(reply: str, asked: str, *, has_edits: bool) -> tuple[str, ...]:
    is_text = not has_edits and _WANTS_TEXT.search(asked) is not None
    told, is_marked = _without_marked(reply, is_text=is_text)
    found = statements(told)
    if is_marked or not is_text:
        return tuple(found)
    return tuple(one for one in found if one.endswith("?") or _OF_THE_TEXT.match(one))


def _without_marked(reply: str, *, is_text: bool) -> tuple[str, bool]:
    """A message without what it marks as a draft, and whether it marked any."""
    told = _QUOTED.sub("\n", reply)
    label = next((one for one in _LABEL.finditer(told) if is_text or _opens_text(one["rest"])), None)
    if label is None:
        return told, told != reply
    after = told[label.end() :].lstrip("\n")
    # Asked for, it is all that follows, but for what is offered then; else what stands below its label.
    rest = _offers(after) if is_text else "" if label["rest"].strip() else after.partition("\n\n")[2]
    below = after if not is_text and label["rest"].strip() else rest
    return f"{told[: label.start()]}\n\n{below}", True


def _opens_text(rest: str) -> bool:
    return not rest.strip() or len(rest.split()) >= _LEAST_TEXT


def _offers(text: str) -> str:
    return "\n".join(one for one in statements(text) if cues.OFFER.match(one))
