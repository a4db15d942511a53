"""What a user typed in a message, for a summary: beside a pasted chat or mail, and what they tell of others.

A memory needs more than that: who only reports what somebody said rules nothing. But a session is about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.ingest.own_words import own_spans, own_text

#: A line of a shell, where somebody copied it with what it printed; and what leads to a piece of somebody's text.
_PROMPT_LINE = re.compile(r"[ \t]*(?:[➜❯]\s|[\w.-]+@[\w.-]+[:~ ][^\n]{0,60}[$%#] |PS [A-Z]:\\)", re.IGNORECASE)
_LEADS_PASTE = re.compile(
    r"\b(?:this|these|the following|following) (?:\w+ )?(?:bits?|parts?|sections?|paragraphs?|sentences?"
    r"|passages?|lines?"
    r"|comments?|reviews?|messages?|mails?|emails?|repl(?:y|ies)|responses?|snippets?|output|logs?|errors?)\s*:\s*$",
    re.IGNORECASE,
)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
#: Who speaks when, or who speaks.
_CHAT_LINE = re.compile(r"\s*(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?,?\s+\S|[\w.-]{2,20}(?: \[?\d{1,2}:\d\d\]?)?:\s)")
_MAIL_LINE = re.compile(
    r"[ \t]*(?:from|to|cc|subject|date|sent|re|von|an|betreff|gesendet|de|à|objet|para|asunto|reporter"
    r"|priority)[ \t]*:",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"[\"“”„«»]|\w:\s")
#: Who tells what somebody said does it in so many words.
_TOLD_WORDS = 30
#: A thing that is quoted in a sentence, in so many words, and where somebody else speaks before it.
_NAME_WORDS = 16
_QUOTATION = re.compile(r"\s*[\"“„'‘`«][^\n]+[\"”“'’`»]\s*")
#: What rules or orders is no name, whoever shows it.
_RULES = re.compile(
    r"\b(?:always|never|must|shall|should|only|every|use|using|install|run|add|ignore|remember|prefer|do not|don['’]t"
    r"|instead|from now on|immer|nie(?:mals)?|muss|toujours|jamais|doit|siempre|nunca|debe|sempre|mai|deve|altijd|nooit"
    r"|zawsze|nigdy|alltid|aldrig|всегда|никогда)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"(?::|,|\b(?:say|says|said|saying|wrote|writes?|written|asks?|asked|tells?|told|repl(?:y|ies|ied)|answer(?:s|ed)?|mail(?:s|ed)?|complain(?:s|ed)?"
    r"|sagt|schrieb|schreibt|meint|dit|écrit|dice|escribe|dijo)\b[^.!?]{0,30})\s*$",
    re.IGNORECASE,
)
#: And below what they pasted they say no more than this.
_BELOW_WORDS = 45


def _is_named(before: str, gap: str) -> bool:
    """Whether what is quoted in the middle of a sentence is its thing, and not what somebody else said: "commit it as
    'mend the till' and push". Without it the sentence limps."""
    is_short = _QUOTATION.fullmatch(gap) is not None and len(gap.split()) <= _NAME_WORDS and _RULES.search(gap) is None
    line = before[before.rfind("\n") + 1 :]
    return is_short and bool(line.strip()) and _SPEAKS.search(line) is None


def typed_text(text: str) -> str:
    """What its author wrote, and a blank line where something stood between."""
    text = _without_shell(text)
    beside = list(_beside_pasted(text))
    if beside:
        return "\n\n".join(beside)
    spans = _with_told(text, list(own_spans(text, quotes=True)))
    return "\n\n".join(text[start:end] for start, end in spans)


def _without_shell(text: str) -> str:
    """The text without what was copied from a shell: from a line with its prompt to the next blank one."""
    if not any(map(_PROMPT_LINE.match, lines := text.split("\n"))):
        return text
    kept, is_shell = [], False
    for line in lines:
        is_shell = bool(line.strip()) and (is_shell or _PROMPT_LINE.match(line) is not None)
        kept.append("" if is_shell else line)
    return "\n".join(kept)


def _beside_pasted(text: str) -> Iterator[str]:
    """What stands above a pasted chat or mail, and the last paragraph below where it is the user's: a chat's have
    their speakers, and a mail's begin with a capital."""
    parts = _PARAGRAPHS.split(text)
    at = next(
        (
            number
            for number, part in enumerate(parts)
            if number and (_is_pasted(part) or _LEADS_PASTE.search(parts[number - 1]))
        ),
        None,
    )
    if at is None:
        return
    last = parts[-1] if len(parts) > at + 1 else ""
    is_typed = last.strip()[:1].islower() and not _CHAT_LINE.match(last) and len(last.split()) <= _BELOW_WORDS
    for part in [*parts[:at], *([last] if is_typed else [])]:
        if told := own_text(part, quotes=True).strip():
            yield told


def _is_pasted(part: str) -> bool:
    lines = part.strip().splitlines()
    is_chat = len(lines) > 1 and all(map(_CHAT_LINE.match, lines))
    return is_chat or sum(_MAIL_LINE.match(line) is not None for line in lines[:5]) > 1


def _with_told(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The slices with what the user tells of others in the same line, in words of their own: "the customer says she
    got two parcels"."""
    kept = own_spans(text)
    told: list[tuple[int, int]] = []
    for start, end in spans:
        before = told[-1][1] if told else 0
        gap = text[before:start]
        is_told = 0 < len(gap.split()) <= _TOLD_WORDS and "\n" not in gap and _QUOTES.search(gap) is None
        if told and _is_named(text[:before], gap):
            start, _ = told.pop()
        elif is_told and any(a <= before and start <= b for a, b in kept):
            start, _ = told.pop() if told else (0, 0)
        told.append((start, end))
    return told
