"""Regular expressions: any comes back in time linear in the text, and what cannot is refused with the reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lerim
from lerim import regex
from lerim.regex import PatternError, Regex

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


@pytest.mark.timeout(10)
@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_pattern_that_would_hang_comes_back(pattern: str) -> None:
    """Each of these needs more steps than there are atoms, tried one way after the other."""
    assert Regex(pattern).end("a" * 20_000 + "!") is None


@pytest.mark.timeout(20)
def test_matches_that_each_look_at_all_the_rest_end_with_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other they would take time that grows with the square of the text."""
    monkeypatch.setattr(regex, "MAX_STEPS", 100_000_000)
    sought = Regex("(?s)a.*b|a")
    spans = [*sought.spans("a" * 1_000_000)]

    assert 2 < len(spans) < 100
    assert [(index, index + 1) for index in range(len(spans) - 1)] == spans[:-1]
    assert (len(spans) - 1, 1_000_000) == spans[-1]


def test_many_matches_are_all_found() -> None:
    """What a text is likely to hold is far from the bound."""
    text = "ACME-123456 and then\n" * 5_000

    assert [m.span() for m in re.finditer(r"ACME-\d{6}", text)] == [*Regex(r"ACME-\d{6}").spans(text)]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "is empty"),
        ("(a", "missing )"),
        ("a{2,1}", "from more to less: {2,1}"),
        ("[z-a]", "z-a"),
        ("*a", "no argument for repetition"),
        ("x" * 1001, "1001 characters"),
        ("a{1001}", "repeats too often"),
        ("((a{1,99}){1,99}){1,99}", "repeats too often"),
        (r"\pL{100}", "repeats too often"),
        (r"(a+)+\1", "refers back"),
        (r"(?P<n>a)(?P=n)", "refers back"),
        (r"(?=(a+)+$)b*", "looks around"),
        (r"(?<!no )token", "looks around"),
        ("a++", "keeps what it took"),
        ("(?>a)", "keeps what it took"),
        ("(a)?(?(1)b|c)", "has a condition"),
        (r"a\Z", r"written \z"),
        ("a{,3}", "written {0,3}"),
        (r"a\C", r"\C"),
        ("a\ud800", "half a character"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(pattern: str, reason: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The message says what is wrong, and the library prints nothing of its own."""
    with pytest.raises(PatternError, match=re.escape(reason)):
        Regex(pattern)

    assert ("", "") == capfd.readouterr()


@pytest.mark.parametrize(
    ("pattern", "text", "end"),
    [
        ("token", "the token is", 9),
        ("auth|token", "the token is", 9),
        ("(?i)TOKEN", "the token is", 9),
        ("(?i)É", "é", 1),
        (r"\btok\b", "token tok", 9),
        ("auth.*token", "auth and token", 14),
        ("^$", "", 0),
        ("[[a]b", "x[b", 3),
        ("(x+)?", "", 0),
        ("é+", "caféé", 5),
        (r"\\C", r"\C", 2),
        (r"\{,3}", "{,3}", 4),
        (r"\pL+", "größe", 5),
        # Where it differs from `re`:
        (r"\w+", "größe", 2),
        (r"é\b", "é", None),
        ("a$", "a\n", None),
    ],
)
def test_it_says_where_a_match_ends(pattern: str, text: str, end: int | None) -> None:
    """In characters, not in bytes."""
    assert end == Regex(pattern).end(text)


def test_halves_of_characters_are_characters_like_others() -> None:
    """Agents leave them in traces; no text stops a search, and no place moves."""
    assert [(1, 3)] == [*Regex("x.").spans("\ud800x\udfff")]


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
def test_it_finds_what_re_finds(pattern: str, line: str) -> None:
    """In a line, where `\\w` and its like mean ASCII."""
    # As a flag: of a group that is ASCII, `re.search` skips what does not begin like one of Unicode.
    found = re.search(pattern, line, re.ASCII) is not None

    assert found == (Regex(pattern).end(line) is not None)


def test_no_group_of_a_pattern_is_possessive() -> None:
    """Before 3.11.5, Python's own expressions find too little where a group repeats without giving back: a quotation
    would pass for the user's words. A possessive class of characters is sound."""
    found = [
        f"{path.name}:{number}"
        for path in sorted(Path(lerim.__file__).parent.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"(?<!\\)\)(?:[?*+]|\{\d*,?\d*\})\+|\(\?>", line)
    ]

    assert [] == found
