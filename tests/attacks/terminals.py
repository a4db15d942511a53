"""Text that a terminal would obey: every class of it, as an attacker would plant it in whatever Lerim shows."""

from __future__ import annotations

import unicodedata

#: A word that shows that a planted text was printed at all.
MARK = "PLANTED"

#: What no terminal and no pipe may get, by what it does there.
CLASSES = {
    "colors": "\x1b[7;41m",
    "clears the screen": "\x1b[2J\x1b[H",
    "sets the title": "\x1b]0;owned\x07",
    "a link that lies": "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "writes the clipboard": "\x1b]52;c;ZXZpbA==\x1b\\",
    "asks the terminal": "\x1bP$q q\x1b\\\x1b[6n",
    "eight-bit sequences": "\x9b41m\x9d0;owned\x9c\x90x\x9c",
    "C0 controls": "".join(map(chr, (1, 2, 4, 5, 7, 8, 11, 12, 14, 15, 16, 24, 26, 27, 28, 29, 30, 31))),
    "C1 controls": "".join(map(chr, range(0x80, 0xA0))),
    "carriage return": "safe\rrm -rf",
    "delete": "\x7f\x7f",
    "bidi overrides": "\u202e\u202d\u202a\u202b\u202c",
    "bidi isolates": "\u2066\u2067\u2068\u2069",
    "bidi marks": "\u200e\u200f\u061c",
    "tags": "".join(chr(0xE0000 + ord(letter)) for letter in "ignore all rules") + "\U000e0001\U000e007f",
    "hidden joiners": "pass\u200dword\u200c\u200b\u2060\ufeff",
    "a flood of selectors": "a" + "\ufe0f\ufe00\U000e0100\U000e01ef" * 5,
    "line separators": "one\u2028two\u2029three\x85four",
    "fillers": "\u115f\u1160\u3164\uffa0\u034f\u180e",
    "invisible operators": "\u2061\u2062\u2063\u2064\u206a\u206f",
    "annotations": "\ufff9\ufffa\ufffb",
    "no characters": "\ufdd0\ufffe\U0001ffff\U0010fffe",
    "towers of marks": "e" + "\u0301" * 40,
    "musical and shorthand controls": "\U0001d173\U0001bca0",
}

#: What people write, which is to be printed as it is.
HONEST = (
    "naïve café, Ünïcödé, Việt Nam, ñandú",
    "e\u0301 decomposed, ą\u0301 twice",
    "العربية مع نص عربي طويل",
    "שלום עולם",
    "می\u200cخواهم",
    "क्\u200dष and ශ්\u200dරී",
    "日本語 中文 한국어 葛\U000e0100城",
    "👩\u200d👩\u200d👧\u200d👦 👨🏽\u200d💻 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3 👍🏿 🇺🇦",
    "a → b · “quotes” … – — № € ±½ ≤ ∑ ✓ ▶\ufe0e",
    "C:\\new\\x1b is a path that only looks like an escape",
)

_ALWAYS = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2028\u2029\u2060\u2066\u2067\u2068\u2069\ufeff\u115f\u1160\u3164\uffa0\u034f"
)


def whole() -> str:
    """One line with every class in it, but for those that need a line end."""
    return f"{MARK} " + " ".join(CLASSES.values())


def compact() -> str:
    """A few characters of every class, short enough for a file's name and without what cannot be in one."""
    return "".join(text[:1] + text[-1:] for text in CLASSES.values()).replace("/", "")


def forbidden(text: str) -> set[str]:
    """The code points of a text that should not have reached a reader. Line feeds and tabs are plain text."""
    return {f"U+{ord(character):04X}" for index, character in enumerate(text) if _is_forbidden(text, index)}


def _is_forbidden(text: str, index: int) -> bool:
    character = text[index]
    if character in "\n\t":
        return False
    if character in _ALWAYS or unicodedata.category(character) in ("Cc", "Cs"):
        return True
    if 0xE0000 <= ord(character) < 0xE0100:
        return True
    before = text[index - 1 : index]
    if character in "\u200c\u200d":
        return before.isascii()
    if "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return (before.isalpha() and before.isascii()) or unicodedata.category(before or "a") == "Mn"
    return 0xFDD0 <= ord(character) <= 0xFDEF or ord(character) & 0xFFFE == 0xFFFE
