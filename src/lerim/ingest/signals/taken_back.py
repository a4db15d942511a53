# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What takes a rule back: in the same breath ("hm actually do"), or later in the session ("allow it again"). Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.glance import seldom
from lerim.ingest.signals.cues import PUTS_RIGHT_AT_ONCE, SCRAPS_AT_ONCE
from lerim.ingest.signals.text import RULE_WORDS, topics
from lerim.text.clashes import clash
from lerim.text.sentences import sentences
from lerim.text.statements import statement
from lerim.text.stems import stem

#: How somebody turns against what they just said.
_TURN = (
    r"(?:ah+|oh+|hm+|uh+m?|um+|argh|well|wait|no+|nah|nope|sorry|actually|hang on|hold on|on second thoughts?|come to think of it"
    r"|ach|äh+m?|nee?|nein|moment|stopp?|halt|warte|eigentlich|obwohl|non|en fait|attends?|finalement|espera|mejor|en realidad|aspetta|anzi|in realtà|espera aí|na verdade)"
)
_TURNS = rf"(?:{_TURN}\b[,.…:!]*\s+)+"
_END = (
    r"(?=\W*$|[,.;:!…]|\s[–—-]|\s(?:because|since|cause|as|so|too|again|please|pls|anyway|weil|bitte|parce|porque)\b)"
)
_IT = r"(?:it|them|that|those|these|this|so)"
#: Who says so takes it back whatever it was.
_SCRAPS = re.compile(
    rf"(?:{_TURNS})?(?:nvm\b|nevermind\b|strike (?:that|it)\b|i take (?:that|it) back\b|forget (?:it|what i (?:just )?said)\b|(?:no,? )?doch nicht\b|vergiss (?:es|das|den satz)\b|quatsch\b"
    rf"|streich das\b|oublie(?:z)?(?: ça)?{_END}|laisse tomber\b|olv[ií]dalo\b|olvida (?:eso|lo)\b|lascia (?:stare|perdere)\b|esquece(?: isso)?{_END})",
    re.I,
)
#: After a turn these do what a rule forbade, or do not what it ordered.
_DOES_IT = re.compile(
    rf"{_TURNS}(?:(?:please|pls|let['’]?s|we should) )?(?:do(?: {_IT})?{_END}|(?:doch|si|s[ií])(?:{_END}| (?:mit|wieder|bitte|lieber|besser|que|mejor)\b)"
    rf"|(?:yes,? )?(?:go ahead|go for it|das (?:darf|soll) (?:man|er|sie|es)){_END})",
    re.I,
)
_DOES_NOT = re.compile(
    rf"{_TURNS}(?:(?:please|pls|let['’]?s|we|better|rather|lieber|besser|plutôt|mejor|meglio) )*(?:do not|don['’]?t|dont|not|never|nicht|pas|no|non)(?: {_IT})?{_END}"
    rf"|{_TURNS}(?:leave|keep|lass) (?:it|them|that|das|es)(?: (?:as (?:it is|is)|alone|so|out|raus))?{_END}",
    re.I,
)
_DO_VERB = re.compile(rf"{_TURNS}(?:(?:please|pls|let['’]?s) )?(?P<do>do )?(?P<verb>[^\W\d]+) (?P<what>[^\W\d]+)", re.I)
_DONT_VERB = re.compile(rf"{_TURNS}(?:do not|don['’]?t|dont|never) (?P<verb>[^\W\d]+)(?: {_IT}\b)?", re.I)
#: What is done in one place only is an exception.
_IN_PART = re.compile(
    r"\W*(?:only|just|for|in|on|with|when|if|at|from|as|to|once|during|except|unless|today|now|nur|für|bei|wenn)\b",
    re.I,
)
#: "Oh no, it's Monday. go ahead": what forbade it is not so.
_NOT_SO = re.compile(
    r"(?:(?:ah+|oh+|hm+|wait|sorry|ach)\b[,.…]* )*(?:no+|nah|nee?|nein|non),? (?:(?:it|that|today|this|he|she)(?:['’]?s| is)|we['’]?re|es ist|heute ist|das ist|c['’]est|on est|es|hoy es)\b"
    r"[^?!\n]{2,40}?[.,;!–—-]+ *(?:so |then |ok(?:ay)? |also |dann |alors )*(?:go(?: ahead| on| for it)?|do it|ship it|deploy(?: it)?|push(?: it)?|merge(?: it)?|leg los|mach(?:s| es)?|vas[- ]y|dale)(?=\W*$|[,.;!])",
    re.I,
)
_DENIES = re.compile(
    r"\b(?:do not|don['’]?t|dont|never|no|not|without|stop|avoid|niemals?|nie|kein\w*|nicht|ohne|jamais|pas|plus de|nunca|no|sin|mai|senza|nada)\b",
    re.I,
)
#: Within a sentence: where it turns against its beginning.
_TURNING_POINT = re.compile(
    r"\s*(?:,|;|\.{2,}|…|\s[–—-]+)\s*(?=(?:(?:ah+|oh+|hm+|ach),? )*(?:nvm\b|never ?mind\b|scratch (?:that|it)\b|scrap that\b|strike that\b|forget (?:that|it)\b|on second thoughts?\b|doch nicht\b|vergiss es\b|quatsch\b"
    r"|(?:no|nah|nope),? (?:wait|actually|sorry)\b(?!,? (?:only|except|but|not)\b)|wait,? no\b|actually,? (?:no|do|don['’]?t)\b|(?:nah|nope|nee|ah non|en fait|mejor no|anzi no)\b,? \w))",
    re.I,
)
#: Later in the session: what was ruled out is there again, or what was ruled is over.
_AGAIN = seldom(
    r"(?<=\w),? after all\b(?=\W*$|[,.;!]| (?:then|please|pls|because|since)\b)|\b(?:put|bring|turn|switch|get|take) (?:\w+ ){1,3}?back(?: (?:in|on))?\b(?! to\b)|\b(?:put|bring|turn) back\b"
    r"|\b(?:allow|enable|permit|use) (?:\w+ ){1,4}?again\b|\b(?:is|are) (?:fine|ok(?:ay)?|allowed|permitted|possible) (?:again|now|after all)\b"
    r"|\bdoch (?:wieder|noch|mit|rein|an|nicht|erlaub\w*|zulassen)\b|\bwieder (?:rein|an|erlaub\w*|zulassen|zurück)\b|\bremets\b|\bremettez\b|\bfinalement (?:on|il faut|oui|si)\b|\bde nouveau\b|\bal final s[ií]\b|\bvuelve a\b|\bde nuevo\b|\brimetti(?:l[oa])?\b",
    re.I,
)
#: The same of what only "it" names: what was ruled on last.
_HAS_IT_BACK = seldom(
    r"\b(?:put|bring|turn|switch|get|take) (?:it|them|that) back\b(?! to\b)|\b(?:allow|enable|permit|use) (?:it|them|that) again\b|\b\w+ (?:it|them|that)\b(?: \w+){0,2}?,? after all\b"
    r"|\bwe (?:do )?need (?:it|them|that) (?:back|again)\b|\b(?:drop|lift|undo|remove|cancel|forget) (?:that|the|this) (?:rule|ban|restriction)\b"
    r"|\b(?:es|das|sie|ihn|die) doch (?:wieder|noch|rein|an|erlaub\w*|zulassen)\b|\bdoch wieder (?:rein|an|erlaub\w*|zulassen)\b|\bremets[- ](?:le|la|les)\b|\brimettil[oa]\b|\bvuelve a (?:poner|permitir)l[oa]s?\b",
    re.I,
)
#: For one case, or told of the past: no rule is over by it.
_THIS_ONCE = re.compile(
    r"\b(?:(?:just |only )?(?:this|for) (?:once|one time|time)|(?:just|only) (?:this|for|in|on|today|now)|once|today|for now|temporar\w+|exception\w*|yesterday|last (?:week|time)|was|were|diesmal|einmal|heute|ausnahme\w*"
    r"|cette fois|aujourd['’]hui|esta vez|hoy|except|unless|if|wenn|falls|si)\b|\?",
    re.I,
)
_ENOUGH = 0.5


def turning_points(sentence: str) -> tuple[tuple[int, int], ...]:
    """The gaps where a sentence turns against its beginning: "never cache it - nah, cache it"."""
    return tuple(found.span() for found in _TURNING_POINT.finditer(sentence) if found.start() > 0)


@lru_cache(maxsize=4096)  # Who parts a message and who reads its parts ask.
def taken_back_at_once(rule: str, after: str) -> bool:
    """Whether what follows right behind a rule takes it back: "don't send it. hm actually do"."""
    after = after.lstrip(" .,;:!…\n–—-")
    if any(one.match(after) for one in (_SCRAPS, SCRAPS_AT_ONCE, PUTS_RIGHT_AT_ONCE)):
        return True
    if _DENIES.search(rule) is None:
        return _DOES_NOT.match(after) is not None or _is_deed(rule, after, _DONT_VERB.match(after))
    return _DOES_IT.match(after) is not None or _NOT_SO.match(after) is not None or _is_done(rule, after)


def _is_deed(rule: str, after: str, found: re.Match[str] | None) -> bool:
    """Whether it is the deed of the rule, and not for one place only."""
    is_named = found is not None and stem(found["verb"].lower()) in _stems(rule)
    return found is not None and is_named and _IN_PART.match(after, found.end()) is None


def _is_done(rule: str, after: str) -> bool:
    """Whether it orders what the rule forbids: "nah, index them"."""
    found = _DO_VERB.match(after)
    if found is None or not _is_deed(rule, after, found):
        return False
    is_same = re.fullmatch(_IT, found["what"], re.I) or stem(found["what"].lower()) in _stems(rule)
    return bool(is_same or found["do"])


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word.lower()) for word in re.findall(r"[^\W\d]+", text))


def undone_later(rule: str, later: str, *, is_next: bool) -> bool:
    """Whether a later message undoes a rule: it orders the opposite, or has the thing back again."""
    said = [one for one in sentences(later) if _THIS_ONCE.search(one) is None]
    return any((is_next and _HAS_IT_BACK.search(one) is not None) or _is_opposite(rule, one) for one in said)


def _is_opposite(rule: str, said: str) -> bool:
    about = topics(rule) - RULE_WORDS
    if len(about & topics(said)) < max(1, _ENOUGH * len(about)):
        return False
    found = clash(statement(said, ""), statement(rule, ""), by_value=False)
    return _AGAIN.search(said) is not None or (found is not None and found.is_sure and found.is_denial)
