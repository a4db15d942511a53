"""What texts are found by: word stems, names of code, and scripts without spaces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.search.terms import SMALL, SMALL_WORDS, terms
from lerim.text.words import STOP


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rotating tokens", ["rotat", "token"]),
        ("httpOnly cookies", ["http", "onli", "httpon", "cooki"]),
        ("getHTTPResponse()", ["get", "http", "respons", "gethttprespons"]),
        ("src/auth/jwt_token.py", ["src", "auth", "jwt", "token", "py"]),
        ("Python 3.12", ["python", "3", "12"]),
        ("don't, the user's", ["dont", "the", "user"]),
        ("Größe, café", ["gross", "cafe"]),
        ("数据库迁移", ["数据", "据库", "库迁", "迁移"]),
        ("", []),
    ],
)
def test_names_of_code_are_found_whole_and_in_pieces(text: str, expected: list[str]) -> None:
    """People ask for `cookie`, `only`, `httpOnly` or `jwt_token`: each finds it."""
    assert expected == terms(text)


@given(st.text())
def test_any_text_has_terms(text: str) -> None:
    """Nothing that people or agents write breaks it, and a text in capitals says the same."""
    assert all(terms(text))
    assert all(term == term.strip() and term for term in terms(text))


def test_small_words_are_terms_themselves() -> None:
    """They are compared with terms, so they must have gone through the same stemmer."""
    assert {"the", "how", "doe", "us"} <= SMALL


def test_the_small_terms_are_those_of_the_small_words() -> None:
    """They are written out in the code; a word more, and this says which term is missing."""
    expected = {term for word in (*STOP, *SMALL_WORDS) for term in terms(word)}

    assert expected == SMALL
