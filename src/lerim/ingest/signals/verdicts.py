# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What later words make of what an agent said: a cause is confirmed or shown to be none, a plan is refused. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lerim.glance import seldom
from lerim.ingest.signals.text import topics
from lerim.text.sentences import sentences

#: How somebody says that what was found out is true.
CONFIRMS = re.compile(
    r"\W*(?:(?:yep|yes|yeah|yup|ok(?:ay)?|ah+|oh|great|nice|super|top|klasse|prima|perfekt|génial|perfect|cool|right|indeed|exactly|wow|ha|and|ja|jep|genau"
    r"|stimmt|oui|s[ií]|sim|ach|bingo)[ ,.!]+)*"
    r"(?:(?:that|this|it)(?:['’]?s| is| was| were) (?:it|exactly (?:it|that)|the (?:one|cause|problem|issue|bug"
    r"|culprit|reason))\b"
    r"|(?:exactly|precisely) (?:that|this|it)\b|(?:(?:genau )?das (?:war['’]?s|war es|ist es"
    r"|wars)|(?:genau|exakt) das\b|c['’](?:était|est) (?:bien )?(?:ça|cela)|era (?:eso|isso|questo)|eso era"
    r"|exactamente eso)"
    r"|(?:that|this|it) (?:did it|fixed it|solved it|works(?: now| again)?\b)|confirmed\b|works (?:now|again)\b"
    r"|(?:that |it )?makes (?:total |perfect |a lot of )?sense\b|of course\b"
    r"|(?:that |this )?explains (?:it|a lot|everything)"
    r"|(?:great|good|nice|super|excellent|brilliant|awesome|amazing) (?:find|catch|detective work|sleuthing)\b"
    r"|(?:well|good) spotted\b|bien vu\b|gut gefunden\b|(?:das|ça|eso|questo) (?:erklärt|explique|explica|spiega)\b)",
    re.I,
)
#: Who is that glad of what was just told, or wants it mended everywhere, takes it for true.
TAKES_UP = re.compile(
    r"\W*(?:(?:ah+|oh|aha+|wow|ok(?:ay)?)\W+)*(?:(?:yes+|yeah|yep|ja+|jep|oui|s[iíì]|sim|tak|да|aha+|bingo"
    r"|exactly|exakt|genau|exacto|exactement|esatto|exato) ?!"
    r"|(?:(?:yes|yep|ok(?:ay)?|ja|oui|sí|great|nice|then)\W+)*(?:do|fix|use|apply|mach|fais|haz) "
    r"(?:(?:that|this|it|the same|so|das|ça|eso|lo mismo) )+"
    r"(?:everywhere|in all|for all|too|überall|partout|en todas)\b)",
    re.I,
)
#: Who begins so wants nothing of what was said right before; "no problem", "no errors now" and "no idea" say otherwise.
_REFUSES = re.compile(
    r"\W*(?:(?:oh|hey|wait|hm+|ah+|uh|ok(?:ay)?|hold on|sorry|please|halt|stop)\W+)*"
    r"(?:no+(?=\W*$|\s*[,.!;:…–—]|\s+[-–—]|\s+(?:we|i|you|it|its|that|thats|this|these|those|the|not|never|keep|leave|use"
    r"|make|take|put|set|do|don['’]?t|dont|only|just|pl[sz]|please|way|stop|wait|because|he|she|they)\b"
    r"(?! (?:works|is (?:fine|good|ok|great|perfect)|looks))"
    r"|\s+\d[\d.,:]*(?: ?[a-zµ%]{1,5})?\s*(?:$|[,.;!]))"
    r"|nope\b|nah\b|nein\b|nee\b|non\b|não\b|surtout pas\b|auf keinen fall\b|bloß nicht\b|bitte nicht\b"
    r"|not (?:that|this|so|like (?:that|this))\b|never(?=\s*[!,.])|wrong\b|falsch\b"
    r"|(?:undo|revert) (?:that|it|this)\b|(?:take|put) (?:that|it|this) back\b)"
    r"(?!,? (?:problem|worries|idea|rush|hurry|doubt|objections?|thanks?|thx|danke|merci|gracias|more questions)\b)",
    re.I,
)
#: What is not to be done, whatever it is.
_FORBIDS = re.compile(
    r"(?:^|[.!;,\n]\s+|\bbut )(?:(?:ok(?:ay)?|and|but|please|pls)\W+)*(?:don['’]?t|do not|never)\b(?! (?:worry|mind))"
    r"(?P<what>[^.!;\n]{3,80})",
    re.I,
)
#: The fault is still there, whatever was done against it.
_STILL = seldom(
    r"\bstill (?!to (?:do|be)|open|missing (?:for|is|are)|need|want|have to|good|works?|fine|pass|ok\b|green|think|would"
    r"|like|not sure|left)(?:the same|there|here|not|no|too|\w+s\b|\w+ing\b|\w+ed\b|slow|broken|red|wrong|stuck|bad|get"
    r"|see|have)\b"
    r"|\b(?:makes?|made|has|had|shows?|is|was) no (?:diff?\w+|effects?|changes?|impact|improvement)\b"
    r"|^\W*no (?:diff?\w+|effects?|changes?|luck|improvement|better)\b"
    r"|\b(?:do(?:es)?|did|has|had|have)(?: not|n['’]?t) (?:really )?(?:help|change|fix|solve|matter|do (?:it|anything)|made? (?:a|any))"
    r"|\bsame (?:thing|errors?|problem|result|story|crash|failure|as before|again|numbers?|picture)\b"
    r"|\bnot (?:fixed|solved|gone|better)\b|\b(?:is|are|['’]s|and|just) back again\b|\bhappen(?:s|ed) again\b"
    r"|\b(?:immer noch|noch immer|nach wie vor|weiterhin|(?:bringt|hilft|half|brachte) (?:auch )?(?:nichts?|nicht)"
    r"|kein(?:en|e)? (?:unterschied|effekt|wirkung)|(?:gleiche[rs]?|selbe[rs]?) (?:fehler|problem))\b"
    r"|\btoujours (?:pareil|le même|la même|là|pas|aussi|en)\b|\b(?:ça )?(?:ne )?change rien\b|\bmême (?:erreur|problème)\b"
    r"|\bsigue (?:igual|fall|sin|pasando|\w+ndo)|\bno cambia nada\b|\bmismo (?:error|problema)\b|\bnon cambia\b"
    r"|\bcontinua (?:igual|a |\w+ndo)|\bnão muda nada\b|\bnog steeds\b|\bmaakt geen verschil\b",
    re.I,
)
#: It was something else.
_NOT_IT = seldom(
    r"\bnot (?:that|it|this|the (?:cause|reason|problem|culprit|issue))\b(?: either)?"
    r"|\b(?:that|this|it)(?: wasn['’]?t| was not| isn['’]?t| is not| ain['’]?t|['’]?s not) "
    r"(?:it\b|that\b|the (?:cause|reason|problem|culprit|issue|one)\b)"
    r"|\b(?:i was|i['’]ve been|my (?:first |earlier )?(?:guess|theory|hypothesis|assumption|diagnosis|idea) was) wrong\b"
    r"|\b(?:das|es|daran) (?:war es|war['’]?s|wars|lag es|lag['’]?s|ist es|liegt es|liegt['’]?s) (?:auch )?nicht\b"
    r"|\b(?:ce n['’](?:était|est)|c['’](?:était|est)) pas (?:ça|cela|la cause)\b|\bno (?:era|es) (?:eso|esto|la causa)\b"
    r"|\bnon (?:era|è) (?:quello|questo|quella)\b|\bnão (?:era|é) (?:isso|isto)\b|\bdat (?:was|is) het niet\b",
    re.I,
)
#: A step against the fault did nothing: "so the longer timeout didn't do it", "same error with the old version".
_DID_NOTHING = seldom(
    r"\b(?:did(?: not|n['’]t)|does(?: not|n['’]t)) (?:do it|help|fix (?:it|that|this)|change (?:anything|it|that))"
    r"|\bmade no difference\b|\bwithout effect\b|\bhad no effect\b|\bhalf (?:auch )?nicht\b|\bn['’]a rien changé\b",
    re.I,
)
#: And what is ruled out by its name: "so it isn't the version", "that rules the cable out".
_RULED_OUT = seldom(
    r"\b(?:so |then |hence )?(?:it|that|this) (?:is|was)(?: not|n['’]t) (?P<a>(?:the|a|an|because|due to) [^.;,]{3,60})"
    r"|\brules? out (?P<b>[^.;,]{3,60})|\b(?P<c>the [^.;,]{3,40}?) (?:is|are) ruled out\b"
    r"|\bthe (?P<d>[^.;,]{3,40}?) (?:is|was)(?: not|n['’]t) (?:the (?:cause|culprit|reason|problem)|to blame|it)\b"
    r"|\b(?:es|das) (?:ist|war|liegt|lag) (?:also )?nicht (?P<e>(?:an |am |der |die |das )[^.;,]{3,60})",
    re.I,
)
#: So far on, words may still be of it; and who speaks at length speaks of something else.
_TURNS_ON, _REPLY_CHARS = 3, 600
_WORKS = re.compile(r"(?:^|[,.!;] ?)(?:and |it |all )?(?:works|runs|boots|läuft|geht|marche|funciona)(?=\W|$)", re.I)
_WORKS_WORDS, _FEW_TOPICS = 8, 3
#: What an agent is at, or is about to do.
_PLANS = re.compile(
    r"\W*(?:(?:then|so|now|next|and|also)\W+)*(?:i(?:['’]ll| will|['’]m| am|['’]d| would)? |ich |je |j['’])(?!(?:have|did|was|had|habe"
    r"|ai|\w+ed)\b)\w|[^.;]{0,80}, and (?:set|put|make|raise|change|use)\b",
    re.I,
)
#: What a way is taken without: "2 but without the reset".
_LEFT_OUT = re.compile(
    r"\b(?:without|minus|except(?: for)?|but (?:no|not|skip|drop)|ohne|aber (?:kein\w*|nicht)|sans|mais pas(?: de)?|sin|pero (?:no|sin)"
    r"|senza|ma (?:non|senza)|sem|zonder|maar (?:geen|niet)) (?:(?:the|a|an|any|that|der|die|das|den|dem|le|la|les|el|los|las|il|lo|o|het|de) |l['’])?"
    r"(?P<what>[^,.;:!?\n]{2,60}?)(?= (?:because|since|as|for|please|pls|then|weil|car|parce|porque|perché)\b|\W*$|[,.;:!?\n])",
    re.I,
)
#: Where a part of a way begins.
_PART = re.compile(
    r"[;,]\s+(?:(?:and|then|plus|und|et|y|e|en)\s+)?|\s+(?:and|plus|with|und|mit|et|avec|y|con|e|com|en|met)\s+", re.I
)
_ASKS = re.compile(r"\?\W*$")


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """What the user said, and what the agent said until the user spoke again."""

    said: str
    answers: Sequence[str]


def confirms(text: str) -> bool:
    """Whether the user says that this was it."""
    is_glad = CONFIRMS.match(text) is not None or TAKES_UP.match(text) is not None
    return is_glad and not leaves_fault(text)


def refuses(text: str) -> bool:
    """Whether the user begins with a no."""
    return _REFUSES.match(text) is not None


def leaves_fault(text: str) -> bool:
    """Whether the user says that the fault is still there, or that it was something else."""
    head = text[:_REPLY_CHARS]
    said = [one for one in sentences(head)[:3] if not one.endswith("?")]
    return any(_STILL.search(one) or _NOT_IT.search(one) for one in said)


def says_it_runs(text: str) -> bool:
    """Whether the user says in few words that it works: "ha, boots, ran it twice, works"."""
    said = next(iter(sentences(text)), "")
    is_short = len(said.split()) <= _WORKS_WORDS and "?" not in said
    return is_short and _WORKS.search(said) is not None and not leaves_fault(text) and not refuses(text)


def is_refuted(claim: str, answered: HeardTurn, later: Sequence[HeardTurn]) -> bool:
    """Whether a cause that the agent told turns out to be none. `answered` has the message with the claim first in its
    answers, and what the agent said after it in the same turn; `later` are the turns after that."""
    about = topics(claim)
    subject = about | topics(answered.said)
    if any(_withdraws(text, about) for text in answered.answers[1:]):
        return True
    for number, turn in enumerate(later[:_TURNS_ON]):
        if confirms(turn.said) or says_it_runs(turn.said):
            return False
        if leaves_fault(turn.said) and (number == 0 or _is_of(turn.said, subject)):
            return True
        if number == 0 and refuses(turn.said) and not _ends_asking(answered.answers):
            return True
        if any(_withdraws(text, about) for text in turn.answers):
            return True
    return False


def _is_of(said: str, subject: frozenset[str]) -> bool:
    """Whether later words are of the same fault: they name it, or nothing else."""
    named = topics(next(filter(leaves_fault, sentences(said)), said))
    return len(named) < _FEW_TOPICS or bool(named & subject)


def _ends_asking(answers: Sequence[str]) -> bool:
    return bool(answers) and _ASKS.search(answers[-1]) is not None


def rules_out(sentence: str) -> bool:
    """Whether it says only what was not the cause."""
    return _NOT_IT.search(sentence) is not None or _DID_NOTHING.search(sentence) is not None


def _withdraws(text: str, about: frozenset[str]) -> bool:
    """Whether the agent says that it was not what it took for the cause: so much, or by its name."""
    return any(rules_out(one) or _names(one, about) for one in sentences(text))


def _names(sentence: str, about: frozenset[str]) -> bool:
    found = _RULED_OUT.search(sentence)
    named = topics(next(filter(None, found.groups()), "")) if found is not None else frozenset[str]()
    return bool(named & about)


def plans(sentence: str) -> bool:
    """Whether an agent says what it does, and not what it did or how it is."""
    return _PLANS.match(sentence) is not None


def refused(statements: Sequence[str], reply: str, *, is_stopped: bool = False) -> Iterable[str]:
    """Which sentences of an agent's message the user's next words refuse, or the call was that they announced. A no to
    a question is its answer; else it is meant of what was said last, and of what it speaks of."""
    is_no = is_stopped or refuses(reply)
    forbidden = [topics(found["what"]) for found in _FORBIDS.finditer(reply[:_REPLY_CHARS])]
    if not is_no and not forbidden:
        return
    is_answer = bool(statements) and _ASKS.search(statements[-1]) is not None
    named = topics(" ".join(sentences(reply[:_REPLY_CHARS])[:2])) if is_no else frozenset[str]()
    for place, one in enumerate(statements):
        about = topics(one)
        is_last = is_no and not is_answer and place == len(statements) - 1
        if rules_out(one):
            continue  # Both say that it was not it.
        if is_last or about & named or any(thing and thing <= about for thing in forbidden):
            yield one


def without_left_out(offered: str, reply: str) -> str:
    """A way that was offered, without the parts that the user took it without; all of it where nothing would be left."""
    left_out = frozenset[str]().union(*(topics(found["what"]) for found in _LEFT_OUT.finditer(reply)))
    if left_out.isdisjoint(topics(offered)):
        return offered
    ends = [*(found.span() for found in _PART.finditer(offered)), (len(offered.rstrip(". ")), len(offered))]
    told, begin = "", 0
    for at, (start, end) in enumerate(ends):
        part = offered[begin:start]
        if left_out.isdisjoint(topics(part)):
            mark = offered[ends[at - 1][0] : begin] if told else ""
            told += mark + part
        begin = end
    return told + offered[ends[-1][0] :] if topics(told) else offered
