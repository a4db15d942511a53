"""Text of others, made safe to print: nothing in it moves a cursor, hides, reorders or makes a line of its own.

What people write stays as it is: every script, accents, emoji and their joiners. The rest is spelled out, as `\\x1b`.
"""

from __future__ import annotations

import re
import unicodedata
from shlex import quote

from lerim.lazy_regex import compile_later

#: Marks that belong to one letter, at most: more than any script needs, fewer than a tower of them.
MAX_MARKS = 8

# Everything that is not plainly visible, or not always: controls, format characters, fillers, halves of characters,
# selectors, joiners, tags, and code points that never will be characters. One pass finds out that a text has none.
_ODD = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
)
_SUSPECT = compile_later(f"[{_ODD}]")
# Several of the odd ones are not caught twice: each is looked at with what stands before it.
_MARK_TOWER = compile_later(r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]{9,}")

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_EMOJI_SELECTORS = "\ufe0e\ufe0f"
_KEYCAPS = "0123456789#*\xa9\xae"
#: Scripts that join and part their letters with joiners: Arabic and its family, those of India, Khmer, Mongolian.
_JOINING = ((0x600, 0x109F), (0x1780, 0x18AF), (0xA800, 0xABFF), (0xFB50, 0xFDCF), (0xFE70, 0xFEFC), (0x10A00, 0x11FFF))
_IDEOGRAPHS = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFD))
_MONGOLIAN = ((0x1800, 0x1801), (0x1807, 0x1807), (0x1820, 0x18AA))
_MODIFIERS = ((0x1F3FB, 0x1F3FF),)


def printable(text: str) -> str:
    """Text of several lines: tabs and line feeds stay."""
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if not text.isascii():
        text = _MARK_TOWER.sub(lambda found: found[0][:MAX_MARKS] + _spelled(found[0][MAX_MARKS:]), text)
    return _SUSPECT.sub(_seen, text)


def one_line(text: str) -> str:
    """Text on one line, whatever it was: runs of white space become one space."""
    return printable(" ".join(text.split()))


def without_line_ends(text: str) -> str:
    """Text on one line whose other spaces are meant."""
    return printable(re.sub(r"\s*[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+\s*", " ", text))


def shell_word(text: str) -> str:
    """A text as one word of a command that is printed on one line, and that a shell reads as it is."""
    if one_line(text) == text:
        return quote(text)
    spelled = "".join(
        letter if (letter.isalnum() and letter.isascii()) or letter in "/._-" else _bytes(letter) for letter in text
    )
    return f"$'{spelled}'"


def move_away(path: str) -> str:
    """What to type to have something out of the way, as a hint says it."""
    return f"move it away: mv {shell_word(path)} {shell_word(f'{path}.away')}"


def _bytes(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))


def json_text(document: str) -> str:
    """A JSON document that says the same, and shows nothing that a terminal would obey."""
    return _SUSPECT.sub(_escaped_in_json, document)


def _seen(found: re.Match[str]) -> str:
    text, at = found.string, found.start()
    character = found[0]
    is_meant = _is_meant(character, text[at - 1 : at], text[at + 1 : at + 2], text[at - 2 : at - 1])
    return character if is_meant else _spelled(character)


def _is_meant(character: str, before: str, after: str, earlier: str) -> bool:
    """Whether an unseen character does there what it is for; then it changes what its neighbors look like."""
    if not before:
        return False
    if character in _EMOJI_SELECTORS:
        return before in _KEYCAPS or _is_symbol(before)
    if character == _ZWJ and _is_emoji(before, earlier):
        return _is_symbol(after)
    if character in (_ZWJ, _ZWNJ):
        return _is_in(before, _JOINING) and unicodedata.category(before)[0] in "LM"
    if "\ufe00" <= character <= "\ufe0d":
        return _is_in(before, _IDEOGRAPHS) or unicodedata.category(before) == "Sm"
    if "\U000e0100" <= character <= "\U000e01ef":
        return _is_in(before, _IDEOGRAPHS)
    return character in "\u180b\u180c\u180d\u180e\u180f" and _is_in(before, _MONGOLIAN)


def _is_emoji(before: str, earlier: str) -> bool:
    """A picture, or one with its selector or its color of skin."""
    return _is_symbol(before) or (before == "\ufe0f" and _is_symbol(earlier))


def _is_symbol(character: str) -> bool:
    return bool(character) and (
        (unicodedata.category(character) in ("So", "Sm", "Po") and ord(character) > 0x7F)
        or _is_in(character, _MODIFIERS)
    )


def _is_in(character: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in ranges)


def _spelled(text: str) -> str:
    return "".join(_code(character) for character in text)


def _code(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _escaped_in_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
