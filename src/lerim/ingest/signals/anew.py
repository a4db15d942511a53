"""Whether something later said sets an amount to another value: "the deposit is 150", "make the deposit 180". Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.ingest.signals.cues import PUTS_RIGHT_AT_ONCE
from lerim.ingest.signals.plain_words import lead_off, statement
from lerim.ingest.signals.rulings import NUMBERED
from lerim.text.amounts import WEAK, Measured, measured
from lerim.text.grammar import EVERYDAY
from lerim.text.quantities import Quantity
from lerim.text.sentences import sentences

_DIGIT = re.compile(r"\d")
_FIGURES = re.compile(r"(?<![\w.])\d[\d.,_]*(?<![.,])")
_LONGEST = 400
#: Amounts of money can be told in another currency.
_MONEY = frozenset({"eur", "usd", "gbp", "chf", "jpy", "sek", "nok", "dkk", "pln", "czk"})
_ASKS = frozenset({"which", "what", "how", "when"})
_NOW = frozenset({"jetzt", "nun", "neu", "maintenant", "ahora", "agora", "adesso"})
#: Who says so tells or plans for one case.
_FOR_ONE = re.compile(
    rf"\b{NUMBERED} \d|\d ?[-–] ?\d|\b(?:was|were|had|took|got|measured|instead of \d|for (?:this|one|me)|today"
    rf"|yesterday)\b",
    re.I,
)


def sets_anew(later: str, earlier: str) -> bool:
    """Whether a sentence of the later text gives another amount of what the earlier one gives one of."""
    if not _DIGIT.search(later) or not _DIGIT.search(earlier) or max(len(later), len(earlier)) > _LONGEST:
        return False
    return any(
        _is_another(_amounts_in(new), _amounts_in(old))
        for new in sentences(later)
        for old in sentences(earlier)
        if "?" not in new
    )


def tell_other_amounts(one: str, other: str) -> bool:
    """Whether each gives amounts, and none that the other gives."""
    mine, theirs = (frozenset(_FIGURES.findall(text)) for text in (one, other))
    return bool(mine and theirs) and mine.isdisjoint(theirs)


@lru_cache(maxsize=1024)  # Each statement is held against those of many turns.
def _amounts_in(sentence: str) -> Measured:
    said = statement(PUTS_RIGHT_AT_ONCE.sub("", lead_off(sentence), count=1)).partition(",")[0]
    return measured("" if _FOR_ONE.search(said) is not None else said)


def _is_another(new: Measured, old: Measured) -> bool:
    """Whether two measured sentences name one thing, and give it two amounts of one kind."""
    about = new.about - _NOW
    if not about - EVERYDAY or new.is_denied != old.is_denied:
        return False
    is_one = about == old.about - _NOW and new.placed - WEAK == old.placed - WEAK
    if not is_one and not (_is_asked(old) and about <= old.about and new.placed <= about):
        return False
    pairs = list(zip(new.amounts, old.amounts, strict=False))
    is_alike = len(new.amounts) == len(old.amounts) and all(_are_of_one_kind(one, two, old) for one, two in pairs)
    return is_alike and sum((one.kind, one.value) != (two.kind, two.value) for one, two in pairs) == 1


def _are_of_one_kind(one: Quantity, two: Quantity, old: Measured) -> bool:
    # Who is asked how many retries answers with a bare number.
    is_counted = two.kind == "number" and one.kind in old.about
    return one.kind == two.kind or is_counted or {one.kind, two.kind} <= _MONEY


def _is_asked(told: Measured) -> bool:
    """Whether it is a question with its answer: that names more than who answers need say again."""
    return not _ASKS.isdisjoint(told.line)
