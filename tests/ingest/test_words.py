"""What statements are about, and what many texts say."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from lerim.ingest.words import Lexicon, distinct, parts, stems

_WORDS = st.text(string.ascii_letters + string.digits + "'._/-", min_size=1, max_size=12)


def test_a_statement_is_about_its_telling_words() -> None:
    """In whatever form; when it has none, all of them count."""
    assert stems("We should always keep the migrations") == stems("a migration kept")
    assert stems("We should") == frozenset({"we", "should"})


def test_a_lexicon_knows_words_in_any_form_and_the_pieces_of_names() -> None:
    """`tests/conftest.py` is also a conftest."""
    lexicon = Lexicon(distinct(["Dying workers were retried", "see tests/conftest.py"]))

    assert stems("die worker retry conftest test") == lexicon.known(stems("die worker retry conftest test yarn"))


@given(st.lists(_WORDS, max_size=30))
def test_a_lexicon_knows_every_stem_of_its_texts(texts: list[str]) -> None:
    """Looked up or listed: the same."""
    everything = parts(frozenset().union(*(stems(text) for text in texts)))

    assert everything == Lexicon(distinct(texts)).known(everything)
