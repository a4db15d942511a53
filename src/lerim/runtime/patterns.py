"""Patterns that cannot hang a run: globs over names, and regular expressions in time linear in the text.

Python's `re` tries one way after the other, so `(a+)+$` or `.*x.*y.*z` can take longer than the universe will last, and
nothing in the process can stop it. A pattern with few ways to match goes to `re`. Any other is read by Python's own
parser and run here as an automaton that follows all ways at once. What an automaton cannot do (look around, refer
back) is refused where `re` would not be safe either. All work is counted, so the bound does not depend on a clock.
"""

from __future__ import annotations

import fnmatch
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from lerim.errors import Refused

MAX_PATTERN = 1000
#: Parser and automaton go down by recursion, and a tool is called from deep down already.
MAX_NESTED = 40
#: A pattern that takes so many steps from one place or fewer, whatever the text, goes to `re`, which is faster.
MAX_STEPS = 256
#: What it takes to compare with a group that was found before; groups are short where this counts.
_REFERENCE = 64
MAX_NODES = 2000
MAX_STATES = 2000
#: What one search may cost, in characters that `re` passes over: a few seconds, however bad pattern and text are.
MAX_WORK = 1_000_000_000
#: What the automaton costs for a character it knows, and for each place it has to follow for one it does not.
_STEP_COST, _LEARN_COST = 40, 300

_ENDLESS = float("inf")

# The parser's tree: pairs of an operation and its argument, of a shape that depends on the operation.
Tree = Iterable[tuple[Any, Any]]


class Exhausted(Exception):
    """A search has cost as much as one may."""


@dataclass
class Work:
    """How much a search may still cost."""

    left: int = MAX_WORK

    def spend(self, cost: int) -> None:
        self.left -= cost
        if self.left < 0:
            raise Exhausted


# Globs


class Glob:
    """A pattern of names between slashes: `*`, `?` and `[…]` within a name, `**` for any number of folders.

    Names that begin with a dot are matched only by a pattern that writes the dot.
    """

    def __init__(self, pattern: str) -> None:
        self.folders_only = pattern.endswith("/")
        names = [name for name in pattern.split("/") if name not in {"", "."}]
        self._names = [None if name == "**" else re.compile(fnmatch.translate(name)) for name in names]
        self._hidden = [name.startswith(".") for name in names]

    def begin(self) -> frozenset[int]:
        """Where matching stands before the first name: the positions in the pattern that may come next."""
        return self._skip({0})

    def step(self, at: frozenset[int], name: str) -> frozenset[int]:
        """Where it stands after `name`; empty when nothing can match any more."""
        hidden, after = name.startswith("."), set()
        for position in at - {len(self._names)}:
            expected = self._names[position]
            if hidden and not self._hidden[position]:
                continue
            if expected is None:
                after.add(position)
            elif expected.match(name):
                after.add(position + 1)
        return self._skip(after)

    def matches(self, at: frozenset[int]) -> bool:
        return len(self._names) in at

    def goes_on(self, at: frozenset[int]) -> bool:
        """Whether anything below could match."""
        return any(position < len(self._names) for position in at)

    def _skip(self, at: set[int]) -> frozenset[int]:
        for position in sorted(at):
            while position < len(self._names) and self._names[position] is None:
                position += 1
                at.add(position)
        return frozenset(at)


def has_magic(name: str) -> bool:
    return any(character in name for character in "*?[")


# Regular expressions


class LineSearch:
    """A pattern, ready to be looked for in lines. Raises Refused, naming what is wrong with it."""

    def __init__(self, pattern: str, work: Work | None = None) -> None:
        self.work = work or Work()
        regex, tree = _parse(pattern)
        flags = tree.state.flags
        #: A text that every match contains, to pass over files and lines without a closer look. Empty when unknown.
        self.needs = "" if flags & re.IGNORECASE else _literal(tree)
        steps = _ways(tree) * _length(tree)
        if steps <= MAX_STEPS:
            self._end, self._cost = _with_re(regex), int(steps)
        else:
            self._end, self._cost = Automaton(tree, flags, self.work).end, 0

    def end(self, line: str) -> int | None:
        """Where the first match that is found in the line ends; None without one. Raises Exhausted."""
        if self.needs not in line:
            return None
        self.work.spend((len(line) + 1) * self._cost)
        return self._end(line)


def _with_re(regex: re.Pattern[str]) -> Callable[[str], int | None]:
    def end(line: str) -> int | None:
        found = regex.search(line)
        return None if found is None else found.end()

    return end


def _parse(pattern: str) -> tuple[re.Pattern[str], Any]:
    if not pattern:
        raise Refused("The pattern is empty.")
    if len(pattern) > MAX_PATTERN:
        raise Refused(f"The pattern has {len(pattern)} characters; at most {MAX_PATTERN} are searched for.")
    if max(accumulate({"(": 1, ")": -1}.get(character, 0) for character in pattern)) > MAX_NESTED:
        raise Refused(f"The pattern is nested too deeply; at most {MAX_NESTED} groups may stand in each other.")
    try:
        with warnings.catch_warnings():
            # What may mean something else in a future Python is no concern of who searches today.
            warnings.simplefilter("ignore")
            return re.compile(pattern), _parser.parse(pattern)
    except (re.error, ValueError) as error:
        raise Refused(
            f"The pattern is no regular expression: {error}. Write '\\' before what is meant as is."
        ) from error
    except OverflowError as error:
        raise Refused("The pattern repeats too often; use '*' or '+' instead of large counts.") from error


def _ways(tree: Tree) -> float:
    """In how many ways the pattern can be tried from one place, at most. Infinite when it depends on the text."""
    ways = 1.0
    for kind, value in tree:
        if kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            ways *= _ways_to_repeat(*value)
        elif kind is op.BRANCH:
            ways *= sum(map(_ways, value[1]))
        elif kind is op.GROUPREF_EXISTS:
            ways *= _ways(value[1]) + _ways(value[2] or ())
        else:
            for inner in _inner(kind, value):
                ways *= _ways(inner)
    return ways


def _ways_to_repeat(least: int, most: Any, body: Tree) -> float:
    once = _ways(body)
    if most is op.MAXREPEAT or once > MAX_STEPS:
        return _ENDLESS
    if once == 1:
        return float(most - least + 1)
    # Two ways, twenty times, are far too many already; no need for larger powers.
    return _ENDLESS if most > 20 else float(sum(once**times for times in range(least, most + 1)))


def _length(tree: Tree) -> float:
    """How many steps one way through the pattern takes at most."""
    steps = 0.0
    for kind, value in tree:
        if kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            steps += _ENDLESS if value[1] is op.MAXREPEAT else (_length(value[2]) + 1) * value[1]
        elif kind is op.BRANCH:
            steps += max(map(_length, value[1])) + 1
        elif kind is op.GROUPREF_EXISTS:
            steps += _length(value[1]) + _length(value[2] or ())
        else:
            steps += (_REFERENCE if kind is op.GROUPREF else 1) + sum(map(_length, _inner(kind, value)))
    return steps


def _inner(kind: Any, value: Any) -> tuple[Tree, ...]:
    """The patterns inside one that are neither choices nor repeats."""
    if kind is op.SUBPATTERN:
        return (value[3],)
    if kind in {op.ASSERT, op.ASSERT_NOT}:
        return (value[1],)
    return (value,) if kind is op.ATOMIC_GROUP else ()


def _literal(tree: Tree) -> str:
    """The longest text that stands in every match, as far as it is easy to tell."""
    found, run = [""], ""
    for kind, value in tree:
        if kind is op.LITERAL:
            run += chr(value)
            continue
        found.append(run)
        run = ""
        if kind is op.SUBPATTERN and not value[1]:
            found.append(_literal(value[3]))
        elif kind in {op.MAX_REPEAT, op.MIN_REPEAT} and value[0] > 0:
            found.append(_literal(value[2]))
    return max([*found, run], key=len)


# The automaton

_WORD, _START = 1, 2


class Node(NamedTuple):
    """One place in the pattern. It takes a character and goes on, or goes on at once where `where` holds."""

    next: tuple[int, ...]
    takes: Callable[[str], bool] | None = None
    #: Before and after the place: what is behind (`_WORD`, `_START`), and the character ahead, None at the end.
    where: Callable[[int, str | None], bool] | None = None


class MatchState(NamedTuple):
    """Where all ways stand between two characters, before what depends on the next one is known."""

    nodes: frozenset[int]
    behind: int


@dataclass
class Automaton:
    """All ways through a pattern at once. What was worked out for a state and a character is kept."""

    tree: Tree
    flags: int
    work: Work
    _nodes: list[Node] = field(default_factory=list)
    _known: dict[MatchState, dict[str, MatchState | None]] = field(default_factory=dict)
    #: Whether a match ends with the line, by the state at its end.
    _ending: dict[MatchState, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if _size(self.tree) > MAX_NODES:
            raise Refused("The pattern repeats too often; use '*' or '+' instead of large counts.")
        self._final = self._add(Node(()))
        self._first = self._build(self.tree, self.flags, self._final)
        self._initial = MatchState(frozenset({self._first}), _START)

    def end(self, line: str) -> int | None:
        """Where the match that ends first ends; None without one."""
        self.work.spend((len(line) + 1) * _STEP_COST)
        state, known = self._initial, self._known
        for index, character in enumerate(line):
            try:
                after = known[state][character]
            except KeyError:
                after = self._learn(state, character)
            if after is None:
                return index
            state = after
        if state not in self._ending:
            self._ending[state] = self._final in self._closure(state, None)
        return len(line) if self._ending[state] else None

    def _learn(self, state: MatchState, character: str) -> MatchState | None:
        """The state after `character`; None when a match ends before it."""
        if len(self._known) > MAX_STATES:
            self._known.clear()
            self._ending.clear()
        reached = self._closure(state, character)
        after = None
        if self._final not in reached:
            taken = [
                n
                for node in map(self._nodes.__getitem__, reached)
                if node.takes
                for n in node.next
                if node.takes(character)
            ]
            after = MatchState(frozenset([*taken, self._first]), _WORD if _is_word(character) else 0)
        self._known.setdefault(state, {})[character] = after
        return after

    def _closure(self, state: MatchState, ahead: str | None) -> set[int]:
        """Every place that can be reached without taking a character."""
        reached, open_ends = set(state.nodes), [*state.nodes]
        while open_ends:
            node = self._nodes[open_ends.pop()]
            if node.takes is not None or (node.where is not None and not node.where(state.behind, ahead)):
                continue
            new = [number for number in node.next if number not in reached]
            reached.update(new)
            open_ends.extend(new)
        self.work.spend(len(reached) * _LEARN_COST)
        return reached

    # The pattern is built from its end to its beginning, so that each node knows what comes next.

    def _add(self, node: Node) -> int:
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _build(self, tree: Tree, flags: int, after: int) -> int:
        for kind, value in reversed([*tree]):
            after = self._part(kind, value, flags, after)
        return after

    def _part(self, kind: Any, value: Any, flags: int, after: int) -> int:
        if kind is op.SUBPATTERN:
            _, add, drop, inner = value
            return self._build(inner, (flags | add) & ~drop, after)
        if kind is op.BRANCH:
            return self._add(Node(tuple(self._build(branch, flags, after) for branch in value[1])))
        if kind in {op.MAX_REPEAT, op.MIN_REPEAT}:
            least, most, body = value
            return self._repeat(least, most, body, flags, after)
        if kind is op.AT:
            return self._add(Node((after,), where=_place(value)))
        return self._add(Node((after,), takes=_taker(kind, value, flags)))

    def _repeat(self, least: int, most: Any, body: Tree, flags: int, after: int) -> int:
        body = [*body]
        if most is op.MAXREPEAT:
            loop = self._add(Node(()))
            again = self._build(body, flags, loop)
            self._nodes[loop] = Node((again, after))
            # The part that can come again is also the last one that has to.
            after, least = (again, least - 1) if least else (loop, 0)
        else:
            end = after
            for _ in range(most - least):
                after = self._add(Node((self._build(body, flags, after), end)))
        for _ in range(least):
            after = self._build(body, flags, after)
        return after


def _size(tree: Tree) -> int:
    """How many nodes a pattern needs, worked out before any is made."""
    size = 1
    for kind, value in tree:
        if kind in {op.MAX_REPEAT, op.MIN_REPEAT}:
            least, most, body = value
            size += (_size(body) + 1) * (max(least, 1) if most is op.MAXREPEAT else most)
        elif kind is op.BRANCH:
            size += sum(map(_size, value[1]))
        else:
            size += 1 + sum(map(_size, _inner(kind, value)))
    return size


def _place(where: Any) -> Callable[[int, str | None], bool]:
    if where in {op.AT_BEGINNING, op.AT_BEGINNING_STRING}:
        return lambda behind, ahead: bool(behind & _START)
    if where in {op.AT_END, op.AT_END_STRING}:
        return lambda behind, ahead: ahead is None
    boundary = where is op.AT_BOUNDARY
    return lambda behind, ahead: (bool(behind & _WORD) != (ahead is not None and _is_word(ahead))) == boundary


def _taker(kind: Any, value: Any, flags: int) -> Callable[[str], bool]:
    """Which characters one place in the pattern takes."""
    if kind is op.ANY:
        return lambda character: True
    if kind is op.LITERAL:
        test = _one_of([(op.LITERAL, value)], flags)
    elif kind is op.NOT_LITERAL:
        test = _one_of([(op.NEGATE, None), (op.LITERAL, value)], flags)
    elif kind is op.IN:
        test = _one_of(value, flags)
    else:
        raise Refused(
            "The pattern repeats, and looks around, refers back or keeps what it took: that could take forever. "
            "Search for a part of it."
        )
    return test


def _one_of(items: list[tuple[Any, Any]], flags: int) -> Callable[[str], bool]:
    negated = items[0][0] is op.NEGATE
    tests = [*_tests(items[1:] if negated else items, flags)]
    if not flags & re.IGNORECASE:
        return lambda character: any(test(character) for test in tests) != negated
    return lambda character: any(test(form) for form in _cases(character) for test in tests) != negated


def _tests(items: list[tuple[Any, Any]], flags: int) -> Iterator[Callable[[str], bool]]:
    for kind, value in items:
        if kind is op.LITERAL:
            yield chr(value).__eq__
        elif kind is op.RANGE:
            yield _between(*value)
        else:
            yield _category(value, bool(flags & re.ASCII))


def _between(least: int, most: int) -> Callable[[str], bool]:
    return lambda character: least <= ord(character) <= most


def _category(category: Any, only_ascii: bool) -> Callable[[str], bool]:
    name = str(category).removeprefix("CATEGORY_")
    test, wanted = _CATEGORIES[name.removeprefix("NOT_")], not name.startswith("NOT_")
    return lambda character: (test(character) and (not only_ascii or character.isascii())) == wanted


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CATEGORIES = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": _is_word}


def _cases(character: str) -> set[str]:
    return {form for form in (character, character.lower(), character.upper()) if len(form) == 1}
