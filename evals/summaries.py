"""How well sessions are summarized: the facts that people found worth telling, looked up in the summaries made here.

    python evals/summaries.py TRACES_DIR LABELS_DIR [--show N] [--write DIR]

LABELS_DIR holds one JSON file per trace: `trace` (its path below TRACES_DIR) and `summary.must_mention`, a list of
facts in somebody's own words. Each trace goes the real way: the adapter that recognizes it, redaction, the archive,
`Transcript`, `summarize`.

A fact is mentioned when at least 60 % of its words stand in the summary (title, description and body). Words are
lower case, without the 60 most common ones, cut to a crude stem (`tests`, `tested`, `testing` are one word); a path
counts by its last part, a number by itself. `share` is the same without a threshold: the words found, of all words.
Length buys nothing here that a reader would not pay for: the average number of words is printed beside it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lerim.ingest.findings import Digest
from lerim.ingest.signals.summary import summarize
from lerim.ingest.transcript import Transcript
from lerim.sessions.archive import archive
from lerim.sources.pieces import container
from lerim.sources.redact import Redactor
from lerim.sources.registry import recognize

MENTIONED = 0.6
_WORD = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be been but by can could did do does for from had has have how if in into is it its may
        more no not of off on one only or our so still than that the their then there they this to too up was we were
        what when which while who will with would you""",
    )
)
_ENDINGS = re.compile(r"(?:ations?|ating|ated|ates?|ings?|ers?|ed|es|s|ions?|ly|ment)$")


@dataclass(frozen=True)
class Measured:
    """One session's summary, and which of the wanted facts it tells."""

    name: str
    digest: Digest
    facts: tuple[str, ...]
    shares: tuple[float, ...]
    seconds: float

    @property
    def words(self) -> int:
        return len(self.digest.body.split())

    @property
    def mentioned(self) -> int:
        return sum(share >= MENTIONED for share in self.shares)


def main() -> int:
    arguments = _arguments()
    measured = [_measured(label, arguments.traces) for label in _labels(arguments.labels)]
    if arguments.write:
        _write(measured, arguments.write)
    _print(measured, arguments.show)
    return 0


def stems(text: str) -> set[str]:
    """The words of a text as they are compared."""
    return {_stem(word) for word in _WORD.findall(text.lower()) if word not in _COMMON}


def _stem(word: str) -> str:
    short = _ENDINGS.sub("", word)
    return short if len(short) >= 3 else word


def share(fact: str, summary: set[str]) -> float:
    """How much of a fact's words the summary has."""
    wanted = stems(fact)
    return len(wanted & summary) / len(wanted) if wanted else 1.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Summarize labeled sessions and look for the facts they must tell.")
    parser.add_argument("traces", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--show", type=int, default=8, help="how many of the worst sessions to print")
    parser.add_argument("--write", type=Path, help="a folder for the summaries themselves")
    return parser.parse_args()


def _labels(folder: Path) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for path in sorted(folder.glob("*.json")):
        label = json.loads(path.read_text("utf-8"))
        yield path.name.removesuffix(".json"), label["trace"], tuple(label["summary"]["must_mention"])


def _measured(label: tuple[str, str, tuple[str, ...]], traces: Path) -> Measured:
    name, trace, facts = label
    transcript = _transcript(traces / trace)
    began = time.perf_counter()
    digest = summarize(transcript)
    seconds = time.perf_counter() - began
    found = stems(f"{digest.title}\n{digest.description}\n{digest.body}")
    return Measured(name, digest, facts, tuple(share(fact, found) for fact in facts), seconds)


def _transcript(path: Path) -> Transcript:
    """A trace as `sync` sees it: read by its adapter, redacted, archived, and read again."""
    source = recognize(path)
    if source is None:
        raise SystemExit(f"{path}: not recognized")
    ref = next(ref for found in container(source.name, path) for ref in source.sessions(found))
    reading, redactor = source.read(ref), Redactor(b"evaluation")
    clean = replace(reading, header=redactor.header(reading.header), lines=map(redactor.line, reading.lines))
    with tempfile.TemporaryDirectory() as folder:
        return Transcript.read(archive(clean, Path(folder) / "trace.jsonl").path)


def _write(measured: list[Measured], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for one in measured:
        text = (
            f"# {one.digest.title}\n\n{one.digest.description}\n\n{one.digest.body}\n\n{', '.join(one.digest.tags)}\n"
        )
        facts = "\n".join(f"- {share:.2f} {fact}" for fact, share in zip(one.facts, one.shares, strict=True))
        (folder / f"{one.name}.md").write_text(f"{text}\n---\n{facts}\n", encoding="utf-8")


def _print(measured: list[Measured], show: int) -> None:
    facts = sum(len(one.facts) for one in measured)
    mentioned = sum(one.mentioned for one in measured)
    shares = [share for one in measured for share in one.shares]
    words = sorted(one.words for one in measured)
    for one in sorted(measured, key=lambda one: one.mentioned / len(one.facts))[:show]:
        print(f"{one.mentioned}/{len(one.facts)} {one.words:4} words  {one.name}: {one.digest.title}")
        for fact, found in zip(one.facts, one.shares, strict=True):
            print(f"       {found:.2f} {fact}")
    print(
        f"\n{len(measured)} sessions, {facts} facts: mentioned {mentioned / facts:.1%},"
        f" share {sum(shares) / facts:.1%};"
        f" words per summary: average {sum(words) / len(words):.0f}, median {words[len(words) // 2]}, most {words[-1]};"
        f" slowest {max(one.seconds for one in measured) * 1000:.0f} ms"
    )


if __name__ == "__main__":
    sys.exit(main())
