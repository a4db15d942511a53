"""Whose words came first: what an agent says that a tool or a page said before it is an echo, not the agent's own.

An agent that reads `remember: deploys go to …` may repeat it in good faith. A memory or a summary that took it over
would turn text from a file into something somebody meant. So words are followed to where they first stood: every
title, body, tag and summary passes here (`echoes`, `without`) before it is kept.

Words are compared as a reader sees them: without case, marks, accents, invisible characters, look-alike letters and
endings. A few words put in, left out or set apart do not make a text one's own. Names of code do not count: who
explains a program has to name what it has, and that is no repetition. One pass over the session, and time that grows
with its length alone.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from itertools import chain, count, zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING

from lerim.ingest.own_words import own_spans
from lerim.ingest.transcript import Transcript, may_quote
from lerim.sources.trace import Event, Injected, Line, ToolResult, User, Via
from lerim.text.sentences import sentence_spans
from lerim.text.words import STOP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Places = NDArray[np.int64]

#: Two words belong together when at most so many others stand between them: in what is looked at, and in the source.
_NEAR, _NEAR_IN_SOURCE = 2, 5
#: This much of a text in one place of a tool's output, or nearly all of it in several places, is no accident.
_MOST_OF_IT, _ALL_OF_IT = 0.6, 0.9
#: So many telling words in a row are copied, however long the sentence around them.
_RUN = 6
#: Of fewer words all must be copied.
_FEW = 4
#: Fewer words that the user says as well are chance: "let's go with the first one".
_STATED = 2
#: Enough of a word to know it by, whatever its ending.
_STEM = 6
#: Nothing that is kept is longer; what is, is looked at as far as this.
_MOST_CHARS = 20_000

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힯]|(?:(?![぀-ヿ㐀-鿿가-힯])[^\W_])+")
#: Letters of other scripts that look like ours.
_LOOK_ALIKE = str.maketrans(
    "аеорсухіѕјԁһкмтвнгβαοερνικτυχγɡıⅼ",
    "aeopcyxisjdhkmtbhrbaoepviktuxygil",
)
_PIECE = re.compile(r"[\w.@+-]+")
_HOST_ENDINGS = """
    ai app biz ch cloud cn co com de dev edu eu example fr gov info internal invalid io local me net org online ru sh
    site test top tv uk us xyz zip
"""
_ENDINGS = frozenset(_HOST_ENDINGS.split())
#: Files end so far more often than hosts.
_FILES = frozenset({"sh", "zip"})
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")

# Names, paths and short pieces of code. A whole sentence in code marks is a sentence.
_MARKED_CODE = re.compile(r"`[^`\s]{0,120}[/()=\[\]{}<>.:$#_-][^`\s]{0,120}(?: [^`\s]{1,80}){0,2}`")
_MOST_LOOKED_AHEAD = 80
_NAME_ALONE = re.compile(r"[\w./:#-]+", re.ASCII)
_NAME = re.compile(
    r"(?<![\w.])(?=[\w./:#-]{0,80}(?:[^\W_]_[^\W_]|[a-z][A-Z]|[^\W_][./:#][^\W_]))[\w./:#-]{1,160}(?:\(\))?"
)
#: What no name is without: looking for it is quick, and most words have none of it.
_IN_A_NAME = re.compile(r"[^\W_][_./:#][^\W_]|[a-z][A-Z]")
#: Longer than what people and programs write again and again; and so many pieces of text are remembered.
_USUAL_CHARS, _MOST_USUAL = 64, 131_072
#: What stands around a plain word.
_MARKS = ".,:;!?\"'()[]{}*"

#: Two words by their numbers.
_Pair = tuple[int, int]
#: Where a pair stands in the texts that are looked at: the text's number and the places of both words.
_Wanted = dict[_Pair, list[tuple[int, int, int]]]


def echoes(
    transcript: Transcript, texts: Iterable[str], stated: Mapping[str, str] = MappingProxyType({})
) -> frozenset[str]:
    """Those of the texts that say again what a tool, injected or quoted text said before anybody else did.

    A text that names a host or an address which nobody but a tool has named is one, too. `stated` has what the user
    says where a text rests on it: these words are theirs, whoever else has said them.
    """
    asked = list(dict.fromkeys(texts))
    if not asked:
        return frozenset()
    heard = _heard(transcript)
    telling = [[word for word in heard.numbers_of(text[:_MOST_CHARS]) if word] for text in asked]
    copied = _copied(heard, _pairs_of(telling), len(asked))
    foreign = foreign_hosts(transcript, asked)
    return frozenset(
        text
        for text, words, found in zip(asked, telling, copied, strict=True)
        if _is_echo(len(words), _unstated(heard, words, found, stated.get(text, "")))
        or not foreign.isdisjoint(hosts(text))
    )


def _unstated(heard: _Heard, words: list[int], copied: list[frozenset[int]], stated: str) -> list[frozenset[int]]:
    """Of the places that were copied those whose words the user does not say."""
    own = set(heard.numbers_of(stated[:_MOST_CHARS])).intersection(words) if stated and copied else set()
    if len(own) < _STATED:
        return copied
    return [frozenset(at for at in places if words[at] not in own) for places in copied]


def sentences_in(text: str) -> list[str]:
    """What a text is looked at by: its lines, and their sentences where they have several."""
    found: list[str] = []
    for line in text[:_MOST_CHARS].split("\n"):
        spans = [span.of(line) for span in sentence_spans(line)]
        found += [line] if line.strip() else []
        found += spans if len(spans) > 1 else []
    return found


def without(text: str, echoed: Collection[str]) -> str:
    """The text without the lines and sentences that were found to be echoes; a label that nothing follows goes, too."""
    kept = []
    for line in text.split("\n"):
        if line in echoed:
            continue
        spans = list(sentence_spans(line))
        gone = [span for span in spans if span.of(line) in echoed]
        for span in reversed(gone):
            line = line[: span.start] + line[span.end :].lstrip()
        if not gone or not _LABEL.fullmatch(line.strip()):
            kept.append(line.rstrip() if gone else line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


_LABEL = re.compile(
    r"(?:[-*]\s*)?(?:\*\*)?(?:Agent|User|Why|Chosen|In reply to|Outcome|Open|What happened|Then)?:?(?:\*\*)?:?"
)


def foreign_hosts(transcript: Transcript, texts: Iterable[str]) -> frozenset[str]:
    """The hosts and addresses in the texts that a tool or injected text named before the agent did, and no user."""
    wanted = {host for text in texts for host in hosts(text)}
    # Who named it: the user, wherever they did, else the first; None for a host that nobody named.
    known: dict[str, _Whose | None] = transcript.remembered("hosts")
    if unknown := wanted.difference(known):
        known |= dict.fromkeys(unknown)
        for whose, host in _named(transcript, unknown):
            if known[host] is None or whose is _Whose.USER:
                known[host] = whose
    return frozenset(host for host in wanted if known[host] is _Whose.NOBODY)


def _named(transcript: Transcript, wanted: Collection[str]) -> Iterator[tuple[_Whose, str]]:
    """Who names which of the hosts, in order."""
    for numbered in transcript.lines:
        text = numbered.line.text.lower()
        # Looked at closely only where one of them is written at all.
        if any(host in text for host in wanted):
            for whose, piece in _pieces_of(numbered.line):
                yield from ((whose, host) for host in hosts(piece).intersection(wanted))


def hosts(text: str) -> set[str]:
    """The hosts and addresses a text names. `.env.example` is none, nor `install.sh` where no address is written."""
    if "." not in text:
        return set()
    dotted = " ".join(word for word in text.split() if "." in word)
    return {found[0].strip("-.").lower() for found in _PIECE.finditer(dotted) if _is_host(found)}


def _is_host(found: re.Match[str]) -> bool:
    piece, around = found[0].rstrip(".-").lower(), found.string
    ending = piece.rpartition(".")[2]
    if ending in _FILES:
        before, after = around[max(found.start() - 3, 0) : found.start()], around[found.end() : found.end() + 1]
        return piece.count(".") > 1 or "@" in piece or before == "://" or (after == "/" and not before.endswith("/"))
    is_named = ending in _ENDINGS and "." in piece and not piece.startswith(".")
    return is_named or _ADDRESS.fullmatch(piece) is not None


# --- the words of a text ---------------------------------------------------------------------------------------------


class _Numbers(dict[str, tuple[int, ...]]):
    """The words of pieces of text without a space, by number: a session says the same words again and again.

    The words of prose as a reader sees them, each as far as its ending. One that tells nothing is 0: half of all words.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words: dict[str, int] = {}
        # Two who read at once never give the same number to different words.
        self._next = count(1)

    def of(self, text: str) -> Iterator[int]:
        """The words of a text, in order."""
        # A name has no space in it, and so it is known piece by piece; code in marks may have some, and goes first.
        pieces = (_MARKED_CODE.sub(" ", text) if "`" in text else text).split()
        return chain.from_iterable(map(self.__getitem__, pieces))

    def __missing__(self, piece: str) -> tuple[int, ...]:
        found = tuple([self._number(word) for word in _read_in(piece)])
        if len(piece) <= _USUAL_CHARS:
            self[piece] = found
        return found

    def _number(self, word: str) -> int:
        return 0 if word in _SILENT else self._words.setdefault(word, next(self._next))


_USUAL = [_Numbers()]


def _usual_numbers() -> _Numbers:
    """Those of sessions before, unless they have become too many; whoever reads with them goes on with them."""
    if len(_USUAL[0]) >= _MOST_USUAL:
        _USUAL[0] = _Numbers()
    return _USUAL[0]


def _read_in(piece: str) -> list[str]:
    """The words of a piece of text without a space."""
    if (word := piece.strip(_MARKS)).isascii() and word.isalpha() and (word[1:].islower() or word.islower()):
        return [word[:_STEM].lower()]
    if _IN_A_NAME.search(piece) is not None:
        if len(piece) <= _MOST_LOOKED_AHEAD and _NAME_ALONE.fullmatch(piece) is not None:
            return []
        piece = _NAME.sub(" ", piece)
    if piece.isascii():
        return [word[:_STEM] for word in _ASCII_WORD.findall(piece.lower())]
    seen = unicodedata.normalize("NFKD", piece.replace("\u00ad", "")).lower().translate(_LOOK_ALIKE)
    return [word[:_STEM] for word in _WORD.findall(_NOT_ASCII.sub(_visible, seen))]


def _visible(found: re.Match[str]) -> str:
    return _without_marks(found[0])


@lru_cache(maxsize=4096)  # The same few letters again and again, one by one.
def _without_marks(char: str) -> str:
    return "" if unicodedata.category(char) in {"Cf", "Mn", "Me"} else char


_SILENT = frozenset(word[:_STEM] for word in STOP) | frozenset(["a", "s", "t", "d", "ll", "ve", "re", "m"])


def _pairs_of(telling: list[list[int]]) -> _Wanted:
    wanted: defaultdict[_Pair, list[tuple[int, int, int]]] = defaultdict(list)
    for number, words in enumerate(telling):
        for at, word in enumerate(words):
            for next_at in range(at + 1, min(at + 1 + _NEAR, len(words))):
                wanted[word, words[next_at]].append((number, at, next_at))
    return wanted


# --- one pass over the session ---------------------------------------------------------------------------------------


class _Whose(Enum):
    """To whom a piece of a session belongs, as far as repeating it goes."""

    USER = "user"
    AGENT = "agent"
    NOBODY = "tools, programs, and whoever the user quotes"


_SPEAKERS = tuple(_Whose)
#: What stands between two pieces.
_APART = array("I", [0] * _NEAR_IN_SOURCE)
#: Behind every place of a session.
_NOWHERE = 2**62


class _Heard:
    """Which words stand where in a session: pieces one after the other, each at a distance from the next.

    Each speaker's are kept apart: what the user said themselves is nobody's copy, wherever it stands, and what no tool
    printed is none either.
    """

    def __init__(self, pieces: Iterable[tuple[_Whose, str]]) -> None:
        self._numbers = _usual_numbers()
        self._words = array("I")
        self._starts: list[int] = []
        self._speakers: list[int] = []
        for whose, text in pieces:
            self._starts.append(len(self._words))
            self._speakers.append(_SPEAKERS.index(whose))
            self._words.extend(self._numbers.of(text))
            # No pair is in two pieces.
            self._words.extend(_APART)
        # Where the last one ends.
        self._starts.append(len(self._words))
        #: Titles, bodies and summaries ask for the same words again.
        self._known: dict[_Pair, list[int]] = {}

    def numbers_of(self, text: str) -> Iterator[int]:
        """The words of a text, as the session's are numbered."""
        return self._numbers.of(text)

    def copied_in(self, pairs: Collection[_Pair]) -> Mapping[_Pair, list[int]]:
        """For each pair, the pieces of tools, programs and others that have it, if nobody had said it before them."""
        if unknown := [pair for pair in pairs if pair not in self._known]:
            self._known |= {pair: [] for pair in unknown}
            for pair, piece in self._found(unknown):
                self._known[pair].append(piece)
        return self._known

    def _found(self, pairs: list[_Pair]) -> Iterator[tuple[_Pair, int]]:
        """All pairs at once: a long session has each of a thousand in many places."""
        import numpy as np  # Start-up: only who reads sessions needs it.

        which, at = self._meetings(np.asarray(pairs, np.int64))
        pieces = np.searchsorted(self._starts, at, side="right") - 1
        speakers = np.asarray(self._speakers)[pieces]
        users, agents, nobodys = (_first(which[mine], at[mine], len(pairs)) for mine in map(speakers.__eq__, range(3)))
        # What the agent said first, also in a plan, stays its own when a tool prints it later.
        is_copied = (users == _NOWHERE) & (nobodys <= agents)
        kept = is_copied[which] & (speakers == _SPEAKERS.index(_Whose.NOBODY))
        for found in np.unique(which[kept] * len(self._starts) + pieces[kept]).tolist():
            pair, piece = divmod(found, len(self._starts))
            yield pairs[pair], piece

    def _meetings(self, pairs: _Places) -> tuple[_Places, _Places]:
        """Where the first word of a pair stands with the second one near behind it: the pair's place among the pairs,
        and the first word's in the session."""
        import numpy as np

        heard = np.frombuffer(self._words, np.uintc)
        sought, ends = np.unique(pairs, return_inverse=True)
        # By word: its place among those that are sought, 0 for others.
        places = np.zeros(max(int(heard.max(initial=0)), int(sought[-1])) + 1, np.int64)
        places[sought] = np.arange(1, len(sought) + 1)
        words = places[heard]
        at = np.flatnonzero(words)
        words = words[at]
        keys = (ends.reshape(-1, 2) + 1) @ (len(sought) + 1, 1)
        order = np.argsort(keys)
        which: list[_Places] = []
        firsts: list[_Places] = []
        for ahead in range(1, _NEAR_IN_SOURCE + 1):
            first = np.flatnonzero(at[ahead:] - at[:-ahead] <= _NEAR_IN_SOURCE)
            met = words[first] * (len(sought) + 1) + words[first + ahead]
            likely = order[np.searchsorted(keys, met, sorter=order).clip(max=len(keys) - 1)]
            is_one = keys[likely] == met
            which.append(likely[is_one])
            firsts.append(at[first[is_one]])
        return np.concatenate(which), np.concatenate(firsts)


def _first(which: _Places, at: _Places, pairs: int) -> _Places:
    """Where each pair stands first."""
    import numpy as np

    first = np.full(pairs, _NOWHERE)
    np.minimum.at(first, which, at)
    return first


def _copied(heard: _Heard, wanted: _Wanted, texts: int) -> list[list[frozenset[int]]]:
    """For each text, the places of its words that a line copied to it had before anybody said them, line by line."""
    pieces = heard.copied_in(wanted)
    covered: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for pair, standing in wanted.items():
        for piece in pieces[pair]:
            for number, at, next_at in standing:
                covered[piece, number].update((at, next_at))
    found: list[list[frozenset[int]]] = [[] for _ in range(texts)]
    for (_, number), places in sorted(covered.items()):
        found[number].append(frozenset(places))
    return found


def _heard(transcript: Transcript) -> _Heard:
    """Made once: titles, bodies and summaries are looked at apart."""
    known: dict[str, _Heard] = transcript.remembered("heard")
    if "all" not in known:
        known["all"] = _Heard(piece for line in _said(transcript) for piece in _pieces_of(line) if piece[1])
    return known["all"]


def _said(transcript: Transcript) -> Iterator[Line]:
    """Every line but what a tool that asked the user repeats of their answer: nobody said that but the two of them."""
    lines = [numbered.line for numbered in transcript.lines]
    for line, following in zip_longest(lines, lines[1:]):
        if not _repeats_an_answer(line, following):
            yield line


def _repeats_an_answer(line: Line, following: Line | None) -> bool:
    if not isinstance(line, ToolResult) or not isinstance(following, User) or following.via is not Via.ANSWER:
        return False
    given = [answer for answer in _ANSWER.findall(following.text) if answer.strip()]
    return len(line.text) <= len(following.text) + _AROUND and all(answer.strip() in line.text for answer in given)


#: So much a tool says around the answers that it repeats.
_AROUND = 400
_ANSWER = re.compile(r"(?m)^A: (.*)$")


def _pieces_of(line: Line) -> Iterator[tuple[_Whose, str]]:
    if isinstance(line, User) and line.via is not Via.PLAN:
        own = " ".join(line.text[start:end] for start, end in own_spans(line.text, quotes=True))
        yield _Whose.USER, _QUESTION.sub(" ", own) if line.via is Via.ANSWER else own
    if _is_foreign(line):
        yield _Whose.NOBODY, line.text
    elif may_quote(line):
        yield _Whose.NOBODY, _quoted(line.text)
    elif not isinstance(line, Event):
        yield _Whose.AGENT, line.text


_QUESTION = re.compile(r"(?m)^Q: .*$")


def _quoted(text: str) -> str:
    """What stands in a user's message and is not theirs."""
    at, parts = 0, []
    for start, end in own_spans(text, quotes=True):
        parts.append(text[at:start])
        at = end
    return "\n".join([*parts, text[at:]])


def _is_echo(words: int, copied: list[frozenset[int]]) -> bool:
    """Whether enough of a text of so many telling words was copied: most of it from one place, or a long run."""
    most = max(copied, key=len, default=frozenset[int]())
    if words < _FEW:
        return words >= 2 and len(most) == words
    everything = frozenset[int]().union(*copied)
    return (
        len(most) >= max(_FEW, _MOST_OF_IT * words)
        or len(everything) >= max(_FEW, _ALL_OF_IT * words)
        or _longest(most) >= _RUN
    )


def _longest(places: frozenset[int]) -> int:
    """The longest run of places that follow each other."""
    longest = length = 0
    for place in sorted(places):
        length = length + 1 if place - 1 in places else 1
        longest = max(longest, length)
    return longest


def _is_foreign(line: Line) -> bool:
    return isinstance(line, ToolResult | Injected)
