"""Words without their endings."""

from __future__ import annotations

import string
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer

from lerim.text.stems import stem


@pytest.mark.parametrize(
    "forms",
    [
        "test tests tested testing",
        "decide decides decided deciding",
        "commit commits committed committing",
        "migration migrations migrate migrated",
        "retry retries retried",
        "user user's users",
        "keep keeps kept keeping",
        "write writes wrote written writing",
    ],
)
def test_forms_of_a_word_are_one(forms: str) -> None:
    """What is said in one form is found in another."""
    assert 1 == len({stem(form) for form in forms.split()})


@pytest.mark.parametrize("pair", ["new news", "general generate", "import important"])
def test_words_that_only_look_alike_stay_apart(pair: str) -> None:
    """A stemmer that takes too much off makes one of them."""
    one, two = pair.split()
    assert stem(one) != stem(two)


@pytest.mark.parametrize("name", ["is", "v2", "3.12", "tests/conftest.py", "jwt_token", "größe", "数据", "f" * 40, ""])
def test_what_is_no_plain_word_stays_as_it_is(name: str) -> None:
    """Names, numbers, paths, hashes and other languages have no English endings."""
    assert name == stem(name)


@given(st.text(string.ascii_lowercase + "'", max_size=40))
def test_a_stem_is_never_empty_and_hardly_ever_longer(word: str) -> None:
    """Snowball may put an e back, and takes no whole word away."""
    assert bool(stem(word)) == bool(word)
    assert len(stem(word)) <= len(word) + 2


@given(st.text(string.ascii_lowercase + "'", min_size=1, max_size=32).filter(lambda word: stem(word) == word))
def test_a_word_that_stays_is_one_that_snowball_leaves(word: str) -> None:
    """Only what it would not change is kept from it, and the one word that is kept apart from `import`."""
    assume(word != "important")

    assert EnglishStemmer().stemWord(word) in ({word, ""} if len(word) > 2 else {word, word[1:], ""})


def test_threads_do_not_disturb_each_other() -> None:
    """The stemmer keeps the word it works on; runs look at many records at the same time."""
    words = [
        f"{letter}{other}{ending}"
        for letter in "bcdfg"
        for other in "abcde"
        for ending in ("tings", "tation", "nesses")
    ]
    expected = {word: stem(word) for word in words}
    stem.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(stem, words * 20))

    assert [expected[word] for word in words * 20] == found
