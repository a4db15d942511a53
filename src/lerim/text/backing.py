"""Whether a text says only what others have said: no name, number, path or command more, no turned statement. Pure.

A writer that nobody trusts is given some passages and writes of them in its own words. What it may change is how
things are said: order, endings, glue, near synonyms, marks. Everything else must stand in the passages.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from lerim.dataclass import dataclass, replace
from lerim.text.common import (
    DENIES,
    DENIES_UNSPACED,
    DOUBLED,
    GLUE,
    HEDGES,
    NUMBER_WORDS,
    SHORT_UNITS,
    STRONG,
    SYNONYMS,
    TOPICS,
    UNDOES,
    UNITS,
    UNIVERSAL,
)
from lerim.text.rewrites import with_commas
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import is_unspaced, pairs

#: How much of a clause must stand in one passage: words picked from everywhere say something new.
ONE_PASSAGE = 0.6
#: How a gap begins that is no missing word but a turned statement.
OPPOSITE = "it says the opposite"
_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
        **dict.fromkeys("\u00a0\u202f\u2009\u2003\u2002\u2007", " "),
    }
)
# What parts words besides white space. A dot, a slash and a colon may be inside of a name.
_CHUNK = re.compile(r"[^\s()\[\]{}<>\"`|,;!?]+")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_THOUSAND = "k"
_NUMBER = re.compile(r"[#$€£~+-]?v?(\d[\d,]*(?:\.\d+)*)(%|[^\W\d_]{1,4})?", re.IGNORECASE)
#: 10,000 and 10_000 are one number, and none of three digits each.
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.])\d{1,3}(?:_\d{3})+(?!\w)")
_NUMBERS_IN = re.compile(r"\d+(?:\.\d+)*")
_CONTRACTED = re.compile(r"(?<=\w)(?:'(?:s|re|ve|ll|d|m)|(?<=s)')$", re.IGNORECASE)
_BARE_PATH = re.compile(r"[~./\\*$]*[~/\\$][~./\\*$]*")
_LIST_MARK = re.compile(r"(?m)^\s*(?:\d{1,2}[.)]|[-*+])\s+|^#{1,6}\s+")
_CODE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)|`([^`\n]+)`", re.DOTALL)
_QUOTED = re.compile(r'"([^"\n]{2,})"')
_MARKUP = re.compile(r"<!--|-->|</?[a-zA-Z!][^<>\n]*>|\]\(")
_HIDDEN = re.compile(
    r"[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0e\ufeff\ufff9-\ufffb]|[\U000e0000-\U000e0fff]"
)
_CONNECTOR = re.compile(
    r"[;:,()!?]+(?=\s|$)|\s-+\s"
    r"|\b(?:and|but|because|since|so that|which|while|whereas|although|though|instead of|rather than|instead"
    r"|und|aber|weil|et|mais|pero|porque|ma|maar)\b",
    re.IGNORECASE,
)
# What stands between a subject and what is said of it parts them only for the ear.
_ASIDE = re.compile(
    r"(?i)^([^,;:]+),\s+((?:such as|like|for example|for instance|e\.g\.|including)\s[^,;:]{2,120}),\s+(?=\S)"
)
_PREFERRED = re.compile(r"(?i)\b(prefer\w*\b[^.;:]{1,80}?)\bover\b")
# Who does it and to whom changes places without a change of meaning around one of these.
_PREPOSITION = re.compile(r"(?i)\b(?:by|in|on|with|from|for|to|at|of|into|as|is|are|was|were|be|and|or)\b")
_INSTEAD = re.compile(r"(?:instead of|rather than)\b", re.IGNORECASE)
# What follows one of these goes on with what was denied, unless a new start is made.
_GOES_ON = re.compile(r"(?:and|or|nor|,)\W*", re.IGNORECASE)
_ONLY = re.compile(r"\W*(?:only|except|but)\b", re.IGNORECASE)
_OPENING_WORDS = "after before on in for with when if at during since because within by to from under once"
_OPENINGS = frozenset(_OPENING_WORDS.split())
_START_WORDS = "use always prefer we it they i you he she the instead keep run put this that do make then just only"
_STARTS = frozenset(_START_WORDS.split())
_DIRECTIONS = re.compile(
    r"\b(?:over|from|to|before|after|than|with|by|instead of|rather than|into|above|below|->|=>)\b|→"
)
_DIRECTED = re.compile(
    r"\b(?:prefer\w*|replac\w*|over|before|after|than|instead of|rather than|depends? on)\b|\bfrom\b.*\bto\b|→|->"
)
_ENDINGS = """
e i s es ed er or en n t te ten st em ing ion ation ment al ly y able ibl abl anc enc ance ence iti ity iv ive ness
ur ure is ist ism iz ise ize at ate
"""
_SUFFIXES = frozenset(_ENDINGS.split()) | {""}
_BOUNDS = frozenset({"within", "before", "until", "under", "below"})
# A language that is called like a word that tells nothing.
_NAMES_LIKE_GLUE = frozenset({"Go"})
_SHORTEST_ROOT = 5
#: Stems of a clause that says one thing.
_SHORT = 4
#: Passages that are held against each other.
_FEW = 20


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: its telling words as stems, in order, and how it says them."""

    text: str
    stems: tuple[str, ...]
    numbers: frozenset[str]
    names: frozenset[str]
    #: The words that stand right behind one that denies.
    turned: frozenset[str]
    denied: bool
    hedged: bool


class Backing:
    """What a text may rest on: passages that were said, and words that may be used `also`."""

    def __init__(self, passages: Iterable[str], also: str = "") -> None:
        self._passages = [_evidence(passage) for passage in passages]
        self._whole = "\n".join(self._passages)
        self._folded = _folded(self._whole)
        self._sentences = {_folded(one) for passage in self._passages for one in sentences(passage)}
        self._vocabulary = _Vocabulary(f"{self._whole}\n{_evidence(also)}")
        #: What is said with words that may be used anyway is nothing to be compared.
        self._also = frozenset(_stems(_evidence(also)))
        self._clauses = [clause for passage in self._passages for clause in clauses_of(passage)]
        if all(one.rstrip().endswith("?") for passage in self._passages for one in sentences(passage)):
            # Who only asks has not said anything yet.
            self._clauses = [replace(clause, hedged=True) for clause in self._clauses]
        self._passages_with = _places(map(_stems, self._passages))
        self._clauses_with = _places(clause.stems for clause in self._clauses)
        self._is_strong = bool(STRONG & self._vocabulary.words)

    def gap(self, text: str) -> str | None:
        """What a text says and no passage does, in words for its writer; None when the passages say it all."""
        if (hidden := _HIDDEN.search(text)) is not None:
            return f"it holds a character nobody sees (U+{ord(hidden[0]):04X})"
        plain = _plain(text)
        if (problem := self._markup(plain) or self._code(plain)) is not None:
            return problem
        for sentence in sentences(_LIST_MARK.sub("", plain)):
            if _folded(sentence) not in self._sentences and (problem := self._sentence(sentence)) is not None:
                return problem
        return None

    def strangers(self, text: str) -> list[str]:
        """The names, numbers and technical words of a text that stand in no passage."""
        found = (token for token in _tokens(_plain(text)) if _is_name(token) or not _WORD.fullmatch(token))
        return [token for token in found if not self._vocabulary.has(token)]

    def missing(self, text: str) -> list[str]:
        """The words of a text that no passage has, nor one that says the same."""
        return [token for token in _tokens(_plain(text)) if not self._vocabulary.has(token)]

    def tags(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Those of the tags that are backed, or name an area of work and nothing else."""
        return tuple(tag for tag in tags if self._backs_tag(tag))

    def _backs_tag(self, tag: str) -> bool:
        if tag.casefold() in TOPICS:
            return True
        return _HIDDEN.search(tag) is None and all(map(self._backs_word, _tokens(_plain(tag.replace("_", "-")))))

    def _backs_word(self, token: str) -> bool:
        return self._vocabulary.has(token) or token.casefold() in TOPICS

    # -- one sentence

    def _sentence(self, sentence: str) -> str | None:
        tokens = list(_tokens(sentence))
        if missing := [token for token in self._timed(tokens) if not self._vocabulary.has(token)]:
            return f"there is no '{missing[0][:80]}'"
        if (quote := self._misquoted(sentence)) is not None:
            return f'"{quote}" does not stand there word for word'
        if any(token.casefold() in UNIVERSAL for token in tokens) and not self._is_strong:
            return f"nothing says that it holds without exception: '{sentence[:80]}'"
        clauses = list(clauses_of(sentence))
        if not clauses and tokens:
            return None if sentence.rstrip("*_ ").endswith(":") else f"'{sentence[:80]}' must say something by itself"
        return next(filter(None, map(self._clause, clauses)), None) or self._turned(sentence) or self._crossed(clauses)

    def _timed(self, tokens: Sequence[str]) -> Iterator[str]:
        """The words, without an "after" before a number: a time that runs out does so after it."""
        is_bounded = not _BOUNDS.isdisjoint(self._vocabulary.words)
        for token, following in pairwise((*tokens, "")):
            if token.casefold() != "after" or is_bounded or not _counts(following):
                yield token

    def _clause(self, clause: Clause) -> str | None:
        about = frozenset(clause.stems) - self._also
        if not about:
            return None
        if len(about) >= 3 and self._in_one_passage(about) < ONE_PASSAGE:
            return f"there is nothing of '{clause.text[:80]}'"
        if self._is_opposite(clause, about) or self._is_ruled_out(clause):
            return f"{OPPOSITE} of '{clause.text[:80]}'"
        if self._is_reversed(clause):
            return f"it says of one what was said of the other in '{clause.text[:80]}'"
        if (swapped := self._swapped(clause)) is not None:
            return f"'{swapped}' is said of something else than in '{clause.text[:80]}'"
        return None

    def _in_one_passage(self, about: frozenset[str]) -> float:
        return max(self._shares(about, self._passages_with).values(), default=0) / len(about)

    def _shares(self, about: frozenset[str], places: Mapping[str, frozenset[int]]) -> Counter[int]:
        """How many of the stems stand at each of the places."""
        counted: Counter[int] = Counter()
        for one in about:
            counted.update({at for form in self._vocabulary.forms(one) for at in places.get(form, ())})
        return counted

    def _is_opposite(self, clause: Clause, about: frozenset[str]) -> bool:
        """Whether the clauses that have most of it deny what it affirms, affirm what it denies, or leave it open."""
        shares = self._shares(about, self._clauses_with)
        if not shares:
            return clause.denied
        best = max(shares.values())
        nearest = [self._clauses[at] for at, share in shares.items() if share == best]
        denies_the_same = bool(clause.turned) and any(_known(clause.turned, one.turned) for one in self._clauses)
        if all(one.denied != clause.denied for one in nearest) and not denies_the_same:
            return True
        # Said to be open, a thing stays open; and what is settled does not become a mere possibility.
        if clause.hedged and not any(one.hedged for one in self._clauses):
            return True
        agreeing = [one for one in nearest if one.denied == clause.denied]
        return self._is_head_turned(clause) or (not clause.hedged and all(one.hedged for one in agreeing))

    def _is_head_turned(self, clause: Clause) -> bool:
        """Whether the word that a clause begins with was only ever said the other way around."""
        head = frozenset(clause.stems[:1])
        saying = [self._clauses[at] for at in self._shares(head, self._clauses_with)]
        is_turned = any(_known(head, one.turned) for one in saying)
        return is_turned and not clause.denied and all(one.denied for one in saying)

    def _is_ruled_out(self, clause: Clause) -> bool:
        """Whether it affirms what was only ever ruled out beside something else: "to files" of "logs go to stdout,
        never to files". Who names both tells of the change from one to the other."""
        if clause.denied:
            return False
        said = frozenset(clause.stems)
        return any(rejected <= said and instead not in said for rejected, instead in self._ruled_out)

    def _is_reversed(self, clause: Clause) -> bool:
        """Whether who does something and whom it is done to changed places: "the client asks the server"."""
        if len(clause.stems) < 3 or _PREPOSITION.search(clause.text):
            return False
        first, last = clause.stems[0], clause.stems[-1]
        alike = (one for one in self._clauses if {*one.stems} == {*clause.stems} and not _PREPOSITION.search(one.text))
        ends = [(one.stems[0], one.stems[-1]) for one in alike]
        return (last, first) in ends and (first, last) not in ends

    def _swapped(self, clause: Clause) -> str | None:
        """A number that was said of something else than the clause says it of."""
        about = frozenset(clause.stems) - clause.numbers - clause.names
        shares = self._shares(about, self._clauses_with)
        for number in sorted(clause.numbers):
            with_it = {at for at, one in enumerate(self._clauses) if number in one.numbers or number in one.names}
            others = (at for at in shares if at not in with_it and self._clauses[at].numbers - clause.numbers)
            if with_it and max((shares[at] for at in others), default=0) > max(shares[at] for at in with_it):
                return number
        return None

    def _crossed(self, clauses: Sequence[Clause]) -> str | None:
        """Whether a clause takes half of each of two that stand side by side, and neither of them whole."""
        for one, two in self._side_by_side:
            mine, theirs = frozenset(one.stems), frozenset(two.stems)
            for clause in clauses:
                said = _known(mine | theirs, frozenset(clause.stems))
                halves = 2 * len(said & (mine - theirs)) >= len(mine), 2 * len(said & (theirs - mine)) >= len(theirs)
                if all(halves) and not mine <= said and not theirs <= said and len(clause.stems) <= _SHORT:
                    return f"it mixes two statements in '{clause.text[:80]}'"
        return None

    def _turned(self, sentence: str) -> str | None:
        """Whether two things changed places around a word that tells which comes first."""
        for left, word, right in _directions(sentence):
            relations = [r for r in self._relations if r[1] == word]
            straight = any(left & one and right & two for one, _, two in relations)
            if not straight and any(left & two and right & one for one, _, two in relations):
                return f"it turns around what comes first in '{sentence[:80]}'"
        return None

    @cached_property
    def _ruled_out(self) -> list[tuple[frozenset[str], str]]:
        """What is denied right behind what holds instead, and nowhere affirmed: its stems, and the last one of that."""
        affirmed = frozenset(one for clause in self._clauses if not clause.denied for one in clause.stems)
        found = [
            (frozenset(denied.stems), held.stems[-1])
            for passage in self._passages
            for sentence in sentences(passage)
            for held, denied in pairwise(_clauses_in(sentence))
            if denied.denied and not (held.denied or held.hedged) and len(denied.stems) <= _SHORT
        ]
        return [(rejected, instead) for rejected, instead in found if not rejected & affirmed]

    @cached_property
    def _side_by_side(self) -> list[tuple[Clause, Clause]]:
        # In many passages there are always two that a clause has something of.
        few = self._passages if len(self._passages) <= _FEW else ()
        return [pair for passage in few for pair in _neighbors(passage)]

    @cached_property
    def _relations(self) -> list[tuple[frozenset[str], str, frozenset[str]]]:
        return [found for passage in self._passages for one in sentences(passage) for found in _directions(one)]

    # -- what must stand there as it is

    def _markup(self, text: str) -> str | None:
        for match in _MARKUP.finditer(text):
            if match[0].casefold() not in self._whole.casefold():
                return f"there is no '{match[0][:80]}'"
        return None

    def _code(self, text: str) -> str | None:
        """A command stands there whole: its words in another order are another command."""
        for match in _CODE.finditer(text):
            for line in (match[1] or match[2] or "").splitlines():
                spelled = " ".join(line.split()).casefold()
                if " " in spelled and spelled not in " ".join(self._whole.casefold().split()):
                    return f"there is no '{spelled[:80]}'"
        return None

    def _misquoted(self, sentence: str) -> str | None:
        return next((quote for quote in _QUOTED.findall(sentence) if _folded(quote) not in self._folded), None)


class _Vocabulary:
    """The words, numbers and technical names of some text."""

    def __init__(self, text: str) -> None:
        tokens = [token.casefold() for token in _tokens(text)]
        self.words = set(tokens)
        self._stems: set[str] = set()
        self._numbers: set[str] = set()
        self._technical: set[str] = set()
        for token in self.words:
            self._learn(token)
        self._prefixes: defaultdict[str, set[str]] = defaultdict(set)
        for one in self._stems:
            self._prefixes[one[:_SHORTEST_ROOT]].add(one)
        self._joined = {one + two for one, two in pairwise(tokens)}
        self._forms: dict[str, frozenset[str]] = {}

    def _learn(self, token: str) -> None:
        self._stems.update(_stems_of(token))
        if _WORD.fullmatch(token):
            self._stems.update(stem(part) for part in (token, *_parts(token)))
            if token in NUMBER_WORDS:
                self._numbers.add(NUMBER_WORDS[token])
            return
        self._technical.update(_spellings(token))
        self._numbers.update(map(_as_number, _NUMBERS_IN.findall(token.replace(",", ""))))
        if (number := _NUMBER.fullmatch(token)) is not None:
            if number[2] in SHORT_UNITS:
                self._stems.add(stem(SHORT_UNITS[number[2]]))
            self._numbers.add(_in_full(number))
        if not token.startswith("-"):
            self._stems.update(stem(piece) for piece in re.findall(r"[^\W\d_]{2,}", token))

    def has(self, token: str) -> bool:
        """Whether a word stands there, or one that says the same; a technical name only as it is spelled."""
        low = token.casefold()
        if _WORD.fullmatch(low):
            return self._has_word(low)
        if _BARE_PATH.fullmatch(low):
            return low in self.words
        if (number := _NUMBER.fullmatch(low)) is not None:
            return low in self._technical or self._has_number(number)
        return low in self._technical or low in GLUE or low.replace("-", "") in self._joined

    def _has_number(self, number: re.Match[str]) -> bool:
        unit = number[2]
        if unit == _THOUSAND and _in_full(number) in self._numbers:
            return True
        has_unit = unit in (None, "%", "st", "nd", "rd", "th") or self._has_word(SHORT_UNITS.get(unit, unit))
        return has_unit and _as_number(number[1]) in self._numbers

    def _has_word(self, word: str) -> bool:
        if word in GLUE or word in DENIES or word in self.words or word in HEDGES or word in UNIVERSAL:
            return True
        if word in NUMBER_WORDS:
            return NUMBER_WORDS[word] in self._numbers
        if is_unspaced(word):
            return all(any(pair in known for known in self.words) for pair in pairs(word))
        if any(map(self.forms, (stem(word), word.removesuffix("s")))) or word in self._joined:
            return True
        parts = _parts(word)
        return len(parts) > 1 and all(map(self._has_word, parts))

    def forms(self, wanted: str) -> frozenset[str]:
        """The stems that stand there for a stem: itself, one that says the same, one with another ending."""
        if (found := self._forms.get(wanted)) is None:
            akin = {one for one in self._prefixes.get(wanted[:_SHORTEST_ROOT], ()) if is_akin(wanted, one)}
            found = self._forms[wanted] = frozenset(({wanted} | SYNONYMS.get(wanted, _NONE)) & self._stems | akin)
        return found


_NONE: frozenset[str] = frozenset()


# -- taking a text apart


def _counts(token: str) -> bool:
    return token[:1].isdigit() or token.casefold() in NUMBER_WORDS


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)


def _evidence(text: str) -> str:
    """A passage as it may be repeated: without hidden characters, and compatible forms as plain ones."""
    return unicodedata.normalize("NFKC", _HIDDEN.sub("", text.translate(_TYPOGRAPHY))).translate(_TYPOGRAPHY)


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[^\w'.%$+#/-]+", " ", text.casefold()).split()).strip(".")


def _tokens(text: str) -> Iterator[str]:
    """The words, names and numbers of a text, without the marks around them."""
    for chunk in _CHUNK.findall(_GROUPED.sub(_ungrouped, text)):
        token = chunk.lstrip("*'").rstrip("*'.:=")
        if token.startswith("_") and token.endswith("_"):
            token = token.strip("_")
        token = _CONTRACTED.sub("", token) if "n't" not in token else token
        if token and (any(map(str.isalnum, unicodedata.normalize("NFKC", token))) or _BARE_PATH.fullmatch(token)):
            yield token


def _ungrouped(number: re.Match[str]) -> str:
    return number[0].replace(",", "").replace("_", "")


def _parts(word: str) -> list[str]:
    return [part for part in word.split("-") if part] if "-" in word else []


def _spellings(token: str) -> Iterator[str]:
    """A technical name, and the ends of it that name the same thing: a path without its folders, a host of an URL."""
    yield token
    bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", token)
    yield bare
    yield bare.partition("/")[0] if bare != token else bare
    pieces = bare.split("/")
    yield from ("/".join(pieces[at:]) for at in range(1, len(pieces)) if pieces[-1])
    yield token.strip("./:@#")
    yield token.replace("-", "").replace("_", "")


def _as_number(digits: str) -> str:
    return digits.replace(",", "").lstrip("0") or "0"


def _in_full(number: re.Match[str]) -> str:
    """The digits of a number with the thousands that it leaves to a letter: 10k is 10000."""
    digits = _as_number(number[1])
    if number[2] != _THOUSAND or digits.count(".") > 1:
        return digits
    whole, _, rest = digits.partition(".")
    return _as_number(f"{whole}{rest[:3]:0<3}") if len(rest) <= 3 else digits


def _is_name(token: str) -> bool:
    return any(character.isupper() for character in token[1:])


def _stems(text: str) -> list[str]:
    """The stems of the telling words: neither glue nor what turns a statement around."""
    return [
        one
        for at, token in enumerate(_tokens(text))
        for one in ((stem(token.casefold()),) if at and token in _NAMES_LIKE_GLUE else _stems_of(token.casefold()))
    ]


@lru_cache(maxsize=16_384)
def _stems_of(token: str) -> tuple[str, ...]:
    if token in GLUE or token in DENIES or token in HEDGES or token in UNIVERSAL:
        return ()
    if token in NUMBER_WORDS:
        return (NUMBER_WORDS[token],)
    if _WORD.fullmatch(token):
        if is_unspaced(token):
            return tuple(pairs(token))
        parts = [part for part in _parts(token) if part not in GLUE and part not in DENIES]
        return tuple(map(stem, parts)) if parts else (stem(token),)
    if (number := _NUMBER.fullmatch(token)) is not None:
        return (_as_number(number[1]),)
    return (token,)


def _anchors(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The numbers and the names of a text: what a statement is about, or what it says of that.

    What a number counts belongs to it; a number right behind a name belongs to the name.
    """
    numbers, names = set[str](), set[str]()
    before = ""
    for at, token in enumerate(_tokens(text)):
        low = token.casefold()
        if _counts(token):
            (names if before[:1].isupper() else numbers).update(_stems_of(low))
        elif low in UNITS and _counts(before):
            numbers.update(_stems_of(low))
        elif low not in GLUE and _is_anchor(token, first=not at):
            names.update(_stems_of(low))
        before = token
    return frozenset(numbers), frozenset(names)


def _is_anchor(token: str, *, first: bool) -> bool:
    return not _WORD.fullmatch(token) or _is_name(token) or (token[0].isupper() and not first)


def clauses_of(text: str) -> Iterator[Clause]:
    """The clauses of a text that tell something. What goes on after a denial is denied as well."""
    return (clause for sentence in sentences(text) for clause in _clauses_in(sentence))


@lru_cache(maxsize=8192)  # A session says the same again, and is read again when it has grown.
def _clauses_in(sentence: str) -> tuple[Clause, ...]:
    clauses: list[Clause] = []
    denied_before, waiting = False, 0
    for part in _clause_parts(sentence):
        own, found = _denials(part), _stems(part)
        # "Never, ever, push": what denies stands apart from what it denies. "No, don't push" denies once, and "nothing,
        # only npm" does not deny npm.
        count = own or (0 if _ONLY.match(part) else waiting)
        waiting = 0 if found else count
        if not found:
            continue
        if not count and denied_before and _goes_on(part):
            count = 1
        is_denied = bool(count % 2)
        denied_before = is_denied and not _INSTEAD.match(part)
        bare, stems = part.strip(" ,;:()!?.-"), tuple(dict.fromkeys(found))
        clauses.append(Clause(bare, stems, *_anchors(part), _turned_words(part), is_denied, _is_hedged(part)))
    return tuple(clauses)


def _clause_parts(sentence: str) -> Iterator[str]:
    """A sentence in its parts, each with the word that joins it. "After a release, …" is no part of its own."""
    # What is preferred over another is taken instead of it.
    sentence = _ASIDE.sub(r"\2; \1 ", _PREFERRED.sub(r"\1rather than", with_commas(sentence)))
    starts = [0, *(match.start() for match in _CONNECTOR.finditer(sentence)), len(sentence)]
    opening = next(_tokens(sentence), "").casefold()
    if len(starts) > 2 and opening in _OPENINGS and sentence[starts[1]] == ",":
        del starts[1]
    return (sentence[start:end] for start, end in pairwise(starts))


def _turned_words(part: str) -> frozenset[str]:
    """The first telling word behind each word that denies."""
    found: set[str] = set()
    is_open = False
    for token in _tokens(part):
        stems = _stems_of(token.casefold())
        if token.casefold() in DENIES:
            is_open = True
        elif is_open and stems:
            found.update(stems)
            is_open = False
    return frozenset(found)


def _neighbors(passage: str) -> Iterator[tuple[Clause, Clause]]:
    """Short clauses that follow each other."""
    return pairwise(clause for clause in clauses_of(passage) if 2 <= len(clause.stems) <= _SHORT)


def _goes_on(part: str) -> bool:
    joined = _GOES_ON.match(part)
    if joined is None:
        return False
    following = next(_tokens(part[joined.end() :]), "").casefold()
    return following not in _STARTS


def _denials(part: str) -> int:
    """How often a part denies. "Not only" denies nothing."""
    words = [piece for token in _tokens(part) for piece in (token.casefold(), *_parts(token.casefold()))]
    denying = [word for word in words if word in DENIES or word in UNDOES]
    if len(doubled := [word for word in denying if word in DOUBLED]) > 1 and {*doubled} != {"no"}:
        denying = [doubled[0], *(word for word in denying if word not in DOUBLED)]
    count = len(denying) + bool(_INSTEAD.match(part))
    unspaced = not part.isascii() and any(mark in part for mark in DENIES_UNSPACED)
    return count + unspaced - ("not" in words and re.search(r"(?i)\bnot only\b", part) is not None)


def _is_hedged(part: str) -> bool:
    return any(token.casefold() in HEDGES for token in _tokens(part))


def _directions(sentence: str) -> Iterator[tuple[frozenset[str], str, frozenset[str]]]:
    """Where a word tells which of two comes first: what stands before it and behind it."""
    if _DIRECTED.search(sentence.casefold()) is None:
        return
    low = sentence.casefold()
    for match in _DIRECTIONS.finditer(low):
        left = frozenset(_stems(low[: match.start()])[-2:])
        right = frozenset(_stems(low[match.end() :])[:2])
        if left and right and left != right:
            yield left - right, match[0], right - left


def _places(stems: Iterable[Iterable[str]]) -> dict[str, frozenset[int]]:
    """At which places each stem stands."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for at, some in enumerate(stems):
        for one in some:
            found[one].add(at)
    return {one: frozenset(places) for one, places in found.items()}


# -- words that are the same


def _known(wanted: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    """Those of the stems that are among others, or akin to one."""
    return frozenset(one for one in wanted if one in words or SYNONYMS.get(one, _NONE) & words or _has_akin(one, words))


def _has_akin(wanted: str, words: Iterable[str]) -> bool:
    return len(wanted) >= _SHORTEST_ROOT and any(is_akin(wanted, one) for one in words)


@lru_cache(maxsize=65_536)
def is_akin(one: str, other: str) -> bool:
    """Whether two stems differ in their endings alone: expire and expiry, deploy and deployment."""
    shared = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared >= _SHORTEST_ROOT and one[shared:] in _SUFFIXES and other[shared:] in _SUFFIXES
