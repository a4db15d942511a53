"""Whether a title says what holds, to somebody who was not there: nothing points away from it, and nothing passes.

The rules are for English. What is said in another language can only be looked at for questions and cuts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.glance import seldom
from lerim.ingest.signals.phrasing import capital, is_order
from lerim.ingest.signals.rulings import rules_for_good
from lerim.ingest.signals.text import RULE_WORDS, topics
from lerim.text.words import words

_FEWEST_WORDS, _MOST_WORDS = 4, 28
_FEWEST_TOPICS = 2
#: Before a pronoun so much has to be named that it can stand for.
_NAMED_BEFORE = 2

_CODE = re.compile(r"`[^`]*`")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
#: "Never force push" says all of it.
_SHORT_RULE = re.compile(r"(?:always|never|prefer|avoid) [\w-]+ [\w-]+$", re.I)
_CUT = seldom(
    r"[<>|=+&/\\]$|…|\.\.\.|[:,;(–—-]$|\b(?:and|or|but|to|the|a|an|of|with|for|in|on|at|by|from|as|if|so|than|that"
    r"|can|should|is|are|was|were|be|because|mainly|partly|(?<!or )not|weil|und|oder|aber|sondern|mais|parce que|sino"
    r"|pero|must|will|we|i|you|(?:and|or) (?:best|other|more|also|then))$",
    re.I,
)
_ASKS = re.compile(
    r"(?:do (?:we|you|i|they|these|those)|does|did|didn['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|is (?:it|there|this|the)"
    r"|are(?= \w)|can (?:i|you|we)|could (?:you|we)|should (?:i|we|it|the|this)|would|will (?:it|this"
    r"|you)|why|how"
    r"|what(?! (?:the|we|you)\b.{3,60}\b(?:is|must|should)\b)|where|which|who)\b",
    re.I,
)
# What depends on something has to say on what, and then what.
_CONDITION = re.compile(r"(?:if|when|while|once|whenever|unless|until|after|before|as soon as|in case)\b", re.I)
_REQUESTS = seldom(
    r"(?:^|[.!;,:\n] *|\b(?:ok|okay|so|wait|and|but|also|then|hmm+|yes|no)[, ]+)"
    r"(?:(?:can|could|would|will) (?:you|u|we|i|it)|(?:should|shouldn['’]?t|does|did|is|isn['’]?t|are|aren['’]?t)"
    r" (?:we|i|it|you|there|they|this|that|the)\b(?! not)|(?:do|don['’]?t) (?:we|i|you|they)\b(?! not)"
    r"|(?:why|how|where|which|who)\b"
    r"|what(?:['’]s| (?:is|are|about|if|do|does|would|else)))\b"
    r"|\b(?:seems?(?: like)?|looks like|maybe|perhaps|not sure|unsure|wonder\w*|i guess|in theory|any (?:ideas"
    r"|thoughts))\b",
    re.I,
)
_WONDERS = seldom(r"\b(?:should|shall|can|could|do) (?:we|i)\b", re.I)
# Where no statement begins: in the middle of a thought, or of another's sentence.
_MIDDLE = re.compile(
    r"(?:and|or|but|so|because|since|although|though|while|whereas|unless|like|given|besides|then|than|which|who|whose"
    r"|also|too|instead|otherwise|plus|etc|even|rather|especially|for (?:example|instance|now|reference)|e\.?g|i\.?e"
    r"|of|to|at|by|as|into|onto|there|here|same|both|yes|no,|no (?:idea|clue|problem|worries|matter)|man|oh|wow|now"
    r"|just|maybe|perhaps|probably|once|again"
    r"|still|already|currently|previously|far|anyway|be able|approved|agreed|done|correct|confirmed|sounds|nvm"
    r"|never ?mind|in case|in theory|similar"
    # A limit without what it limits: "only for the payments topics", "never with -f".
    r"|(?:only|never) (?:for|with|on|in|at|from|by|after|before|via|until))\b|[^\w`\"'\[@#./<*-]|\.{2}|-+(?![\w-])",
    re.I,
)
_PLACE = (
    r"(?:repo|repository|project|app|application|codebase|code base|package|workspace|monorepo|site"
    r"|product|team|machine|company|library|service)"
)
_POINTS = seldom(
    r"(?:^|[ (])#\d+"
    r"|\b(?:do|option|item|number|point|question|step|phase|issue|pr) (?:\d{1,2}|[b-h]|(?-i:A))\b(?!%)"
    # "For 2, use …" points; "for 30 days" and "for C programs" do not.
    r"|\bfor (?:\d{1,2}|[b-h]|(?-i:A))\b(?!%)"
    r"(?! (?!(?:and|or|as|because|since|we|i|you|it|is|was|please|but|then|use|do)\b)\w)"
    rf"|\b(?:this|these)\b(?! (?:\w+ )?{_PLACE}\b)"
    r"|\bthose\b(?! (?:that|who|which|of|with|in)\b)|\b(?:above|below|following|aforementioned|former|latter)\b"
    r"|\bthat\b(?=$|[,.;:!)]| (?:is|was|one|way|too|again|as well|for|in|on|at|to|with|from|file|page|part|line|thing"
    r"|section|button|test|error|issue|bug|commit|branch|change|function|case|point)\b)"
    r"|(?:^|\b(?:do|does|like|about|of|with|use|keep|remove|fix|make|than|after|before|all|see|know|did) )that\b"
    # "Thiserror there, anyhow only in the tool": where was said before it.
    r"|\w there(?=, | so\b| because\b| instead\b)|\b(?:needed|necessary|required) here\b"
    r"|\byour (?:\w+ )?(?:approach|suggestions?|plan|idea|recommendations?|options?|proposal|findings)\b"
    r"|\b(?:the other|another) (?:one|way)\b|\b(?:both|all|some|each|one|any|none|most) of (?:them|these|those)\b",
    re.I,
)
#: "A migration that is merged" points nowhere.
_RELATIVE = seldom(
    r"(?P<thing>\b(?:an?|any|the|every|each|no|all) (?:[\w-]+ ){0,2}[\w-]+(?= that (?:is|was|are|were|has|have)\b)"
    r"|^[\w-]{2,}s(?= that [a-z]+ \w)) that ",
    re.I,
)
#: "Only the pipeline may do that": what, was said before it.
_DOES_THAT = re.compile(r"(?<=\w )(?:may|can|should|must|shall|to|does|will) do (?:that|this|it|so)\W*$", re.I)
_HERE = seldom(r"\bhere\b", re.I)
_PRONOUN = re.compile(
    r"\b(?:it|its|it['’](?:s|ll|d)|they|them|their|theirs|they['’]\w+|he|she|him|her|his|ones"
    # One reviewer is a number.
    r"|one(?! (?!(?:please|then|instead|too|only|here|there|now)\b)[\w-]+(?:['’]s)?(?: \w|[,;]|$)))\b",
    re.I,
)
_SELF = seldom(r"\b(?:i|i['’](?:m|ve|ll|d)|me|my|mine|myself)\b", re.I)
# The user may stand in a rule about them: "unless I ask".
_OF_THE_USER = re.compile(
    r"\b(?:unless|until|before|after|when|if|whenever|without) (?:i|asking me|telling me)\b|\b(?:ask|tell|show|give"
    r"|call|send"
    r"|remind|warn|notify) me\b|\bfor me\b|\bwith me\b|\bmy (?:approval|permission|consent|own|name|machine|time ?zone"
    r"|language"
    r"|confirmation|commits?|prs?|pull requests?|branch(?:es)?|repos?)\b",
    re.I,
)
_SPOKEN_TO = re.compile(
    r"you(?:['’](?:ve|re|d)| are| were| have| had| did| just| missed| forgot| broke| seem| said| told| mean| keep|r"
    r"| job| task| role)\b|your\b"
    r"|\b(?:thanks?|sorry|please|lol|haha|hey|hi|wtf|damn|ugh|dude|bro)\b",
    re.I,
)
_HEDGE = seldom(
    r"\b(?:might|maybe|perhaps|probably|i guess|wonder\w*|not sure|unsure|seems?|looks like|apparently|i think|kinda"
    r"|sort of|somehow|whatever|or something|i suppose|curious|what if|if possible|consider|stuff|accordingly|smth)\b",
    re.I,
)
# How things went wrong, or go on right now: the next session finds them otherwise.
_REPORT = seldom(
    r"\b(?:(?:is|are|was|were|do|does|did|am|it['’]s) ?(?:still |currently |now )?(?:not|n['’]t) (?:\w+ing|work|show"
    r"|display|sav|load|appear|popul)\w*"
    r"|(?:isn|aren|wasn|doesn|didn|don)['’]?t (?:work|show|display|sav|load|appear|popul)\w*|not working"
    r"|still (?:not|no|getting|see|have|has|the|a|there|wrong|broken)"
    r"|(?:got|get|getting|see|seeing|saw|have|hit|throws?|gives?|returns?) (?:an? |the |this |that |some "
    r"|same )*(?:\w+ )?(?:errors?|exception|issue|problem|warning)\b"
    r"|(?:is|are|was|looks?|seems?|got) (?:broken|wrong|missing|gone|failing|stuck|weird|off|great|good|bad|terrible"
    r"|awesome|perfect|fine)\b"
    r"|(?:does|do) not (?:match|show|appear|update|save|load)|no way to|(?:is|are) not (?:correctly|properly) \w+"
    r"|never called|silently (?:f[ae]ll|fail|drop|ignor|swallow|los|discard|overwrit|stop|skip|truncat|succeed|return"
    r"|revert|break|disabl)\w*"
    r"|failed|fails with|unable to|cannot find|could not|couldn['’]t|undefined|uncaught|traceback"
    r"|(?<!no )(?<!without )exception|segfault"
    r"|white screen|crash(?:es|ed|ing)?"
    r"|(?:a|the|another|one|same|previous|last) (?:bug|error|problem|issue)\b|(?:error|warning|exception|fatal): "
    r"|errno|stack trace)",
    re.I,
)
_LEAD = r"(?:(?:please|pls|first|then|now|next|also|go|let['’]?s|ok|okay|and)[, ]+)*"
# Looking, asking and carrying on are work for this moment, whatever words of a rule stand behind them.
_LOOKING = re.compile(
    rf"{_LEAD}(?:investigate|check|recheck|confirm|double[- ]?check|verify|review|look|show|find|figure|explain|tell"
    rf"|list|read"
    r"|continue|proceed|start|begin|go|try|retry|debug|rerun|analy[sz]e|explore|research|search|summari[sz]e|describe"
    r"|discuss|chat|think|see|reply|respond|answer|draft|finish|complete|stop|undo|revert|restore|dig|redo|repeat|track"
    r"|trace|determine|identify|evaluate|assess|audit(?! (?:logs?|trails?)\b)|plan|prepare"
    r"|give|post|help|resume|walk|ignore|click|reload"
    r"|refresh"
    r"|inspect|locate|produce|supervise|based on|switch (?:back |over )?to|include|save"
    r"|you can (?:now |then )?(?:switch|start|go|begin"
    r"|continue|proceed|see))\b",
    re.I,
)
# So is changing something; what it is changed by may last, and is then said with a rule's words.
_ERRAND = re.compile(
    rf"{_LEAD}(?:fix|validate|run|commit|push|pull|deploy|redeploy|merge|rebase|restart|compare|open|close|create"
    rf"|implement"
    r"|build|rebuild|regenerate|install|generate|wait|clean|refactor|improve|design|take|get|set up|setup|download"
    r"|upload|copy|paste"
    r"|test|wrap"
    r"|spin|bring|modify|adjust|tweak|update|add|remove|delete|move(?! away)|change|rename|make|ensure|be sure"
    r"|we (?:do "
    r"|also |will |still )*need|spawn|log|set|put|do(?! not)"
    r"|write|switch"
    r"|wrote|added|removed|updated|created|fixed)\b",
    re.I,
)
_LASTS = re.compile(
    r"\b(?:always|never|must(?! be a\b)|only|every ?time|whenever|from now on|by default|no longer|avoid|prefer\w*"
    r"|unless|(?:after|before|for|with|on|at|in) (?:each|every|any)\b|each time"
    r"|(?:do not|don['’]t|must not|should not|shouldn['’]t) \w+)\b|[,;] no \w",
    re.I,
)
# Work for this moment, though a rule's words are in it: "don't implement yet".
_THIS_ONCE = seldom(
    r"\b(?:yet|now(?! on\b)|currently|and then|this time|right now|until you|to-?dos?|listed|(?<!allowed )again"
    r"|your (?:job|task|findings)"
    r"|before i|next steps?|first,? (?:and )?then|(?:our|your|my) (?:new |latest )?(?:changes|features)|as you (?:go"
    r"|work)|for (?:today|tonight|this (?:demo|test|run|one|time|session|task|screenshot))"
    r"|when (?:you are )?done|(?:done|task|goal|context)(?:\.|:| when\b)|should(?:n['’]t)? have)\b|\[redacted"
    r"|\b(?:is|are|['’]s) (?:really |quite |so |pretty )?(?:good|great|fine|nice|bad|cool|perfect"
    r"|awesome)\b(?! enough)",
    re.I,
)
#: What is done once, however many steps it has: "do a release, don't push the tag but check it".
_DOES_ONCE = re.compile(r"do (?:an?|the|another|some) \w", re.I)
#: Where one order of several ends, and what makes of one a rule. Only to forbid may be a word to one wrong step.
_ORDERS_APART = re.compile(r"(?:, (?:and (?:then )?)?|; | and then )")
_HOLDS = re.compile(r"\b(?:only|must|instead of|rather than)\b", re.I)
_ALWAYS = re.compile(r"\b(?:always|never|ever|each|every|whenever|by default|from now on)\b", re.I)
#: What a program or somebody did not find.
_NOT_THERE = re.compile(
    r"no (?!longer\b)(?:[\w`./-]+ ){1,4}?(?:found|available|detected|selected|configured|specified|returned|installed"
    r"|received|matched)\b(?!.*\b(?:must|should|ever|unless|by default)\b)",
    re.I,
)
#: What is taken once: one of several that lie there, or what was wrong.
_USES_ONCE = re.compile(
    r"(?:we )?use (?:the |an? )?(?:different|another|other|first|second|third|fourth|last|next|previous|wrong) \w"
    r"|(?:we )?use .*\b(?:attached|uploaded|pasted) (?:\w+ )?(?:csv|file|pdf|image|screenshot|data|log|json|sheet"
    r"|picture)"
    r"|(?:prefer|avoid|take|keep|choose) (?:the )?(?:first|second|third|fourth|last|other|left|right|upper|lower) "
    r"(?:one|layout|option|variant|version|idea|draft|design|approach|way|look|solution|proposal|picture)\b"
    # So far this work goes, and no further.
    r"|(?:only|just) (?:change|touch|edit|fix|update|modify|adjust|rename) (?:the|this|that|these|those)\b"
    r"(?!.*\b(?:via|through|with|after|when|if|by|from)\b)",
    re.I,
)
#: What is owed to the work at a named place, and over when it is done: "a check that we need to remove".
_OWED = re.compile(
    r"\b(?:that|which|this|these|those|it|so) (?:we|you|i) (?:still |also |just |really |then )*(?:need|have|want"
    r"|ought) to"
    r" (?:remove|delete|drop|fix|rename|clean|get rid of|take out|undo|replace|correct|add|update|move|rework"
    r"|rewrite)\b",
    re.I,
)
#: A skill or helper that is sent for, and work on what lies at hand.
_SENT_FOR = re.compile(
    r"(?:now |also |then |and )*(?:use|run|apply|invoke|call|ask|let|have|try) (?:the |an? |your )?(?:[\w:/-]+ ){0,6}?"
    r"(?:skills?|slash commands?|sub-?agents?)(?: (?:on|for|to|again|in|with) .*)?[.!]*$"
    r"|(?:now |also |then |and )*(?:use|run|apply|ask|let|have|do|try) (?:[\w:/'’-]+ ){1,6}?(?:this|these|those|that)"
    r" (?:document|doc|file|analysis|text|page|plan|draft|section|task|part|comment|reply|issue|ticket|pr|commit|branch"
    r"|list|table|message|report|review|change|script|test|step)s?(?: (?:instead|first|again|too|as well|please"
    r"|pls))*[.!]*$",
    re.I,
)
#: How something stands at present, in words that rules have, too.
_STANDS_SO = re.compile(
    r"\bno longer (?:works?|shows?|loads?|starts?|opens?|appears?|sees?|connects?|responds?|compiles?|builds?|runs?)\b"
    r"|\b(?:uses?|has|have|needs?|takes?|gets?) (?:way |far )?too (?:much|many|few|little|long)\b"
    r"|\bwe have (?:still |only |now )?(?:\d+|two|three|four|five|some|many|several|a few|no) (?:\w+ )?(?:bugs?|issues?"
    r"|errors?|tickets?|problems?|failures?|warnings?|prs?|pull requests?|conflicts?|days?|weeks?|hours?|minutes?)\b"
    r"|\b(?:builds?|tests?|ci|pipelines?|checks?) (?:is|are) (?:only |still |now |always )?(?:green|red)\b"
    r"|\b(?:is|are) (?:never|always|not) (?:right|wrong|correct|there|cut off|empty|late|slow|broken|blank|missing)\b"
    r"|^only (?:the )?\w+(?: \w+){0,2} (?:has|have|is|are) (?:data|right|shown|there|visible|loaded|missing|empty)\b"
    r"|\bmust have (?:been|had|gone|lost|forgotten|\w+ed)\b|\bnothing happens\b"
    r"|\b(?:when|if|once|after) i (?:click|open|press|start|save|type|select|log|scroll|drag|reload|refresh|hover"
    r"|call)\b",
    re.I,
)
# What is chosen, forbidden, wanted or so by nature.
_SETTLES = seldom(
    r"\b(?:must|shall|should|always|never|only|no longer|instead of|rather than|by default|not allowed|may not"
    r"|needs? to"
    r"|has to|have to|required?|requires|prefer\w*|avoid|unless|every|do not|don['’]t|means|(?:is|are) (?:the|our"
    r"|called)"
    r"|(?:is|are) not (?:an?|the|part|allowed|required|needed|supported|used|good)"
    r"|(?:after|before|for|with|on|at) (?:each|every|any)|whenever|prior to|in favou?r of|move away from"
    r"|we (?:use|have|share|run|support|want|do not|don['’]t))\b|,? not (?!the letter)\w|(?:^|[,;] )no \w",
    re.I,
)
_STARTS_SETTLING = re.compile(
    r"(?:use|keep|value(?! is\b)|ask(?= .*\bbefore\b)|stick|default|treat|store|name|pin|follow|enforce|require|reject"
    r"|drop|ground"
    r"|split (?:\w+ )?as|bundle"
    r"|standardi[sz]e|prioriti[sz]e|cite|forbid|prevent|restrict|limit|disallow)\b",
    re.I,
)
_TOLD = seldom(r"\b(?:was|were|had|got|did|went|ha(?:s|ve) no (?:way|idea|indication)|doesn['’]t make sense)\b", re.I)
_FORETOLD = seldom(r"\b(?:will|could|would|may|(?:is|are|am) \w+ing)\b", re.I)
_STRONG = re.compile(r"\b(?:must|should|never|always|only|no longer)\b", re.I)
# "Don't changing the defaults": what was meant is anybody's guess.
_SLIPPED = seldom(
    r"^(?:the|an?) (?:ensure|make sure|implement|verify|validate|we|you|they|is|are|should|must|never|always)\b"
    r"|\b(?:do not|don['’]?t) (?!(?:b|s|st|sw|cl|fl|k|p|r|w|z)ing\b|(?:b|spr|str)ing\b)\w{3,}ing\b",
    re.I,
)
_SAYS = re.compile(
    r"\b(?:is|are|be|has|have|was|were|must|should|shall|will|can|cannot|may|does|do|wo?n['’]t|can['’]t|don['’]t"
    r"|doesn['’]t|isn['’]t|aren['’]t|needs?|uses?|stays?|goes?|belongs?|lives?|runs?|requires?|supports|means|keeps?"
    r"|shows"
    r"|returns|gets|takes|comes?|makes|holds?|gives|works|fails?|breaks|allows?|lets|wins|reads|writes|sends|stores"
    r"|starts"
    r"|ends|follows?|contains?|includes?|applies|depends?|defaults|expects?|opens|closes|loads|maps|points|sits|stands"
    r"|serves?|ships|want|links|renders|calls|adds|sets|handles?|triggers|ignores?|replaces|blocks|creates|wraps|counts"
    r"|covers)\b",
    re.I,
)


#: "Never update them by hand": what, was said before it. In a few languages.
_POINTS_BACK = re.compile(
    r"\W*(?:(?:and|but|so|also|please|und|et|y|e)[ ,]+)*(?:(?:always|never|only|just|ever|do not|don['’]?t) )+"
    r"(?:(?!(?:do|let)\b)[a-z]+(?: or [a-z]+)?) (?:it|them)\b(?! (?:is|are|was|were)\b)"
    r"|\W*(?:(?:und|aber) )?(?:die|sie|es|ihn|das) (?:darf|dürfen|wird|werden|soll|sollen|muss|müssen|bleibt"
    r"|bleiben)? ?(?:man |wir )?(?:nie|niemals|immer|nur) (?:\w+ ){0,3}\w+\W*$"
    r"|\W*(?:nie|niemals|immer|nur) (?:sie|ihn|es) (?:\w+ ){0,3}\w+en\W*$"
    r"|\W*(?:on |il faut )?(?:ne (?:jamais )?(?:les?|la)|ne l['’]\w+) \w+",
    re.I,
)


#: "Jobs only get ids", "deploys only on tuesdays": what something does only, always or never.
_DOES_ONLY = re.compile(
    r"(?!(?:and|but|so|with|for|in|on|at|to|from|if|when|not)\b)[\w`'’.()/-]+(?: [\w`'’.()/-]+){0,3}"
    r" (?:only|always|never) (?!(?:there|here|then|now|once|again|a|an|the|this|that|\d)\b)\w",
    re.I,
)
#: What everybody or nobody does has a verb, whatever that is: "nobody merges without a review".
_EACH_DOES = re.compile(
    r"(?:(?:nobody|no one|everybody|everyone|nothing|everything)|(?:every|each|no) [\w-]+) [a-z]{3,}s [a-z]", re.I
)
#: What it is not said of is: "only the layout of the files is".
_ONLY_THAT_IS = re.compile(r"(?<=, )(?:only|but) [^,]{3,60} (?:is|are|was|were|can|should)\W*$", re.I)


@lru_cache(maxsize=1024)  # Who offers a title, who words one and who chooses ask.
def stands_alone(title: str) -> bool:
    """Whether a title is a whole statement that nobody has to look up: it names its subject, and neither asks nor ends
    in the middle."""
    whole = _ONLY_THAT_IS.sub("", _DOES_THAT.sub("", title)).rstrip(" ,")
    if title.endswith("?") or _CUT.search(_IN_BRACKETS.sub("()", whole)):
        return False
    fewest = _FEWEST_WORDS - bool(_SHORT_RULE.match(title))
    about = topics(title)
    if not fewest <= len(title.split()) <= _MOST_WORDS or len(about) < _FEWEST_TOPICS or about <= RULE_WORDS:
        return False
    if (_CONDITION.match(title) and ", " not in title and not _STRONG.search(title)) or _SLIPPED.search(title):
        return False
    if (
        _MIDDLE.match(title)
        or _WONDERS.search(title, 1)
        or (asks(title) and ": " not in title)
        or not _is_balanced(title)
        or _shouts(title)
    ):
        return False
    return _names_all(_CODE.sub("`code`", whole)) and has_a_verb(title)


def points_back(text: str) -> bool:
    """Whether a rule names what it is on by "it" or "them" alone."""
    return _POINTS_BACK.match(text) is not None


def asks(text: str) -> bool:
    """Whether a text begins as a question does, with or without its mark."""
    return _ASKS.match(text) is not None


def wonders(text: str) -> bool:
    """Whether somebody asks, asks for something or is not sure in it: a wish in the form of a question is none yet."""
    return "?" in text or _REQUESTS.search(text) is not None


def is_whole(title: str) -> bool:
    """Whether a title neither asks nor ends in the middle: as much as can be told in any language."""
    return not title.endswith(("?", "？")) and not _CUT.search(title) and len(topics(title)) >= _FEWEST_WORDS


def settles(title: str) -> bool:
    """Whether a title says by itself that something holds: it rules, forbids, chooses or defines."""
    text = _CODE.sub("`code`", title)
    return _SETTLES.search(text) is not None or _STARTS_SETTLING.match(text) is not None


def is_passing(title: str) -> bool:
    """Whether a title tells of the moment: an errand, what went wrong, what somebody wonders or says to somebody."""
    text = _CODE.sub("`code`", title)
    if _THIS_ONCE.search(text) or _LOOKING.match(text) or _TOLD.search(text):
        return True
    if _NOT_THERE.match(text) or _STANDS_SO.search(text):
        return True
    if (_DOES_ONCE.match(text) or _USES_ONCE.match(text)) and _ALWAYS.search(text) is None:
        return True
    if is_for_once(text):
        return True
    if _FORETOLD.search(text) and not _STRONG.search(text):
        return True
    if _SPOKEN_TO.match(text) or _HEDGE.search(text) or _SELF.search(_OF_THE_USER.sub("", text)):
        return True
    if _ERRAND.match(text):
        return _LASTS.search(text) is None
    # "Never swallow an exception" reports none.
    report = _REPORT.search(text)
    return report is not None and not is_order(text) and _STRONG.search(text[: report.start()]) is None


def is_for_once(title: str) -> bool:
    """Whether it sends for somebody or something to work on what lies at hand, or says what is still owed to it."""
    is_once = _SENT_FOR.match(title) is not None or _OWED.search(title) is not None
    return is_once and _ALWAYS.search(title) is None and _LASTS.search(title) is None


def is_errand(text: str) -> bool:
    """Whether it is something to do or to look at now."""
    return any(pattern.match(text) for pattern in (_ERRAND, _LOOKING))


def is_task(text: str) -> bool:
    """Whether it is something to do or to look at now, and nothing in it says that it lasts."""
    return is_errand(text) and is_passing(text)


#: What an order before it shall not be.
_REFUSED_WAY = re.compile(r"\W*(?:no|not|without) \w", re.I)


def has_tasks(title: str) -> bool:
    """Whether it is a list of orders, and some of them are tasks: "delete the old seeds, add a hook"."""
    return len(_parted_tasks(title)[0]) > 0


def without_tasks(title: str) -> str:
    """The rule in a list of orders, without the tasks beside it; the title as it is where the rest is no rule."""
    tasks, rest = _parted_tasks(title)
    rule = capital(", ".join(rest))
    is_rule = tasks and all(map(is_order, rest)) and _HOLDS.search(rule) is not None
    return rule if is_rule and stands_alone(rule) and not is_passing(rule) else title


def _parted_tasks(title: str) -> tuple[list[str], list[str]]:
    """The tasks in a list of orders, and the other orders; no tasks where it is no such list, or says that it lasts."""
    clauses = _ORDERS_APART.split(title)
    orders = [clause for clause in clauses if is_order(clause) or is_errand(clause)]
    # "Write tests as functions, no classes" is one order, with what it is not.
    is_list = orders[:1] == clauses[:1] and any(_REFUSED_WAY.match(one) is None for one in orders[1:])
    if not is_list or _ALWAYS.search(title) is not None:
        return [], clauses
    tasks = [clause for clause in clauses if is_task(clause)]
    return tasks, [clause for clause in clauses if clause not in tasks]


def reports(text: str) -> bool:
    """Whether it tells how something went."""
    return _TOLD.search(text) is not None or _REPORT.search(text) is not None


def has_a_verb(title: str) -> bool:
    """Whether it states something at all, as far as its words tell."""
    if re.match(r"(?:always|never|only) \w+ed\b", title, re.I):
        return False
    title = re.sub(r"^only ", "", title, flags=re.I)
    is_said = any(
        found is not None for found in (_SAYS.search(title), _DOES_ONLY.match(title), _EACH_DOES.match(title))
    )
    return is_order(title) or is_errand(title) or is_said or rules_for_good(title)


def _is_balanced(title: str) -> bool:
    return title.count("(") == title.count(")") and title.count("`") % 2 == 0 and title.count('"') % 2 == 0


def _shouts(title: str) -> bool:
    letters = [character for character in title if character.isalpha()]
    return sum(map(str.isupper, letters)) * 2 > len(letters)


def _names_all(title: str) -> bool:
    """Whether every word that stands for something has it before it."""
    title = _RELATIVE.sub(r"\g<thing> ", title)
    if points_back(title):
        return False
    if _POINTS.search(title) or (_HERE.search(title) and not is_order(title)):
        return False
    return all(
        len(set(words(title[: found.start()])) & _told(title)) >= _NAMED_BEFORE for found in _PRONOUN.finditer(title)
    )


def _told(title: str) -> set[str]:
    return {word for word in words(title) if topics(word)}
