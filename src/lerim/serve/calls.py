"""What each tool does: one call on `Lerim`, told in few words. A fresh `Lerim` for each, so that nothing grows stale.

Loads the rooms that tools need when they are first called, and not before: shaking hands waits for none of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lerim.config.acting import coming_by
from lerim.context.disclosure import masked_text
from lerim.context.records import Kind, Primitive
from lerim.context.review.candidates import Edits
from lerim.context.review.desk import ReviewDecision, ReviewVerdict
from lerim.errors import FileDelayed, LerimError, TraceError, UsageError
from lerim.payloads.mcp import feedback_payload, remembered_payload, submitted_payload
from lerim.payloads.review import decided_payload, refused_payload
from lerim.printable import one_line, printable
from lerim.serve import words
from lerim.serve.allowed import may_write
from lerim.serve.arguments import checked
from lerim.serve.tools import BY_NAME, RESOURCES
from lerim.service import Lerim
from lerim.views.room import ViewName

_HITS, _CANDIDATES = 6, 3
Arguments = Mapping[str, Any]


class ToolAnswer(NamedTuple):
    """What a tool says: text for whoever reads, and the same as a document where that is short. Some clients show a
    model the one, some the other, so neither may lack anything."""

    text: str
    data: Mapping[str, Any] | None = None
    failed: bool = False


class McpCall(NamedTuple):
    """A call as it comes in: from which folder, and from which agent as it names itself."""

    name: str
    arguments: Arguments
    folder: str
    env: Mapping[str, str]
    agent: str = ""


def answer(call: McpCall) -> ToolAnswer:
    """Do what a tool is asked to. What goes wrong is an answer, too: what happened, and what to do next."""
    try:
        tool = BY_NAME[call.name]
        arguments = checked(tool, call.arguments)
        with Lerim(call.folder, env=coming_by(call.env, "mcp")) as lerim:
            lerim.config  # noqa: B018 - settings that cannot be read are said, whatever is asked
            if tool.writes and not may_write(call.env):
                raise UsageError("writing over MCP is turned off here", hint="the user's setting mcp.write allows it")
            lerim.house.note_access(f"mcp {call.name}", "write" if tool.writes else "read")
            done = _DO[call.name](lerim, arguments, call.agent)
            if tool.writes:
                lerim.views.refresh_all()
            return done
    except LerimError as error:
        return failure(error.message, error.hint)
    except OSError as error:
        return failure(f"{error.filename or 'Lerim'}: {error.strerror or error}")


def answer_always(call: McpCall) -> ToolAnswer:
    """The same, whatever happens: a fault of ours costs this call, and not the session."""
    try:
        return answer(call)
    except Exception as error:
        logging.getLogger(__name__).exception("the tool %s failed", call.name)
        return failure(f"Lerim could not do this: {type(error).__name__}", "lerim status shows whether it works")


def failure(message: str, hint: str | None = None) -> ToolAnswer:
    told = printable(message) + (f"\nNext: {printable(hint)}" if hint else "")
    return ToolAnswer(told, failed=True)


def read_view(folder: str, env: Mapping[str, str], uri: str, agent: str = "") -> str:
    """A view's text by its address. Raises LerimError."""
    found = next(one for one in RESOURCES if one.uri == uri)
    with Lerim(folder, env=coming_by(env, "mcp")) as lerim:
        lerim.house.note_access(f"mcp {found.view}")
        return _view(lerim, ViewName(found.view), agent)


# --- the tools --------------------------------------------------------------------------------------------------------


def _view(lerim: Lerim, name: ViewName, agent: str) -> str:
    view = lerim.views.show(name)
    view = view if view.is_fresh else lerim.views.refresh(name)
    return _given(lerim, name, view.records, words.tell_view(view), agent)


def _given(lerim: Lerim, what: str, records: Iterable[str], text: str, agent: str) -> str:
    """A text, noted as given. What was handed out does not fade; whether it was of use is another matter."""
    lerim.serving.note_given(what, records, len(text), agent)
    return text


def _brief(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    return ToolAnswer(_view(lerim, ViewName.BRIEF, agent))


def _working_memory(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    return ToolAnswer(_view(lerim, ViewName.WORKING_MEMORY, agent))


def _search(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    hits = lerim.search(given["query"], limit=given.get("limit", _HITS))
    return ToolAnswer(_given(lerim, "search", [hit.kept.record.id for hit in hits], words.tell_hits(hits), agent))


def _ask(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    # Whoever asks is a model: no other one has to be paid, and waited for, to word the answer.
    found = lerim.ask(given["question"], embedded=True)
    return ToolAnswer(_given(lerim, "ask", [one.record.id for one in found.used], words.tell_answer(found), agent))


def _record(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    kept = lerim.memory.find(given["id"])
    lerim.memory.touch([kept])
    text = words.tell_record(kept, lerim.memory.history(kept), lerim.why(kept).passages)
    return ToolAnswer(_given(lerim, "record", [kept.record.id], text, agent))


def _status(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    return ToolAnswer(words.tell_status(lerim.status()))


def _remember(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    from lerim.runtime.remembering import Remark  # Only who remembers reads sessions.

    primitive, kind = _kinds(given.get("kind"))
    done = lerim.agents_word.remember(
        Remark(given["title"], given["quote"], given.get("body", ""), primitive, kind, agent)
    )
    return ToolAnswer(words.tell_remembered(done), dict(remembered_payload(done)))


def _feedback(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    note, quote = masked_text(given.get("note", "")), given.get("quote", "")
    kept = lerim.agents_word.feedback(given["id"], given["verdict"], note=note, quote=quote, agent=agent)
    record = kept.record
    text = f"{record.id} is {record.status}, confidence {record.confidence:.2f}"
    return ToolAnswer(text, dict(feedback_payload(kept)))


def _review(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    decisions = given.get("decisions") or []
    if not decisions:
        items = lerim.review.next(given.get("limit", _CANDIDATES))
        return ToolAnswer(words.tell_candidates(items, lerim.review.waiting().total))
    lines, done = [], []
    for decision in decisions:
        line, payload = _decided(lerim, decision)
        lines.append(line)
        done.append(payload)
    return ToolAnswer("\n".join(lines), {"decisions": done}, failed=not any("state" in one for one in done))


def _decided(lerim: Lerim, given: Arguments) -> tuple[str, Mapping[str, Any]]:
    """What one decision came to: each stands alone, and one that is refused keeps none of the others."""
    primitive, kind = _kinds(given.get("kind")) if given.get("kind") else (None, None)
    edits = Edits(given.get("title"), given.get("body"), primitive, kind)
    verdict, record, reason = ReviewVerdict(given["verdict"]), given.get("record"), masked_text(given.get("reason", ""))
    try:
        done = lerim.review.decide(ReviewDecision(given["id"], verdict, edits, record, reason), author="agent")
    except FileDelayed as error:
        return f"{given['id']}: {verdict}, {one_line(error.message)}", refused_payload(given["id"], error)
    except LerimError as error:
        hint = f" Next: {one_line(error.hint)}" if error.hint else ""
        return f"{given['id']}: refused. {one_line(error.message)}.{hint}", refused_payload(given["id"], error)
    return words.tell_outcome(done), decided_payload(done)


def _submit_trace(lerim: Lerim, given: Arguments, agent: str) -> ToolAnswer:
    try:
        session = lerim.agents_word.submit_trace(given["text"], given["name"])
    except TraceError as error:
        raise UsageError(f"line {error.line}: {error.message}", hint=error.hint) from None
    text = f"Taken in as {one_line(session.name)} ({session.state}); what it teaches will wait for review."
    return ToolAnswer(text, dict(submitted_payload(session)))


def _kinds(kind: str | None) -> tuple[Primitive, Kind | None]:
    if kind in (None, Primitive.DECISION):
        return Primitive.DECISION, None
    return Primitive.LEARNING, Kind(kind)


_DO: Mapping[str, Callable[[Lerim, Arguments, str], ToolAnswer]] = {
    "brief": _brief,
    "working_memory": _working_memory,
    "search": _search,
    "ask": _ask,
    "record": _record,
    "status": _status,
    "remember": _remember,
    "feedback": _feedback,
    "review": _review,
    "submit_trace": _submit_trace,
}
