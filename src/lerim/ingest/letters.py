# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""Texts that say by their own form that somebody else wrote them: letters, forwarded mails, chats. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lerim.glance import seldom
from lerim.ingest.introductions import TYPED
from lerim.ingest.pages import own_end, spaced

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
# What stands below a signature and is still the sender's or their program's.
_BELOW_SIGNATURE = re.compile(
    r"(?i)\s*(?:p\.? ?p?s\b|n\.?b\b|nachtrag|sent from|get outlook|gesendet (?:von|mit)|envoyé de|enviado desde|inviato da|this (?:e-?mail|message)|diese (?:e-?mail|nachricht)"
    r"|the information|(?:please )?consider|confidential|disclaimer|tel\b|phone|fon\b|mobile|mobil|fax|www|https?:|unsubscribe|[-_=*–—>|<\[(+]|\d[\d /.-]{4}|\d+ (?-i:[A-Z]))"
)
# Who begins so answers to what they show: "so: …", "for us …", "machen wir nicht".
_ANSWERS = re.compile(
    r"(?i)(?:so|ok(?:ay)?|no|nope|nah|yes|yep|right|agreed|done|hm+|well|(?:and |but |so )?for (?:us|our|this)|our|on our side|we|i|i['’]\w+|we['’]\w+|lets|let['’]s|can you|could you|fyi|what (?:i|we)"
    r"|that['’]?s|this is|he|she|they|bei uns|für uns|also|nein|ja|wir|ich|machen wir|pour nous|chez nous|non|oui|nous|on|je|para nosotros|nosotros|entonces|no,|sí|per noi|quindi|para nós|então|voor ons|dus|u nas|dla nas)\b"
    r"|(?i:\d[\d.,%]* [a-z][^\n]*\b(?:us|we|our|i|pls|please|wir|uns|nous)\b)"
)
# Who greets somebody by name in a line of its own does not speak to the agent.
_TO_OTHERS = re.compile(
    r"(?i)\s*(?:(?:hi|hello|hey|hallo|hola|ciao|bonjour|dear|liebe[rs]?|sehr geehrte\w*|chère?s?|estimad[oa]s?) (?!claude|codex|agent|lerim)[\w .'’-]{1,40}[,!:]?|guten tag[\w .]{0,30},?)[ \t]*\n"
)
_THANKS = re.compile(
    r"(?i)(?:thanks|thank you|thx|cheers|best|danke|dank|merci|gracias|grazie|obrigad[oa]|groet|gruß|vg|lg)[^\n]{0,20}\n[^\n]{1,40}\Z"
)
#: A name below a letter, alone or with what its bearer does.
_NAME = re.compile(r"[ \t]*(?:[-–—]+[ \t]*)?[A-ZÄÖÜÉ][\w.'’-]{0,24}(?: [A-ZÄÖÜÉ&][\w.'’-]{0,24}){0,3}[ \t]*\Z")


def is_all_letter(text: str) -> bool:
    """Whether a whole message greets somebody by name, and is signed, or ends with a name: the user's own, or a paste."""
    last = text.rstrip().rpartition("\n\n")[2]
    is_to_others = _TO_OTHERS.match(text) is not None and any(sign.match(last) for sign in (_SIGNED, _THANKS))
    return is_to_others or (_GREETING.match(text) is not None and _NAME.match(last) is not None)


def answered_from(text: str) -> int | None:
    """Where somebody seems to answer below a letter or a chat that they show: behind its signature or its last line, and
    typed, or begun as one answers. Nobody can tell for sure."""
    found = list(spaced(text))
    is_chat, is_letter = any(chats(text)), False
    for place, ((_, shown), (start, below)) in enumerate(pairwise(found)):
        is_letter = is_letter or _begins_a_letter(shown)
        is_over = _is_signed(shown, is_letter and place > 0) or (is_chat and _is_talk(shown)) or _is_quoted(shown)
        if is_over and _is_answer(below):
            return None if any(_is_of_a_letter(one) for _, one in found[place + 1 :]) else start
    return None


def _is_answer(paragraph: str) -> bool:
    is_typed = TYPED.match(paragraph) is not None or _ANSWERS.match(paragraph) is not None
    return is_typed and not _goes_on_talking(paragraph) and _BELOW_SIGNATURE.match(paragraph) is None


def _is_signed(paragraph: str, is_letter: bool) -> bool:
    """Whether it ends a letter: with a greeting, or with a name where one began above."""
    last = paragraph.rstrip()
    return _SIGNED.search(last) is not None or (is_letter and _NAME.match(last.rsplit("\n", 1)[-1]) is not None)


def _begins_a_letter(paragraph: str) -> bool:
    return _GREETING.search(paragraph) is not None or _FORWARDED.search(paragraph) is not None


def _is_talk(paragraph: str) -> bool:
    """Whether it is of a chat: begins with who speaks, or when."""
    return _CHAT_HEAD.match(paragraph) is not None or any(map(_CHAT_LINE.match, paragraph.split("\n", 1)[:1]))


def _goes_on_talking(paragraph: str) -> bool:
    """Whether it is of the chat that is shown: "so: …" begins as a speaker's line does, and answers."""
    return _is_talk(paragraph) and _ANSWERS.match(paragraph) is None


def _is_quoted(paragraph: str) -> bool:
    """Whether it ends in lines that are marked as another's."""
    return paragraph.rstrip().rpartition("\n")[2].lstrip().startswith(">")


def _is_of_a_letter(paragraph: str) -> bool:
    is_signed = _SIGNED.search(paragraph) is not None
    return _begins_a_letter(paragraph) or is_signed or _goes_on_talking(paragraph)


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
        yield gap, _end_of_footer(text, signed.end())


def _end_of_footer(text: str, start: int) -> int:
    """Where what programs and companies put below a signature ends."""
    for at, paragraph in spaced(text[start:]):
        if at and _BELOW_SIGNATURE.match(paragraph) is None:
            return start + at
    return len(text)


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
