"""`lerim graph`: how memories bear on each other, which belong together, and the whole of it to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.memory import complete_ids
from lerim.cli.output import BOLD, CYAN, DIM, Output
from lerim.cli.report import label, plural
from lerim.context.links import Cluster, EdgeKind
from lerim.errors import NotFound, UsageError
from lerim.graph.export import ExportFormat, document, exported
from lerim.payloads.graph import (
    cluster_payload,
    graph_export_payload,
    graph_overview_payload,
    graph_path_payload,
    graph_payload,
    graph_rebuilt_payload,
    neighbors_payload,
)
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.context.records import Record
    from lerim.graph.parts import GraphNeighbor, PlaceGraph

COMMANDS = Commands()
_SHOWN = 8
_MEMBERS = 4


@COMMANDS.add(
    "show",
    "Show how the memories here are linked: how many links of which kind, and the clusters they make.",
    example="lerim graph show",
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    graphs = lerim.graph.show()
    out.data([graph_overview_payload(graph) for graph in graphs])
    for graph in graphs:
        _tell_graph(graph, out)
    if not any(graph.active for graph in graphs):
        out.note("no memories here yet (lerim sync)")
    elif any(graph.edges for graph in graphs):
        out.note("to look at it: lerim graph export; of one memory: lerim graph neighbors ID")


@COMMANDS.add(
    "neighbors",
    "Show what a memory is linked with: how, how surely, and why.",
    example="lerim graph neighbors dec-k3v7",
    arguments=[argument("id", metavar="ID", help="a record's id, or the beginning of it", completer=complete_ids)],
)
def neighbors(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.graph.neighbors(args.id)
    out.data(neighbors_payload(found))
    _tell_record(found.kept.record, out)
    if found.cluster:
        size = plural(len(found.cluster.members), "memory")
        out.say(out.style(f"  in the cluster '{found.cluster.label}' ({size}, {found.cluster.id})", DIM))
    for one in found.neighbors:
        _tell_neighbor(found.kept.record, one, out)
    if not found.neighbors:
        out.note(f"linked with nothing; what is near: lerim search {found.kept.record.title[:60]}")


@COMMANDS.add(
    "clusters",
    "List the clusters: memories that belong together, and what they are about.",
    example="lerim graph clusters",
    arguments=[argument("cluster", nargs="?", metavar="CLUSTER", help="show all memories of this one, by its id")],
)
def clusters(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.graph.show()
    chosen = [(graph, one) for graph in found for one in graph.clusters if args.cluster in (None, one.id)]
    if args.cluster and not chosen:
        raise NotFound(f"no cluster '{args.cluster}' here", hint="lerim graph clusters")
    out.data([cluster_payload(one, graph.place) for graph, one in chosen])
    for graph, one in chosen:
        _tell_cluster(graph, one, out, most=None if args.cluster else _MEMBERS)
    if not chosen:
        out.note("no clusters yet: three memories that are linked make one (lerim graph show)")


@COMMANDS.add(
    "path",
    "Show how one memory leads to another, link by link.",
    example="lerim graph path dec-k3v7 lrn-q2m7",
    arguments=[
        argument("start", metavar="A", help="a record's id, or the beginning of it", completer=complete_ids),
        argument("end", metavar="B", help="another one's", completer=complete_ids),
    ],
)
def path(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.graph.path(args.start, args.end)
    out.data(graph_path_payload(found))
    _tell_record(found.records[0].record, out)
    for at, edge in enumerate(found.edges):
        phrase = edge.said_from(found.records[at].record.id)
        out.say(f"  {phrase}  {out.style(f'{edge.reason} · {edge.confidence:.2f}', DIM)}")
        _tell_record(found.records[at + 1].record, out)
    if not found.edges:
        out.note("that is one and the same memory")


@COMMANDS.add(
    "export",
    "Write the graph into a file: a page to explore in a browser, or data for other programs. Only you can read it.",
    example="lerim graph export --format html --output graph.html",
    arguments=[
        argument("--format", choices=[str(form) for form in ExportFormat], default="html", help="default html"),
        argument("--output", metavar="FILE", help="where to; - prints it (default: a file in Lerim's own folder)"),
    ],
)
def export(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    form, graphs = ExportFormat(args.format), lerim.graph.show()
    if args.output == "-":
        if form is not ExportFormat.JSON and out.as_json:
            raise UsageError(f"--json prints no {form}", hint=f"lerim graph export --format {form} --output FILE")
        out.data(graph_payload(document(graphs)))
        text = exported(graphs, form)
        out.json_lines(text.splitlines()) if form is ExportFormat.JSON else out.block(text.rstrip("\n"))
        return
    target = Path(args.output) if args.output else lerim.graph.default_target(form)
    lerim.graph.write(graphs, form, target)
    out.data(graph_export_payload(form, target, graphs))
    records, links = sum(len(graph.active) for graph in graphs), sum(len(graph.edges) for graph in graphs)
    past = sum(len(graph.records) for graph in graphs) - records
    replaced = f", {past} that {'was' if past == 1 else 'were'} replaced," if past else ""
    out.say(f"{plural(records, 'memory')}{replaced} and {plural(links, 'link')} written to {target}")
    if form is ExportFormat.HTML:
        out.note(f"open it in a browser: {target.absolute().as_uri()}")


@COMMANDS.add(
    "rebuild",
    "Find all links and clusters anew. Never needed: what changes is linked as it comes.",
    example="lerim graph rebuild",
)
def rebuild(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    lerim.graph.refresh(rebuild=True)
    graphs = lerim.graph.show()
    done = graph_rebuilt_payload(graphs)
    out.data(done)
    links, found = plural(done["links"], "link"), plural(done["clusters"], "cluster")
    out.say(f"{plural(done['records'], 'memory')} linked anew: {links}, {found}")


def _tell_graph(graph: PlaceGraph, out: Output) -> None:
    if not graph.active:
        return
    counts = [f"{count} {kind.said}" for kind in EdgeKind if (count := graph.count(kind))]
    links, found = plural(len(graph.edges), "link"), plural(len(graph.clusters), "cluster")
    head = f"{plural(len(graph.active), 'memory')}, {links}, {found}"
    out.say(f"{out.style(head, BOLD)}  {out.style(graph.place.scope, DIM)}")
    if counts:
        out.say(f"  {' · '.join(counts)}")
    if graph.unlinked:
        out.say(out.style(f"  {plural(graph.unlinked, 'memory')} linked with nothing", DIM))
    for one in graph.clusters[:_SHOWN]:
        out.say(f"  {len(one.members):>4}  {one.label}  {out.style(one.id, DIM)}")
    if len(graph.clusters) > _SHOWN:
        out.say(out.style(f"        {len(graph.clusters) - _SHOWN} more: lerim graph clusters", DIM))
    for edge in graph.edges:
        if edge.kind is EdgeKind.CONTRADICTS:
            both = " and ".join(f"{end} '{graph.records[end].title}'" for end in (edge.source, edge.target))
            out.say(f"  cannot both hold: {both}")


def _tell_cluster(graph: PlaceGraph, one: Cluster, out: Output, most: int | None) -> None:
    size = plural(len(one.members), "memory")
    out.say(f"{out.style(one.label, BOLD)}  {out.style(f'{size} · {one.id}', DIM)}")
    ordered = [one.center, *(member for member in one.members if member != one.center)]
    for member in ordered[:most]:
        out.say(f"  {out.style(member, CYAN)}  {graph.records[member].title}")
    if most and len(ordered) > most:
        out.say(out.style(f"  {len(ordered) - most} more: lerim graph clusters {one.id}", DIM))


def _tell_record(record: Record, out: Output) -> None:
    out.say(f"{out.style(record.id, CYAN)}  {out.style(record.title, BOLD)}  {out.style(label(record), DIM)}")


def _tell_neighbor(record: Record, one: GraphNeighbor, out: Output) -> None:
    other = one.kept.record
    state = "" if other.holds else f" ({other.status})"
    out.say(f"  {one.edge.said_from(record.id):<18} {out.style(other.id, CYAN)}  {other.title}{state}")
    out.say(out.style(f"  {'':<18} {one.edge.reason} · {one.edge.confidence:.2f}", DIM))
