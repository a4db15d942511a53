"""`lerim why`: the quotes a memory is based on, in context, what spoke for it, and what was rejected."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.memory import complete_ids
from lerim.cli.output import BOLD, CYAN, DIM, YELLOW, Output
from lerim.cli.report import label
from lerim.context.records import Primitive, Record, Trust, time_text
from lerim.errors import UsageError
from lerim.payloads.why import considered_payload, is_by_hand, why_candidate_payload, why_record_payload
from lerim.printable import one_line, printable
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.context.store import Version
    from lerim.ingest.findings import Candidate, Quote
    from lerim.runtime.runs.artifacts import MemoryAction
    from lerim.runtime.why import Considered, Origin, QuotedPassage, Shown

COMMANDS = Commands()

#: How much of a line is shown around the quote, and of the lines next to it.
AROUND = 120
BESIDE = 160
_NOTES = {
    "earlier": "the agent has rewritten its history since; this is the trace as it was cited",
    "moved": "this quote is on a different line now",
    "missing": "the archived trace no longer contains this quote",
    "gone": "the archived trace is missing; the store still has the quote",
    "lost": "neither the quote nor the trace is here; they are with whoever recorded it",
    "hearsay": "a shared file says so; nothing here confirms it. If the project is yours: lerim project trust",
    "unquoted": "only the location is known here: quotes stay in the store that recorded them",
}
_SIGNS = {"add": "+", "update": "~", "no-op": "="}


@COMMANDS.add(
    "why",
    "Show why a memory exists: the quotes it is based on, what spoke for it, and its history.",
    example="lerim why dec-k3v7",
    arguments=[
        argument(
            "id",
            nargs="?",
            metavar="ID",
            help="a record's or a candidate's id, or the beginning of it",
            completer=complete_ids,
        ),
        argument(
            "--rejected",
            metavar="SESSION",
            help="everything considered in a session: agent/run_id, or the beginning of the run id",
        ),
    ],
)
def why(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if (args.id is None) == (args.rejected is None):
        raise UsageError("name either a memory or a session", hint="lerim why ID, or lerim why --rejected SESSION")
    if args.rejected is not None:
        _considered(lerim, args.rejected, out)
    elif args.id.startswith("rev-"):
        _why_candidate(lerim, args.id, out)
    else:
        _why_record(lerim, args.id, out)


def _why_record(lerim: Lerim, reference: str, out: Output) -> None:
    kept = lerim.memory.find(reference)
    history, found = lerim.memory.history(kept), lerim.why(kept)
    out.data(why_record_payload(kept, history, found))
    if out.as_json:
        return
    record = kept.record
    out.say(out.style(one_line(record.title), BOLD))
    out.say(out.style(f"{record.id}  {label(record)}  {kept.place.scope}  {record.confidence:.2f}", CYAN))
    if not record.evidence:
        out.say()
        out.say(_word_of(record, history[0]))
    _tell_passages(found.passages, out)
    _tell_origin(found.origin, out)
    _tell_history(history, out)


def _why_candidate(lerim: Lerim, reference: str, out: Output) -> None:
    from lerim.cli.review import tell_candidate

    item = lerim.review.find(reference)
    found = lerim.why_waiting(item)
    out.data(why_candidate_payload(item, found))
    if not out.as_json:
        tell_candidate(item.candidate, out)
        _tell_passages(found.passages, out)
        _tell_origin(found.origin, out)


def _word_of(record: Record, first: Version) -> str:
    """What a memory without evidence is based on."""
    when = time_text(first.at)[:10]
    if record.primitive is Primitive.SUMMARY and record.run_id:
        return f"It summarizes the whole session {one_line(f'{record.coding_agent}/{record.run_id}')}."
    if is_by_hand(record, first):
        return f"A person wrote it: {one_line(first.reason)}, {when}. It cites no session."
    return f"It cites no session: {one_line(first.reason)}, {when}."


# --- the quotes, in context -------------------------------------------------------------------------------------------


def _tell_passages(passages: Iterable[QuotedPassage], out: Output) -> None:
    for passage in passages:
        evidence = passage.evidence
        out.say()
        out.say(f"{out.style(one_line(evidence.reference), BOLD)}  {_who(evidence.speaker)}")
        if note := _NOTES.get(passage.standing):
            out.say(out.style(f"  {note}", YELLOW))
        if passage.undone:
            out.say(out.style("  undone later in the session", YELLOW))
        if passage.standing in ("gone", "missing") and evidence.quote:
            out.say(f"  {_marked(one_line(evidence.quote), out)}")
        for line in passage.lines:
            out.say(_line(line, out))


def _who(speaker: Trust) -> str:
    if speaker is Trust.UNKNOWN:
        return "speaker not recorded"
    return "speaker not confirmed" if speaker is Trust.SHARED else f"said by the {speaker}"


def _line(line: Shown, out: Output) -> str:
    if not line.is_quoted:
        return out.style(f"  {line.number:>5}  {line.who:<8}  {_cut(one_line(line.text), BESIDE)}", DIM)
    before, words, after = line.text[: line.start], line.text[line.start : line.end], line.text[line.end :]
    # Runs of white space become one space; those next to the quote must not be lost.
    lead = _last(_flat(before), AROUND)
    tail = _cut(_flat(after), AROUND)
    return f"> {line.number:>5}  {line.who:<8}  {lead}{_marked(_flat(words), out)}{tail}"


def _flat(text: str) -> str:
    words = " ".join(text.split())
    lead, tail = " " * text[:1].isspace(), " " * (text[-1:].isspace() and bool(words))
    return printable(f"{lead}{words}{tail}")


def _marked(words: str, out: Output) -> str:
    """The quoted words, marked by color, or by quotation marks where there is none."""
    styled = out.style(words, f"{BOLD};{YELLOW}")
    return styled if styled != words else f"»{words}«"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _last(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"…{text[-limit + 1 :]}"


# --- what spoke for it, and what came after ---------------------------------------------------------------------------


def _tell_origin(origin: Origin | None, out: Output) -> None:
    if origin is None:
        return
    facts = [
        ("run", origin.run_id),
        ("action", origin.action or ""),
        ("reason", origin.reason or ""),
        ("signals", "; ".join(origin.signals)),
        ("but", origin.missing or ""),
    ]
    out.say()
    for name, value in facts:
        if value:
            out.fact(name, one_line(value))


def _tell_history(history: Sequence[Version], out: Output) -> None:
    out.say()
    for version in history:
        run = f" ({one_line(version.run_id)})" if version.run_id else ""
        what = f"v{version.record.version}  {time_text(version.at)}  {version.operation} by {version.author}"
        out.say(f"{out.style(what, DIM)}  {one_line(version.reason)}{run}")


def _considered(lerim: Lerim, session: str, out: Output) -> None:
    found = lerim.considered(session)
    out.data(considered_payload(found))
    if not out.as_json:
        _tell_considered(found, out)
    for problem in found.problems:
        out.warn(one_line(problem))


def _tell_considered(found: Considered, out: Output) -> None:
    out.say(f"{out.style(one_line(found.session), BOLD)}  {found.run.id}  {found.run.status}")
    kept = [one for one in found.actions if one[0].action != "no-op"]
    _heading("kept" if found.run.status == "done" else "would have kept (the run did not finish)", kept, out)
    _tell_actions(kept, out)
    if unchanged := [one for one in found.actions if one[0].action == "no-op"]:
        _heading("nothing changed", unchanged, out)
        _tell_actions(unchanged, out)
    _heading("for review", found.review, out)
    for candidate in found.review:
        out.say(f"  ? {one_line(candidate.title)}")
        _tell_reasons(candidate.signals, candidate.quotes, out)
    _heading("rejected", found.rejected, out)
    for item in found.rejected:
        out.say(f"  x {one_line(item.title)}")
        out.say(f"    {one_line(item.reason)}")
        # These quotes were never verified.
        for quote in item.quotes:
            out.say(out.style(f'    L{quote.first}: "{_cut(one_line(quote.text), BESIDE)}"', DIM))


def _tell_actions(actions: Sequence[tuple[MemoryAction, Candidate | None]], out: Output) -> None:
    for action, candidate in actions:
        record = f"{out.style(one_line(action.record), CYAN)} " if action.record else ""
        out.say(f"  {_SIGNS[action.action]} {record}{one_line(action.title)}")
        out.say(f"    {one_line(action.reason)}")
        if candidate is not None:
            _tell_reasons(candidate.signals, candidate.quotes, out)


def _heading(words: str, items: Sequence[object], out: Output) -> None:
    out.say()
    out.say(out.style(words, BOLD))
    if not items:
        out.say("  nothing")


def _tell_reasons(signals: Sequence[str], quotes: Sequence[Quote], out: Output) -> None:
    if signals:
        out.say(out.style(f"    because: {one_line('; '.join(signals))}", DIM))
    for quote in quotes:
        out.say(out.style(f'    L{quote.first} {quote.speaker}: "{_cut(one_line(quote.text), BESIDE)}"', DIM))
