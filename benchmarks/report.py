"""What was measured before and after, as the table in README.md and as growth.png."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import plot

HERE = Path(__file__).parent
#: The rows of the table: what is measured, its name in the results, and what was promised.
ROWS = (
    ("`lerim sync`, nothing new, 200 sessions known", "idle sync, 200 sessions", "12x"),
    ("the same, 20,000 sessions known", "idle sync, 20,000 sessions", "0.4 s"),
    ("`lerim --help`", "help", "6x"),
    ("`lerim status`, 200 memories", "status", "7x"),
    ("`lerim search` by words, 200 memories", "search by words", "7x"),
    ("`lerim search` by meaning, cold", "search by meaning", "15x"),
    ("the same with the resident helper", "search by meaning, with the helper", "6x"),
    ("the daemon while it waits, a minute", "the daemon, waiting", "60 MB"),
    ("`lerim search` by meaning that the daemon answers, against cold", "search with the daemon, against cold", "0.4x"),
    ("`lerim hook session-start`, 1,000 memories", "hook session-start, 1,000", "6x"),
    ("the same, 100,000 memories", "hook session-start, 100,000", "6x"),
    ("`lerim brief show`, 1,000 memories", "brief show, 1,000", "6x"),
    ("the same, 100,000 memories", "brief show, 100,000", "6x"),
    ("`lerim mcp`: handshake and list of tools", "mcp, handshake and tools", "6x"),
    ("the same, and a first search", "mcp, first search", ""),
    ("`lerim serve`: to the dashboard's first page, 1,000 memories", "dashboard, first page, 1,000", ""),
    ("the same, 100,000 memories", "dashboard, first page, 100,000", ""),
    ("Today, once it is served, 1,000 memories", "dashboard, Today, 1,000", ""),
    ("the same, 100,000 memories", "dashboard, Today, 100,000", "3x"),
    ("Memory, the newest of 1,000", "dashboard, Memory, 1,000", ""),
    ("the same, of 100,000", "dashboard, Memory, 100,000", "3x"),
    ("Memory, a search by words and meaning in 1,000", "dashboard, a search, 1,000", ""),
    ("the same, in 100,000", "dashboard, a search, 100,000", "3x"),
    ("a session with one candidate, 1,000 memories known", "one candidate, 1,000 known", "0.15 s"),
    ("the same, 10,000 known", "one candidate, 10,000 known", "0.2 s"),
    ("the same, 50,000 known", "one candidate, 50,000 known", "0.25 s"),
    ("`lerim sync`, one new session, the first that is read here", "one new session", ""),
    ("the same, one more", "one more new session", ""),
    ("sync of made-up sessions from nothing", "sync of made-up sessions", "20 sessions/s"),
    ("the same with `--jobs 2`", "sync of made-up sessions, --jobs 2", "nearly 2 times as fast"),
    ("sync of real sessions from nothing (`--traces`)", "sync of real sessions", "20 sessions/s"),
    ("first search after a `memory add`, 10,000 memories", "first search after an add, 10,000", "0.35 s"),
    ("the same, 100,000 memories", "first search after an add, 100,000", "1 s"),
    ("`lerim memory list`, 100,000 memories", "memory list, 100,000", "0.5 s"),
    ("taking in 100,000 unchanged files", "reconcile, 100,000", "0.5 s"),
    ("the same, one of them young", "reconcile with a young file, 100,000", "0.5 s"),
    ("`lerim maintain` after 100 new memories, 1,000 known", "maintain after 100 new, 1,000", ""),
    ("the same, 10,000 known", "maintain after 100 new, 10,000", "3x"),
    ("the same, 100,000 known", "maintain after 100 new, 100,000", "3x"),
    ("linking 100 new memories, 1,000 linked", "100 new links, 1,000", ""),
    ("the same, 10,000 linked", "100 new links, 10,000", "2x"),
    ("the same, 100,000 linked", "100 new links, 100,000", "5x"),
    ("a vector, in batches", "vectors", "12 ms each"),
    ("a session of 5 MB", "a session of 5 MB", "1 s"),
    ("a session of 20 MB", "a session of 20 MB", "4 s"),
    ("a session of 40 MB", "a session of 40 MB", "8 s"),
    ("import of 10,000 memories", "import 10,000", "3x"),
    ("reading 25 MB of Claude Code traces into lines", "read traces", "4x"),
    ("the same, redacted", "read and redact", ""),
    ("looking at 20,000 sessions of which none changed", "rescan 20,000", "2.5x"),
    ("extracting from archived sessions", "extract", ""),
    ("archiving a trace of 500 MB, redacted", "archive 500 MB", "200 MB"),
)
#: What is plotted: its name in the results, and in the picture.
CURVES = {
    "one candidate": "sync, one candidate",
    "memory list": "memory list",
    "search": "search",
    "reconcile": "reconcile",
    "maintain": "maintain",
    "100 new links": "graph, 100 new",
}
_TABLE = re.compile(r"(<!-- table -->\n).*(<!-- end of table -->)", re.DOTALL)


def write() -> None:
    """Draw both anew."""
    before, after = (_read(name) for name in ("before", "after"))
    lines = ["| what | before | after | aim |", "|---|---|---|---|"]
    for words, name, aim in ROWS:
        lines.append(f"| {words} | {_cell(before, name)} | {_cell(after, name)} | {aim} |")
    page = HERE / "README.md"
    table = "\n".join(lines) + "\n"
    page.write_text(_TABLE.sub(lambda found: found[1] + table + found[2], page.read_text("utf-8")), "utf-8")
    memories = {words: (_curve(before, name), _curve(after, name)) for name, words in CURVES.items()}
    plot.draw(HERE / "growth.png", memories, (_curve(before, "idle sync"), _curve(after, "idle sync")))


def _read(name: str) -> dict[str, Any]:
    path = HERE / f"{name}.json"
    rows: dict[str, Any] = json.loads(path.read_text())["rows"] if path.exists() else {}
    return rows


def _cell(rows: dict[str, Any], name: str) -> str:
    row = rows.get(name)
    if row is None:
        return "-"
    ratio = f"{row['ratio']:.1f}x" if row["ratio"] else ""
    peak = f"{row['peak_mb']} MB" if row["peak_mb"] else ""
    return ", ".join(part for part in (ratio, row["note"] or f"{row['seconds']:.2f} s", peak) if part)


def _curve(rows: dict[str, Any], name: str) -> list[tuple[float, float]]:
    """Seconds by size, from rows such as "memory list, 1,000"."""
    found = []
    for key, row in rows.items():
        size = re.fullmatch(rf"{name}, ([\d,]+)( known| sessions)?", key)
        if size and row and (count := int(size[1].replace(",", ""))) >= 1_000:
            found.append((float(count), float(row["seconds"])))
    return sorted(found)
