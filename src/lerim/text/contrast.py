"""What two statements have in common and where they part, as numbers: what the learned score goes by. Pure.

No number here decides anything. Each says one thing about the pair that holds in any wording: which words both have, in
which part of the sentence they part, whether an amount, a name, a denial or a permission stands against another, and
whether the later one tells of a change. `evals/train_curate.py` learns what they are worth together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.alike import are_antonyms, is_among, missing, same
from lerim.text.assertions import Assertion
from lerim.text.grammar import LIGHT, PREPOSITIONS
from lerim.text.kinds import rivals, things
from lerim.text.statements import Statement
from lerim.text.stems import stem
from lerim.text.words import words

Stems = frozenset[str]
_DENYING_WORDS = """
not no never without nobody nothing none neither nor cannot avoid forbidden forbid banned ban stop stopped disabled off
prohibited refuse refused reject rejected blocked skip disallowed discouraged unnecessary unneeded gone ignore ignored
"""
_ALLOWING_WORDS = """
may can fine ok okay allowed allow permitted permit free freely optional accept accepted acceptable tolerated welcome
voluntary enough
"""
_ASKING_WORDS = """
must always need needs needed require required requires mandatory has have enforce enforced obligatory ask approval
approve approved sign-off wait waits
"""
_EVERY_WORDS = "all every each everybody everyone anybody anyone any always everything everywhere whole entire"
_SOME_WORDS = "only some one single own just except unless certain"
#: What a word does to what is said: it denies, allows, demands, says it of all, or of some.
_STANCES = {
    "denies": frozenset(_DENYING_WORDS.split()),
    "allows": frozenset(_ALLOWING_WORDS.split()),
    "demands": frozenset(_ASKING_WORDS.split()),
    "all": frozenset(_EVERY_WORDS.split()),
    "some": frozenset(_SOME_WORDS.split()),
}
_TURN = compile_later(
    r"\b(?:now|no longer|any ?more|any longer|these days|nowadays|after all|again|instead|back (?:to|on|in|with)"
    r"|went back|switch\w*|moved|moving|migrat\w+|used to|replac\w+|drop(?:s|ped)?|gone|retired|revert\w*|swapped"
    r"|chang(?:ed|ing)|mistake|turned out|scrap\w*|abandon\w*|ditch\w*|ripped|stop(?:s|ped)?|lifted|remov\w+"
    r"|mind|overkill|experiment|from (?:now|here|today) on|raised|lowered|bumped|relaxed|cancell?ed|off|over|since"
    r"|undo|undid|re-?enabled?|forget|already|finally)\b"
)
_FAULT = compile_later(
    r"\b(?:too|brok\w*|break\w*|fail\w*|cost\w*|expensive|slow\w*|flak\w+|hurt\w*|lost|leak\w*|bugs?|incidents?"
    r"|outages?|clash\w*|collid\w*|conflict\w*|painful|brittle|bad|worse|wrong|drift\w*|stale|outdated|unmaintained"
    r"|crash\w*|annoy\w*|confus\w*|nobody|no one|didn't|did not|couldn't|wasn't|weren't|kept \w+ing|limits?|caused"
    r"|problems?|issues?|trouble\w*|noisy|wasted?|overkill|pain|never|hit|insecure|asked|insisted|wanted|complained"
    r"|took|killed|were|was|brought|legal|compliance|security|audit\w*|customers?)\b"
)
_NUMBER = compile_later(r"\d+(?:[.:]\d+)*")
_SMALL = compile_later(r"[\w'-]+")
#: What joins a phrase, by what it tells.
_ROLES = {
    **dict.fromkeys(("subject",), "subject"),
    **dict.fromkeys(("object", "is"), "value"),
    **dict.fromkeys(("in", "on", "at", "under", "inside", "within", "to", "into", "onto", "from", "across"), "place"),
    **dict.fromkeys(("by", "with", "via", "through", "using", "over", "as"), "means"),
    **dict.fromkeys(("for", "of", "about"), "matter"),
    **dict.fromkeys(("when", "if", "before", "after", "until", "unless", "once", "during", "per"), "time"),
}
_ROLE_NAMES = ("subject", "value", "place", "means", "matter", "time", "else")
_SOME_MANY = 6


@dataclass(frozen=True, slots=True)
class StatementOutline:
    """One statement, as it is held against others."""

    statement: Statement
    text: str
    title: tuple[str, ...]
    main: Stems
    title_bag: Stems
    body_bag: Stems
    roles: dict[str, Stems]
    first: tuple[str, ...]
    verbs: Stems
    stances: tuple[frozenset[str], frozenset[str]]
    amounts: frozenset[tuple[str, str]]
    numbers: tuple[Stems, Stems]
    things: tuple[Stems, Stems]
    said: Stems
    denied: Stems


@lru_cache(maxsize=4096)  # One is held against many.
def outline(one: Statement) -> StatementOutline:
    text = f"{one.title}. {one.body}" if one.body else one.title
    small, whole = one.title.lower(), text.lower()
    title = tuple(map(stem, words(one.title)))
    return StatementOutline(
        one,
        whole,
        title,
        _all(said.heavy for said in one.main),
        frozenset(title),
        frozenset(map(stem, words(one.body))),
        _roles(one.main),
        next((said.phrases[0].stems for said in one.main if said.phrases), ()),
        frozenset(said.verb for said in one.main if said.verb),
        (_stances(small), _stances(whole)),
        frozenset((amount.kind, amount.value) for said in one.main for amount in said.quantities),
        (frozenset(_NUMBER.findall(small)), frozenset(_NUMBER.findall(whole))),
        (things(words(one.title)), things(words(text))),
        _all(said.heavy for said in one.main if not said.is_denied),
        _all(said.heavy for said in one.main if said.is_denied),
    )


def contrast(later: Statement, earlier: Statement) -> dict[str, float]:
    """What can be told of a pair of statements, by name. What is not named is nought."""
    new, old = outline(later), outline(earlier)
    found: dict[str, float] = {}
    for part in (_overlap, _parts, _deeds, _values, _stands, _turns, _sequence, _measures):
        found.update(part(new, old))
    return found


def _all(bags: Iterable[Stems]) -> Stems:
    return frozenset().union(*bags)


def _roles(said: Iterable[Assertion]) -> dict[str, Stems]:
    found: dict[str, Stems] = {}
    for phrase in (phrase for one in said for phrase in one.phrases):
        role = _ROLES.get(phrase.link, "else")
        found[role] = found.get(role, frozenset()) | phrase.telling
    return found


def _stances(text: str) -> frozenset[str]:
    """How it stands to what it says; that it denies is told twice where it does so an odd number of times."""
    found = _SMALL.findall(text)
    denials = sum(word in _STANCES["denies"] or word.endswith("n't") for word in found)
    told = {name for name, known in _STANCES.items() if not known.isdisjoint(found)}
    return frozenset(told | ({"odd"} if denials % 2 else set()) | ({"denies"} if denials else set()))


def _few(found: Iterable[object]) -> float:
    return float(min(sum(1 for _ in found), _SOME_MANY))


# -- what both have


def _overlap(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    """How much of each stands in the other, in all of it and in what it says first."""
    mine, theirs = new.statement.heavy, old.statement.heavy
    for name, one, two in (("all", mine, theirs), ("main", new.main, old.main)):
        lacking, lost = missing(one, two), missing(two, one)
        yield f"{name} shared", _few(one - lacking)
        yield f"{name} share of later", 1 - len(lacking) / max(len(one), 1)
        yield f"{name} share of earlier", 1 - len(lost) / max(len(two), 1)
        yield f"{name} new", _few(lacking)
        yield f"{name} lost", _few(lost)
    yield "new to all", _few(missing(new.main, theirs))
    yield "lost to all", _few(missing(old.main, mine))


def _parts(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    """In which part of the sentence they differ: what is said of one thing, or of two."""
    mine, theirs = new.statement.bag, old.statement.bag
    for role in _ROLE_NAMES:
        one, two = new.roles.get(role, frozenset()), old.roles.get(role, frozenset())
        more, less = len(missing(one, theirs)), len(missing(two, mine))
        yield f"{role} new", float(min(more, 3))
        yield f"{role} lost", float(min(less, 3))
        yield f"{role} both", float(min(more, less, 2))
        yield f"{role} kept", float(min(len(one) - len(missing(one, two)), 3))
    if new.first and old.first:
        yield "head", float(is_among(new.first[-1], old.first) or is_among(old.first[-1], new.first))
        yield "head of later", float(is_among(new.first[-1], theirs))
        yield "head of earlier", float(is_among(old.first[-1], mine))
        yield "first new", float(min(len(missing(new.first, theirs)), 3))
        yield "first lost", float(min(len(missing(old.first, mine)), 3))


def _deeds(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    mine, theirs = new.verbs, old.verbs
    if mine and theirs:
        is_same = any(same(one, two) for one in mine for two in theirs)
        yield "same deed", float(is_same)
        yield "other deed", float(not is_same)
        yield "other deed, none light", float(not is_same and not (mine | theirs) & LIGHT)
    yield "deeds", float(len(mine) > 0) + float(len(theirs) > 0)


# -- what stands against what


def _values(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    """Amounts, numbers, names and things of a kind."""
    mine, theirs = dict(new.amounts), dict(old.amounts)
    yield "other amount", float(any(theirs[kind] != mine[kind] for kind in theirs.keys() & mine.keys()))
    yield "same amount", float(bool(new.amounts & old.amounts))
    yield "amount new", _few(new.amounts - old.amounts)
    yield "amount lost", _few(old.amounts - new.amounts)
    more, less = new.numbers[0] - old.numbers[1], old.numbers[0] - new.numbers[1]
    yield "number new", float(bool(more))
    yield "number lost", float(bool(less))
    yield "other number", float(bool(more) and bool(less))
    yield "same number", float(bool(new.numbers[0] & old.numbers[0]))
    named = [sum(name not in other.text for name in one.statement.named) for one, other in ((new, old), (old, new))]
    yield "name new", float(min(named[0], 3))
    yield "name lost", float(min(named[1], 3))
    yield "other name", float(min(*named, 2))
    yield "same name", _few(new.statement.named & old.statement.named)
    yield "rivals", float(rivals(new.things[0], old.things[0]) is not None)
    yield "rivals in all", float(rivals(new.things[1], old.things[1]) is not None)
    yield "same thing", _few(new.things[1] & old.things[0])


def _stands(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    """Denials, permissions, demands, and of how many."""
    for name, mine, theirs in zip(("title", "text"), new.stances, old.stances, strict=True):
        for stance in (*_STANCES, "odd"):
            yield f"{name}: only one {stance}", float((stance in mine) != (stance in theirs))
        yield f"{name}: later denies", float("odd" in mine)
        yield f"{name}: earlier denies", float("odd" in theirs)
        for one, two in (("allows", "denies"), ("allows", "demands"), ("all", "some"), ("demands", "denies")):
            turned = (one in mine and two in theirs - mine) or (two in mine and one in theirs - mine)
            yield f"{name}: {one} against {two}", float(turned)
    yield "denied before", _few(new.said & old.denied - new.denied)
    yield "denied later", _few(new.denied & old.said - old.denied)
    one_denies = len(new.statement.main) and (bool(new.denied) != bool(old.denied))
    yield "only one denies", float(one_denies)
    mine, theirs = new.statement.bag, old.statement.bag
    yield "antonyms", float(any(are_antonyms(a, b) for a in mine - theirs for b in theirs - mine))
    mine, theirs = new.title_bag, old.title_bag
    yield "antonyms in title", float(any(are_antonyms(a, b) for a in mine - theirs for b in theirs - mine))


def _turns(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    """Whether the later one tells of a change, and what it gives up."""
    later, earlier = new.statement, old.statement
    yield "turn in title", float(bool(_TURN.search(later.title.lower())))
    yield "turn below", float(bool(_TURN.search(later.body.lower())))
    yield "turn before", float(bool(_TURN.search(old.text)))
    yield "tells change", float(later.tells_change)
    yield "told change", float(earlier.tells_change)
    yield "fault in title", float(bool(_FAULT.search(later.title.lower())))
    yield "fault below", float(bool(_FAULT.search(later.body.lower())))
    yield "fault before", float(bool(_FAULT.search(earlier.body.lower())))
    yield "gives up", float(bool(later.given_up))
    yield "gave up", float(bool(earlier.given_up))
    yield "gives up what was", float(any(not missing(one.thing, earlier.bag) for one in later.given_up))
    yield "takes what was given up", float(any(not missing(one.thing, later.bag) for one in earlier.given_up))
    yield "goes on", float(later.goes_on)
    # Who comes back below to what was said before says why it is so no more.
    yield "back to it below", _few((old.main - new.title_bag) & new.body_bag)
    yield "known below", _few((new.main - old.title_bag) & old.body_bag)


# -- how they run


def _sequence(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    """How far the titles run alike, word by word."""
    mine, theirs = new.title, old.title
    common = _in_order(mine, theirs)
    yield "alike in order, of later", common / max(len(mine), 1)
    yield "alike in order, of earlier", common / max(len(theirs), 1)
    yield "begin alike", float(_same_start(mine, theirs))
    yield "end alike", float(_same_start(mine[::-1], theirs[::-1]))
    bounds = [_bounds(one) for one in (mine, theirs)]
    more, less = missing(bounds[0], old.statement.bag), missing(bounds[1], new.statement.bag)
    yield "bound new", float(min(len(more), 2))
    yield "bound lost", float(min(len(less), 2))
    yield "other bound", float(bool(more) and bool(less))
    lacking = missing(old.title_bag, new.title_bag)
    yield "title lost", _few(lacking)
    yield "title new", _few(missing(new.title_bag, old.title_bag))


def _in_order(one: Sequence[str], two: Sequence[str]) -> int:
    """The length of the longest run of words that stands in both in the same order, with gaps."""
    row = [0] * (len(two) + 1)
    for word in one:
        before = 0
        for at, other in enumerate(two, 1):
            before, row[at] = row[at], before + 1 if word == other else max(row[at], row[at - 1])
    return row[-1]


def _same_start(one: Sequence[str], two: Sequence[str]) -> int:
    pairs = zip(one, two, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b or at == _SOME_MANY), min(len(one), len(two)))


def _bounds(title: Sequence[str]) -> Stems:
    """What stands right behind a preposition."""
    return frozenset(word for before, word in pairwise(title) if before in PREPOSITIONS)


def _measures(new: StatementOutline, old: StatementOutline) -> Iterator[tuple[str, float]]:
    mine, theirs = len(new.title), len(old.title)
    yield "length", float(min(mine, 20))
    yield "length before", float(min(theirs, 20))
    yield "longer", float(max(-10, min(10, mine - theirs)))
    yield "has body", float(bool(new.statement.body))
    yield "had body", float(bool(old.statement.body))
