"""Answers, views, the graph and what memories rest on, over HTTP."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from lerim.answer.conversation import Exchange
from lerim.context.records import parse_last_moment
from lerim.errors import NotFound, UsageError
from lerim.graph.export import document
from lerim.payloads.answer import AnswerPayload, answer_payload
from lerim.payloads.graph import (
    ClusterPayload,
    GraphOverviewPayload,
    GraphPathPayload,
    GraphPayload,
    GraphRebuiltPayload,
    NeighborsPayload,
    cluster_payload,
    graph_overview_payload,
    graph_path_payload,
    graph_payload,
    graph_rebuilt_payload,
    neighbors_payload,
)
from lerim.payloads.grounding import GroundingPayload, grounding_payload
from lerim.payloads.views import ViewPayload, ViewStatusPayload, view_payload, view_status_payload
from lerim.serve.api.asking import Call, Nothing
from lerim.serve.api.table import ApiTable
from lerim.views.view import ViewName

ANSWERS = ApiTable()
_VIEWS = tuple(f"{name} {verb}" for name in ViewName for verb in ("status", "path"))


class ExchangeAsked(TypedDict):
    question: str
    titles: NotRequired[Annotated[list[str], "of the memories that answered it"]]


class AskAsked(TypedDict):
    question: str
    history: NotRequired[Annotated[list[ExchangeAsked], "what was asked before, oldest first"]]
    as_of: NotRequired[Annotated[str, "as of this date"]]
    limit: NotRequired[Annotated[int, "use at most this many memories (default 3)"]]
    explain: NotRequired[Annotated[bool, "tell how the answer was found"]]
    embedded: NotRequired[Annotated[bool, "compose the answer without a model"]]


class ViewAsked(TypedDict):
    as_of: NotRequired[Annotated[str, "as it would have been then"]]
    budget: NotRequired[Annotated[int, "at most so many characters"]]


class ViewRefreshAsked(ViewAsked):
    force: NotRequired[Annotated[bool, "make it anew although nothing changed"]]
    model: NotRequired[Annotated[bool, "of the brief: let the model of the extract role say its lines better"]]


PathAsked = TypedDict("PathAsked", {"from": Annotated[str, "a record's id"], "to": Annotated[str, "another one's"]})


@ANSWERS.post("/ask", "ask", "answer", "chat", takes_long=True)
def ask_memory(call: Call[AskAsked]) -> AnswerPayload:
    """Answer a question from memory, citing the memories behind each sentence."""
    asked = call.asked
    if not asked["question"].strip():
        raise UsageError("what is the question?")
    history = tuple(Exchange(one["question"], tuple(one.get("titles", ()))) for one in asked.get("history", []))
    moment = parse_last_moment(asked["as_of"], "as_of") if "as_of" in asked else None
    limit, embedded = min(max(asked.get("limit", 3), 1), 100), asked.get("embedded", False)
    answer = call.lerim.ask(asked["question"], as_of=moment, history=history, limit=limit, embedded=embedded)
    return answer_payload(answer, explain=asked.get("explain", False))


@ANSWERS.get("/views/{view}", *(f"{name} show" for name in ViewName))
def show_view(call: Call[ViewAsked]) -> ViewPayload:
    """The brief, the working-memory or the clinic, each line with the memories behind it."""
    asked, name = call.asked, _view(call.named("view"))
    moment = parse_last_moment(asked["as_of"], "as_of") if "as_of" in asked else None
    if moment is None and "budget" not in asked:
        return view_payload(call.lerim.views.show(name))
    return view_payload(call.lerim.views.render(name, as_of=moment, budget=asked.get("budget")))


@ANSWERS.get("/views/{view}/status", *_VIEWS)
def view_status(call: Call[Nothing]) -> ViewStatusPayload:
    """Whether a view is fresh, where it lies, how large it is and when it was made."""
    return view_status_payload(call.lerim.views.status(_view(call.named("view"))))


@ANSWERS.post("/views/{view}/refresh", *(f"{name} refresh" for name in ViewName), takes_long=True)
def refresh_view(call: Call[ViewRefreshAsked]) -> ViewPayload:
    """Make a view anew from the memory. When nothing changed since, it is left as it is."""
    asked, name = call.asked, _view(call.named("view"))
    if asked.get("model"):
        if name is not ViewName.BRIEF:
            raise UsageError("a model says the lines of the brief better, of no other view")
        return view_payload(call.lerim.reword_brief())
    moment = parse_last_moment(asked["as_of"], "as_of") if "as_of" in asked else None
    force, budget = asked.get("force", False), asked.get("budget")
    return view_payload(call.lerim.views.refresh(name, force=force, as_of=moment, budget=budget))


def _view(name: str) -> ViewName:
    if name not in [str(one) for one in ViewName]:
        raise NotFound(f"there is no view '{name[:60]}'", hint=f"one of {', '.join(ViewName)}")
    return ViewName(name)


@ANSWERS.get("/graph", "graph show")
def show_graph(call: Call[Nothing]) -> list[GraphOverviewPayload]:
    """How the memories here are linked: how many links of which kind, and the clusters they make."""
    return [graph_overview_payload(graph) for graph in call.lerim.graph.show()]


@ANSWERS.get("/graph/export", "graph export")
def export_graph(call: Call[Nothing]) -> GraphPayload:
    """The whole graph: nodes, edges, clusters."""
    return graph_payload(document(call.lerim.graph.show()))


@ANSWERS.get("/graph/neighbors/{id}", "graph neighbors")
def graph_neighbors(call: Call[Nothing]) -> NeighborsPayload:
    """What a memory is linked with: how, how surely, and why."""
    return neighbors_payload(call.lerim.graph.neighbors(call.named("id")))


@ANSWERS.get("/graph/clusters", "graph clusters")
def graph_clusters(call: Call[Nothing]) -> list[ClusterPayload]:
    """The clusters: memories that belong together, and what they are about."""
    return [cluster_payload(one, graph.place) for graph in call.lerim.graph.show() for one in graph.clusters]


@ANSWERS.get("/graph/clusters/{cluster}", "graph clusters")
def graph_cluster(call: Call[Nothing]) -> ClusterPayload:
    """One of them."""
    wanted = call.named("cluster")
    for graph in call.lerim.graph.show():
        for one in graph.clusters:
            if one.id == wanted:
                return cluster_payload(one, graph.place)
    raise NotFound(f"no cluster '{wanted[:60]}' here", hint="lerim graph clusters")


@ANSWERS.get("/graph/path", "graph path")
def graph_path(call: Call[PathAsked]) -> GraphPathPayload:
    """How one memory leads to another, link by link."""
    return graph_path_payload(call.lerim.graph.path(call.asked["from"], call.asked["to"]))


@ANSWERS.post("/graph/rebuild", "graph rebuild", takes_long=True)
def rebuild_graph(call: Call[Nothing]) -> GraphRebuiltPayload:
    """Find all links and clusters anew. Never needed: what changes is linked as it comes."""
    call.lerim.graph.refresh(rebuild=True)
    return graph_rebuilt_payload(call.lerim.graph.show())


@ANSWERS.get("/grounding", "grounding show")
def show_grounding(call: Call[Nothing]) -> GroundingPayload:
    """The memories that name something the repository no longer has, as of the last check."""
    return grounding_payload(call.lerim.grounding.show())


@ANSWERS.post("/grounding/check", "grounding check", takes_long=True)
def check_grounding(call: Call[Nothing]) -> GroundingPayload:
    """Check what memories name against the repository."""
    return grounding_payload(call.lerim.check_grounds())
