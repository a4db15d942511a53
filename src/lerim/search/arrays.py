"""Named arrays in one file: written whole or not at all, mapped into memory when read."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lerim.private import make_private, open_private

#: An array of any kind.
Array = NDArray[Any]
# The number goes up whenever older files must be rebuilt: 2 since the terms are stems by Snowball.
_MAGIC = b"lerim-arrays-2\n"
# Processors read from such addresses fastest.
_ALIGNMENT = 64


def write(path: Path, arrays: Mapping[str, Array]) -> None:
    """Put the arrays into a file under its final name, in one step."""
    spec, at = {}, 0
    for name, array in arrays.items():
        spec[name] = [array.dtype.str, list(array.shape), at]
        at += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    head = _MAGIC + json.dumps(spec).encode() + b"\n"
    head += b" " * (-len(head) % _ALIGNMENT)
    make_private(path.parent)
    temp = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open_private(temp) as file:
            file.write(head)
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).data)
                file.write(b"\0" * (-array.nbytes % _ALIGNMENT))
            file.flush()
            os.fsync(file.fileno())
        temp.replace(path)
    finally:
        temp.unlink(missing_ok=True)


def read(path: Path) -> dict[str, Array]:
    """The arrays of a file. Nothing is loaded before it is used. Raises OSError or ValueError for no such file."""
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    end = data.find(b"\n", len(_MAGIC))
    if data[: len(_MAGIC)] != _MAGIC or end < 0:
        raise ValueError(f"{path} holds no arrays")
    start = -(-(end + 1) // _ALIGNMENT) * _ALIGNMENT
    found = {}
    for name, (kind, shape, at) in json.loads(data[len(_MAGIC) : end]).items():
        count = int(np.prod(shape, dtype=np.int64))
        found[name] = np.frombuffer(data, np.dtype(kind), count, start + at).reshape(shape)
    return found
