"""Who owns a thing, and whose word it takes to change it: how that is asked, and how it is told. Pure.

Hardly anybody says it in the verb that is asked for. Whom a package belongs to, who looks after it, who is asked first
and past whom every change has to go is one person, and is asked for as the owner, or as who decides or signs off.
"""

from __future__ import annotations

from lerim.answer.kindred import is_of_a_sort
from lerim.answer.persons import NOBODY
from lerim.answer.spelling import is_word
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms
from lerim.text.stems import stem

#: "Who has to approve changes to the parser?", "wer kümmert sich um den Parser?", its small words left out.
_ASKS = compile_later(
    r"(?i)^\W*(?:(?:and|so|but|ok|hey)[ ,]+)*(?:"
    r"who(?:['’]s|m)? (?:(?:is|are|has|have|had|gets?|needs?|must|should|may|can|will|to|do|does|i|we|you|the"
    r"|our|really"
    r"|actually|alone|one|person|people|always|now|currently|else) )*"
    r"(?:owns?|owners?|maintains?|maintainers?|responsible|accountable|in charge|charge|approves?|decides?"
    r"|decid(?:e|ing)"
    r"|signs?(?: |-)?off|signs?|okays?|ok|looks? after|takes? care|cares?|(?:last|final) (?:word|say|call)|be asked"
    r"|asked|ask|talk to|go to|check with|contact|agrees?|call the shots|leads?"
    r"|entscheidet|verantwortet|zuständig|verantwortlich|kümmert(?: sich)?|betreut|genehmigt|gehört|unterschreibt"
    r"|letzte wort|décide|responsable|s['’]occupe|valide|gère|approuve|decide|encarga|aprueba|dueñ[oa])"
    r"|whose (?:call|decision|job|responsibility|area|business|baby|word|ok|approval|turf) (?:is|does|do|are)"
    r"(?: it| take| need)*"
    r"|whose is|who do(?:es)?(?= .+ belongs? to\W*$))"
    r"(?: (?:for|of|on|in|over|about|to|before|if|when|um|über|für|bei|des|du|de|any|every|all|changes?"
    r"|changing|touching"
    r"|editing|i|we|touch(?:es)?|change|edit|want|sich|whether))* (?:(?:the|our|an?|my|this) )?(?P<thing>\S.*?)"
    r"(?: belongs? to)?[\s?!.]*$"
)
_WHO = r"(?P<{0}>(?![\d_])\w[\w'’-]+)"
#: Whom it belongs to, or who has to be asked.
_BEHIND = compile_later(
    r"(?i)\b(?:belongs? to|(?:owned|maintained|approved|decided|signed(?: off)?|led|handled|reviewed"
    r"|looked after) by|up to"
    r"|(?:go(?:es)?|run|runs|pass(?:es)?) (?:(?:it|this|that|them|everything) )?(?:past|through|by|via|over)"
    r"|(?:check|clear|agree|sync|talk|align)s? (?:(?:it|this|that|them|everything) )?(?:with|to)"
    r"|ask(?:s|ed|ing)?|ping|without(?: asking| telling)?"
    r"|(?:ok|okay|approval|sign-off|permission|blessing|consent|go) (?:of|from|by)"
    r"|(?:hands|responsibility|job|call|decision) of"
    r"|gehört|liegt bei|sache von|läuft über|geht über|über|frag(?:e|t|en)?|abstimmen mit|ohne"
    r"|est (?:à|de)|appartient à|pass(?:e|er|ent) par|demand(?:e|er|ez) à|sans|c['’]est|avec l['’]accord de"
    rf"|es de|pregunta(?:r|d)? a|pasar? por|sin) {_WHO.format('behind')}"
)
#: "The parser is Ida's", typed with or without an apostrophe.
_HIS = compile_later(
    r"(?i)\b(?:is|are|stays?|remains?|ist|sind|without|needs?|ohne|mit) (?:all |still |only |purely )?"
    rf"{_WHO.format('his')}\b"
)
#: Who decides, looks after it or signs for it.
_BEFORE = compile_later(
    rf"(?i){_WHO.format('doer')} (?:(?:has to|must|needs to|will|should|always|alone|also|allein|muss|doit) )*"
    r"(?:owns?|approves?|decides?|decide on|signs? (?:off|for|it)|sign|maintains?|looks? after|takes? care"
    r"|is (?:responsible|in charge|the (?:owner|maintainer))|has the (?:last|final) (?:word|say)|okays?|ok"
    r"|entscheidet|kümmert sich|betreut|verantwortet|genehmigt|ist (?:zuständig|verantwortlich)|unterschreibt"
    r"|décide|valide|s['’]occupe|gère|approuve|est responsable|decide|aprueba|se encarga|es responsable)\b"
)
#: Who is called by what they do.
_ROLE_WORDS = """
team teams legal finance security ops design support sales accounting management boss customer client owner maintainer
reviewer lead department board committee council
"""
_ROLES = frozenset(map(stem, _ROLE_WORDS.split()))


def owned_thing(question: str) -> str:
    """The thing whose owner a question asks for; nothing where it asks for somebody or something else."""
    found = _ASKS.match(question)
    return found["thing"] if found is not None else ""


def names_owner(text: str) -> bool:
    """Whether a sentence says whose a thing is, or who has a say in it."""
    told = (found[0] for found in _HIS.finditer(text))
    if any(_is_his(found.split()[-1]) for found in told):
        return True
    behind = (found["behind"] for found in _BEHIND.finditer(text))
    doers = (found["doer"] for found in _BEFORE.finditer(text))
    return any(map(_is_somebody, (*behind, *doers)))


def _is_his(word: str) -> bool:
    """Whether it is somebody's name with the s of whom a thing belongs to: "Ida's", "idas"."""
    bare = word.removesuffix("'s").removesuffix("’s").rstrip("'’")
    if bare != word:
        return _is_somebody(bare)
    return word.endswith("s") and not is_word(word) and _is_somebody(word[:-1])


def _is_somebody(word: str) -> bool:
    """Whether a word names a person or a team: a name is no word of the language, and no tool."""
    small = word.lower().removesuffix("'s").removesuffix("’s")
    if stem(small) in _ROLES:
        return True
    is_name = word[0].isupper() or not (is_word(small) or is_word(stem(small)))
    return is_name and small.isalpha() and len(small) > 1 and small not in NOBODY and not is_of_a_sort(terms(small))
