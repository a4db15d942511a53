"""Whether two titles fill one place of the same matter with different things, however they are worded. Pure.

Who is to be asked, where something lies and what is to blame stand in sentences of any build: "Pilar owns the feature
store", "ask Dmitri before you touch the feature store". Here the place is known by what stands around its filler, and
the matter by the words that both have besides. Where each has a word for its own matter, both hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.alike import missing
from lerim.text.contraries import Contrary
from lerim.text.grammar import EVERYDAY, FUNCTION_WORDS
from lerim.text.holds import released
from lerim.text.kinds import things
from lerim.text.statements import Statement
from lerim.text.stems import stem
from lerim.text.words import words

_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_PERSON = rf"(?:(?:Dr|Prof|Mrs?|Ms)\.? )?{_CAPITAL}[^\W\d_][\w'’-]*(?: {_CAPITAL}[^\W\d_][\w-]*)?"
_TEAM = r"(?:[\w-]+ )?(?:[\w-]+ )(?:team|desk|squad|guild|crew|department)"
_WHO = rf"(?:the |The |only the |Only the )?(?:{_TEAM}|{_PERSON})"
_DECIDES = (
    r"(?:decides?|approves?|signs? off|owns?|has the (?:last|final) (?:word|say)|is (?:responsible|in charge)"
    r"|entscheidet|genehmigt|verantwortet|ist zuständig|décide|approuve|decide|aprueba)"
)
_DOES = (
    r"(?:writes?|runs?|is running|answers?|handles?|maintains?|manages?|leads?|looks? after|takes? care of|is the one"
    r"|presses|sends?|deals? with|posts?|reviews?|triages?)"
)
_TURNED_TO = (
    r"(?:ask|call|ring|contact|ping|page|phone|talk to|go to|goes to|check with|assigned to|belongs? to|is up to"
    r"|frag|ruf|demande à|pregunta a)"
)
_ROLE = r"(?:manager|owner|lead|contact|on-call|inbox|maintainer|captain|reviewer|officer|administrator|moderator)"
#: How a title names who decides, who does it, and whom one turns to, which may be either.
_DECIDER, _DOER, _CONTACT = "decider", "doer", "contact"
#: And what it calls a place by.
_NAMED, _PORT_NUMBER = "address", "port"
_WHO_STANDS = (
    (
        _DECIDER,
        compile_later(
            r"(?:^|\W)(?i:über|bei|für|sobre|del?) [^,;:.]{3,40}? (?:entscheidet|bestimmt|decide) "
            rf"(?:(?:jetzt|nun|ab jetzt|nur|ahora|solo) )?(?P<who>{_PERSON})"
        ),
    ),
    (_DECIDER, compile_later(rf"(?P<who>{_WHO}) (?:alone |always )?{_DECIDES}\b")),
    (_DECIDER, compile_later(rf"\b(?:owned|approved|decided|signed off) by (?P<who>{_WHO})")),
    (
        _DECIDER,
        compile_later(rf"\b(?:sign-?off|approval|signature|permission|go-ahead) (?:from|of|by) (?P<who>{_WHO})"),
    ),
    (_CONTACT, compile_later(rf"\b(?i:{_TURNED_TO}) (?P<who>{_WHO})")),
    (_CONTACT, compile_later(rf"\b{_ROLE}\b(?:[^.,;:]|\.\d){{0,30}}?(?: is|:) (?P<who>{_PERSON})\W*$")),
    (_CONTACT, compile_later(rf"\b(?:is|are) (?P<who>{_PERSON})['’]s\W*$")),
    (_DOER, compile_later(rf"(?P<who>{_WHO}) (?:alone |always )?{_DOES}\b")),
    (
        _DOER,
        compile_later(
            rf"\b(?:sent|written|handled|maintained|managed|run|answered|posted|reviewed) by (?P<who>{_WHO})"
        ),
    ),
)
_NO_NAME_WORDS = """
the only team desk squad guild crew department dr prof mr mrs ms nobody anybody everybody anyone everyone someone who
whoever each every all new old production staging dev prod ci
"""
_NO_NAMES = frozenset(_NO_NAME_WORDS.split())
#: What says who it is, or where, and not of what.
_CUE_WORDS = """
decide approve sign off owns own word say responsible charge accountable write run answer handle maintain manage lead
look take care one press send deal post review triage ask call ring contact ping page phone talk go check assign belong
up owner person people manager touch before change changes first always signature approval permission get find live sit
keep put save lie host listen come reach port address located place stay move directory folder
"""
_CUES = frozenset(map(stem, _CUE_WORDS.split()))

_ADDRESS = compile_later(
    r"\b(?:https?|s3|gs|sftp|ssh)://[^\s,;)]+|(?<![\w.:/])~?/[\w.-]+(?:/[\w.-]+)+/?|\b[\w.-]+(?:/[\w.-]+)*/(?=[\s,;.)]|$)"
    r"|\b[\w.-]+(?:/[\w-]+)+\.[a-z]{1,5}\b|\b[\w-]+(?:\.[\w-]+)+:\d{2,5}\b"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|internal|intern|local|example|cloud)\b"
)
_PORT = compile_later(r"\b(?:ports?|listen(?:s|ing)?(?: on)?) (?P<port>\d{2,5})\b|\w:(?P<behind>\d{4,5})\b")
#: Who decides does not do it, and a port is one of an address.
_APART = ({_DECIDER, _DOER}, {_NAMED, _PORT_NUMBER})
_ENOUGH = 2
#: What goes wrong. Where prices come from is no fault.
_FAULT = compile_later(
    r"\b(?:lost|los(?:e|es|ing)|fail\w*|slow\w*|drift\w*|leak\w*|crash\w*|wrong\w*|errors?|time-?outs?|bugs?|stall\w*"
    r"|hang\w*|flak\w+|broken|breaks?|gaps?|missing|spik\w+|nois\w+|false|late\w*|doubled?|duplicat\w*|blur\w*"
    r"|corrupt\w*|outages?|interference|fault\w*|problems?|fehl\w*|langsam\w*|lent\w*|erreurs?|fallos?)\b",
    re.I,
)
_CAUSED = compile_later(
    r"\b(?:com(?:e|es|ing) from|came from|caused by|due to|because|down to|(?:the )?fault of|stems? from|result of"
    r"|the (?:cause|culprit|reason|source)|to blame|kommt von|kommen von|liegt an|liegen an|vient de|viennent de"
    r"|viene de|vienen de)\b",
    re.I,
)
_CLEARED = compile_later(
    r"\b(?:ruled out|out as (?:an? )?(?:explanation|cause|suspect|reason)|"
    r"(?:not|never|\w+n['’]t) (?:the |our |what |to |its )?"
    r"(?:cause|causing|culprit|reason|blame|problem|fault|behind it|caused|due|because|slows?|explain\w*|makes\b|it\b)"
    r"|cannot (?:explain|be the)|can(?:not|['’]t) explain|(?:another|a different|some other) (?:cause|reason|source)"
    r"|nothing to do with|unrelated to|red herring|innocent|homemade|just the same|it(?:['’]s| is) not the"
    r"|liegt nicht an|liegen nicht an|nicht schuld|n['’]y est pour rien|no es culpa)\b"
    r"|\bnot the \w+\W*$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Filler:
    """What fills a place of a title: how it is told, and by what names it goes."""

    manner: str
    shown: str
    names: frozenset[str]


def reframed(later: Statement, earlier: Statement) -> Contrary | None:
    """Why the later title does not go with the earlier one: it waits no more, somebody else, another
    address, another cause."""
    return (
        released(later, earlier)
        or _other_filler(later, earlier, _whose)
        or _other_filler(later, earlier, _addresses)
        or _cleared(later, earlier)
    )


def _other_filler(
    later: Statement, earlier: Statement, fillers: Callable[[str], tuple[Filler, ...]]
) -> Contrary | None:
    new, old = fillers(later.title), fillers(earlier.title)
    if len(new) != 1 or len(old) != 1 or new[0].names & old[0].names:
        return None
    one, two = new[0], old[0]
    if {one.manner, two.manner} in _APART:
        return None
    told = frozenset(word for side in (one, two) for word in words(side.shown)) | one.names | two.names
    mine, theirs = (_matter(side, told) for side in (later, earlier))
    more, lack = missing(mine, theirs | earlier.bag), missing(theirs, mine | later.bag)
    shared = theirs - missing(theirs, mine)
    if not _tell_enough(shared) or (more and lack and len(shared) < _ENOUGH):
        return None
    is_one = not more or (not lack and len(shared) >= _ENOUGH)
    # Of two who do it each may do a part, unless both are said to do just that.
    is_all = not more and not lack and len(shared | _amounts_of_both(later, earlier)) >= _ENOUGH
    is_sure = is_one and (is_all or _DOER not in (one.manner, two.manner))
    return Contrary(f"it says {one.shown} instead of {two.shown}", is_sure)


def _amounts_of_both(later: Statement, earlier: Statement) -> frozenset[str]:
    """The amounts that both titles tell, as words: "claims above 5000"."""
    one, two = (
        frozenset(f"{amount.value} {amount.kind}" for said in side.title_says for amount in said.quantities)
        for side in (later, earlier)
    )
    return one & two


def _tell_enough(shared: frozenset[str]) -> bool:
    """One word that says little is no matter."""
    return bool(shared - EVERYDAY) or len(shared) >= _ENOUGH


def _matter(one: Statement, names: frozenset[str]) -> frozenset[str]:
    """The words of a title that tell what it is about: not what fills the place, nor which one that is."""
    told = frozenset(word for said in one.title_says for word in said.heavy)
    return told - _CUES - frozenset(map(stem, names))


@lru_cache(maxsize=4096)  # One title is held against many.
def _whose(title: str) -> tuple[Filler, ...]:
    """Who decides or does it, or is to be asked; of two places the first that is told counts."""
    for manner, pattern in _WHO_STANDS:
        for found in pattern.finditer(title):
            names = frozenset(words(found["who"])) - _NO_NAMES - FUNCTION_WORDS
            if names and not things(tuple(names)):
                return (Filler(manner, found["who"].removeprefix("only "), names),)
    return ()


@lru_cache(maxsize=4096)
def _addresses(title: str) -> tuple[Filler, ...]:
    return tuple(_told_addresses(title))


def _told_addresses(title: str) -> Iterator[Filler]:
    found = [match[0].rstrip("/.") for match in _ADDRESS.finditer(title)]
    if found:
        yield Filler(_NAMED, found[0], frozenset({*found, *(part for one in found for part in words(one))}))
    elif (port := _PORT.search(title)) is not None:
        number = port["port"] or port["behind"]
        yield Filler(_PORT_NUMBER, f"port {number}", frozenset({number}))


def _cleared(later: Statement, earlier: Statement) -> Contrary | None:
    """What was to blame is not: "the outages come from the proxy", "the proxy is ruled out for the outages"."""
    if _CLEARED.search(later.title) is None or _CLEARED.search(earlier.title) is not None:
        return None
    if _FAULT.search(earlier.title) is None or any(
        said.has_modal or (said.is_order and not said.has_copula) for said in earlier.main[:1]
    ):
        return None
    told = frozenset(word for said in earlier.main for word in said.heavy)
    shared = told - missing(told, later.bag | later.ended)
    if len(shared) < _ENOUGH or shared <= EVERYDAY:
        return None
    is_told = _CAUSED.search(earlier.title) is not None
    if not is_told and not any(said.has_copula for said in earlier.main[:1]):
        return None
    return Contrary(f"it clears {' '.join(sorted(shared))} of it", is_told, is_denial=True)
