"""Whether two statements on one matter clash though their sentences are not built alike. Pure.

Rivals (`contraries.py`) differ in one place of the same sentence. People who come back to a matter months later build
another sentence: here it is enough that both speak of one thing, and that one of two of a kind, another amount, a
denial or the blame for what was said before stands against the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later
from lerim.text.alike import alike, is_among, missing, opposed, same
from lerim.text.amounts import DEEDS, WEAK, are_of_two_things, other_amount
from lerim.text.assertions import Assertion, Phrase
from lerim.text.contraries import Contrary, is_of_some
from lerim.text.grammar import (
    CHOOSING,
    CONDITIONS,
    EVERYDAY,
    LIGHT,
    MANNER,
    NOUN_TOO,
    PREPOSITIONS,
    SOFT,
    TIMES,
    VERB_FORMS,
)
from lerim.text.kinds import rivals, things
from lerim.text.quantities import MEASURES, Quantity, are_of_two_bounds
from lerim.text.rewrites import spelled_out
from lerim.text.sentences import sentences
from lerim.text.statements import Statement
from lerim.text.stems import stem
from lerim.text.words import words

_SCOPES = frozenset({"in", "at", "for", "inside", "within", "across", "on", "when", "if", "during", "of", "unless"})
_CORE = frozenset({"subject", "object", "is"})
#: Verbs that say no more than that something is so.
_PLACING = CHOOSING | frozenset(
    map(stem, ("be", "live", "keep", "write", "have", "go", "store", "sit", "come", "follow"))
)
_BARE, _TIME = "number", "time"
_HOW_OFTEN = frozenset({_TIME, "period"})
_INTERVALS = frozenset(map(stem, ("interval", "frequency", "cadence", "period")))
#: Of what is measured so, a bare number says as much as one with what it counts: "length 88", "120 characters".
_MEASURED = frozenset(map(stem, ("length", "size", "limit", "width", "count", "cap")))
_NEAR_WORDS = """
store/keep/live/sit/hold/save/reside/put/persist read/come/load/fetch/take/pull run/execute/happen/apply/start/perform
send/ship/deliver/go/report/land/push/forward/route/write build/bundle/compile/package manage/handle/own/maintain
deploy/release/ship/publish generate/create/come/make/produce answer/return/respond define/declare/set/configure/live
check/test/verify/validate/cover live/read/come/load/sit/define
"""
#: Deeds of which one may be told as another.
_NEAR = tuple(frozenset(map(stem, group.split("/"))) for group in _NEAR_WORDS.split())
_DOERS = frozenset({"by", "with", "via", "through", "using"})
#: How what takes another's place is joined.
_END_LINKS = (
    frozenset({"in", "on", "at", "to", "into", "onto", "under", "inside", "from"}),
    frozenset({"when", "before", "after", "at", "during", "until", "on"}),
    frozenset({"via", "through", "using", "by", "over"}),
    frozenset({"as", "in"}),
)
_BLAMES_BEHIND = frozenset({"tired of", "fed up with", "outgrew"})
_BLAME = compile_later(
    r"\b(?:too|brok\w*|break\w*|fail\w*|cost\w*|costly|expensive|slow\w*|flak\w+|hurt\w*|los[est]+|lost|leak\w*|bugs?"
    r"|buggy|incidents?|outages?|storms?|clash\w*|collid\w*|conflict\w*|painful|brittle|bad|badly|worse|wrong\w*"
    r"|drift\w*|stale|outdated|out of date|unmaintained|unsupported|deprecated|end of life|eol|abandoned|crash\w*"
    r"|annoy\w*|confus\w*|nobody|no one|didn't|did not|couldn't|could not|wasn't|weren't|hadn't|kept \w+ing|ran out"
    r"|limits?|reject\w*|caused|causing|problems?|issues?|trouble\w*|noisy|noise|wasted?|duplicat\w*|overkill|pain"
    r"|never|hit|insecure|maintenance mode|tired of|fed up with|outgrew|unmaintainable|vulnerab\w*|bottleneck"
    r"|unreliable|unreadable|insufficient|retired|removed|gone|dropped)\b"
)

#: What was, or is so no more.
_WAS = compile_later(
    r"\b(?:was|were|had|did|used to|got|went|lost|broke|kept|took|became|ran|no longer|any ?more|\w{3,}ed)\b"
)


def clash(later: Statement, earlier: Statement, *, by_value: bool) -> Contrary | None:
    """Why what is said later does not go with what was said before; `by_value` as for rivals."""
    if later.goes_on or earlier.goes_on:
        return None
    found = [one for new, old in _comparable(later, earlier) for one in _clashes(new, old, later, earlier, by_value)]
    if (amount := other_amount(later, earlier)) is not None:
        found.append(amount)
    if by_value and (blamed := _blamed(later, earlier)) is not None:
        found.append(blamed)
    return next((one for one in found if one.is_sure), found[0] if found else None)


def _comparable(later: Statement, earlier: Statement) -> Iterator[tuple[Assertion, Assertion]]:
    for new in later.main:
        for old in earlier.main:
            if not any(one.is_exception or one.is_open for one in (new, old)):
                yield new, old


def _clashes(
    new: Assertion, old: Assertion, later: Statement, earlier: Statement, by_value: bool
) -> Iterator[Contrary]:
    if by_value and (found := _other_thing(new, old, later, earlier)) is not None:
        yield found
    if by_value and (found := _other_end(new, old) or _other_doer(new, old)) is not None:
        yield found
    if (found := _other_amount(new, old)) is not None:
        yield replace(found, is_sure=found.is_sure and not are_of_two_things(later, earlier))
    if (found := _denial(new, old, later, earlier)) is not None:
        yield found


# -- whether both speak of one matter


@dataclass(frozen=True, slots=True)
class Matter:
    """What two assertions have in common, phrase by phrase, and what each has alone."""

    #: The words both have, in phrases that say the same.
    shared: frozenset[str]
    #: Whether one names something closer than the other, or where it holds and the other does not.
    is_closer: bool
    #: Whether it is the earlier one alone that does so.
    is_wider: bool
    #: What each says besides.
    more: tuple[Phrase, ...]
    less: tuple[Phrase, ...]


def _matter(new: Assertion, old: Assertion, values: frozenset[str]) -> Matter | None:
    """None where they speak of different things: each names something closer, or is bound to another place."""
    mine, theirs = _told_apart(new, values), _told_apart(old, values)
    shared: set[str] = set()
    closer = [False, False]
    for one in mine.values():
        for two in theirs.values():
            extra, lack = missing(one, two), missing(two, one)
            if extra != one:
                shared |= one - extra
                closer[0] = closer[0] or bool(missing(extra, old.bag))
                closer[1] = closer[1] or bool(missing(lack, new.bag))
    more = tuple(phrase for phrase, one in mine.items() if missing(one, old.bag) == one)
    less = tuple(phrase for phrase, two in theirs.items() if missing(two, new.bag) == two)
    if more and less and more[0] is next(iter(mine)) and less[0] is next(iter(theirs)):
        return None  # Each says something of its own subject.
    if {phrase.link for phrase in more} & {phrase.link for phrase in less} - _CORE:
        return None  # Deploys to one place, and to another.
    bounds = [any(phrase.link in _SCOPES for phrase in phrases) for phrases in (more, less)]
    if all(closer) or all(bounds) or (closer[0] and bounds[1]) or (closer[1] and bounds[0]):
        return None
    is_closer, was_closer = closer[0] or bounds[0], closer[1] or bounds[1]
    return Matter(frozenset(shared), is_closer or was_closer, was_closer and not is_closer, more, less)


def _told_apart(one: Assertion, values: frozenset[str]) -> dict[Phrase, frozenset[str]]:
    """The phrases that tell what it is about, and which of their words do."""
    about = [phrase for phrase in one.phrases if not (phrase.link in PREPOSITIONS and phrase.bag <= MANNER)]
    # Where no verb was seen, it stands among the names: "the store reads", "what we write tests with".
    weak = WEAK | (frozenset() if one.verb else frozenset(map(stem, filter(_is_finite, one.text.split()))))
    told = {phrase: (phrase.telling - weak or phrase.telling) - values for phrase in about}
    return {phrase: telling for phrase, telling in told.items() if telling}


def _is_finite(word: str) -> bool:
    base, form = VERB_FORMS.get(word, ("", ""))
    return form in ("third", "base") and (form == "third" or base not in NOUN_TOO)


# -- one of two of a kind


def _other_thing(new: Assertion, old: Assertion, later: Statement, earlier: Statement) -> Contrary | None:
    if new.denials or old.denials:
        return None
    found = rivals(_things((new,), later), _things((old,), earlier))
    if found is None or found.old in _things(later.title_says, later):
        return None
    values = frozenset(stem(word) for thing in (found.new, found.old) for word in thing.split("+"))
    matter = _matter(new, old, values)
    if matter is None or not matter.shared or all(_is_of_subject(one, values) for one in (new, old)):
        return None
    # Who turns to something for all of it turns to it for a part as well.
    is_sure = not matter.is_closer or (matter.is_wider and later.tells_change)
    is_sure = is_sure and not (found.is_of_deed and _do_differ(new, old))
    return Contrary(f"it says {_told(found.new)} instead of {_told(found.old)}", is_sure)


def _is_of_subject(one: Assertion, values: frozenset[str]) -> bool:
    """Whether a value only tells which of several the subject is: "the Windows installer"."""
    subjects = (phrase for phrase in one.phrases if phrase.link == "subject" and phrase.bag & values)
    return any(phrase.stems[-1] not in values | WEAK for phrase in subjects)


def _do_differ(new: Assertion, old: Assertion) -> bool:
    verbs = {new.verb, old.verb} - {""}
    return len(verbs) == 2 and not same(new.verb, old.verb) and not verbs <= _PLACING


def _things(said: Iterable[Assertion], where: Statement) -> frozenset[str]:
    told = (thing for one in said for thing in things(words(one.text)))
    return frozenset(thing for thing in told if stem(thing) not in where.ended)


def _told(thing: str) -> str:
    return thing.replace("+", " ")


# -- one subject, one deed, and another place, time or means


def _other_end(new: Assertion, old: Assertion) -> Contrary | None:
    """ "Payments are captured at checkout", "when the order ships"."""
    if new.denials or old.denials or new.is_possible != old.is_possible or not are_near(new.verb, old.verb):
        return None
    one, two = _theme(new), _theme(old)
    if one is None or two is None or not _are_of_one(new, old):
        return None
    if any(a.kind == b.kind for a in new.quantities for b in old.quantities):
        return None
    ends, were = _ends(new, one, old), _ends(old, two, new)
    if not ends or not were or len(ends) == len(were) == 2 or not _is_place_of(ends[0], were[0]):
        return None
    told = f"it says {' '.join(ends[0].words)} instead of {' '.join(were[0].words)}"
    return Contrary(told, not any(phrase.link == "for" for phrase in (*ends, *were)))


def _other_doer(new: Assertion, old: Assertion) -> Contrary | None:
    """ "Pushing a tag triggers the deploy", "deploys are triggered by merging"."""
    if new.denials or old.denials or not new.verb or new.verb in CHOOSING or not same(new.verb, old.verb):
        return None
    if new.quantities or old.quantities or not (new.has_copula or old.has_copula):
        return None  # Two who do the same do it side by side.
    mine, theirs = _deed(new), _deed(old)
    if mine is None or theirs is None or not alike(mine[1].telling, theirs[1].telling):
        return None
    doer, was = mine[0], theirs[0]
    if not missing(doer.telling, was.bag) or not missing(was.telling, doer.bag):
        return None
    return Contrary(f"it says {' '.join(doer.words)} instead of {' '.join(was.words)}")


def _deed(one: Assertion) -> tuple[Phrase, Phrase] | None:
    """Who or what does it, and what it is done to."""
    subject = next((phrase for phrase in one.phrases if phrase.link == "subject"), None)
    if subject is None or one.is_order:
        return None
    if one.has_copula:
        doer = next((phrase for phrase in one.phrases if phrase.link in _DOERS), None)
        return (doer, subject) if doer is not None else None
    done = next((phrase for phrase in one.phrases if phrase.link == "object"), None)
    return (subject, done) if done is not None else None


def are_near(one: str, two: str) -> bool:
    """Whether two verbs tell one deed."""
    return (
        bool(one and two) and one not in CHOOSING and (same(one, two) or any(g.issuperset((one, two)) for g in _NEAR))
    )


def _are_of_one(new: Assertion, old: Assertion) -> bool:
    """Whether each speaks of what the other is said of."""
    one, two = _theme(new), _theme(old)
    if one is None or two is None:
        return False
    return not missing(one.telling, old.bag) and not missing(two.telling, new.bag)


def _theme(one: Assertion) -> Phrase | None:
    """What it is said of: its subject, or what an order is about."""
    first = next(iter(one.phrases), None)
    is_theme = first is not None and (first.link == "subject" or (one.is_order and first.link == "object"))
    return first if is_theme else None


def _ends(one: Assertion, theme: Phrase, other: Assertion) -> list[Phrase]:
    """What it says of that, which the other does not."""
    return [p for p in one.phrases if p is not theme and p.telling and missing(p.telling, other.bag) == p.telling]


def _is_place_of(one: Phrase, two: Phrase) -> bool:
    if one.bag <= MANNER or two.bag <= MANNER or one.bag.isdisjoint(TIMES) != two.bag.isdisjoint(TIMES):
        return False
    return any({one.link, two.link} <= links for links in _END_LINKS)


# -- another amount


def _other_amount(new: Assertion, old: Assertion) -> Contrary | None:
    if new.is_denied != old.is_denied or are_of_two_bounds(new.bag, old.bag):
        return None
    pairs = [(a, b) for a in new.quantities for b in old.quantities if _are_of_one_kind(a, b, new, old)]
    if not pairs or any(a.value == b.value for a, b in pairs):
        return None
    mine, theirs = pairs[0]
    matter = _matter(new, old, MEASURES & {mine.kind, theirs.kind})
    if matter is None or not matter.shared:
        return None
    is_sure = not matter.is_closer and _is_one_deed(new, old)
    return Contrary(f"it says {mine.shown} instead of {theirs.shown}", is_sure)


def _are_of_one_kind(one: Quantity, two: Quantity, new: Assertion, old: Assertion) -> bool:
    """Whether two amounts can be compared: a bare number is of the kind that the other counts, if it speaks of it."""
    if one.kind == two.kind:
        return True
    if {one.kind, two.kind} == _HOW_OFTEN:
        return not (new if one.kind == _TIME else old).bag.isdisjoint(_INTERVALS)
    bare, counted, where = (one, two, new) if one.kind == _BARE else (two, one, old)
    is_measured = is_among(counted.kind, where.bag) or not where.bag.isdisjoint(_MEASURED)
    return bare.kind == _BARE and counted.kind not in MEASURES and is_measured


def _is_one_deed(new: Assertion, old: Assertion) -> bool:
    verbs = [one.verb for one in (new, old)]
    if any(not verb or verb in LIGHT for verb in verbs) or same(*verbs):
        return True
    return any(group.issuperset(verbs) for group in (*DEEDS, *_NEAR))


# -- what one says and the other denies


def _denial(new: Assertion, old: Assertion, later: Statement, earlier: Statement) -> Contrary | None:
    told = f"it says “{later.title}” where “{earlier.title}” was said"
    if _chosen_denied(new, old, later):
        return Contrary(told, is_denial=True)
    lacking, more = missing(old.bag, new.bag), missing(new.bag, old.bag)
    turns, values = opposed(lacking, more), opposed(lacking | more, lacking | more)
    ends = [said.is_over and said.verb not in values for said in (new, old)]
    if (new.denials + old.denials + len(turns) + sum(ends)) % 2 == 0:
        return None
    if any(one.without and missing(one.without, other.bag) for one, other in ((new, old), (old, new))):
        return None  # It goes without something that the other does not speak of.
    if turns:
        new, old = _unconditional(new), _unconditional(old)
    matter = _matter(new, old, values)
    if matter is None or (matter.more and matter.less and not (turns and _are_of_one(new, old))):
        return None
    shared = matter.shared | ({new.verb} if new.verb and is_among(new.verb, old.bag) else frozenset())
    if len(shared - EVERYDAY) + len(shared) < 3 or not _is_deed_denied(new, old) or _do_others(new, old, matter):
        return None
    is_some = is_of_some(new, missing(new.bag, old.bag))
    return Contrary(told, not matter.is_closer and not is_some, is_denial=True)


def _unconditional(one: Assertion) -> Assertion:
    """Up to where it says on what condition: what is done automatically once CI is green is not done by hand."""
    end = next((at for at, phrase in enumerate(one.phrases) if phrase.link in CONDITIONS), len(one.phrases))
    return replace(one, phrases=one.phrases[:end]) if end else one


def _chosen_denied(new: Assertion, old: Assertion, later: Statement) -> bool:
    """Whether just what was chosen is denied: "use singletons for clients", "no singletons, pass the clients in"."""
    chosen = [phrase.telling for phrase in old.phrases if phrase.link == "object"] if old.verb in CHOOSING else []
    is_denied = bool(chosen) and new.is_denied and not old.denials and alike(new.heavy, chosen[0])
    return is_denied and not chosen[0] <= EVERYDAY and not missing(old.nouns - chosen[0], later.bag)


def _is_deed_denied(new: Assertion, old: Assertion) -> bool:
    """Whether the deed of the one that denies is that of the other, or is named by it as a thing."""
    if new.is_over or old.is_over:
        return True
    denied, other = (new, old) if new.is_denied else (old, new)
    if denied.without and not missing(denied.without, other.bag):
        return True
    is_same = any(group.issuperset((new.verb, old.verb)) for group in DEEDS)
    return not denied.verb or denied.verb in LIGHT | SOFT or is_among(denied.verb, other.bag) or is_same


def _do_others(new: Assertion, old: Assertion, matter: Matter) -> bool:
    """Whether somebody else does it: what customers may do, admins may not."""
    others = [phrase for phrase in (*matter.more, *matter.less) if phrase.link == "subject"]
    return bool(others) and all(one.linked(frozenset(("subject",))) for one in (new, old))


# -- what is blamed for the change


def blames_below(later: Statement) -> bool:
    """Whether what stands below tells what went wrong: so begins who tells why something is otherwise now."""
    return any(_BLAME.search(spelled_out(line)) is not None for line in sentences(later.body)[:2])


def tells_what_was(later: Statement, earlier: Statement) -> bool:
    """Whether what stands below tells, as past or as wrong, of something that only the earlier title names."""
    gone = frozenset(map(stem, words(earlier.title))) & earlier.bag - EVERYDAY
    gone = missing(gone, frozenset(map(stem, words(later.title))))
    for line in map(spelled_out, sentences(later.body)[:2]):
        if (_WAS.search(line) or _BLAME.search(line)) and not gone.isdisjoint(map(stem, words(line))):
            return True
    return False


def _blamed(later: Statement, earlier: Statement) -> Contrary | None:
    """What was said before, and is only named below as what went wrong."""
    titles = frozenset(word for said in later.title_says for word in said.bag)
    said = [one for one in earlier.main if not one.is_denied]
    before = frozenset(word for one in said for word in one.nouns) - earlier.ended
    gone = missing(before, titles)
    if gone == before:
        return None
    for line in sentences(later.body)[:2]:
        plain = spelled_out(line)
        if (blame := _BLAME.search(plain)) is None:
            continue
        named = frozenset(map(stem, _blamed_words(plain, blame)))
        if found := frozenset(word for word in gone - EVERYDAY if is_among(word, named)):
            return Contrary(f"it blames {min(found)}", _is_of(later, said), is_denial=True)
    return None


def _is_of(later: Statement, said: Iterable[Assertion]) -> bool:
    """Whether what was said before speaks of what the later one speaks of: what integration tests suffered from may do
    for unit tests."""
    subjects = (phrase.telling for one in said for phrase in one.phrases if phrase.link == "subject")
    return not any(missing(subject, later.bag) for subject in subjects)


def _blamed_words(line: str, blame: re.Match[str]) -> Iterable[str]:
    """What stands before the word that blames; of what somebody is tired of, what stands behind."""
    told = line[blame.end() :] if blame[0] in _BLAMES_BEHIND else line[: blame.start()]
    return (word.removesuffix("'s") for word in words(told))
