"""Whether a sentence says why. Pure."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from lerim.answer.focus import NUMBER_WORDS
from lerim.answer.force import Force, force_of
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms
from lerim.text.statements import statement
from lerim.text.words import spelled

_CAUSE = compile_later(
    r"(?i)\b(?:because|since(?! (?:v?\d|yesterday|last|then|(?:mon|tues|wednes|thurs|fri|satur|sun)day))"
    r"|since(?= v?\d[\w.]* (?:was|is|were|had|has)\b)"
    r"|so that|due to|otherwise|to avoid|in order to|(?:root )?cause[ds]?|reasons?|instead of|would"
    r"|could not|couldn't|cannot|can't|costs?|too \w+|worth|enough|overkill|anyway|no need|nothing"
    r"|broke|fail(?:s|ed|ures?|ing)|without|limited|throttled"
    r"|unmaintained|deprecated"
    r"|weil|wegen|sonst|denn|damit|deshalb|deswegen|ursache|liegt (?:an|daran)|parce que|sinon|porque|debido"
    # Whoever wants it so is the reason.
    r"|(?:wants?|wanted|needs?|asked for|insists? on|requires?|demands?) (?:it|this|that|so))\b"
)
_TURNED_DOWN = frozenset(
    (
        "no",
        "not",
        "never",
        "kein",
        "keine",
        "keinen",
        "nicht",
        "nein",
        "pas",
        "non",
        "drop",
        "skip",
        "from",
        "instead",
        "statt",
    )
)
_OF_ONE = compile_later(r"^(?P<of>[\w.+#-]+(?: [\w.+#-]+)?): ")
_GOES_OVER = compile_later(r"(?i)\bwe (?:go|went|move|moved|switch|switched|change|changed) (?:over |back )?to\b")
#: What says in so many words that one thing comes of another.
BECAUSE = compile_later(r"(?i)\b(?:because|since|due to|caused|weil|wegen|parce que|porque)\b")
#: "15 minutes, 30 still dies": what another value did.
_OTHER_VALUE = compile_later(rf"(?i)(?:\d|\b(?:{NUMBER_WORDS})\b).*?, (?:the )?(?:\d[\w.,]*|{NUMBER_WORDS}) [a-z]+")
#: What is told of a thing on the way is no reason of it.
_THEN = compile_later(r"(?i)^\W*(?:then|and|or|also|next|later|now)\b")


#: What the agent did, and how it is since, is no cause.
_DID = compile_later(
    r"(?i)^\W*(?:i|we|i['’]ve|we['’]ve) |^\W*after \w+ing\b|\bnow\b|^\W*(?:added|changed|switched|set|moved|made)\b"
    r"|\b(?:went|dropped|fell|rose|came) (?:down |up )?from\b|\b(?:pass|passes|passed|completed|works?)\b"
    # Where it can be seen.
    r"|\battached\b|\bsee (?:the |…|/|`|http)"
)


def gives_reason(text: str, said: Collection[str] = ()) -> bool:
    """Whether a sentence has the sign of a reason that was not `said` already, or puts one beside what it rules: "make
    it 3 days, the clips change often"."""
    cues = (found[0] for found in _CAUSE.finditer(text))
    is_cued = any(not set(terms(cue)) & set(said) for cue in cues)
    return is_cued or _OTHER_VALUE.search(text) is not None or has_ground(text)


def is_reason_of(text: str, term: str) -> bool:
    """Whether a sentence with a reason gives that of one thing: it says so in so many words, or turns that down."""
    said = spelled(text)
    beside = [set(map(str.lower, said[max(at - 2, 0) : at + 2])) for at, one in enumerate(said) if term in terms(one)]
    asked, _, told = text.partition("? ")
    if told and term in terms(asked) and gives_reason(told):
        return True  # What was taken in its place, and why.
    if (head := _OF_ONE.match(text)) is not None and term in terms(head["of"]) and len(text[head.end() :].split()) > 2:
        return True  # "SQLite: nobody wants a server".
    is_turned_down = any(not words.isdisjoint(_TURNED_DOWN) for words in beside)
    return bool(beside) and any((is_turned_down, _CAUSE.search(text), _GOES_OVER.search(text)))


def tells_how_it_was(text: str) -> bool:
    """Whether a sentence tells how something works or worked, not what was done about it."""
    return (
        not text.endswith("?")
        and _DID.search(text) is None
        and _THEN.match(text) is None
        and any(part.is_whole for part in statement(text, "").main)
    )


@lru_cache(maxsize=512)
def has_ground(text: str) -> bool:
    """Whether a sentence rules on something, and tells beside it how something is."""
    if text.endswith("?"):
        return False
    parts = statement(text, "").main
    ruled = [part for part in parts if part.is_order or not part.is_whole or force_of(part.text) is Force.RULED]
    told = [part for part in parts if part.is_whole and not part.is_order and not _THEN.match(part.text)]
    return bool(ruled) and any(part not in ruled for part in told)
