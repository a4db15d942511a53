"""Which sentences of an agent's tell something that happened: by where they stand, and by what they are. Pure.

What the agent could not do, offers, plans, asks of the user or promises did not happen, however surely it is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lerim.glance import seldom
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_standing import NOWHERE, SentencePlace
from lerim.ingest.signals.summary_words import VERBS

#: Headings and leads below which nothing was done: it could not be, is left, or is asked.
_NOT_DONE = seldom(
    r"\?\W*$|\b(?:can(?:no|['’])t|couldn['’]t|could not|unable|didn['’]t|did not|haven['’]t|won['’]t|will not"
    r"|not (?:yet|done|able|included|covered|implemented|started|fixed|in scope)|out of scope|non-goals?|punts?"
    r"|deferred|postponed|pending|outstanding|remaining|left (?:to do|open|for)|follow-?ups?|to-?dos?|blocked"
    r"|next steps?|(?:further|following|remaining|manual) steps?|what(?:['’]s| is) next|open questions?|assumptions?"
    r"|nächste schritte|offen|prochaines étapes|à faire|próximos pasos|pendientes?|próximos passos)\b"
    r"|^(?:context|question|frage|pregunta) ?\d*\b|^next\b",
    re.IGNORECASE,
)
#: And those below which it may be done one day, by somebody: it is offered, planned, shown or explained.
_NOT_YET = seldom(
    r"\b(?:options?|alternatives?|ways|approach(?:es)?|choices|candidates|variants|ideas|possibilities|directions"
    r"|screens|layouts|concepts|sketches|test (?:coverage|cases?|scenarios?|matrix)|scenarios"
    r"|confirming|to confirm|for (?:your )?(?:approval|review)|propos(?:e|ed|als?)"
    r"|suggest(?:ed|ions?)?|recommend(?:ed|ations?)?|would|could|might|should|design|draft|roadmap|milestones?|mockups?"
    r"|how (?:to|you)|steps? (?:to|for)|to (?:test|verify|try|use|run|see|reproduce|upgrade|deploy|enable|check)"
    r"|usage|e\.g|instructions?|prerequisites?|(?:you|users?)(?:['’]ll| will| can| could| need| should"
    r"| must| may| have to)|optional(?:ly)?|manual|checklist"
    r"|optionen|vorschl\w+|entwurf|propositions?|opciones|propuestas?|opções)\b"
    r"|\b(?:shipping|recovery|rollout|migration|implementation|test|action|my|the|proposed) plan\b"
    r"|\bplan(?: of \w+)?\W*$"
    r"|^(?:if|before|once|when|after|to|for)\b|^(?:some |more )?(?:examples?|beispiele?|exemples?"
    r"|ejemplos?|exemplos?)\W*$"
    r"|\b(?:if|when|unless|because|while|wenn|weil|quand|si|cuando)\W*$|確認(?:手順|方法)|使い方|手順",
    re.IGNORECASE,
)
#: Below these stands what is wrong: over, once it was worked on.
_FINDINGS = seldom(
    r"\b(?:findings?|issues?|problems?|bugs|gaps?|missing|concerns?|blockers?|nits?|risks?|weakness\w*|flaws?"
    r"|inconsistenc\w+|vulnerabilit\w+|violations?|probleme|fehler|problèmes?|problemas?)\b",
    re.IGNORECASE,
)
_SEVERITY = re.compile(r"(?:critical|high|medium|low|major|minor|nit|blocker|p[0-3])\s*(?:[:—–(]|-\s)", re.IGNORECASE)
#: What heads what is there no more.
TAKEN_OUT = re.compile(r"\W*(?:removed|reverted|deleted|dropped|rolled back|taken out|undone)\b", re.IGNORECASE)
#: What heads a list of deeds, whatever else it says.
_DEEDS = seldom(
    r"\b(?:fixe[ds]|changes?|changed|added|updated?s?|did|done|implemented|completed?|created|removed|resolved"
    r"|addressed|applied|shipped|built|summary|results?|verified|confirmed|accomplished|delivered|behaviou?r changes"
    r"|modified|reviewed|wrote|what was|geändert|erledigt|modifié\w*|cambios|alterações)\b",
    re.IGNORECASE,
)
_NOTHING_DONE = re.compile(r"\b(?:not|no|nothing|before|to be)\b|n['’]t\b", re.IGNORECASE)
#: What an agent is about to do or could.
_PROMISES = seldom(
    r"\b(?:i['’]ll|i will|i can(?!not|['’]t)|i['’]d|i would|i could|i['’]m (?:going to|\w+ing)|i am (?:going to|\w+ing)"
    r"|we['’]ll|we can|we could|let me|ich werde|je vais|voy a|vou \w+r)\b",
    re.IGNORECASE,
)
#: What it asks somebody to do.
_ASKS = seldom(
    r"\bplease\b|\blet me know\b|\bfeel free\b|\bnext steps?\b"
    r"|\byou(?:['’]ll| will)? (?:can|could|need|should|must|may|might|have to|want to)\b",
    re.IGNORECASE,
)
#: What may be so, and what is so since the work.
_IF, _NOW = re.compile(r"if\b", re.IGNORECASE), re.compile(r"\bnow\b", re.IGNORECASE)
#: How things are before they are worked on.
_FOR_NOW = seldom(
    r"\b(?:right now|currently|at the moment|as of now|derzeit|momentan|aktuell|actuellement"
    r"|pour l['’]instant|actualmente|de momento|atualmente)\b|(?:n['’]t|\bnot) (?:yet )?(?:\w+ed|there|done) at all\b",
    re.IGNORECASE,
)
#: Who is at something tells of no deed yet.
_AT_IT = re.compile(
    r"(?:(?:Now|Next|Then|Also|First),? )?(?!During\b|Nothing\b|Everything\b|Anything\b|Something\b|Remaining\b"
    r"|Existing\b|Following\b)[A-Za-z][a-z]+ing\b"
)
_GOES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|must|will|would|should|may|(?!\w*ceed|\w?[nf]eed|indeed)\w+ed)\b|n['’]t\b",
    re.I,
)
_PARTS = re.compile(r"\s[—–]\s|;\s|\s->\s")
#: What was left then, and what only tells the user of what they said.
_LEFT = seldom(
    r"\bstill (?:needs?|has to|have to|to be)\b|(?:\bnot|n['’]t)\b[^.;]{0,40}\byet\b|\byet to \w"
    r"|\b(?:is|are) (?:still )?(?:pending|open|missing|outstanding)\b|\bremains? un(?:staged|committed|pushed|tested)\b"
    r"|\b(?:noch nicht|fehl(?:t|en) noch|pas encore|il reste|todavía no|aún no|falta(?:n)? por|ainda não)\b",
    re.IGNORECASE,
)
_TO_USER = re.compile(r"you(?:['’](?:re|ve|d))? (?:now|said|asked|want\w*|were right|right|get|mentioned|have)\b", re.I)
_CONDITION = re.compile(
    r"(?:if|when|once|after|before|for|to|then|now|next|just|also|first|finally|optionally)\b", re.I
)
_BEHIND_COMMA = re.compile(r"[^,]{2,100},\s*(?=\S)")
_FIRST = re.compile(
    r"(?:(?:then|now|next|just|also|first|finally|simply|optionally),? )?(?P<verb>[a-z-]+)", re.IGNORECASE
)
#: Verbs that people are told to do things with, beside those of tasks.
_STEP_WORDS = """
    accept avoid click confirm correct decode edit ensure export go inject instantiate log navigate open paste press
    re-run refresh regenerate register reject reload reopen rerun restart retry scroll select sign tap toggle uninstall
    unregister visit
"""
#: These may be names, or tell of the past: orders only before what they are done to.
_NAME_WORDS = """
    answer audit benchmark build bump change clean clear close commit complete configure cut debug deploy design
    document draft drop edit export figure fix format go handle help hold import init issue keep limit link list log
    look mark measure merge mock move name open order patch pin place plan port print profile pull push put rank
    read record refresh release reload report request research reset retry return review rewrite set ship sign skip
    sort spawn split squash start stop store strip submit support switch sync tag test toggle trace track triage
    trim try tune turn upgrade view wire work wrap
"""
_ORDERS = (VERBS | frozenset(_STEP_WORDS.split())) - {"cut", "put", "read", "reset", "set", "split"}
_NAMES_TOO = frozenset(_NAME_WORDS.split())
_OBJECT = re.compile(
    r"\s+(?:the|an?|all|any|your|our|my|this|that|these|those|it|them|each|every|both|in|out|into|to)\b", re.I
)
#: What a point begins with that has no subject.
_DOES = re.compile(r"(?P<verb>[A-Z][a-z]+s)(?=\s)")
_DOES_WORDS = (
    "fail pass survive persist load emit preserve detect send render count prevent catch intercept return accept"
)
#: What is said of many things: "Checks passed".
_OF_MANY = re.compile(
    r"\s+(?:passed|failed|changed|landed|are|were|have|now|live|pass|run|work|fail|stay|need|come|go)\b", re.I
)
_DOES_TOO = frozenset(_DOES_WORDS.split())
_CODE_FIRST = re.compile(r"\W*(?:`|[\w./-]+\.[a-z]\w{0,4}\b|\w+\(|\w+_\w+)")
#: What makes a sentence of words, and what begins a clause that makes none.
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|must|will|would|should|may|might|needs?|means?"
    r"|happens?|works?|uses?|stays?|remains?|comes?|becomes?|gets?|lies?|now|ist|sind|war|wird|hat|haben|kann|muss|est"
    r"|sont|était|ont|peut|es|son|está|están|era|tiene|puede|é|são|foi|tem|pode|è|sono)\b|n['’]t\b|['’]s\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(r"\b(?:where|which|that|who|when|whenever|while|if|unless|because|since|as|until)\b.*", re.I)
_LABEL = re.compile(r"[\w ]{2,24}: (?=\S+ \S+ \S)")
_ASIDE = re.compile(r"\([^()]*\)")
#: What begins so in an item is whole, whichever verb it has.
_SUBJECT = re.compile(r"(?:the|an?|all|both|each|every|it|this|that|these|those|we|i|they|there|no)\b", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:the|an?|of|to|and|with|for|in|on|by|from|at|or|not|as)\b", re.IGNORECASE)
_WHOLE_WORDS, _LONG_WORDS = 5, 20
#: Nothing that begins so and has no verb is a sentence; nor are so few words before a reason.
_HANGS_ON = re.compile(
    r"(?:with|without|not(?! (?:yet )?(?:\w+ed|run|done)\b)|as|at|for|from|by|of|because|since|which|whose|including"
    r"|except|instead of|mit|ohne|nicht|als|avec|sans|pas|con|sin|com|sem)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^(?:but|and|so|though|though not|aber|mais|pero)\s+", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|since|which|so that|weil|parce que|porque)\b", re.IGNORECASE)
_FEW = 4
#: A name and nothing else, and code that stands in no fence.
_CODE = re.compile(
    r"`[^`]+`(?: ?\([^()]*\))?\W*$|[+\\]|.*[\\{;]\.?$|[\w.$\[\]]+(?:: [\w\[\], ]+)? = \S|[\w.]+\([^()]*\)\.?$"
)
#: A sentence that lost its beginning.
_FRAGMENT = re.compile(r"[a-z]{2,}(?:[ ,]|['’])")
#: What says by its own label that it is no deed.
_LABELLED = seldom(
    r"^(?:next(?: steps?)?|recommend\w*|suggest\w*|propos\w+|option \w|question \d\w*|open questions?|follow-?ups?"
    r"|to-?do|empfehlung|nächster schritt|recommandation|recomendación)\b[^.:]{0,20}[:—–]"
    r"|^(?:context|section|source)\b[^.:(]{0,20}[:(]",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"if (?:you|any(?:thing|one|body|\b)|some(?:thing|one|body)|(?:the |this |that )?\w+ (?:still|persists))", re.I
)
#: What stands for something that was said right before, unless it names it.
_POINTS = re.compile(
    r"(?:(?:so|and|but|now) )?(?:it|its|they|their|he|she|this|that|(?:\w+ ){0,4}(?:these|those)"
    r"|both (?![\w-]+s\b|[\w-]+ and\b|the\b|of the\b|\W)"
    r"|all (?:two|three|four|five) (?!(?:[\w-]+ )?[\w-]+s\b))\b(?:['’]\w+)?"
    r"(?! (?:session|pr|branch|repo\w*|project|commit|codebase|release|version|environment|machine)\b)",
    re.IGNORECASE,
)
#: A clause that waits for the one behind it, where a sentence may be cut.
_OPENS = re.compile(
    r"(?:^|[,:;–—(] )(?:and |but |so )?(?:if|when|whenever|once|while|after|before|because|since|unless|until|although"
    r"|though|wenn|sobald|weil|bevor|nachdem|si|quand|lorsque|cuando|mientras|se|quando)\b[^,:;–—(]*$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[,;](?=\s)|\s[–—(]|\s-\s|\s(?:because|so that|which|where|while)\s")


@dataclass(frozen=True, slots=True)
class TurnWork:
    """What became of the turn in which something was said."""

    is_last: bool
    #: Whether files were changed or committed in it, in the next one, and in any after it.
    has_work: bool
    is_taken_up: bool
    is_worked_on: bool


def did_not_happen(said: str, places: Mapping[str, SentencePlace], work: TurnWork, *, is_cause: bool) -> bool:
    """Whether a sentence of a message, whatever it says, tells of no deed, cause or answer."""
    standing = places.get(said, NOWHERE)
    is_deed = cues.TELLS_DEED.match(said) is not None
    return (
        standing.is_torn
        or said.count("(") > said.count(")")
        or said.count('"') % 2 == 1
        or said.count("`") % 2 == 1
        or not any(map(str.isalpha, cues.QUOTED.sub("", said)))
        or _TO_USER.match(said) is not None
        or _CODE.match(said) is not None
        or _LABELLED.match(said) is not None
        or (standing.is_label and not is_deed)
        or (not standing.begins_item and not is_deed and _FRAGMENT.match(said) is not None)
        or _is_below_none(standing)
        or (standing.is_item and not is_deed and any(map(TAKEN_OUT.match, standing.below[-1:])))
        or (work.is_worked_on and not is_deed and _is_finding(said, standing))
        or (not is_deed and (_is_ahead(said, standing, work) or (not is_cause and _is_over(said, work))))
        or (standing.is_item and not is_deed and _lacks_subject(said, standing))
        or (standing.is_item and not (work.has_work or is_deed or is_cause) and _is_scrap(said))
    )


def points_back(said: str, standing: SentencePlace = NOWHERE) -> bool:
    """Whether nobody knows what a sentence speaks of who has not read the one before it."""
    return _POINTS.match(said) is not None or (not standing.begins_item and begins_with_verb(said))


def cut_whole(text: str, words: int, most: int) -> str:
    """The text, or so many words of it where a clause ends that needs none behind it; at most so many, or none."""
    split = text.split()
    if len(split) <= words:
        return text
    kept = " ".join(split[:words])
    ends = [found.start() for found in _BREAK.finditer(kept) if found.start() > len(kept) * 0.55]
    whole = [end for end in ends if _OPENS.search(kept, 0, end) is None and _is_even(kept[:end])]
    if whole:
        return kept[: whole[-1]].rstrip(" ,;:–—-")
    return text if len(split) <= most else ""


def _is_even(text: str) -> bool:
    return text.count("`") % 2 == 0 and text.count("(") == text.count(")") and text.count('"') % 2 == 0


def _is_below_none(standing: SentencePlace) -> bool:
    """Whether the innermost heading that says so heads what was not done."""
    for lead in reversed(standing.below):
        if _NOT_DONE.search(lead):
            return True
        done, not_yet = _DEEDS.search(lead), _NOT_YET.search(lead)
        # "Three options, each applied to a page" begins with what it heads.
        if not_yet is not None and (done is None or not_yet.start() < done.start()):
            return True
        if done is not None and _NOTHING_DONE.search(lead) is None:
            return False
    return False


def _is_finding(said: str, standing: SentencePlace) -> bool:
    if _SEVERITY.match(said):
        return True
    for lead in reversed(standing.below):
        if _DEEDS.search(lead):
            return False
        if _FINDINGS.search(lead):
            return True
    return False


def _is_ahead(said: str, standing: SentencePlace, work: TurnWork) -> bool:
    """Whether it says what somebody does next, may do, or is to do."""
    bare = cues.QUOTED.sub("", said)
    is_supposed = _SUPPOSES.match(said) or (work.has_work and _IF.match(said) and _NOW.search(said) is None)
    is_at_it = _AT_IT.match(said) is not None and _GOES.search(_SUBORDINATE.sub("", said)) is None
    if is_at_it or _PROMISES.search(bare) or is_supposed or (not work.is_last and _ASKS.search(bare)):
        return True
    if any(map(_is_order, _PARTS.split(said)[1:])):
        return True
    is_of_deeds = standing.is_item and any(map(_DEEDS.search, standing.below))
    return not is_of_deeds and _is_order(said)


def _is_over(said: str, work: TurnWork) -> bool:
    """Whether it tells what was left or how things were in an earlier turn: nobody has to read that now."""
    bare = cues.QUOTED.sub("", said)
    is_left = work.has_work and _LEFT.search(bare) is not None
    was_so = work.is_taken_up and _FOR_NOW.search(bare) is not None
    return not work.is_last and (is_left or was_so)


def _is_order(said: str) -> bool:
    """Whether it tells somebody what to do: "Restart the server", "if it persists, check the log"."""
    if _CONDITION.match(said) and (found := _BEHIND_COMMA.match(said)):
        return _is_order(said[found.end() :])
    if said.lower().startswith(("please ", "do not ", "don't ", "don’t ", "go ahead ")):
        return True
    found = _FIRST.match(said)
    verb = found["verb"].lower() if found is not None else ""
    if found is None or verb not in _ORDERS:
        return False
    after = said[found.end("verb") :]
    if verb in _NAMES_TOO:
        return _OBJECT.match(after) is not None
    return after[:1].isspace()


def _lacks_subject(said: str, standing: SentencePlace) -> bool:
    """Whether a point begins with what its lead does, and that is no file or function: "Creates a folder first"."""
    is_of_code = bool(standing.below) and _CODE_FIRST.match(standing.below[-1]) is not None
    return not is_of_code and begins_with_verb(said)


def begins_with_verb(said: str) -> bool:
    """Whether a sentence only tells what something does: "Creates a folder first"."""
    found = _DOES.match(said)
    if found is None or _OF_MANY.match(said, found.end()) is not None:
        return False
    verb = found["verb"].lower()
    bases = {verb.removesuffix("s"), verb.removesuffix("es"), f"{verb.removesuffix('ies')}y"}
    if bases.isdisjoint(_ORDERS | _DOES_TOO):
        return False
    return bases.isdisjoint(_NAMES_TOO) or _OBJECT.match(said, found.end()) is not None


def is_remnant(said: str) -> bool:
    """Whether it is the rest of an answer, or so few words before a reason: "Not as an open issue"."""
    bare = _GOES_ON.sub("", cues.QUOTED.sub("", cues.LEAD_IN.sub("", said)))
    reason = _REASON.search(bare)
    main = bare[: reason.start()] if reason is not None else _SUBORDINATE.sub("", bare)
    if "," in main or not main.strip() or len(said.split()) >= _LONG_WORDS or _VERB.search(main):
        return False
    return _HANGS_ON.match(main) is not None or (
        reason is not None and len(main.split()) < _FEW and _GOES.search(main) is None
    )


def _is_scrap(said: str) -> bool:
    """Whether a point of an answer is no sentence: nothing says what does it, or is so."""
    said = _LABEL.sub("", said)
    words = len(said.split())
    if cues.CHECKED.search(said):
        return False
    if not said.isascii() and _ENGLISH.search(said) is None:
        return False  # Written without such words.
    if _SUBJECT.match(said) and words >= _WHOLE_WORDS:
        return False
    main = _SUBORDINATE.sub("", _ASIDE.sub("", cues.QUOTED.sub("", said)))
    return words < _LONG_WORDS and _CODE_FIRST.match(said) is None and _VERB.search(main) is None
