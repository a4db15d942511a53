"""How what was said later bears on what was said before: the same, more, the contrary, or another matter. Pure.

What is later is for the caller to know: it goes by when things were said, not by when they were read.
"""

from __future__ import annotations

import re
from enum import StrEnum

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.abroad import turned_abroad
from lerim.text.across import clashes_across
from lerim.text.alike import alike, is_among, is_plural, missing, opposed, overlaps, same
from lerim.text.amounts import are_siblings, limits_alike, reset_amount
from lerim.text.assertions import Assertion, Phrase
from lerim.text.backing import is_akin
from lerim.text.clashes import clash
from lerim.text.contraries import Contrary, Rivals, is_of_some, is_turned_around, is_value
from lerim.text.deciders import share_a_name_alone, tells_who_decides
from lerim.text.former_values import figure_changed
from lerim.text.frames import reframed
from lerim.text.grammar import CHOOSING, EVERYDAY, GENERIC, LIGHT
from lerim.text.permits import turns_permit
from lerim.text.remedies import are_fault_and_remedy
from lerim.text.sentences import sentences
from lerim.text.statements import PLACES, SENTENCES, GivenUp, Statement, statement
from lerim.text.stems import stem
from lerim.text.tongues import denied_abroad, is_abroad
from lerim.text.words import words

#: So much of each must stand in the other for the same said in other words.
_ALIKE = 0.6
#: So much of the earlier one stands in what says more of the same.
_COVERED = 0.8
#: So much of each stands in what is about the same.
_SHARED = 0.3
#: So many words more say more.
_NEW_WORDS = 2
_TOLD = compile_later(
    r"\b(?:told|said|says|wrote|asked|complained|happened|lost|crashed|broke|yesterday"
    r"|last (?:week|month|year|night))\b",
    re.I,
)
_EVERYBODY = compile_later(
    r"\b(?:everybody|everyone|anybody|anyone|whoever|the (?:whole|entire) team|all of us"
    r"|(?:all|any|every) (?:users?|members?|developers?|people|engineers?|contributors?))"
    r"(?: (?:on|in|of|at|from) (?:the |our )?(?:[\w-]+ ){0,2}?(?:team|staff|company|crew|office|department))?\b",
    re.I,
)
_SOME = compile_later(
    r"\bonly (?:the |our )?((?:[\w-]+ ){1,3}?)(?:may|can|should|must|are|is|gets?)\b|\bby (?:the|a|an|our) ([\w -]+)"
    r"|^only (?:the |our )?([\w-]+ )",
    re.I,
)
_ADDS = compile_later(r"(?<!not )(?<!n['’]t )\b(?:too|as well)\b(?=\W*(?:$|,|\bas of\b|\bnow\b))", re.I)
#: Who says so speaks of one place or time, and not of others.
_LIMITED = compile_later(
    r"\b(?:before|until|till|except|only)\b|\b(?:prod|production|staging|dev|ci|local)\b|\bstays?\b(?=\W*(?:$|,))", re.I
)
#: Who makes an exception leaves the rule as it is. "Throw an exception" makes none.
_CALLS_ITSELF_ONE = compile_later(
    r"^\W*(?:(?:one|an?|as an|the only|with one|by way of) )?exception(?:ally)?\b"
    r"|\b(?:as an|with one|is the|is an) exception\b"
    r"|\b(?:is|are|stays?) exempt\b|\b(?:just|only) this once\b|^\W*(?:als |eine |einzige )?Ausnahme|\bausnahmsweise\b"
    r"|\bexceptionnellement\b|^\W*(?:une |seule )?exception\b|^\W*(?:una |única )?excepción\b|\bexcepcionalmente\b",
    re.I,
)
#: Where something holds, before it is said.
_PLACE_FIRST = compile_later(
    r"\W*(?:on|for|in) (?P<place>(?:[\w.-]+ ){1,3}?)(?:it['’]?s|it is|we|you|there|(?=\d))\b", re.I
)
_FROM_TO = compile_later(r"\bfrom\b.*\bto\b|\b(?:instead of|rather than|not|was)\b|→|->", re.I)
#: What begins so belongs to what stands before it.
_GOES_WITH = compile_later(
    r"\W*(?:why|in reply to|chosen|instead of|because|since|otherwise|they|it|its|that|this|these|those|he|she|there"
    r"|which)\b",
    re.I,
)
_ON_CONDITION = compile_later(r"\b(?:once|when|if|as soon as|as long as|after)\b", re.I)
#: Work that was done once, told as such: of that there may be any number, and none takes the place of another.
_DONE = compile_later(
    r"\s*(?:(?:fix|resolv|repair|patch|correct|solv|debugg|add|implement|introduc|creat|document|test|review|refactor|clean"
    r"|optimiz|optimis|investigat|profil)ed|found|wrote|built|caught)\b",
    re.I,
)
#: What is wrong with a thing, told as such: who gives the thing up agrees.
_COMPLAINS = compile_later(
    r"\b(?:hangs?|fails?|breaks|crash(?:es|ed)?|leaks?|loses|stalls?|deadlocks?|corrupts?|times? out|timed out"
    r"|(?:is|are|was|were|gets?|too) (?:\w+ )?(?:slow|flaky|broken|unreliable|unstable|buggy)"
    r"|(?:does|do|did)(?: not|n['’]t) work)\b",
    re.I,
)
_ALL_OF = compile_later(r"\b(?:all|every|each|any|everything|everywhere)\b", re.I)
#: What a ruling leaves as it was.
_EXEMPT = compile_later(
    r"(?P<thing>(?:[\w.-]+ ){0,2}[\w.-]+) (?:is|are|stays?|remains?) (?:untouched|unaffected|unchanged|not affected"
    r"|as (?:it|they)"
    r" (?:is|are)|as before|the same|without)"
    r"|\b(?:except(?: for)?|but not|other than) (?P<but>(?:[\w.-]+ ){0,2}[\w.-]+)",
    re.I,
)
#: How something is done, and not what: who does one thing by hand no more may do another so.
_MANNERS = frozenset(
    map(stem, ("manual", "manually", "hand", "automatic", "automatically", "automated", "separately", "together"))
)
_ANYBODY = frozenset(map(stem, ("whole", "entire", "team", "people", "user", "member", "developer")))
_KEEPING = CHOOSING | frozenset(map(stem, ("keep", "support", "have", "maintain")))


class Bearing(StrEnum):
    """What the later of two statements is to the earlier one."""

    DUPLICATE = "duplicate"
    REFINEMENT = "refinement"
    CONTRADICTION = "contradiction"
    REVERSAL = "reversal"
    UNRELATED = "unrelated"

    @property
    def replaces(self) -> bool:
        """Whether the earlier one holds no more."""
        return self in (Bearing.CONTRADICTION, Bearing.REVERSAL)


@dataclass(frozen=True, slots=True)
class Judgment:
    """How one statement bears on another, why in words, and whether that is sure enough to act on it."""

    bearing: Bearing
    reason: str
    is_sure: bool = True

    @property
    def replaces(self) -> bool:
        """Whether the earlier statement surely holds no more."""
        return self.is_sure and self.bearing.replaces


def judge(later: Statement, earlier: Statement, *, is_choice: bool = True) -> Judgment:
    """How the later statement bears on the earlier one.

    `is_choice` says that both are decisions or preferences: only of these is there one value at a time. Of facts there
    may be several: another cause is one more cause.
    """
    if later.body and earlier.body and _folded(later.title) == _folded(earlier.title):
        # The title only names the subject: what is said of it stands below.
        below = judge(_below(later), _below(earlier), is_choice=is_choice)
        if below.bearing.replaces:
            return below
    if _are_of_two_subjects(later, earlier):
        return Judgment(Bearing.UNRELATED, "they speak of different subjects")
    if later.numbered != earlier.numbered:
        return Judgment(Bearing.UNRELATED, "they speak of different numbers of a series")
    if (reframing := _reframes(later, earlier)) is not None:
        return _but_for_the_rest(later, earlier, reframing)
    if are_fault_and_remedy(later, earlier):
        return Judgment(Bearing.UNRELATED, "one tells what was wrong, and the other what is done about it")
    if share_a_name_alone(later, earlier):
        return Judgment(Bearing.UNRELATED, "they have only a person in common")
    if later.is_left_over:
        return _repetition(later, earlier) or Judgment(Bearing.UNRELATED, "it only tells what is left to do")
    is_choice = is_choice and not all(_DONE.match(one.title) for one in (later, earlier))
    found = _but_for_the_rest(later, earlier, _judged(later, earlier, is_choice=is_choice))
    if found.bearing is Bearing.DUPLICATE and turns_permit(later, earlier):
        return Judgment(Bearing.REVERSAL, f"it says “{later.title}” where “{earlier.title}” was said", is_sure=False)
    if found.bearing is Bearing.DUPLICATE and tells_who_decides(later, earlier):
        return Judgment(Bearing.UNRELATED, "one of them tells who decides")
    return found


def _judged(later: Statement, earlier: Statement, *, is_choice: bool) -> Judgment:
    if is_abroad(later.title, earlier.title):
        return (
            _turns_abroad(later, earlier, is_choice=is_choice)
            or _repetition(later, earlier)
            or _known_already(later, earlier)
            or _likeness(later, earlier)
        )
    return (
        _opens_or_closes(later, earlier)
        or _lifts_limit(later, earlier)
        or _gives_up(later, earlier)
        or _asserts(later, earlier, is_choice=is_choice)
    )


def _asserts(later: Statement, earlier: Statement, *, is_choice: bool) -> Judgment:
    """What they say of one thing. A figure that is told as gone counts where nothing surer tells that it is."""
    figure = _tells_former_figure(later, earlier) if is_choice else None
    if figure is not None and figure.is_sure:
        return figure
    found = (
        _takes_up(later, earlier)
        or _repetition(later, earlier)
        or _takes_out(later, earlier)
        or _contradicts(later, earlier, is_choice=is_choice)
        or _crosses(later, earlier)
        or _forbids_a_part(later, earlier)
        or (_resets(later, earlier) if is_choice else None)
        or _clashes_across(later, earlier)
        or _known_already(later, earlier)
        or _likeness(later, earlier)
    )
    return found if figure is None or found.replaces else figure


def _tells_former_figure(later: Statement, earlier: Statement) -> Judgment | None:
    """Another figure of what both name, where the later one tells the earlier one's as gone. Sure when one of them
    names nothing that the other does not: the limit of uploads is not that of downloads."""
    changed = figure_changed(later.title, earlier.title)
    if changed is None or _are_elsewhere(later, earlier):
        return None
    more, lack = missing(later.heavy, earlier.bag), missing(earlier.heavy, later.bag)
    shared = earlier.heavy - lack
    if not shared or opposed(more, lack):
        return None
    is_sure = bool(shared - EVERYDAY) and not (more and lack)
    bearing = Bearing.REVERSAL if later.tells_change else Bearing.CONTRADICTION
    return Judgment(bearing, f"it says {changed.new} instead of {changed.old}", is_sure)


def _reframes(later: Statement, earlier: Statement) -> Judgment | None:
    found = None if later.goes_on else reframed(later, earlier)
    if found is None or _is_exempt(later, earlier):
        return None
    return Judgment(Bearing.REVERSAL if found.is_denial else Bearing.CONTRADICTION, found.reason, found.is_sure)


def _resets(later: Statement, earlier: Statement) -> Judgment | None:
    found = None if _are_elsewhere(later, earlier) or are_siblings(later, earlier) else reset_amount(later, earlier)
    return Judgment(Bearing.CONTRADICTION, found.reason, is_sure=False) if found is not None else None


def _are_of_two_subjects(one: Statement, other: Statement) -> bool:
    """Whether both name what they speak of before a colon, and no word of it is the same."""
    return bool(one.subject and other.subject) and missing(one.subject, other.subject) == one.subject


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())


def _below(one: Statement) -> Statement:
    first, *rest = sentences(one.body)
    return statement(first, " ".join(rest))


# -- what would be lost with the rest


def _but_for_the_rest(later: Statement, earlier: Statement, judgment: Judgment) -> Judgment:
    """The same, not sure where the earlier one rules on something besides, or the later one only adds to it."""
    if judgment.replaces and _ADDS.search(later.title):
        return Judgment(judgment.bearing, f"{judgment.reason}, and says “too”", False)
    if judgment.replaces and is_for_one_place(later, earlier):
        return Judgment(judgment.bearing, f"{judgment.reason}, in one place", False)
    rest = left_alone(later, earlier) if judgment.replaces else ""
    return Judgment(judgment.bearing, f"{judgment.reason}, and has no word of “{rest}”", False) if rest else judgment


def is_for_one_place(later: Statement, earlier: Statement) -> bool:
    """Whether the later one says first where it holds, and the earlier one has no word of that: "on rev D it's ok". Or
    of which of all it holds: "charges with a decline code", "pure join tables". Or it calls itself an exception."""
    if _CALLS_ITSELF_ONE.search(later.title) is not None:
        return True
    found = _PLACE_FIRST.match(later.title)
    if found is not None and {*map(stem, words(found["place"]))}.isdisjoint(earlier.bag):
        return True
    return not later.given_up and any(
        is_of_some(said, missing(said.bag, earlier.bag)) or _is_of_a_kind_of_all(said, earlier)
        for said in later.main[:1]
    )


def _is_of_a_kind_of_all(said: Assertion, earlier: Statement) -> bool:
    """Whether its subject is a kind of what the earlier one says of each: "pure join tables", "every table"."""
    if _ALL_OF.search(earlier.title) is None or _ALL_OF.search(said.text) is not None:
        return False
    subjects = [one.linked(frozenset({"subject"}))[:1] for one in (said, *earlier.main[:1])]
    if len(subjects) < 2 or not all(subjects):
        return False
    (new,), (old,) = subjects
    is_kind = same(new.stems[-1], old.stems[-1]) and not missing(old.telling, new.bag)
    return is_kind and bool(missing(new.telling, earlier.bag))


def left_alone(later: Statement, earlier: Statement) -> str:
    """What the earlier one rules on besides, of which the later one has no word: its title, where only what stands
    below is spoken of, or a sentence below that says something else than the title. Nothing when there is none.

    Only of a body that tells the title again, as whole messages do: below other titles stands what belongs to them. And
    of a title, where the later one speaks of one place or time alone: "10 s in staging" is not changed in prod.
    """
    if _LIMITED.search(later.title) and (clause := _clause_left(later, earlier)):
        return clause
    if clause := _prohibition_left(later, earlier) or _amount_left(later, earlier):
        return clause
    title, *below = (statement(line, "") for line in (earlier.title, *sentences(earlier.body)[:SENTENCES]))
    if not any(title.bag <= line.bag for line in below):
        return ""
    of_others = [line for line in below if not meet(line, title) and not _GOES_WITH.match(line.title)]
    if not meet(title, later) and any(meet(line, later) for line in of_others):
        return earlier.title
    return next((line.title for line in of_others if _rules(line) and not meet(line, later)), "")


def _clause_left(later: Statement, earlier: Statement) -> str:
    """A clause of the earlier title that names what neither its other clauses nor the later one name."""
    said = [one for one in earlier.title_says if one.nouns]
    for one in said:
        own = one.nouns - {noun for other in said if other is not one for noun in other.nouns}
        is_ruling = one.is_whole or one.denials or one.quantities
        if len(said) > 1 and own and is_ruling and missing(own, later.bag | later.ended) == own:
            return one.text
    return ""


def _prohibition_left(later: Statement, earlier: Statement) -> str:
    """What the earlier title forbids besides, where the later one speaks of its other part: another limit lifts no "do
    not merge anything that goes over it". "Never yarn" only says what is not chosen."""
    told = [(one, missing(one.heavy, later.bag | later.ended) == one.heavy) for one in earlier.title_says if one.heavy]
    if all(is_left for _, is_left in told):
        return ""
    left = next((one.text for one, is_left in told if is_left and one.is_denied and len(one.heavy) > 1), "")
    return left or _ban_left(later, earlier)


def _ban_left(later: Statement, earlier: Statement) -> str:
    """What the earlier title forbids of the same thing, where the later one has no word of what must not happen to it:
    "the key never goes in the repo, Marek has it" is not lifted by who has it now."""
    spoken = later.bag | later.ended
    for one in (said for said in earlier.title_says if said.is_denied and said.verb):
        left = missing(one.heavy, spoken)
        others = {word for other in earlier.title_says if other is not one for word in other.heavy}
        if left and left != one.heavy and missing(others, spoken) != others:
            return one.text
    return ""


def _amount_left(later: Statement, earlier: Statement) -> str:
    """What the earlier title allows besides, where it has two amounts of a kind, each of something, and the later one
    tells one: "12 uA, rev B 18 uA" keeps the first when rev B gets another."""
    if _FROM_TO.search(earlier.title) is not None:
        return ""
    told = [(one, {amount.kind: amount.value for amount in one.quantities}) for one in earlier.title_says]
    new = {amount.kind for one in later.title_says for amount in one.quantities}
    for kind in new:
        of_kind = [(one, amounts[kind]) for one, amounts in told if kind in amounts]
        if len({value for _, value in of_kind}) > 1 and all(one.nouns for one, _ in of_kind):
            nearest = max(of_kind, key=lambda one: len(one[0].nouns & later.bag))[0]
            return next(one.text for one, _ in of_kind if one is not nearest)
    return ""


def meet(one: Statement, other: Statement) -> bool:
    """Whether they have a word in common that tells something."""
    mine = one.heavy | one.ended
    return bool(mine - missing(mine, other.bag | other.ended))


def may_bear(one: Statement, other: Statement) -> bool:
    """Whether judging them could tell more than that they speak of different things: a look at their words, which takes
    a tenth of the time. For whoever holds one against very many."""
    share = not (one.bag | one.ended).isdisjoint(other.bag | other.ended)
    return share or meet(one, other) or meet(other, one)


def _rules(one: Statement) -> bool:
    """Whether it says what holds. A figure in what somebody told, or in what happened once, is a reason for it."""
    is_told = _TOLD.search(one.title) is not None
    return any(
        said.is_order or said.is_denied or said.has_modal or (said.quantities and not is_told) for said in one.main
    )


# -- in other languages


def _turns_abroad(later: Statement, earlier: Statement, *, is_choice: bool) -> Judgment | None:
    """Sure where one of both ways to look at it is."""
    turn = turned_abroad(later.title, earlier.title)
    if turn is not None and not (is_choice or turn.is_given_up):
        turn = None
    is_sure = denied_abroad(later.title, earlier.title)
    if is_sure is not None and (turn is None or not turn.is_sure):
        return Judgment(Bearing.REVERSAL, f"it says “{later.title}” where “{earlier.title}” was said", is_sure)
    if turn is None:
        return None
    return Judgment(Bearing.REVERSAL if turn.is_given_up else Bearing.CONTRADICTION, turn.reason, turn.is_sure)


def _clashes_across(later: Statement, earlier: Statement) -> Judgment | None:
    """What two languages have in common never tells for sure."""
    reason = clashes_across(later.title, earlier.title)
    return Judgment(Bearing.REVERSAL, reason, is_sure=False) if reason else None


# -- for some, and for everybody


def _opens_or_closes(later: Statement, earlier: Statement) -> Judgment | None:
    """What only some may do, everybody may; or the other way round."""
    for one, other in ((later, earlier), (earlier, later)):
        some, everybody = _SOME.search(other.title), _EVERYBODY.search(one.title)
        if everybody is None or some is None or _EVERYBODY.search(other.title):
            continue
        who = frozenset(map(stem, words(next(filter(None, some.groups())))))
        is_said = not any(said.denials for said in (*one.main, *other.main))
        all_of_them = _ANYBODY | {*map(stem, words(everybody[0]))}
        rest = [_before_conditions(side) - all_of_them - LIGHT for side in (one, other)]
        if is_said and alike(rest[0], rest[1] - who):
            bearing = Bearing.REVERSAL if later.tells_change else Bearing.CONTRADICTION
            turn = (
                "what only some might do, everybody may" if one is later else "what everybody might do, only some may"
            )
            return Judgment(bearing, turn)
    return None


def _before_conditions(one: Statement) -> frozenset[str]:
    """The words of a title up to where it says on what condition."""
    return statement(_ON_CONDITION.split(one.title)[0], "").bag


# -- saying it again


def _repetition(later: Statement, earlier: Statement) -> Judgment | None:
    """The later one says what the earlier one says, and perhaps more."""
    if not earlier.main and not earlier.given_up:
        return None
    is_said = all(any(_says(one, said) for one in later.assertions) or _is_ended(said, later) for said in earlier.main)
    if not is_said or not all(_is_known(given, later) for given in earlier.given_up):
        return None
    given = frozenset(word for one in earlier.given_up for word in one.thing)
    has_more = len(missing(later.heavy, earlier.bag | given)) >= _NEW_WORDS or _amounts(later) - _amounts(earlier)
    if has_more or _tells_news(later, earlier) or any(one.is_exception for one in later.assertions):
        return Judgment(Bearing.REFINEMENT, "it says the same, and more")
    return Judgment(Bearing.DUPLICATE, "it says the same")


def _known_already(later: Statement, earlier: Statement) -> Judgment | None:
    is_known = not _tells_news(later, earlier) and _repetition(earlier, later) is not None
    return Judgment(Bearing.DUPLICATE, "the earlier one says it already") if is_known else None


def _tells_news(later: Statement, earlier: Statement) -> bool:
    """Whether it says that something is otherwise now, and names what the earlier one has no word of. It repeats only
    what it speaks of then: "that --reset flag: it is gone, use --reprocess from now on"."""
    return later.tells_change and len(missing(later.bag, earlier.bag)) >= _NEW_WORDS


def _says(one: Assertion, said: Assertion) -> bool:
    telling = said.heavy or said.bag
    if not telling or missing(telling, one.bag) or one.is_denied != said.is_denied or is_turned_around(one, said):
        return False
    if len(telling) == 1 and said.is_whole and missing(one.heavy, telling) and not _is_thing_of(one, telling):
        return False
    if one.is_over and not said.is_over:
        return False
    if opposed(one.bag - said.bag, said.bag - one.bag):
        return False
    mine = {(amount.kind, amount.value) for amount in one.quantities}
    return all((amount.kind, amount.value) in mine for amount in said.quantities)


def _is_thing_of(one: Assertion, thing: frozenset[str]) -> bool:
    """Whether an assertion speaks of a thing itself, and not of something that has to do with it: who owns the Kafka
    topics does not say that Kafka stays."""
    named = (phrase for phrase in one.phrases if not missing(thing, phrase.bag))
    return any(phrase.stems[-1] in thing or not missing(phrase.telling, thing | GENERIC) for phrase in named)


def _is_ended(said: Assertion, later: Statement) -> bool:
    """Whether what an assertion denies is what the other gives up: "we don't use it", "it is retired"."""
    return said.is_denied and any(not missing(said.heavy, given.thing) for given in later.given_up)


def _is_known(given: GivenUp, later: Statement) -> bool:
    is_given = any(overlaps(given.thing, other.thing) for other in later.given_up)
    return is_given or any(said.is_denied and not missing(given.thing, said.bag) for said in later.assertions)


def _amounts(one: Statement) -> set[tuple[str, str]]:
    return {(amount.kind, amount.value) for said in one.assertions for amount in said.quantities}


# -- giving up, and taking up again


def _gives_up(later: Statement, earlier: Statement) -> Judgment | None:
    if _COMPLAINS.search(earlier.title):
        return None
    for given in later.given_up:
        if given.of & earlier.bag and missing(given.of - EVERYDAY, earlier.bag):
            continue  # The retries of one client are not those of another.
        for said in earlier.main:
            if not _gave_up(earlier, given) and (is_sure := _rests_on(said, given, earlier)) is not None:
                is_meant, is_one = (
                    not given.is_aside or _adopts(said, given),
                    _is_of_one_matter(given, said, later, earlier),
                )
                if (given.is_place or given.thing <= _MANNERS) and not is_one:
                    continue
                is_sure = is_sure and is_meant and is_one
                return Judgment(Bearing.REVERSAL, f"it gives up {given.shown}", is_sure and not earlier.goes_on)
    return None


def _lifts_limit(later: Statement, earlier: Statement) -> Judgment | None:
    """What happened at an amount happens there no more, whatever it is called: "hard stop at 110 %" and "the abort at
    110 % goes away"."""
    said = earlier.bag | frozenset(map(stem, words(earlier.title)))
    for given in later.given_up:
        if given.is_aside or given.amounts.isdisjoint(_amounts(earlier)) or _gave_up(earlier, given):
            continue
        if missing(given.thing, said) and not limits_alike(given.thing, said):
            continue
        unknown = any(missing(limit, said) for limit in given.limits)
        if unknown and missing(earlier.heavy - given.thing - EVERYDAY, later.bag | later.ended):
            continue  # The stop of one thing is not that of another.
        return Judgment(Bearing.REVERSAL, f"it gives up {given.shown}", not unknown)
    return None


def _takes_up(later: Statement, earlier: Statement) -> Judgment | None:
    for given in earlier.given_up:
        for said in later.main:
            if said.is_over:
                continue  # What is off is as much given up as what was shut down.
            if not _gave_up(later, given) and (is_sure := _rests_on(said, given, later)) is not None:
                is_one = _is_of_one_matter(given, said, earlier, later)
                if given.thing <= _MANNERS and not is_one:
                    continue
                is_sure = is_sure and is_one and _adopts(said, given) and not given.is_aside and not later.goes_on
                return Judgment(Bearing.REVERSAL, f"it takes up {given.shown} again", is_sure)
    return None


def _takes_out(later: Statement, earlier: Statement) -> Judgment | None:
    """What is deleted holds no more where nothing else is said of it."""
    for given in later.taken_out:
        for said in earlier.main:
            is_all = not said.heavy - _in(said, given)
            if is_all and not _gave_up(earlier, given) and _rests_on(said, given, earlier):
                return Judgment(Bearing.REVERSAL, f"it takes out {given.shown}", not earlier.goes_on)
    return None


def _gave_up(one: Statement, given: GivenUp) -> bool:
    return any(overlaps(given.thing, other.thing) for other in one.given_up)


def _in(said: Assertion, given: GivenUp) -> frozenset[str]:
    """The words of an assertion that name what is given up. It is a name: nothing that is merely like it will do."""
    wanted = given.thing - GENERIC or given.thing
    found = frozenset(word for word in said.bag if any(_is_form(word, one) for one in wanted))
    return found if len(found) >= len(wanted) else frozenset()


def _is_form(word: str, name: str) -> bool:
    return word == name or is_plural(word, name) or is_akin(word, name)


def _rests_on(said: Assertion, given: GivenUp, where: Statement) -> bool | None:
    """Whether an assertion surely rests on what is given up; None when it does not speak of it, or denies it."""
    thing = _in(said, given)
    is_other_number = given.numbers and given.numbers.isdisjoint(amount.value for amount in said.quantities)
    if not thing or said.is_denied or is_other_number:
        return None
    limits = [limit for part in given.limits if (limit := missing(part, thing))]
    # What it took the place of tells what it is for: "scrap it for packages and use another".
    ended = frozenset(word for end in where.given_up if not end.is_aside for limit in end.limits for word in limit)
    is_shared = any(is_among(word, (said.heavy | ended) - thing) for limit in limits for word in limit)
    if is_shared:
        return True
    if not all(_is_named_by(phrase, thing, said) for phrase in said.phrases):
        return None
    return not limits  # It is given up for something: for something else, perhaps.


def _is_named_by(phrase: Phrase, thing: frozenset[str], said: Assertion) -> bool:
    """Whether a thing is the phrase it stands in, and not something else's name: npm is not the npm cache."""
    rest = phrase.telling - thing - GENERIC
    if not phrase.bag & thing or not rest or phrase.stems[-1] in thing:
        return True
    is_subject = phrase.stems[0] in thing and not said.is_whole  # A verb that nobody listed stands behind it.
    return is_subject or (said.verb in _KEEPING and phrase.link == "object")


def _is_of_one_matter(given: GivenUp, said: Assertion, giving: Statement, other: Statement) -> bool:
    """Whether both speak of the same thing by that word. A name means one thing; an everyday word needs company: more
    words that both have, or nothing else said."""
    if _are_elsewhere(giving, other):
        return False
    if given.thing - EVERYDAY - _MANNERS:
        return True
    company = frozenset(word for limit in given.limits for word in limit) | giving.heavy
    shared = other.heavy - given.thing - EVERYDAY - _MANNERS
    return not said.heavy - given.thing - GENERIC or any(is_among(word, company - given.thing) for word in shared)


def _are_elsewhere(one: Statement, other: Statement) -> bool:
    """Whether each is bound to a place that the other does not speak of: what is given up in the shop may stay in the
    office."""
    return _is_bound_apart(one, other) and _is_bound_apart(other, one)


def _is_bound_apart(one: Statement, other: Statement) -> bool:
    """Whether a title bounds what it says by something that the other does not speak of at all."""
    bounds = (phrase.telling for said in one.title_says for phrase in said.phrases if phrase.link in PLACES)
    return any(bound and missing(bound, other.bag | other.ended) == bound for bound in bounds)


def _adopts(said: Assertion, given: GivenUp) -> bool:
    """Whether an assertion is about taking the thing, and not just about something that has to do with it."""
    return any(
        is_value(phrase, said)
        or (phrase.link == "subject" and bool(said.verb))
        or (phrase.link == "object" and said.is_order)
        for phrase in said.phrases
        if not missing(given.thing, phrase.bag)
    )


# -- the contrary


def _contradicts(later: Statement, earlier: Statement, *, is_choice: bool) -> Judgment | None:
    if are_siblings(later, earlier):
        return None
    found: list[Contrary] = []
    for new in later.main:
        for old in earlier.main:
            is_fair = not new.is_exception and _stands_alone(new, later) and _stands_alone(old, earlier)
            contrary = Rivals(new, old, later, earlier).contrary(by_value=is_choice) if is_fair else None
            found += [contrary] if contrary else []
    if not any(one.is_sure for one in found) and (contrary := clash(later, earlier, by_value=is_choice)) is not None:
        found.append(contrary)
    if not found:
        return None
    if _is_exempt(later, earlier):
        return None
    best = next((one for one in found if one.is_sure), found[0])
    is_sure = best.is_sure and not gives_up_something_else(later, earlier) and not _is_one_of_all(later, earlier)
    return Judgment(Bearing.REVERSAL if best.is_denial else Bearing.CONTRADICTION, best.reason, is_sure)


def _is_exempt(later: Statement, earlier: Statement) -> bool:
    """Whether the later one says itself that it leaves what the other speaks of as it was."""
    said = f"{later.title}. {later.body}"
    named = (frozenset(map(stem, words(found["thing"] or found["but"]))) for found in _EXEMPT.finditer(said))
    title = frozenset(map(stem, words(earlier.title)))
    return any((thing - LIGHT) & title for thing in named)


def _is_one_of_all(later: Statement, earlier: Statement) -> bool:
    """Whether the later one speaks of all of something, and the other of one that it does not name: what holds of all
    may well leave an exception standing."""
    if _ALL_OF.search(later.title) is None or _ALL_OF.search(earlier.title) is not None:
        return False
    is_forbidden = any(said.is_denied for said in earlier.main)
    return is_forbidden and bool(missing(earlier.heavy, later.bag))


def gives_up_something_else(later: Statement, earlier: Statement) -> bool:
    """Whether it names what it gives up, and the other speaks neither of that nor of much the same: who leaves one way
    of calling services says nothing of how they log."""
    given = [one for one in later.given_up if not one.is_aside]
    if not given or any(_speaks_of(earlier, one) for one in given):
        return False
    return len(later.heavy & earlier.heavy) < _SHARED * max(len(later.heavy), len(earlier.heavy))


def ends_some_of(later: Statement, earlier: Statement) -> bool:
    """Whether it gives up something that the other one names and does not give up itself: they never say the same."""
    ended = frozenset[str]().union(*(given.thing for given in earlier.given_up))
    return any(given.thing & earlier.bag - ended for given in later.given_up)


def _speaks_of(one: Statement, given: GivenUp) -> bool:
    """Whether it has a word of what is given up, and not only to say what something else is for: "B2B vouchers" are no
    rounding for B2B. How a thing is done is no such word."""
    shared = (given.thing - _MANNERS) & one.bag
    return bool(shared) and (not is_named_by_use(given) or given.thing <= one.bag or not shared <= whom_for(one))


def is_named_by_use(given: GivenUp) -> bool:
    """Whether its name is two words: what it is, behind what it is for."""
    return len(given.thing) == len(words(given.shown)) == 2


def whom_for(one: Statement) -> frozenset[str]:
    """The words of a title that say what or whom something is for."""
    return frozenset(
        word for said in one.title_says for phrase in said.linked(frozenset(("for",))) for word in phrase.bag
    )


def _stands_alone(one: Assertion, where: Statement) -> bool:
    """Whether it can be compared: a piece behind a comma says nothing by itself."""
    return one.is_whole or bool(one.denials) or where.main[0] is one or where.tells_change


def _crosses(later: Statement, earlier: Statement) -> Judgment | None:
    """What one says is what the other denies, and the other way round: "rebase, don't merge", "merge, no need to
    rebase"."""
    said, denied = _stands(later)
    said_before, denied_before = _stands(earlier)
    taken, given = said & denied_before, denied & said_before
    if not taken or not given:
        return None
    return Judgment(Bearing.REVERSAL, f"it takes up {min(taken)}, which was denied, and not {min(given)}")


def _forbids_a_part(later: Statement, earlier: Statement) -> Judgment | None:
    """What one rules out is a part of what the other says below its title: "Add the input", "… and add `audience`" and
    later "Do not add `audience`". How much of the other it ends, a person knows."""
    for ruling, other in ((later, earlier), (earlier, later)):
        below = [one for one in other.assertions if one not in other.main and not one.is_denied and not one.is_open]
        for new in ruling.main:
            things = [one.telling for one in new.phrases if one.link == "object" and one.telling]
            if not (new.is_denied and new.is_order and new.verb and things):
                continue
            if any(old.verb == new.verb and not missing(things[0], old.bag) for old in below):
                return Judgment(Bearing.REVERSAL, f"one rules out {' '.join(sorted(things[0]))}", is_sure=False)
    return None


def _stands(one: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """The words that a statement stands for, and those that it stands against; without what it does both to."""
    said = frozenset(word for claim in one.main if not claim.is_denied for word in claim.heavy)
    denied = frozenset(word for claim in one.main if claim.is_denied for word in claim.heavy)
    return said - denied, denied - said


# -- near, and nothing more


def _likeness(later: Statement, earlier: Statement) -> Judgment:
    one, two = later.heavy, earlier.heavy
    shared = one - missing(one, two)
    if one and two and len(shared) >= _ALIKE * max(len(one), len(two)) and _is_same_stand(later, earlier):
        return Judgment(Bearing.DUPLICATE, "they say the same in other words")
    differ = _names_more(later, earlier) and _names_more(earlier, later)
    if two and len(two - missing(two, one)) >= _COVERED * len(two) and not differ:
        return Judgment(Bearing.REFINEMENT, "it says more of the same")
    return Judgment(Bearing.UNRELATED, "they speak of different things")


def _is_same_stand(later: Statement, earlier: Statement) -> bool:
    """Whether two deny alike, name the same amounts, and not each something that the other does not."""
    if (_names_more(later, earlier) and _names_more(earlier, later)) or _do_differ(later, earlier):
        return False
    is_denied = [sum(said.denials for said in one.main) % 2 for one in (later, earlier)]
    return is_denied[0] == is_denied[1] and _amounts(later) == _amounts(earlier)


def _do_differ(later: Statement, earlier: Statement) -> bool:
    """Whether each tells of one deed, and these are two: what is never edited may be committed."""
    deeds = [
        frozenset(said.verb for said in one.main if said.verb and said.verb not in LIGHT) for one in (later, earlier)
    ]
    return all(len(deed) == 1 for deed in deeds) and missing(deeds[0], deeds[1]) == deeds[0]


def _names_more(one: Statement, other: Statement) -> bool:
    return bool(missing((word for said in one.main for word in said.nouns), other.bag))
