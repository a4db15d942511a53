"""Growth as a picture: a PNG with logarithmic axes, written byte by byte: one picture is not worth a library."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

Point = tuple[float, float]
#: A curve before and after.
Pair = tuple[Sequence[Point], Sequence[Point]]
Color = tuple[int, int, int]
COLORS: Sequence[Color] = (
    (31, 119, 180),
    (214, 39, 40),
    (44, 160, 44),
    (148, 103, 189),
    (255, 127, 14),
    (23, 190, 207),
)
BLACK, GRAY, WHITE = (30, 30, 30), (222, 222, 222), (255, 255, 255)
#: Five columns a letter, the lowest bit on top.
_FONT = """
0 3E5149453E 1 00427F4000 2 4261514946 3 2141454B31 4 1814127F10 5 2745454539 6 3C4A494930 7 0171090503 8 3649494936
9 064949291E a 2054545478 b 7F48444438 c 3844444420 d 384444487F e 3854545418 f 087E090102 g 0C5252523E h 7F08040478
i 00447D4000 j 2040443D00 k 7F10284400 l 00417F4000 m 7C04180478 n 7C08040478 o 3844444438 p 7C14141408 q 081414187C
r 7C08040408 s 4854545420 t 043F444020 u 3C4040207C v 1C2040201C w 3C4030403C x 4428102844 y 0C5050503C z 4464544C44
. 0060600000 , 0050300000 - 0808080808 : 0036360000 ( 001C224100 ) 0041221C00
"""
FONT = dict(zip(_FONT.split()[::2], map(bytes.fromhex, _FONT.split()[1::2]), strict=True))


class Canvas:
    """Pixels, and what is drawn on them."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows = [bytearray(bytes(WHITE) * width) for _ in range(height)]

    def dot(self, x: float, y: float, color: Color, size: int = 1) -> None:
        for row in range(round(y) - size // 2, round(y) + (size + 1) // 2):
            for column in range(round(x) - size // 2, round(x) + (size + 1) // 2):
                if 0 <= row < self.height and 0 <= column < self.width:
                    self._rows[row][3 * column : 3 * column + 3] = bytes(color)

    def line(self, start: Point, end: Point, color: Color, size: int = 1) -> None:
        steps = max(1, round(max(abs(end[0] - start[0]), abs(end[1] - start[1]))))
        for step in range(steps + 1):
            share = step / steps
            self.dot(start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]), color, size)

    def text(self, x: float, y: float, words: str, color: Color = BLACK) -> None:
        for number, letter in enumerate(words.lower()):
            for column, bits in enumerate(FONT.get(letter, b"")):
                for row in range(8):
                    if bits >> row & 1:
                        self.dot(x + 2 * (6 * number + column), y + 2 * row, color, 2)

    def png(self) -> bytes:
        raw = zlib.compress(b"".join(b"\0" + bytes(row) for row in self._rows), 9)
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"IDAT", raw), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


class Axes:
    """A square of logarithmic paper: 1,000 to 100,000 of something, a hundredth of a second to a hundred."""

    def __init__(self, canvas: Canvas, left: int, title: str, width: int = 440, height: int = 420) -> None:
        self._canvas, self._left, self._top = canvas, left, 60
        self._width, self._height = width, height
        canvas.text(left, 20, title)
        for power in range(3, 6):
            x, _ = self._at((10**power, 1))
            canvas.line((x, self._top), (x, self._top + height), GRAY)
            canvas.text(x - 30, self._top + height + 12, f"{10**power:,}")
        for power in range(-2, 3):
            _, y = self._at((1000, 10.0**power))
            canvas.line((left, y), (left + width, y), GRAY)
            canvas.text(left - 84, y - 7, f"{10.0**power:g} s".rjust(6))

    def curve(self, name: str, points: Sequence[Point], color: Color, row: int, *, is_old: bool) -> None:
        placed = [self._at(point) for point in points]
        size = 1 if is_old else 3
        for start, end in pairwise(placed):
            self._canvas.line(start, end, color, size)
        for x, y in placed:
            self._canvas.dot(x, y, color, 2 * size + 1)
        if not is_old:
            self._canvas.text(self._left, self._top + self._height + 44 + 22 * row, name, color)

    def _at(self, point: Point) -> Point:
        share = (math.log10(point[0]) - 3) / 2
        up = (math.log10(max(point[1], 0.01)) + 2) / 4
        return self._left + share * self._width, self._top + (1 - up) * self._height


def draw(path: Path, memories: Mapping[str, Pair], sessions: Pair) -> None:
    """Seconds by size, before (thin) and after (thick)."""
    canvas = Canvas(1220, 650)
    left, right = Axes(canvas, 110, "cpu by memories known"), Axes(canvas, 710, "cpu by sessions known")
    for number, (name, (before, after)) in enumerate(memories.items()):
        left.curve(name, before, COLORS[number], number, is_old=True)
        left.curve(name, after, COLORS[number], number, is_old=False)
    right.curve("sync with nothing new", sessions[0], COLORS[5], 0, is_old=True)
    right.curve("sync with nothing new", sessions[1], COLORS[5], 0, is_old=False)
    canvas.text(710, 60 + 420 + 44 + 44, "thin: before, thick: after")
    path.write_bytes(canvas.png())
