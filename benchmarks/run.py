"""Every benchmark as a ratio against a baseline of the same run: `python benchmarks/run.py [names…] [--full]`.

--write keeps what was measured in `before.json` or `after.json`, and draws the table of README.md and growth.png anew.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

import bulk_import
import dashboard
import extract
import growth
import hooks
import idle
import maintain
import report
import serving
import startup
import traces
import vectors
from measure import Result, Sandbox

import daemon
import graph
import sessions

BENCHMARKS = {
    "startup": startup.run,
    "hooks": hooks.run,
    "serving": serving.run,
    "dashboard": dashboard.run,
    "idle": idle.run,
    "daemon": daemon.run,
    "growth": growth.run,
    "maintain": maintain.run,
    "graph": graph.run,
    "session": sessions.single,
    "sessions": sessions.run,
    "long": sessions.long,
    "vectors": vectors.run,
    "import": bulk_import.run,
    "traces": traces.read,
    "rescan": traces.rescan,
    "extract": extract.run,
    "archive": traces.archive,
}
#: Only when named, or with --full.
LONG = {"rescan", "extract", "archive"}
_ROW = "{:<40} {:>12} {:>12} {:>9} {:>22} {:>9} {:>9}  {}"


def main() -> None:
    args = _arguments()
    print("CPU time is user and system of the measured processes. Medians.")
    print(_ROW.format("", "lerim cpu", "base cpu", "ratio", "aim", "peak", "base peak", ""))
    results: list[Result] = []
    for name in args.names or [name for name in BENCHMARKS if args.full or name not in LONG]:
        with Sandbox(args.source, args.traces, full=args.full) as sandbox:
            for result in BENCHMARKS[name](sandbox, args.repeats, args.verbose):
                print(_line(result), flush=True)
                results.append(result)
                if args.write:
                    _keep(report.HERE / f"{args.write}.json", result)
    if args.write:
        report.write()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default: all but the long)"
    )
    parser.add_argument("--full", action="store_true", help=f"also 100,000 memories and sessions, {', '.join(LONG)}")
    parser.add_argument("--verbose", action="store_true", help="also say where the time goes")
    parser.add_argument("--repeats", type=int, default=5, help="rounds of baseline and subject (default 5)")
    parser.add_argument(
        "--traces",
        type=lambda text: Path(text).resolve(),
        help="a folder of real sessions, for `sessions` and `extract`",
    )
    parser.add_argument("--source", type=Path, help="the src folder of another checkout, to measure that one")
    parser.add_argument("--write", choices=("before", "after"), help="a column of the table in README.md")
    args = parser.parse_args()
    if unknown := set(args.names) - set(BENCHMARKS):
        parser.error(f"no benchmark '{unknown.pop()}'; there are {', '.join(BENCHMARKS)}")
    return args


def _keep(path: Path, result: Result) -> None:
    """At once: whoever ends a long run early keeps what it found."""
    known = json.loads(path.read_text()) if path.exists() else {"rows": {}}
    known["measured"] = f"{datetime.now(UTC):%B %Y}, Python {platform.python_version()}, {platform.machine()}"
    known["rows"][result.name] = None
    if result.subject:
        known["rows"][result.name] = {
            "ratio": round(result.ratio or 0, 2),
            "seconds": round(result.subject.cpu, 4),
            "peak_mb": round(result.subject.peak / 1024) or None,
            "note": result.note,
        }
    path.write_text(json.dumps(known, indent=1) + "\n")


def _line(result: Result) -> str:
    ours, base = result.subject, result.baseline
    if ours is None:
        return _ROW.format(result.name, "-", f"{base.cpu * 1000:,.1f} ms", "-", f"<= {result.aim}", "-", "-", "")
    return _ROW.format(
        *(result.name, f"{ours.cpu * 1000:,.1f} ms", f"{base.cpu * 1000:,.1f} ms", f"{result.ratio:.1f}x"),
        *(result.aim or "-", _peak(ours.peak), _peak(base.peak), result.note),
    )


def _peak(kib: int) -> str:
    return f"{kib / 1024:,.0f} MB" if kib else "-"


if __name__ == "__main__":
    sys.exit(main())
