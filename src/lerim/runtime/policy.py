"""The embedded provider: models of our own that play the policy through the same tools, without a network or a key.

Each turn is decided from the conversation alone, so the same memory and session give the same run. A tool that refuses
is a surprise: a refused write is reported as not done, anything else ends the run. The policy never tries twice.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from lerim.context.face.markdown import parse
from lerim.context.records import Kind, Primitive, RecordId, Trust
from lerim.errors import MarkdownError
from lerim.ingest.findings import Candidate, Quote
from lerim.ingest.reconcile import Action, Decision, KnownRecord, WriteMode, decide
from lerim.ingest.words import covered, stems, words
from lerim.runtime.prompts import task_data
from lerim.runtime.roots import WritingMode

SEARCHES_AT_ONCE = 4
_QUERY_WORDS = 12
_SOUGHT = 12
_SOUGHT_ANYWHERE = 3
_BEST = 8
_NUMBERED = re.compile(r"^ *\d+\t(.*)$")
_HIT = re.compile(r"^(.+?\.md):(\d+): (.*)$")
_ID_LINE = re.compile(r"^id: *\"?([a-z]{3}-[a-z0-9]{3,32})")

Parts = Sequence[ModelResponsePart]


@dataclass(frozen=True)
class Called:
    """A call of a tool and what came of it."""

    name: str
    args: Mapping[str, Any]
    content: Any
    refused: bool

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else json.dumps(self.content, default=str)


@dataclass(frozen=True)
class RunHistory:
    """The conversation so far, as the policy needs it."""

    task: str
    turns: int
    calls: tuple[Called, ...]
    #: Whether the last word was said already.
    is_done: bool

    @classmethod
    def of(cls, messages: Sequence[ModelMessage]) -> RunHistory:
        requests = [part for m in messages if isinstance(m, ModelRequest) for part in m.parts]
        responses = [m for m in messages if isinstance(m, ModelResponse)]
        asked = {part.tool_call_id: part for m in responses for part in m.parts if isinstance(part, ToolCallPart)}
        task = next(part.content for part in requests if isinstance(part, UserPromptPart))
        answers = [part for part in requests if isinstance(part, ToolReturnPart) and part.tool_call_id in asked]
        calls = [
            Called(a.tool_name, asked[a.tool_call_id].args_as_dict(), a.content, a.outcome != "success")
            for a in answers
        ]
        is_done = bool(responses) and any(isinstance(part, TextPart) for part in responses[-1].parts)
        return cls(str(task), len(responses), tuple(calls), is_done)

    def of_tool(self, name: str) -> list[Called]:
        return [call for call in self.calls if call.name == name]

    def was_called(self, name: str) -> bool:
        return any(call.name == name for call in self.calls)


class EmbeddedModel(Model[None]):
    """A pydantic-ai model whose answers are computed. It uses no tokens and costs nothing."""

    _announces_system_voice = False

    @property
    def model_name(self) -> str:
        return "policy"

    @property
    def system(self) -> str:
        return "embedded"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        parts = self.turn(RunHistory.of(messages), model_request_parameters)
        return ModelResponse(parts=list(parts), usage=RequestUsage(), model_name=self.model_name)

    def turn(self, history: RunHistory, parameters: ModelRequestParameters) -> Parts:
        raise NotImplementedError


class LeadPolicy(EmbeddedModel):
    """The lead agent of a mode."""

    def __init__(self, mode: WritingMode) -> None:
        super().__init__()
        self._mode = mode

    def turn(self, history: RunHistory, parameters: ModelRequestParameters) -> Parts:
        for call in history.calls:
            if call.refused and call.name not in _MAY_BE_REFUSED:
                raise UnexpectedModelBehavior(f"{call.name} refused: {call.text[:300]}")
        if history.is_done:
            # It was told that the run is not finished, and knows no other way to finish it.
            raise UnexpectedModelBehavior("the policy is done, but the run is not finished")
        return _TURNS[self._mode](history)


#: A write that is refused is told in the account; the run goes on without it.
_MAY_BE_REFUSED = frozenset({"write_memory"})


# --- sync -------------------------------------------------------------------------------------------------------------


def _sync(history: RunHistory) -> Parts:
    """Extract and summarise; search for each candidate, four at once; write what is new; give account; say so."""
    if not history.calls:
        return [ToolCallPart("extract_pipeline", {}), ToolCallPart("summarize_pipeline", {})]
    candidates = [_candidate(said) for said in history.of_tool("extract_pipeline")[0].content["candidates"]]
    searches = {call.args.get("candidate"): call.content for call in history.of_tool("explore")}
    waiting = [candidate for candidate in candidates if candidate.id not in searches]
    if waiting:
        return [_search(candidate) for candidate in waiting[:SEARCHES_AT_ONCE]]
    decisions = _decide_all(candidates, searches)
    writes = [c for c in candidates if decisions[c.id].action is not Action.NO_OP]
    if writes and not history.was_called("write_memory"):
        return [_write(candidate, decisions[candidate.id], searches) for candidate in writes]
    actions = _actions(history, candidates, decisions)
    if not history.was_called("write"):
        account = json.dumps({"actions": actions}, ensure_ascii=False)
        return [ToolCallPart("write", {"file_path": "memory_actions.json", "content": account})]
    return [TextPart(_told(actions))]


def _search(candidate: Candidate) -> ToolCallPart:
    chosen = list(dict.fromkeys(words(candidate.title)))
    chosen += [w for w, _ in Counter(words(candidate.body)).most_common() if w not in chosen]
    said = [word for word in chosen if stems(word) and len(word) > 2]
    query = " ".join(said[:_QUERY_WORDS]) or candidate.title
    return ToolCallPart("explore", {"query": query, "candidate": candidate.id})


def _decide_all(candidates: Sequence[Candidate], searches: Mapping[Any, Any]) -> dict[str, Decision]:
    """What becomes of each. A record is changed once in a run: the second who wants it leaves it as it is."""
    decisions: dict[str, Decision] = {}
    busy: set[str] = set()
    for candidate in candidates:
        decision = _decide(candidate, searches[candidate.id])
        if decision.action is Action.UPDATE and busy & set(decision.targets):
            reason = "Another candidate of this session changes the same record"
            decision = Decision(Action.NO_OP, None, decision.targets, reason)
        if decision.action is Action.UPDATE:
            busy |= set(decision.targets)
        decisions[candidate.id] = decision
    return decisions


def _decide(candidate: Candidate, found: Sequence[Mapping[str, Any]]) -> Decision:
    about = stems(candidate.title)
    for said in found:
        # What was taken from these lines and does not hold any more was replaced or put away since: it stays so.
        if said.get("same_lines") and said["status"] != "active" and covered(about, stems(_all_of(said))) >= 0.5:
            reason = f"It was taken from these lines before and is {said['status']} now"
            return Decision(Action.NO_OP, None, (RecordId(said["record_id"]),), reason)
    return decide(candidate, [_known(said) for said in found if said["status"] == "active"])


def _all_of(said: Mapping[str, Any]) -> str:
    return f"{said['title']} {said['body']}"


def _known(said: Mapping[str, Any]) -> KnownRecord:
    return KnownRecord(
        id=RecordId(said["record_id"]),
        primitive=Primitive(said["primitive"]),
        title=said["title"],
        body=said["body"],
        kind=Kind(said["kind"]) if said.get("kind") else None,
        confidence=said["confidence"],
        tags=tuple(said["tags"]),
        source=said["source"],
        trust=Trust(said["trust"]),
        same_session=bool(said.get("same_session")),
        overlaps=bool(said.get("same_lines")),
    )


def _candidate(said: Mapping[str, Any]) -> Candidate:
    return Candidate(
        id=said["id"],
        primitive=Primitive(said["primitive"]),
        title=said["title"],
        body=said["body"],
        quotes=tuple(Quote(q["first"], q["last"], q["text"]) for q in said["quotes"]),
        kind=Kind(said["kind"]) if said.get("kind") else None,
        confidence=said["confidence"],
        tags=tuple(said["tags"]),
        trust=Trust(said["trust"]),
    )


def _write(candidate: Candidate, decision: Decision, searches: Mapping[Any, Any]) -> ToolCallPart:
    args: dict[str, Any] = {
        "primitive": str(candidate.primitive),
        "title": candidate.title,
        "body": candidate.body,
        "confidence": candidate.confidence,
        "tags": list(candidate.tags),
        "kind": str(candidate.kind) if candidate.kind else None,
        "candidate": candidate.id,
    }
    if decision.how is WriteMode.SUPERSEDE:
        args["replaces"] = list(decision.targets)
    if decision.how is WriteMode.REVISE and decision.revision is not None:
        new = decision.revision
        old = next(said for said in searches[candidate.id] if said["record_id"] == decision.targets[0])
        args |= {"title": new.title, "body": new.body, "confidence": new.confidence, "tags": list(new.tags)}
        args |= {"updates": decision.targets[0], "primitive": old["primitive"], "kind": old.get("kind")}
    return ToolCallPart("write_memory", args)


def _actions(
    history: RunHistory, candidates: Sequence[Candidate], decisions: Mapping[str, Decision]
) -> list[dict[str, Any]]:
    written = {call.args["candidate"]: call for call in history.of_tool("write_memory")}
    actions = []
    for candidate in candidates:
        decision, call = decisions[candidate.id], written.get(candidate.id)
        action: dict[str, Any] = {"candidate": candidate.id, "targets": list(decision.targets)}
        if call is None:
            action |= {"action": "no-op", "reason": decision.reason}
        elif call.refused:
            action |= {"action": "no-op", "reason": f"It was not written: {call.text[:300]}"}
        else:
            verb = "add" if decision.action is Action.ADD else "update"
            action |= {"action": verb, "reason": decision.reason, "record": call.content["record_id"]}
        actions.append(action)
    return actions


def _told(actions: Sequence[Mapping[str, Any]]) -> str:
    counts = Counter(action["action"] for action in actions)
    said = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    return f"The session is taken in: {said}." if said else "The session is taken in: its summary, and nothing to keep."


# --- maintain ---------------------------------------------------------------------------------------------------------


def _maintain(history: RunHistory) -> Parts:
    """Read what the review list names; archive what faded, merge what says the same; give account; say so."""
    data = task_data(history.task)
    items: list[Any] = list(data["review"])  # type: ignore[call-overload]
    if items and not history.was_called("read"):
        records = [record for item in items for record in item["records"]]
        return [ToolCallPart("read", {"file_path": record["path"], "limit": 10_000}) for record in records]
    texts = {call.args["file_path"]: _unnumbered(call.text) for call in history.of_tool("read")}
    if items and history.turns < 2:
        steps = [step for item in items if (step := _step(item, texts)) is not None]
        if steps:
            return steps
    if not history.was_called("write") or _account_of(history) is None:
        account = json.dumps({"actions": [_outcome(item, history) for item in items]}, ensure_ascii=False)
        return [ToolCallPart("write", {"file_path": "maintain_actions.json", "content": account})]
    return [TextPart(f"The memory was looked after: {len(items)} items of the review list.")]


def _account_of(history: RunHistory) -> Called | None:
    return next((c for c in history.of_tool("write") if c.args["file_path"] == "maintain_actions.json"), None)


def _step(item: Mapping[str, Any], texts: Mapping[str, str | None]) -> ToolCallPart | None:
    """What to do about an item; None when its files cannot be read whole."""
    read = [(record, texts.get(record["path"])) for record in item["records"]]
    whole = [(record, text) for record, text in read if text is not None]
    if len(whole) < len(read):
        return None
    if item["suggests"] == "archive":
        record, text = whole[0]
        return ToolCallPart("write", {"file_path": _archived(record["path"]), "content": text})
    return _merge(whole)


def _archived(path: str) -> str:
    folder, _, name = path.rpartition("/")
    root, _, kind = folder.rpartition("/")
    return f"{root}/archived/{kind}/{name}"


def _merge(whole: Sequence[tuple[Mapping[str, Any], str]]) -> ToolCallPart | None:
    """The surest and newest one's words, and the paragraphs of the others that it does not cover."""
    try:
        bodies = {record["record_id"]: parse(text.encode()) for record, text in whole}
    except MarkdownError:
        return None
    ordered = sorted((record for record, _ in whole), key=lambda r: (r["confidence"], r["updated"]), reverse=True)
    best, *others = ordered
    body = bodies[best["record_id"]].body.strip()
    for other in others:
        for paragraph in bodies[other["record_id"]].body.strip().split("\n\n"):
            if covered(stems(paragraph), stems(f"{best['title']} {body}")) < 0.8:
                body = f"{body}\n\n{paragraph}".strip()
    tags = dict.fromkeys(tag for record in ordered for tag in bodies[record["record_id"]].values.get("tags") or ())
    args = {
        "primitive": best["primitive"],
        "title": best["title"],
        "body": body,
        "confidence": best["confidence"],
        "tags": [str(tag) for tag in tags],
        "kind": best["kind"],
        "replaces": [record["record_id"] for record, _ in whole],
    }
    return ToolCallPart("write_memory", args)


def _outcome(item: Mapping[str, Any], history: RunHistory) -> dict[str, Any]:
    ids = [record["record_id"] for record in item["records"]]
    if item["suggests"] == "archive":
        target = _archived(item["records"][0]["path"])
        call = next((c for c in history.of_tool("write") if c.args["file_path"] == target), None)
    else:
        call = next((c for c in history.of_tool("write_memory") if c.args.get("replaces") == ids), None)
    if call is None:
        return {"action": "no-op", "records": ids, "reason": "its file could not be read whole"}
    if call.refused:
        return {"action": "no-op", "records": ids, "reason": f"It was not done: {call.text[:300]}"}
    return {"action": item["suggests"], "records": ids, "reason": item["reason"]}


def _unnumbered(page: str) -> str | None:
    """The text behind a page of numbered lines; None when the page is not the whole file as it stands."""
    *lines, note = page.split("\n")
    found = [match[1] for line in lines if (match := _NUMBERED.match(line))]
    is_whole = note.startswith("(end") and len(found) == len(lines) and not any("… [cut:" in line for line in found)
    return "\n".join(found) if is_whole else None


_TURNS: Mapping[WritingMode, Callable[[RunHistory], Parts]] = {"sync": _sync, "maintain": _maintain}


# --- the explorer -----------------------------------------------------------------------------------------------------


class ExplorerPolicy(EmbeddedModel):
    """Looks for the query's words in titles, and for the longest of them anywhere; then reads what has most of them."""

    def turn(self, history: RunHistory, parameters: ModelRequestParameters) -> Parts:
        for call in history.calls:
            if call.refused:
                raise UnexpectedModelBehavior(f"{call.name} refused: {call.text[:300]}")
        data = task_data(history.task)
        wanted = sorted(stems(str(data["query"])), key=lambda stem: (-len(stem), stem))
        wanted = [stem for stem in wanted if len(stem) > 1][:_SOUGHT]
        places = [(memory, folder) for memory in _list(data["memory_roots"]) for folder in _list(data["folders"])]
        if not wanted or not places:
            return [_envelope(parameters, [])]
        if not history.calls:
            return [_grep(pattern, *place) for pattern in _patterns(wanted) for place in places]
        ranked = _ranked(history.of_tool("grep"), wanted)[:_BEST]
        if ranked and not history.was_called("read"):
            return [ToolCallPart("read", {"file_path": path, "limit": 200}) for path, _ in ranked]
        pages = {call.args["file_path"]: call.text for call in history.of_tool("read")}
        return [_envelope(parameters, [_sighting(path, score, pages.get(path, "")) for path, score in ranked])]


def _list(value: object) -> list[str]:
    assert isinstance(value, list)
    return value


def _patterns(wanted: Sequence[str]) -> list[str]:
    """All words at once in titles, where they mean most; a few long ones, which are rare, anywhere."""
    any_word = "|".join(map(re.escape, wanted))
    return [f"(?i)^title: .*(?:{any_word})", *(f"(?i){re.escape(stem)}" for stem in wanted[:_SOUGHT_ANYWHERE])]


def _grep(pattern: str, memory: str, folder: str) -> ToolCallPart:
    # By folder: a word that fills one folder's share of hits must not hide the other's.
    args = {"pattern": pattern, "base_path": memory, "include": f"{folder}/**/*.md", "max_hits": 400}
    return ToolCallPart("grep", args)


def _ranked(greps: Sequence[Called], wanted: Sequence[str]) -> list[tuple[str, float]]:
    """Files by the words found in them, as a share of all that were sought. A rare word counts more, a title double."""
    titles: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, set[str]] = defaultdict(set)
    for call in greps:
        for line in call.text.split("\n"):
            if hit := _HIT.match(line):
                said = hit[3].lower()
                found = titles if said.startswith("title: ") else texts
                found[hit[1]].update(stem for stem in wanted if stem in said)
    files = titles.keys() | texts.keys()
    spread = Counter(stem for path in files for stem in titles[path] | texts[path])
    weights = {stem: math.log(1 + (1 + len(files)) / (1 + spread[stem])) for stem in wanted}
    best = 2 * sum(weights.values())
    scores = {
        path: sum(weights[stem] * ((stem in titles[path]) + 1) for stem in titles[path] | texts[path]) / best
        for path in files
    }
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _sighting(path: str, score: float, page: str) -> dict[str, Any]:
    lines = [match[1] for line in page.split("\n") if (match := _NUMBERED.match(line))]
    record_id = next((match[1] for line in lines if (match := _ID_LINE.match(line))), None)
    title = next((line.partition(": ")[2].strip('"') for line in lines if line.startswith("title: ")), "")
    closing = [number for number, line in enumerate(lines) if line == "---"][1:2] or [-1]
    excerpt = "\n".join(lines[closing[0] + 1 :]).strip()
    return {
        "path": path,
        "record_id": record_id,
        "title": title[:400],
        "excerpt": excerpt[:2_000],
        "relevance": round(min(1.0, score), 3),
    }


def _envelope(parameters: ModelRequestParameters, evidence: Sequence[Mapping[str, Any]]) -> ToolCallPart:
    return ToolCallPart(parameters.output_tools[0].name, {"evidence": list(evidence)})
