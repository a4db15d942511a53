"""When an extracted memory is a labeled one: it rests on the same words and says its keywords. Pure.

A candidate matches a label when one of its quotes shares a run of six words with one of the label's (or most of a
shorter one) and a third of the label's keywords stand in its title, body and quotes; or when two thirds stand in its
own title and body. One to one, best pairs first; a second candidate for one label is wrong. Only the first words of
each field are read, so length buys nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Label = dict[str, Any]
TITLE_WORDS, BODY_WORDS, QUOTE_WORDS, QUOTES = 20, 80, 60, 3
_WORD = re.compile(r"[\w\-./:@#]+", re.UNICODE)


@dataclass(frozen=True)
class Made:
    """An extracted memory as far as matching reads it."""

    title: str
    body: str
    quotes: tuple[str, ...]
    primitive: str = ""
    kind: str | None = None

    def bounded(self) -> Made:
        quotes = tuple(_first_words(quote, QUOTE_WORDS) for quote in self.quotes[:QUOTES])
        return Made(
            _first_words(self.title, TITLE_WORDS),
            _first_words(self.body, BODY_WORDS),
            quotes,
            self.primitive,
            self.kind,
        )


@dataclass
class Tally:
    """Counts over all sessions."""

    counts: Counter[str] = field(default_factory=Counter)

    def figures(self) -> dict[str, float]:
        c = self.counts
        precision = _ratio(c["right"], c["candidates"])
        recall = _ratio(c["found must"] + c["found should"], c["must"] + c["should"])
        return {
            "candidates": c["candidates"],
            "precision": precision,
            "recall_must": _ratio(c["found must"], c["must"]),
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
            "duplicates": c["duplicates"],
            "kind_accuracy": _ratio(c["kind right"], c["right"]),
            "own_words": _ratio(c["own words"], c["right"]),
            "title_words": _ratio(c["title words"], c["right"]),
            "empty_clean": _ratio(c["empty clean"], c["empty"]),
        }


def match_score(label: Label, made: Made) -> float:
    """0 when the two are not the same memory, else how strongly they agree. `made` is bounded."""
    own = f"{made.title} {made.body}"
    share, _ = keyword_share(label, " ".join([own, *made.quotes]))
    evidence = [item["quote"] for item in label.get("evidence", [])]
    if share >= 1 / 3 and any(same_words(one, two) for one in evidence for two in made.quotes):
        return 1.0 + share
    share, hits = keyword_share(label, own)
    return share if share >= 2 / 3 and hits >= 2 else 0.0


def count(labels: Sequence[Label], made: Sequence[Made], tally: Tally) -> list[bool]:
    """Add one session to the tally. Gives for each candidate whether it was right."""
    bounded = [one.bounded() for one in made]
    scores = [[match_score(label, one) for one in bounded] for label in labels]
    pairs = sorted(((s, i, j) for i, row in enumerate(scores) for j, s in enumerate(row) if s > 0), reverse=True)
    found: dict[int, int] = {}
    for _, i, j in pairs:
        if i not in found and j not in found.values():
            found[i] = j
    c = tally.counts
    for i, j in found.items():
        label, one = labels[i], bounded[j]
        c[f"found {label['importance']}"] += 1
        c["kind right"] += label["primitive"] == one.primitive and label.get("kind") == one.kind
        c["own words"] += keyword_share(label, f"{one.title} {one.body}")[0] >= 0.5
        c["title words"] += keyword_share(label, one.title)[0] >= 0.5
    c.update(label["importance"] for label in labels)
    right = [j in found.values() for j in range(len(made))]
    c["candidates"] += len(made)
    c["right"] += sum(right)
    c["duplicates"] += len({j for _, _, j in pairs} - set(found.values()))
    if not any(label["importance"] in {"must", "should"} for label in labels):
        c["empty"] += 1
        c["empty clean"] += all(right)
    return right


def same_words(one: str, two: str) -> bool:
    """Whether two quotes share a run of six words, or most of the shorter one."""
    first, second = _words(one), _words(two)
    if not first or not second:
        return False
    need = min(6, max(2, -(-6 * min(len(first), len(second)) // 10)))
    runs = {tuple(first[i : i + need]) for i in range(len(first) - need + 1)}
    return any(tuple(second[i : i + need]) in runs for i in range(len(second) - need + 1))


def keyword_share(label: Label, text: str) -> tuple[float, int]:
    keywords = [word.lower() for word in label.get("keywords", []) if word.strip()]
    low = text.lower()
    hits = sum(word in low or (len(word) > 6 and word[:-2] in low) for word in keywords)
    return (hits / len(keywords), hits) if keywords else (0.0, 0)


def _words(text: str) -> list[str]:
    return [word.strip("-./:@#").lower() for word in _WORD.findall(text) if word.strip("-./:@#")]


def _first_words(text: str, limit: int) -> str:
    ends = [match.end() for match in _WORD.finditer(text)]
    return text if len(ends) <= limit else text[: ends[limit - 1]]


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
