"""Following the memory: after each change, only the pairs that it touches are looked at again.

What is linked depends on the records alone, never on the order they came in: a graph that followed every change is the
one that is made anew. So each thing that decides about a pair is followed exactly: what the two say, whether each is
among the other's nearest, and how many speak of a name that both do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from lerim.context.feed import START, Feed, Followed, Position
from lerim.context.links import Edge, EdgeKind, LinkRows
from lerim.context.place import Place
from lerim.context.records import Record, Status
from lerim.context.rows import decode
from lerim.context.store import COLUMNS, RECORDS
from lerim.dataclass import dataclass, field
from lerim.graph.following import followed
from lerim.graph.names import RARE, Rarity, names_of, rarity
from lerim.graph.nearness import NearLists, VectorTable, pairs_of
from lerim.graph.pairs import LinkedText, Tie, link, replaced
from lerim.search.health import digests, text_digest
from lerim.search.index import Index, OpenIndex
from lerim.storage.database import Transaction

#: Versions of records that are looked at in one step.
STEP = 512
#: Links a record keeps, beside those to what it replaced.
MOST_LINKS = 8
_AT_ONCE = 5_000

Pair = tuple[int, int]


@dataclass
class _LinkStep:
    """What one look at the changes found, to be written at once."""

    store: str
    start: Position
    end: Position
    #: Records that changed and are no longer linked, by row; and those that are.
    gone: dict[int, str] = field(default_factory=dict)
    come: dict[int, Record] = field(default_factory=dict)
    #: The lists of nearest records that changed; None for a record without a vector.
    near: dict[int, bytes | None] = field(default_factory=dict)
    names: dict[int, Collection[str]] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    #: Pairs that were looked at, by id, and the links that were found.
    looked_at: list[tuple[str, str]] = field(default_factory=list)
    found: list[Edge] = field(default_factory=list)


class LinkBuilder:
    """Keeps the links of one place in step with its records."""

    def __init__(self, place: Place, index: Index, model: str) -> None:
        self._place = place
        self._index = index
        self._model = model

    def step(self) -> int | None:
        """Take in the next changes; how many records that was. None when there are none."""
        found = self._look()
        if found is None:
            return None
        with self._place.local.write() as local:
            at = self._followed(local)
            if not at.stands_at(found.store, found.start):
                return 0  # Somebody was faster.
            _Writing(LinkRows(local, self._project)).write(found)
            at.advance(found.store, found.end)
        return len(found.gone) + len(found.come)

    def forget(self) -> None:
        """Have everything found again."""
        with self._place.local.write() as local, self._place.store.database.read() as tx:
            LinkRows(local, self._project).forget()
            local.run("DELETE FROM followed WHERE project_id = ? AND what LIKE 'links %'", (self._project,))
            self._followed(local).advance(Feed(tx, self._project).store(), START)

    @property
    def _project(self) -> str:
        return self._place.project.id

    def _followed(self, local: Transaction) -> Followed:
        return followed(local, self._project, self._model)

    def _look(self) -> _LinkStep | None:
        with self._index.reading() as opened:
            feed = Feed(opened.tx, self._project)
            position = self._followed(opened.local).position(feed)
            if position is not None:
                changed = feed.since(position, STEP)
                waiting = LinkRows(opened.local, self._project).waiting(self._model) if self._model else []
                step = _LinkStep(feed.store(), position, changed[-1] if changed else position)
                seqs = {one.seq for one in changed}
                looking = _Looking(opened, self._project, self._model, step)
                return looking.look(seqs, set(waiting[:STEP]) - seqs)
        self.forget()
        return self._look()


class _Looking:
    """One look at what changed, while nothing else does."""

    def __init__(self, opened: OpenIndex, project_id: str, model: str, step: _LinkStep) -> None:
        self._tx = opened.tx
        self._packs = opened.view.packs
        self._local = opened.local
        self._model = model
        self._rows = LinkRows(opened.local, project_id)
        self._project = project_id
        self._step = step
        self._texts: dict[int, LinkedText] = {}

    def look(self, changed: set[int], waiting: set[int]) -> _LinkStep | None:
        step = self._step
        self._fetch(changed | waiting)
        with_vector = self._with_vector(changed | waiting)
        changed |= waiting & with_vector
        if not changed:
            return None
        known = {seq: record_id for seq, record_id, _ in self._known}
        for seq in changed:
            if (text := self._texts.get(seq)) and text.record.may_brief:
                step.come[seq] = text.record
            elif seq in known or text:
                step.gone[seq] = known.get(seq) or self._texts[seq].record.id
        step.ids = {**{seq: one for seq, one in known.items() if seq not in step.gone}, **_ids(step.come)}
        near_pairs = self._follow_nearness(changed, with_vector & step.come.keys())
        name_pairs = self._follow_names(changed)
        self._judge({*near_pairs, *name_pairs, *self._session_pairs()})
        self._judge_replaced()
        return step

    # What decides about pairs

    @cached_property
    def _known(self) -> list[tuple[int, str, bytes | None]]:
        return self._rows.near_lists()

    @cached_property
    def _lists(self) -> NearLists:
        return NearLists({seq: blob for seq, _, blob in self._known if blob is not None})

    def _follow_nearness(self, changed: set[int], come: set[int]) -> set[Pair]:
        """Bring the lists of nearest records up to date; the pairs that this speaks of."""
        lists = self._lists
        before = set(lists.seqs.tolist())
        gone = before & changed
        table = VectorTable.of(self._packs, list((before - gone) | come))
        differing = lists.follow(table, gone, come & set(table.seqs.tolist()))
        there = set(table.seqs.tolist())
        self._step.near = {seq: lists.blob(seq) for seq in differing if seq in there}
        self._step.near |= {seq: None for seq in self._step.come if seq not in there}
        pairs = set(pairs_of(differing))
        # What a record says counts as well as who is near: all of its own pairs are looked at again.
        return pairs | {_pair(seq, other) for seq in self._step.come for other in lists.of(seq)}

    def _follow_names(self, changed: set[int]) -> set[Pair]:
        """Bring the names up to date; the pairs of those that speak of a name which became rarer or more common, and
        the pairs of what changed."""
        before = self._rows.names_of(sorted(changed))
        after = {seq: names_of(record) for seq, record in self._step.come.items()}
        self._step.names = {seq: after.get(seq, frozenset()) for seq in changed}
        touched = {name for names in (*before.values(), *after.values()) for name in names}
        pairs: set[Pair] = set()
        for name, holders in self._rows.holders(touched, RARE + len(changed)).items():
            now = (holders - changed) | {seq for seq, names in after.items() if name in names}
            self._rarities[name] = rarity(len(now))
            levels = rarity(len(holders)), self._rarities[name]
            for level, some in zip(levels, (holders, now), strict=True):
                if level is not Rarity.COMMON:
                    pairs |= _pairs_among(some, changed if levels[0] is levels[1] else some)
        return pairs

    @cached_property
    def _rarities(self) -> dict[str, Rarity]:
        """How rare names are, once all changes are taken in."""
        return {}

    def _session_pairs(self) -> set[Pair]:
        """What changed, each with all that stands in the same sessions."""
        found: set[Pair] = set()
        sql = "SELECT record_seq FROM cited_sessions WHERE project_id = ? AND agent = ? AND run_id = ?"
        by_session: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for seq, record in self._step.come.items():
            for session in _sessions(record):
                by_session[session].add(seq)
        for session, here in by_session.items():
            others = {row[0] for row in self._tx.rows(sql, (self._project, *session))}
            row = self._tx.row(_SUMMARY, (self._project, *session))
            others |= {row[0]} if row else set()
            found |= {_pair(seq, other) for seq in here for other in others & self._step.ids.keys() if other != seq}
        return found

    # Judging

    def _judge(self, pairs: set[Pair]) -> None:
        step = self._step
        self._fetch({seq for pair in pairs for seq in pair if seq in step.ids})
        shared = self._shared_names(pairs)
        for one, other in sorted(pairs):
            if one not in step.ids or other not in step.ids:
                continue
            step.looked_at.append((step.ids[one], step.ids[other]))
            tie = Tie(self._lists.mutual(one, other), shared.get((one, other), {}))
            if edge := link(self._texts[one], self._texts[other], tie):
                step.found.append(edge)

    def _shared_names(self, pairs: Iterable[Pair]) -> dict[Pair, dict[str, Rarity]]:
        """The rare names that both of each pair speak of."""
        seqs = sorted({seq for pair in pairs for seq in pair})
        names: dict[int, Collection[str]] = {**self._rows.names_of(seqs), **self._step.names}
        shared = {pair: set(names.get(pair[0], ())) & set(names.get(pair[1], ())) for pair in pairs}
        unknown = {name for some in shared.values() for name in some} - self._rarities.keys()
        self._rarities.update({n: rarity(len(some)) for n, some in self._rows.holders(unknown, RARE).items()})
        return {
            pair: {name: self._rarities[name] for name in some if self._rarities[name] is not Rarity.COMMON}
            for pair, some in shared.items()
            if some
        }

    def _judge_replaced(self) -> None:
        """Link what changed with what it replaced, and what was replaced with its successor."""
        step = self._step
        by_id = {record.id: record for record in step.come.values()}
        news = {text.record.superseded_by for seq in step.gone if (text := self._texts.get(seq))} - {None}
        for record in self._among("r.id", sorted(filter(None, news - by_id.keys()))).values():
            if record.may_brief:
                by_id[record.id] = record
        olds = self._among("r.superseded_by", sorted(by_id))
        for old in olds.values():
            new = by_id.get(old.superseded_by or old.id)
            if new is not None and old.status is Status.SUPERSEDED and not old.is_hearsay:
                step.looked_at.append((new.id, old.id))
                step.found.append(replaced(new, old))

    # Records

    def _fetch(self, seqs: Iterable[int]) -> None:
        missing = sorted(set(seqs) - self._texts.keys())
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            sql = f"SELECT r.seq, {COLUMNS} FROM {RECORDS} WHERE r.seq IN ({', '.join('?' * len(some))})"
            self._texts |= {row[0]: LinkedText(decode(row[1:])) for row in self._tx.rows(sql, some)}

    def _among(self, column: str, values: Sequence[str]) -> dict[str, Record]:
        found: dict[str, Record] = {}
        for start in range(0, len(values), _AT_ONCE):
            some = values[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            sql = f"SELECT {COLUMNS} FROM {RECORDS} WHERE r.project_id = ? AND {column} IN ({marks})"
            found |= {record.id: record for record in map(decode, self._tx.rows(sql, (self._project, *some)))}
        return found

    def _with_vector(self, seqs: Collection[int]) -> set[int]:
        """Those whose vector was made from what they say now."""
        made = digests(self._local, self._project, self._model, sorted(seqs)) if self._model else {}
        texts = {seq: self._texts[seq].record for seq in seqs if seq in self._texts and seq in made}
        return {seq for seq, record in texts.items() if made[seq][0] == text_digest(record.title, record.body)}


_SUMMARY = (
    "SELECT r.seq FROM sessions s JOIN records r ON r.project_id = s.project_id AND r.id = s.summary_id"
    " WHERE s.project_id = ? AND s.agent = ? AND s.run_id = ?"
)


class _Writing:
    """Writes what a look found, inside one transaction."""

    def __init__(self, rows: LinkRows) -> None:
        self._rows = rows

    def write(self, step: _LinkStep) -> None:
        rows = self._rows
        changed = {*step.gone.values(), *(record.id for record in step.come.values())}
        looked_at = {ends for edge, _ in rows.of(changed) for ends in [(str(edge.source), str(edge.target))]}
        looked_at.update(step.looked_at)
        touched = {end for ends in looked_at for end in ends} | changed
        before = _kept(rows.of(touched))
        rows.take_out(looked_at)
        rows.put(step.found)
        rows.take_out_records(step.gone)
        rows.put_record((seq, step.ids[seq], near) for seq, near in step.near.items())
        rows.put_names(step.names)
        self._prune(touched)
        moved = before ^ _kept(rows.of(touched))
        rows.mark_unclustered({str(end) for edge in moved for end in (edge.source, edge.target)})

    def _prune(self, touched: set[str]) -> None:
        """Of the links of some records, let the strongest count: those that are so for both ends."""
        mine = self._rows.of(touched)
        ends = {str(end) for edge, _ in mine for end in (edge.source, edge.target)}
        strongest = _strongest(edge for edge, _ in self._rows.of(ends))
        judged = ((edge, was, _is_kept(edge, strongest)) for edge, was in mine)
        self._rows.keep((edge, now) for edge, was, now in judged if was != now)


def _kept(found: Iterable[tuple[Edge, bool]]) -> set[Edge]:
    return {edge for edge, is_kept in found if is_kept}


def _strongest(edges: Iterable[Edge]) -> dict[tuple[str, bool], set[tuple[str, str]]]:
    """The links that each record would keep, by whether they are to what it replaced."""
    by_end: defaultdict[tuple[str, bool], list[Edge]] = defaultdict(list)
    for edge in edges:
        for end in (edge.source, edge.target):
            by_end[end, edge.kind is EdgeKind.SUPERSEDES].append(edge)
    return {
        key: {(edge.source, edge.target) for edge in sorted(some, key=_strength)[:MOST_LINKS]}
        for key, some in by_end.items()
    }


def _strength(edge: Edge) -> tuple[float, str, str]:
    return -edge.confidence, edge.source, edge.target


def _is_kept(edge: Edge, strongest: Mapping[tuple[str, bool], set[tuple[str, str]]]) -> bool:
    is_past = edge.kind is EdgeKind.SUPERSEDES
    return all((edge.source, edge.target) in strongest[end, is_past] for end in (edge.source, edge.target))


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


def _pairs_among(some: Collection[int], concerned: Collection[int]) -> set[Pair]:
    """The pairs of some records in which one is that this concerns."""
    return {pair for pair in combinations(sorted(some), 2) if pair[0] in concerned or pair[1] in concerned}


def _ids(records: Mapping[int, Record]) -> dict[int, str]:
    return {seq: str(record.id) for seq, record in records.items()}


def _sessions(record: Record) -> set[tuple[str, str]]:
    cited = {(piece.agent, piece.run_id) for piece in record.evidence}
    own = {(record.coding_agent, record.run_id)} if record.coding_agent and record.run_id else set()
    return cited | {(agent or "", run or "") for agent, run in own}
