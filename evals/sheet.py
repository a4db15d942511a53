"""What the sheets of labeled sessions carry: is every memory that people found in a session on its sheet?

    python evals/sheet.py TRACES_DIR LABELS_DIR [--verbose]

A unit carries a memory when it shares a run of words with one of the label's quotes, as `matching.py` compares them. A
quote of a single word, such as "yes", stands in a short unit of its speaker's. Printed last, on one line: the share of
memories of each importance, of the quotes of each speaker, tokens per sheet, sheets per session, and CPU seconds.
Ends with 1 when fewer than 97 % of the musts are carried, or a sheet has more than 8,000 tokens.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extract import labeled
from matching import same_words

from lerim.context.records import Trust
from lerim.ingest.sheet.making import MAX_TOKENS, sheets
from lerim.ingest.sheet.page import SheetUnit

WANTED = 0.97
_SHORT_UNIT = 200
_ROLES = {"user": Trust.USER, "assistant": Trust.AGENT}


@dataclass
class Coverage:
    """Counts over all sessions."""

    counts: Counter[str] = field(default_factory=Counter)
    tokens: list[int] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    seconds: float = 0.0
    chars: int = 0

    def share(self, what: str) -> float:
        return self.counts[f"{what} carried"] / self.counts[what] if self.counts[what] else 1.0

    def count(self, what: str, is_carried: bool) -> None:
        self.counts[what] += 1
        self.counts[f"{what} carried"] += is_carried

    def figures(self) -> dict[str, float]:
        shares = {what: round(self.share(what), 4) for what in ("must", "should", "nice", "user", "assistant")}
        return {
            "sessions": len(self.parts),
            **shares,
            "tokens_median": statistics.median(self.tokens or [0]),
            "tokens_max": max(self.tokens, default=0),
            "sheets_max": max(self.parts, default=0),
            "seconds_per_mb": round(self.seconds / max(self.chars, 1) * 1e6, 3),
        }


def main() -> int:
    arguments = _arguments()
    coverage = Coverage()
    for session in labeled(arguments.traces, arguments.labels):
        began = time.process_time()
        made = sheets(session.transcript)
        coverage.seconds += time.process_time() - began
        coverage.chars += sum(len(numbered.line.text) for numbered in session.transcript.lines)
        coverage.tokens += [sheet.tokens for sheet in made]
        coverage.parts.append(len(made))
        units = [unit for sheet in made for unit in sheet.units.values()]
        for missed in _missed(session.label["memories"], units, coverage):
            if arguments.verbose:
                print(f"MISSED {session.name} | {missed['importance']} | {missed['title']}")
    figures = coverage.figures()
    print(json.dumps(figures))
    return 0 if figures["must"] >= WANTED and figures["tokens_max"] <= MAX_TOKENS else 1


def _missed(memories: Iterable[dict[str, Any]], units: list[SheetUnit], coverage: Coverage) -> Iterable[dict[str, Any]]:
    for memory in memories:
        carried = [_is_carried(item, units) for item in memory["evidence"]]
        for item, is_carried in zip(memory["evidence"], carried, strict=True):
            coverage.count(item["role"], is_carried)
        coverage.count(memory["importance"], any(carried))
        if not any(carried):
            yield memory


def _is_carried(item: dict[str, Any], units: Iterable[SheetUnit]) -> bool:
    quote = " ".join(item["quote"].lower().split())
    if len(quote.split()) > 1:
        return any(same_words(quote, unit.text) for unit in units)
    near = (unit.text.lower() for unit in units if unit.speaker is _ROLES[item["role"]])
    return bool(quote) and any(quote in text for text in near if len(text) <= _SHORT_UNIT)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true", help="name the memories that no unit carries")
    parser.add_argument("traces", type=Path, metavar="TRACES_DIR")
    parser.add_argument("labels", type=Path, metavar="LABELS_DIR")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
