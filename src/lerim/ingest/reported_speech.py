# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What somebody is reported to have said or ruled, and whether the user doubts it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.glance import seldom
from lerim.ingest.naming_texts import TEXT

_PARAGRAPH = 1_500
# Reported without a colon, and then doubted: "Bob says we should always …, I don't agree".
_REPORTED = seldom(
    r"(?<!['’])(?<!\bi )(?<!\bwe )\b(?=\w)(?!(?:i|we|you|would|will|should|do|does|did|don['’]t|not|to|may|might|can|could|must|users?|agents?|any|all|the)\b)"
    r"[\w'’-]+ (?:just |also |always |still |keeps |even )?(?:said|says|saying|wrote|writes|told (?:me|us)|tells (?:me|us)"
    r"|thinks|believes|claims?|claimed|wants?|wanted|suggests?|suggested|insists?|insisted|argues?|demands|swears"
    r"|recommends?|recommended|proposed|proposes|asked|asks|would (?:like|love)|expects|stated|mentions|mentioned|announced)\b"
    r"|\baccording to\b|\bi (?:was|got) (?:\w+ )?(?:told|taught|advised|informed)\b|\b(?:read|heard|saw)\b[^.?!]{0,40}\b(?:that|where|about)\b",
    re.IGNORECASE,
)
# A view that somebody holds, to the end of the sentence or to what the user makes of it. "As Anna said" agrees with her.
_CLAIMED = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n))(?!as\b|like\b|[^.!?\n]*\bi agree\b)[^.!?\n,]{0,80}?(?<!['’])(?<!\bi )(?<!\bwe )\b(?=\w)(?!(?:i|we|you|users?|agents?|linter|compiler|tests?|that|which|to|what)\b)[\w'’-]+ (?:just |also |always |still |keeps |kept )?"
    r"(?:says|said|saying|claims|claimed|insists|insisted|argues|argued|thinks|believes(?! (?:them|him|her|us|me|it|in|you)\b)|recommends|suggests|swears)\b(?!:|\s*$|\s*\n)[^.!?\n]*?"
    r"(?=,? (?:so|but|and so|therefore|hence|(?:(?:it|that|this|which) )?(?:should|must|has to|needs to) (?:be|say|read|show))\b|[.!?\n]|$)",
    re.IGNORECASE,
)
# What a page, a label or a file says of what is so tells how that looks now: the user speaks of their own product, and
# no rule is in it.
_SHOWING = re.compile(
    r"(?i)\b(?:faqs?|pages?|site|website|readme|docs?|documentation|wiki|buttons?|labels?|titles?|headers?|footers?|banners?|screens?|tooltips?|menus?|forms?|dialogs?|popups?"
    r"|placeholders?|ui|changelog|badges?|tabs?|cards?|invoices?|receipts?|mails?|status|logs?|tests?|comments?) (?:still |now |also |only |just )?(?:says|said)\b"
)
_RULING = re.compile(
    r"(?i)\b(?:always|never|must|shall|should|ha(?:s|ve) to|needs? to|use|keep|don['’]?t|do not|from now on|remember|forbidden|allowed|required|may|can(?:not|['’]t)?"
    r"|no (?:more|longer)|every|you|we|agents?|assistants?|ai|rules?)\b"
)
# A rule inside a sentence about somebody else: "The docs mention you should always …", "a comment that we must …".
_EMBEDDED = seldom(
    rf"""(?:^|(?<=[.!?\n]\ )|(?<=\n))(?!\W*(?:i|we|you|can|could|would|will|if|when|whenever|before|after|once|so|and|because|for|in|as|like|please|make|remember|let|ok|yes|no|to(?!\ (?:quote|cite|repeat)\b))\b)
      (?P<lead>[^.!?\n,:]{{3,80}}?)\b(?:(?P<rule>(?:that\ )?(?:you|one|people|everyone)\ (?:should|must|always|never|have\ to|need\ to))|{TEXT}\ [^.!?\n,:]{{0,40}}?\bthat\ (?:we|you|one|all)\b)
      [^.!?\n]*?(?=,?\ (?:so|but|and\ so|therefore|hence)\b|[.!?\n]|$)""",
    re.IGNORECASE | re.VERBOSE,
)
# Who or what says so, before it: a page, somebody, or what they do. "On the stage box you have to …" has none.
_SOURCE = re.compile(
    rf"""\b(?:{TEXT}|docs?|documentation|readme|wiki|manual|handbook|guides?|guidelines?|pages?|spec|standard|books?|papers?|faq|talks?|slides?|course|video|podcast|forum
      |boss|manager|lead|colleagues?|coworkers?|friends?|clients?|customers?|vendors?|consultants?|contractors?|reviewers?|teachers?|professors?|speaker|authors?|guys?|someone|somebody
      |said|says?|saying|wrote|writes?|mentions?|mentioned|claims?|claimed|states?|stated|suggests?|suggested|tells?|told|insists?|insisted|thinks?|thought|believes?|recommends?
      |recommended|argues?|argued|teaches|taught|heard|read|saw|asks|asked|wants|wanted|quote|cite|repeat)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# "…, so we …" and "…, but we …" is what the user makes of it.
_OWN_TURN = re.compile(
    r"(?i)[,;.!] *(?:so|but|and so|therefore|hence|that['’]s why) (?:i|we|let['’]?s|from now|please|use|keep|never|always)\b|\bi (?:fully |totally )?agree\b"
)
DISOWNED = seldom(
    r"\b(?:i (?:really |strongly |totally )?(?:don['’]?t|do not|can['’]?t|cannot|didn['’]?t) (?:agree|think so|buy|like (?:it|that)|want"
    r" (?:it|that)|believe)|i disagree|i['’]m not (?:so )?sure|(?:that|which|he|she|it|they)(?:['’]s| is|['’]re| are)"
    r" (?:\w+ )?(?:wrong|nonsense|not true|false|stupid|bullshit|a bad idea|mistaken)|do you agree|would you agree"
    r"|is (?:that|he|she|it|this) (?:\w+ )?(?:right|true|correct|wise|sensible|a good idea)|what do you think|what['’]s your take"
    r"|(?:don['’]?t|do not|dunno|no idea|not sure|unsure|can['’]?t (?:tell|say)) ?(?:know )?(?:if|whether) (?:that|this|it|he|she|they)\b"
    r"|,? (?:so |please |just |let['’]?s )?(?:ignore|forget|disregard) (?:that|this|it|him|her|them)\b"
    r"|(?:wei(?:ß|ss) (?:noch |auch )?nicht|keine ahnung|unklar|nicht sicher),? ob\b|\bignorier\w* (?:das|es|ihn|sie)\b"
    r"|je ne sais pas si|(?:ignore|oublie)-?(?:[- ](?:le|la|ça))\b|no sé si|ignóral[oa]\b|non so se\b|não sei se\b|geen idee of\b"
    r"|should (?:i|we) (?:trust|believe|listen)|(?:sounds|seems|looks) (?:\w+ )?(?:wrong|fishy|off|odd|weird|strange)|i told (?:him|her|them)"
    r"|quatsch|unsinn|blödsinn|n['’]importe quoi|tontería|sciocchezz|onzin|bzdur|чушь|nonsense|bullshit|overkill|ridiculous|lol\b|wtf|no way|sehe (?:ich )?das anders|nicht einverstanden|bin dagegen|d['’]accord|de acuerdo|concordo"
    r"|mee eens|zgadzam|соглас)",
    re.IGNORECASE,
)
_REPORTED_ABROAD = seldom(
    r"""\b(?:laut|selon|d['’]après|según|secondo|segundo|volgens|według|согласно)\ |\b(?!(?:ich|wir|je|nous|yo|eu|io|ik|wij)\ )[^\W\d_]+\ (?:schreibt|sagt|sagte|meint|meinte|behauptet|findet|will|gesagt|gemeint|geschrieben|behauptet|detto|dicho|gezegd|powiedział\w*|сказал\w*|dit|affirme|pense|veut|dice|dijo
    |quiere|diz|disse|quer|vuole|zegt|vindt|wil|mówi|twierdzi|chce|говорит|считает|хочет|säger)
    (?:,|\ (?:dass|que|qu['’]|che|dat|że|что|att|ab\ jetzt|wir)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
# A question, but not one for work.
DOUBTED = re.compile(
    rf"{DISOWNED.pattern}|(?<=[.!?,;。！ ] )(?!(?:so |and |please )?(?:can|could|will|would) (?:you|we)\b|kannst|könntest|peux|puedes|puoi|kun |możesz|можешь)[^.!?\n]{{2,160}}[?？]",
    re.IGNORECASE,
)


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs and where they begin. What is longer than people write is looked at in pieces."""
    start = 0
    for paragraph in text.split("\n\n"):
        for at in range(0, len(paragraph), _PARAGRAPH):
            yield start + at, paragraph[at : at + _PARAGRAPH]
        start += len(paragraph) + 2


def told_by(text: str) -> str:
    """Up to where somebody is reported to say, to want or to have said something, without a colon; else nothing."""
    found = _REPORTED.search(text) or _REPORTED_ABROAD.search(text)
    return text[: found.end()] if found is not None else ""


def reported(text: str) -> Iterator[tuple[int, int]]:
    """What somebody is reported to have said, up to where the user doubts it or asks about it in the same paragraph."""
    for start, paragraph in paragraphs(text):
        if _EMBEDDED.search(paragraph) is not None:
            yield from (
                (start + told.start(), start + told.end()) for told in _EMBEDDED.finditer(paragraph) if _says_who(told)
            )
        found = _REPORTED.search(paragraph) or _REPORTED_ABROAD.search(paragraph)
        doubts = [doubt.start() for doubt in DOUBTED.finditer(paragraph, found.end())] if found else []
        if found and not doubts and (claimed := _CLAIMED.search(paragraph)) is not None and not _shows(claimed[0]):
            yield start + claimed.start(), start + claimed.end()
        if found and doubts and not _OWN_TURN.search(paragraph, found.end(), doubts[-1]):
            begins = max(paragraph.rfind(mark, 0, found.start()) + 1 for mark in ".!?\n")
            yield start + begins, start + doubts[-1]


def _says_who(told: re.Match[str]) -> bool:
    return told["rule"] is None or _SOURCE.search(told["lead"]) is not None


def _shows(claimed: str) -> bool:
    """Whether it only tells what something of the user's shows: "the faq still says paypal"."""
    shown = _SHOWING.search(claimed)
    return shown is not None and _RULING.search(claimed, shown.end()) is None
