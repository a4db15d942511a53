"""Text → its words, and which of them say nothing of its subject. Pure.

There are two grains. A word may be a name of code and stays whole: `tests/conftest.py`, `--no-cache`, `c++`. A piece is
what letters and digits make: `tests`, `conftest`, `py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from lerim.lazy_regex import compile_later
from lerim.text.recall import recalled

_WORD = compile_later(r"[^\W_](?:[\w'’./:@#+-]*[\w+#])?|_[\w.]+|--?[a-zA-Z][\w-]+")
# The same in ASCII and lower case, which most text is: twice as quick.
_PLAIN_WORD = compile_later(r"[a-z0-9][a-z0-9_'./:@#+-]*(?<=[a-z0-9_+#])|_[a-z0-9_.]+|--?[a-z][a-z0-9_-]+")
_FOREIGN_LETTER = compile_later(r"[^\x00-\x7f\W]")
_PIECE = compile_later(r"[^\W_]+(?:['’][^\W_]+)*")
# Chinese, Japanese, Korean and Thai: what the words of a line are is not to be seen.
_UNSPACED = compile_later(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")

_STOP_WORDS = """
a about all also am an and any are as at be because been being both but by can could did do does doing done each few
for from get gets got had has have having he her here him his how i if in into is it its just let like made make makes
may me might more most must my now of on once only onto or other our out over own per please shall she should so some
such than that the their them then there these they this those through to too up us use used uses using very via was
we were what when where which while who whom whose why will with would you your
i'm i'll i've it's that's we're we'll we've you're you'll there's here's they're let's
"""
#: Words that stand in any text and say nothing of its subject. None of them turns a statement around: "not", "without",
#: "before" and "after" are for those to add who only look for a subject.
STOP = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """The words in lower case, in order, names of code whole. A script without spaces gives pairs of its characters."""
    return [*_words(text)]


@recalled
def _words(text: str) -> Sequence[str]:
    if text.isascii():
        return _PLAIN_WORD.findall(text.lower())
    text = text.lower().replace("’", "'")
    if _FOREIGN_LETTER.search(text) is None:
        # Dashes, arrows and quotation marks stand in no word.
        return _PLAIN_WORD.findall(text)
    found: list[str] = _WORD.findall(text)
    if _UNSPACED.search(text) is None:
        return found
    return [part for word in found for part in (pairs(word) if is_unspaced(word) else (word,))]


def spelled(text: str) -> list[str]:
    """The words as they stand there: a capital may tell a name."""
    return _WORD.findall(text)


def pieces(text: str) -> list[str]:
    """The runs of letters and digits as they stand there, in order. An apostrophe parts none."""
    return _PIECE.findall(text)


def is_unspaced(word: str) -> bool:
    """Whether a word is of a script that puts no spaces between words."""
    return not word.isascii() and _UNSPACED.search(word) is not None


def pairs(word: str) -> list[str]:
    """Each two neighbors among a word's characters: the nearest thing to words where nothing parts them."""
    return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
