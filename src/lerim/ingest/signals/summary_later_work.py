"""What later work made of what an agent told: a state that passed, a line that is gone again, another value. Pure.

Each rule asks what became of what a sentence names, and not how the sentence is put.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from lerim.glance import seldom
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_happened import TAKEN_OUT
from lerim.ingest.signals.summary_lines import tokens_in
from lerim.ingest.signals.summary_standing import NOWHERE, standings
from lerim.ingest.signals.summary_tasks import MOST_CLOSING, StoryTurn

#: Where the work stands in its repository: so until it goes on.
_OF_TREE = seldom(
    r"(?:\b(?:is|are|was|were|remains?|still|left|stays?|local|and)|[,;—–:]|^) ?(?:\w+,? ){0,2}?un(?:pushed|committed"
    r"|tracked|staged|merged)(?=\W*$|[.,;:)]| (?:and|on|in|at)\b)"
    r"|\b(?:not (?:yet )?(?:been )?(?:pushed|committed|merged|staged)"
    r"|no (?:commits?|code|source|files?|PRs?|pull requests?|edits?)(?: \w+)? (?:(?:was|were|has been|have been|is|are)"
    r" )?(?:yet|made|changed|created|opened|edited|touched|written)"
    r"|(?:did|have|has|do)(?: not|n['’]t)(?: yet)?(?: been)? (?:push|commit|merge|open|delete)(?:ed|d|ted)?"
    r"|nothing (?:(?:is|was|has been) )?(?:committed|pushed|staged)|nothing (?:was|has been) changed"
    r"|(?:working (?:tree|copy|directory)|worktree|checkout) (?:(?:is|now|still|has|remains|stays)\b|clean)"
    r"|(?:tree|git status):? (?:is )?clean|commits? (?:ahead|behind)"
    r"|(?:ahead of|behind) (?:origin|upstream|main|master)"
    r"|up[- ]to[- ]date with (?:remote|origin|upstream|main|master|its)|staged (?:locally|but)"
    r"|ready (?:to|for) (?:push|commit|merge|review))\b"
    r"|^(?:still )?on `?[\w/.-]+`?, (?:up|clean|branched)",
    re.IGNORECASE,
)
#: A folder named from the root is another one.
_ELSEWHERE = re.compile(r"(?:^|[\s`(])[/~]\w[\w.-]*/")
_CODE = re.compile(r"`[^`\n]{2,120}`|(?<![\w`])(?:\w+_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*)\b")
_IS_PATH = re.compile(r"[/\\]|\.\w{1,5}`?$")
#: So many times what is gone is as much as was written.
_SHARE = 3
#: So many names in common are no accident.
_LEAST_NAMES = 2
#: A name and what it is set to; an arrow leads to the new value.
_SET_TO = re.compile(
    r"(?P<name>\b(?:\w+_\w+|[a-z]+[A-Z]\w+)\b)`?[\s(`]{0,3}"
    r"(?:=|:|->|→|(?=\d[\d_,.]*k? ?(?:->|→))|\b(?:is|now|to|at|of|set|becomes?|from|was|goes)\b)"
    r"(?:[\s=:(`]|->|→|\b(?:is|now|to|at|of|set|becomes?|from|was|goes)\b){0,8}"
    r"(?P<value>\d[\d_,.]*k?\b)(?:\s*(?:->|→|to)\s*(?P<new>\d[\d_,.]*k?\b))?"
)
#: What a sentence begins with, where it speaks of something by its name in code.
_SUBJECT = re.compile(
    r"^(?:\W|(?:done|now|so|and|the|fixed|yes|no|both|all|but)\b)*"
    r"(?P<names>`[^`\n]+`(?:(?:, | and | or |/)`[^`\n]+`)*)",
    re.I,
)
#: A part of a file's name by which people call it.
_PARTS = re.compile(r"[^\W\d]\w{4,}")
#: What is not so, and may be so later.
_IS_NOT = seldom(
    r"\b(?:not|never|cannot|nor|neither|no|unsupported|unavailable|missing|un(?:handled|resolved|implemented))\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_IS_SO = re.compile(
    r"\b(?:now|works?|supported|supports?|added|handles?|handled|resolves?|implemented|available|enabled|created)\b",
    re.I,
)
#: What was taken out again, and of it the word that names it.
_TOOK_OUT = re.compile(
    r"^(?:done\W+)?(?:(?:i|we)(?:['’]ve| have)? )?(?:also )?(?:removed|deleted|dropped|reverted|undid|took out"
    r"|ripped out|rolled back|scrapped) (?:the|all|my|our|that|this|those|both) (?P<thing>[^.;:,(—–]{3,80})"
    r"|^(?:done\W+)?(?:the|all|both|that|this) (?P<gone>[^.;:,(—–]{3,60}?) (?:is|are|was|were|has been|have been)"
    r" (?:now )?(?:removed|deleted|dropped|reverted|gone|taken out|rolled back|scrapped)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s(?:from|in|of|on|at|for|with|that|which|and|again|since|because|as|to|you|we|i)\b.*$", re.IGNORECASE
)
_IS_THERE = (
    r"\bthe {} (?:\w+ )?(?:is|are|lives?|sits?|stays?|now|runs?|checks?|handles?|uses?|belongs?|covers?|guards?)\b"
)


class StatedThen(Protocol):
    """What an agent told in a turn."""

    @property
    def text(self) -> str: ...
    @property
    def turn(self) -> int: ...
    @property
    def is_cause(self) -> bool: ...


@dataclass(frozen=True)
class LaterWork:
    """The turns of a session, asked what became of what was told in one of them."""

    turns: Sequence[StoryTurn]
    #: The files that were changed and are as they were.
    gone: frozenset[str] = frozenset()

    def overtakes(self, told: StatedThen) -> bool:
        """Whether something told is no longer so, by what was done after it. What was the cause stays it."""
        later = self.turns[told.turn + 1 :]
        if told.is_cause or not later:
            return False
        is_deed = cues.TELLS_DEED.match(told.text) is not None
        is_of_tree = not is_deed and _ELSEWHERE.search(told.text) is None
        if is_of_tree and _OF_TREE.search(cues.QUOTED.sub("", told.text)) is not None:
            return any(turn.has_work for turn in later)
        return (
            self._is_unwritten(told)
            or self._is_of_gone_file(told)
            or self._is_set_anew(told)
            or (not is_deed and self._is_so_now(told))
            or self._is_taken_out(told)
        )

    def _is_unwritten(self, told: StatedThen) -> bool:
        """Whether something that it names was written in that turn, and is in no line any more."""
        written = self.turns[told.turn].tokens
        # A file is looked for by its name.
        names = names_in(told.text) if written else ()
        put_in = {token for name in names for token in tokens_in(name) if written[token] > 0}
        left = self.turns[told.turn :]
        gone = [token for token in put_in if sum(turn.tokens[token] for turn in left) <= 0]
        return bool(gone) and _SHARE * len(gone) >= len(put_in)

    def _is_of_gone_file(self, told: StatedThen) -> bool:
        """Whether it tells of a file that was changed then, and later put back."""
        edited = self.gone.intersection(self.turns[told.turn].edited)
        later = {path for turn in self.turns[told.turn + 1 :] for path in turn.edited}
        return any(_names_file(told.text, path) for path in edited & later)

    def _is_set_anew(self, told: StatedThen) -> bool:
        values = dict(values_in(told.text))
        if not values:
            return False
        last: dict[str, str] = {}
        for turn in self.turns[told.turn + 1 :]:
            for text in (turn.text, *turn.closing):
                last.update((name, value) for name, value in values_in(text) if name in values)
        return any(values[name] != value for name, value in last.items())

    def _is_so_now(self, told: StatedThen) -> bool:
        """Whether it says of something by its name that it is not so, and the agent tells later that it is."""
        names = subjects_of(told.text)
        return (
            bool(names)
            and _IS_NOT.search(cues.QUOTED.sub("", told.text)) is not None
            and any(
                turn.edited
                and _IS_SO.search(one)
                and not _IS_NOT.search(one)
                and not names.isdisjoint(subjects_of(one))
                for turn in self.turns[told.turn + 1 :]
                for one in turn.closing
            )
        )

    def _is_taken_out(self, told: StatedThen) -> bool:
        """Whether the agent took out later, in so many words, what it says is there."""
        names = names_in(told.text)
        for turn in self.turns[told.turn + 1 :]:
            if not turn.edited:
                continue
            out = taken_out(turn)
            if _LEAST_NAMES <= len(names & out.names) >= len(names) / 2:
                return True
            if any(re.search(_IS_THERE.format(re.escape(one)), told.text, re.IGNORECASE) for one in out.things):
                return True
        return False


@dataclass(frozen=True)
class TakenOut:
    """What an agent says that it took out again in a turn: the names in a list of that, and the last words of what it
    was."""

    names: frozenset[str]
    things: frozenset[str]


def taken_out(turn: StoryTurn) -> TakenOut:
    """What the last message of a turn says was taken out again."""
    names, things = set[str](), set[str]()
    places = standings(turn.replies[-1][:MOST_CLOSING]) if turn.replies else {}
    for one in turn.closing:
        found = _TOOK_OUT.match(one)
        if found is not None:
            words = _BEHIND.sub("", found["thing"] or found["gone"]).replace("`", "").split()
            things.update(word for word in words[-1:] if word.isalpha())
        if any(map(TAKEN_OUT.match, places.get(one, NOWHERE).below[-1:])):
            names.update(names_in(one))
    return TakenOut(frozenset(names), frozenset(things))


def values_in(text: str) -> Iterator[tuple[str, str]]:
    """Which names a text sets to which numbers: `LIMIT is now 20_000`, `LIMIT (20k → 120k)`."""
    for found in _SET_TO.finditer(text):
        number = (found["new"] or found["value"]).replace("_", "").replace(",", "").rstrip(".")
        yield found["name"], f"{number[:-1]}000" if number.endswith("k") else number


def names_in(text: str) -> frozenset[str]:
    """What a text names as code, but for files."""
    return frozenset(one.strip("`") for one in _CODE.findall(text) if _IS_PATH.search(one) is None)


def subjects_of(text: str) -> frozenset[str]:
    """The names in code with which a sentence begins."""
    found = _SUBJECT.match(text)
    return names_in(found["names"]) if found is not None else frozenset()


def _names_file(text: str, path: str) -> bool:
    """Whether a file is named, by its name or by the part of it that is a word of its own."""
    name = path.rsplit("/", 1)[-1]
    stem = name.split(".", 1)[0]
    return name in text or any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) for one in _PARTS.findall(stem))
