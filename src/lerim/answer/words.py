"""Which words of a question say what it is about. Pure."""

from __future__ import annotations

import re

from lerim.search.terms import terms

_SMALL_WORDS = """
a about after all also am an and any are as at be because been before being between both but by can cannot could did do
does doing done dont during each either else even ever few for from get gets give had has have having he
her here him his how i if in instead into is it its itself just kind let like look made make makes may me might more
most much must my no nor not of off often on once only or other our ours out over own per please put same shall she
should since so some something somebody still such take tell than that the their them then there these they thing things
this those though through to too until up upon us use used uses using very via was way we well were what when where
whether which while who whom whose why will with within without would yes yet you your
"""
#: Terms that stand in any text and say nothing of its subject.
SMALL = frozenset(term for word in _SMALL_WORDS.split() for term in terms(word))
_WORD = re.compile(r"[^\W_][\w.+#/'’-]*[\w+#]|[^\W_]")


def telling_words(text: str) -> list[str]:
    """The words of a text that say something, as they stand, in their order."""
    return [word for word in _WORD.findall(text) if not set(terms(word)) <= SMALL]
