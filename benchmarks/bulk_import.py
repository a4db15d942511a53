"""Bulk import of 10,000 memories against raw SQLite inserts and file writes of the same rows and bytes. Aim: 3x.

As a script, one worker: `lerim` imports into a fresh home and project, `raw` writes what the first import left.
"""

from __future__ import annotations

import functools
import json
import os
import pickle
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import memories
from measure import Clock, Result, Sample, Sandbox, in_turn

COUNT = 10_000
BATCH = 2000
STAGES = ("parse", "store", "prepare", "publish")
# Tables with their keys, and nothing else that makes them safe: no foreign keys, checks, triggers or other indexes.
TABLES = """
CREATE TABLE records (seq INTEGER PRIMARY KEY, {columns}, UNIQUE (project_id, id));
CREATE TABLE versions (record_seq, version, change_id, operation, at, snapshot, PRIMARY KEY (record_seq, version))
  WITHOUT ROWID;
CREATE VIRTUAL TABLE records_fts USING fts5 (title, body, tags, description, content = 'records',
  content_rowid = 'seq', tokenize = "porter unicode61 remove_diacritics 2");
"""


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    memories.write(sandbox.root / "memories.jsonl", COUNT)
    said: list[dict[str, float]] = []

    def worker(which: str) -> Sample:
        said.append(sandbox.worker("bulk_import.py", which, str(sandbox.root)))
        return Sample(said[-1]["cpu"], said[-1]["wall"], int(said[-1]["peak"]))

    samples = in_turn(repeats // 2 + 1, {which: functools.partial(worker, which) for which in ("lerim", "raw")})
    yield Result("import 10,000", samples["lerim"], samples["raw"], "3x")
    for stage in STAGES if verbose else ():
        times = sorted(one[stage] for one in said if stage in one)
        print(f"    {1000 * times[len(times) // 2]:8.1f} ms cpu  {stage}")


# The workers. What they write stays until the sandbox goes: file systems are slow to hand out what was just deleted.


def import_with_lerim(root: Path) -> dict[str, float]:
    from lerim import Lerim
    from lerim.context import transfer
    from lerim.context.face.files import MarkdownFace

    whole, clocks = Clock(), {stage: Clock() for stage in STAGES}
    transfer.read_source = clocks["parse"](transfer.read_source)
    for stage in ("prepare", "publish"):
        setattr(MarkdownFace, stage, clocks[stage](getattr(MarkdownFace, stage)))
    project = Path(mkdtemp(dir=root))
    with Lerim(project, env={"HOME": str(root), "LERIM_HOME": f"{project}-home"}) as lerim:
        lerim.setup.init()
        with whole:
            done = lerim.memory.import_from(root / "memories.jsonl")
    sample = whole.sample()
    assert len(done.created) == COUNT, done.not_placed[:3]
    if not (root / "rows").exists():
        keep_rows(root, project / ".lerim" / "memory", Path(f"{project}-home", "context.sqlite3"))
    spent = {stage: clock.cpu for stage, clock in clocks.items()}
    return {**sample._asdict(), **spent, "store": whole.cpu - sum(spent.values())}


def keep_rows(root: Path, folder: Path, store: Path) -> None:
    """What the import wrote, batch by batch, for the raw worker."""
    connection = sqlite3.connect(store)
    connection.execute("ATTACH ? AS local", (str(store.parent / "index" / "local.sqlite3"),))
    with (root / "rows").open("wb") as file:
        for start in range(0, COUNT, BATCH):
            batch = f"IN (SELECT seq FROM records ORDER BY seq LIMIT {BATCH} OFFSET {start})"
            cursor = connection.execute(f"SELECT * FROM records WHERE seq {batch}")
            columns, records = [item[0] for item in cursor.description], cursor.fetchall()
            versions = connection.execute(f"SELECT * FROM versions WHERE record_seq {batch}").fetchall()
            texts = connection.execute(f"SELECT seq, title, body, tags, description FROM records WHERE seq {batch}")
            paths = connection.execute(f"SELECT path FROM local.files JOIN records ON id = record_id WHERE seq {batch}")
            files = [(path, (folder / path).read_bytes()) for (path,) in paths]
            pickle.dump((columns, records, versions, texts.fetchall(), files), file)


def write_raw(root: Path) -> dict[str, float]:
    clock, folder = Clock(), mkdtemp(dir=root)
    connection = sqlite3.connect(f"{folder}/raw.sqlite3", isolation_level=None)
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    for name in ("decisions", "learnings"):
        os.mkdir(f"{folder}/{name}")
    with (root / "rows").open("rb") as source:
        for start in range(0, COUNT, BATCH):
            columns, records, versions, texts, files = pickle.load(source)
            if start == 0:
                connection.executescript(TABLES.format(columns=", ".join(columns[1:])))
            with clock:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(f"INSERT INTO records VALUES (?{', ?' * (len(columns) - 1)})", records)
                connection.executemany("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?)", versions)
                connection.executemany(
                    "INSERT INTO records_fts (rowid, title, body, tags, description) VALUES (?, ?, ?, ?, ?)", texts
                )
                connection.execute("COMMIT")
                for path, data in files:
                    with open(f"{folder}/{path}", "wb") as file:
                        file.write(data)
    return clock.sample()._asdict()


if __name__ == "__main__":
    print(json.dumps({"lerim": import_with_lerim, "raw": write_raw}[sys.argv[1]](Path(sys.argv[2]))))
