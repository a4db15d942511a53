"""Two edits of one memory that did not know of each other, put together. Where both changed the same, both are shown,
as git does it, for a person to decide. Pure: records in, a record or a text out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lerim.context.face.markdown import HERE, Document, parse, render
from lerim.context.records import Record
from lerim.dataclass import replace

_MIDDLE = "======="


class Merged(NamedTuple):
    """What two edits give together; and where they collide, a text with both."""

    record: Record
    both: bytes | None = None


def merge(base: Record, mine: Record, theirs: Record, fields: Iterable[str], over: Document) -> Merged:
    """`mine` is what a file says that was written as `base`; `theirs` is what the record says by now. `over` is the
    file."""
    names = sorted(set(fields) - {"body"})
    told = {name: _chosen(*(getattr(record, name) for record in (base, mine, theirs))) for name in names}
    if told.get("extra") is _CLASH:
        told["extra"] = mine.extra
    clashes = [name for name in names if told[name] is _CLASH]
    body, is_clear = merge_lines(base.body, mine.body, theirs.body, _end(theirs))
    agreed = {name: value for name, value in told.items() if value is not _CLASH}
    record = replace(theirs, **agreed, body=body)
    if is_clear and not clashes:
        return Merged(record)
    rivals = {name: getattr(mine, name) for name in clashes}
    return Merged(record, _with_both(record, replace(record, **rivals), clashes, over, _end(theirs)))


def merge_lines(base: str, mine: str, theirs: str, end: str) -> tuple[str, bool]:
    """The lines of two edits of a text, and whether nothing collided; what did stands between marks."""
    merged, is_clear = list[str](), True
    for before, here, there in _regions(*(text.split("\n") for text in (base, mine, theirs))):
        chosen = _chosen(before, here, there)
        if chosen is _CLASH:
            is_clear = False
            merged += [HERE, *here, _MIDDLE, *there, end]
        else:
            merged += chosen
    return "\n".join(merged), is_clear


def _end(theirs: Record) -> str:
    return f">>>>>>> version {theirs.version}"


_CLASH = object()


def _chosen(base: Any, mine: Any, theirs: Any) -> Any:
    """What a part says after both edits: what the only one says that changed it."""
    if mine in (theirs, base):
        return theirs
    return mine if theirs == base else _CLASH


def _regions(*texts: Sequence[str]) -> Iterator[tuple[Sequence[str], ...]]:
    """Three texts side by side, cut where all of them have the same lines."""
    done = [0, 0, 0]
    for starts, size in _common(*texts):
        yield tuple(text[at:start] for text, at, start in zip(texts, done, starts, strict=True))
        done = [start + size for start in starts]
        yield tuple(text[start : start + size] for text, start in zip(texts, starts, strict=True))


def _common(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[list[int], int]]:
    """Where the three have the same lines: from where on in each, and how many; the end of all of them last."""
    from difflib import SequenceMatcher  # Start-up: hardly anybody merges.

    here, there = (SequenceMatcher(None, base, other, False).get_matching_blocks() for other in (mine, theirs))
    one, two = 0, 0
    while one < len(here) and two < len(there):
        (in_base, in_mine, size), (in_base_too, in_theirs, other_size) = here[one], there[two]
        start, end = max(in_base, in_base_too), min(in_base + size, in_base_too + other_size)
        if start < end:
            yield [start, in_mine + start - in_base, in_theirs + start - in_base_too], end - start
        if in_base + size < in_base_too + other_size:
            one += 1
        else:
            two += 1
    yield [len(base), len(mine), len(theirs)], 0


def _with_both(record: Record, rival: Record, clashes: Sequence[str], over: Document, end: str) -> bytes:
    """The file of a record, with what a rival says between marks for each key that clashes."""
    text = render(record, over).decode()
    ours, others = (parse(render(replace(one, body="-"), over)) for one in (record, rival))
    opening = f"{ours.bom}{ours.fences[0]}"
    newline, header = ours.newline, list(ours.header)
    # From the last key up, so that the places of the others stay.
    for name in sorted(clashes, key=lambda name: ours.spans.get(name, (len(header), 0)), reverse=True):
        start, stop = ours.spans.get(name, (len(header), len(header)))
        rival_lines = others.header[slice(*others.spans[name])] if name in others.spans else ()
        marked = [f"{HERE}{newline}", *rival_lines, f"{_MIDDLE}{newline}", *header[start:stop], f"{end}{newline}"]
        header[start:stop] = marked
    rest = text[len(opening) + len("".join(ours.header)) :]
    return f"{opening}{''.join(header)}{rest}".encode()
