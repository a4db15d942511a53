"""How well search finds what was said: a folder of conversations and questions, through the real store and search.

    python evals/retrieve.py BENCH_DIR OUT_JSON [--depth 20] [--lexical] [--supersede] [--url URL [--from-store]]
    python evals/retrieve.py --cross-validate BENCH_DIR... [--home DIR]

BENCH_DIR has a corpus.jsonl (`id`, `scope`, `text`, `ts`, `speaker`, `session`, `seq`) and a queries.jsonl (`id`,
`scope`, `text`). Each scope becomes a project, each row a memory of it, with the row's session and line as its
evidence and its date as the day it was learned. OUT_JSON gets the ids of the rows found for each question, best first.
With `--supersede`, the older statement of each pair in update_pairs.jsonl is closed in favor of the newer first. With
`--url`, the memories are in a PostgreSQL database; with `--from-store`, too, they are searched as a machine does that
has no index of them yet.
One configuration for all sets: nothing here or in the product knows which set it is. `--cross-validate` shows whether
it would have been found without looking at them: see `cross_validation.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from lerim.context.place import Place
from lerim.context.records import Draft, Evidence, Primitive, Record, Trust, parse_time, valid
from lerim.search import index
from lerim.service import Lerim

AGENT = "bench"
# A machine's own words. Everybody else who speaks in a conversation is a person.
MACHINES = {"assistant", "agent", "model", "ai", "bot", "system"}
_TITLE = 70


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+", metavar="BENCH_DIR OUT_JSON")
    parser.add_argument(
        "--cross-validate", action="store_true", help="print what is found by weights chosen on other conversations"
    )
    parser.add_argument("--depth", type=int, default=20, help="results per question (default 20)")
    parser.add_argument("--lexical", action="store_true", help="without embeddings")
    parser.add_argument("--supersede", action="store_true", help="close what update_pairs.jsonl says was replaced")
    parser.add_argument("--url", default="", help="keep the memories here: postgresql://…")
    parser.add_argument("--from-store", action="store_true", help="search without an index of this machine's own")
    parser.add_argument("--home", type=Path, help="keep the index here, and use it again (default: a temporary folder)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lerim-eval-") as temporary:
        folder = (args.home or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        if args.cross_validate:
            from cross_validation import validate

            validate(args.paths, folder)
            return 0
        if len(args.paths) != 2:
            parser.error("give one BENCH_DIR and one OUT_JSON")
        if args.from_store and not args.url:
            parser.error("--from-store takes a --url")
        bench, out = args.paths
        how = {"lexical": args.lexical, "supersede": args.supersede, "url": args.url, "from_store": args.from_store}
        run = retrieve(bench, folder, depth=args.depth, **how)
    out.write_text(json.dumps(run), "utf-8")
    return 0


def retrieve(
    bench: Path,
    folder: Path,
    *,
    depth: int,
    lexical: bool,
    supersede: bool,
    url: str = "",
    from_store: bool = False,
) -> dict[str, list[str]]:
    """The rows found for each question, best first."""
    env = {"HOME": str(folder), "LERIM_HOME": str(folder / "home")}
    if url:
        env["LERIM_STORAGE_URL"] = url
    if from_store:
        index._FAR_BEHIND = 0
    if lexical:
        settings = folder / "lexical.toml"
        settings.write_text("[embeddings]\nenabled = false\n", "utf-8")
        env["LERIM_CONFIG"] = str(settings)
    corpus, queries = by_scope(rows(bench / "corpus.jsonl")), by_scope(rows(bench / "queries.jsonl"))
    pairs = by_scope(rows(bench / "update_pairs.jsonl")) if supersede else {}
    run: dict[str, list[str]] = {}
    spent = 0.0
    for number, (scope, statements) in enumerate(corpus.items()):
        root = project_of(folder, number)
        with Lerim(root, env=env) as lerim:
            names = prepared(lerim, root, statements, pairs.get(scope, ()), lexical=lexical)
            started = time.perf_counter()
            for query in queries.get(scope, ()):
                hits = lerim.search(query["text"], limit=depth)
                run[query["id"]] = [names[hit.kept.record.id] for hit in hits]
            spent += time.perf_counter() - started
    print(f"{len(run)} questions, {1000 * spent / max(len(run), 1):.1f} ms each", file=sys.stderr)
    return run


def project_of(folder: Path, number: int) -> Path:
    return folder / f"project-{number}"


def prepared(
    lerim: Lerim,
    root: Path,
    statements: Sequence[Mapping[str, Any]],
    pairs: Sequence[Mapping[str, Any]],
    *,
    lexical: bool,
) -> dict[str, str]:
    """A project that holds the rows, its index up to date. The row's id by the record's."""
    known = root / "rows.json"
    if known.exists():
        names: dict[str, str] = json.loads(known.read_text("utf-8"))
        return names
    root.mkdir()
    place = lerim.memory.place(lerim.setup.init(root))
    names = fill(place, statements)
    close_replaced(place, names, statements, pairs)
    if not lexical:
        lerim.index.refresh()
    known.write_text(json.dumps(names), "utf-8")
    return names


def rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def by_scope(items: Iterator[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in items:
        found[item["scope"]].append(item)
    return found


def fill(place: Place, statements: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Keep each row as a memory. The row's id by the record's."""
    names = {}
    records = []
    for row in statements:
        record = memory_of(row)
        names[record.id] = row["id"]
        records.append(record)
    # Straight into the store: the Markdown face has no part in a search, and thousands of files take their time.
    with place.store.change("eval", "benchmark") as change:
        change.create_all(records)
    return names


def memory_of(row: Mapping[str, Any]) -> Record:
    speaker = Trust.AGENT if str(row.get("speaker", "")).lower() in MACHINES else Trust.USER
    line = int(row.get("seq") or 0) + 1
    evidence = Evidence(AGENT, str(row.get("session") or row["id"]), line, line, speaker=speaker)
    draft = Draft(Primitive.DECISION, title_of(row["text"]), row["text"], evidence=(evidence,), trust=speaker)
    return valid(draft.record(day_of(row), os.urandom))


def title_of(text: str) -> str:
    """The beginning of the first line: what a person's notes get for a title, too."""
    line = " ".join(text.split())
    return (line if len(line) <= _TITLE else line[:_TITLE].rsplit(" ", 1)[0]) or "untitled"


def day_of(row: Mapping[str, Any]) -> datetime:
    return parse_time(str(row.get("ts") or "2026-01-01"))


def close_replaced(
    place: Place, names: Mapping[str, str], statements: Sequence[Mapping[str, Any]], pairs: Sequence[Mapping[str, Any]]
) -> None:
    """Supersede the statements that a pair says were replaced, by the first that replaced them."""
    ids = {row: record for record, row in names.items()}
    order = {row["id"]: number for number, row in enumerate(statements)}
    with place.store.change("eval", "replaced") as change:
        for pair in pairs:
            older, newer = sorted((pair["a"], pair["b"]), key=lambda side: min(order[row] for row in side))
            for row in older:
                if row not in newer and change.fetch(ids[row]).holds and change.fetch(ids[newer[0]]).holds:
                    change.supersede(ids[row], by=ids[newer[0]])


if __name__ == "__main__":
    sys.exit(main())
