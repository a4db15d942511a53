# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What somebody told the user, who goes by it: those whose word counts, and what is said with an order to do it. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.glance import seldom
from lerim.ingest.introductions import is_about_words, says_who_speaks
from lerim.ingest.naming_texts import TEXT
from lerim.ingest.reported_speech import DOUBTED, told_by
from lerim.ingest.words import EVER
from lerim.text.sentences import sentence_spans

# Whose word a team goes by, told without a doubt: "legal says we keep invoices ten years", "finance wrote me: 36 months".
_OFFICE = seldom(
    r"\b(?:legal|finance|sales|compliance|accounting|marketing|security|procurement|accountant|bookkeeper|lawyers?|tax (?:lady|man|advis[eo]r|consultant)|ops|hr|(?:the )?(?:law|gdpr|dsgvo|regulations?)|(?:the|our) (?:customer|client|auditor|cto|ceo"
    r"|board|lawyer|(?:\w+ )?team))(?: team)? (?:just |also |now |already |finally )?(?:says?|said|answered|decided|confirmed|replied"
    r"|agreed|told (?:us|me)|(?:wrote|emailed|mailed|pinged) (?:us|me)(?! (?:this|that|the following|an?)\b)|changed (?:their|its|his|her) mind|insists?)\b",
    re.IGNORECASE,
)
#: A person who rules on something, in the user's own line: "Ruth has decided: …", "ausserdem hat die Chefin beschlossen, …".
_WHO = r"(?:(?-i:[A-ZÀ-Þ][\w'’-]+)(?: (?-i:[A-ZÀ-Þ][\w'’-]+))?|(?:die |der |unsere? |my |our |the |le |la |mon |ma |el |il |mi |nuestr[oa] )?(?:boss|chief|manager|lead|head|owner|director|captain|chef(?:in)?|leiter(?:in)?|leitung|patron(?:ne)?|jef[ea]|capo))"
_NOBODY = r"(?!(?:we|i|you|it|this|that|what|who|nobody|everyone|wir|ich|du|man|was|wer|on|nous|nosotros|noi|nós|as|and|but|so|already|just|also|finally|not|yesterday|today|gestern|heute|hier|ayer)\b)"
_DECIDED = seldom(
    rf"(?<!\w){_NOBODY}{_WHO} (?:ha(?:s|ve|d) (?:just |now |also |finally |already )*(?:decided|ruled)\b|decided that\b)(?! (?:on it|against it|about|when|whether|if|what|how|who)\b)"
    rf"|\bhat (?:jetzt |nun )?{_NOBODY}{_WHO} (?:\w+ ){{0,2}}?(?:entschieden|beschlossen|festgelegt|bestimmt)\b"
    rf"|(?<!\w){_NOBODY}{_WHO} hat (?:\w+ ){{0,2}}?(?:entschieden|beschlossen|festgelegt|bestimmt)\b"
    rf"|(?<!\w){_NOBODY}{_WHO} (?:a (?:\w+ )?(?:décidé|tranché)|ha (?:\w+ )?(?:decidido|deciso)|decidió|decidiu|heeft (?:\w+ )?besloten)(?!\w)",
    re.IGNORECASE,
)
_SHOWS = re.compile(r"[?？\"“”„«»]|\n\s*\n")
#: What is passed on in the user's own line is short.
_LINE = 500
#: What speaks there is a text or a program: it gives no orders, whoever repeats them.
_NO_PERSON = re.compile(
    rf"""\b(?:{TEXT}|docs?|documentation|readme|pages?|site|website|wiki|manual|handbook|guides?|specs?|books?|blog|forum|changelog|faq|errors?|warnings?|logs?|hints?|output|tool
      |chatgpt|gpt|gemini|claude|copilot|llm|ai|bot|assistant|agent|linter|compiler|internet|web|stack\ overflow|reddit|tutorial|video|someone|somebody|strangers?|a\ guy)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_POLITE = r"(?:(?:ok(?:ay)?|so|then|and|also|now|please|pls|plz|can you|could you|let['’]?s|bitte|also|dann|und|also|stp|svp|donc|alors|et|por favor|entonces|y|quindi|allora|e|então|dus|proszę|więc)[ ,]+)*"
_DO = (
    r"change|adapt|adjust|update|fix|set|put|raise|lower|reduce|increase|add|remove|drop|rename|replace|switch|move|implement|correct|do|take|apply|extend|build|rewrite|convert|enforce|note"
    r"|änder\w*|stell\w*|pass\w*|bau\w*|setz\w*|mach\w*|trag\w*|nimm|korrigier\w*|aktualisier\w*|schreib\w*|füg\w*|lösch\w*|entfern\w*|erhöh\w*|senk\w*|benenn\w*|ergänz\w*|übernimm|schalt\w*|richt\w*"
    r"|(?:chang|modifi|ajout|enl[eè]v|supprim|adapt|corrig|pass|remplac|appliqu|baiss|augment)(?:e|ez)|mets|mettez|fais|faites"
    r"|(?:c[aá]mbi|aj[uú]st|qu[ií]t|apl[ií]c|reempl[aá]z)a\w*|pon(?:lo|la)?|añade|corrige|actualiza|sube|baja|hazlo"
    r"|metti|mettilo|aggiungi|togli|correggi|aggiorna|fallo|sostituisci|mud[ae]|alter[ae]|coloc[ae]|remov[ae]"
    r"|verander|zet|voeg|haal|wijzig|zmień|dodaj|usuń|popraw|ustaw|поменяй|измени|добавь|убери|исправь"
)
#: The user's own order behind what they were told, typed in passing, or all on what was told: "change the export", "Put
#: that in."
_ORDERS = re.compile(
    rf"{_POLITE}(?:(?=[a-zà-ÿа-я])(?-i:(?:{_DO})\b(?! (?:not|never|always)\b))"
    rf"|(?:{_DO}) (?:it|that|this|them|das|es|ça|cela|lo|la|questo|isso|dat|to|это)\b(?=(?: \w+){{0,3}}\W*$))",
    re.IGNORECASE,
)
#: Behind a comma it follows from what was told.
_SO_ORDERS = re.compile(
    rf", (?:so|also|donc|entonces|quindi|dus|więc)(?: please| pls| bitte)? (?:(?:{_DO})\b|[%$€£]?\d)"
)
#: All on what was told: "please put that in the rules", "halt dich daran". It is the user's, whatever it was said to last.
_ON_TOLD = re.compile(
    rf"(?:[,;–—-]|^) *{_POLITE}(?:{_DO}|follow|keep|stick|go|respect|observe|befolg\w*|halt\w*|beacht\w*|respecte[rz]?|suis|suivez|respeta|segui|rispetta)"
    r"(?: (?:dich|dir|euch|to|by|with|bitte)){0,2} (?:it|that|this|das|dies|es|dran|daran|ça|cela|lo|la|questo|isso|dat|eso|esto|to|это)\b(?=(?: \w+){0,4}\W*$)",
    re.IGNORECASE,
)
#: An order of this kind would rule by itself: whoever wrote the rest may have written it, too.
_RULES_ON = re.compile(rf"(?i)\b(?:{EVER}|from now on|everyone|every(?:body|thing)|ab jetzt)\b")


@lru_cache(maxsize=256)  # Each statement of a message is asked about.
def relayed_from(text: str) -> int | None:
    """Where a user begins to pass on what others ruled; None where they show it, ask about it or doubt it. Nobody can
    tell whether it is so: it is for somebody to look at."""
    found = _OFFICE.search(text)
    if found is not None and not _SHOWS.search(text.strip()) and not DOUBTED.search(text, found.end()):
        return found.start()
    decided = _DECIDED.search(text)
    if decided is not None and _is_a_line(text) and not _SHOWS.search(text) and not DOUBTED.search(text, decided.end()):
        return decided.start()
    return _ordered_from(text)


def _is_a_line(text: str) -> bool:
    """Whether it is as short as what is passed on in the user's own words."""
    line = text.strip()
    return "\n" not in line and len(line) <= _LINE


def _ordered_from(text: str) -> int | None:
    """Where somebody is told of in the user's own line, who then orders what was said to be done."""
    if not _is_a_line(text):
        return None
    told: int | None = None
    for span in sentence_spans(text):
        said = span.of(text)
        if told is not None and (_ON_TOLD.match(said) or (_ORDERS.match(said) and not _RULES_ON.search(said))):
            is_plain = not _SHOWS.search(text[: span.end]) and not DOUBTED.search(text, told)
            return told if is_plain else None
        if told is None and _tells(said):
            told = span.start
            order = _SO_ORDERS.search(said)
            if _ON_TOLD.search(said) or (order is not None and not _RULES_ON.search(said, order.start())):
                return None if _SHOWS.search(said) or DOUBTED.search(text, told) else told
    return None


def _tells(sentence: str) -> bool:
    """Whether a person is said to have said something in it."""
    lead, colon, _ = sentence.partition(":")
    who = lead if colon and says_who_speaks(lead) else told_by(sentence)
    return bool(who) and _NO_PERSON.search(who) is None and not is_about_words(lead)
