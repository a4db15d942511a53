"""What a reader makes of labeled sessions: one file of predictions per label file.

    python evals/extract.py [--review] [--reader NAME] [--model MODEL] TRACES_DIR LABELS_DIR OUT_DIR

Every label file names its trace (`trace`, a path under TRACES_DIR). The trace goes the way a synced session goes: the
source that recognizes it reads it, it is redacted and archived, and the archive is extracted. OUT_DIR gets a file of
the label file's name with `trace` and `candidates`. With --review, what waits for a person is written, too.

--reader is `embedded` (the default), `configured` (what the settings of this machine say), a name that `lerim models
use` knows, or the address of any OpenAI-compatible server, such as http://127.0.0.1:8399/v1. A model does not read a
session again that has its file in OUT_DIR. Printed last: seconds, failures, and a model's requests and tokens, in all
and at the median.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lerim.config.layers import home_dir, load
from lerim.config.settings import Provider
from lerim.context.records import utc_now
from lerim.errors import LerimError
from lerim.ingest.engine import Engine
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.reader.engine import SheetReader
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript
from lerim.llm import Models, Spending, UsageLedger
from lerim.llm.readers import find_reader
from lerim.sessions.archive import archive
from lerim.sources.base import Reading
from lerim.sources.pieces import container
from lerim.sources.redact import Redactor
from lerim.sources.registry import recognize


@dataclass(frozen=True)
class Labeled:
    """A session and what people say it taught."""

    name: str
    label: dict[str, Any]
    transcript: Transcript

    @property
    def group(self) -> str:
        """What must not be split between learning and testing: the repository, by its label or the trace's folder."""
        named: str = self.label.get("repo") or Path(self.label["trace"]).parent.name
        return named.replace("/", "__")


def main() -> int:
    arguments = _arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    engine, seconds, failed = engine_named(arguments.reader, arguments.model), 0.0, 0
    used: list[tuple[int, int]] = []
    for session in labeled(arguments.traces, arguments.labels):
        if arguments.reader != "embedded" and (arguments.out / session.name).exists():
            continue
        began, before = time.perf_counter(), _used(engine)
        try:
            done = extract(session.transcript, engine)
        except LerimError as error:
            print(f"{session.name}: {error}", file=sys.stderr)
            failed += 1
            continue
        seconds += time.perf_counter() - began
        used.append(tuple(after - earlier for after, earlier in zip(_used(engine), before, strict=True)))
        made = [*done.candidates, *(done.review if arguments.review else ())]
        payload = {"trace": session.label["trace"], "candidates": [_as_json(candidate) for candidate in made]}
        (arguments.out / session.name).write_text(json.dumps(payload, ensure_ascii=False, indent=1), "utf-8")
    print(f"{seconds:.1f} s of extraction, {failed} failed")
    if any(map(any, used)):
        requests, tokens = zip(*used, strict=True)
        print(f"{sum(requests)} requests, {sum(tokens):,} input tokens; at the median", end=" ")
        print(f"{statistics.median(requests):g} and {statistics.median(tokens):,.0f}")
    return 1 if failed else 0


def engine_named(name: str, model: str) -> Engine:
    """The reader of this name."""
    if name == "embedded":
        return EmbeddedEngine()
    home = home_dir(os.environ)
    settings = load(home, None, os.environ).settings
    played = settings.roles.extract
    if "://" in name:
        played = replace(played, provider=Provider.OPENAI_COMPATIBLE, base_url=name, model=model or "reader")
    elif name != "configured":
        found = find_reader(name, os.environ)
        if found is None or found.problem:
            raise SystemExit(f"{name}: {found.problem if found else 'there is no such reader'}")
        first = found.models[0] if found.models else ""
        played = replace(played, provider=found.provider, base_url=found.base_url, model=model or first)
    roles = replace(settings.roles, extract=played, summarize=played)
    ledger = UsageLedger(Path(tempfile.mkdtemp(prefix="lerim-eval-")), utc_now)
    models = Models(roles, settings.budget, os.environ, ledger)
    return SheetReader(lambda role: models.model("extract", Spending("evaluation")))


def _used(engine: Engine) -> tuple[int, int]:
    """Requests and input tokens so far."""
    return (engine.usage.requests, engine.usage.input_tokens) if isinstance(engine, SheetReader) else (0, 0)


def labeled(traces: Path, labels: Path) -> Iterator[Labeled]:
    """Every labeled session of a folder, as it would stand in the archive."""
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(labels.glob("*.json")):
            label = json.loads(path.read_text("utf-8"))
            trace = Path(folder) / "trace.jsonl"
            archive(_redacted(traces / label["trace"]), trace)
            yield Labeled(path.name, label, Transcript.read(trace))
            trace.unlink()


def _redacted(path: Path) -> Reading:
    source = recognize(path)
    if source is None:
        raise SystemExit(f"{path}: no source knows this file")
    ref = next(ref for found in container(source.name, path) for ref in source.sessions(found))
    reading, redactor = source.read(ref), Redactor(b"evaluation")
    return Reading(redactor.header(reading.header), (redactor.line(line) for line in reading.lines), reading.account)


def _as_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "primitive": candidate.primitive.value,
        "kind": candidate.kind.value if candidate.kind else None,
        "title": candidate.title,
        "body": candidate.body,
        "confidence": candidate.confidence,
        "tier": candidate.tier.value,
        "tags": list(candidate.tags),
        "signals": list(candidate.signals),
        "evidence": [
            {"quote": quote.text, "role": "user" if quote.speaker == "user" else "assistant", "line": quote.first}
            for quote in candidate.quotes
        ],
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--review", action="store_true", help="write what waits for a person, too")
    parser.add_argument("--reader", default="embedded", metavar="NAME", help="who reads; see above")
    parser.add_argument("--model", default="", help="the reader's model, when it has several")
    parser.add_argument("traces", type=Path, metavar="TRACES_DIR")
    parser.add_argument("labels", type=Path, metavar="LABELS_DIR")
    parser.add_argument("out", type=Path, metavar="OUT_DIR")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
