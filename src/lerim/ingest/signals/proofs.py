"""What an agent says that it proved: its mark, what it tells, and whether anybody asked for it or doubts it. Pure."""

from __future__ import annotations

import re

from lerim.ingest.signals.cues import user_cues

#: Somebody who asks or doubts does so at the beginning.
_BEGINNING = 400
_SURE_MARK = (
    r"proved|proven|found (?:it|the (?:\w+ )?(?:cause|culprit|reason|problem|bug|issue|leak))|root cause|that was it"
    r"|smoking gun"
)
_MARK = re.compile(
    r"(?:^|[.!?]\s+|\n)[*_# ]*(?:(?:yes|yep|ok(?:ay)?|indeed|so|and)[,.!:]* )?"
    rf"(?:(?:(?P<sure>{_SURE_MARK})|verified|confirmed|reproduced|that(?:['’]s| is) it|got it|there it is)"
    r"(?: (?:by|with|in|on|against|via|locally)\b[^:.!?\n]{0,40})?[*_]*\s*[:.,!–—-]+[*_]*\s+(?=\S)"
    r"|(?:this|that|it|the (?:test|check|log|trace|profile|experiment|measurement)) (?:(?P<proves>proves)|confirms)"
    r" (?:that )?(?=\w))",
    re.I,
)
#: How work went is no finding, however surely it is known.
_WENT_WELL = re.compile(
    r"\btests? (?:now )?(?:all )?pass|\b(?:all|everything) (?:is )?(?:green|good|fine|done|works?|in place|passes)\b"
    r"|\b(?:build|lint|suite|ci|pipeline|page|endpoint|app|site|deploy(?:ment)?|it) (?:now )?"
    r"(?:is (?:green|clean|live|up|fine)|passes|succeeds|succeeded|works|loads|renders|runs (?:fine|clean))\b"
    r"|\bno (?:errors?|regressions?|failures|issues|changes|conflicts)\b|\b(?:pushed|merged|committed|deployed)\b",
    re.I,
)
#: Why something is so, or what was seen only under one condition.
_TELLS_WHY = re.compile(
    r"\b(?:caus(?:e|ed|ing)|because|culprit|reason|due to|not (?:the|a|an)\b|so (?:it|the)\b"
    r"|only (?:when|if|with|after|on|in)\b|as soon as|without|whenever|every time|(?:none|all|\d+) of (?:the )?\w+"
    r"|before,? .{2,40} after|(?:was|is) (?:the|never)|leak\w*|twice|instead of|two|same"
    r"|misses|lacks|ignores|overwrites|stale|swallows|races?|collides?|shadows)\b"
    r"|\b(?:drops?|rises?|falls?|fails?|goes|went|fell|rose) (?:to|from|after|above|below)\b",
    re.I,
)
#: Who asks for a check or for why, or tells of trouble.
_SEEKS = re.compile(
    r"\b(?:prove|proof|verify|confirm|reproduce|(?:double[- ]?)?check|are you sure|find out|figure out|why"
    r"|what(?:['’]?s| is) (?:happening|going on|wrong)|look into|see (?:if|whether)|debug|investigate|profile|measure"
    r"|try|lost|missing|restart\w*|reboots?|resets?|oom\w*|slow\w*|stutter\w*|leak\w*|flak\w*|wrong|blank|twice|hangs?"
    r"|complain\w*|suspicious|eats?|times? out|too (?:good|high|low|slow|big|many|much)|corrupt\w*|unavailable)\b",
    re.I,
)
_DOUBTS = re.compile(
    r"\b(?:not (?:convinced|sure|true|right|it|the (?:cause|reason|problem))|don['’]?t (?:believe|think|buy)|doubt\w*"
    r"|disagree|wrong|nonsense|still (?:happens?|fails?|broken|there|the same|slow|crash\w*)|(?:can['’]?t|cannot) be"
    r"|are you sure|but (?:then )?why|really\?)\b|^\W*(?:no|nope|nah|hm+ no|wait)\b(?! problem)(?! thanks)",
    re.I,
)


def tells_proof(text: str, *, is_cause: bool) -> bool:
    """Whether an agent says that it proved something, and tells why something is so: not how its work went."""
    mark = _MARK.search(text)
    if mark is None:
        return False
    told = text[mark.start() :]
    if "?" in told or _WENT_WELL.search(told) is not None:
        return False
    return is_cause or _is_sure(mark) or _TELLS_WHY.search(told) is not None


def says_it_is_proved(text: str) -> bool:
    """Whether it says so in words that nobody uses for work that went well."""
    mark = _MARK.search(text)
    return mark is not None and _is_sure(mark)


def seeks_cause(text: str) -> bool:
    """Whether the user asks why, wants it checked, or tells what goes wrong."""
    return _SEEKS.search(text) is not None or "error" in user_cues(text[:_BEGINNING])


def doubts(text: str) -> bool:
    """Whether a reply does not believe it."""
    return _DOUBTS.search(text[: _BEGINNING // 2]) is not None


def _is_sure(mark: re.Match[str]) -> bool:
    return bool(mark["sure"] or mark["proves"])
