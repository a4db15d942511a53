"""Whether two statements tell two amounts of one thing, or each the amount of its own. Pure.

What an amount is of is told by the words around it, wherever they stand: "keep the dumps for 30 days", "dumps: two
weeks". Where each has such a word that the other lacks, they speak of two things: the left motor, the right motor.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.alike import missing
from lerim.text.assertions import is_content
from lerim.text.common import DENIES
from lerim.text.contraries import Contrary
from lerim.text.grammar import CONDITIONS, DETERMINERS, EVERYDAY, GENERIC
from lerim.text.quantities import MEASURES, Quantity, are_of_two_bounds, counted
from lerim.text.rewrites import spelled_out
from lerim.text.statements import PLACES, Statement
from lerim.text.stems import stem
from lerim.text.words import words

_WEAK_WORDS = """
new all whole entire current plain own real standard usual normal official preferred custom now later
threshold time duration interval frequency cadence target retention budget length oldest latest maximum minimum amount
allowance cap way ones
"""
#: Words that make no other matter of what they stand with.
WEAK = GENERIC | frozenset(map(stem, _WEAK_WORDS.split()))
_DEED_WORDS = """
purge/delete/remove/expire/keep/retain/store/hold/archive/drop kill/cancel/abort/terminate/timeout/limit
retry/attempt/repeat/redeliver support/require/need/target/supply fail/require/demand/block/enforce/reach
limit/allow/accept/cap/exceed/upload/permit run/execute/start/happen/schedule/kick rotate/renew/expire/last/change
fetch/refresh/update/poll/sync/pull/reload release/ship/deploy/publish/roll wait/answer/respond/reply/review
write/publish/due/file set/configure/give/get/size train/fit fire/trigger/timeout/bite
report/send/read merge/pull/land
"""
#: Deeds that name the same amount: what is purged after a year is kept for one.
DEEDS = tuple(frozenset(map(stem, group.split("/"))) for group in _DEED_WORDS.split())
_ENDING_WORDS = """
stop/halt/abort/kill/cancel/terminate/shutdown/brake/break/cut refuse/refusal/reject/rejection/block/deny/forbid
limit/cap/maximum/ceiling/restrict lock/block/ban/freeze expire/expiry/end/delete/purge fail/failure/break/error
"""
#: Names of what is done once an amount is reached: "the abort at 90 %" is where it "stops hard".
_LIMITING = tuple(frozenset(map(stem, group.split("/"))) for group in _ENDING_WORDS.split())
_CARRYING_WORDS = """
use take get have do keep make set put go come stay live give hold choose pick raise lower bump increase decrease reduce
extend shorten want switch change become goes went kept held gave given got made took taken try tune turn adopt say call
need require enough suffice
"""
#: Verbs that only carry the amount: "the pool gets 25", "bump the pool to 25".
_CARRYING = frozenset(map(stem, _CARRYING_WORDS.split()))
_SIDE_WORDS = """
left/right front/rear/back upper/lower top/bottom x/y/z read/write/connect/idle encoder/decoder train/test/validation
min/max minimum/maximum first/second/third request/response input/output upload/download inbound/outbound
client/server player/enemy warm/cold free/team/pro/enterprise dev/staging/prod staging/production soft/hard
"""
#: Things that come side by side: what holds of one says nothing of the other.
_SIDES = tuple(frozenset(map(stem, group.split("/"))) for group in _SIDE_WORDS.split())
_FIRST_END = compile_later(r"[,;(]\s|\s[-–—]+\s|\b(?:because|since|so that|otherwise)\b")
#: What is taken to another amount.
_RESETS = compile_later(
    r"^\W*(?:(?:so|ok|then|please|let['’]s|and|now) )*"
    r"(?:(?:raise|lower|bump|increase|decrease|reduce|drop|cut|extend|set) )?(?P<thing>(?:[\w-]+ ){0,2}?[\w-]+?)"
    r" (?:(?:goes|go|is|comes|up|down|back) )*to (?:about )?\d",
    re.I,
)
_FIGURE = compile_later(r"(?<![\w.])(\d+(?:\.\d+)?)(k\b)?", re.I)
_NUMBERED = compile_later(r"([a-z]+)\d+[a-z]?")
_ENOUGH = 2
#: Of what a share is called as a number: .8 is 80 %.
_SHARE, _PLAIN, _WHOLE = "share", "number", 100


@dataclass(frozen=True, slots=True)
class Measured:
    """A title as the words that tell what its amounts are of, and the amounts."""

    #: In order, with nothing where an amount stands.
    line: tuple[str, ...]
    about: frozenset[str]
    amounts: tuple[Quantity, ...]
    #: Words behind one that says where, or on what condition, it holds.
    placed: frozenset[str]
    is_denied: bool


@lru_cache(maxsize=4096)  # One is compared with many.
def measured(title: str) -> Measured:
    """A title by its first part, or by all of it where the amount stands behind that."""
    plain = spelled_out(title)
    first = counted(words(_FIRST_END.split(plain, maxsplit=1)[0]))
    told = first if first.quantities else counted(words(plain))
    line = tuple(word for word in told.words if word not in DETERMINERS)
    about = frozenset(stem(word) for word in line if word and is_content(word)) - WEAK - _CARRYING
    return Measured(line, about, told.quantities, _placed(line), not DENIES.isdisjoint(line))


def _placed(line: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for word, following in pairwise(line):
        if (word in PLACES or word in CONDITIONS or word == "on") and is_content(following):
            found.add(stem(following))
    return frozenset(found)


def _both_measured(later: Statement, earlier: Statement) -> tuple[Measured, Measured] | None:
    """What two titles tell of amounts, where both tell some, both or none deny it, and neither is the other's bound."""
    new, old = measured(later.title), measured(earlier.title)
    is_alike = bool(new.amounts and old.amounts) and new.is_denied == old.is_denied
    return (new, old) if is_alike and not are_of_two_bounds(later.bag, earlier.bag) else None


def other_amount(later: Statement, earlier: Statement) -> Contrary | None:
    """Another amount of the same thing, however the two sentences are built."""
    if (both := _both_measured(later, earlier)) is None:
        return None
    new, old = both
    if any(given.amounts & {(one.kind, one.value) for one in new.amounts} for given in later.given_up):
        return None  # It tells which amount is no more, and no other.
    pairs = [(one, two) for one in new.amounts for two in old.amounts if _are_of_one_kind(one, two)]
    if not pairs or any(is_as_much(one, two) for one, two in pairs):
        return None
    lack, more = _apart(new, old, later, earlier)
    shared = old.about - missing(old.about, new.about)
    if (lack and more) or not shared - EVERYDAY or lack & old.placed or more & new.placed:
        return None
    one, two = pairs[0]
    is_one = len(pairs) == 1 and not later.goes_on
    is_sure = is_one and not more and (not lack or (later.tells_change and len(shared) >= _ENOUGH))
    return Contrary(f"it says {one.shown} instead of {two.shown}", is_sure)


def other_amounts(later: Statement, earlier: Statement) -> tuple[Quantity, Quantity] | None:
    """Two amounts of a kind that two titles tell, the later one's first, where neither tells any of the other's. What
    they are of is for somebody else to know."""
    new, old = measured(later.title), measured(earlier.title)
    if new.is_denied != old.is_denied or not _do_amounts_differ(new, old):
        return None
    return next(((one, two) for one in new.amounts for two in old.amounts if _are_of_one_kind(one, two)), None)


def amounts_apart(later: Statement, earlier: Statement) -> tuple[Quantity, Quantity] | None:
    """The first amounts that two titles tell, of whatever kinds, where no figure of one is a figure of the other."""
    if (both := _both_measured(later, earlier)) is None:
        return None
    new, old = both
    if _figures(later.title) & _figures(earlier.title) or not _do_amounts_differ(new, old):
        return None
    return new.amounts[0], old.amounts[0]


def _figures(title: str) -> set[float]:
    """Its figures, and each as the share that it may be of a whole: 2k and 2000, 80 % and 0.8."""
    found = {float(number) * (1000 if many else 1) for number, many in _FIGURE.findall(title)}
    return found | {round(one / _WHOLE, 6) for one in found if one <= _WHOLE}


def reset_amount(later: Statement, earlier: Statement) -> Contrary | None:
    """Another amount of what the later one only calls by its last word, or by first letters: "threshold down to 0.4" of
    the confidence threshold, "lr goes to 1e-4" of the learning rate."""
    told = _RESETS.search(_FIRST_END.split(later.title, maxsplit=1)[0])
    found = other_amounts(later, earlier) if told is not None else None
    if told is None or found is None or are_of_two_bounds(later.bag, earlier.bag):
        return None
    named = [word for word in words(told["thing"]) if word not in DETERMINERS and is_content(word)]
    known = words(earlier.title)
    letters = {"".join(word[0] for word in known[at : at + count]) for at in range(len(known)) for count in (2, 3)}
    is_known = all(stem(word) in map(stem, known) or (len(word) > 1 and word in letters) for word in named)
    if not named or not is_known:
        return None
    new, old = found
    return Contrary(f"it says {new.shown} instead of {old.shown}", is_sure=False)


def _are_of_one_kind(one: Quantity, two: Quantity) -> bool:
    share, plain = (one, two) if one.kind == _SHARE else (two, one)
    is_both = (share.kind, plain.kind) == (_SHARE, _PLAIN) and 0 < (_as_share(plain.value) or 0) < _WHOLE
    return one.kind == two.kind or is_both


def is_as_much(one: Quantity, two: Quantity) -> bool:
    """Whether two amounts are the same, however they are written: 80 %, 0.8."""
    if one.value == two.value and one.kind == two.kind:
        return True
    share, plain = (one, two) if one.kind == _SHARE else (two, one)
    return (share.kind, plain.kind) == (_SHARE, _PLAIN) and _as_share(plain.value) == _as_share(share.value, 1)


def _as_share(value: str, times: int = _WHOLE) -> float | None:
    try:
        return round(times * float(value), 6)
    except ValueError:
        return None


def are_of_two_things(later: Statement, earlier: Statement) -> bool:
    """Whether both tell amounts, and each has a word for what it is of that the other has no word of: one word that
    both have is not enough then."""
    new, old = measured(later.title), measured(earlier.title)
    if not _do_amounts_differ(new, old):
        return False
    lack, more = (words - EVERYDAY for words in _apart(new, old, later, earlier))
    counts = {one.kind for one in new.amounts} & {one.kind for one in old.amounts} - MEASURES
    shared = old.about - missing(old.about, new.about) | counts
    return bool(lack and more) and len(shared) < _ENOUGH


def _do_amounts_differ(new: Measured, old: Measured) -> bool:
    """Whether each has amounts, and none of the other's."""
    is_same = any(is_as_much(one, two) for one in new.amounts for two in old.amounts)
    return bool(new.amounts and old.amounts) and not is_same


def are_of_one_thing(later: Statement, earlier: Statement) -> bool:
    """Whether both tell an amount of what both name in the same words, or the later one lifts what the earlier one has
    at the same amount."""
    new, old = measured(later.title), measured(earlier.title)
    known = {(one.kind, one.value) for one in old.amounts}
    if any(given.amounts & known and not given.is_aside for given in later.given_up):
        return True
    if not new.amounts or not old.amounts or not (new.about & old.about) - EVERYDAY:
        return False
    return not any(_apart(new, old, later, earlier))


def are_siblings(later: Statement, earlier: Statement) -> bool:
    """Whether these two things stand side by side: told in the very same words but for one, or known as a pair."""
    new, old = measured(later.title), measured(earlier.title)
    from difflib import SequenceMatcher  # Start-up: only where two titles with amounts are compared.

    lack, more = _besides(missing(old.about, new.about), missing(new.about, old.about))
    if not _do_amounts_differ(new, old) or not lack or not more:
        return False
    if any(one != two and _are_sides(one, two) for one in lack for two in more):
        return True
    changed = [
        part for part in SequenceMatcher(None, old.line, new.line, autojunk=False).get_opcodes() if part[0] != "equal"
    ]
    if len(changed) != 1 or changed[0][0] != "replace":
        return False
    _, start, end, first, last = changed[0]
    # What stands behind the amount may be another name of what it counts: "six-week sprints", "two-week cycles".
    return end - start == last - first == 1 and "" in old.line[end:] and "" in new.line[last:]


def _are_sides(one: str, two: str) -> bool:
    first, second = _NUMBERED.fullmatch(one), _NUMBERED.fullmatch(two)
    if first is not None and second is not None and first[1] == second[1]:
        return True  # p95 and p99.
    return any(group.issuperset((one, two)) for group in _SIDES)


def _apart(new: Measured, old: Measured, later: Statement, earlier: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """The words for what its amount is of that each has alone; of two that name one deed neither is."""
    lack = missing(old.about, new.about | later.bag | later.ended)
    more = missing(new.about, old.about | earlier.bag | earlier.ended)
    return _besides(lack, more)


def _besides(lack: frozenset[str], more: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    for group in DEEDS:
        if lack & group and more & group:
            lack, more = lack - group, more - group
    return lack, more


def limits_alike(thing: frozenset[str], said: frozenset[str]) -> bool:
    """Whether a name of what happens at an amount, and words that say what happens there, are of one deed."""
    return any(thing & group and said & group for group in _LIMITING)
