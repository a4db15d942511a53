# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""Texts that say by their own form that somebody else wrote them: letters, forwarded mails, chats. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.glance import seldom
from lerim.ingest.pages import own_end

# Where another's text begins by itself.
_FORWARDED = seldom(
    r"(?im)^[ \t>*_-]*(?:-{2,}\s*)?(?:begin )?(?:forwarded message|original message|weitergeleitete nachricht"
    r"|ursprüngliche nachricht|message transféré|mensaje reenviado|mensagem encaminhada)\b"
    r"|^[ \t]*(?:on|am|le|el) [^\n]{5,80}\b(?:wrote|schrieb|a écrit|escribió) ?:[ \t]*$"
    r"|^[ \t]*(?:from|von|de|sender)[ \t]*: [^\n]{1,200}\n[ \t]*(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|objet"
    r"|para|asunto|assunto)[ \t]*:"
)
_GREETING = re.compile(
    r"(?im)^[ \t]*(?:(?:hi|hello|hey|good (?:morning|day|evening)|hallo|guten tag|bonjour|hola|ciao|olá|hoi|cześć|привет)(?: [\w.-]+){0,3}[,!:]?[ \t]*$"
    r"|(?:hi|hello|hey|hallo|hola|ciao) (?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?,"
    r"|(?:bonjour|buongiorno|guten tag|good morning|dzień dobry|goedemorgen|buenos días|bom dia|здравствуйте),"
    r"|(?:dear|liebe[rs]?|sehr geehrte\w*|chère?s?|estimad[oa]s?|gentile|prezad[oa]s?|beste|geachte|szanown\w+|уважаем\w+)(?: [\w.-]+){1,3} ?[,!:])"
)
_SIGNED = re.compile(
    r"(?im)^[ \t]*(?:(?:best|kind|warm|many)(?: regards| wishes| thanks)?|regards|sincerely|yours(?: \w+)?|cheers|(?:viele|liebe|mit freundlichen) grüßen?"
    r"|cordialement|saludos|atenciosamente|cordiali saluti|groet(?:en|jes)?|pozdrawiam)[,.!]?(?: [\w.]+){0,3}[ \t]*(?:\n[^\n]{1,40})?$"
)
# A chat that puts the name and the time above what was said.
_CHAT_HEAD = re.compile(
    r"(?m)^[ \t]*@?[^\W\d_][\w.-]{1,23}(?: [\w.-]{1,20})?[ \t,|–-]+[\[(]?\d{1,2}[:.]\d\d(?: ?[AaPp][Mm])?[\])]?[ \t]*$"
)
# A line of a chat: who, perhaps when, and what.
_CHAT_LINE = re.compile(
    r"^[ \t]*(?:[\[(]?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[AaPp][Mm])?[\])]?[ \t,–-]*)?"
    r"(?:<(?P<nick>[\w.-]{2,24})>|[@*]*(?P<name>[^\W\d_][\w.-]{1,23}(?: [A-Z\d][\w.-]{0,20})?)[*]*(?: \([^)\n]{1,30}\))?[*]* ?:)"
    r"[ \t]+\S"
)
_LABEL_WORDS = """
    a also answer b background bug bugs c changes context d decision decisions default desc description done e
    example examples expected f file files fix fixes for fyi goal goals heads hint idea ideas important input
    issue item key location name next no note notes option options output phase plan point policy preference
    preferences priority problem purpose question questions reason remember reminder result rule rules scope so
    solution status step style summary task tasks tests then tip title todo type update usage use value warning
    when why yes
    """
_LABELS = frozenset(_LABEL_WORDS.split())


def forwarded(text: str) -> int | None:
    found = _FORWARDED.search(text)
    return found.start() if found else None


def letters(text: str) -> Iterator[tuple[int, int]]:
    """A letter below the user's words: from its greeting on, or from the first gap to its signature."""
    gap = text.find("\n\n")
    greeting = _GREETING.search(text, gap) if gap > 0 else None
    if greeting is not None:
        yield greeting.start(), max(greeting.start(), own_end(text))
    elif gap > 0 and (signed := _SIGNED.search(text, gap)) is not None:
        yield gap, signed.end()


def chats(text: str) -> Iterator[tuple[int, int]]:
    """Lines in which several people talk: a name comes back, or stands beside a time."""
    rows: list[tuple[int, int, str, bool]] = []
    start = 0
    for line in text.split("\n"):
        found = _CHAT_LINE.match(line) if ":" in line or "<" in line else None
        name = (found["nick"] or found["name"]).lower() if found else ""
        if name and name.split()[0] not in _LABELS:
            rows.append((start, start + len(line), name, line.lstrip("[( \t")[:1].isdigit()))
        start += len(line) + 1
    names = [name for _, _, name, _ in rows]
    is_chat = (
        len(rows) >= 2 and (len(set(names)) < len(names) or all(timed for *_, timed in rows)) and len(set(names)) > 1
    )
    if is_chat:
        yield rows[0][0], rows[-1][1]
    heads = list(_CHAT_HEAD.finditer(text))
    if len(heads) > 1:
        yield heads[0].start(), own_end(text)
