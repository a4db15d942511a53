"""`lerim runs`: what each run learned, what it rejected and why, and what it used."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural
from lerim.context.records import time_text
from lerim.errors import UsageError
from lerim.payloads.runs import loaded_run_payload, run_payload
from lerim.printable import one_line
from lerim.runtime.runs.folder import RunInfo, RunKind, RunStatus, files_of, read_tail
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.ingest.findings import Candidate, Quote, Rejection
    from lerim.runtime.runs.artifacts import Artifact, Loaded, MaintainAction, MemoryAction, SummaryArtifact

COMMANDS = Commands()

LOG_LINES = 20
MAX_QUOTE = 160
_COLORS = {RunStatus.DONE: GREEN, RunStatus.FAILED: RED, RunStatus.DAMAGED: RED, RunStatus.INTERRUPTED: YELLOW}
#: The sign of each count in a list: what was added, changed, kept and removed.
_SIGNS = {"added": "+", "updated": "~", "merged": "&", "revised": "~", "archived": "-", "unchanged": "="}
#: The same of what happens seldom: shown where it did.
_SELDOM = {"superseded": ">", "restored": "^", "review": "?"}
_ACTION_SIGNS = {"add": "+", "update": "~", "no-op": "=", "merge": "&", "revise": "~", "archive": "-"} | {
    "supersede": ">",
    "restore": "^",
    "review": "?",
}


@COMMANDS.add(
    "list",
    "List the runs, newest first: what each added (+), updated (~) and left unchanged (=).",
    example="lerim runs list --kind sync --failed",
    arguments=[
        argument("--limit", type=whole_number, default=20, help="at most this many (default 20; 0 for all)"),
        argument("--kind", choices=[str(kind) for kind in RunKind], help="only runs of this kind"),
        argument("--failed", action="store_true", help="only runs that failed, were interrupted or are damaged"),
    ],
)
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if args.limit < 0:
        raise UsageError("--limit must be a number of runs, or 0 for all", hint="lerim runs list --limit 20")
    runs = lerim.runs.list(args.limit, RunKind(args.kind) if args.kind else None, failed=args.failed)
    out.data([run_payload(run) for run in runs])
    if not runs:
        out.note("no matching runs" if args.kind or args.failed else "no runs yet (lerim sync starts one)")
    elif not out.as_json:
        header = ["RUN", "WHEN", "SESSION", "STATUS", "ACTIONS", "TOKENS", "COST", "TIME"]
        out.table(header, [_row(run) for run in runs], flexible=2, spare=(5, 6, 1))


@COMMANDS.add(
    "show",
    "Show one run: what it learned and from which quotes, what it rejected, and what it used.",
    example="lerim runs show sync-20260220 --log",
    arguments=[
        argument(
            "id",
            nargs="?",
            metavar="ID",
            help="the run's id, its beginning or its last six letters (default: the newest)",
        ),
        argument("--log", action="store_true", help=f"include the last {LOG_LINES} lines of each log"),
    ],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    run = lerim.runs.find(args.id)
    from lerim.runtime.runs.artifacts import load_run  # Start-up: only this command needs pydantic.

    loaded = load_run(run.folder)
    logs = {name: read_tail(run.folder, name, LOG_LINES) for name in run.kind.logs} if args.log else {}
    out.data(loaded_run_payload(loaded, files_of(run.folder), logs))
    if not out.as_json:
        _tell(loaded, out)
        _tell_logs(logs, out)
    for problem in loaded.problems:
        out.warn(one_line(problem))


# --- in words ---------------------------------------------------------------------------------------------------------


def _row(run: RunInfo) -> list[str]:
    tokens = run.input_tokens + run.output_tokens
    return [
        run.id,
        time_text(run.started)[:16].replace("T", " "),
        one_line(_short(run.session)),
        str(run.status),
        _counted(run.counts),
        f"{tokens:,}" if tokens else "-",
        _money(run.cost_usd),
        _time(run.seconds),
    ]


def _short(session: str | None) -> str:
    agent, _, run_id = (session or "-").partition("/")
    return f"{agent}/{run_id[:8]}" if run_id else agent


def _counted(counts: Mapping[str, int]) -> str:
    shown = [f"{sign}{counts[name]}" for name, sign in _SIGNS.items() if name in counts]
    shown += [f"{sign}{counts[name]}" for name, sign in _SELDOM.items() if counts.get(name)]
    return " ".join(shown) or "-"


def _money(cost: float | None) -> str:
    return "-" if cost is None else f"${cost:.2f}" if cost >= 1 or cost == 0 else f"${cost:.4f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _tell(loaded: Loaded, out: Output) -> None:
    run = loaded.info
    out.say(f"{out.style(run.id, BOLD)} {out.style(run.status, _COLORS.get(run.status, CYAN))}")
    for name, value in _facts(loaded):
        out.fact(name, one_line(value))
    if loaded.summary:
        _tell_summary(loaded.summary, out)
    if loaded.memory:
        _tell_actions(loaded.memory.actions, loaded, out)
    if loaded.maintain:
        _tell_upkeep(loaded.maintain.actions, run, out)
    if loaded.extract:
        _tell_review(loaded.extract.review, loaded.extract.session, out)
        _tell_rejected(loaded.extract.rejected, out)
    _tell_prompts(loaded.artifacts, out)
    out.say()
    out.say(out.style("files", BOLD))
    for file in files_of(run.folder):
        out.say(f"  {one_line(file.name)}  {out.style(f'{file.bytes:,} bytes', DIM)}")


def _facts(loaded: Loaded) -> list[tuple[str, str]]:
    run = loaded.info
    requests = loaded.artifacts[-1].usage.requests if loaded.artifacts else 0
    tokens = f"{plural(requests, 'request')}, {run.input_tokens:,} tokens in, {run.output_tokens:,} out"
    cost = "price unknown" if run.cost_usd is None else _money(run.cost_usd)
    facts = [
        ("session", run.session or ""),
        ("started", time_text(run.started)),
        ("took", _time(run.seconds) if run.seconds is not None else ""),
        ("engine", run.engine or ""),
        ("model", " ".join(dict.fromkeys(filter(None, (run.provider, run.model))))),
        ("used", f"{tokens}, {cost}" if loaded.artifacts else ""),
        ("actions", ", ".join(f"{count} {name}" for name, count in run.counts.items())),
        ("error", run.error or ""),
        ("folder", str(run.folder)),
    ]
    return [(name, value) for name, value in facts if value]


def _tell_summary(summary: SummaryArtifact, out: Output) -> None:
    out.say()
    out.say(out.style("summary", BOLD))
    out.say(f"  {_record(summary.record, out)}{one_line(summary.title)}")
    out.say(f"    {one_line(summary.description)}")


def _tell_actions(actions: Sequence[MemoryAction], loaded: Loaded, out: Output) -> None:
    candidates = {candidate.id: candidate for candidate in loaded.extract.candidates} if loaded.extract else {}
    out.say()
    out.say(out.style(_done("learned", loaded.info), BOLD))
    for action in actions:
        way = one_line(" ".join((action.how or "", *action.replaces)))
        shown = out.style(f" ({way})", DIM) if way else ""
        out.say(f"  {_ACTION_SIGNS[action.action]} {_record(action.record, out)}{one_line(action.title)}{shown}")
        out.say(f"    {one_line(action.reason)}")
        if (candidate := candidates.get(action.candidate)) and loaded.info.session:
            _tell_quotes(candidate.quotes, loaded.info.session, out)
    if not actions and loaded.info.status is RunStatus.DONE:
        out.say("  nothing worth keeping in this session")


def _done(verb: str, run: RunInfo) -> str:
    # A failed run committed nothing: it lists only what it meant to do.
    return verb if run.status is RunStatus.DONE else f"would have {verb}; nothing was kept"


def _tell_upkeep(actions: Sequence[MaintainAction], run: RunInfo, out: Output) -> None:
    out.say()
    out.say(out.style(_done("maintained", run), BOLD))
    for action in actions:
        result = f" -> {action.result}" if action.result else ""
        what = one_line(f"{action.action} {' '.join(action.records)}{result}")
        out.say(f"  {_ACTION_SIGNS[action.action]} {what}")
        out.say(f"    {one_line(action.reason)}")
    if not actions and run.status is RunStatus.DONE:
        out.say("  nothing to do")


def _tell_review(review: Sequence[Candidate], session: str, out: Output) -> None:
    if not review:
        return
    out.say()
    out.say(out.style("for review", BOLD))
    for candidate in review:
        out.say(f"  ? {one_line(candidate.title)}")
        if candidate.signals:
            out.say(f"    {one_line('; '.join(candidate.signals))}")
        _tell_quotes(candidate.quotes, session, out)


def _tell_rejected(rejected: Sequence[Rejection], out: Output) -> None:
    if not rejected:
        return
    out.say()
    out.say(out.style("rejected", BOLD))
    for item in rejected:
        out.say(f"  x {one_line(item.title)}")
        out.say(f"    {one_line(item.reason)}")


def _tell_quotes(quotes: Iterable[Quote], session: str, out: Output) -> None:
    from lerim.runtime.runs.artifacts import reference

    for quote in quotes:
        words = one_line(quote.text)
        cut = words if len(words) <= MAX_QUOTE else words[: MAX_QUOTE - 1] + "…"
        out.say(out.style(f'    {one_line(reference(session, quote))} "{cut}"', DIM))


def _tell_prompts(artifacts: Iterable[Artifact], out: Output) -> None:
    prompts = dict.fromkeys(prompt for artifact in artifacts for prompt in artifact.prompts)
    if prompts:
        out.say()
        out.say(out.style("prompts", BOLD))
    for prompt in prompts:
        out.say(f"  {one_line(prompt.name)}  {out.style(prompt.sha256, DIM)}")


def _tell_logs(logs: Mapping[str, Sequence[str]], out: Output) -> None:
    for name, lines in logs.items():
        out.say()
        out.say(out.style(name, BOLD))
        for line in lines:
            out.say(f"  {one_line(line)}")
        if not lines:
            out.say("  empty")


def _record(record: str | None, out: Output) -> str:
    return f"{out.style(one_line(record), CYAN)} " if record else ""
