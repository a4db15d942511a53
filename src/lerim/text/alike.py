"""Words that are the same though they are spelled otherwise, and words that are each other's opposite. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from lerim.text.backing import is_akin
from lerim.text.common import SYNONYMS
from lerim.text.stems import stem

_NONE: frozenset[str] = frozenset()
# Further words that may stand for each other where rules are compared.
_GROUP_WORDS = """
edit/modify/touch/alter/change/refactor/rework/rewrite retain/keep/store/hold renew/refresh publish/release/ship
remain/stay permit/allow
need/require/take/demand wait/hold retry/repeat poll/check/query ask/consult long/length person/people pin/lock
suite/test
"""
_GROUPS = tuple(frozenset(map(stem, group.split("/"))) for group in _GROUP_WORDS.split())
#: What each of these words may stand for.
_MATES = {
    word: frozenset().union(*(group for group in _GROUPS if word in group)) for word in frozenset().union(*_GROUPS)
}
#: Two that differ in their endings alone begin alike.
_ROOT = 5
_ANTONYM_WORDS = """
ignore/enforce manually/generated commit/gitignored committed/gitignored bot/manually bot/manual optional/enforce
demand/automatically enable/disable include/exclude on/off public/private before/after opt-in/opt-out sync/async
synchronous/asynchronous manual/automatic manually/automatically keep/delete keep/remove add/remove require/optional
enabled/disabled strict/loose eager/lazy true/false internal/external sequential/parallel mutable/immutable
shared/separate open/closed commit/ignore tracked/ignored mandatory/optional pass/fail manual/automated
manually/automated automatic/human automatically/human locked/open singular/plural synchronously/asynchronously
synchronously/background relative/absolute optimistic/pessimistic blocking/advisory online/offline stateless/stateful
first/last light/dark soft/hard real/fake own/share own/shared local/remote upper/lower manual/generate runtime/ahead
soft/permanent temporary/permanent temporarily/permanently required/optional short/long short/detailed verbose/concise
verbose/terse concise/detailed
"""
_ANTONYM_PAIRS = tuple(tuple(map(stem, pair.split("/"))) for pair in _ANTONYM_WORDS.split())
_TURNING = ("un", "non-", "non", "dis", "in", "im")


def same(one: str, two: str) -> bool:
    """Whether two stems say the same."""
    if one == two or is_plural(one, two):
        return True
    if two in SYNONYMS.get(one, _NONE) or is_akin(one, two):
        return True
    return two in _MATES.get(one, _NONE)


def is_plural(one: str, two: str) -> bool:
    """Whether one is the other with an s that the stemmer left: "APIs", "PRs"."""
    return one == f"{two}s" or two == f"{one}s"


def is_among(one: str, others: Iterable[str]) -> bool:
    """Whether a stem, or one that says the same, is among others."""
    # As `same` would say of each, without asking it of each: many words are held against many.
    found = others if isinstance(others, frozenset) else frozenset(others)
    if one in found or f"{one}s" in found or (one[-1:] == "s" and one[:-1] in found):
        return True
    if not found.isdisjoint(SYNONYMS.get(one, _NONE)) or not found.isdisjoint(_MATES.get(one, _NONE)):
        return True
    return len(one) >= _ROOT and any(is_akin(one, two) for two in _by_root(found).get(one[:_ROOT], ()))


@lru_cache(maxsize=1024)  # One text's words are asked for each of another's.
def _by_root(stems: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Stems by how they begin."""
    found: dict[str, tuple[str, ...]] = {}
    for one in stems:
        if len(one) >= _ROOT:
            found[one[:_ROOT]] = (*found.get(one[:_ROOT], ()), one)
    return found


def missing(one: Iterable[str], by: frozenset[str]) -> frozenset[str]:
    """What the other has not. A word stands for one other only: of "errors" and "exceptions" the other needs two."""
    found = frozenset(one)
    left = by - found
    return frozenset(word for word in found if word not in by and not is_among(word, left))


def alike(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether two say the same in all their words."""
    return bool(one) and not missing(one, two) and not missing(two, one)


def overlaps(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether one of the two has all that the other has."""
    return not missing(one, two) or not missing(two, one)


def are_antonyms(one: str, two: str) -> bool:
    """Whether one stem says the opposite of the other: "enable" and "disable", "signed" and "unsigned"."""
    return two in _opposites(one)


def opposed(some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Those stems whose opposite is among others."""
    return frozenset(one for one in some if not others.isdisjoint(_opposites(one)))


@lru_cache(maxsize=8192)  # Each of one text's words is held against each of another's.
def _opposites(one: str) -> frozenset[str]:
    known = {two for pair in _ANTONYM_PAIRS if one in pair for two in pair if two != one}
    turned = {f"{prefix}{one}" for prefix in _TURNING}
    return frozenset(known | turned | {one[len(prefix) :] for prefix in _TURNING if one.startswith(prefix)})
