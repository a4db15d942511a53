"""Whether one title lets go what another one holds until something has happened. Pure.

"Hold the rollout until legal has answered", "legal has answered, the rollout can go out": both speak of the same, so
the model takes them for one. The first holds no more.
"""

from __future__ import annotations

import re

from lerim.lazy_regex import compile_later
from lerim.text.alike import missing
from lerim.text.common import DENIES
from lerim.text.contraries import Contrary
from lerim.text.statements import Statement, statement
from lerim.text.words import words

#: What must not be done before something else, and what that is.
_HOLDS = compile_later(
    r"^\W*(?:please |we |let['’]s )*(?:hold|pause|postpone|park|delay|block|keep back|sit on|warte\w*"
    r"|halt\w*|attend\w*|espera\w*)\b.*?\b(?:until|till|before|for|bis|jusqu|hasta)\b(?P<held>.+)"
    r"|^\W*(?:please |we |let['’]s )*wait(?:s|ing)? (?:for|on|with|until|till) (?P<waited>.+)"
    r"|\b(?:freeze|frozen|on hold|blocked|paused|stays? closed|must not|may not"
    r"|(?:do|does)(?: not|n['’]t)|cannot|never|not|no)\b.*?\b(?:until|till|bis)\b(?P<frozen>.+)",
    re.I,
)
#: Who still waits for something.
_WAITS = compile_later(r"\b(?:hold|wait\w*|until|till|on hold|frozen|blocked)\b", re.I)
#: That it has happened.
_DONE = compile_later(
    r"\b(?:(?:has|have|hat|haben|ont|ha|han) (?:now |finally |just )?(?:\w{3,})"
    r"|(?:is|are|was|were) (?:now |finally |all |both )?(?:done|through|in|over|there|back|out|finished|complete"
    r"|clear|ready|fixed|signed|approved|green|merged|live)"
    r"|agreed|approved|answered|confirmed|passed|signed(?: off)?|cleared|accepted|finished|arrived|landed|replied"
    r"|decided|came (?:back|through)|went (?:through|live)|said yes"
    r"|gave (?:\w+ ){0,2}(?:ok|okay|go|green light|approval))\b",
    re.I,
)
#: And that the way is free.
_FREE = compile_later(
    r"\b(?:can|may|go(?:es)? ahead|free to|ok(?:ay)? to|fine to|unblocked|lifted|open again"
    r"|no longer (?:blocked|frozen)|safe to|kann|können|darf|dürfen|peut|peuvent|puede|pueden)\b",
    re.I,
)


def released(later: Statement, earlier: Statement) -> Contrary | None:
    """Why what was held is held no more: what was waited for has come, and what waited for it may go on."""
    held = _HOLDS.search(earlier.title)
    if held is None or _WAITS.search(later.title) is not None or not DENIES.isdisjoint(words(later.title)):
        return None
    if _DONE.search(later.title) is None or _FREE.search(later.title) is None:
        return None
    awaited = statement(next(filter(None, held.groups())), "").heavy
    told = statement(later.title, "").heavy
    if missing(awaited, told) == awaited:
        return None  # Something else has come.
    return Contrary(f"it says “{later.title}” where “{earlier.title}” was said", is_denial=True)
