"""Questions that an agent puts through a form: which answers settle something, and which only steer the talk. Pure.

All answers of a form are treated alike: what counts is what was asked, and whether the answer says anything, not how
the option happens to be worded.
"""

from __future__ import annotations

import re

from lerim.ingest.signals.asked import leaves_all
from lerim.ingest.signals.text import topics

#: Asked of the talk or of the agent's next step, not of the work: "more questions, or move to the next area?".
_OF_THE_TALK = re.compile(
    r"\b(?:more|further|any other|another) questions?\b|\b(?:move|go|continue|proceed|skip) (?:on )?(?:to"
    r"|with) (?:the )?next\b"
    r"|\bnext (?:area|topic|question|section|point|step)\b"
    r"|\b(?:areas?|topics?|points?|questions?|sections?) (?:do|would|should|shall|to) (?:you|we|discuss|cover)\b"
    r"|\b(?:want|like|prefer) (?:me )?to (?:discuss|talk|go (?:over|through)|continue|proceed)\b"
    r"|\b(?:would you like|do you want|want|shall|should) (?:me to|i(?= (?:generate|create|write|start|continue|proceed"
    r"|go|show|explain|draft)\b))\b|\bwhat would you like (?:me )?to do\b|\bare we done\b|\bready to (?:continue"
    r"|proceed|go|start|create|move)\b"
    r"|\bweitere fragen\b|\bnächste[rsn]? (?:bereich|thema|punkt|frage)\b|\bmöchtest du,? dass ich\b|\bsoll ich\b"
    r"|\b(?:autres?|d['’]autres) questions?\b|\bsujet suivant\b|\b(?:más|otras) preguntas\b|\bsiguiente (?:tema"
    r"|área)\b",
    re.IGNORECASE,
)
#: Answers that do the same, whatever was asked.
_STEERS = re.compile(
    r"\W*(?:(?:let['’]?s )?(?:move|go) (?:on )?to )?(?:the )?(?:next (?:area|topic|question|section|point)"
    r"|more questions?"
    r"|done\b(?: [–—-].*)?|skip (?:this|it|for now)|not (?:sure|decided)(?: yet)?|(?:i )?don['’]?t know(?: yet)?"
    r"|let me think.*"
    r"|ask me later|(?:claude|agent)['’]?s? discretion|nächste[rs] (?:bereich|thema|punkt)|weiter)\W*",
    re.IGNORECASE,
)
#: Somebody asks what shall hold of the thing; what the agent shall do is an errand.
_OUGHT = re.compile(
    r"\b(?:should|shall|must|may|can|soll(?:en|te|ten)?|muss|müssen|darf|dürfen|doit|doivent|faut|deben?|puede[n]?|deve|devono)\b"
    r"(?! (?:i|you|me|ich|du|je|tu)\b)|\b(?:do you want to|do you prefer|would you (?:rather|prefer))(?! me\b)",
    re.IGNORECASE,
)
#: Of what is done once.
_OF_THE_MOMENT = re.compile(
    r"\b(?:(?:bug|hot)?fix|commit|push|merge|rebase|pull request|pr|todo|today|(?:right )?now|this (?:session"
    r"|release|time|todo)"
    r"|heute|jetzt"
    r"|maintenant|aujourd['’]hui|hoy|ahora)\b",
    re.IGNORECASE,
)
#: They name none of what was offered.
_ONLY_COUNTS = re.compile(
    r"\W*(?:both|all(?: of (?:them|the above)| \w+)?|none(?: of (?:them|these))?|neither|either|beide|alle|les deux"
    r"|tous|ambos|todos)\W*",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)
_ON_IT = re.compile(r"\b(?:it|them|this|that|these|those|es|das|le|la|les|lo)\b", re.IGNORECASE)
#: Examples and code are beside what is asked.
_BESIDE = re.compile(r"\([^()]*\)|`[^`]*`")
_RECOMMENDED = re.compile(r"\s*\((?:recommended|empfohlen)\)", re.IGNORECASE)
#: Words of any question: they say nothing of what it is on.
_ANY_QUESTION = topics(
    "which approach option way direction design choice variant tradeoffs trade-offs based on the above do you prefer"
    " pick choose want like recommend should we take go with would use it resonates vision best decide what now then "
    " overall"
)
_OPTION_WORDS = 8


def steers_talk(question: str, answer: str) -> bool:
    """Whether an answer only says how the talk goes on, leaves the choice to the agent, or asks back."""
    if _OF_THE_TALK.search(question) is not None or _STEERS.fullmatch(answer) is not None:
        return True
    return leaves_all(answer) or answer.rstrip(" )").endswith("?")


def settles(question: str, answer: str) -> bool:
    """Whether an answer takes an option on what shall hold, so that question and answer say it together."""
    said = _RECOMMENDED.sub("", answer).strip()
    if steers_talk(question, answer) or len(said.split()) > _OPTION_WORDS or "?" in said:
        return False
    if _ONLY_COUNTS.fullmatch(said) is not None and _OR.search(question) is None:
        return False
    if _ON_IT.search(said) is not None:
        # "Import it": of what, only the one who read the question knows.
        return False
    asked = _BESIDE.sub(" ", question)
    return _OUGHT.search(asked) is not None and _OF_THE_MOMENT.search(asked) is None and names_subject(asked)


def names_subject(question: str) -> bool:
    """Whether a question says what it is on: "based on that, which approach?" does not."""
    return bool(topics(question) - _ANY_QUESTION)
