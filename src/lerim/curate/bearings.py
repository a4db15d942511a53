"""How what was said later bears on what was said before: by rules, and by a small model that reads both.

Rules know the sentences that somebody thought of, and say why. The model was taught on pairs of statements
(`evals/train_bearing.py`): it hears the same in other words, and cannot say why. Where the model is as sure as it is of
hardly any pair that goes together, the later one replaces the earlier; where it is nearly so, or only the rules think
so and it does not believe it at all, a person should look.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.context.standing import Stated, Words, are_choices, ruled, ruled_words, words_of
from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later
from lerim.text.across import clashes_across
from lerim.text.alike import missing
from lerim.text.amounts import (
    amounts_apart,
    are_of_one_thing,
    are_of_two_things,
    are_siblings,
    other_amounts,
    reset_amount,
)
from lerim.text.aspects import are_of_two_aspects
from lerim.text.bearing import (
    Bearing,
    Judgment,
    ends_some_of,
    gives_up_something_else,
    is_for_one_place,
    is_named_by_use,
    left_alone,
    meet,
    whom_for,
)
from lerim.text.clashes import blames_below, tells_what_was
from lerim.text.common import DENIES
from lerim.text.deciders import share_a_name_alone
from lerim.text.former_values import figure_changed
from lerim.text.frames import reframed
from lerim.text.grammar import CHOOSING, EVERYDAY, FUNCTION_WORDS, GENERIC, LIGHT
from lerim.text.kinds import Choice, rivals, things
from lerim.text.namesakes import namesakes
from lerim.text.permits import Permit, affirms, permit_of, turns_permit
from lerim.text.quantities import PHYSICAL, are_of_two_bounds
from lerim.text.questions import answers_in
from lerim.text.remedies import are_fault_and_remedy
from lerim.text.statements import Statement, statement
from lerim.text.stems import stem
from lerim.text.tongues import is_abroad
from lerim.text.ways import other_way
from lerim.text.words import words

#: From here on the model is sure that the later one replaces the earlier. Of 1,324 pairs by 21 authors that go together
#: eight are replaced, by the rules or by it; of 465 that lie near each other in real repositories, four.
_SURE = 0.88
#: The same, where what it gives up is only like something that the earlier one names: it may be near in words alone.
_SURE_OF_ANOTHER = 0.94
#: The same, where it only says that something is so now.
_SURE_OF_NEWS = 0.95
#: Nothing is as sure as that.
_NEVER = 2.0
#: So sure it has to be of what the rules think so, too, and are not sure of.
_CONFIRMED = 0.7
#: And so sure, where it leaves no doubt that both are of one thing, and where one denies the other.
_CONFIRMED_OF_ONE, _APART, _CONFIRMED_DENIAL = 0.6, 0.05, 0.5
#: From here on it is surer of something else than anybody is of what the rules think replaced.
_KNOWN_BETTER = 0.8
#: From here on a person should look at what the rules did not see.
_ASKED = 0.8
#: The same, where the later one speaks of another bound, amount or place, or gives up something else.
_ASKED_OF_ANOTHER = 0.97
#: The same, where the two have no word in common that tells something, nor the beginning of one; and from here on
#: they say the same nevertheless.
_ASKED_OF_NOTHING, _SAME_OF_NOTHING = 0.86, 0.6
#: The same, where the later one says that something is otherwise now and has a word of the earlier one.
_ASKED_OF_NEWS = 0.5
#: The same of what two titles say first, where all that stands below told the model otherwise: so much of the words
#: of one is in the other then.
_ASKED_OF_FIRST_WORDS, _OF_ONE_THING = 0.75, 0.5
#: Below, a person should look at what the rules are sure of.
_DOUBTED = 0.7
#: Below, nobody should look at what the rules are not sure of, and at what they are sure of: the model is surer that
#: they go together.
_NOT_BELIEVED, _NOT_BELIEVED_AT_ALL = 0.3, 0.05
#: From here on what the rules take for the same is not, where it names something else.
_NOT_THE_SAME = 0.6
#: From here on two things of a kind do one job, and two amounts of a kind are of one thing: that much the later one is
#: heard to replace the earlier; or, of amounts, to say the same, as it would but for them.
_OF_ONE_JOB, _OF_ONE_AMOUNT = 0.5, 0.75
#: The same of two things of a kind, where not each title has a word for its own matter.
_OF_ONE_MATTER = 0.2
#: The same of two amounts, though each has a word of its own for what it is of, or counts something else.
_OF_OTHER_WORDS = 0.83
#: From here on two ways exclude each other, and what is allowed now was forbidden before: these words stand in many
#: sentences, and the model hears whether two are of one matter.
_OF_ONE_WAY, _TURNED = 0.5, 0.4
#: The same of what is so now though it was forbidden or not there, in words that permit nothing: from here on that only
#: says more of it.
_AFFIRMED, _SAYS_MORE = 0.45, 0.3
#: The same where what stands below tells of what was, by a name of the earlier one, or only of what went wrong.
_TOLD_AS_PAST, _TOLD_AS_WRONG = 0.5, 0.75
#: From here on the model is sure where it hears it of the titles alone and with either one as the later, too.
_HEARD_THROUGHOUT = 0.7
#: The same of all that is said, and of the titles alone, whatever else stands between them.
_HEARD_PLAINLY, _HEARD_OF_TITLES = 0.9, 0.85
#: So many times surer of what it calls it than of what the rules do, and so sure of it.
_PLAINLY, _HEARD = 3, 0.3
#: From here on what two titles say first is read as well: each reading takes its time.
_LEFT_OPEN = 0.1
#: Where the first thing ends that a title says, and how many words say something.
_FIRST_END = compile_later(r"[,;:(]|\s[-–—]\s|\b(?:because|since|so that|otherwise)\b", re.I)
_FEWEST = 4
#: So many letters of two words make them one word for a first look, unless they say little.
_BEGINNING = 4
_SINCE_NOW = compile_later(r"\b(?:now|from (?:now|today) on|as of|starting|since|these days)\b", re.I)
#: Words that speak of what was: given up, turned around, allowed or forbidden.
_TURNS_AROUND = compile_later(
    r"\b(?:again|back|switch\w*|mov(?:e|ed|ing)|drop\w*|revert\w*|can|may|allow\w*|instead|rather|no|any ?more|off"
    r"|over|went|replac\w*|stop\w*|not|never|\w+n['’]t|retir\w*|remov\w*|end(?:s|ed)?|gone|out|ok|okay|fine|free|without"
    r"|cancel\w*|lift\w*|bann?\w*|abolish\w*|disabled?|enabled?|forbidden|optional|required|must)\b",
    re.I,
)
#: What is said of all but what is named.
_REST = compile_later(
    r"\b(?:(?:everybody|everyone|everything|nobody|no one|anybody|nothing) else|(?:all|the) others|the rest"
    r"|the other ones|are exempt|is exempt|except(?:ion|ions|ed)?)\b",
    re.I,
)
_VERSION = compile_later(r"\bv\d[\d.]*\b")
#: What stays as it was besides.
_KEPT = compile_later(
    r"\b(?:(?:all|any|every|the) )?(?:others?|rest)\b[^.;]{0,60}\b(?:as (?:usual|before)|stays?|keeps?|remains?|have)\b"
    r"|\b(?:everywhere|anywhere) else\b",
    re.I,
)
#: A version that is raised is work, and rules on nothing but that version.
_BUMPS = compile_later(r"\W*(?:bump|upgrade|update)\b .{2,60}\bto v?\d", re.I)
#: Words before a place, and words that make no difference there. So much of two titles is said alike.
_PLACING = frozenset({"in", "on", "for", "with", "at", "of"})
_DETERMINERS = frozenset({"the", "a", "an", "our", "each", "every", "its"})
_SAID_ALIKE = 0.56
_PARTS = compile_later(r"[^a-z0-9]+", re.I)
_SAY_LITTLE = LIGHT | GENERIC | CHOOSING | frozenset(map(stem, FUNCTION_WORDS))
_SEEN_OF = "it seems to say something else of"
_SEEN = f"{_SEEN_OF} the same"
#: What the model thinks where the rules think otherwise, in words.
_THOUGHT = {
    Bearing.DUPLICATE: "it seems to say the same",
    Bearing.REFINEMENT: "it seems to say more of the same",
    Bearing.UNRELATED: "it seems to speak of something else",
}


@dataclass(frozen=True, slots=True)
class PairReading:
    """What the model makes of a pair: how likely each bearing is."""

    shares: tuple[tuple[Bearing, float], ...]

    @property
    def replacing(self) -> float:
        """How likely the later one replaces the earlier."""
        return sum(share for bearing, share in self.shares if bearing.replaces)

    def share(self, wanted: Bearing) -> float:
        return dict(self.shares)[wanted]

    def likeliest(self, *, replacing: bool) -> Bearing:
        return max((share, bearing) for bearing, share in self.shares if bearing.replaces is replacing)[1]


@dataclass(frozen=True, slots=True)
class Bars:
    """How sure the model has to be of a pair: to replace by itself, to confirm what the rules think so and are not sure
    of, and for a person to be asked. What is apart may be near in words alone: it does not say the same."""

    sure: float = _SURE
    confirmed: float = _CONFIRMED
    asked: float = _ASKED
    is_apart: bool = False


def judged(later: Stated, earlier: Stated, *, is_close: bool = True) -> Judgment:
    """How what was said later bears on what was said before. Of what is not close the model reads only what the rules
    think replaced: it takes as long for a pair as they for many."""
    by_rules = ruled(later, earlier)
    if not is_close and not by_rules.bearing.replaces:
        return by_rules
    return judged_words(words_of(later), words_of(earlier), is_choice=are_choices(later, earlier))


def judged_words(later: Words, earlier: Words, *, is_choice: bool = True) -> Judgment:
    """How a later title and body bear on an earlier one's. Of facts the rules alone say what is sure: there may be
    several."""
    if (answers := answers_in(later[0], earlier[0])) is not None:
        if not answers.is_one_question:
            return Judgment(Bearing.UNRELATED, _THOUGHT[Bearing.UNRELATED])
        if answers.is_another:
            why = f"it says “{answers.later}” instead of “{answers.earlier}”"
            return Judgment(Bearing.CONTRADICTION, why, is_sure=is_choice)
    return _judged_words(later, earlier, is_choice=is_choice)


def _judged_words(later: Words, earlier: Words, *, is_choice: bool) -> Judgment:
    by_rules = ruled_words(later, earlier, is_choice=is_choice)
    one, two = statement(*later), statement(*earlier)
    if later == earlier or one.is_left_over or are_fault_and_remedy(one, two) or share_a_name_alone(one, two):
        return by_rules  # What is left over, mends a fault, or is said by the same person sounds like any other change.
    reading = _read(later, earlier)
    if reading is None or (by_rules.bearing.replaces and clashes_across(later[0], earlier[0])):
        return by_rules  # Of two languages at once the model knows nothing.
    if is_abroad(later[0], earlier[0]):
        return by_rules if by_rules.bearing.replaces else _asked_abroad(by_rules, reading)
    is_denial = by_rules.bearing is Bearing.REVERSAL
    if by_rules.bearing.replaces:
        by_rules = _called(by_rules, reading)
    if by_rules.replaces and _are_worded_alike(later[0], earlier[0]):
        return by_rules
    if by_rules.bearing.replaces and (
        figure_changed(later[0], earlier[0]) or reset_amount(one, two) or reframed(one, two)
    ):
        # It names the figure that is gone, what is taken to another, or who or what stands in the place of another.
        return by_rules
    bars = _bars(later, earlier)
    if is_denial and bars.confirmed == _CONFIRMED:
        bars = replace(bars, confirmed=_CONFIRMED_DENIAL)
    if _is_the_same(later, earlier, by_rules):
        if reading.replacing < _NOT_THE_SAME or not _names_more(later, earlier):
            return by_rules
        bars = replace(bars, asked=_NOT_THE_SAME)
    found = _by_both(later, earlier, by_rules, reading, bars, is_choice=is_choice)
    if found.bearing is Bearing.DUPLICATE and (names := _named_apart(later[0], earlier[0])) is not None:
        # But for the name it says the same: a person knows whether there may be two.
        return Judgment(Bearing.CONTRADICTION, f"it says {names[0]} instead of {names[1]}", is_sure=False)
    if found.bearing.replaces and not found.is_sure and are_of_two_aspects(one, two):
        return Judgment(Bearing.UNRELATED, _THOUGHT[Bearing.UNRELATED])
    return found if found.bearing.replaces else _dropped_aside(one, two) or found


def _dropped_aside(later: Statement, earlier: Statement) -> Judgment | None:
    """What the later one gives up below its title, and the earlier one has chosen in its own, where both speak of one
    thing more: "the hosts have no pip. We drop click", "What the tool is built with: click"."""
    title = statement(earlier.title, "")
    told = frozenset(stem(word) for word in words(f"{later.title} {later.body}"))
    for given in later.given_up:
        rest = title.heavy - given.thing - EVERYDAY
        if given.is_aside and given.thing and given.thing <= title.bag and not rest.isdisjoint(told):
            return Judgment(Bearing.REVERSAL, f"it gives up “{given.shown}”", is_sure=False)
    return None


def _asked_abroad(by_rules: Judgment, reading: PairReading) -> Judgment:
    """The model was taught in English alone: of other languages it knows enough to ask, and not what is the same."""
    if reading.replacing < _ASKED_OF_ANOTHER:
        return by_rules
    return Judgment(reading.likeliest(replacing=True), _SEEN, is_sure=False)


def _by_both(
    later: Words, earlier: Words, by_rules: Judgment, reading: PairReading, bars: Bars, *, is_choice: bool
) -> Judgment:
    """What comes of rules and model, where neither says it alone."""
    found = settled(by_rules, reading, bars if is_choice else replace(bars, sure=_NEVER, confirmed=_NEVER))
    if by_rules.bearing.replaces and (other := _known_better(later, earlier, by_rules, reading)) is not None:
        return Judgment(other, _THOUGHT[other])
    if not found.replaces and (value := _other_value(later, earlier, reading)) is not None:
        return replace(value, is_sure=is_choice)
    if is_choice and not found.replaces and (way := _other_way(later, earlier, reading)) is not None:
        return way
    if is_choice and not found.replaces and _is_heard_plainly(later, earlier, reading):
        return Judgment(reading.likeliest(replacing=True), _seen(later, earlier))
    if is_choice and found.bearing.replaces and bars.sure < _NEVER and _is_heard_throughout(later, earlier, reading):
        return replace(found, is_sure=True)
    is_open = not found.bearing.replaces and reading.replacing >= _LEFT_OPEN
    if is_open and (first := _read_first(later[0], earlier[0])) is not None:
        return Judgment(first.likeliest(replacing=True), _seen(later, earlier), is_sure=False)
    if found.reason == _SEEN:
        found = replace(found, reason=_seen(later, earlier))
    if _is_bare_likeness(later, earlier, found, reading):
        return Judgment(Bearing.UNRELATED, _THOUGHT[Bearing.UNRELATED])
    return by_rules if bars.is_apart and found.bearing is Bearing.DUPLICATE else found


def _is_the_same(later: Words, earlier: Words, by_rules: Judgment) -> bool:
    is_same = by_rules.bearing is Bearing.DUPLICATE and by_rules.is_sure and not _ends_some_of(later, earlier)
    return is_same and _rivals_of(later[0], earlier[0]) is None


def _is_bare_likeness(later: Words, earlier: Words, found: Judgment, reading: PairReading) -> bool:
    """Whether the model took two that share no word for the same, and not by far."""
    is_same = found.bearing in (Bearing.DUPLICATE, Bearing.REFINEMENT)
    return is_same and reading.share(found.bearing) < _SAME_OF_NOTHING and _share_nothing(later, earlier)


def _ends_some_of(later: Words, earlier: Words) -> bool:
    return ends_some_of(statement(*later), statement(*earlier))


def _known_better(later: Words, earlier: Words, by_rules: Judgment, reading: PairReading) -> Bearing | None:
    """What the model takes for something else than the rules do, so that nobody needs to be asked."""
    other = reading.likeliest(replacing=False)
    is_ended = _ends_some_of(later, earlier) or _ends_some_of(earlier, later)
    if reading.share(other) >= _KNOWN_BETTER and not (is_ended and (by_rules.is_sure or other is Bearing.DUPLICATE)):
        return other
    return None if _is_believed(by_rules, reading, (later[0], earlier[0])) else Bearing.UNRELATED


def _called(by_rules: Judgment, reading: PairReading) -> Judgment:
    """Whether another value takes the place of one, or something is turned around: by the rules, unless the model hears
    it plainly."""
    other = reading.likeliest(replacing=True)
    is_plain = reading.share(other) >= max(_HEARD, _PLAINLY * reading.share(by_rules.bearing))
    return replace(by_rules, bearing=other) if is_plain else by_rules


def _other_value(later: Words, earlier: Words, reading: PairReading) -> Judgment | None:
    """What two titles name another one of, where the model hears that both are of one matter: the rules know that two
    things do the same job, or that two amounts are of one kind, and the model that nothing else is spoken of."""
    one, two = statement(*later), statement(*earlier)
    if _are_of_two(later, earlier) or left_alone(one, two) or is_for_one_place(one, two):
        return None
    if any(not given.is_aside for given in one.given_up):
        return None  # It says what ends, and that alone.
    if _are_of_versions(later[0], earlier[0]):
        return None
    choice = _rivals_of(later[0], earlier[0])
    if choice is not None and not choice.is_of_deed and reading.replacing >= _bar_of_choice(choice, one, two):
        return Judgment(Bearing.CONTRADICTION, f"it says {_told(choice.new)} instead of {_told(choice.old)}")
    if not meet(statement(later[0], ""), statement(earlier[0], "")):
        return None  # Of what only stands below there may be another amount.
    amounts = other_amounts(one, two)
    if reading.replacing >= _OF_OTHER_WORDS:
        amounts = amounts or amounts_apart(one, two)
    elif amounts is not None and not _is_heard_of_one(one, two, reading):
        amounts = None
    if amounts is None:
        return None
    new, old = amounts
    return Judgment(Bearing.CONTRADICTION, f"it says {new.shown} instead of {old.shown}")


def _bar_of_choice(choice: Choice, later: Statement, earlier: Statement) -> float:
    named = frozenset(stem(word) for thing in (choice.new, choice.old) for word in thing.split("+"))
    mine, theirs = (statement(side.title, "").heavy - named for side in (later, earlier))
    more, lack = missing(mine, earlier.bag), missing(theirs, later.bag)
    return _OF_ONE_MATTER if theirs - lack and not (more and lack) else _OF_ONE_JOB


def _rivals_of(later: str, earlier: str) -> Choice | None:
    return rivals(*(things(words(title)) for title in (later, earlier)))


def _named_apart(later: str, earlier: str) -> tuple[str, str] | None:
    """What each of two titles names that cannot be the other's: another of a kind, or of one pattern of names."""
    choice = _rivals_of(later, earlier)
    if choice is not None and not choice.is_of_deed:
        return _told(choice.new), _told(choice.old)
    return namesakes(words(later), words(earlier))


def _other_way(later: Words, earlier: Words, reading: PairReading) -> Judgment | None:
    """Another way of doing the same, or leave for what was forbidden, or the other way round."""
    one, two = statement(*later), statement(*earlier)
    way = other_way(*(words(title) for title, _ in (later, earlier)))
    if _are_of_two(later, earlier) or left_alone(one, two) or is_for_one_place(one, two):
        return None
    if _name_two(later, earlier, frozenset(way or ())):
        return None
    if reading.replacing >= _TURNED and turns_permit(one, two):
        return Judgment(Bearing.REVERSAL, f"it says “{later[0]}” where “{earlier[0]}” was said")
    if reading.replacing >= _AFFIRMED and reading.share(Bearing.REFINEMENT) < _SAYS_MORE and affirms(one, two):
        return Judgment(Bearing.REVERSAL, f"it says “{later[0]}” where “{earlier[0]}” was said")
    is_of_one = meet(*(statement(title, "") for title, _ in (later, earlier)))
    if is_of_one and (why := _told_below(one, two, reading)) is not None:
        return Judgment(reading.likeliest(replacing=True), f"{_seen(later, earlier)}, and tells below {why}")
    if reading.replacing < _OF_ONE_WAY or any(not DENIES.isdisjoint(words(title)) for title, _ in (later, earlier)):
        return None
    return Judgment(Bearing.CONTRADICTION, f"it says {way[0]} instead of {way[1]}") if way is not None else None


def _told_below(later: Statement, earlier: Statement, reading: PairReading) -> str | None:
    """What stands below that only who changes something tells. Amounts are for others to compare, and what both forbid
    is forbidden still."""
    if all(any(said.quantities for said in side.main) for side in (later, earlier)):
        return None
    if permit_of(later.title) is permit_of(earlier.title) is Permit.FORBIDDEN or _KEPT.search(later.body):
        return None
    if reading.replacing >= _TOLD_AS_PAST and tells_what_was(later, earlier):
        return "what was"
    return "what went wrong" if reading.replacing >= _TOLD_AS_WRONG and blames_below(later) else None


def _name_two(later: Words, earlier: Words, ways: frozenset[str]) -> bool:
    """Whether each title has a name that the other lacks, and that is no way of doing it: what is so of one thing says
    nothing of another."""
    names = [(statement(title, "").named | things(words(title))) - ways for title, _ in (later, earlier)]
    return bool(names[0] - names[1]) and bool(names[1] - names[0])


def _share_a_subject(one: Words, other: Words) -> bool:
    mine, theirs = (statement(*side).heavy for side in (one, other))
    return bool(mine - missing(mine, theirs) - EVERYDAY)


def _is_heard_throughout(later: Words, earlier: Words, reading: PairReading) -> bool:
    """Whether the model hears it with and without what stands below, and whichever of the two comes later."""
    titles = (later[0], ""), (earlier[0], "")
    choice = _rivals_of(later[0], earlier[0])
    if (choice is not None and choice.is_of_deed) or not _share_a_subject(*titles):
        return False
    others = (_read(*pair) for pair in (titles, (earlier, later), titles[::-1]))
    heard = reading.replacing >= _HEARD_THROUGHOUT
    return heard and all(other is not None and other.replacing >= _HEARD_THROUGHOUT for other in others)


def _is_heard_plainly(later: Words, earlier: Words, reading: PairReading) -> bool:
    """Whether the model is as sure of all that is said as of the titles alone, and both have a word in common. What the
    later one drops behind its first words then tells of no other matter, nor do two amounts in other words."""
    one, two = statement(*later), statement(*earlier)
    if reading.replacing < _HEARD_PLAINLY or is_abroad(later[0], earlier[0]) or not _share_a_word(later[0], earlier[0]):
        return False
    if left_alone(one, two) or is_for_one_place(one, two) or _says_only_since_when(later[0]) or _BUMPS.match(later[0]):
        return False
    if _drops_another_first(later[0], two):
        return False
    if are_of_two_bounds(one.bag, two.bag) or are_siblings(one, two) or _are_siblings(later[0], earlier[0]):
        return False
    titles = _read((later[0], ""), (earlier[0], ""))
    return titles is not None and titles.replacing >= _HEARD_OF_TITLES


def _drops_another_first(title: str, earlier: Statement) -> bool:
    """Whether a title begins with giving up something that the earlier one has no word of. What is taken out of a place
    is what it speaks of then, and not the place: "took faxing out of the menu"."""
    first = statement(_first_of(title), "")
    if not gives_up_something_else(first, earlier):
        return False
    taken = frozenset(word for given in first.given_up for limit in given.limits for word in limit)
    return taken.isdisjoint(earlier.bag)


def _share_a_word(later: str, earlier: str) -> bool:
    one, two = (frozenset(map(stem, words(title))) for title in (later, earlier))
    return not (one & two) <= _SAY_LITTLE | EVERYDAY


def _is_heard_of_one(later: Statement, earlier: Statement, reading: PairReading) -> bool:
    """Whether two amounts are of one thing: but for them the later one would say the same."""
    heard = reading.replacing + reading.share(Bearing.DUPLICATE)
    return not are_of_two_things(later, earlier) and heard >= _OF_ONE_AMOUNT


def _are_of_versions(later: str, earlier: str) -> bool:
    """Whether each title names a version that the other does not: what is so in v2 says nothing of v1."""
    new, old = (frozenset(_VERSION.findall(title.casefold())) for title in (later, earlier))
    return bool(new - old) and bool(old - new)


def _names_more(later: Words, earlier: Words) -> bool:
    """Whether its title has a word that the other lacks: of what is said in the very same words the model knows
    nothing."""
    return bool(missing(statement(later[0], "").heavy, statement(*earlier).bag))


def _told(thing: str) -> str:
    return thing.replace("+", " ")


def _seen(later: Words, earlier: Words) -> str:
    """What the model heard, with the words that both have: it cannot say why."""
    known = statement(*earlier).bag
    shared = [word for word in words(later[0]) if stem(word) in known and stem(word) not in _SAY_LITTLE]
    return f"{_SEEN_OF} “{' '.join(dict.fromkeys(shared))}”" if shared else _SEEN


def believed(later: Words, earlier: Words, judgment: Judgment) -> bool:
    """Whether the model leaves it open that the later one ends the earlier one, where the rules are not sure of it: of
    most that it does not believe at all they are wrong. What they are sure of is read in every order alike."""
    if judgment.is_sure:
        return True
    reading = _read(later, earlier)
    return reading is None or _is_believed(judgment, reading, (later[0], earlier[0]))


def _is_believed(by_rules: Judgment, reading: PairReading, titles: tuple[str, str]) -> bool:
    if by_rules.is_sure and _first_words(*titles) is not None:
        return True  # Of one thing the rules are hardly ever wrong.
    least = _NOT_BELIEVED_AT_ALL if by_rules.is_sure else _NOT_BELIEVED
    return reading.replacing >= least or _read_first(*titles) is not None


def _read_first(later: str, earlier: str) -> PairReading | None:
    """What the model makes of what two titles say first, where that is of one thing and a person should look at it. All
    that was said besides, and stands behind it and below, may hide that."""
    if (first := _first_words(later, earlier)) is None:
        return None
    one, two = ((text, "") for text in first)
    asked = max(_ASKED_OF_FIRST_WORDS, _bars(one, two).asked if _are_of_two(one, two) else 0.0)
    reading = _read(one, two)
    return reading if reading is not None and reading.replacing >= asked else None


@lru_cache(maxsize=4096)
def _first_words(later: str, earlier: str) -> tuple[str, str] | None:
    """What two titles say first, where they have half of the words in common that tell something."""
    new, old = (_first_of(text) for text in (later, earlier))
    one, two = (statement(text, "").heavy for text in (new, old))
    shared = one - missing(one, two) - EVERYDAY
    is_of_one = bool(shared) and len(shared) >= _OF_ONE_THING * min(len(one), len(two))
    return (new, old) if is_of_one and new.casefold() != old.casefold() else None


def _first_of(title: str) -> str:
    first = _FIRST_END.split(title, maxsplit=1)[0].strip()
    return first if len(first.split()) >= _FEWEST else title


def settled(by_rules: Judgment, reading: PairReading, bars: Bars) -> Judgment:
    """What comes of both."""
    share = reading.replacing
    if by_rules.bearing.replaces:
        least = _DOUBTED if by_rules.is_sure else bars.confirmed
        if least <= _SURE and reading.share(Bearing.UNRELATED) < _APART:
            least = _CONFIRMED_OF_ONE
        return replace(by_rules, is_sure=share >= least)
    if share >= bars.asked:
        return Judgment(reading.likeliest(replacing=True), _SEEN, is_sure=share >= bars.sure)
    likeliest = reading.likeliest(replacing=False)
    return (
        by_rules if likeliest is by_rules.bearing else replace(by_rules, bearing=likeliest, reason=_THOUGHT[likeliest])
    )


def _are_worded_alike(later: str, earlier: str) -> bool:
    """Whether two titles have half of their words in common, or are alike but for an amount: there the rules need no
    second reader, who knows little of what 2450 mV are in volts."""
    one, two = ({*map(stem, words(text))} for text in (later, earlier))
    if 2 * len(one & two) >= len(one | two):
        return True
    sides = [statement(text, "") for text in (later, earlier)]
    if are_of_one_thing(*sides):
        return True
    has_amounts = all(any(said.quantities for said in side.main) for side in sides)
    return has_amounts and bool(sides[0].heavy) and sides[0].heavy == sides[1].heavy


def _bars(later: Words, earlier: Words) -> Bars:
    one, two = statement(*later), statement(*earlier)
    if _are_of_two(later, earlier):
        return Bars(_NEVER, _NEVER, _ASKED_OF_ANOTHER, is_apart=True)
    asked = _ASKED_OF_NEWS if _tells_news(later, earlier) or _leaves_the_rest(later, earlier) else _ASKED
    if _share_nothing(later, earlier):
        # Two short sentences out of context sound alike: only who says that it is otherwise now speaks of the other.
        asked = _ASKED_OF_NOTHING if _says_it_is_otherwise(later[0]) else _NEVER
    elif are_of_two_things(one, two):
        asked = _ASKED_OF_ANOTHER
    is_of_another = _is_of_another(one, two)
    is_apart = is_of_another or is_for_one_place(one, two)
    if not _speaks_of_all(later, earlier):
        return Bars(_NEVER, _NEVER, asked, is_apart)
    if _says_only_since_when(later[0]):
        return Bars(_SURE_OF_NEWS, _SURE_OF_NEWS, asked, is_apart)
    if is_of_another:
        return Bars(_SURE_OF_ANOTHER, _SURE_OF_ANOTHER, asked, is_apart)
    return Bars(_SURE, _confirmed(one, two), asked, is_apart)


def _says_it_is_otherwise(title: str) -> bool:
    new = statement(title, "")
    return new.tells_change or bool(new.given_up)


def _are_of_two(later: Words, earlier: Words) -> bool:
    """Whether they speak of two bounds, amounts or places, or the later one gives up something else."""
    one, two = statement(*later), statement(*earlier)
    is_of_two = are_of_two_bounds(one.bag, two.bag) or _are_amounts_of_two(one, two) or are_siblings(one, two)
    return is_of_two or _gives_up_something_else(one, two) or _are_siblings(later[0], earlier[0])


def _is_of_another(later: Statement, earlier: Statement) -> bool:
    """Whether one of them names what it speaks of before a colon, and the other has no word of that; or the later one
    names what it gives up, and the other only something like it."""
    is_named = any(one.subject and one.subject.isdisjoint(two.bag) for one, two in ((later, earlier), (earlier, later)))
    return is_named or gives_up_something_else(later, earlier)


def _gives_up_something_else(later: Statement, earlier: Statement) -> bool:
    """The same, and the other has nothing that even begins like it: "Moment is out" is of one matter with "Moment.js",
    and not with Celery."""
    if not gives_up_something_else(later, earlier):
        return False
    given_up = [one for one in later.given_up if not one.is_aside]
    given = _beginnings(" ".join(word for one in given_up for word in one.thing), "")
    known = _beginnings(earlier.title, earlier.body)
    if all(is_named_by_use(one) and not one.thing <= earlier.bag for one in given_up):
        # "Reseller coupons" are coupons: what is for resellers tells nothing of them.
        known -= _beginnings(" ".join(whom_for(earlier)), "")
    return given.isdisjoint(known)


def _are_siblings(later: str, earlier: str) -> bool:
    """Whether two titles say in the same words what is so in one place and what in another: "the timeout is 8 s on the
    sensor", "the timeout is 2 s on the motor"."""
    from difflib import SequenceMatcher  # Only where two titles are compared.

    one, two = ([word for word in words(text) if word not in _DETERMINERS] for text in (later, earlier))
    parts = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    shared = sum(end - start for tag, start, end, _, _ in parts if tag == "equal")
    others = [
        (start, [*one[start:end], *two[first:last]]) for tag, start, end, first, last in parts if tag == "replace"
    ]
    is_placed = any(start and one[start - 1] in _PLACING and not _has_digit(said) for start, said in others)
    return is_placed and len(others) > 1 and shared >= _SAID_ALIKE * min(len(one), len(two))


def _has_digit(said: list[str]) -> bool:
    return any(map(str.isdigit, "".join(said)))


def _are_amounts_of_two(later: Statement, earlier: Statement) -> bool:
    """Whether the later one tells an amount, and the earlier one only such as cannot be compared with it."""
    new, old = ({(one.kind, one.value) for said in side.main for one in said.quantities} for side in (later, earlier))
    kinds, known = ({kind for kind, _ in amounts} for amounts in (new - old, old - new))
    is_measured = not PHYSICAL.isdisjoint(kinds | known)
    return bool(kinds and known) and is_measured and kinds.isdisjoint(known) and not later.given_up


def _speaks_of_all(later: Words, earlier: Words) -> bool:
    """Whether the later one has a word of the earlier one, and leaves nothing aside that the earlier one rules on."""
    one, two = statement(*later), statement(*earlier)
    # What the title has no word of is said beside it, and something else is beside that, too.
    titled = statement(later[0], "")
    is_near = meet(titled, two) or not _beginnings(later[0], "").isdisjoint(_beginnings(*earlier))
    return is_near and not left_alone(one, two) and not is_for_one_place(one, two) and not _BUMPS.match(later[0])


def _share_nothing(later: Words, earlier: Words) -> bool:
    """Whether they have no word in common that tells something, nor the beginning of one."""
    is_met = meet(statement(*later), statement(*earlier))
    return not is_met and _beginnings(*later).isdisjoint(_beginnings(*earlier))


def _says_only_since_when(title: str) -> bool:
    """Whether it says that something is so now, and nothing of what was: "the job runs at 09:30 from now on" does not
    speak of who owns the job. To the model that sounds like any other change."""
    return _SINCE_NOW.search(title) is not None and _TURNS_AROUND.search(title) is None


def _tells_news(later: Words, earlier: Words) -> bool:
    return statement(later[0], "").tells_change and meet(statement(*later), statement(*earlier))


def _leaves_the_rest(later: Words, earlier: Words) -> bool:
    """Whether it says of some what the earlier one may have said otherwise of all: "dispatchers may, nobody else"."""
    return _REST.search(later[0]) is not None and meet(statement(*later), statement(*earlier))


def _beginnings(title: str, body: str) -> frozenset[str]:
    """How the words of a text begin that tell something: "squashing" is of one matter with "squash-merge"."""
    parts = (part for word in words(f"{title} {body}") for part in _PARTS.split(word))
    return frozenset(part[:_BEGINNING] for part in parts if len(part) >= _BEGINNING and stem(part) not in _SAY_LITTLE)


def _confirmed(later: Statement, earlier: Statement) -> float:
    """How sure the model has to be of what the rules think so. What was given up for one thing may go on for another:
    "We dropped Redis for rate limiting", "Sessions are cached in Redis"."""
    for given in later.given_up:
        rest = [side.heavy - given.thing for side in (later, earlier)]
        if given.thing & earlier.bag and all(rest) and rest[0].isdisjoint(rest[1]):
            return _SURE
    return _SURE if are_of_two_things(later, earlier) else _CONFIRMED


@lru_cache(maxsize=4096)  # Who proposes asks, and who rules on it asks again.
def _read(later: Words, earlier: Words) -> PairReading | None:
    """What the model makes of them; None where it is not at hand."""
    from lerim.search.bearing_model import BEARINGS, as_read, bearing_model  # Start-up: numpy, and the weights.

    model = bearing_model()
    if model is None:
        return None
    (shares,) = model.shares([(as_read(*earlier), as_read(*later))])
    return PairReading(tuple(zip(BEARINGS, map(float, shares), strict=True)))
