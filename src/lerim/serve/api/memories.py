"""Memories over HTTP: listed, read, written, changed; what each is based on, and what changed when."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from lerim.context.face.markdown import diff
from lerim.context.feedback import Verdict
from lerim.context.filters import Filter, PageMark
from lerim.context.place import Kept, Where
from lerim.context.records import (
    Draft,
    Kind,
    Primitive,
    Status,
    clean_tags,
    parse_last_moment,
    time_text,
)
from lerim.dataclass import replace
from lerim.errors import NotFound, UsageError
from lerim.payloads.grounding import GroundedPayload, grounded_payload
from lerim.payloads.memory import (
    DiffPayload,
    KeptPayload,
    UndonePayload,
    VersionPayload,
    diff_payload,
    kept_payload,
    undone_payload,
    version_payload,
)
from lerim.payloads.search import HitPayload, hit_payload
from lerim.payloads.web import PagePayload, page_payload
from lerim.payloads.why import WhyRecordPayload, why_record_payload
from lerim.serve.api.answering import Outdated, version_asked_for
from lerim.serve.api.asking import Call, Limited, Nothing
from lerim.serve.api.pages_of import cursor_after, key_of, limit_of, paged
from lerim.serve.api.table import ApiTable

MEMORIES = ApiTable()
StatusWord = Literal["active", "superseded", "archived", "all"]


class MemoryFilter(TypedDict):
    primitive: NotRequired[Annotated[Primitive, "only this primitive"]]
    kind: NotRequired[Annotated[Kind, "only learnings of this kind"]]
    tag: NotRequired[Annotated[list[str], "only with this tag; repeat to require several"]]
    status: NotRequired[Annotated[StatusWord, "default: active"]]
    since: NotRequired[Annotated[str, "changed on or after this date"]]
    until: NotRequired[Annotated[str, "changed on or before this date"]]
    as_of: NotRequired[Annotated[str, "as of this date"]]


class MemoryListAsked(MemoryFilter, Limited):
    scope: NotRequired[Annotated[Where, "only this scope"]]


class SearchAsked(MemoryFilter):
    q: Annotated[str, "what to look for: a question, or a few words"]
    agent: NotRequired[Annotated[str, "only from this agent's sessions"]]
    branch: NotRequired[Annotated[str, "only from sessions on this git branch"]]
    limit: NotRequired[Annotated[int, "at most this many (default 10), and what is linked"]]
    explain: NotRequired[Annotated[bool, "tell how each result was scored"]]


class NewMemory(TypedDict):
    title: Annotated[str, "one line that makes sense on its own"]
    body: NotRequired[Annotated[str, "reasons and details, in Markdown"]]
    primitive: NotRequired[Annotated[Literal[Primitive.DECISION, Primitive.LEARNING], "`kind` implies learning"]]
    kind: NotRequired[Annotated[Kind, "what kind of learning"]]
    tags: NotRequired[list[str]]
    confidence: NotRequired[Annotated[float, "how certain it is, 0.0 to 1.0 (default 0.8)"]]
    scope: NotRequired[Annotated[Where, "where to write (default: set by the scope mode)"]]
    allow_secret: NotRequired[Annotated[bool, "keep what looks like a secret instead of masking it"]]


class ShownAs(TypedDict):
    version: NotRequired[Annotated[int, "as of this version"]]
    current: NotRequired[Annotated[bool, "follow a superseded record to the current one"]]
    as_of: NotRequired[Annotated[str, "as of this date"]]


class BasedOn(TypedDict):
    base: NotRequired[Annotated[int, "the version it is based on; another is a conflict. If-Match says the same"]]
    reason: NotRequired[Annotated[str, "why, for the history"]]


class EditedMemory(BasedOn):
    title: NotRequired[str]
    body: NotRequired[str]
    tags: NotRequired[list[str]]
    confidence: NotRequired[float]
    kind: NotRequired[Kind]
    allow_secret: NotRequired[bool]


class SupersededBy(BasedOn):
    by: Annotated[str, "the record that replaces it"]


class FeedbackAsked(TypedDict):
    verdict: Verdict
    note: NotRequired[Annotated[str, "why, for the history"]]


class DiffAsked(TypedDict):
    old: NotRequired[Annotated[int, "a version (default: the one before)"]]
    new: NotRequired[Annotated[int, "a version (default: the newest)"]]


class UndoAsked(TypedDict):
    change: NotRequired[Annotated[int, "this change; its number is in the history"]]
    run: NotRequired[Annotated[str, "everything this run changed"]]
    scope: NotRequired[Where]


def filter_of(asked: MemoryFilter) -> Filter:
    """The filter that a query describes."""
    what = asked.get("primitive"), asked.get("kind"), asked.get("tag", []), asked.get("status", Status.ACTIVE)
    return Filter.asked(*what, asked.get("since"), asked.get("until"))


@MEMORIES.get("/memories", "memory list")
def list_memories(call: Call[MemoryListAsked]) -> PagePayload[KeptPayload]:
    """Memories, last changed first, project before global."""
    asked, wanted, limit = call.asked, filter_of(call.asked), limit_of(call.asked)
    if "as_of" in asked:
        return _as_it_was(call, wanted)
    key = key_of(asked.get("cursor"), str, int, str, str)
    mark = PageMark(str(key[0]), bool(key[1]), str(key[2]), str(key[3])) if key else None
    found = call.lerim.memory.following(wanted, limit=limit + 1, mark=mark, where=asked.get("scope"))
    after = cursor_after(_mark(found[limit - 1])) if len(found) > limit else None
    return page_payload(found[:limit], kept_payload, after)


def _mark(kept: Kept) -> tuple[str, int, str, str]:
    record = kept.record
    return kept.place.scope, int(record.is_hearsay), time_text(record.updated), record.id


def _as_it_was(call: Call[MemoryListAsked], wanted: Filter) -> PagePayload[KeptPayload]:
    """Of what was, nothing changes any more: its ids are order enough."""
    moment = parse_last_moment(call.asked["as_of"], "as_of")
    found = call.lerim.memory.page(wanted, where=call.asked.get("scope"), as_of=moment).items
    ordered = sorted(found, key=lambda kept: kept.record.id, reverse=True)
    items, after = paged(ordered, lambda kept: (kept.record.id,), call.asked, str)
    return page_payload(items, kept_payload, after)


@MEMORIES.post("/memories", "memory add", code=201)
def add_memory(call: Call[NewMemory]) -> KeptPayload:
    """Remember one decision or learning."""
    asked = call.asked
    if "primitive" not in asked and "kind" not in asked:
        raise UsageError("is it a decision or a learning?", hint='"primitive": "decision", or a "kind" for a learning')
    draft = Draft(
        primitive=Primitive(asked.get("primitive", Primitive.LEARNING)),
        title=asked["title"],
        body=asked.get("body", ""),
        kind=asked.get("kind"),
        tags=tuple(asked.get("tags", ())),
        confidence=asked.get("confidence", 0.8),
    )
    kept = call.lerim.memory.add(draft, asked.get("scope"), allow_secret=asked.get("allow_secret", False))
    return kept_payload(kept)


@MEMORIES.get("/memories/search", "search", "memory search")
def search_memories(call: Call[SearchAsked]) -> list[HitPayload]:
    """Memories by words and meaning, project before global. Nothing when nothing is relevant."""
    asked, lerim = call.asked, call.lerim
    wanted = replace(filter_of(asked), agent=asked.get("agent"))
    if "branch" in asked:
        wanted = replace(wanted, sessions=lerim.sessions_on(asked["branch"]))
    limit = asked.get("limit", 10)
    if not 1 <= limit <= 100:
        raise UsageError("'limit' must be from 1 to 100")
    moment = parse_last_moment(asked["as_of"], "as_of") if "as_of" in asked else None
    hits = lerim.search(asked["q"], wanted, limit, as_of=moment)
    return [hit_payload(hit, explain=asked.get("explain", False)) for hit in hits]


@MEMORIES.post("/memories/undo", "memory undo")
def undo_change(call: Call[UndoAsked]) -> UndonePayload:
    """Undo the last change, a given one, or a whole run."""
    asked = call.asked
    done = call.lerim.memory.undo(asked.get("scope"), change_id=asked.get("change"), run_id=asked.get("run"))
    return undone_payload(done)


@MEMORIES.get("/memories/{id}", "memory show")
def show_memory(call: Call[ShownAs]) -> KeptPayload:
    """One memory. Its ETag names its version, for If-Match of whoever changes it."""
    memory, asked = call.lerim.memory, call.asked
    kept = memory.find(call.named("id"))
    if asked.get("current"):
        kept = memory.current(kept)
    if "version" in asked:
        return kept_payload(Kept(memory.version(kept, asked["version"]).record, kept.place))
    if "as_of" in asked:
        return kept_payload(memory.as_of(kept, parse_last_moment(asked["as_of"], "as_of")))
    if not call.is_read_only:
        memory.touch([kept])
    return kept_payload(kept)


@MEMORIES.patch("/memories/{id}", "memory edit")
def edit_memory(call: Call[EditedMemory]) -> KeptPayload:
    """Change a memory."""
    asked = call.asked
    kept, base = _at_base(call)
    changes: dict[str, Any] = {name: asked[name] for name in ("title", "body", "confidence", "kind") if name in asked}
    if "tags" in asked:
        changes["tags"] = clean_tags(asked["tags"])
    allow = asked.get("allow_secret", False)
    if not changes and not allow:
        raise UsageError("nothing to change", hint="title, body, tags, confidence or kind")
    reason = asked.get("reason", "edited by hand")
    return kept_payload(call.lerim.memory.revise(kept, reason=reason, base=base, allow_secret=allow, **changes))


@MEMORIES.post("/memories/{id}/archive", "memory archive")
def archive_memory(call: Call[BasedOn]) -> KeptPayload:
    """Archive a memory. It keeps its history and can be restored."""
    kept, _ = _at_base(call)
    return kept_payload(call.lerim.memory.archive(kept, reason=call.asked.get("reason", "archived by hand")))


@MEMORIES.post("/memories/{id}/restore", "memory restore")
def restore_memory(call: Call[BasedOn]) -> KeptPayload:
    """Bring an archived memory back, or make a superseded one active again."""
    kept, _ = _at_base(call)
    return kept_payload(call.lerim.memory.restore(kept, reason=call.asked.get("reason", "restored by hand")))


@MEMORIES.post("/memories/{id}/supersede", "memory supersede")
def supersede_memory(call: Call[SupersededBy]) -> KeptPayload:
    """Replace one memory by another. The old one is kept, marked as superseded."""
    old, _ = _at_base(call)
    new = call.lerim.memory.find(call.asked["by"])
    return kept_payload(call.lerim.memory.supersede(old, new, reason=call.asked.get("reason", "superseded by hand")))


@MEMORIES.post("/memories/{id}/feedback", "feedback")
def give_feedback(call: Call[FeedbackAsked]) -> KeptPayload:
    """Mark a memory as useful, wrong or outdated. Adjusts its confidence; nothing is deleted."""
    asked = call.asked
    return kept_payload(call.lerim.feedback(call.named("id"), asked["verdict"], note=asked.get("note", "")))


@MEMORIES.get("/memories/{id}/history", "memory history")
def memory_history(call: Call[Nothing]) -> list[VersionPayload]:
    """Every version of a memory: who changed it, when and why."""
    memory = call.lerim.memory
    return [version_payload(version) for version in memory.history(memory.find(call.named("id")))]


@MEMORIES.get("/memories/{id}/diff", "memory diff")
def memory_diff(call: Call[DiffAsked]) -> DiffPayload:
    """What changed between two versions of a memory."""
    memory = call.lerim.memory
    kept = memory.find(call.named("id"))
    new = call.asked.get("new", kept.record.version)
    old = call.asked.get("old", max(new - 1, 1))
    lines = diff(*(memory.version(kept, number).record for number in (old, new)))
    return diff_payload(kept, old, new, lines)


@MEMORIES.get("/memories/{id}/why", "why")
def why_memory(call: Call[Nothing]) -> WhyRecordPayload:
    """Why a memory exists: the quotes it is based on, what spoke for it, and its history."""
    kept = call.lerim.memory.find(call.named("id"))
    return why_record_payload(kept, call.lerim.memory.history(kept), call.lerim.why(kept))


@MEMORIES.get("/memories/{id}/grounding", "grounding show")
def memory_grounding(call: Call[Nothing]) -> GroundedPayload:
    """All that a memory names of its repository, and how that stands."""
    return grounded_payload(call.lerim.grounding.of(call.named("id")))


def _at_base(call: Call[Any]) -> tuple[Kept, int]:
    """The memory to change, and its version. Raises Outdated when whoever asks has read another one."""
    kept = call.lerim.memory.find(call.named("id"))
    asked, now = version_asked_for(call.request), kept.record.version
    by_header = asked is not None
    base = asked if asked is not None else int(call.asked.get("base", now))
    if base > now:
        raise NotFound(f"'{kept.record.id}' has no version {base}", hint=f"lerim memory history {kept.record.id}")
    if base != now:
        raise Outdated(kept, base, {key: _plain(value) for key, value in call.asked.items()}, by_header=by_header)
    return kept, base


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, str) else value
