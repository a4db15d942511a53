"""Every benchmark as a ratio against a baseline of the same run: `python benchmarks/run.py [names…] [--full]`."""

from __future__ import annotations

import argparse
import sys

import bulk_import
import extract
import reconcile
import startup
import traces
from measure import Result, Sandbox

import ingest

BENCHMARKS = {
    "startup": startup.run,
    "import": bulk_import.run,
    "reconcile": reconcile.run,
    "traces": traces.read,
    "rescan": traces.rescan,
    "archive": traces.archive,
    "extract": extract.run,
    "ingest": ingest.run,
}
#: Only when named, or with --full.
LONG = {"archive"}
_ROW = "{:<16} {:>10} {:>10} {:>8} {:>8} {:>8} {:>9} {:>9}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default: all but the long)"
    )
    parser.add_argument("--full", action="store_true", help=f"all of them, also {', '.join(LONG)}")
    parser.add_argument("--verbose", action="store_true", help="also say where the time goes")
    parser.add_argument("--repeats", type=int, default=7, help="rounds of baseline and subject (default 7)")
    args = parser.parse_args()
    if unknown := set(args.names) - set(BENCHMARKS):
        parser.error(f"no benchmark '{unknown.pop()}'; there are {', '.join(BENCHMARKS)}")
    print("CPU time is user and system of the measured process; 'wall' is the ratio of elapsed times. Medians.")
    print(_ROW.format("", "lerim cpu", "base cpu", "ratio", "aim", "wall", "peak", "base peak"))
    results = []
    for name in args.names or [name for name in BENCHMARKS if args.full or name not in LONG]:
        with Sandbox() as sandbox:
            for result in BENCHMARKS[name](sandbox, args.repeats, args.verbose):
                print(_line(result), flush=True)
                results.append(result)
    print(" · ".join(f"{result.name} {result.ratio:.1f}x" for result in results))


def _line(result: Result) -> str:
    ours, base = result.subject, result.baseline
    return _ROW.format(
        *(result.name, f"{ours.cpu * 1000:,.1f} ms", f"{base.cpu * 1000:,.1f} ms", f"{result.ratio:.1f}x"),
        *(f"<= {result.aim}x" if result.aim else "-", f"{ours.wall / base.wall:.1f}x"),
        *(f"{ours.peak / 1024:,.1f} MB", f"{base.peak / 1024:,.1f} MB"),
    )


if __name__ == "__main__":
    sys.exit(main())
