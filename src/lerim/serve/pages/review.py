"""Review: one candidate after the other, with the words it rests on, until none waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.routing import Route

from lerim.context.records import Kind, Primitive, Record, clean_tags
from lerim.context.review.candidates import Edits, ReviewState
from lerim.context.review.desk import ReviewDecision, ReviewVerdict
from lerim.dataclass import dataclass
from lerim.errors import Conflict, LerimError, UsageError
from lerim.serve.pages.memory import KINDS
from lerim.serve.pages.shell import Flash, entry, form_of, in_memory, page, see_other

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.context.review.candidates import ReviewCandidate
    from lerim.context.review.desk import ReviewOutcome, WaitingItem
    from lerim.service import Lerim

#: Candidates after the one that is shown, as far as they are named.
_NEXT = 8
_TOLD = {
    ReviewVerdict.ACCEPT: "Accepted as “{title}”.",
    ReviewVerdict.REJECT: "Rejected “{title}”. It is not proposed again.",
    ReviewVerdict.SAME: "Noted: “{title}” says it already.",
    ReviewVerdict.UPDATES: "Added to “{title}”.",
    ReviewVerdict.REPLACES: "Accepted as “{title}”; what it replaces is closed.",
}


@dataclass(frozen=True)
class ReviewForm:
    """A candidate as somebody would have it."""

    title: str
    body: str
    kind: str
    tags: str
    reason: str = ""

    @classmethod
    def of(cls, candidate: ReviewCandidate) -> ReviewForm:
        kind = str(candidate.kind or candidate.primitive)
        return cls(candidate.title, candidate.body, kind, ", ".join(candidate.tags))

    @classmethod
    def typed(cls, form: FormData) -> ReviewForm | None:
        """What somebody typed; None for a button without words."""
        texts = [entry(form, name) for name in ("title", "body", "kind", "tags", "reason")]
        return cls(*texts) if "title" in form else None

    @property
    def edits(self) -> Edits:
        """What it says. Raises UsageError."""
        if self.kind == Primitive.DECISION:
            primitive, kind = Primitive.DECISION, None
        elif self.kind in set(map(str, Kind)):
            primitive, kind = Primitive.LEARNING, Kind(self.kind)
        else:
            raise UsageError("is it a decision or a learning?", hint="choose one of the kinds")
        return Edits(self.title, self.body, primitive, kind, clean_tags(self.tags.split(",")))


@dataclass(frozen=True)
class ReviewDesktop:
    """What lies before somebody: a candidate with its words, what it stands against, and what comes after it."""

    item: WaitingItem | None
    rivals: list[Record]
    left: int
    #: Those after it, in turn; the first of them again after the last.
    following: list[ReviewCandidate]
    earlier: str

    @property
    def is_pending(self) -> bool:
        return self.item is not None and self.item.proposed.candidate.state is ReviewState.PENDING


async def review(request: Request) -> Response:
    wanted = request.query_params.get("at", "")
    desk = await in_memory(request, lambda lerim: _desktop(lerim, wanted))
    return _shown(request, desk)


def _shown(
    request: Request,
    desk: ReviewDesktop,
    code: int = 200,
    error: LerimError | None = None,
    typed: ReviewForm | None = None,
) -> Response:
    candidate = desk.item.proposed.candidate if desk.item else None
    given: dict[str, Any] = {"desk": desk, "one": candidate, "error": error, "kinds": KINDS}
    form = typed or (ReviewForm.of(candidate) if candidate else None)
    return page(request, "review.html", code, typed=form, is_typed=typed is not None, **given)


def _desktop(lerim: Lerim, wanted: str) -> ReviewDesktop:
    """The candidate that is wanted, decided or not; else the first that waits."""
    waiting = lerim.review.select()
    ids = [one.candidate.id for one in waiting]
    shown = lerim.review.find(wanted) if wanted and wanted not in ids else None
    at = ids.index(wanted) if wanted in ids else 0
    shown = shown or (waiting[at] if waiting else None)
    if shown is None:
        return ReviewDesktop(None, [], 0, [], "")
    rest = [*waiting[at + 1 :], *waiting[:at]] if shown.candidate.id in ids else waiting
    following = [one.candidate for one in rest[:_NEXT]]
    earlier = waiting[at - 1].candidate.id if len(waiting) > 1 else ""
    # What holds, and would do so no more once this is accepted.
    rivals = [kept.record for kept in lerim.review.rivals(shown)]
    return ReviewDesktop(lerim.review.looked_at(shown), rivals, len(waiting), following, earlier)


async def decide(request: Request) -> Response:
    """Do what was decided, and show the next; or why not, with every word kept."""
    candidate_id, form = str(request.path_params["id"]), await form_of(request)
    typed, verdict = ReviewForm.typed(form), entry(form, "verdict")

    def work(lerim: Lerim) -> tuple[Flash, str]:
        following = _following(lerim, candidate_id)
        done = lerim.review.decide(_decision(candidate_id, verdict, typed, form))
        return _told(lerim, done), following

    try:
        flash, following = await in_memory(request, work)
    except (Conflict, UsageError) as error:
        desk = await in_memory(request, lambda lerim: _desktop(lerim, candidate_id))
        return _shown(request, desk, 409 if isinstance(error, Conflict) else 400, error, typed)
    return see_other(request, f"/review{following}", flash)


def _decision(candidate_id: str, verdict: str, typed: ReviewForm | None, form: FormData) -> ReviewDecision:
    """What a form says. Raises UsageError."""
    if verdict not in set(map(str, ReviewVerdict)):
        raise UsageError(f"'{verdict}' is no decision", hint=", ".join(ReviewVerdict))
    edits = typed.edits if typed else Edits()
    return ReviewDecision(
        candidate_id, ReviewVerdict(verdict), edits, entry(form, "record") or None, entry(form, "reason")
    )


def _following(lerim: Lerim, candidate_id: str) -> str:
    """Which one comes next, as a part of an address; nothing when it is the first again."""
    ids = [one.candidate.id for one in lerim.review.select()]
    after = ids[ids.index(candidate_id) + 1 :] if candidate_id in ids else []
    return f"?at={quote(after[0])}" if after else ""


def _told(lerim: Lerim, done: ReviewOutcome) -> Flash:
    """What is said of a decision, and how it is taken back."""
    kept, candidate = done.kept, done.proposed.candidate
    words = _TOLD[done.verdict].format(title=kept.record.title if kept else candidate.title)
    if kept is None or done.verdict is ReviewVerdict.SAME:
        return Flash(words, restore=f"/review/{quote(candidate.id)}/restore")
    change = lerim.memory.history(kept)[-1].change
    masked = "; ".join(one.words for one in kept.masked)
    text = f"{words} {masked[:1].upper()}{masked[1:]} was masked." if masked else words
    return Flash(text, "warn" if masked else "good", change, f"/review?at={quote(candidate.id)}")


async def restore(request: Request) -> Response:
    """Let one that was turned down wait again."""
    candidate_id = str(request.path_params["id"])
    await form_of(request)
    await in_memory(request, lambda lerim: lerim.review.restore(lerim.review.find(candidate_id)))
    return see_other(request, f"/review?at={quote(candidate_id)}", "It waits again.")


ROUTES = [
    Route("/review", review),
    Route("/review/{id}", decide, methods=["POST"]),
    Route("/review/{id}/restore", restore, methods=["POST"]),
]
