"""When two statements about one thing cannot both hold: what one claims and the other rejects. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lerim.ingest.words import SMALL, covered, jaccard, stems
from lerim.text.stems import stem
from lerim.text.words import words

_STOP = (
    r"(?=[,.;:()\n!?]|\s[-–—]\s|\b(?:but|because|since|instead|when|if|unless|until|so|as|we|it|use|using|prefer)\b|$)"
)
_THING = r"(?:(?:the|a|an|our|any|to|be|using|use|ever)\s+)*(?P<thing>[^,.;:()\n!?]{1,60}?)"
# A title that begins so rejects what follows. In a body such words are about something else too often.
_NEGATION = re.compile(
    r"(?i)\b(?:do not|don['’]t|does not|doesn['’]t|never|not|no|avoid|without|stop|cannot|can['’]t|must not|should not"
    rf"|shouldn['’]t|no more|drop|dropped|remove|removed|abandon|abandoned|ban|forbid|get rid of)\s+{_THING}{_STOP}"
)
# These say in any place that something else is gone.
_REPLACED = re.compile(
    rf"(?i)\b(?:instead of|rather than|no longer|away from|reverts?|reverted|replac(?:e|es|ed|ing)|supersedes?"
    rf"|retire[sd]?|deprecate[sd]?|stopped using|stop using|in place of)\s+{_THING}"
    r"(?=[,.;:()\n!?]|\s[-–—]\s|\b(?:with|by|but|because|since|for|in|on|when|and|to|we|it)\b|$)"
)
_PREFERRED = re.compile(rf"(?i)\b(?:prefer|choose|chose|pick|favou?r)\w*\b[^.;\n]{{1,60}}?\bover\s+{_THING}{_STOP}")
_FROM_TO = re.compile(
    r"(?i)\b(?:switch|move|migrate|migrat|chang|go|went|convert|upgrad|downgrad|bump|port)\w*\b[^.;\n]{0,40}?\bfrom\s+"
    r"(?P<thing>[^,.;:()\n]{1,40}?)\s+to\b"
)
_ARROW = re.compile(r"(?P<thing>[\w.@/-]+)\s*(?:→|->|=>)\s*[\w.@/-]+")
_GONE = re.compile(
    r"(?i)(?:^|[.;,\n]\s*)(?P<thing>[\w.@/ -]{2,40}?)\s+(?:is|are|was|were|has been)\s+"
    r"(?:no longer|gone|removed|dropped|out)\b"
)
# What a choice is a choice of: the thing right behind its verb, before what it is for and why.
_ADOPTED = re.compile(
    r"(?i)^(?:let['’]?s |we(?:['’]ll| will| should)? )?"
    r"(?:use|adopt|choose|keep|pick|go with|take|run|deploy(?: to| on)?|host(?: on)?"
    r"|(?:switch|move|migrate)(?: over)? to|standardi[sz]e on)"
    r"\s+(?:the |a |an |our |only )?(?P<thing>[^,.;:()\n!?]{1,40}?)"
    r"(?=[,.;:()\n!?]|\s(?:with|for|because|since|in|on|to|as|when|so|and|everywhere|instead|rather|over|from|at)\b|$)"
)
# Words that say that something takes its place; what is merely taken out of one file may stay elsewhere.
_REPLACES = re.compile(
    r"(?i)\b(?:instead|adopt|switch\w*|move[ds]?|migrat\w+|replac\w+|go(?:es)? (?:with|through|back)|back to"
    r"|in favou?r of|(?<!not )(?<!n't )(?<!n’t )(?<!never )use)\b"
)
_NEGATION_WORDS = """
not never no don't do doesn't avoid without stop cannot can't must should shouldn't instead rather
"""
_NEGATIONS = frozenset(map(stem, _NEGATION_WORDS.split()))
_NUMBER = re.compile(r"v?\d[\d.,_]*(?:ms|s|m|h|d|kb|mb|gb|k|%|px)?", re.IGNORECASE)
# A number after one of these names a thing; it is no value that could change.
_NUMBERED_WORDS = """
phase step task issue pr ticket item milestone sprint section adr rfc part stage wave bug case option
"""
_NUMBERED = frozenset(_NUMBERED_WORDS.split())
_PAIRS = """
enable/disable allow/forbid allow/disallow include/exclude on/off require/optional public/private before/after
sync/async synchronous/asynchronous manual/automatic manually/automatically keep/delete keep/remove add/remove
enabled/disabled strict/loose eager/lazy always/never true/false yes/no internal/external sequential/parallel
mutable/immutable shared/separate accept/reject open/closed approve/reject commit/ignore tracked/ignored
"""
_ANTONYMS = frozenset(frozenset(stem(word) for word in pair.split("/")) for pair in _PAIRS.split())
# Things of which a project has one.
_CHOICES = """
npm/pnpm/yarn/bun jest/vitest/mocha pytest/unittest/nose black/yapf/ruff eslint/biome/oxlint prettier/biome
postgres/postgresql/mysql/sqlite/mariadb/mongodb tabs/spaces rest/graphql/grpc jwt/sessions/cookies merge/rebase/squash
main/master/develop/trunk poetry/uv/pip/pipenv/pdm webpack/vite/rollup/esbuild redux/zustand/mobx celery/rq/dramatiq
flask/fastapi/django express/fastify/koa cypress/playwright/selenium aws/gcp/azure docker/podman redis/memcached
circleci/jenkins/travis yaml/toml/json camelcase/snake_case/kebab-case monorepo/polyrepo
"""
_ALTERNATIVES = tuple(frozenset(stem(word) for word in line.split("/")) for line in _CHOICES.split())
_BEFORE_VALUE_WORDS = "use using adopt choose pick prefer keep with run take select standardise standardize want"
_BEFORE_VALUE = frozenset(_BEFORE_VALUE_WORDS.split())
_AFTER_VALUE = frozenset({"for", "as", "in", "to", "with", "on", "when", "inside", "within", "across", "during"})
_VALUE_FOLLOWS = frozenset({"to", "on", "is", "are", "=", "at", "stays"})
_ARTICLES = frozenset({"a", "an", "the", "our"})
_MAX_VALUE_WORDS = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """What a title and a body come to: the subject, what is claimed of it, and what is rejected."""

    #: The title's words in order, without articles.
    line: tuple[str, ...]
    title: frozenset[str]
    everything: frozenset[str]
    claims: frozenset[str]
    rejects: frozenset[str]
    numbers: frozenset[str]
    #: Numbers that name a thing: phase 14.
    names: frozenset[str]
    #: What the title chooses, when it is a choice.
    adopts: frozenset[str] = frozenset()
    #: Whether something else takes the place of what is rejected.
    replaces: bool = False


@lru_cache(maxsize=2048)  # One candidate is compared with many records, and these with the next candidate.
def statement(title: str, body: str) -> Statement:
    """The statement a memory makes."""
    rejected_in_title = _things(title, (_NEGATION, _REPLACED, _PREFERRED, _FROM_TO, _ARROW, _GONE))
    rejected = rejected_in_title | _things(body, (_REPLACED, _PREFERRED, _FROM_TO, _GONE))
    meaning = stems(title) - _NEGATIONS or stems(title)
    numbers, names = _numbers(title)
    return Statement(
        line=tuple(word for word in words(title) if word not in _ARTICLES),
        title=meaning - numbers,
        everything=(meaning | stems(body)) - _NEGATIONS,
        claims=meaning - rejected_in_title - numbers,
        # Whatever the title claims in the same breath is not rejected: "use pnpm instead of npm" keeps pnpm.
        rejects=rejected - (meaning - rejected_in_title),
        numbers=numbers,
        names=names,
        adopts=_things(title, (_ADOPTED,)),
        replaces=_REPLACES.search(title) is not None,
    )


def opposition(new: Statement, old: Statement, *, is_choice: bool) -> str:
    """Why the new statement cannot hold together with the old one; nothing when both can.

    `is_choice` says that both are decisions or preferences: only of these does a project have one at a time.
    """
    if new.names != old.names:
        return ""
    return (
        _rejection(new, old)
        or _antonym(new, old)
        or _other_number(new, old)
        or (_replacement(new, old) or _other_choice(new, old) or _other_value(new, old) if is_choice else "")
    )


def is_choosable(word: str) -> bool:
    """Whether it is one of the things of which a project has one, such as a package manager."""
    return any(stem(word) in choices for choices in _ALTERNATIVES)


def rivals(chosen: frozenset[str]) -> frozenset[str]:
    """What cannot be used where these were chosen, as stems."""
    groups = [choices for choices in _ALTERNATIVES if choices & chosen]
    return frozenset(word for choices in groups for word in choices) - chosen


def _things(text: str, patterns: tuple[re.Pattern[str], ...]) -> frozenset[str]:
    found = (match["thing"] for pattern in patterns for match in pattern.finditer(text))
    return frozenset(word for thing in found for word in map(stem, words(thing)) if word not in SMALL) - _NEGATIONS


def _numbers(title: str) -> tuple[frozenset[str], frozenset[str]]:
    values: set[str] = set()
    names: set[str] = set()
    line = words(title)
    for before, word in zip(["", *line], line, strict=False):
        if _NUMBER.fullmatch(word):
            if before in _NUMBERED:
                names.add(f"{before} {word}")
            else:
                values.add(word)
    return frozenset(values), frozenset(names)


def _rejection(new: Statement, old: Statement) -> str:
    hit = new.rejects & old.claims
    if _denies(new, old) or (_is_rival(new.claims, hit) and covered(old.claims, hit) >= 0.5):
        return f"it rejects {_named(hit, old)}"
    if _denies(old, new):
        return f"it takes back the rejection of {_named(old.rejects & new.claims, new)}"
    return ""


def _replacement(new: Statement, old: Statement) -> str:
    """The very thing that was chosen is given up for another."""
    given_up = new.rejects & old.adopts
    if new.replaces and given_up and covered(old.adopts, given_up) >= 0.5 and not old.adopts <= new.adopts:
        return f"it gives up {_named(given_up, old)}"
    return ""


def _denies(one: Statement, other: Statement) -> bool:
    """Whether what one rejects is what the other is about, and not just a word in it.

    Where each has a place of its own ("not for admins", "for the API"), both hold.
    """
    hit = one.rejects & other.claims
    is_the_point = covered(other.claims, hit) >= 0.6 or bool(hit and other.claims - hit <= one.title)
    return is_the_point and (one.rejects <= other.claims or jaccard(one.rejects, other.claims) >= 0.6)


def _is_rival(claims: frozenset[str], hit: frozenset[str]) -> bool:
    return any(choices & claims and choices & hit for choices in _ALTERNATIVES)


def _antonym(new: Statement, old: Statement) -> str:
    for pair in _ANTONYMS:
        one, two = pair & new.title, pair & old.title
        if len(one) == len(two) == 1 and one != two and _is_alike(new.title - pair, old.title - pair):
            return f"it says {_named(one, new)} instead of {_named(two, old)}"
    return ""


def _other_number(new: Statement, old: Statement) -> str:
    # A number more is a detail more; another number is another value.
    is_other = new.numbers - old.numbers and old.numbers - new.numbers
    if not is_other or not (new.title and _is_alike(new.title, old.title)):
        return ""
    return f"it says {_listed(new.numbers - old.numbers)} instead of {_listed(old.numbers - new.numbers)}"


def _other_choice(new: Statement, old: Statement) -> str:
    for choices in _ALTERNATIVES:
        one, two = choices & new.claims, choices & old.claims
        rests = new.claims - choices, old.claims - choices
        is_alike = not any(rests) or (all(rests) and _is_alike(*rests))
        if len(one) == len(two) == 1 and one != two and is_alike:
            return f"it chooses {_named(one, new)} where {_named(two, old)} was chosen"
    return ""


def _other_value(new: Statement, old: Statement) -> str:
    """Titles that differ in one place only, where the thing chosen stands: "use Redis for queues"."""
    one, two = list(new.line), list(old.line)
    before = _common(one, two)
    after = _common(one[before:][::-1], two[before:][::-1])
    mine, theirs = one[before : len(one) - after], two[before : len(two) - after]
    if not (0 < len(mine) <= _MAX_VALUE_WORDS and 0 < len(theirs) <= _MAX_VALUE_WORDS) or not before:
        return ""
    head, tail = one[:before], one[len(one) - after :] if after else []
    subject = [word for word in (*head[:-1], *tail) if word not in SMALL]
    in_middle = head[-1] in _BEFORE_VALUE and bool(tail) and tail[0] in _AFTER_VALUE and len(subject) >= 1
    at_end = not tail and head[-1] in _VALUE_FOLLOWS and len(subject) >= (1 if head[-1] in {"to", "on"} else 2)
    return f"it says {' '.join(mine)} instead of {' '.join(theirs)}" if in_middle or at_end else ""


def _common(one: list[str], two: list[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def _is_alike(one: frozenset[str], two: frozenset[str]) -> bool:
    return bool(one and two) and jaccard(one, two) >= 0.6


def _named(found: frozenset[str], where: Statement) -> str:
    """The words as the title has them, since a stem is no word."""
    shown = [word for word in where.line if stem(word) in found]
    return _listed(frozenset(shown)) if shown else _listed(found)


def _listed(found: frozenset[str]) -> str:
    return ", ".join(sorted(found))
