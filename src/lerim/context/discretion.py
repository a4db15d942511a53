"""What of a conversation does not belong into a file that others get: who said what to whom, and where they live.

A memory file says a statement, its reason and references; the exchange stays in the store, as quotes of evidence.
What Lerim writes itself passes `discreet`; what a person writes is theirs, and `lerim memory check --share` shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from lerim.context.records import Record
from lerim.glance import seldom


class RevealKind(StrEnum):
    """What a file would reveal."""

    TALK = "talk"  # the conversation itself: who said what, or a long run of somebody's words
    PATH = "path"  # a folder of this machine
    EMAIL = "email"
    NAME = "name"  # of the person who works here
    SECRET = "secret"
    TRACE = "trace"  # a whole conversation


class RevealedSpan(NamedTuple):
    """Where a text reveals something."""

    start: int
    end: int
    kind: RevealKind


#: So many words in a row are a passage of the conversation, not a statement of it.
PASSAGE_WORDS = 45
_LABELED = re.compile(r"^(?:\*\*)?(?:Agent|User|Human|Assistant|In reply to)(?:\*\*)?:(?:\*\*)?\s", re.MULTILINE)
_IN_PATH = r"[^\s\\/'\"`<>|*?,;:()\[\]{}]+"
# `/home/settings` may be a page of a site: only what lies deeper is somebody's folder.
_PATH = re.compile(
    rf"(?<![\w./\\~-])(?:file://)?"
    rf"(?:(?P<home>/home/{_IN_PATH}(?=/)|(?:/mnt/[a-z])?/[U]sers/{_IN_PATH}|/root(?=/)|[A-Za-z]:[\\/][Uu]sers[\\/]{_IN_PATH})"
    rf"|(?P<temp>/(?:private/)?(?:tmp|var/folders|var/tmp)(?=/\w)|/(?:Volumes|media)/{_IN_PATH}|[A-Za-z]:(?=[\\/]\w)))"
    rf"(?P<rest>(?:[\\/]{_IN_PATH})*)[\\/]?"
)
# A tag has lost its capitals, by which a home folder on a Mac is told from a page.
_DEEP = re.compile(r"[~/](?:[^/]*/){2}")
# What a shell prints before a command: who is at which machine, and in which folder.
_PROMPT = re.compile(r"(?<![\w@/])[a-z_][\w.-]{0,31}@[\w.-]{1,64}:?[~/][\w/.~-]*[$#%>]", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+/@-])([\w.+-]{1,64})@((?:[\w-]{1,63}\.){1,4}([A-Za-z]{2,24}))(?![\w/:@-])")
# Mailboxes of nobody in particular.
_ROLES = frozenset(
    (
        *(
            "admin",
            "billing",
            "contact",
            "dev",
            "git",
            "help",
            "hello",
            "info",
            "mail",
            "no-reply",
            "noreply",
            "office",
        ),
        *("postmaster", "root", "sales", "security", "support", "team", "test", "user", "webmaster"),
    )
)
# `react@next.js` is a file or a package, and nobody's address.
_NO_DOMAIN = frozenset(
    (
        *("cjs", "css", "go", "html", "js", "json", "jsx", "lock", "md", "mjs", "py", "rb", "rs", "sh", "sql", "toml"),
        *("ts", "tsx", "txt", "yaml", "yml"),
    )
)
# What was private in a session, as its trace says it.
_PRIVATE = re.compile(r"\[redacted:(name|email|phone|card|iban|account|order|address)(?::[0-9a-f]{6})?\]")
_CURSE = (
    r"(?:holy |mother|bull|horse|dip|dumb)?(?:fuck(?:ing?|ed|ers?|s)?|shit(?:ty|s|show)?)"
    r"|god ?damn(?:ed|it)?|damn(?:ed|it)?|crap(?:py)?|bitch(?:es|ing)?|(?:ass|arse)holes?|bastards?|wtf|ffs|dumb ?ass"
)
_CURSED_VERDICT = re.compile(rf"\b(is|are|was|were|looks?|seems?|feels?|so) (?:{_CURSE})\b", re.IGNORECASE)
_CURSED_KIND = re.compile(r"\b(?:(?P<article>an?) )?(?:shitty|crappy)(?= \w)", re.IGNORECASE)
#: A curse that only colours what is said: before a word, behind "what", on its own between marks, or as "stuff" at the
#: end. "Don't fuck up the index" says something by it.
_COLOURS = seldom(
    r"\s*\b(?:(?:mother)?fucking?(?! (?:up|around|about|with|over|off)\b)|god ?damn(?:ed|it)?|damn(?:ed|it)?|wtf|ffs)"
    r"(?= (?!(?:it|is|are|was|did|do)\b)\w|\s*[,.;:!?]|\s*$)(?![\w./-])"
    rf"|(?:(?<=what)|(?<=why)|(?<=who)|(?<=how)|(?<=where)|(?<=when)) the (?:{_CURSE})\b"
    rf"|(?:^|(?<=[.,;:!?]))\s*(?:oh |ah )?(?:{_CURSE})(?: it)?(?=\s*(?:[.,;:!?](?!\w)|$))"
    r"|^(?:(?:oh|ah) )?(?:(?:holy )?(?:shit|crap)|damn it)(?= (?:i|we|you|it|that|this|the|there|they)\b)"
    r"|(?<=\w)\s+(?:(?:bull)?shit|crap)(?=\s*(?:[.,;:!?](?!\w)|$))",
    re.IGNORECASE,
)
_CURSED = seldom(rf"\b(?:{_CURSE})\b(?![-\w./])", re.IGNORECASE)
_LOOSE = re.compile(r" +(?=[,.;:!?])|(?<= ) +|^[ ,;:!.]+", re.MULTILINE)


def revealed(text: str, names: Iterable[str] = ()) -> Iterator[RevealedSpan]:
    """Where a text tells of the conversation, the machine or the person; `names` are what they go by."""
    for found in _LABELED.finditer(text):
        yield RevealedSpan(*found.span(), RevealKind.TALK)
    for pattern in (_PATH, _PROMPT):
        for found in pattern.finditer(text):
            yield RevealedSpan(*found.span(), RevealKind.PATH)
    for found in _EMAIL.finditer(text):
        if _is_persons(found):
            yield RevealedSpan(*found.span(), RevealKind.EMAIL)
    for name in names:
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
            yield RevealedSpan(*found.span(), RevealKind.NAME)


def passages(text: str, quotes: Iterable[str]) -> Iterator[RevealedSpan]:
    """Where a text repeats a long run of words of one of the quotes."""
    spans = [found.span() for found in re.finditer(r"\w+", text)]
    said = [text[start:end].lower() for start, end in spans]
    for quote in quotes:
        words = [word.lower() for word in re.findall(r"\w+", quote)]
        runs = {tuple(words[at : at + PASSAGE_WORDS]) for at in range(len(words) - PASSAGE_WORDS + 1)}
        at = next((at for at in range(len(said)) if tuple(said[at : at + PASSAGE_WORDS]) in runs), None)
        if at is not None:
            yield RevealedSpan(spans[at][0], spans[at + PASSAGE_WORDS - 1][1], RevealKind.TALK)


def discreet(text: str) -> str:
    """A text of Lerim's own without the exchange it came from, local folders, people's addresses, and curses."""
    told = "\n\n".join(part for part in text.split("\n\n") if _LABELED.match(part) is None)
    text = told if told.strip() else _LABELED.sub("", text)
    text = _PRIVATE.sub(lambda found: f"[{found[1]}]", text) if "[redacted:" in text else text
    return polite(_EMAIL.sub(_without_person, _PATH.sub(_short_path, _PROMPT.sub("$", text))))


def polite(text: str) -> str:
    """A text without its curses: what was called so is called bad, what only colours goes, and where the sentence needs
    the word it is masked. Left out, "we won't fuck it up" would say something else."""
    if _CURSED.search(text) is None:
        return text
    called = _CURSED_KIND.sub(
        lambda found: "a bad" if found["article"] else "bad", _CURSED_VERDICT.sub(r"\1 bad", text)
    )
    masked = _CURSED.sub(lambda found: f"{found[0][:1]}***", _COLOURS.sub("", called))
    kept = _LOOSE.sub("", masked).strip().rstrip(" ,;")
    return kept if any(character.isalnum() for character in kept) else text


def discreet_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags that name no local folder, no person and no curse."""
    return tuple(tag for tag in tags if not any(revealed(tag)) and not _DEEP.match(tag) and not _CURSED.search(tag))


def discreet_record(record: Record, before: Record | None = None) -> Record:
    """A record of Lerim's own as a file may say it. What `before` said already is not rewritten in passing."""
    changes: dict[str, object] = {}
    for name in ("title", "body", "description"):
        value = getattr(record, name)
        if value and (before is None or value != getattr(before, name)) and (new := discreet(value)) != value:
            changes[name] = new
    if (before is None or record.tags != before.tags) and (tags := discreet_tags(record.tags)) != record.tags:
        changes["tags"] = tags
    return replace(record, **changes) if changes else record  # type: ignore[arg-type]


def _short_path(found: re.Match[str]) -> str:
    """The end of a path: enough to know what is meant, and nothing of whose machine it is."""
    parts = [part for part in re.split(r"[\\/]", found["rest"]) if part and "@" not in part[1:]]
    if found["home"] and len(parts) <= 2:
        return "/".join(["~", *parts])
    return "/".join(["…", *(parts[-2:] if found["home"] else parts[-1:])])


def _is_persons(found: re.Match[str]) -> bool:
    who, domain, top = found.groups()
    return who.lower() not in _ROLES and top.lower() not in _NO_DOMAIN and "example" not in domain.lower()


def _without_person(found: re.Match[str]) -> str:
    return "[e-mail]" if _is_persons(found) else found[0]
