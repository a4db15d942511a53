"""Whether two assertions can both hold: what one denies, another amount, another value in the same place. Pure.

Two assertions are rivals only when they speak of one thing: the phrases that tell what they are about agree, and one
place differs, where what is said of it stands. Where both differ, or one of them speaks of a part, both hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.alike import alike, are_antonyms, missing, overlaps, same
from lerim.text.assertions import Assertion, Phrase
from lerim.text.grammar import AGENTIVE, CHOOSING, GENERIC, LIGHT, MANNER, TIMES
from lerim.text.quantities import MEASURES, are_of_two_bounds
from lerim.text.statements import PLACES, Statement
from lerim.text.stems import stem

# Things of which a project has one, when nothing else tells what they are for.
_CHOICE_WORDS = """
npm/pnpm/yarn/bun jest/vitest/mocha pytest/unittest/nose black/yapf/ruff eslint/biome/oxlint prettier/biome
postgres/postgresql/mysql/sqlite/mariadb/mongodb tabs/spaces rest/graphql/grpc jwt/sessions/cookies merge/rebase/squash
main/master/develop/trunk poetry/uv/pip/pipenv/pdm webpack/vite/rollup/esbuild redux/zustand/mobx celery/rq/dramatiq
flask/fastapi/django express/fastify/koa cypress/playwright/selenium aws/gcp/azure docker/podman redis/memcached
circleci/jenkins/travis yaml/toml/json camelcase/snake_case/kebab-case monorepo/polyrepo
"""
#: Groups of things of which a project uses one, as stems.
CHOICES = tuple(frozenset(map(stem, line.split("/"))) for line in _CHOICE_WORDS.split())
#: What may join the thing that is said of another.
_VALUE_WORDS = "in on to with through via from by at as into under using over onto"
_VALUE_LINKS = frozenset(_VALUE_WORDS.split())
#: Links of which one may stand for another.
_FAMILIES = (
    frozenset({"in", "on", "at", "to", "into", "onto", "under", "inside"}),
    frozenset({"with", "via", "through", "using", "object", "over", "on"}),
    frozenset({"by", "object"}),
    frozenset({"as", "is"}),
)
#: Where what is chosen stands: "use X", "X is our tool", "our tool is X", "done by X".
_CHOSEN = frozenset({"object", "subject", "is", "by", "with"})
_MEANS = frozenset({"to", "from", "with", "on", "through", "via"})
_BY = frozenset({"by", "with", "via", "through", "using"})
_SCOPES = frozenset({"for", "in", "on", "at", "during", "when", "inside", "within", "across", "under", "from"})
_WITH = frozenset({"with", "without", "of"})
_AUXILIARY = compile_later(r"\b(?:is|are|was|were|do|does|has|have|must|should|may|can|will)(?:n't)?\b")
_TIMES = frozenset({"before", "after", "at", "until", "during"})
_ADJECTIVES = ("ed", "able", "ible", "ful", "ous", "ive", "al", "ic", "ish", "ant", "ent", "ing", "ly")
#: Verbs that only say that something has to be: without them, it has not.
_DUTIES = frozenset(map(stem, ("wait", "need", "require", "take", "depend", "have")))
#: Verbs that take something from what it was to another, and from where it was.
_TURNS = frozenset(map(stem, ("switch", "change", "convert", "revert", "swap", "transition", "return")))
_MOVES = frozenset(map(stem, ("move", "migrate", "transfer", "port"))) | _TURNS
_HOW = frozenset(map(stem, ("manual", "manually", "automatic", "automatically", "automated", "separately", "together")))
_DEFAULT = stem("default")
#: So many words that both have tell what they speak of, though one of them says less.
_ENOUGH = 2
#: Verbs that one thing may have several objects of: what else it includes takes nothing away.
_MANY = frozenset(map(stem, ("include", "contain", "support", "accept", "cover", "offer", "mention", "list", "carry")))


@dataclass(frozen=True, slots=True)
class Contrary:
    """Why two assertions cannot both hold, whether that is sure, and whether one denies the other: else it only says
    another value."""

    reason: str
    is_sure: bool = True
    is_denial: bool = False


@dataclass(frozen=True, slots=True)
class Rivals:
    """A later assertion and an earlier one, and the statements they are of."""

    new: Assertion
    old: Assertion
    later: Statement
    earlier: Statement

    def contrary(self, *, by_value: bool) -> Contrary | None:
        """Why they cannot both hold; `by_value` says that there is only one value of what they speak of."""
        return self._denial() or self._other_amount() or (self._other_value() if by_value else None)

    # -- what one says and the other denies

    def _denial(self) -> Contrary | None:
        lacking, more, flips = self._differences()
        new, old, is_turn = self.new, self.old, self.later.tells_change
        if (new.denials + old.denials + flips) % 2 == 0 or _amounts_differ(new, old):
            return None
        if any(one.is_denied and two.is_over and not two.denials for one, two in ((new, old), (old, new))):
            return None  # What is disabled, nobody can do.
        if _do_others(new, old):
            return None
        shared = old.heavy - lacking
        lacking, more = lacking & old.heavy, more & new.heavy
        if not shared or lacking & old.without or more & new.without:
            return None
        if not more:
            is_denied = len(shared) >= (0.5 if is_turn else 0.6) * len(old.heavy)
        elif not lacking:
            # What only a part of it is allowed or forbidden for is an exception.
            is_part = any(p.bag & more and p.link in _SCOPES for p in new.phrases) or is_of_some(new, more)
            # Who does it, or what with, is no other matter: "by hand", "automatically by a bot".
            is_means = flips > 0 and all(p.link in _BY for p in new.phrases if p.bag & more)
            is_denied = not is_part and len(shared) >= 2 and (is_turn or is_means)
        else:
            is_duty = new.verb in _DUTIES and not more - {new.verb} and len(shared) >= 2
            is_when = flips > 0 and _tells_when(new, more) and _tells_when(old, lacking)
            is_denied = is_duty or is_when or (is_turn and len(lacking) == len(more) == 1 and len(shared) >= 3)
        told = f"it says “{self.later.title}” where “{self.earlier.title}” was said"
        return Contrary(told, is_denial=True) if is_denied else None

    def _differences(self) -> tuple[frozenset[str], frozenset[str], int]:
        """What each has alone, but for words that are opposites, and how often these turn it around."""
        lacking = missing(self.old.bag, self.new.bag)
        more = missing(self.new.bag, self.old.bag)
        pairs = [(one, two) for one in sorted(lacking) for two in sorted(more) if are_antonyms(one, two)]
        turned = len({one for one, _ in pairs})
        lacking, more = lacking - {one for one, _ in pairs}, more - {two for _, two in pairs}
        return lacking, more, turned + is_turned_around(self.new, self.old)

    # -- another amount

    def _other_amount(self) -> Contrary | None:
        new, old = self.new, self.old
        lacking, more = missing(old.heavy, new.bag), missing(new.heavy, old.bag)
        if (lacking and more) or new.is_denied != old.is_denied or are_of_two_bounds(new.bag, old.bag):
            return None
        # A word more that says nothing does not make it something else: "the API", "the API server"; nor does a part
        # that is left out the second time: "polls the queue", "polls".
        is_shorter = not more and all(not p.telling & lacking or p.telling <= lacking for p in old.phrases)
        is_known = is_shorter and same(new.verb, old.verb) and len(old.heavy - lacking) >= _ENOUGH
        is_sure = not (lacking | more) - GENERIC or is_known or self.later.tells_change
        for kind in sorted({amount.kind for amount in new.quantities} & {amount.kind for amount in old.quantities}):
            mine = {amount.value: amount.shown for amount in new.quantities if amount.kind == kind}
            theirs = {amount.value: amount.shown for amount in old.quantities if amount.kind == kind}
            has_subject = old.heavy - lacking or kind not in MEASURES
            if has_subject and not mine.keys() & theirs.keys():
                return Contrary(f"it says {', '.join(mine.values())} instead of {', '.join(theirs.values())}", is_sure)
        return None

    # -- another value of the same thing

    def _other_value(self) -> Contrary | None:
        new, old, is_turn = self.new, self.old, self.later.tells_change
        if new.is_open or old.is_open or {new.verb, old.verb} & _MANY:
            return None
        if (
            new.denials
            or old.denials
            or _amounts_differ(new, old)
            or (new.is_possible != old.is_possible and not is_turn)
        ):
            return None
        mine, theirs = self._apart()
        if not mine or not theirs:
            return None
        if not self._is_about_one() or not self._is_one_deed():
            return self._other_choice(mine, theirs)
        if (pair := self._pair(mine, theirs)) is None:
            return None
        one, two = pair
        extra, less = (
            [phrase for phrase in mine if phrase is not one],
            [phrase for phrase in theirs if phrase is not two],
        )
        if (extra and less) or ((extra or less) and self._meets_aside()):
            return None
        is_narrower = any(phrase.link in _SCOPES or phrase.link == "of" for phrase in extra)
        is_sure = not is_narrower and (not less or is_turn) and not self._are_other_kinds(one, two)
        return Contrary(f"it says {' '.join(one.words)} instead of {' '.join(two.words)}", is_sure)

    def _apart(self) -> tuple[list[Phrase], list[Phrase]]:
        """The phrases of each that the other has not."""
        mine = [phrase for phrase in self.new.phrases if phrase.telling and not self._is_met(phrase)]
        theirs = [
            phrase
            for phrase in self.old.phrases
            if phrase.telling
            and not any(
                alike(phrase.telling, other.telling) or self._is_closer(other, phrase) for other in self.new.phrases
            )
        ]
        return mine, theirs

    def _is_about_one(self) -> bool:
        return any(self._is_met(phrase) for phrase in self.new.phrases)

    def _meets_aside(self) -> bool:
        """Whether all that both speak of is where, or what with: what else each says there is another matter."""
        met = [phrase for phrase in self.new.phrases if phrase.telling and self._is_met(phrase)]
        return all(phrase.link in PLACES or phrase.link in _VALUE_LINKS for phrase in met)

    def _is_met(self, phrase: Phrase) -> bool:
        """Whether the earlier one has a phrase of the later."""
        return any(alike(phrase.telling, other.telling) or self._is_closer(phrase, other) for other in self.old.phrases)

    def _is_closer(self, one: Phrase, two: Phrase) -> bool:
        """Whether the earlier one names the same thing closer: "actions", "GitHub actions"."""
        return self.later.tells_change and same(one.stems[-1], two.stems[-1]) and not missing(one.bag, two.bag)

    def _is_one_deed(self) -> bool:
        new, old = self.new, self.old
        light = [not one.verb or one.verb in LIGHT for one in (new, old)]
        links = {one.link for one in new.phrases} & {one.link for one in old.phrases} & _VALUE_LINKS
        if new.verb in _TURNS and light[1]:
            return True  # "Go back to stable", where "use nightly" was said.
        if self.later.tells_change and any(
            one.verb in CHOOSING and two.linked(_BY) for one, two in ((new, old), (old, new))
        ):
            return True  # "Use this for charts now", where "charts are drawn with that" was said.
        return same(new.verb, old.verb) or all(light) or (any(light) and self.later.tells_change and bool(links))

    def _pair(self, mine: Sequence[Phrase], theirs: Sequence[Phrase]) -> tuple[Phrase, Phrase] | None:
        """The two phrases that take each other's place, when there are just two."""
        pairs = [(one, two) for one in mine for two in theirs if self._are_values(one, two) and self._fit(one, two)]
        if len(pairs) > 1 or sum(phrase.link in _VALUE_LINKS for phrase in (*mine, *theirs)) > 2:
            pairs = [(one, two) for one, two in pairs if one.link == two.link]
        if len(pairs) != 1:
            return None
        one, two = pairs[0]
        titled = frozenset(word for said in self.later.title_says if not said.is_denied for word in said.bag)
        if not missing(two.telling, titled - self.later.ended):
            return None  # It says that, too: "hosted in Frankfurt (eu-central-1)".
        # The same thing, closer described, is no other.
        return pairs[0] if missing(one.bag, two.bag) and missing(two.bag, one.bag) else None

    def _are_values(self, one: Phrase, two: Phrase) -> bool:
        if {one.link, two.link} == {"subject", "by"} and same(self.new.verb, self.old.verb):
            return True  # "The author merges", "merged by the reviewer".
        is_turn = self.later.tells_change
        return is_value(one, self.new, is_turn=is_turn) and is_value(two, self.old, is_turn=is_turn)

    def _fit(self, one: Phrase, two: Phrase) -> bool:
        """Whether two phrases stand in the same place of their lines, and may take each other's."""
        if (one.bag <= _HOW) != (two.bag <= _HOW) and not same(self.new.verb, self.old.verb):
            return False  # What is written by hand may follow a standard.
        is_chosen = _is_chosen_for(one, self.new) or _is_chosen_for(two, self.old) or {one.link, two.link} <= _CHOSEN
        if is_chosen:
            is_sibling = one.stems[-1] == two.stems[-1]
            return is_sibling or not any(p.words[-1].endswith(_ADJECTIVES) for p in (one, two) if p.link == "is")
        if one.bag.isdisjoint(TIMES) != two.bag.isdisjoint(TIMES):
            return False  # When something is done takes nobody's place but another time's.
        if one.link == "to" and (self.new.verb in _TURNS or (self.new.verb in _MOVES and two.link != "is")):
            return True
        return one.link == two.link or any({one.link, two.link} <= family for family in _FAMILIES)

    def _are_other_kinds(self, one: Phrase, two: Phrase) -> bool:
        """Whether one is a name and the other is none, of what something uses: of that there may be several."""
        if not (_is_of_subject(self.new) and _is_of_subject(self.old)):
            return False
        return _is_name(one, self.later) != _is_name(two, self.earlier)

    def _other_choice(self, mine: Sequence[Phrase], theirs: Sequence[Phrase]) -> Contrary | None:
        """Lines that say nothing but what is chosen."""
        new, old = self.new, self.old
        if not len(mine) == len(theirs) == len(new.phrases) == len(old.phrases) == 1:
            return None
        one, two = mine[0], theirs[0]
        told = f"it chooses {' '.join(one.words)} where {' '.join(two.words)} was chosen"
        # "Deploy to X", "we deploy on Y": nobody else is said to do it.
        is_deed = new.verb == old.verb and bool(new.verb) and new.verb not in LIGHT
        is_place = {one.link, two.link} <= _MEANS and (one.link == two.link or {one.link, two.link} <= {"to", "on"})
        is_other_means = is_deed and is_place and not new.has_modal and not old.has_modal
        if is_other_means or any(_are_rivals(choices, one, two) for choices in CHOICES):
            return Contrary(told)
        if new.verb in CHOOSING and old.verb in CHOOSING and same(one.stems[-1], two.stems[-1]):
            return Contrary(told, self.later.tells_change)
        return None


def is_turned_around(new: Assertion, old: Assertion) -> bool:
    """Whether one says "before" where the other says "after", or has first what the other has last."""
    if _are_swapped(new, old):
        return True
    if not same(new.verb, old.verb) and not {new.verb, old.verb} <= LIGHT:
        return False
    return any(
        {one.link, two.link} == {"before", "after"} and alike(one.bag, two.bag)
        for one in new.phrases
        for two in old.phrases
    )


def is_of_some(one: Assertion, more: frozenset[str]) -> bool:
    """Whether such words tell of which of its subject it holds: "charges with a decline code are not retried"."""
    if len(one.phrases) < 2 or one.phrases[0].link != "subject" or one.phrases[1].link not in _WITH:
        return False
    told, verb = one.phrases[1], _AUXILIARY.search(one.text)
    return bool(told.bag & more) and verb is not None and 0 <= one.text.find(told.words[0]) < verb.start()


def _do_others(new: Assertion, old: Assertion) -> bool:
    """Whether others do it: what admins cannot do, customers may."""
    if new.has_copula or old.has_copula or not new.verb or not same(new.verb, old.verb):
        return False
    doers = [one.linked(frozenset({"subject"}))[:1] for one in (new, old)]
    return all(doers) and doers[1][0].telling == missing(doers[1][0].telling, new.bag) != frozenset()


def _are_swapped(new: Assertion, old: Assertion) -> bool:
    """ "Review before testing", "testing before the review"."""
    for link in ("before", "after"):
        ends = [one.linked(frozenset({link})) for one in (new, old)]
        firsts = [one.linked(frozenset({"subject"})) for one in (new, old)]
        if all(len(found) == 1 for found in (*ends, *firsts)):
            return overlaps(firsts[0][0].bag, ends[1][0].bag) and overlaps(firsts[1][0].bag, ends[0][0].bag)
    return False


def is_value(phrase: Phrase, where: Assertion, *, is_turn: bool = False) -> bool:
    """Whether a phrase is what an assertion says of its subject. `is_turn`: of something that is told to be new."""
    if phrase.bag <= MANNER or not phrase.bag.isdisjoint(amount.kind for amount in where.quantities):
        return False
    if where.verb in CHOOSING:
        return phrase.link == "object"
    if not where.verb:
        return _is_predicate(phrase, where)
    tails = where.linked(_VALUE_LINKS)
    if where.verb in _MOVES and any(one.link == "to" for one in tails):
        return phrase.link == "to"
    if tails and phrase.link != "subject":
        return phrase.link in _VALUE_LINKS and (phrase.link, where.verb) != ("with", "run")
    if where.has_modal:
        return False
    if phrase.link == "object":
        return not where.is_order
    return phrase.link == "subject" and not tails and (where.verb in AGENTIVE or is_turn)


def _is_predicate(phrase: Phrase, where: Assertion) -> bool:
    predicates = where.linked(frozenset({"is"}))
    if phrase.link == "is":
        return True
    if phrase.link == "subject":
        # "Yarn is our package manager", "tabs in Makefiles".
        return not where.has_copula or any(one.is_one or _DEFAULT in one.bag for one in predicates)
    return not predicates and phrase.link in _VALUE_LINKS


def _is_chosen_for(phrase: Phrase, where: Assertion) -> bool:
    """Whether a phrase is what is used for something."""
    return phrase.link == "object" and where.verb in CHOOSING and any(one.link == "for" for one in where.phrases)


def _is_of_subject(one: Assertion) -> bool:
    """Whether it says what something uses, and not what is used for something."""
    return one.verb in CHOOSING and any(phrase.link == "subject" for phrase in one.phrases)


def _is_name(phrase: Phrase, where: Statement) -> bool:
    """Whether a phrase is a name: with a capital or a digit, or joined like a package's, as "styled-components"."""
    return not where.named.isdisjoint(phrase.words) or "-" in phrase.words[-1].strip("-")


def _are_rivals(choices: frozenset[str], one: Phrase, two: Phrase) -> bool:
    mine, theirs = choices & one.bag, choices & two.bag
    return len(mine) == len(theirs) == 1 and mine != theirs


def _amounts_differ(new: Assertion, old: Assertion) -> bool:
    return any(a.kind == b.kind and a.value != b.value for a in new.quantities for b in old.quantities)


def _tells_when(one: Assertion, about: frozenset[str]) -> bool:
    """Whether these words only tell when something happens."""
    return one.verb not in about and all(phrase.link in _TIMES for phrase in one.phrases if phrase.bag & about)
