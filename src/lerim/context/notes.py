"""A person's plain notes as drafts of memories. Pure: text in, values out; only `read_file` touches the disk.

The text is cut into blocks (heading, list item, paragraph, fence, table), blocks are gathered under their headings,
and each block becomes one draft or the reason why it is none. No line is dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum, auto
from pathlib import Path, PurePath
from textwrap import dedent
from typing import Final

from lerim.context import markdown
from lerim.context.folder import slug
from lerim.context.records import MAX_TITLE, Draft, Kind, Primitive
from lerim.errors import InvalidRecord, MarkdownError

CONFIDENCE = 0.7
SOURCE = "import"
#: Prose longer than this tells a story; a memory is one statement.
MAX_PROSE_LINES = 5
#: A titled note up to this length is one thought; a longer one is a document.
MAX_NOTE_LINES = 60
MAX_HEADING_TAGS = 3
# A heading longer than this is a sentence, not a word to search by.
_MAX_HEADING_TAG = 40


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


def read_file(path: Path) -> Notes:
    """The notes in one file. A file that cannot be read is unplaced as a whole; one bad file must not stop a folder."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return Notes(unplaced=[Unplaced(str(path), 1, "", f"the whole file: {error.strerror or error}")])
    # Bytes that are no UTF-8 stay visible as what they are, so that the reason names their line.
    return read_notes(data.decode("utf-8", "surrogateescape"), str(path))


def read_notes(text: str, path: str) -> Notes:
    """The drafts in one Markdown or text file, and what could not be placed. Never raises, whatever the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        document = markdown.parse(text.encode("utf-8", "surrogatepass"))
    except MarkdownError as error:
        return _unreadable(text, path, error)
    except (AttributeError, IndexError, KeyError) as error:
        # PyYAML's answer to a value that is not what its tag says, such as `!!bool maybe`.
        return _unreadable(text, path, MarkdownError(f"broken YAML: {error!r}"))
    origin = _origin(document, path)
    before = len(text) - len(document.body) - len(document.tail)
    first = text.count("\n", 0, before) + 1
    lines = document.body.split("\n")
    sections = list(_sections(_chunks(lines, first) if origin.is_text else _blocks(lines, first)))
    if document.header and not document.body.strip():
        return Notes(unplaced=[_unplaced(path, 1, text, "frontmatter without a text below it")])
    if origin.title and len(lines) <= MAX_NOTE_LINES and not any(section.is_graph for section in sections):
        return _whole_note(_Block(_Shape.PARAGRAPH, 1, tuple(text.split("\n"))), document.body, sections, origin)
    return _placed(sections, origin)


# What a file says about all of its notes ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Origin:
    path: str
    title: str
    type: str
    tags: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        return PurePath(self.path).suffix.lower() == ".txt"

    @property
    def name(self) -> str:
        return self.title or PurePath(self.path).stem


def _origin(document: markdown.Document, path: str) -> _Origin:
    title, kind = (_scalar(document.values.get(key)) for key in ("title", "type"))
    return _Origin(path, title, kind, _file_tags(document.values.get("tags")))


def _scalar(value: object) -> str:
    return "" if value is None or isinstance(value, list | dict | set | tuple) else " ".join(str(value).split())


def _file_tags(value: object) -> tuple[str, ...]:
    """Tags as people write them: a list, `a, b` or `#a #b`."""
    if isinstance(value, str):
        value = value.split("," if "," in value else None)
    return tuple(filter(None, map(_scalar, value))) if isinstance(value, list) else ()


def _unreadable(text: str, path: str, error: MarkdownError) -> Notes:
    lines = text.split("\n")
    line = min(error.line, len(lines))
    return Notes(unplaced=[_unplaced(path, line, lines[line - 1], f"the whole file: {error.problem}")])


def _unplaced(path: str, line: int, text: str, reason: str) -> Unplaced:
    # Half a surrogate pair would stop whoever prints it.
    return Unplaced(path, line, text.encode("utf-8", "replace").decode(), reason)


# Lines to blocks ---------------------------------------------------------------------------------------------------


class _Shape(Enum):
    BLANK = auto()
    HEADING = auto()
    ITEM = auto()
    PARAGRAPH = auto()
    FENCE = auto()
    TABLE = auto()
    COMMENT = auto()
    IMPORT = auto()
    #: Numbered items, or code, that a how-to heading makes one procedure.
    STEPS = auto()


@dataclass(frozen=True)
class _Block:
    shape: _Shape
    line: int
    lines: tuple[str, ...]

    @property
    def last_line(self) -> int:
        return self.line + len(self.lines) - 1

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


_ITEM = re.compile(r"(\s*)(?:[-*+]|(\d{1,3})[.)])(?:\s+|$)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*(\w*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_UNDERLINE = re.compile(r" {0,3}(={2,}|-{2,})\s*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*\|[\s:|-]*$")
# `@docs/style.md` alone on a line: the agent reads that file too.
_IMPORT = re.compile(r"\s*@[^\s@]*[./][^\s@]*\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE_INDENT = 4


def _blocks(lines: Sequence[str], first: int) -> Iterator[_Block]:
    """The blocks of Markdown lines, the first of which is line `first`. Each line is in one block, or blank."""
    at = 0
    while at < len(lines):
        shape = _shape_at(lines, at)
        end = _ENDS[shape](lines, at)
        if shape is not _Shape.BLANK:
            yield _Block(shape, first + at, tuple(lines[at:end]))
        at = end


def _chunks(lines: Sequence[str], first: int) -> Iterator[_Block]:
    """The blocks of plain text: paragraphs between blank lines, and lists where somebody wrote one."""
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip():
            end += 1
        if end > at and _ITEM.match(lines[at]):
            yield from _blocks(lines[at:end], first + at)
        elif end > at:
            yield _Block(_Shape.PARAGRAPH, first + at, tuple(lines[at:end]))
        at = end + 1


def _shape_at(lines: Sequence[str], at: int) -> _Shape:
    shape = _shape_of(lines[at])
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if shape is _Shape.PARAGRAPH and _UNDERLINE.match(below):
        return _Shape.HEADING
    if shape is _Shape.PARAGRAPH and "|" in lines[at] and _TABLE_RULE.match(below):
        return _Shape.TABLE
    return shape


def _shape_of(line: str) -> _Shape:
    if not line.strip() or _RULE.match(line):
        return _Shape.BLANK
    if line.lstrip().startswith("<!--"):
        return _Shape.COMMENT
    if line.lstrip().startswith("|"):
        return _Shape.TABLE
    for pattern, shape in _OPENINGS:
        if pattern.match(line):
            return shape
    return _Shape.FENCE if _indent(line) >= _CODE_INDENT else _Shape.PARAGRAPH


_OPENINGS: Final = (
    (_FENCE, _Shape.FENCE),
    (_HEADING, _Shape.HEADING),
    (_ITEM, _Shape.ITEM),
    (_IMPORT, _Shape.IMPORT),
)


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _next_line(_: Sequence[str], at: int) -> int:
    return at + 1


def _heading_end(lines: Sequence[str], at: int) -> int:
    return at + 1 if _HEADING.match(lines[at]) else at + 2


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    # An indented line goes on with the paragraph: code needs a blank line before it.
    while at < len(lines) and (
        _shape_of(lines[at]) is _Shape.PARAGRAPH or (_indent(lines[at]) >= _CODE_INDENT and _is_code(lines[at]))
    ):
        at += 1
    return at


def _is_code(line: str) -> bool:
    return _shape_of(line) is _Shape.FENCE and not _FENCE.match(line)


def _table_end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and "|" in lines[at]:
        at += 1
    return at


def _comment_end(lines: Sequence[str], at: int) -> int:
    # One that is never closed goes to the end, as a browser reads it; looking further ahead would be quadratic.
    while at < len(lines) and "-->" not in lines[at]:
        at += 1
    return min(at + 1, len(lines))


def _fence_end(lines: Sequence[str], at: int) -> int:
    opening = _FENCE.match(lines[at])
    if not opening:
        return _code_end(lines, at)
    closing = re.compile(rf"\s*{opening[1][0]}{{{len(opening[1])},}}\s*$")
    at += 1
    while at < len(lines) and not closing.match(lines[at]):
        at += 1
    return min(at + 1, len(lines))


def _code_end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at].strip() and _indent(lines[at]) >= _CODE_INDENT:
        at += 1
    return at


def _item_end(lines: Sequence[str], at: int) -> int:
    """Where the item's own lines, its nested items and its fences end."""
    base = _indent(lines[at])
    at += 1
    while at < len(lines):
        after = _skip_blank(lines, at)
        if after > at and (after == len(lines) or _indent(lines[after]) <= base):
            return at
        if not _continues(lines, after, base, lazy=after == at):
            return at
        at = _fence_end(lines, after) if _FENCE.match(lines[after]) else after + 1
    return at


def _skip_blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _continues(lines: Sequence[str], at: int, base: int, *, lazy: bool) -> bool:
    """Whether the line belongs to the item above. Markdown lets a paragraph go on without its indent (`lazy`)."""
    indent = _indent(lines[at])
    if _ITEM.match(lines[at]):
        # One space more is a slip of the hand, not a child.
        return indent >= base + 2
    return indent > base or (lazy and _shape_at(lines, at) is _Shape.PARAGRAPH)


_ENDS: Final[Mapping[_Shape, Callable[[Sequence[str], int], int]]] = {
    _Shape.BLANK: _next_line,
    _Shape.IMPORT: _next_line,
    _Shape.HEADING: _heading_end,
    _Shape.ITEM: _item_end,
    _Shape.PARAGRAPH: _paragraph_end,
    _Shape.FENCE: _fence_end,
    _Shape.TABLE: _table_end,
    _Shape.COMMENT: _comment_end,
}


# Blocks to sections ------------------------------------------------------------------------------------------------

_HOW_TO = re.compile(
    r"\b(how[ -]?to|steps?|set[ -]?up|(pre-?)?releas(e|es|ing)|deploy\w*|install\w*|getting started|quick ?start|"
    r"build(ing)?|running|run|publish\w*|procedure|workflow|runbook|upgrad\w*|migrat\w*|roll ?back|commands?|usage)\b",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    "claude claude-md agents agents-md gemini-md cursorrules readme readme-md overview introduction about notes note "
    "general misc other summary important guidelines rules instructions observations relations".split()
)


@dataclass(frozen=True)
class _Section:
    """The blocks under one heading, and the headings above them, outermost first."""

    headings: tuple[str, ...]
    blocks: tuple[_Block, ...]

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
        names = [slug(heading) for heading in self.headings]
        said = [name for name in names if name and name not in _GENERIC and len(name) <= _MAX_HEADING_TAG]
        return tuple(said[-MAX_HEADING_TAGS:])


def _sections(blocks: Iterable[_Block]) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    under: list[_Block] = []
    for block in blocks:
        if block.shape is not _Shape.HEADING:
            under.append(block)
            continue
        yield _section(path, under)
        level, text = _heading(block)
        path, under = [*(above for above in path if above[0] < level), (level, text)], []
    yield _section(path, under)


def _section(path: list[tuple[int, str]], blocks: list[_Block]) -> _Section:
    # Code belongs to what stands right before it.
    owners = (_Shape.ITEM, _Shape.PARAGRAPH)
    blocks = _joined(blocks, lambda block, after: block.shape in owners and after.shape is _Shape.FENCE)
    section = _Section(tuple(text for _, text in path), tuple(blocks))
    return replace(section, blocks=tuple(_steps(blocks))) if section.is_how_to else section


def _heading(block: _Block) -> tuple[int, str]:
    if found := _HEADING.match(block.lines[0]):
        return len(found[1]), _plain(found[2] or "")
    return (1 if "=" in block.lines[1] else 2), _plain(block.lines[0])


def _steps(blocks: list[_Block]) -> list[_Block]:
    marked = [replace(block, shape=_Shape.STEPS) if _is_step(block) else block for block in blocks]
    return _joined(marked, lambda block, after: block.shape is after.shape is _Shape.STEPS)


def _is_step(block: _Block) -> bool:
    item = _ITEM.match(block.lines[0])
    return block.shape is _Shape.FENCE or bool(block.shape is _Shape.ITEM and item and item[2])


def _joined(blocks: list[_Block], belong: Callable[[_Block, _Block], bool]) -> list[_Block]:
    """The blocks, with each run of neighbours that belong together as one."""
    runs: list[list[_Block]] = []
    for block in blocks:
        if runs and belong(runs[-1][0], block):
            runs[-1].append(block)
        else:
            runs.append([block])
    return [_one(run) for run in runs]


def _one(run: list[_Block]) -> _Block:
    lines: list[str] = []
    for block in run:
        lines += [""] * (block.line - run[0].line - len(lines))
        lines += block.lines
    return replace(run[0], lines=tuple(lines))


# Blocks to drafts --------------------------------------------------------------------------------------------------

_Sort = tuple[Primitive, Kind | None]
_DECISION: Final[_Sort] = (Primitive.DECISION, None)
_INSIGHT, _PROCEDURE, _FRICTION, _PITFALL, _PREFERENCE = ((Primitive.LEARNING, kind) for kind in Kind)
_NO_MEMORIES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (r"", "an empty bullet"),
        (r"\[[ x-]\](\s.*)?|(todo|fixme)\b.*", "a task, not a memory"),
        (r"(\[?!\[[^\]]*\]\([^)]*\)(\]\([^)]*\))?\s*)+", "a badge or an image"),
        (r"(\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?https?://\S+)[.;,]?", "only a link"),
        (_IMPORT.pattern, "an import of another file"),
        (r"this (file|document) (provides|contains|describes|gives)\b.*", "about the file itself"),
        (r"[\W_]*", "no words in it"),
    )
)
_SHELL = frozenset({"bash", "sh", "shell", "zsh", "fish", "console", "terminal", "powershell", "cmd"})


def _placed(sections: Iterable[_Section], origin: _Origin) -> Notes:
    notes = Notes()
    for section in sections:
        for block in section.blocks:
            if outcome := _understood(block, section, origin):
                _keep(notes, block, outcome, origin.path)
    return notes


def _keep(notes: Notes, block: _Block, outcome: Draft | str, path: str) -> None:
    outcome = _checked(outcome) if isinstance(outcome, Draft) else outcome
    if isinstance(outcome, Draft):
        notes.found.append(Note(outcome, path, block.line, block.last_line))
    else:
        notes.unplaced.append(_unplaced(path, block.line, block.text, outcome))


def _checked(draft: Draft) -> Draft | str:
    try:
        draft.record(datetime(1970, 1, 1, tzinfo=UTC), bytes)  # Only to be judged: any time and any id will do.
    except InvalidRecord as error:
        return error.message
    return draft


def _understood(block: _Block, section: _Section, origin: _Origin) -> Draft | str | None:
    """The block's draft, the reason why it has none, or None when there is nothing to tell."""
    match block.shape:
        case _Shape.ITEM:
            return _from_item(block, section, origin)
        case _Shape.PARAGRAPH:
            return _from_paragraph(block, section, origin)
        case _Shape.COMMENT:
            return _from_comment(block, section, origin)
        case _Shape.STEPS:
            return _draft(_PROCEDURE, section.headings[-1], dedent(block.text).strip("\n"), origin.tags + section.tags)
        case _Shape.FENCE:
            return "code without words that say what it is for"
        case _Shape.TABLE:
            return "a table"
        case _:
            return "an import of another file"


def _from_comment(block: _Block, section: _Section, origin: _Origin) -> Draft | str | None:
    words = _COMMENT.sub("", block.text)
    if "<!--" in words:
        return "a comment that is never closed"
    return _from_paragraph(replace(block, lines=tuple(words.split("\n"))), section, origin) if words.strip() else None


def _from_item(block: _Block, section: _Section, origin: _Origin) -> Draft | str:
    head, rest = _split(block)
    text = " ".join(head)
    if section.under("relations") and "[[" in text:
        return "a relation; links are not imported"
    if reason := _no_memory(text):
        return reason
    if section.under("observations") and (observation := _OBSERVATION.match(text)):
        return _observed(observation[1], observation[2], rest, origin)
    return _stated(text, rest, _by_wording(text), origin.tags + section.tags)


def _from_paragraph(block: _Block, section: _Section, origin: _Origin) -> Draft | str:
    head, rest = _split(block)
    text = " ".join(head)
    if reason := _no_memory(text):
        return reason
    if len(block.lines if origin.is_text else head) > MAX_PROSE_LINES:
        return f"prose of more than {MAX_PROSE_LINES} lines; write what matters as single points"
    # Prose under a heading describes, whatever verbs it uses. Plain text has no bullets: there it is the statement.
    sort = _by_wording(text) if origin.is_text else _by_code(rest, section)
    return _stated(text, rest, sort, origin.tags + section.tags)


def _by_code(rest: str, section: _Section) -> _Sort:
    fence = _FENCE.search(rest)
    return _PROCEDURE if rest and (section.is_how_to or (fence and fence[2] in _SHELL)) else _INSIGHT


def _split(block: _Block) -> tuple[list[str], str]:
    """The block's own words, without marker and quote signs, and what hangs below them."""
    head = [_ITEM.sub("", block.lines[0], count=1)]
    for line in block.lines[1:]:
        if _shape_of(line) not in (_Shape.PARAGRAPH, _Shape.HEADING) and not _is_code(line):
            break
        head.append(line)
    rest = dedent("\n".join(block.lines[len(head) :])).strip("\n")
    return [re.sub(r"^(>\s?)+", "", line.strip()) for line in head], rest


def _no_memory(text: str) -> str | None:
    return next((reason for pattern, reason in _NO_MEMORIES if pattern.fullmatch(text.strip())), None)


def _stated(text: str, rest: str, sort: _Sort, tags: tuple[str, ...]) -> Draft | str:
    if text.rstrip().endswith((":", "：")) and not rest:
        return "an introduction to what follows"
    title, body = _titled(text, rest)
    if title.isascii() and " " not in title and not body:
        return "one word does not stand on its own"
    return _draft(sort, title, body, tags)


def _draft(sort: _Sort, title: str, body: str, tags: Iterable[str]) -> Draft:
    primitive, kind = sort
    return Draft(primitive, title, body, kind, tuple(dict.fromkeys(tags)), CONFIDENCE, SOURCE)


def _whole_note(whole: _Block, body: str, sections: list[_Section], origin: _Origin) -> Notes:
    words = [" ".join(_split(block)[0]) for section in sections for block in section.blocks[:1]]
    folders = reversed(PurePath(origin.path).parts[:-1])
    named = next(filter(None, map(_by_category, [origin.type, *folders])), None)
    sort = named or _by_wording(". ".join([origin.title, *words[:1]]))
    title, full = _titled(origin.title, body.strip("\n"))
    notes = Notes()
    _keep(notes, whole, _draft(sort, title, full, origin.tags), origin.path)
    return notes


# Observations: `- [category] content #tag (context)` ----------------------------------------------------------------

_OBSERVATION = re.compile(r"\[([^\[\]]+)\]\s+(.+)")
_CONTEXT = re.compile(r"\s*\(([^()]*)\)\s*$")
# A number alone is an issue, not a tag.
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d][\w/-]*)")
_LAST_TAGS = re.compile(rf"(?:(?:^|\s+){_TAG.pattern})+\s*$")
_CATEGORIES: Final[Mapping[str, _Sort]] = {
    **dict.fromkeys(("decision", "adr"), _DECISION),
    **dict.fromkeys(("preference", "style"), _PREFERENCE),
    **dict.fromkeys(("technique", "method", "process", "howto", "how-to", "step", "procedure", "runbook"), _PROCEDURE),
    **dict.fromkeys(("issue", "problem", "bug", "gotcha", "warning", "risk", "pitfall"), _PITFALL),
    **dict.fromkeys(("friction", "pain"), _FRICTION),
    **dict.fromkeys(("insight", "learning"), _INSIGHT),
}


def _by_category(name: str) -> _Sort | None:
    word = name.strip().casefold()
    return _CATEGORIES.get(word) or _CATEGORIES.get(word.removesuffix("s"))


def _observed(category: str, content: str, rest: str, origin: _Origin) -> Draft | str:
    found = _CONTEXT.search(content)
    context = f"Context: {found[1]}" if found and found[1].strip() else ""
    content = content[: found.start()] if found else content
    words = _LAST_TAGS.sub("", content).strip()
    if reason := _no_memory(words):
        return reason
    title, body = _titled(words, rest)
    sort = _by_category(category)
    tags = [*_TAG.findall(content), *origin.tags, *([] if sort else [slug(category)])]
    parts = (body, context, f"From the note '{origin.name}'.")
    return _draft(sort or _INSIGHT, title, "\n\n".join(filter(None, parts)), tags)


# Words -------------------------------------------------------------------------------------------------------------

_COMMAND = r"`(?:\$ )?(?:(?:make|just|npm|pnpm|yarn|cargo|pytest|tox|ruff|mypy|\./\S+)|[a-z][\w./-]* [^`]+)`"
#: The first that matches decides. English only: a note in another language is an insight, which is never wrong.
_WORDINGS: Final[tuple[tuple[re.Pattern[str], _Sort], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), sort)
    for pattern, sort in (
        (r"\bwe(?:'re)? (?:now )?(?:use|using|chose|picked|went with)\b|\bdecided\b|\bno longer use", _DECISION),
        (r"(?<!not )(?<!n't )(?<!never )\buse\b.{1,120}\binstead of\b|\b(?:is|are) the standard\b", _DECISION),
        (r"\bbreaks\b|\bfails\b|\bcrashes\b|\bwill (?:break|fail|crash)\b", _PITFALL),
        (r"\bcareful\b|\bgotchas?\b|\bbeware\b|\bwarning\b|\btraps?\b", _PITFALL),
        (r"\b(?:always|never|do not|don't|prefer|avoid|must|should)\b", _PREFERENCE),
        (r"run\b|to\b[^.]{1,120}[,:] (?:run|use|execute|call|type)\b|.*\brun\b .+ to\b", _PROCEDURE),
        (rf"(?:[^:`]{{1,40}}: *)?{_COMMAND}(?! (?:takes?|is|are|was)\b)", _PROCEDURE),
        (r"\bslow\b|\bflaky\b|\bannoying\b|\btakes? (?:\S+ )?\d+ ?(?:s|sec|min|hour|h\b)", _FRICTION),
    )
)
# These look at how a statement begins; the others look anywhere in it.
_SPAN = re.compile(r"`+([^`]+)`+")
_LINKS: Final = (
    (_COMMENT, ""),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]"), r"\1"),
    (re.compile(r"\[!(\w+)\]"), r"\1:"),
)
_EMPHASIS: Final = (
    (re.compile(r"\*\*(?=\S)(.+?)\*\*"), r"\1"),
    (re.compile(r"~~(?=\S)(.+?)~~"), r"\1"),
    # One word between double underscores is Python's: `__init__` stays.
    (re.compile(r"(?<!\w)__(?=\S)([^_]*[^\w][^_]*)__(?!\w)"), r"\1"),
    (re.compile(r"(?<![\w*/.])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*/.])"), r"\1"),
    (re.compile(r"(?<![\w_/.])_(?=[^\s_])([^_]*[^\s_])_(?![\w_/])"), r"\1"),
    (re.compile(r"</?(?:br|b|i|em|strong|kbd|code|details|summary|div|p|img|a|sub|sup|span|center)\b[^>]*>"), ""),
)
# The full stop of an abbreviation ends no sentence.
_SENTENCE = re.compile(r".+?(?:(?<!e\.g)(?<!i\.e)(?<!etc)(?<! vs)[.!?](?=\s)|[。！？])")
# Far more than a title can hold; keeps the patterns away from a megabyte on one line.
_LOOK_AT = 4000


def _by_wording(text: str) -> _Sort:
    words = text[:_LOOK_AT].replace("**", "").replace("’", "'")
    return next((sort for pattern, sort in _WORDINGS if pattern.search(words)), _INSIGHT)


def _titled(text: str, rest: str) -> tuple[str, str]:
    """A title, and the body: what hangs below, after the full text where the title does not say all of it."""
    whole = _plain(text)
    title = whole.rstrip(":：").rstrip()
    if len(title) > MAX_TITLE:
        sentence = _SENTENCE.match(title)
        title = _shortened(sentence[0] if sentence else title)
    body = rest if _letters(title) == _letters(text) else f"{text}\n\n{rest}"
    return title, body.strip("\n")


def _plain(text: str) -> str:
    """Text without Markdown's signs. Code keeps its letters and loses its backticks."""
    text = text[:_LOOK_AT]
    for pattern, put in _LINKS:
        text = pattern.sub(put, text)
    parts = _SPAN.split(text)
    for pattern, put in _EMPHASIS:
        parts[::2] = [pattern.sub(put, part) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _shortened(title: str) -> str:
    if len(title) <= MAX_TITLE:
        return title
    cut = title[: MAX_TITLE - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _letters(text: str) -> str:
    return re.sub(r"[\s*_`~:：]", "", text)
