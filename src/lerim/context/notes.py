"""A person's plain notes as drafts of memories. Pure: text in, values out; only `read_file` touches the disk.

Lines become blocks (heading, list item, paragraph, fence, table), blocks gather under their headings, and each block
becomes one draft or the reason why it is none. No line is dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePath
from textwrap import dedent
from typing import Final

from lerim.context.blocks import (
    COMMENT,
    HEADING,
    IMPORT,
    ITEM,
    NUMBER,
    Block,
    Shape,
    blocks,
    end_of_run,
    paragraphs,
    shape_of,
)
from lerim.context.face import markdown
from lerim.context.face.folder import slug
from lerim.context.records import LESSONS, MAX_TITLE, Draft, Kind, Primitive
from lerim.errors import InvalidRecord, MarkdownError
from lerim.text.sentences import sentence_spans

CONFIDENCE: Final = 0.7
SOURCE: Final = "import"
#: Longer prose tells a story; a memory is one statement.
MAX_PROSE_LINES: Final = 5
#: A titled note up to this length is one thought; a longer one is a document.
MAX_NOTE_LINES: Final = 60
MAX_HEADING_TAGS: Final = 3


@dataclass(frozen=True)
class Note:
    """One draft, and the lines of the file it was read from."""

    draft: Draft
    path: str
    line: int
    last_line: int


@dataclass(frozen=True)
class Unplaced:
    """Lines that became no draft, as they stand in the file, and why."""

    path: str
    line: int
    text: str
    reason: str

    @property
    def last_line(self) -> int:
        return self.line + self.text.count("\n")


@dataclass
class Notes:
    """What one file holds, in its order."""

    found: list[Note] = field(default_factory=list)
    unplaced: list[Unplaced] = field(default_factory=list)


def read_notes(text: str, path: str) -> Notes:
    """The drafts in one Markdown or text file, and what could not be placed. Never raises, whatever the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        document = markdown.parse(text.encode("utf-8", "surrogatepass"))
    except MarkdownError as error:
        return _unreadable(text, path, error)
    if document.header and not document.body.strip():
        return Notes(unplaced=[Unplaced(path, 1, text.rstrip("\n"), "frontmatter without a text below it")])
    origin = _Origin.of(document, path)
    lines = document.body.split("\n")
    first = text.count("\n", 0, len(text) - len(document.body) - len(document.tail)) + 1
    sections = list(_sections(paragraphs(lines, first) if origin.is_text else blocks(lines, first)))
    if origin.title and len(lines) <= MAX_NOTE_LINES and not any(section.is_graph for section in sections):
        return _whole_note(text, document.body, sections, origin)
    return _placed(sections, origin)


def _unreadable(text: str, path: str, error: MarkdownError) -> Notes:
    lines = text.split("\n")
    line = min(error.line, len(lines))
    # Half a surrogate pair would stop whoever prints it.
    shown = lines[line - 1].encode("utf-8", "replace").decode()
    return Notes(unplaced=[Unplaced(path, line, shown, f"the whole file: {error.problem}")])


@dataclass(frozen=True)
class _Origin:
    """What a file says about all of its notes."""

    path: str
    title: str
    type: str
    tags: tuple[str, ...]

    @classmethod
    def of(cls, document: markdown.Document, path: str) -> _Origin:
        title, kind, tags = (document.values.get(key) for key in ("title", "type", "tags"))
        if isinstance(tags, str):
            tags = tags.split("," if "," in tags else None)
        return cls(path, _word(title), _word(kind), tuple(map(_word, tags)) if isinstance(tags, list) else ())

    @property
    def is_text(self) -> bool:
        return PurePath(self.path).suffix.lower() == ".txt"


def _word(value: object) -> str:
    return "" if value is None or isinstance(value, list | dict | set | tuple) else " ".join(str(value).split())


_HOW_TO = re.compile(
    r"\b(how[ -]?to|steps?|set[ -]?up|releas(e|es|ing)|deploy\w*|install\w*|getting started|quick ?start|build(ing)?|"
    r"run(ning)?|publish\w*|procedure|workflow|runbook|upgrad\w*|migrat\w*|roll ?back|commands?|usage)\b",
    re.IGNORECASE,
)
_GENERIC: Final = re.compile(
    r"(claude|agents?|gemini|readme)(-md)?|cursorrules|overview|introduction|about|notes?|general|misc|other|summary|"
    r"important|guidelines|rules|instructions|observations|relations|.{41,}"  # A heading this long is a sentence.
)


@dataclass(frozen=True)
class _Section:
    """The blocks under one heading, and the headings above them, outermost first."""

    headings: tuple[str, ...]
    blocks: list[Block]

    @property
    def is_how_to(self) -> bool:
        return bool(self.headings and _HOW_TO.search(self.headings[-1]))

    @property
    def is_graph(self) -> bool:
        return self.under("observations") or self.under("relations")

    def under(self, name: str) -> bool:
        return any(heading.casefold() == name for heading in self.headings)

    @property
    def tags(self) -> tuple[str, ...]:
        names = [name for name in map(slug, self.headings) if name and not _GENERIC.fullmatch(name)]
        return tuple(names[-MAX_HEADING_TAGS:])

    def add(self, block: Block) -> None:
        """Put a block in, or to the one before it: code to what it follows, steps to steps."""
        steps = self.is_how_to and _is_step(block)
        before = self.blocks[-1] if self.blocks else None
        owns = before and block.shape is Shape.FENCE and before.shape in (Shape.ITEM, Shape.PARAGRAPH)
        if before and (owns or (steps and before.shape is Shape.STEPS)):
            before.lines += [""] * (block.line - before.last_line - 1) + block.lines
        else:
            block.shape = Shape.STEPS if steps else block.shape
            self.blocks.append(block)


def _sections(blocks: Iterable[Block]) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    section = _Section((), [])
    for block in blocks:
        if block.shape is not Shape.HEADING:
            section.add(block)
            continue
        yield section
        level, text = _heading(block)
        path = [*(above for above in path if above[0] < level), (level, text)]
        section = _Section(tuple(text for _, text in path), [])
    yield section


def _heading(block: Block) -> tuple[int, str]:
    if found := HEADING.match(block.lines[0]):
        level, text = len(found[1]), re.sub(r"\s#+$", "", block.lines[0][found.end() :].rstrip())
    else:
        level, text = (1 if "=" in block.lines[1] else 2), block.lines[0]
    return level, _unnumbered(_plain(text))


def _unnumbered(heading: str) -> str:
    number = NUMBER.match(heading)
    return heading[number.end() :] if number else heading


def _is_step(block: Block) -> bool:
    item = ITEM.match(block.lines[0])
    return block.shape is Shape.FENCE or bool(block.shape is Shape.ITEM and item and item[2])


_Sort = tuple[Primitive, Kind | None]
_DECISION: Final[_Sort] = (Primitive.DECISION, None)
_INSIGHT: Final[_Sort] = (Primitive.LEARNING, Kind.INSIGHT)
_PROCEDURE: Final[_Sort] = (Primitive.LEARNING, Kind.PROCEDURE)
_FRICTION: Final[_Sort] = (Primitive.LEARNING, Kind.FRICTION)
_PITFALL: Final[_Sort] = (Primitive.LEARNING, Kind.PITFALL)
_PREFERENCE: Final[_Sort] = (Primitive.LEARNING, Kind.PREFERENCE)
_NO_MEMORIES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (r"", "an empty bullet"),
        (r"\[[ x-]\](\s.*)?|(todo|fixme)\b.*", "a task, not a memory"),
        (r"(\[?!\[[^\]]*\]\([^)]*\)(\]\([^)]*\))?\s*)+", "a badge or an image"),
        (r"(\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?https?://\S+)[.;,]?", "only a link"),
        (IMPORT.pattern, "an import of another file"),
        (r"this (file|document) (provides|contains|describes|gives)\b.*", "about the file itself"),
        (r"[\W_]*", "no words in it"),
    )
)
_SHELL = re.compile(r"^(`{3,}|~{3,})[ \t]*(bash|sh|shell|zsh|fish|console|powershell)\b", re.MULTILINE)


def _placed(sections: Iterable[_Section], origin: _Origin) -> Notes:
    notes = Notes()
    for section in sections:
        for block in section.blocks:
            if outcome := _understood(block, section, origin):
                _keep(notes, block, outcome, origin.path)
    return notes


def _keep(notes: Notes, block: Block, outcome: Draft | str, path: str) -> None:
    outcome = _checked(outcome) if isinstance(outcome, Draft) else outcome
    if isinstance(outcome, Draft):
        notes.found.append(Note(outcome, path, block.line, block.last_line))
    else:
        notes.unplaced.append(Unplaced(path, block.line, "\n".join(block.lines), outcome))


def _checked(draft: Draft) -> Draft | str:
    """The draft as it will be kept, or why it cannot be."""
    try:
        record = draft.record(datetime(1970, 1, 1, tzinfo=UTC), bytes)  # Only to be judged: any time, any id will do.
    except InvalidRecord as error:
        return error.message
    return replace(draft, title=record.title, tags=record.tags)


def _understood(block: Block, section: _Section, origin: _Origin) -> Draft | str | None:
    """The block's draft, the reason why it has none, or None when there is nothing to tell."""
    match block.shape:
        case Shape.ITEM:
            return _from_item(block, section, origin)
        case Shape.PARAGRAPH:
            return _from_paragraph(block, section, origin)
        case Shape.STEPS:
            title, body = _titled(section.headings[-1], _below(block.lines))
            return _draft(_PROCEDURE, title, body, section.tags + origin.tags)
        case Shape.COMMENT:
            return _from_comment(block)
        case Shape.FENCE:
            return "code without words that say what it is for"
        case Shape.TABLE:
            return "a table"
    return "an import of another file"


def _from_comment(block: Block) -> str | None:
    if "-->" not in block.lines[-1]:
        return "a comment that is never closed"
    return "words beside a comment" if COMMENT.sub("", "\n".join(block.lines)).strip() else None


def _from_item(block: Block, section: _Section, origin: _Origin) -> Draft | str:
    text, rest = _split(block)
    if section.under("relations") and "[[" in text:
        return "a relation; links are not imported"
    if reason := _no_memory(text):
        return reason
    if section.under("observations") and (observation := _OBSERVATION.match(text)):
        return _observed(observation[1], observation[2], rest, origin)
    return _stated(text, rest, _by_wording(text), section.tags + origin.tags)


def _from_paragraph(block: Block, section: _Section, origin: _Origin) -> Draft | str:
    text, rest = _split(block)
    if reason := _no_memory(text):
        return reason
    if (len(block.lines) if origin.is_text else _own_end(block)) > MAX_PROSE_LINES:
        return f"prose of more than {MAX_PROSE_LINES} lines; write what matters as single points"
    # Prose under a heading describes, whatever verbs it uses. Plain text has no bullets: there it is the statement.
    how_to = rest and (section.is_how_to or _SHELL.search(rest))
    sort = _by_wording(text) if origin.is_text else _PROCEDURE if how_to else _INSIGHT
    return _stated(text, rest, sort, section.tags + origin.tags)


def _split(block: Block) -> tuple[str, str]:
    """The block's own words on one line, without marker and quote signs, and what hangs below them."""
    end = _own_end(block)
    marker = ITEM.match(block.lines[0])
    own = [block.lines[0][marker.end() if marker else 0 :], *block.lines[1:end]]
    return " ".join(re.sub(r"^(>\s?)+", "", line.strip()) for line in own), _below(block.lines[end:])


def _own_end(block: Block) -> int:
    return end_of_run(block.lines, 1, lambda line: shape_of(line) is Shape.PARAGRAPH)


def _below(lines: list[str]) -> str:
    return dedent("\n".join(lines)).strip("\n")


def _no_memory(text: str) -> str | None:
    return next((reason for pattern, reason in _NO_MEMORIES if pattern.fullmatch(text.strip())), None)


def _stated(text: str, rest: str, sort: _Sort, tags: Iterable[str]) -> Draft | str:
    if text.rstrip().endswith((":", "：")) and not rest:
        return "an introduction to what follows"
    title, body = _titled(text, rest)
    if title.isascii() and " " not in title and not body:
        return "one word does not stand on its own"
    return _draft(sort, title, body, tags)


def _draft(sort: _Sort, title: str, body: str, tags: Iterable[str]) -> Draft:
    primitive, kind = sort
    return Draft(primitive, title, body, kind, tuple(tags), CONFIDENCE, SOURCE)


def _whole_note(text: str, body: str, sections: list[_Section], origin: _Origin) -> Notes:
    words = next((_split(block)[0] for section in sections for block in section.blocks), "")
    sort = _by_category(origin.type) or _by_category(PurePath(origin.path).parent.name)
    title, full = _titled(origin.title, body.strip("\n"))
    draft = _draft(sort or _by_wording(f"{origin.title}. {words}"), title, full, origin.tags)
    notes = Notes()
    _keep(notes, Block(Shape.PARAGRAPH, 1, text.rstrip("\n").split("\n")), draft, origin.path)
    return notes


# An observation, as basic-memory writes it: `- [category] content #tag (context)`.
_OBSERVATION = re.compile(r"\[([^\[\]]+)\]\s+(.+)")
_CONTEXT = re.compile(r"\(([^()]*)\)$")
_TAG = re.compile(r"#(?!\d+$)[\w/-]+$")  # A number alone is an issue.
_CATEGORIES: Final[Mapping[str, _Sort]] = {
    label: sort
    for sort, name in [
        *(((primitive, primitive.default_kind), primitive) for primitive in LESSONS),
        *(((Primitive.LEARNING, kind), kind) for kind in Kind),
    ]
    for label in (str(name), *name.traits.also, *name.traits.labels)
}


def _by_category(name: str) -> _Sort | None:
    word = name.strip().casefold()
    return _CATEGORIES.get(word) or _CATEGORIES.get(word.removesuffix("s"))


def _observed(category: str, content: str, rest: str, origin: _Origin) -> Draft | str:
    found = _CONTEXT.search(content.rstrip())
    words = (content[: found.start()] if found else content).split()
    tags = [word for word in words if _TAG.match(word)]
    while words and _TAG.match(words[-1]):
        words.pop()
    if reason := _no_memory(" ".join(words)):
        return reason
    sort = _by_category(category)
    title, body = _titled(" ".join(words), rest)
    context = f"Context: {found[1].strip()}" if found and found[1].strip() else ""
    parts = (body, context, f"From the note '{origin.title or PurePath(origin.path).stem}'.")
    named = [] if sort else [slug(category)]
    return _draft(sort or _INSIGHT, title, "\n\n".join(filter(None, parts)), [*tags, *named, *origin.tags])


_COMMAND: Final = r"`(?:\$ )?(?:make|just|npm|pnpm|yarn|cargo|pytest|tox|ruff|mypy|\./[^`]+|[a-z][\w./-]* [^`]+)`"
#: The first that is found decides. English only: a note in another language is an insight, which is never wrong.
_WORDINGS: Final[tuple[tuple[re.Pattern[str], _Sort], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), sort)
    for pattern, sort in (
        (r"\bwe(?:'re)? (?:now )?(?:use|using|chose|picked|went with)\b|\bdecided\b|\bno longer use", _DECISION),
        (r"(?<!not )(?<!n't )(?<!never )\buse\b.{1,120}\binstead of\b|\b(?:is|are) the standard\b", _DECISION),
        (r"\b(?:breaks|fails|crashes|will (?:break|fail|crash))\b", _PITFALL),
        (r"\b(?:careful|gotchas?|beware|warning|traps?)\b", _PITFALL),
        (r"\b(?:always|never|do not|don't|prefer|avoid|must|should)\b", _PREFERENCE),
        (r"^run\b|\brun `[^`]+` to\b|^to\b[^.]{1,120}[,:] (?:run|use|execute|call|type)\b", _PROCEDURE),
        (rf"^(?:[^:`]{{1,40}}: *)?{_COMMAND}(?! (?:takes?|is|are|was)\b)", _PROCEDURE),
        (r"\b(?:slow|flaky|annoying|takes? (?:\S+ )?\d+ ?(?:s|secs?|seconds?|mins?|minutes?|h|hours?))\b", _FRICTION),
    )
)
_LINKS: Final = (
    (COMMENT, ""),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]"), r"\1"),
    (re.compile(r"\[!(\w+)\]"), r"\1:"),  # GitHub's > [!WARNING]
)
_CODE: Final = re.compile(r"`+([^`]+)`+")
_EMPHASIS: Final = (
    # Bold may begin before a code span and end after it, so each pair of stars goes by its neighbors: `src/**` stays.
    (re.compile(r"(?<![\w/*])\*\*(?=[^\s/*]|$)|(?<![\s/*])\*\*(?![\w/*])"), ""),
    # One word between double underscores is Python's: `__init__` stays.
    (re.compile(r"(?<!\w)__(?=\S)([^_]*[^\w][^_]*)__(?!\w)"), r"\1"),
    (re.compile(r"(?<![\w*/.])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*/.])"), r"\1"),
    (re.compile(r"(?<![\w/.])_(?=[^\s_])([^_]*[^\s_])_(?![\w/])"), r"\1"),
)
# Shorter than this it is a label, no sentence, unless it ends as only Chinese and Japanese sentences do.
_LABEL: Final = 20
# Far more than a title can hold; keeps the patterns away from a megabyte on one line.
_LOOK_AT: Final = 2000


def _by_wording(text: str) -> _Sort:
    # What a statement is, it says at its beginning; the rest explains.
    words = text[: 2 * MAX_TITLE].replace("**", "").replace("’", "'")
    return next((sort for pattern, sort in _WORDINGS if pattern.search(words)), _INSIGHT)


def _titled(text: str, rest: str) -> tuple[str, str]:
    """A title, and the body: what hangs below, after the full text where the title does not say all of it."""
    title = _plain(text).rstrip(":： ")
    if len(title) > MAX_TITLE:
        ends = (span.end for span in sentence_spans(title))
        title = title[: next((end for end in ends if end > _LABEL or title[end - 1] in "。！？"), None)]
    if len(title) > MAX_TITLE:
        cut = title[: MAX_TITLE - 1]
        title = f"{cut.rpartition(' ')[0] or cut}…"
    is_complete = _letters(title) == _letters(text)
    return title, rest if is_complete else f"{text}\n\n{rest}".strip("\n")


def _plain(text: str) -> str:
    """Text without Markdown's signs. Code keeps its letters and loses its backticks."""
    text = text[:_LOOK_AT]
    for pattern, put in _LINKS:
        text = pattern.sub(put, text)
    parts = _CODE.split(text)
    for pattern, put in _EMPHASIS:
        parts[::2] = [pattern.sub(put, part) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _letters(text: str) -> str:
    return re.sub(r"[\s*_`:：]", "", text)
