"""Patterns: globs match as a shell's do, and no regular expression takes longer than its text is long."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lerim.errors import Refused
from lerim.runtime.patterns import Automaton, Exhausted, Glob, LineSearch, Work

# Globs


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("*.md", ["a.md", "ü.md"], ["a.txt", "x/a.md", ".a.md"]),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt", ".x/a.md", "x/.a.md"]),
        ("**", ["a", "x/a", "x/y/a"], [".a", "x/.a"]),
        ("x/**", ["x/a", "x/y/a"], ["a", "y/x/a"]),
        ("x/**/y/*", ["x/y/a", "x/z/y/a"], ["x/a", "y/a"]),
        ("**/**/a", ["a", "x/a", "x/y/a"], ["b"]),
        ("./a?[0-9]", ["ab1"], ["a1", "abc"]),
        ("[!a]", ["b"], ["a"]),
        (".x/*", [".x/a"], ["x/a", ".x/.a"]),
        ("a[", ["a["], ["a"]),
        ("(a+)+$", ["(a+)+$"], ["aaa"]),
    ],
)
def test_a_glob_matches_names_between_slashes(pattern: str, matching: list[str], other: list[str]) -> None:
    """`*` stays within a name, `**` spans folders, hidden names must be asked for."""
    found = [path for path in [*matching, *other] if _matches(Glob(pattern), path)]

    assert matching == found


def _matches(glob: Glob, path: str) -> bool:
    at = glob.begin()
    for name in path.split("/"):
        at = glob.step(at, name)
    return glob.matches(at)


def test_many_stars_are_no_more_work_than_few() -> None:
    """Positions in the pattern are followed together: their number is bounded by its length."""
    glob = Glob("**/a/" * 50 + "b")
    at = glob.begin()
    for _ in range(200):
        at = glob.step(at, "a")

    assert len(at) <= 102
    assert glob.matches(glob.step(at, "b"))


# Regular expressions

HOSTILE = [
    r"(a+)+$",
    r"(a*)*[bc]$",
    r"(a|a)+$",
    r"(a|aa)+$",
    r"(\w|\d)+$",
    r"(a?){30}a{30}$",
    r"(.*a){20}$",
    r"(.*)*[xy]$",
    r"a*a*a*a*a*a*a*[bc]",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(\s*\w+\s*)*[;:]$",
    r"(?i)(A+)+$",
    r".*.*.*[=:].*$",
    r"((((((((((a+)+)+)+)+)+)+)+)+)+)+$",
    r"[^b]{500}[bc]",
    r"(a|b|ab|aa|ba){9}c?[xy]",
]


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize("length", [1_000, 20_000])
def test_a_pattern_that_would_hang_takes_work_linear_in_the_line(pattern: str, length: int) -> None:
    """Each of these needs more steps than there are atoms, tried one way after the other."""
    search = LineSearch(pattern)
    before = search.work.left

    assert search.end("a" * length + "!") is None

    spent = before - search.work.left
    assert 0 < spent <= 300 * length + 100_000_000


def test_a_search_that_costs_too_much_is_given_up() -> None:
    """Where the automaton learns something new at every character, its work runs out, not the reader's patience."""
    search = LineSearch(r"(a|b)*a(a|b){200}c", Work(5_000_000))
    bits = "".join("ab"[int(bit)] for bit in f"{3**6000:b}")

    with pytest.raises(Exhausted):
        search.end(bits)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "empty"),
        ("(a", "missing )"),
        ("a{2,1}", "min repeat greater than max repeat"),
        ("[z-a]", "bad character range z-a"),
        ("*a", "nothing to repeat"),
        ("(?P<n>a)(?P<n>b)", "redefinition of group name"),
        ("x" * 1001, "1001 characters"),
        ("(" * 400 + ")" * 400, "nested too deeply"),
        ("a{99999999999}", "repeats too often"),
        ("((a{1,99}){1,99}){1,99}", "repeats too often"),
        (r"(a+)+\1", "refers back"),
        (r"(?=(a+)+$)b*", "looks around"),
        (r"(.{99})\1\1\1", "refers back"),
        (r"(?L)a", "cannot use 'L' flag"),
    ],
)
def test_a_pattern_that_cannot_be_searched_for_is_refused(pattern: str, reason: str) -> None:
    """The message names what is wrong with it."""
    with pytest.raises(Refused, match=re.escape(reason)):
        LineSearch(pattern)


@pytest.mark.parametrize(
    ("pattern", "line", "end"),
    [
        ("token", "the token is", 9),
        ("auth|token", "the token is", 9),
        ("(?i)TOKEN", "the token is", 9),
        (r"\btok\b", "token tok", 9),
        ("auth.*token", "auth and token", 14),
        (r"(?<!no )token", "no token, a token", 17),
        (r"(a)\1", "xaa", 3),
        ("^$", "", 0),
        ("[[a]b", "x[b", 3),
        ("(x+)?", "", 0),
        ("é+", "caféé", 4),
    ],
)
def test_a_search_says_where_a_match_ends(pattern: str, line: str, end: int) -> None:
    """Whichever way the pattern is run."""
    assert end == LineSearch(pattern).end(line)


def _patterns() -> st.SearchStrategy[str]:
    atoms = st.sampled_from([*"abA_ 1.^$", "[ab]", "[^a]", "[a-c]", "[^\\W1]", *(f"\\{c}" for c in "wWdDsSb")])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=3).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda found: f"(?:{'|'.join(found)})"),
            st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?"])).map(
                lambda found: f"({found[0]}){found[1]}"
            ),
            inner.map(lambda found: f"(?i:{found})"),
        ),
        max_leaves=8,
    )


@given(_patterns(), st.text("abcABC_ 1.é\u00df", max_size=8))
def test_the_automaton_finds_what_re_finds(pattern: str, line: str) -> None:
    """The same lines match, and where it says that a match ends, one does."""
    regex, search = re.compile(pattern), LineSearch(pattern)
    tree = re._parser.parse(pattern)  # type: ignore[attr-defined]
    end = Automaton(tree, tree.state.flags, Work()).end(line)

    assert (regex.search(line) is None) == (end is None)
    assert (end is None) == (search.end(line) is None)


@given(_patterns(), st.text("abcABC_ 1.", max_size=8))
def test_what_a_pattern_needs_stands_in_every_match(pattern: str, line: str) -> None:
    """So a line without it can be passed over."""
    assume(re.search(pattern, line))

    assert LineSearch(pattern).needs in line
