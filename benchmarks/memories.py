"""Made-up memories of realistic size, the same at every run."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

KINDS = ("insight", "procedure", "friction", "pitfall", "preference")
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_TEXT = """
the a an and of in to for with when because after before never always must should use keep avoid prefer run check
auth token session cache queue retry timeout lock index schema migration query database row column test fixture build
deploy release branch commit merge review docker image network proxy header cookie client server request response route
handler worker thread process memory file folder path config setting flag environment secret key user role permission
error exception log trace metric span latency throughput batch stream parser lexer token encoder decoder json yaml toml
python rust typescript react component hook state store reducer event listener button form page style layout font color
"""
WORDS = _TEXT.split()


def vocabulary(dice: random.Random) -> tuple[list[str], list[float]]:
    """Words, and how often each is used, added up: a few are everywhere and many are rare, as in real text."""
    words = WORDS + ["".join(dice.choices(_LETTERS[:26], k=dice.randint(4, 10))) for _ in range(3000)]
    return words, list(accumulate(1 / (rank + 5) for rank in range(len(words))))


def memories(count: int, seed: int = 7) -> Iterator[dict[str, object]]:
    """Decisions and learnings in the shape of an export, half of them with evidence. Bodies of about 400 bytes."""
    known, sums = vocabulary(random.Random(7))
    dice = random.Random(seed)

    def words(low: int, high: int) -> str:
        return " ".join(dice.choices(known, cum_weights=sums, k=dice.randint(low, high)))

    for number in range(count):
        prefix = "lrn" if number % 2 else "dec"
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=7 * number)
        memory: dict[str, object] = {
            "id": f"{prefix}-{''.join(dice.choices(_LETTERS, k=10))}",
            "title": words(5, 9).capitalize(),
            "body": "\n\n".join(f"{words(12, 20).capitalize()}. {words(9, 14).capitalize()}." for _ in range(2)),
            "created": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "confidence": dice.choice((0.6, 0.7, 0.8, 0.9)),
            "tags": dice.sample(WORDS[25:], 3),
        }
        if number % 2:
            memory["kind"] = KINDS[number // 2 % len(KINDS)]
        if number % 4 < 2:
            session = {"agent": "claude", "run_id": f"{dice.getrandbits(64):016x}"}
            memory["evidence"] = [{**session, "first_line": number, "last_line": number + 3, "quote": words(8, 16)}]
        yield memory


def write(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(memory) + "\n" for memory in memories(count))
