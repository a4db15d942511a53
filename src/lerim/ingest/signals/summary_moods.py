"""What people say when they are annoyed: it tells nothing of the work, and is left out. Pure."""

from __future__ import annotations

import re

_LEADS = (
    r"(?:(?:no+|nope|nah|o+mg|wtf|u+gh|a+r+gh|ffs|h+m+|come on|seriously|really|again|still|man|dude|jesus|sorry|hey|oh"
    r"|ah|wait|but|and|so|well|ok|ehm?|sigh|damn|what|now|this time|great)\b\W*)*"
)
_THIS = r"(?:that|this|it|thats|its|these|they|everything|all(?: of (?:it|that|this))?)"
_MUCH = (
    r"(?:(?:still|again|just|totally|completely|really|so|too|all|now|even|always|not|way|kind of|a bit|suddenly)\s+)*"
)
_BAD = (
    r"(?:wrong|bad|broken|worse|ugly|awful|terrible|horrible|nonsense|rubbish|garbage|crap|shit|bullshit|stupid|weird"
    r"|incorrect|a joke|ridiculous|annoying|unusable|useless|slow|buggy|right|good|working|true|it|the same|funny"
    r"|enough|happening|acceptable|great)"
)
_AGAIN = (
    r"(?:\s+(?:again|now|still|yet|at all|already|either|too|anymore|any more|here|once more|every time|all the time))*"
)
#: A whole clause that only says that somebody is not content.
_SCOLDING = re.compile(
    rf"{_LEADS}(?:"
    rf"{_THIS}(?:['’]?s| is| are| was| looks?| feels?| seems?| got| gets)? {_MUCH}{_BAD}{_AGAIN}"
    rf"|{_MUCH}(?:wrong|broken|bad|the same|nothing|not working|fails|failing){_AGAIN}"
    rf"|{_THIS}? ?{_MUCH}(?:does ?n[o'’]?t|doesnt|dont|do not|did ?n[o'’]?t|didnt|wont|won['’]t) "
    rf"(?:work|help|look right|look good|fix (?:it|anything)|change (?:it|anything)|do (?:it|anything)){_AGAIN}"
    rf"|{_THIS} (?:fails|crashes|breaks|happens){_AGAIN}"
    rf"|why (?:is|are|does|do|did|would) (?:{_THIS}|you|there) {_MUCH}\w+(?: (?:so )?long| it| that| this)?{_AGAIN}"
    rf"|why (?:so|not|again)(?: \w+)?|how (?:can|could) (?:that|this|it) (?:be|happen)(?: so \w+)?{_AGAIN}"
    r"|how (?:often|many times)\b[^.?!]*|what (?:the )?(?:hell|heck|f\w+)\b[^.?!]{0,20}"
    r"|what (?:is|was) (?:this|that)(?: (?:crap|shit|mess|supposed to be))?"
    r"|what (?:have|did) you (?:do|done|changed?|break)"
    r"|(?:did|do|have|are|can) you (?:even |actually |really |not )*(?:test|read|listen|look|kidding|serious|sure"
    r"|joking|drunk|stupid)\w*(?: (?:it|this|that|at all|at it|to me|what i wrote))*"
    rf"|you (?:just |again )?(?:broke|ruined|messed up|destroyed) (?:it|that|this|everything){_AGAIN}"
    r"|(?:i )?(?:already )?(?:told|said|asked) (?:you|that|it|this)(?: (?:already|twice|before|\w+ times?))*"
    rf"|not (?:again|good|like (?:that|this)|what i (?:asked|said|meant|wanted)(?: for)?|cool|ok|really|quite){_AGAIN}"
    r"|(?:that|this|it)(?:['’]?s| is| was) not (?:what i (?:asked|said|meant|wanted)|how (?:it|that) (?:works|goes))"
    r"(?: for)?"
    r"|(?:this|that|here) is (?:what|how) (?:i|we|it) (?:get|see|have|got|looks?)(?: now)?"
    r"|(?:see|look) (?:above|below|here|at (?:this|that|it))"
    r"|(?:try|look|read|think|check) (?:it |that )?again|do (?:it|that) (?:again|properly|right)"
    r"|you['’]?re (?:wrong|not listening)"
    r"|(?:wtf|omg|ffs|argh|ugh|damn|seriously|really|unbelievable|come on|sigh|nope|wrong|again|hello)"
    r")\W*",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"\b(?:good|right|great|working|works|true|cool|ok)\b(?<!not right)(?<!not good)", re.IGNORECASE)
#: What was to be mended is as it was, or something else was meant.
_STILL = re.compile(
    r"\W*(?:(?:no|hm+|but|ok|better|and|oh|ah)\W+)*(?:[^.!?\n]{0,40}\b(?:is|are|does|do|has|have) still\b|still\b"
    r"|not \w+(?: \w+)?, )",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[,;:!?.–—-])\s+|\s+(?=but\s)|(?<=[!?…])(?=\w)")


def is_scolding(text: str) -> bool:
    """Whether a message says first of all that something is not right."""
    first = _CLAUSE.split(text.strip(), maxsplit=1)[0]
    return (_SCOLDING.fullmatch(first) is not None and _CONTENT.search(first) is None) or _STILL.match(text) is not None


def unscolded(text: str) -> str:
    """A sentence without the clauses that only scold; nothing where that is all of it."""
    clauses = _CLAUSE.split(text)
    kept = [one for one in clauses if _SCOLDING.fullmatch(one) is None]
    if len(kept) == len(clauses):
        return text
    told = " ".join(kept).strip(" ,;:-–—")
    return re.sub(r"^(?:but|and|so)\s+", "", told, flags=re.IGNORECASE)
