"""One memory as Markdown with YAML frontmatter, both ways. Pure: text in, values out, and back.

Writing over an existing file changes only the keys whose values changed. Comments, unknown keys, key order,
quoting, line endings and the body's bytes stay as the person left them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from lerim.context.records import (
    VOICES,
    Evidence,
    Kind,
    Primitive,
    Record,
    RecordId,
    Status,
    Trust,
    conflict_line,
    implied_trust,
    named_speaker,
    parse_time,
    primitive_of,
    time_text,
    valid,
)
from lerim.dataclass import dataclass, replace
from lerim.errors import InvalidRecord, MarkdownError
from lerim.lazy_regex import compile_later

if TYPE_CHECKING:
    import yaml

FENCE = "---"
#: Begins what a file says where two edits of it collided: as git does it, with a name of ours.
HERE = "<<<<<<< edited here"
MAX_HEADER_BYTES = 64 * 1024
MAX_DEPTH = 8

_COMMON: Final = ("id", "title", "created", "updated", "valid_from", "source", "confidence", "tags")
_OPTIONAL: Final = ("status", "valid_until", "superseded_by", "evidence", "trust")
_SUMMARY: Final = (
    *("id", "title", "description", "date", "time", "coding_agent", "raw_trace_path", "run_id"),
    *("repo_name", "created", "source", "tags"),
)
#: The frontmatter of each primitive, in the order it is written.
KEYS: Final[Mapping[Primitive, tuple[str, ...]]] = {
    primitive: (
        *(_COMMON if primitive.is_lesson else _SUMMARY),
        *(("kind",) if primitive.default_kind else ()),
        *_OPTIONAL,
    )
    for primitive in Primitive
}
_ALWAYS_QUOTED = frozenset({"created", "updated", "date", "time", "valid_from", "valid_until"})
# Words YAML 1.1 would read as something else than text.
_RESERVED = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_PLAIN = compile_later(r"[^\W\d_](?:[\w ./()+,'-]*[\w/()+'.])?")


@dataclass(frozen=True)
class Document:
    """A file taken apart so that it can be put together again byte for byte."""

    values: Mapping[str, Any]
    #: Lines of the frontmatter between the fences, each with its line ending.
    header: tuple[str, ...]
    #: Which header lines hold which key: half-open ranges.
    spans: Mapping[str, tuple[int, int]]
    body: str
    #: What stood between the closing fence and the body, and after the body.
    lead: str
    tail: str
    newline: str
    bom: str = ""
    #: The opening and the closing fence as written, with their line endings; empty when there is no frontmatter.
    fences: tuple[str, str] = ("", "")

    def line_of(self, key: str) -> int:
        """The file's line (from 1) that holds `key`; the first when it has none."""
        return self.spans[key][0] + 2 if key in self.spans else 1


def parse(data: bytes) -> Document:
    """A file taken apart. Raises MarkdownError with the line that cannot be read.

    A file without frontmatter is a document without values: its whole text is the body.
    """
    text = _decode(data)
    if line := conflict_line(text):
        problem = "edited here and elsewhere at once; keep what holds and take the marks out"
        raise MarkdownError(problem if HERE in text else "unresolved git conflict", line=line)
    bom, text = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    lines = text.splitlines(keepends=True) if text.startswith(FENCE) else []
    if not lines or lines[0].rstrip() != FENCE:
        body, tail = _split_tail(text, newline)
        return Document({}, (), {}, body, "", tail, newline, bom)
    end = _closing_fence(lines)
    header = tuple(lines[1:end])
    values, spans = _read_yaml("".join(header))
    rest = "".join(lines[end + 1 :])
    lead = newline if rest.startswith(newline) else ""
    body, tail = _split_tail(rest[len(lead) :], newline)
    return Document(values, header, spans, body, lead, tail, newline, bom, (lines[0], lines[end]))


def diff(old: Record, new: Record) -> list[str]:
    """What changed between two versions of a record, line by line as a patch."""
    from difflib import unified_diff  # Start-up: only who compares needs it.

    before, after = (render(record).decode().splitlines() for record in (old, new))
    return list(unified_diff(before, after, f"version {old.version}", f"version {new.version}", lineterm=""))


def render(record: Record, over: Document | None = None) -> bytes:
    """The record's file. `over` is the file it replaces: what did not change in it stays as it is."""
    values = frontmatter(record)
    if over is None:
        newline = "\r\n" if "\r\n" in record.body else "\n"
        header = "".join(_entry(key, value, newline) for key, value in (values | dict(record.extra)).items())
        return f"{FENCE}{newline}{header}{FENCE}{newline}{newline}{record.body}{newline}".encode()
    newline = over.newline
    opening, closing = over.fences if over.fences[0] else (FENCE + newline, FENCE + newline)
    header = "".join(_spliced(over, record, values))
    lead = over.lead if over.fences[0] else newline
    body = f"{lead}{over.body}{over.tail}" if record.body == over.body else f"{newline}{record.body}{newline}"
    if body and not closing.endswith("\n"):
        closing += newline
    return f"{over.bom}{opening}{header}{closing}{body}".encode()


def frontmatter(record: Record) -> dict[str, Any]:
    """The known keys a record's file has, in order. Optional ones appear only when they say something."""
    values = {}
    for key in KEYS[record.primitive]:
        value = _claim(record) if key == "trust" else getattr(record, key)
        if key == "valid_from" and (value == record.created or not record.evidence):
            continue  # Only a session tells more of it than `created` does.
        if value is not None and key in _SAYERS:
            value = _SAYERS[key](value)
        if value is not None:
            values[key] = value
    return values


def read_record(document: Document, known: Record | None, fallback: Record) -> Record:
    """The record a file speaks of. Raises MarkdownError at the line of the key that is wrong.

    `known` is the record as the store has it: what files do not carry (quotes, version) comes from there, and what it
    knows of who spoke counts for more than what a file says.
    `fallback` fills what a person left out of a hand-written file.
    """
    base = known or replace(fallback, trust=Trust.UNKNOWN)
    try:
        keys = KEYS[base.primitive]
        given = {key: value for key, value in document.values.items() if key in keys and not _is_own(key, value)}
        changes = {key: _read(key, value, base) for key, value in given.items()}
        for key, nothing in _ABSENT.items():
            # A person who removes `status: superseded` takes it back; in a new file, what is not there says nothing.
            if key not in changes and known is not None:
                changes[key] = nothing
        if base.valid_from == base.created:
            changes.setdefault("valid_from", None)  # It is when it was created, whatever the file says of that.
        if known is None and base.primitive is Primitive.SUMMARY:
            changes["valid_from"] = changes.get("valid_from") or _session_began(changes)
        if known is None and "trust" not in given:
            changes["trust"] = implied_trust(base.primitive, changes.get("evidence", base.evidence))
        extra = {key: value for key, value in document.values.items() if key not in given}
        return valid(replace(base, **changes, body=document.body, extra=_plain(extra)))
    except InvalidRecord as error:
        raise MarkdownError(error.message, line=document.line_of(error.field)) from None


def _session_began(summary: Mapping[str, Any]) -> datetime | None:
    """When the session was that a summary tells of, as its file says: it may be read again long after."""
    with suppress(InvalidRecord):
        return parse_time(f"{summary.get('date') or ''}T{summary.get('time') or ''}Z")
    return None


def _read(key: str, value: Any, base: Record) -> Any:
    try:
        return _READERS[key](value, base)
    except InvalidRecord as error:
        raise error if error.field == key else InvalidRecord(key, error.message) from None
    except (ValueError, OverflowError) as error:
        # Numbers too large for a float or for their own digits.
        raise InvalidRecord(key, str(error)) from None


def _decode(data: bytes) -> str:
    if b"\0" in data:
        raise MarkdownError("a binary file, not Markdown", line=data[: data.index(b"\0")].count(b"\n") + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MarkdownError("not UTF-8 text", line=data[: error.start].count(b"\n") + 1) from None


def _split_tail(text: str, newline: str) -> tuple[str, str]:
    """The body, and the one line ending that closes the file."""
    for ending in (newline, "\n"):
        if text.endswith(ending):
            return text[: -len(ending)], ending
    return text, ""


def _closing_fence(lines: list[str]) -> int:
    size = 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            return number
        size += len(line)
        if size > MAX_HEADER_BYTES:
            raise MarkdownError(f"frontmatter longer than {MAX_HEADER_BYTES // 1024} KiB", line=number + 1)
    raise MarkdownError("the frontmatter has no closing '---'", line=1)


def _read_yaml(header: str) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    import yaml  # Only files that changed get here: a command that finds nothing new never pays for it.

    loader_class: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _refuse_bombs(header, loader_class)
        loader = loader_class(header)
        try:
            root = loader.get_single_node()
            if root is None:
                return {}, {}
            if not isinstance(root, yaml.MappingNode):
                raise MarkdownError("the frontmatter is not a list of 'key: value' lines", line=2)
            spans = _spans(root, header)
            # By the key as written: YAML would read a key called `on` as True.
            values = {str(key.value): _value(loader, key, value) for key, value in root.value}
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        # A character YAML forbids is located by its offset, everything else by a mark.
        line = mark.line if mark else header.encode()[: getattr(error, "position", 0)].count(b"\n")
        raise MarkdownError(f"broken YAML: {problem}", line=line + 2) from None
    return values, spans


def _value(loader: yaml.SafeLoader, key: yaml.Node, value: yaml.Node) -> Any:
    try:
        return _sayable(loader.construct_object(value, deep=True))
    except (ValueError, OverflowError, LookupError, AttributeError, TypeError) as error:
        # PyYAML constructs explicitly tagged values (`!!int ''`, `!!bool maybe`) with whatever error comes first.
        raise MarkdownError(f"broken YAML: {error}", line=key.start_mark.line + 2) from None


def _sayable(value: Any) -> Any:
    if isinstance(value, int):
        str(value)  # ValueError for a number with more digits than Python writes out
    return value


def _refuse_bombs(header: str, loader_class: type[yaml.SafeLoader]) -> None:
    """A few lines of aliases can unfold to gigabytes, and deep nesting can exhaust the stack."""
    import yaml

    depth = 0
    for event in yaml.parse(header, Loader=loader_class):
        line = event.start_mark.line + 2 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise MarkdownError("YAML anchors and aliases are not read in a memory", line=line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise MarkdownError("YAML nested too deeply", line=line)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _spans(root: yaml.MappingNode, header: str) -> dict[str, tuple[int, int]]:
    lines = header.splitlines()
    spans: dict[str, tuple[int, int]] = {}
    for key, value in root.value:
        start = key.start_mark.line
        end = max(value.end_mark.line + (1 if value.end_mark.column else 0), start + 1)
        # A block ends where the next key begins: comments and blank lines between belong to nobody.
        # In a block of text `#` is text.
        comment = "\0" if getattr(value, "style", None) in ("|", ">") else "#"
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith(comment)):
            end -= 1
        if str(key.value) in spans:
            raise MarkdownError(f"the key '{key.value}' stands twice", line=start + 2)
        spans[str(key.value)] = start, end
    return spans


def _spliced(over: Document, record: Record, values: Mapping[str, Any]) -> list[str]:
    """The old header with the changed keys rewritten, gone keys removed, and new keys after their neighbors."""
    lines: list[str | None] = list(over.header)
    if lines and lines[-1] is not None and not lines[-1].endswith("\n"):
        lines[-1] += over.newline
    wanted = {**values, **record.extra}
    if len({start for start, _ in over.spans.values()}) < len(over.spans):
        # A mapping in braces has several keys on one line: it cannot be changed line by line.
        return [_entry(key, value, over.newline) for key, value in wanted.items()]
    for key, (start, end) in over.spans.items():
        if _still_says(over, record, key):
            continue
        if key not in wanted:
            lines[start:end] = [None] * (end - start)
            _move_to_the_margin(lines, end)
        else:
            lines[start:end] = [_entry(key, wanted[key], over.newline), *[None] * (end - start - 1)]
    after: dict[int, str] = {}
    place = 0
    for key, value in wanted.items():
        if key in over.spans:
            place = over.spans[key][1]
        else:
            after[place] = after.get(place, "") + _entry(key, value, over.newline)
    out = [after.get(0, "")]
    for number, line in enumerate(lines, 1):
        out += [line or "", after.get(number, "")]
    return out


def _move_to_the_margin(lines: list[str | None], start: int) -> None:
    """Comments after a key that is gone would be text of the key before it, if that is a block: not at the margin."""
    for number, line in enumerate(lines[start:], start):
        if line is None or (line.strip() and not line.lstrip().startswith("#")):
            return
        lines[number] = line.lstrip(" ")


def _still_says(over: Document, record: Record, key: str) -> bool:
    """Whether the file's line means what the record holds, however it is written."""
    old = over.values[key]
    if key in _ATTRIBUTION and record.is_hearsay:
        # What a stranger's file claims stays in it: it counts once the project is trusted.
        return True
    if key not in KEYS[record.primitive] or key in record.extra:
        return key in record.extra and json.dumps(_plain(old)) == json.dumps(record.extra[key])
    if key == "trust":
        return _claim(record) == named_speaker(_text(old))
    try:
        reread = valid(replace(record, **{key: _read(key, old, record)}))
    except InvalidRecord:
        return False
    if key == "evidence" and _each_once(Evidence.parse(_text(item)) for item in old) != _each_once(record.evidence):
        return False
    return bool(getattr(reread, key) == getattr(record, key))


def _claim(record: Record) -> Trust | None:
    """What a file says of its record's trust: nothing when its evidence tells, or when it is not ours to say."""
    if record.trust in VOICES and record.trust is not implied_trust(record.primitive, record.evidence):
        return record.trust
    return None


def _is_own(key: str, value: Any) -> bool:
    """Whether a key of ours is used by a person for something else: kept as their own."""
    return key == "trust" and named_speaker(_text(value)) is Trust.UNKNOWN


#: What tells whose words a record rests on.
_ATTRIBUTION: Final = frozenset({"evidence", "trust"})
#: How a field is written in frontmatter; None when it is left out. The others are written as they are.
_SAYERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "tags": list,
    "evidence": lambda items: _each_once(items) or None,
    "status": lambda status: None if status is Status.ACTIVE else str(status),
    **dict.fromkeys(("kind", "superseded_by", "trust"), str),
    **dict.fromkeys(("created", "updated", "valid_from", "valid_until"), time_text),
}


def _entry(key: str, value: Any, newline: str) -> str:
    name = key if key in _READERS else _scalar(key)
    if isinstance(value, str):
        return f"{name}: {_quoted(value) if key in _ALWAYS_QUOTED else _scalar(value)}{newline}"
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        items = "".join([f"- {_scalar(item)}{newline}" for item in value])
        return f"{name}:{newline}{items}"
    # JSON is YAML: numbers, booleans, null, [] and nested values of a person's own keys.
    return f"{name}: {_quoted(value)}{newline}"


@lru_cache(maxsize=4096)  # Tags and sources come again and again.
def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return _quoted(text)


_json = json.JSONEncoder(ensure_ascii=False).encode
_SIMPLE = compile_later(r"[\w .:/#+-]*", re.ASCII)


def _quoted(value: Any) -> str:
    if isinstance(value, float) and "e" not in (text := repr(value)) and math.isfinite(value):
        return text
    if isinstance(value, str):
        if _SIMPLE.fullmatch(value):
            return f'"{value}"'
        text = _json(value)
    else:
        text = _json(value)
        # JSON writes 1e-05; YAML 1.1 takes that for text unless it has a dot.
        text = _EXPONENT.sub(lambda found: found[1] or f"{found[2]}.0", text)
    # JSON lets these stand; YAML calls them line breaks or forbids them.
    return _NEEDS_ESCAPE.sub(lambda found: "".join(f"\\u{unit:04x}" for unit in _utf16(found[0])), text)


_EXPONENT = compile_later(r'("(?:[^"\\]|\\.)*")|(?<![.\d])(\d+)(?=e)')
_NEEDS_ESCAPE = compile_later("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def _utf16(character: str) -> list[int]:
    data = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2)]


def _text(value: object) -> str:
    """A scalar as the person wrote it: YAML turns unquoted dates and numbers into values of their own."""
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def _plain(value: Any) -> Any:
    """Unknown keys as values JSON can hold."""
    if isinstance(value, dict):
        return {_text(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return _text(value)


def _read_line(name: str) -> Callable[[Any, Record], str]:
    def read(value: Any, _: Record) -> str:
        if isinstance(value, list | dict):
            raise InvalidRecord(name, "is not a line of text")
        return "" if value is None else _text(value)

    return read


def _read_clock(value: Any, _: Record) -> str:
    # YAML 1.1 reads an unquoted 15:30:00 as a number in base 60.
    if isinstance(value, int):
        return f"{value // 3600:02}:{value // 60 % 60:02}:{value % 60:02}"
    return _text(value)


def _read_time(name: str) -> Callable[[Any, Record], datetime]:
    return lambda value, _: parse_time(_text(value), name)


def _read_id(value: Any, base: Record) -> RecordId:
    primitive = primitive_of(_text(value))
    if primitive is not base.primitive:
        raise InvalidRecord("id", f"'{value}' names a {primitive}, but the file lies among {base.primitive} files")
    return RecordId(_text(value))


def _read_choice(name: str, choices: type[Kind] | type[Status]) -> Callable[[Any, Record], Kind | Status]:
    def read(value: Any, _: Record) -> Kind | Status:
        try:
            return choices(_text(value))
        except ValueError:
            raise InvalidRecord(name, f"'{value}' is not one of {', '.join(choices)}") from None

    return read


def _read_confidence(value: Any, _: Record) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidRecord("confidence", f"'{value}' is not a number between 0.0 and 1.0")
    return float(value)


def _read_tags(value: Any, _: Record) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if items is None:
        return ()
    if not isinstance(items, list) or any(isinstance(item, list | dict) for item in items):
        raise InvalidRecord("tags", "is not a list of words")
    return tuple(_text(item) for item in items)


def _read_successor(value: Any, _: Record) -> RecordId | None:
    if value is None:
        return None
    primitive_of(_text(value))
    return RecordId(_text(value))


def _read_optional_time(name: str) -> Callable[[Any, Record], datetime | None]:
    return lambda value, _: None if value is None else parse_time(_text(value), name)


def _read_evidence(value: Any, base: Record) -> tuple[Evidence, ...]:
    if not isinstance(value, list):
        raise InvalidRecord("evidence", "is not a list of references such as 'claude/abc123#L120-L124'")
    cited = list(dict.fromkeys(Evidence.parse(_text(item)) for item in value))
    places = list(dict.fromkeys(item.reference for item in cited))
    # A file names a place once, however many quotes stand there: all of them stay, in the order they have.
    if places == list(dict.fromkeys(item.reference for item in base.evidence)):
        return tuple(_attributed(item, cited, base) for item in base.evidence)
    known = {place: [_attributed(e, cited, base) for e in base.evidence if e.reference == place] for place in places}
    claimed = [replace(e, speaker=Trust.SHARED) if base.is_hearsay else e for e in cited]
    return tuple(e for place in places for e in known[place] or [c for c in claimed if c.reference == place])


def _attributed(known: Evidence, cited: list[Evidence], base: Record) -> Evidence:
    """Evidence of the store, and who speaks there: what nobody wrote down is taken from a file, unless it is a
    stranger's."""
    claims = {item.speaker for item in cited if item.reference == known.reference}
    if known.speaker in VOICES or base.is_hearsay or len(claims) > 1:
        return known
    return replace(known, speaker=claims.pop())


def _read_trust(value: Any, base: Record) -> Trust:
    return named_speaker(_text(value)) if base.trust is Trust.UNKNOWN else base.trust


def _each_once(evidence: Iterable[Evidence]) -> list[str]:
    return list(dict.fromkeys(item.citation for item in evidence))


_READERS: Final[Mapping[str, Callable[[Any, Record], Any]]] = {
    "id": _read_id,
    "created": _read_time("created"),
    "updated": _read_time("updated"),
    "confidence": _read_confidence,
    "tags": _read_tags,
    "kind": _read_choice("kind", Kind),
    "status": _read_choice("status", Status),
    "valid_from": _read_optional_time("valid_from"),
    "valid_until": _read_optional_time("valid_until"),
    "superseded_by": _read_successor,
    "evidence": _read_evidence,
    "trust": _read_trust,
    "time": _read_clock,
    **{name: _read_line(name) for name in ("title", "source", "description", "date", "coding_agent")},
    **{name: _read_line(name) for name in ("raw_trace_path", "run_id", "repo_name")},
}
_ABSENT: Final[Mapping[str, Any]] = {
    "tags": (),
    "status": Status.ACTIVE,
    "valid_until": None,
    "superseded_by": None,
    "evidence": (),
}
