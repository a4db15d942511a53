"""`lerim review`: decide on what Lerim is not sure of. A candidate becomes a memory only when someone accepts it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import BOLD, CYAN, DIM, Output
from lerim.cli.report import ALLOW_SECRET, day, say_kept, waiting_words
from lerim.context.records import LESSONS, Kind, Primitive, clean_tags
from lerim.context.review.candidates import MAY_OPPOSE, Edits, ReviewCandidate, ReviewState
from lerim.context.review.desk import Proposed, ReviewDecision, ReviewVerdict, WaitingItem
from lerim.dataclass import replace
from lerim.errors import FileDelayed, LerimError, ModelError, UsageError
from lerim.payloads.memory import kept_payload
from lerim.payloads.review import candidate_payload, decided_payload, item_payload, judgments_payload
from lerim.printable import one_line
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.context.place import Kept
    from lerim.runtime.second_opinion import JudgedCandidate

COMMANDS = Commands()
_T = TypeVar("_T")
MAX_QUOTE = 300
_PROMPT = "[a]ccept [e]dit [r]eject [w]ords around [s]kip [q]uit >"
#: Before what is likely, and between that and what waits behind it.
_LIKELY = "Likely to be worth keeping:"
_LESS_LIKELY = "What follows is less likely to be worth keeping."
_SIGNS = {"keep": "+", "drop": "x", "unsure": "?"}
#: Asks the user at the terminal: takes the prompt, returns the answer; EOFError when there is none.
Ask = Callable[[str], str]


def complete_ids(prefix: str, **_: Any) -> list[str]:
    """The ids of waiting candidates, for the shell."""
    with Lerim() as lerim:
        return [item.candidate.id for item in lerim.review.select() if item.candidate.id.startswith(prefix)]


ID = argument("id", metavar="ID", help="a candidate's id, or the beginning of it", completer=complete_ids)
IDS = argument("id", nargs="+", metavar="ID", help="candidates' ids, or the beginning of them", completer=complete_ids)
WHICH = (
    argument(
        "--session", metavar="SESSION", help="only from this session: agent/run_id, or the beginning of the run id"
    ),
    argument("--limit", type=whole_number, default=20, help="at most this many (default 20; 0 for all)"),
)
ALL = argument("--all", action="store_true", help="include candidates already decided on or outdated")


@COMMANDS.add(
    "go",
    "Go through the waiting candidates one by one; without a terminal, list them.",
    example="lerim review go --session claude/4f2a",
    arguments=[*WHICH, ALL],
)
def go(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if out.as_json or args.all or not (out.is_terminal and sys.stdin.isatty()):
        list_(lerim, args, out)
    else:
        go_through(lerim, _wanted(lerim, args), out, out.ask)


@COMMANDS.add(
    "list",
    "List the candidates waiting for a decision, each with the quotes it is based on.",
    example="lerim review list --all --limit 5",
    arguments=[*WHICH, ALL],
)
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    items = _wanted(lerim, args)
    out.data([candidate_payload(item) for item in items])
    for number, item in enumerate(items):
        if heading := _heading(items, number):
            out.say(out.style(heading, DIM))
            out.say()
        tell_candidate(item.candidate, out)
        out.say()
    waiting = sum(item.candidate.state is ReviewState.PENDING for item in items)
    if not items:
        out.note("nothing to review" if not (args.session or args.all) else "no matching candidates")
    elif waiting:
        out.note("decide with: lerim review accept ID, lerim review edit ID, lerim review reject ID")
    if more := lerim.review.waiting().total - waiting if not args.session else 0:
        out.note(f"{more} more; --limit 0 shows all")


@COMMANDS.add(
    "next",
    "Show the next candidates with what it takes to judge them: the words around each, and the memories near it.",
    example="lerim review next --limit 3",
    arguments=[WHICH[0], argument("--limit", type=whole_number, default=5, help="at most this many (default 5)")],
)
def next_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    items = lerim.review.next(args.limit or 5, args.session)
    out.data([item_payload(item) for item in items])
    for item in items:
        tell_candidate(item.proposed.candidate, out, quotes=not item.units)
        tell_around(item, out)
        out.say()
    if not items:
        out.note("nothing to review" if not args.session else "no matching candidates")
    else:
        out.note("decide with: lerim review decide ID VERDICT")


@COMMANDS.add(
    "decide",
    "Decide on a candidate: accept or reject it, or say which memory it is the same as, updates or replaces.",
    example='lerim review decide rev-k3v7 replaces --record dec-x2pq --title "Use uv, never pip"',
    arguments=[
        ID,
        argument("verdict", metavar="VERDICT", choices=[*ReviewVerdict], help=", ".join(ReviewVerdict)),
        argument("--record", metavar="ID", help="the memory it is the same as, updates or replaces"),
        argument("--title", help="a different title"),
        argument("--body", help="a different body; - reads standard input"),
        argument("--kind", choices=[Primitive.DECISION, *Kind], help="what it is: a decision, or a kind of learning"),
        argument("--reason", default="", metavar="WORDS", help="why, for later"),
    ],
)
def decide(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    body = sys.stdin.read().removesuffix("\n") if args.body == "-" else args.body
    is_decision = args.kind == Primitive.DECISION
    kind = Kind(args.kind) if args.kind and not is_decision else None
    edits = Edits(args.title, body, Primitive.DECISION if is_decision else None, kind)
    verdict = ReviewVerdict(args.verdict)
    done = lerim.review.decide(ReviewDecision(args.id, verdict, edits, args.record, args.reason))
    candidate = done.proposed.candidate
    out.data(decided_payload(done))
    name = done.kept.record if done.kept else candidate
    out.say(f"{candidate.state} {out.style(candidate.id, CYAN)}: {verdict} {name.id} {one_line(name.title)}")
    if done.kept is not None and candidate.state is ReviewState.ACCEPTED:
        _tell_rivals(lerim, done.proposed, done.kept, out)


@COMMANDS.add(
    "accept",
    "Turn candidates into memories, as they are; a single one with the changes the flags give.",
    example='lerim review accept rev-k3v7 --title "Use pnpm, never npm" --tag tooling',
    arguments=[
        IDS,
        argument("--title", help="a different title"),
        argument("--body", help="a different body; - reads standard input"),
        argument("--primitive", choices=[*LESSONS], help="a different primitive"),
        argument("--kind", choices=[*Kind], help="a different kind of learning"),
        argument("--tag", action="append", help="replace its tags with this one; repeat for several"),
        ALLOW_SECRET,
    ],
)
def accept(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    edits = _edits(args)
    if len(args.id) > 1 and edits != Edits():
        raise UsageError("other words are for one candidate", hint="lerim review accept ID --title WORDS")
    # Found before any is accepted: a slip in the last id changes nothing.
    items, done = [lerim.review.find(name) for name in dict.fromkeys(args.id)], []
    for item in items:
        kept = lerim.review.accept(item, lerim.review.record_of(item, edits), allow_secret=args.allow_secret)
        done.append(kept_payload(kept))
        _tell_accepted(lerim, item, kept, out)
    out.data(_one_or_all(done))


@COMMANDS.add(
    "edit",
    "Edit a candidate in $EDITOR as the memory it would become, and accept the result.",
    example="lerim review edit rev-k3v7",
    arguments=[ID],
)
def edit(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    item = lerim.review.find(args.id)
    kept = _edited(lerim, item, out)
    _tell_accepted(lerim, item, kept, out)
    out.data(kept_payload(kept))


@COMMANDS.add(
    "reject",
    "Reject candidates. They are not proposed again.",
    example='lerim review reject rev-k3v7 --reason "that was a joke"',
    arguments=[IDS, argument("--reason", default="", metavar="WORDS", help="why, for later")],
)
def reject(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    items = [lerim.review.find(name) for name in dict.fromkeys(args.id)]
    done = [lerim.review.reject(item, reason=args.reason) for item in items]
    out.data(_one_or_all([candidate_payload(item) for item in done]))
    for item in done:
        out.say(f"rejected {out.style(item.candidate.id, CYAN)} {one_line(item.candidate.title)}")


@COMMANDS.add(
    "restore",
    "Put a rejected or outdated candidate back up for review.",
    example="lerim review restore rev-k3v7",
    arguments=[ID],
)
def restore(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    done = lerim.review.restore(lerim.review.find(args.id))
    out.data(candidate_payload(done))
    out.say(f"back up for review: {out.style(done.candidate.id, CYAN)} {one_line(done.candidate.title)}")


@COMMANDS.add(
    "judge",
    "Let the configured model decide: it keeps a candidate, drops it, or leaves it to you.",
    example="lerim review judge --limit 5",
    arguments=WHICH,
)
def judge(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    items = _wanted(lerim, argparse.Namespace(**vars(args), all=False))
    done: list[JudgedCandidate] = []
    failure: ModelError | None = None
    try:
        for judged in lerim.second_opinion(items):
            done.append(judged)
            _tell_judged(judged, out)
    except ModelError as error:
        if not done:
            raise
        # What was decided stays decided.
        failure = error
        out.fail(error.message, error.hint)
    out.data(judgments_payload(done, failure))
    if not items:
        out.note("nothing to review")
    return 3 if failure else 0


# --- one after another ------------------------------------------------------------------------------------------------


def go_through(lerim: Lerim, items: Sequence[Proposed], out: Output, ask: Ask) -> None:
    """Ask about one candidate after another, until all are decided or the user quits."""
    if not items:
        out.note("nothing to review")
        return
    for number, item in enumerate(items, 1):
        if heading := _heading(items, number - 1):
            out.say(out.style(heading, DIM))
        out.say(out.style(f"{number} of {len(items)}", DIM))
        tell_candidate(item.candidate, out)
        for rival in lerim.review.rivals(item):
            is_later = rival.record.last_said.at > item.candidate.said
            becomes = "was said later, and stays" if is_later else "is closed if you accept"
            out.say(out.style(f"  {rival.record.id} {becomes}: {one_line(rival.record.title)}", DIM))
        if not _decided(lerim, item, out, ask):
            break
        out.say()
    waiting = lerim.review.waiting()
    out.note(f"{waiting_words(waiting)}: lerim review" if waiting.total else "nothing is left")


def _heading(items: Sequence[Proposed], number: int) -> str:
    """What stands before this one: where what is likely begins, and where it ends."""
    one = items[number].candidate
    if one.state is not ReviewState.PENDING:
        return ""
    if number == 0:
        return _LIKELY if one.is_likely else ""
    return _LESS_LIKELY if items[number - 1].candidate.is_likely and not one.is_likely else ""


def _decided(lerim: Lerim, item: Proposed, out: Output, ask: Ask) -> bool:
    """Ask until there is an answer; return whether to go on."""
    while True:
        try:
            answer = ask(_PROMPT).strip().lower()[:1]
            if answer in ("s", "q"):
                return answer == "s"
            if answer == "w":
                tell_around(lerim.review.looked_at(item), out)
            if answer == "a":
                _tell_accepted(lerim, item, lerim.review.accept(item), out)
                return True
            if answer == "e":
                _tell_accepted(lerim, item, _edited(lerim, item, out), out)
                return True
            if answer == "r":
                lerim.review.reject(item, reason=ask("why? (Enter for no reason)").strip())
                out.say("rejected")
                return True
            if answer not in ("", "w"):
                out.note(f"'{answer}' is no answer here")
        except EOFError:
            return False
        except FileDelayed as error:
            # The decision stands; its file will follow.
            out.warn(error.message)
            return True
        except LerimError as error:
            # Still undecided: another answer may work.
            out.fail(error.message, error.hint)


def _edited(lerim: Lerim, item: Proposed, out: Output) -> Kept:
    # Start-up: an editor is rarely used, and YAML is slow to load.
    from lerim.cli.editor import edit_text
    from lerim.context.face.markdown import parse, read_record, render

    record = lerim.review.record_of(item)
    proposed = render(record)

    def take(text: bytes) -> Kept:
        if not text.strip():
            raise UsageError("the text is empty, so nothing was accepted", hint=f"lerim review reject {name}")
        if text == proposed:
            raise UsageError("the text is unchanged, so nothing was accepted", hint=f"lerim review accept {name}")
        edited = read_record(parse(text), record, record)
        return lerim.review.accept(item, replace(edited, id=record.id))

    name = item.candidate.id
    return edit_text(name, proposed, take, out, hint=f"lerim review edit {name}")


# --- in words ---------------------------------------------------------------------------------------------------------


def _one_or_all(payloads: list[_T]) -> _T | list[_T]:
    """One id answers with one object, as ever; several with a list."""
    return payloads if len(payloads) > 1 else payloads[0]


def _tell_accepted(lerim: Lerim, item: Proposed, kept: Kept, out: Output) -> None:
    """What became of it, and of what it stood against."""
    say_kept(kept, "accepted as", out)
    _tell_rivals(lerim, item, kept, out)


def _tell_rivals(lerim: Lerim, item: Proposed, kept: Kept, out: Output) -> None:
    """What holds no more since it was accepted, and what may not hold beside it."""
    if (later := kept.record.superseded_by) is not None:
        out.note(f"{later} was said later and holds: this is history. If this holds instead: lerim memory undo, then")
        out.note(f"  lerim review decide {item.candidate.id} replaces --record {later}")
        return
    if closed := lerim.review.replaced_by(kept):
        out.note(f"it replaces {', '.join(closed)} (lerim memory undo takes that back)")
    # By now: what it may stand against was found out as it was accepted.
    decided = lerim.review.find(item.candidate.id).candidate
    if doubts := [signal for signal in decided.signals if signal.startswith(MAY_OPPOSE)]:
        out.note(f"both hold now: it {doubts[0]}")
        out.note("  if only one of them holds: lerim maintain --plan, or lerim memory archive ID")


def _wanted(lerim: Lerim, args: argparse.Namespace) -> list[Proposed]:
    return lerim.review.select(None if args.all else ReviewState.PENDING, args.session, args.limit)


def _edits(args: argparse.Namespace) -> Edits:
    return Edits(
        args.title,
        sys.stdin.read().removesuffix("\n") if args.body == "-" else args.body,
        Primitive(args.primitive) if args.primitive else None,
        Kind(args.kind) if args.kind else None,
        clean_tags(args.tag) if args.tag is not None else None,
    )


def tell_candidate(candidate: ReviewCandidate, out: Output, *, quotes: bool = True) -> None:
    """Print a candidate, with the quotes it is based on unless they are shown otherwise."""
    what = str(candidate.kind or candidate.primitive)
    facts = [what, f"{candidate.confidence:.2f}", day(candidate.said), one_line(candidate.session)]
    out.say(f"{out.style(candidate.id, CYAN)}  {'  '.join(facts)}")
    out.say(f"  {out.style(one_line(candidate.title), BOLD)}")
    if candidate.body:
        out.say(f"  {one_line(candidate.body)}")
    for item in candidate.evidence if quotes else ():
        words = one_line(item.quote)
        cut = words if len(words) <= MAX_QUOTE else words[: MAX_QUOTE - 1] + "…"
        out.say(out.style(f'  L{item.first_line} {candidate.speaker_of(item)}: "{cut}"', DIM))
    if candidate.signals:
        out.say(out.style(f"  because: {one_line('; '.join(candidate.signals))}", DIM))
    if candidate.state is not ReviewState.PENDING:
        out.say(f"  {one_line(_decision(candidate))}")


def tell_around(item: WaitingItem, out: Output) -> None:
    """Print the words around a candidate, those it rests on marked, and the memories near it."""
    for unit in item.units:
        cut = one_line(unit.text)
        words = cut if len(cut) <= MAX_QUOTE else cut[: MAX_QUOTE - 1] + "…"
        out.say(out.style(f"  {'*' if unit.is_quoted else ' '} L{unit.line} {unit.who}: {words}", DIM))
    for kept in item.near:
        out.say(f"  near {out.style(kept.record.id, CYAN)} {one_line(kept.record.title)}")


def _decision(candidate: ReviewCandidate) -> str:
    who = f" by {candidate.author}" if candidate.author else ""
    when = f" on {day(candidate.decided)}" if candidate.decided else ""
    became = f", {candidate.record_id}" if candidate.record_id else ""
    why = f": {candidate.reason}" if candidate.reason else ""
    return f"{candidate.state}{who}{when}{became}{why}"


def _tell_judged(judged: JudgedCandidate, out: Output) -> None:
    candidate, kept = judged.proposed.candidate, judged.kept
    name, title = (kept.record.id, kept.record.title) if kept else (candidate.id, candidate.title)
    out.say(f"{_SIGNS[judged.answer]} {out.style(name, CYAN)} {one_line(title)}")
    out.say(f"    {judged.answer}: {one_line(judged.reason)}")
