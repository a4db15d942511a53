"""What was wrong, and what is done about it: both stay, though one says that something is not there and the other asks
for it. Pure.

"The index is missing, so the report is slow" is why somebody adds it. It was never a rule.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.lazy_regex import compile_later
from lerim.text.statements import Statement

#: Where a cause stands: behind what it leads to, or before it.
_BEHIND = compile_later(
    r"\b(?:because|since|due to|caused by|c[ao]mes? from|root cause|the (?:cause|reason)|culprit|weil|liegt daran"
    r"|ursache|parce que|la cause|porque|debido a)\b(?P<cause>.*)",
    re.I,
)
_BEFORE = compile_later(
    r"(?P<cause>.*?)[,;]? (?:so(?! that)|hence|thus|which is why|(?:and )?that['’]?s why|deshalb|deswegen|daher|donc"
    r"|du coup|por eso|así que)\b",
    re.I,
)
#: That something is not there, or was not done.
_LACKS = compile_later(
    r"\b(?:is|are|was|were|does|did|has|had)(?: not|n['’]?t)\b|\b(?:never|missing|lacks?|lacked|off|disabled|unset"
    r"|empty|fehlt|fehlte|nicht|kein\w*|leer|manque|manquait|pas|vide|falta|faltaba|vacío)\b"
    r"|\bno (?:[\w-]+ ){1,3}?(?:is|was|are|were)\b",
    re.I,
)
#: What went wrong once, and why or when: the same.
_WENT_WRONG = compile_later(
    r"^[^,;:]*?\b(?:ran out|failed|crashed|died|hung|broke|leaked|overflowed|timed out|filled up|went down|stalled"
    r"|deadlocked|(?:was|were) (?:\w+ )?(?:lost|slow|stale|wrong|blurry|empty|corrupted|doubled|duplicated|killed|down"
    r"|missing|late)|(?:fired|ran|sent|charged|happened|booked) (?:\w+ ){0,2}twice)\b"
    r".*\b(?:because|since|after|when|due to|as|while)\b",
    re.I,
)
#: What somebody decided and gives a reason for, forbids, or changes.
_DECIDED = compile_later(
    r"\b(?:we|you|must|should|may|can|allowed|permitted|needed|required|supported|wanted|welcome|wir|darf|dürfen|soll"
    r"|sollen|nous|doit|doivent|debe|deben|any ?more|no longer|from now|nicht mehr|ne \w+ plus|ya no)\b",
    re.I,
)
_FORBIDS = compile_later(r"\W*(?:never|no|do(?: not|n['’]?t)|nie|kein\w*|jamais|pas de|nunca)\b", re.I)


def are_fault_and_remedy(one: Statement, other: Statement) -> bool:
    """Whether one of them tells what came of a lack or went wrong, and the other does not."""
    return _tells_a_lack(one) != _tells_a_lack(other)


def _tells_a_lack(told: Statement) -> bool:
    """An order gives a reason: "use npm because yarn is not installed"."""
    is_told = _is_of_a_lack(told.title) or _WENT_WRONG.search(told.title) is not None
    return is_told and not any(said.is_order for said in told.main[:1])


@lru_cache(maxsize=4096)  # One title is held against many.
def _is_of_a_lack(title: str) -> bool:
    found = _BEHIND.search(title) or _BEFORE.match(title)
    if found is None or _LACKS.search(found["cause"]) is None:
        return False
    return _FORBIDS.match(title) is None and _DECIDED.search(found["cause"]) is None
