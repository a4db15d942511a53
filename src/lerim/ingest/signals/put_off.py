# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What a user puts off until something has happened, and what keeps hands off it before: that is a decision. Pure."""

from __future__ import annotations

import re

from lerim.glance import seldom

#: Said of a thing, this puts it off.
_PUT_OFF = (
    r"later\b|not (?:now|yet|before)\b|(?:has|have) to wait\b|(?:can|must|should) wait\b|(?:is|are|stays?) (?:put off|postponed|on hold)"
    r"|put (?:it |that |this )?off\b|postpone\w*|on hold\b|park (?:it|that|this)\b"
    r"|we(?:['’]ll| will)? (?:only )?(?:do|make|start|build|handle|tackle|touch|look at) (?:(?:it|that|this) )?(?:only )?(?:in|after|when|once|not before)\b"
    r"|(?:machen|bauen|starten|verschieben) wir\b(?:[^.!?\n]{0,20}?\b)(?:erst|später|nach|wenn|sobald|auf|bis)\b|\bkommt erst\b|\bspäter\b|muss (?:noch )?warten"
    r"|on (?:le|la|les) (?:fait|fera|verra)\b|plus tard\b|(?:peut|doit|devra) attendre\b|reporté\w*"
    r"|(?:lo|la|los|las) (?:hacemos|haremos|vemos|dejamos)\b|más tarde\b|más adelante\b|(?:tiene|puede) que esperar\b"
    r"|(?:lo|la|li|le) (?:facciamo|faremo|vediamo)\b|più tardi\b|più avanti\b|deve aspettare\b|doen we (?:pas|later)\b|mais tarde\b"
)
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|lunch|dinner|work|tomorrow|today|the weekend|that|this|then|it|all|mittag|morgen|feierabend|demain|midi|mañana)"
#: What it waits for; a day is none.
_UNTIL = (
    rf"(?:after|until|till|once|when|as soon as|before) (?!(?:the )?{_DAY}\b)\w"
    rf"|(?:nach|bis|wenn|sobald) (?!(?:dem |der )?{_DAY}\b)\w|(?:après|jusqu['’](?:à|au)|quand|dès|une fois) (?!{_DAY}\b)\w"
    r"|(?:después de|hasta|cuando|tras) \w|(?:dopo|fino a|quando) \w|(?:na|totdat|zodra) \w|(?:depois de?|até) \w"
)
_WAITS = seldom(rf"\b(?:{_PUT_OFF})[^.!?\n]{{0,60}}?\b(?:{_UNTIL})", re.I)
_IN_ORDER = seldom(rf"\b(?:{_PUT_OFF})", re.I)
_COMES_WITH = re.compile(rf"(?:^|[,;] |\s)(?:{_UNTIL})", re.I)
#: What lasts is a rule on an order of things, and a question puts nothing off.
_NOT_PUT_OFF = re.compile(
    r"\b(?:always|never|every|each|whenever|i|immer|nie|jede[rsnm]?|toujours|jamais|chaque|siempre|nunca|cada|sempre)\b|\?",
    re.I,
)
_HANDS_OFF = re.compile(
    r"\W*(?:(?:and|so|but|please|pls|und|also|bitte|et|y|e)[ ,]+)*"
    r"(?:(?:do not|don['’]?t|dont|never|nobody|no one|nothing|leave|keep|hands off|finger weg|nicht\w*|fass\w*|lass\w*|ne|n['’]y|touche\w*|pas|rien|no|nada|non|niente)\b)"
    r"[^.!?\n]{0,60}?\b(?:before(?: (?:that|then))?|(?:until|till|by) then|(?:vorher|davor|bis dahin)(?: (?:nichts? )?\w+){0,2}|avant(?: ça)?|d['’]ici là|antes|hasta entonces|prima|fino ad allora)\W*$",
    re.I,
)


def is_put_off(text: str) -> bool:
    """Whether a sentence puts something off until something else has happened: "the archive we do after the audit"."""
    if _NOT_PUT_OFF.search(text) is not None:
        return False
    return _WAITS.search(text) is not None or (
        _IN_ORDER.search(text) is not None and _COMES_WITH.search(text) is not None
    )


def keeps_hands_off(sentence: str) -> bool:
    """Whether a sentence says that nothing shall be done before that: "dont touch it before"."""
    return _HANDS_OFF.match(sentence) is not None
