"""Text taken apart into words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.text.words import STOP, is_unspaced, pairs, pieces, spelled, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run tests/conftest.py, then stop.", ["run", "tests/conftest.py", "then", "stop"]),
        ("use --no-cache with C++ or C#", ["use", "--no-cache", "with", "c++", "or", "c#"]),
        ("Don’t touch the user's file", ["don't", "touch", "the", "user's", "file"]),
        ("node@20, host:8080 and v1.2.", ["node@20", "host:8080", "and", "v1.2"]),
        ("_private (jwt_token)", ["_private", "jwt_token"]),
        ("数据库 and pnpm", ["数据", "据库", "and", "pnpm"]),
        ("…!? —", []),
    ],
)
def test_a_name_of_code_is_one_word(text: str, expected: list[str]) -> None:
    """Marks around a word are none of it, marks within are; quotes of all sorts are one."""
    assert expected == words(text)


@given(st.text(alphabet="aZ9_'’.:@+- —“”→…ⓐ\n"))
def test_marks_of_any_sort_change_no_word(text: str) -> None:
    """A dash, an arrow or a quotation mark parts words as a blank does."""
    plain = "".join(" " if character in "—“”→…ⓐ" else character for character in text.replace("’", "'"))

    assert words(plain) == words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/auth/jwt_token.py", ["src", "auth", "jwt", "token", "py"]),
        ("Don't ask", ["Don't", "ask"]),
        ("Python 3.12", ["Python", "3", "12"]),
        ("___", []),
    ],
)
def test_pieces_are_letters_and_digits(text: str, expected: list[str]) -> None:
    """Whoever asks for `token` means the one in `jwt_token`, too."""
    assert expected == pieces(text)


@given(st.text())
def test_words_stand_in_their_text(text: str) -> None:
    """Nothing is made up: as they are spelled they are slices, in order; in lower case they have no white space."""
    at = 0
    for word in spelled(text):
        at = text.index(word, at) + len(word)
    assert all(word and not any(letter.isspace() for letter in word) for word in words(text))


@given(st.text(min_size=1))
def test_pairs_cover_a_word(word: str) -> None:
    """Each neighbor stands beside the other once."""
    found = pairs(word)

    assert word == found[0] + "".join(pair[1:] for pair in found[1:])
    assert all(len(pair) == 2 for pair in found) or len(word) == 1


def test_a_script_without_spaces_is_known_by_its_characters() -> None:
    """Chinese, Japanese, Korean and Thai are; Greek is not."""
    assert all(map(is_unspaced, ("数据", "カナ", "한국어", "ภาษา")))
    assert not any(map(is_unspaced, ("data", "größe", "λόγος")))


def test_no_stop_word_turns_a_statement_around() -> None:
    """Two statements that differ in one of these say the opposite, so it must count."""
    assert STOP.isdisjoint({"not", "no", "never", "without", "before", "after", "instead", "off"})


def test_stop_words_are_words() -> None:
    """Each is compared with what `words` gives, so it must come out of it as it is."""
    assert {word: words(word) for word in STOP} == {word: [word] for word in STOP}
