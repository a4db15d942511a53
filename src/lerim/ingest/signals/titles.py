"""Whether a title says what holds, to somebody who was not there: nothing points away from it, and nothing passes.

The rules are for English. What is said in another language is only looked at for questions and cuts.
"""

from __future__ import annotations

import re

from lerim.ingest.signals.phrasing import is_order
from lerim.ingest.signals.text import topics
from lerim.ingest.words import is_english
from lerim.text.words import words

_FEWEST_WORDS, _MOST_WORDS = 4, 28
_FEWEST_TOPICS = 2
#: Before a pronoun so much has to be named that it can stand for.
_NAMED_BEFORE = 2

_CODE = re.compile(r"`[^`]*`")
_CUT = re.compile(
    r"…|\.\.\.|[:,;(–—-]$|\b(?:and|or|but|to|the|a|an|of|with|for|in|on|at|by|from|as|if|so|than|that|can|should|must|will|is|are|not|we|i|you)$",
    re.I,
)
_ASKS = re.compile(
    r"(?:do (?:we|you|i|they|these|those)|does|did|didn['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|is (?:it|there|this|the)"
    r"|are (?:there|we|you|the)|can (?:i|you|we)|could (?:you|we)|should (?:i|we)|would|will (?:it|this|you)|why|how"
    r"|what(?! (?:the|we|you)\b.{3,60}\b(?:is|must|should)\b)|where|which|who)\b",
    re.I,
)
# What depends on something has to say on what, and then what.
_CONDITION = re.compile(r"(?:if|when|while|once|whenever|unless|until|after|before|as soon as|in case)\b", re.I)
_WONDERS = re.compile(r"\b(?:should|shall|can|could|do) (?:we|i)\b", re.I)
# Where no statement begins: in the middle of a thought, or of another's sentence.
_MIDDLE = re.compile(
    r"(?:and|or|but|so|because|since|although|though|while|whereas|unless|like|given|besides|then|than|which|who|whose"
    r"|also|too|instead|otherwise|plus|etc|even|rather|especially|for (?:example|instance|now|reference)|e\.?g|i\.?e"
    r"|of|to|at|by|as|into|onto|there|here|same|both|yes|no,|man|oh|wow|now|just|maybe|perhaps|probably|once|again|still"
    r"|already|currently|previously|far|anyway)\b|[^\w`\"'(\[@#./$<*-]|&|\.{2}|-{1,2}(?!\w)|\((?!\w)",
    re.I,
)
_PLACE = r"(?:repo|repository|project|app|application|codebase|code base|package|workspace|monorepo|site|product|team|machine|company|library|service)"
_POINTS = re.compile(
    rf"(?:^|[ (])#\d+|\b(?:do|for|option|item|number|point|question|step|phase|issue|pr) \d{{1,2}}\b(?!%)|"
    rf"\b(?:this|these|those)\b(?! {_PLACE}\b)|\b(?:above|below|following|aforementioned|former|latter)\b"
    r"|\bthat\b(?=$|[,.;:!)]| (?:is|was|one|way|too|again|as well|for|in|on|at|to|with|from|file|page|part|line|thing"
    r"|section|button|test|error|issue|bug|commit|branch|change|function|case|point)\b)"
    r"|(?:^|\b(?:do|does|like|about|of|with|use|keep|remove|fix|make|than|after|before|all|see|know|did) )that\b"
    r"|\b(?:the other|another) (?:one|way)\b|\b(?:both|all|some|each|one|any|none|most) of (?:them|these|those)\b",
    re.I,
)
_PRONOUN = re.compile(
    r"\b(?:it|its|it['’](?:s|ll|d)|they|them|their|theirs|they['’]\w+|he|she|him|her|his|one|ones)\b", re.I
)
_SELF = re.compile(r"\b(?:i|i['’](?:m|ve|ll|d)|me|my|mine|myself)\b", re.I)
# The user may stand in a rule about them: "unless I ask".
_OF_THE_USER = re.compile(
    r"\b(?:unless|until|before|after|when|if|whenever|without) (?:i|asking me|telling me)\b|\b(?:ask|tell|show|give|call|send"
    r"|remind|warn|notify) me\b|\bfor me\b|\bwith me\b|\bmy (?:approval|permission|consent|own|name|machine|confirmation)\b",
    re.I,
)
_SPOKEN_TO = re.compile(
    r"you(?:['’](?:ve|re|d)| are| were| have| had| did| just| missed| forgot| broke| seem| said| told| mean| keep|r)\b|your\b"
    r"|\b(?:thanks?|sorry|please|lol|haha|hey|hi|wtf|damn|ugh|dude|bro)\b",
    re.I,
)
_HEDGE = re.compile(
    r"\b(?:might|maybe|perhaps|probably|i guess|wonder\w*|not sure|unsure|seems?|looks like|apparently|i think|kinda"
    r"|sort of|somehow|whatever|or something|i suppose|curious|what if|if possible|consider)\b",
    re.I,
)
# How things went wrong, or go on right now: the next session finds them otherwise.
_REPORT = re.compile(
    r"\b(?:(?:is|are|was|were|do|does|did|am|it['’]s) ?(?:still |currently |now )?(?:not|n['’]t) (?:\w+ing|work|show|display|sav|load|appear|popul)\w*"
    r"|(?:isn|aren|wasn|doesn|didn|don)['’]?t (?:work|show|display|sav|load|appear|popul)\w*|not working|still (?:not|no|getting|see|have|has|the|a|there|wrong|broken)"
    r"|(?:got|get|getting|see|seeing|saw|have|hit|throws?|gives?|returns?) (?:an? |the |this |that |some |same )*(?:\w+ )?(?:errors?|exception|issue|problem|warning)\b"
    r"|(?:is|are|was|looks?|seems?|got) (?:broken|wrong|missing|gone|failing|stuck|weird|off|great|good|bad|terrible|awesome|perfect|fine)\b"
    r"|(?:does|do) not (?:match|show|appear|update|save|load)|no way to|(?:is|are) not (?:correctly|properly) \w+|never called"
    r"|failed|fails with|unable to|cannot find|could not|couldn['’]t|undefined|uncaught|traceback|exception|segfault|white screen|crash(?:es|ed|ing)?"
    r"|(?:a|the|another|one|same|previous|last) (?:bug|error|problem|issue)\b|(?:error|warning|exception|fatal): |errno|stack trace)",
    re.I,
)
_LEAD = r"(?:(?:please|pls|first|then|now|next|also|go|let['’]?s|ok|okay|and)[, ]+)*"
# Looking, asking and carrying on are work for this moment, whatever words of a rule stand behind them.
_LOOKING = re.compile(
    rf"{_LEAD}(?:investigate|check|recheck|confirm|double[- ]?check|verify|review|look|show|find|figure|explain|tell|list|read"
    r"|continue|proceed|start|begin|go|try|retry|debug|rerun|analy[sz]e|explore|research|search|summari[sz]e|describe"
    r"|discuss|chat|think|see|reply|respond|answer|draft|finish|complete|stop|undo|revert|restore|dig|redo|repeat|track"
    r"|trace|determine|identify|evaluate|assess|audit|plan|prepare|give|post|help|resume|walk|ignore|click|reload|refresh"
    r"|inspect|locate|produce|supervise|based on|switch|include|save|you can (?:now |then )?(?:switch|start|go|begin|continue|proceed))\b",
    re.I,
)
# So is changing something; what it is changed by may last, and is then said with a rule's words.
_ERRAND = re.compile(
    rf"{_LEAD}(?:fix|validate|run|commit|push|pull|deploy|redeploy|merge|rebase|restart|compare|open|close|create|implement"
    r"|build|install|generate|wait|clean|refactor|improve|design|take|get|set up|setup|download|upload|copy|paste|test|wrap"
    r"|spin|bring|modify|adjust|tweak|update|add|remove|delete|move|change|rename|make(?! sure)|set|put|do(?! not)|write"
    r"|wrote|added|removed|updated|created|fixed)\b",
    re.I,
)
_LASTS = re.compile(
    r"\b(?:always|never|must(?! be a\b)|only|every ?time|whenever|from now on|by default|no longer|instead of|rather than|"
    r"(?:do not|don['’]t|must not|should not|shouldn['’]t) \w+|avoid|prefer\w*|require[ds]?|unless|without)\b",
    re.I,
)
# Work for this moment, though a rule's words are in it: "don't implement yet".
_THIS_ONCE = re.compile(
    r"\b(?:yet|this time|right now|until you|to-?dos?|listed|again|your (?:job|task|findings)|before i|next steps?|first,? (?:and )?then|(?:our|your|my) changes"
    r"|as you (?:go|work)|when (?:you are )?done|(?:done|task|goal|context)(?:\.|:| when\b))\b|\[redacted",
    re.I,
)
# What is chosen, forbidden, wanted or so by nature.
_SETTLES = re.compile(
    r"\b(?:must|shall|should|always|never|only|no longer|instead of|rather than|by default|not allowed|may not|needs? to"
    r"|has to|have to|required?|requires|prefer\w*|avoid|unless|every|no|do not|don['’]t|means|(?:is|are) (?:the|our|not"
    r"|called)|we (?:use|have|share|run|support|want|do not|don['’]t))\b|,? not \w",
    re.I,
)
_STARTS_SETTLING = re.compile(
    r"(?:use|keep|stick|default|treat|store|name|pin|follow|enforce|require|reject|drop)\b", re.I
)
_TOLD = re.compile(r"\b(?:was|were|had|got|did|will|went|could|would|may)\b", re.I)
_STRONG = re.compile(r"\b(?:must|should|never|always|only|no longer)\b", re.I)
_SAYS = re.compile(
    r"\b(?:is|are|be|has|have|was|were|must|should|shall|will|can|cannot|can['’]t|won['’]t|may|does|do|don['’]t|doesn['’]t|isn['’]t|aren['’]t"
    r"|needs?|uses?|stays?|goes|go|belongs?|lives?|runs?|requires?|supports?|means?|keeps?|shows?|returns?|gets?|takes?|comes?"
    r"|makes?|holds?|gives?|works?|fails?|breaks?|allows?|lets?|wins?|reads?|writes?|sends?|stores?|starts?|ends?|follows?"
    r"|contains?|includes?|applies|depends|defaults?|expects?|opens?|closes?|loads?|maps?|points?|sits?|stands?|serves?|ships?|want)\b",
    re.I,
)


def stands_alone(title: str) -> bool:
    """Whether a title is a whole statement that nobody has to look up: it names its subject, and neither asks nor ends
    in the middle."""
    if title.endswith(("?", "？")) or _CUT.search(title):
        return False
    if not is_english(title):
        return len(topics(title)) >= _FEWEST_WORDS
    if not _FEWEST_WORDS <= len(title.split()) <= _MOST_WORDS or len(topics(title)) < _FEWEST_TOPICS:
        return False
    if _CONDITION.match(title) and ", " not in title and not _SETTLES.search(title):
        return False
    if (
        _MIDDLE.match(title)
        or _WONDERS.search(title, 1)
        or (_ASKS.match(title) and ": " not in title)
        or not _is_balanced(title)
        or _shouts(title)
    ):
        return False
    return _names_all(_CODE.sub("`code`", title)) and _has_a_verb(title)


def settles(title: str) -> bool:
    """Whether a title says by itself that something holds: it rules, forbids, chooses or defines."""
    text = _CODE.sub("`code`", title)
    return _SETTLES.search(text) is not None or _STARTS_SETTLING.match(text) is not None


def is_passing(title: str) -> bool:
    """Whether a title tells of the moment: an errand, what went wrong, what somebody wonders or says to somebody."""
    text = _CODE.sub("`code`", title)
    if _THIS_ONCE.search(text) or _LOOKING.match(text) or (_TOLD.search(text) and not _STRONG.search(text)):
        return True
    if _SPOKEN_TO.match(text) or _HEDGE.search(text) or (_SELF.search(text) and not _OF_THE_USER.search(text)):
        return True
    lasts = _LASTS.search(text) is not None
    return (_REPORT.search(text) is not None or _ERRAND.match(text) is not None) and not lasts


def _has_a_verb(title: str) -> bool:
    title = re.sub(r"^(?:only|always|never) ", "", title, flags=re.I)
    return is_order(title) or any(pattern.match(title) for pattern in (_ERRAND, _LOOKING)) or bool(_SAYS.search(title))


def _is_balanced(title: str) -> bool:
    return title.count("(") == title.count(")") and title.count("`") % 2 == 0 and title.count('"') % 2 == 0


def _shouts(title: str) -> bool:
    letters = [character for character in title if character.isalpha()]
    return sum(map(str.isupper, letters)) * 2 > len(letters)


def _names_all(title: str) -> bool:
    """Whether every word that stands for something has it before it."""
    if _POINTS.search(title):
        return False
    return all(
        len(set(words(title[: found.start()])) & _told(title)) >= _NAMED_BEFORE for found in _PRONOUN.finditer(title)
    )


def _told(title: str) -> set[str]:
    return {word for word in words(title) if topics(word)}
