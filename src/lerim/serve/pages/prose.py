"""Markdown as a page shows it: paragraphs, lists, code and a few marks in a line. Everything else is text.

What is shown was written by others. So each piece is escaped before it is put into a tag of ours, no tag of theirs is
passed on, and a link leads only to a web page. Patterns are bounded: no line makes them look at it twice over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup, escape

from lerim.context.blocks import ITEM, Block, Shape, blocks

#: Lists in lists that are drawn as such.
_DEPTH = 4
_HASHES = re.compile(r" {0,3}#{1,6}\s*")
_CODE = re.compile(r"`([^`\n]{1,500})`")
_MARKS = re.compile(
    r"`(?P<code>[^`\n]{1,500})`"
    r"|\*\*(?P<strong>[^*\n]{1,500})\*\*"
    r"|\[(?P<words>[^\[\]\n]{1,300})\]\((?P<to>https?://[^\s()<>\"']{1,1000})\)"
    r"|(?P<bare>https?://[^\s()<>\"'`\]]{1,1000})"
)
_ENDS = ".,;:!?"


def prose(text: str) -> Markup:
    """A memory's body as HTML of ours."""
    return _rendered(text.splitlines(), 0)


def coded(text: str) -> Markup:
    """A title, with code as code and nothing else: it may stand in a link."""
    pieces = _CODE.split(text)
    return Markup("").join(Markup("<code>{}</code>").format(one) if at % 2 else one for at, one in enumerate(pieces))


def _rendered(lines: list[str], depth: int) -> Markup:
    found = groupby(blocks(lines, 1), key=_group)
    return Markup("").join(piece for shape, run in found for piece in _drawn(shape, list(run), depth))


def _group(block: Block) -> tuple[Shape, bool]:
    """Items that follow each other are one list, numbered or not."""
    item = ITEM.match(block.lines[0]) if block.shape is Shape.ITEM else None
    return block.shape, bool(item and item[2])


def _drawn(shape: tuple[Shape, bool], run: Sequence[Block], depth: int) -> Iterator[Markup]:
    match shape:
        case Shape.ITEM, is_numbered:
            items = Markup("").join(_item(block.lines, depth) for block in run)
            tag = Markup("ol" if is_numbered else "ul")
            yield Markup("<{0}>{1}</{0}>").format(tag, items)
        case Shape.HEADING, _:
            for block in run:
                yield Markup("<p><strong>{}</strong></p>").format(_in_line(_HASHES.sub("", block.lines[0])))
        case Shape.FENCE, _:
            for block in run:
                yield Markup("<pre><code>{}</code></pre>").format(_code(block.lines))
        case Shape.TABLE, _:
            for block in run:
                yield Markup("<pre>{}</pre>").format("\n".join(block.lines))
        case _:
            for block in run:
                yield Markup("<p>{}</p>").format(_in_line("\n".join(line.strip() for line in block.lines)))


def _code(lines: list[str]) -> str:
    """What a fence holds; where that is nothing, what its first line names."""
    is_closed = len(lines) > 1 and set(lines[-1].strip()) <= {"`", "~"}
    return "\n".join(lines[1:-1] if is_closed else lines[1:]) or lines[0].strip().strip("`~")


def _item(lines: list[str], depth: int) -> Markup:
    first = ITEM.match(lines[0])
    own = lines[0][first.end() :] if first else lines[0]
    below = [line.strip() if depth >= _DEPTH else line for line in lines[1:]]
    more = next((at for at, line in enumerate(below) if not line.strip() or ITEM.match(line)), len(below))
    told = _in_line("\n".join((own, *(line.strip() for line in below[:more]))))
    if more == len(below):
        return Markup("<li>{}</li>").format(told)
    if depth >= _DEPTH:
        return Markup("<li>{}\n{}</li>").format(told, _in_line("\n".join(below[more:])))
    return Markup("<li>{}{}</li>").format(told, _rendered(_outdented(below[more:]), depth + 1))


def _outdented(lines: list[str]) -> list[str]:
    told = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return [line[min(told, default=0) :] for line in lines]


def _in_line(text: str) -> Markup:
    made, at = Markup(""), 0
    for found in _MARKS.finditer(text):
        made += escape(text[at : found.start()]) + _marked(found)
        at = found.end()
    return made + escape(text[at:])


def _marked(found: re.Match[str]) -> Markup:
    if (code := found["code"]) is not None:
        return Markup("<code>{}</code>").format(code)
    if (strong := found["strong"]) is not None:
        return Markup("<strong>{}</strong>").format(strong)
    if found["to"] is not None:
        return _link(found["to"], found["words"])
    address = found["bare"].rstrip(_ENDS)
    return _link(address, address) + escape(found["bare"][len(address) :])


def _link(address: str, words: str) -> Markup:
    return Markup('<a href="{}" rel="noreferrer noopener nofollow">{}</a>').format(address, words)
