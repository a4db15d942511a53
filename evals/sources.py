"""How well agents' files are read: every trace of some folders, against what their manifests say is in them.

    python evals/sources.py TRACES... [--verbose]

Each is a manifest, or a folder with any number of them: `manifest*.jsonl`, also in folders inside. A manifest has one
object per file: `path`, from the manifest's own folder, or the `id` that a file below it is named by, and what somebody
counted in it by other means (`agent`, `user_turns`, `tool_calls`). Files are recognized by their content; the
manifest's agent and the files' names are not trusted. For each agent it is said what differs from the manifests, and
why.
Exits with 1 when a file is not recognized or cannot be read, when an account of its records does not balance, or when a
manifest cannot be read.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lerim.errors import LerimError
from lerim.sources.base import Account, SessionRef, Source
from lerim.sources.pieces import container
from lerim.sources.registry import recognize
from lerim.sources.trace import Event, Header, Injected, Line, ToolCall, ToolResult, User, Via, encode

# What the manifests count as a turn of the user: something typed. The other ways are counted apart.
_COLUMNS = ("files", "failed", "sessions", "turns", "manifest", "calls", "linked", "results", "injected", "events")
_MORE = ("undone", "redacted", "bad", "skipped", "MB", "MB/s")


@dataclass
class Tally:
    """What was found in a file, or in all files of an agent."""

    counts: Counter[str] = field(default_factory=Counter)
    vias: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    secrets: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.vias += other.vias
        self.skipped += other.skipped
        self.secrets += other.secrets
        self.seconds += other.seconds
        self.problems += other.problems

    @property
    def turns(self) -> int:
        return sum(self.vias.values())

    def row(self) -> dict[str, str]:
        megabytes = self.counts["bytes"] / 1e6
        cells = {name: f"{self.counts[name]:,}" for name in (*_COLUMNS, *_MORE)}
        cells |= {
            "turns": f"{self.turns:,}",
            "redacted": f"{self.secrets.total():,}",
            "MB": f"{megabytes:.1f}",
            "MB/s": f"{megabytes / (self.seconds or 1):.0f}",
        }
        return cells


def main() -> int:
    arguments = _arguments()
    agents: dict[str, Tally] = {}
    notes: dict[str, list[str]] = {}
    total = Tally()
    manifests = [manifest for place in arguments.traces for manifest in _manifests(place, total)]
    for path, entry in _entries(manifests, total):
        agent, tally = _measure(path)
        agents.setdefault(agent, Tally()).add(tally)
        agents[agent].counts["manifest"] += entry.get("user_turns") or 0
        notes.setdefault(agent, []).extend(_differences(entry, agent, tally))
    print(f"{len(manifests)} manifests: " + ", ".join(map(str, manifests)) + "\n")
    for tally in agents.values():
        total.add(tally)
    _print(agents, total, notes, is_verbose=arguments.verbose)
    return 1 if total.problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Read every trace of some folders and compare with their manifests.")
    parser.add_argument("traces", type=Path, nargs="+", help="a manifest, or a folder with some")
    parser.add_argument("--verbose", action="store_true", help="say why records were skipped")
    return parser.parse_args()


def _manifests(place: Path, total: Tally) -> list[Path]:
    """The manifests of a place. One without any is a problem: nothing of it would be read, and nobody would notice."""
    found = [place] if place.is_file() else sorted(place.rglob("manifest*.jsonl"))
    if not found:
        total.problems.append(f"{place}: no manifest*.jsonl in it")
    return found


def _entries(manifests: list[Path], total: Tally) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The files that the manifests list, each once, and what is said of them."""
    seen: set[Path] = set()
    for manifest in manifests:
        files: dict[str, list[Path]] = {}
        for path in sorted(path for path in manifest.parent.rglob("*") if path.is_file()):
            files.setdefault(path.stem, []).append(path)
        for number, line in enumerate(manifest.read_text(encoding="utf-8").split("\n"), 1):
            try:
                entry = json.loads(line) if line.strip() else None
            except ValueError as error:
                total.problems.append(f"{manifest}:{number}: {error}")
                continue
            found = _listed(entry, manifest.parent, files)
            if found is None and entry is not None:
                total.problems.append(f"{manifest}:{number}: names no file")
            elif found is not None and found.resolve() not in seen:
                seen.add(found.resolve())
                yield found, {"path": found.name, **entry}


def _listed(entry: object, folder: Path, files: dict[str, list[Path]]) -> Path | None:
    """The file of an entry: by its path, or named by its id; of several, the one that is a trace."""
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("path"), str):
        return folder / entry["path"]
    named = files.get(str(entry.get("id")), [])
    return next((path for path in named if recognize(path)), next(iter(named), None))


def _redacted(header: Header, lines: list[Line]) -> Counter[str]:
    """How many secrets stand in a session, by kind; none when this installation cannot tell."""
    try:
        from lerim.sources.redact import Redactor
    except ImportError:
        return Counter()
    redactor = Redactor(b"evaluation")
    redactor.header(header)
    for line in lines:
        redactor.line(line)
    return redactor.hits


# --- one file ------------------------------------------------------------------------------------------------------


def _measure(path: Path) -> tuple[str, Tally]:
    if not path.is_file():
        return "unknown", Tally(Counter(files=1, failed=1), problems=[f"{path}: no such file"])
    tally = Tally(Counter(files=1, bytes=path.stat().st_size))
    source = recognize(path)
    if source is None:
        tally.counts["failed"] += 1
        tally.problems.append(f"{path}: not recognized")
        return "unknown", tally
    began = time.perf_counter()
    read = [_read(source, ref, tally) for ref in _sessions(source, path, tally)]
    tally.seconds = time.perf_counter() - began
    tally.counts["failed"] += bool(tally.problems)
    for reading in filter(None, read):
        _count(*reading, tally)
    return source.name, tally


def _sessions(source: Source, path: Path, tally: Tally) -> list[SessionRef]:
    try:
        return [ref for found in container(source.name, path) for ref in source.sessions(found)]
    except LerimError as error:
        tally.problems.append(f"{path}: {error}")
        return []


def _read(source: Source, ref: SessionRef, tally: Tally) -> tuple[Header, list[Line], Account] | None:
    try:
        reading = source.read(ref)
        lines = list(reading.lines)
    except LerimError as error:
        tally.problems.append(f"{ref.path}: {error}")
        return None
    if not reading.account.is_balanced:
        tally.problems.append(f"{ref.path}: {reading.account} does not balance")
    return reading.header, lines, reading.account


def _count(header: Header, lines: list[Line], account: Account, tally: Tally) -> None:
    calls: set[str] = set()
    counts = tally.counts
    counts.update(sessions=1, bad=len(account.bad), skipped=sum(account.skipped.values()), lines=len(lines))
    counts["encoded"] += len(encode(header)) + sum(len(encode(line)) for line in lines)
    tally.skipped += account.skipped
    tally.secrets += _redacted(header, lines)
    for line in lines:
        counts["undone"] += line.undone
        match line:
            case User():
                tally.vias[line.via] += 1
                counts["prompt lines"] += line.text.count("\n") + 1
            case ToolCall():
                calls.add(line.call)
                counts["calls"] += 1
            case ToolResult():
                counts["results"] += 1
                counts["linked"] += line.call in calls
            case Injected():
                counts["injected"] += 1
            case Event():
                counts["events"] += 1


# --- what is printed -----------------------------------------------------------------------------------------------


def _differences(entry: dict[str, Any], agent: str, tally: Tally) -> list[str]:
    """Why a file's turns and calls are not the manifest's."""
    claimed = "" if str(entry.get("agent", "")).startswith(agent) else f" (labeled {entry.get('agent')})"
    notes = []
    if (wanted := entry.get("user_turns")) not in (None, tally.turns):
        vias = ", ".join(f"{count} {via}" for via, count in tally.vias.most_common()) or "none"
        notes.append(f"{tally.turns} turns, manifest {wanted}: {vias}. {_reason(wanted, tally)}")
    if (calls := entry.get("tool_calls")) not in (None, tally.counts["calls"]):
        notes.append(f"{tally.counts['calls']} calls, manifest {calls}. {_left_out(tally)}")
    return [f"{entry['path']}{claimed}: {note}" for note in notes]


def _left_out(tally: Tally) -> str:
    """What the file has besides: where the rest of what somebody counted may be."""
    reasons = [f"{count} {reason}" for reason, count in tally.skipped.most_common(4)]
    undone = [f"{tally.counts['undone']} lines undone"] if tally.counts["undone"] else []
    return f"Without a line of their own: {', '.join([*reasons, *undone]) or 'nothing'}."


def _reason(wanted: int, tally: Tally) -> str:
    typed, more = tally.vias[Via.TYPED], tally.turns - wanted
    if typed == wanted:
        return "The manifest counts typed words only."
    if more > 0 and typed <= wanted:
        return "The manifest counts some of the other ways."
    if more > 0:
        return "More was typed than the manifest counts."
    if tally.counts["prompt lines"] + tally.skipped["empty prompt"] == wanted:
        return "The manifest counts each line of a prompt, and empty prompts."
    parts = [f"{tally.counts['injected']} injected lines"] if tally.counts["injected"] else []
    parts += [f"{count} {reason}" for reason, count in tally.skipped.items() if reason.startswith(("copied", "empty"))]
    return f"Not the user's own words here: {', '.join(parts) or 'nothing'}."


def _print(agents: dict[str, Tally], total: Tally, notes: dict[str, list[str]], *, is_verbose: bool) -> None:
    rows = [{"agent": name} | tally.row() for name, tally in sorted(agents.items())]
    _print_table(["agent", *_COLUMNS, *_MORE], [*rows, {"agent": "all"} | total.row()])
    print("\nThe user's words, by how they reached the agent")
    for name, tally in sorted(agents.items()):
        print(f"  {name}: " + (", ".join(f"{count} {via}" for via, count in tally.vias.most_common()) or "none"))
    print(
        "\nSecrets replaced: " + (", ".join(f"{count} {kind}" for kind, count in total.secrets.most_common()) or "none")
    )
    if is_verbose:
        print("\nRecords without a line of their own")
        for name, tally in sorted(agents.items()):
            print(f"  {name}: " + ", ".join(f"{count:,} {reason}" for reason, count in tally.skipped.most_common()))
    print("\nWhere the manifests count otherwise")
    for name, tally in sorted(agents.items()):
        differing = len({note.partition(": ")[0] for note in notes.get(name, [])})
        print("\n    ".join([f"  {name}: {differing} of {tally.counts['files']} files", *notes.get(name, [])]))
    if total.problems:
        print("\n" + "\n  ".join(["Problems", *total.problems]))
    print("\n" + _headline(total))


def _print_table(columns: list[str], rows: list[dict[str, str]]) -> None:
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in columns}
    for row in [{name: name for name in columns}, *rows]:
        print("  ".join(row[name].rjust(widths[name]) for name in columns))


def _headline(total: Tally) -> str:
    counts, row = total.counts, total.row()
    return (
        f"{row['files']} files, {row['failed']} failed, {len(total.problems)} problems; {row['turns']} user turns"
        f" (manifest {row['manifest']}), {row['calls']} tool calls, {row['linked']} of {row['results']} results linked,"
        f" {row['bad']} bad records, {counts['lines']:,} lines from {row['MB']} MB"
        f" ({counts['encoded'] / 1e6:.1f} MB of trace) at {row['MB/s']} MB/s"
    )


if __name__ == "__main__":
    sys.exit(main())
