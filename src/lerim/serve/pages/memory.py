"""Memory: found by words and meaning, filtered, looked at one by one, and changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from starlette.routing import Route

from lerim.context.face.markdown import diff
from lerim.context.filters import Filter
from lerim.context.records import (
    Draft,
    Kind,
    Primitive,
    Record,
    Status,
    clean_tags,
)
from lerim.dataclass import dataclass, field, replace
from lerim.errors import Conflict, InvalidRecord, LerimError, NotFound, UsageError
from lerim.serve.pages.shell import Flash, entry, form_of, in_memory, page, part, see_other

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.context.links import Edge
    from lerim.context.place import Kept, Where
    from lerim.context.store import Version
    from lerim.payloads.why import WhyRecordPayload
    from lerim.search.search import Hit
    from lerim.service import Lerim

#: Memories shown at a time, and hits of a search.
PAGE_SIZE = 50
_HITS = 30
#: Links of a record that are shown.
_NEIGHBORS = 12
#: What the filters offer, besides dates and tags.
CHOICES = {
    "primitive": [("", "Any"), *((str(one), str(one).capitalize()) for one in Primitive)],
    "kind": [("", "Any"), *((str(one), str(one).capitalize()) for one in Kind)],
    "status": [*((str(one), str(one).capitalize()) for one in Status), ("all", "All")],
    "scope": [("", "Both"), ("project", "This project"), ("global", "Global")],
}
#: What a form for a memory can make of it: a decision, or a learning of some kind.
KINDS = [
    (str(Primitive.DECISION), f"Decision: {Primitive.DECISION.traits.meaning}"),
    *((str(one), f"{str(one).capitalize()}: {one.traits.meaning}") for one in Kind),
]
_FILTERS = ("q", "primitive", "kind", "status", "tag", "since", "until", "scope")


# --- the list, and searching it ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MemoryList:
    """What was found: a page of the list, or the hits of a search; `problem` is why there is neither."""

    items: list[Kept] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    offset: int = 0
    problem: str = ""
    #: Memories that cannot be compared by meaning yet.
    missing: int = 0

    @property
    def extent(self) -> str:
        """What is shown of how much: `1–50 of 1,204`."""
        return f"{self.offset + 1:,}–{self.offset + len(self.items):,} of {self.total:,}"

    @property
    def earlier(self) -> int | None:
        return max(self.offset - PAGE_SIZE, 0) if self.offset else None

    @property
    def later(self) -> int | None:
        after = self.offset + PAGE_SIZE
        return after if after < self.total else None


async def memory(request: Request) -> Response:
    asked = {name: request.query_params.get(name, "").strip() for name in _FILTERS}
    found = await in_memory(request, lambda lerim: _found(lerim, asked, _offset(request)))
    given: dict[str, Any] = {"asked": asked, "found": found, "address": _address(asked), "choices": CHOICES}
    if request.query_params.get("part") == "results":
        return part(request, "memory_results.html", **given)
    return page(request, "memory.html", **given)


def _offset(request: Request) -> int:
    given = request.query_params.get("offset", "")
    return int(given) if given.isdecimal() and len(given) < 10 else 0


def _address(asked: Mapping[str, str]) -> Callable[..., str]:
    """Where the same is shown with something changed."""

    def made(**changed: object) -> str:
        query = {name: value for name, value in {**asked, **changed}.items() if value not in ("", None)}
        return "/memory" + (f"?{urlencode(query)}" if query else "")

    return made


def _found(lerim: Lerim, asked: Mapping[str, str], offset: int) -> MemoryList:
    try:
        wanted, where = _filter(asked), _where(asked)
        if not asked["q"]:
            shown = lerim.memory.page(wanted, limit=PAGE_SIZE, offset=offset, where=where)
            return MemoryList(shown.items, total=shown.total, offset=offset)
        hits = [hit for hit in lerim.search(asked["q"], wanted, _HITS) if where in (None, hit.kept.place.scope)]
        return MemoryList(hits=hits, total=len(hits), missing=lerim.index.missing())
    except UsageError as error:
        return MemoryList(problem=error.message)


def _filter(asked: Mapping[str, str]) -> Filter:
    """The filter that a form describes. Raises UsageError."""
    try:
        what = asked["primitive"], asked["kind"], asked["tag"].split(","), asked["status"] or Status.ACTIVE
        return Filter.asked(*what, asked["since"] or None, asked["until"] or None)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _where(asked: Mapping[str, str]) -> Where | None:
    return cast("Where", asked["scope"]) if asked["scope"] in ("project", "global") else None


# --- one of them ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HistoryStep:
    """A version, with what changed since the one before, and whether that can be taken back."""

    version: Version
    diff: list[str]


@dataclass(frozen=True)
class MemoryNeighbor:
    """A memory that is linked with the one shown."""

    kept: Kept
    edge: Edge


@dataclass(frozen=True)
class MemoryDetails:
    """All that the page of a memory tells."""

    kept: Kept
    attention: float
    doubt: str
    path: str
    why: WhyRecordPayload
    steps: list[HistoryStep]
    neighbors: list[MemoryNeighbor]
    #: What holds in its stead, and what it replaced.
    current: Record | None
    replaced: list[Record]


async def record(request: Request) -> Response:
    is_counted = not request.app.state.site.is_read_only
    details = await in_memory(request, lambda lerim: _details(lerim, _id(request), is_counted=is_counted))
    return page(request, "record.html", details=details)


def _id(request: Request) -> str:
    return str(request.path_params["id"])


def _details(lerim: Lerim, reference: str, *, is_counted: bool) -> MemoryDetails:
    from lerim.context.decay import effective_confidence
    from lerim.payloads.why import why_record_payload

    kept = lerim.memory.find(reference)
    if is_counted:
        lerim.memory.touch([kept])
        kept = lerim.memory.find(kept.record.id)
    history = lerim.memory.history(kept)
    neighbors = _neighbors(kept)
    return MemoryDetails(
        kept,
        effective_confidence(kept.record, lerim.house.decay, lerim.house.clock()),
        kept.doubt,
        str(kept.path or ""),
        why_record_payload(kept, history, lerim.why(kept)),
        _steps(history),
        [one for one in neighbors if one.kept.record.superseded_by != kept.record.id],
        lerim.memory.current(kept).record if kept.record.superseded_by else None,
        [one.kept.record for one in neighbors if one.kept.record.superseded_by == kept.record.id],
    )


def _neighbors(kept: Kept) -> list[MemoryNeighbor]:
    """What it is linked with, as it was linked last: looking at one memory links none anew."""
    from lerim.context.links import Links
    from lerim.context.place import Kept

    edges = Links(kept.place.local, kept.place.project.id).neighbors(kept.record.id)[:_NEIGHBORS]
    with kept.place.store.read() as snapshot:
        found = [(edge, snapshot.find(edge.other(kept.record.id))) for edge in edges]
    return [MemoryNeighbor(Kept(record, kept.place), edge) for edge, record in found if record is not None]


def _steps(history: list[Version]) -> list[HistoryStep]:
    """The versions, newest first."""
    pairs = zip([None, *history], history, strict=False)
    return [HistoryStep(new, _diff(old, new) if old else []) for old, new in pairs][::-1]


def _diff(old: Version, new: Version) -> list[str]:
    # When it was changed, and its number, stand above each version already.
    return diff(replace(old.record, updated=new.record.updated), new.record)[2:]


# --- changing it ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MemoryForm:
    """A memory as somebody typed it: their words stay when something is wrong with them."""

    title: str = ""
    body: str = ""
    kind: str = ""
    tags: str = ""
    confidence: str = "0.8"
    reason: str = ""
    scope: str = ""
    allow_secret: bool = False
    base: str = ""

    @classmethod
    def of(cls, record: Record) -> MemoryForm:
        return cls(
            title=record.title,
            body=record.body,
            kind=str(record.kind or record.primitive),
            tags=", ".join(record.tags),
            confidence=f"{record.confidence:g}",
            base=str(record.version),
        )

    @classmethod
    def typed(cls, form: FormData) -> MemoryForm:
        texts = {name: entry(form, name) for name in ("title", "body", "kind", "tags", "confidence", "reason", "scope")}
        return cls(**texts, base=entry(form, "base"), allow_secret=bool(entry(form, "allow_secret")))

    @property
    def number(self) -> float:
        """The confidence. Raises InvalidRecord."""
        try:
            return float(self.confidence)
        except ValueError:
            raise InvalidRecord("confidence", f"'{self.confidence}' is not a number between 0 and 1") from None

    @property
    def draft(self) -> Draft:
        """The memory it would become. Raises UsageError."""
        is_learning = self.kind in set(map(str, Kind))
        if not is_learning and self.kind != Primitive.DECISION:
            raise UsageError("is it a decision or a learning?", hint="choose one of the kinds")
        primitive = Primitive.LEARNING if is_learning else Primitive.DECISION
        kind = Kind(self.kind) if is_learning else None
        return Draft(primitive, self.title, self.body, kind, tuple(self.tags.split(",")), self.number)

    def changes_of(self, record: Record) -> dict[str, Any]:
        """What it says otherwise than a record. Raises UsageError."""
        typed: dict[str, Any] = {
            "title": self.title,
            "body": self.body,
            "tags": clean_tags(self.tags.split(",")),
            "confidence": self.number,
        }
        if record.primitive is Primitive.LEARNING and self.kind in set(map(str, Kind)):
            typed["kind"] = Kind(self.kind)
        # A text field ends its lines as it likes, and a person did not mean that.
        same = {"body": record.body.replace("\r\n", "\n")}
        return {name: value for name, value in typed.items() if value != same.get(name, getattr(record, name))}


async def new(request: Request) -> Response:
    if request.method == "GET":
        return page(request, "memory_edit.html", **_blank(MemoryForm(scope=request.query_params.get("scope", ""))))
    typed = MemoryForm.typed(await form_of(request))

    def add(lerim: Lerim) -> tuple[Kept, int]:
        where = cast("Where", typed.scope) if typed.scope in ("project", "global") else None
        kept = lerim.memory.add(typed.draft, where, allow_secret=typed.allow_secret)
        return kept, _last_change(lerim, kept)

    try:
        kept, change = await in_memory(request, add)
    except LerimError as error:
        return page(request, "memory_edit.html", 400, **_blank(typed, error))
    return see_other(request, f"/memory/{kept.record.id}", _told(kept, "Remembered.", change))


def _blank(typed: MemoryForm, error: LerimError | None = None) -> dict[str, Any]:
    return {"typed": typed, "kept": None, "kinds": KINDS, "error": error, "theirs": None, "diff": []}


async def edit(request: Request) -> Response:
    """The form, and what becomes of it: a version, or the reason why not, with every word kept."""
    if request.method == "GET":
        kept = await in_memory(request, lambda lerim: lerim.memory.find(_id(request)))
        return page(request, "memory_edit.html", **_filled(kept, MemoryForm.of(kept.record)))
    typed = MemoryForm.typed(await form_of(request))
    try:
        kept, change = await in_memory(request, lambda lerim: _revise(lerim, _id(request), typed))
    except Conflict as error:
        kept, merged = await in_memory(request, lambda lerim: _merged(lerim, _id(request), typed))
        return page(request, "memory_edit.html", 409, **_filled(kept, merged, error, theirs=kept.record))
    except LerimError as error:
        kept = await in_memory(request, lambda lerim: lerim.memory.find(_id(request)))
        return page(request, "memory_edit.html", 400, **_filled(kept, typed, error))
    told = _told(kept, "Saved.", change) if change else Flash("Nothing was changed.", "warn")
    return see_other(request, f"/memory/{kept.record.id}", told)


def _revise(lerim: Lerim, reference: str, typed: MemoryForm) -> tuple[Kept, int]:
    """Save what somebody typed, unless the memory moved on since they began: the memory, and the change, 0 for none.
    Raises Conflict, UsageError."""
    kept = lerim.memory.find(reference)
    changes = typed.changes_of(_begun_with(lerim, kept, typed))
    if not changes and not typed.allow_secret:
        return kept, 0
    done = lerim.memory.revise(
        kept,
        reason=typed.reason.strip() or "edited in the dashboard",
        base=int(typed.base),
        allow_secret=typed.allow_secret,
        **changes,
    )
    return done, _last_change(lerim, done)


def _begun_with(lerim: Lerim, kept: Kept, typed: MemoryForm) -> Record:
    """The memory as it was when somebody began to type. Raises UsageError, NotFound."""
    if not typed.base.isdecimal() or len(typed.base) > 9:
        raise UsageError("the form does not say which version it began with", hint="reload the page")
    return lerim.memory.version(kept, int(typed.base)).record


def _merged(lerim: Lerim, reference: str, typed: MemoryForm) -> tuple[Kept, MemoryForm]:
    """The memory as somebody else saved it meanwhile, and the form once more: what was typed stays, what was not
    touched is theirs."""
    kept = lerim.memory.find(reference)
    before, theirs = MemoryForm.of(_begun_with(lerim, kept, typed)), MemoryForm.of(kept.record)
    names = ("title", "body", "kind", "tags", "confidence")
    taken = {name: getattr(theirs, name) for name in names if getattr(typed, name) == getattr(before, name)}
    return kept, replace(typed, base=theirs.base, **taken)


def _filled(
    kept: Kept, typed: MemoryForm, error: LerimError | None = None, theirs: Record | None = None
) -> dict[str, Any]:
    kinds = KINDS[1:] if kept.record.primitive is Primitive.LEARNING else []
    diff = _both(typed, MemoryForm.of(theirs)) if theirs else []
    return {"typed": typed, "kept": kept, "kinds": kinds, "error": error, "theirs": theirs, "diff": diff}


def _both(typed: MemoryForm, saved: MemoryForm) -> list[str]:
    """How what somebody typed differs from what another one saved meanwhile."""
    from difflib import unified_diff

    def lines(one: MemoryForm) -> list[str]:
        names = ("title", *(("kind",) if typed.kind else ()), "tags", "confidence")
        head = [f"{name}: {getattr(one, name)}" for name in names]
        return [*head, "", *one.body.splitlines()]

    return list(unified_diff(lines(saved), lines(typed), lineterm="", n=99))[3:]


def _last_change(lerim: Lerim, kept: Kept) -> int:
    return lerim.memory.history(kept)[-1].change


def _told(kept: Kept, words: str, change: int) -> Flash:
    """What is said of a change; that something was masked, above all."""
    if not kept.masked:
        return Flash(words, undo=change)
    found = "; ".join(one.words for one in kept.masked)
    way = "Edit it and tick “Keep what looks like a secret” to keep it."
    return Flash(f"{words} {found[:1].upper()}{found[1:]} was masked. {way}", "warn", change)


Deed = Callable[["Lerim", "Kept", str], "Kept"]
#: What can be done to a memory by one button, and what is said then.
DEEDS: Mapping[str, tuple[Deed, str, str]] = {
    "archive": (
        lambda lerim, kept, why: lerim.memory.archive(kept, reason=why),
        "archived in the dashboard",
        "Archived. It is out of searches and briefs, and keeps its history.",
    ),
    "restore": (
        lambda lerim, kept, why: lerim.memory.restore(kept, reason=why),
        "restored in the dashboard",
        "Restored: it holds again.",
    ),
    "useful": (lambda lerim, kept, why: lerim.feedback(kept.record.id, "useful", note=why), "", "Noted as useful."),
    "wrong": (lambda lerim, kept, why: lerim.feedback(kept.record.id, "wrong", note=why), "", "Noted as wrong."),
    "outdated": (
        lambda lerim, kept, why: lerim.feedback(kept.record.id, "outdated", note=why),
        "",
        "Noted as outdated, and archived.",
    ),
}


async def deed(request: Request) -> Response:
    """Archive, restore, or say what a memory was good for."""
    name = request.path_params["deed"]
    if name not in DEEDS:
        raise NotFound(f"nothing is called '{name}' here", hint="go back to the memory")
    act, default, words = DEEDS[name]
    why = entry(await form_of(request), "reason").strip()

    def work(lerim: Lerim) -> tuple[Kept, int]:
        kept = act(lerim, lerim.memory.find(_id(request)), why or default)
        return kept, _last_change(lerim, kept)

    kept, change = await in_memory(request, work)
    return see_other(request, f"/memory/{kept.record.id}", Flash(words, undo=change))


async def supersede(request: Request) -> Response:
    form = await form_of(request)
    by, why = entry(form, "by").strip(), entry(form, "reason").strip() or "superseded in the dashboard"

    def work(lerim: Lerim) -> tuple[Kept, Kept, int]:
        old, now = lerim.memory.find(_id(request)), lerim.memory.find(by)
        done = lerim.memory.supersede(old, now, reason=why)
        return done, now, _last_change(lerim, done)

    old, now, change = await in_memory(request, work)
    return see_other(request, f"/memory/{old.record.id}", Flash(f"Replaced by “{now.record.title}”.", undo=change))


async def undo(request: Request) -> Response:
    """Take back a change, wherever it was made."""
    form = await form_of(request)
    number, back = entry(form, "change"), entry(form, "back")

    def work(lerim: Lerim) -> tuple[Flash, str]:
        if not number.isdecimal() or len(number) > 18:
            raise UsageError(f"'{number}' is no change", hint="lerim memory history ID")
        place = _place_of(lerim, int(number))
        done = lerim.memory.undo(place, change_id=int(number))
        shown = next((one.id for one in (*done.records, *done.kept)), "")
        if not done.kept:
            return Flash(f"Undone: {done.changes[0].reason}."), shown
        names = ", ".join(f"“{one.title}”" for one in done.kept)
        return Flash(f"{names} was changed again later, and left as it is.", "warn"), shown

    flash, record_id = await in_memory(request, work)
    if back.startswith("/review"):
        return see_other(request, back, flash)
    return see_other(request, f"/memory/{record_id}" if record_id else "/memory", flash)


def _place_of(lerim: Lerim, change: int) -> Where | None:
    """In which of the places here a change was made; None to have it asked where one writes by default."""
    for place in lerim.memory.places():
        with suppress(NotFound), place.store.read() as snapshot:
            snapshot.find_change(change)
            return place.scope
    return None


ROUTES = [
    Route("/memory", memory),
    Route("/memory/new", new, methods=["GET", "POST"]),
    Route("/memory/undo", undo, methods=["POST"]),
    Route("/memory/{id}", record),
    Route("/memory/{id}/edit", edit, methods=["GET", "POST"]),
    Route("/memory/{id}/supersede", supersede, methods=["POST"]),
    Route("/memory/{id}/{deed}", deed, methods=["POST"]),
]
