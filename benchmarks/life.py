"""A long life: two years of a project, session by session and night by night, against what was true all along.

    python benchmarks/life.py [--seed 7] [--days 730] [--talk 30] [--use 6] [--scale 1] [--explain] [--png FILE]

What was said (life_history.py) is taken in as a sync does it: what is near is looked up, the real rules decide, and one
change is written. Sessions that are read late come late. Sessions use the memory, too: each day they are given the
brief, and every matter is worked on now and then, when its agent searches for it (`--use`; with 0, nobody uses
anything). Every night the memory is curated. Once a month it is counted:

- precision: the share of active records that are true;
- recall: the share of what is true, and was read, that an active record says;
- how many records are active, how many there are, and the CPU seconds of taking in and of curating since last time.

Prints a line a month and the figures at the end. `--explain` prints what is active and false, and what is true and
missing, with the statements it came from; `--png` draws the curves.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path

from lerim.config.scope import Scope, ScopeMode
from lerim.context.filters import ANY, Filter
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Projects
from lerim.context.records import Draft, Evidence, Kind, Moment, Primitive, Record, RecordId, Trust
from lerim.context.recovery import open_local, open_store
from lerim.context.store import Change
from lerim.curate.room import Curation
from lerim.ingest.findings import Candidate
from lerim.ingest.reconcile import Action, Decision, KnownRecord, WriteMode, decide, was_replaced_since
from lerim.search.embeddings import find_embedder
from lerim.search.search import Searcher, search
from lerim.search.similar import similar
from lerim.views.brief import brief
from lerim.views.layout import all_lines, all_records
from lerim.views.material import Material, ViewedPlace

sys.path.insert(0, str(Path(__file__).parent))
from life_history import BEGAN, Fact, Told, Utterance, Work, history, truths, works
from plot import BLACK, COLORS, GRAY, Canvas, Point

MONTH = timedelta(days=30)
#: Characters of a brief, and hits of a search, as they are by default.
_BUDGET, _HITS = 9500, 6


class Clock:
    """Stands where the simulation puts it."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class Count:
    """How the memory stands on one day."""

    day: int
    precision: float
    recall: float
    active: int
    records: int
    waiting: int
    ingest_seconds: float
    maintain_seconds: float


@dataclass
class Life:
    """A memory that lives through a history."""

    place: Place
    clock: Clock
    memory: Memory
    searcher: Searcher
    #: What each record states, whoever put it there.
    states: dict[RecordId, set[Fact]] = field(default_factory=dict)
    #: What became of each statement, in words, for whoever asks why.
    told: dict[Fact, list[str]] = field(default_factory=dict)
    number: int = 0
    waiting: int = 0
    ingest_seconds: float = 0.0
    maintain_seconds: float = 0.0

    def hear(self, one: Utterance) -> None:
        """Take in what was said, as a sync decides about a candidate."""
        self.number += 1
        self.clock.now = max(one.read, self.clock.now)
        began = time.process_time()
        said = Moment(one.said, f"claude/s{self.number:06}", 3)
        candidate = _candidate(one, self.number)
        decision = decide(candidate, self._known(candidate, said))
        where = self._write(candidate, decision, one)
        self.ingest_seconds += time.process_time() - began
        self.told.setdefault(one.fact, []).append(f"{one.said:%Y-%m-%d} {one.told.value}: {one.title} -> {where}")

    def serve(self) -> None:
        """Give the brief to the sessions of a day, as a hook does."""
        material = Material([ViewedPlace(self.place.project, self.place.store)], None, self.clock.now)
        self.memory.note_given(all_records(all_lines(brief(material, _BUDGET).sections)))

    def work(self, question: str) -> None:
        """Search for a matter, as an agent does over MCP."""
        hits = search(self.memory, question, Filter(), _HITS, searcher=self.searcher)
        self.memory.note_given(hit.kept.record.id for hit in hits)

    def sleep(self) -> None:
        """What happens at night."""
        began = time.process_time()
        curation = Curation(self.place, clock=self.clock)
        for _ in range(4):
            run = curation.apply(curation.plan(), run_id=f"maintain-{self.clock.now:%Y%m%d-%H%M%S}-life00")
            for proposal in run.done:
                self._note(proposal.verb.value, proposal.records)
            if not run.done:
                break
        self.waiting = len(run.open)
        self.maintain_seconds += time.process_time() - began

    def _note(self, verb: str, records: Sequence[RecordId]) -> None:
        facts = [fact for one in records for fact in self.states.get(one, ())]
        if verb == "merge" and records:
            # What is merged says all that they said.
            for one in records:
                self.states.setdefault(one, set()).update(facts)
        for fact in facts:
            self.told.setdefault(fact, []).append(f"{self.clock.now:%Y-%m-%d} {verb}: {', '.join(records)}")

    def _known(self, candidate: Candidate, said: Moment) -> list[KnownRecord]:
        near = similar(self.place, candidate.title, candidate.body)
        gone = similar(self.place, candidate.title, candidate.body, replaced_since=said.at)
        return [
            KnownRecord.of(found.record, said)
            for found in (*near, *gone)
            if found.record.holds or was_replaced_since(found.record, said)
        ]

    def _write(self, candidate: Candidate, decision: Decision, one: Utterance) -> str:
        if decision.action is Action.REVIEW:
            return f"waits: {decision.reason}"
        if decision.how is None:
            return f"nothing, {', '.join(decision.targets)}: {decision.reason}"
        evidence = Evidence("claude", f"s{self.number:06}", 3, 3, candidate.title, candidate.trust, one.said)
        with self.place.change("lerim", "sync", f"sync-{self.clock.now:%Y%m%d-%H%M%S}-{self.number:06}") as change:
            record = _written(candidate, decision, evidence, change)
        self.states.setdefault(record.id, set()).add(one.fact)
        return f"{decision.how} {record.id}: {decision.reason}"

    def records(self) -> list[Record]:
        with self.place.store.read() as snapshot:
            return snapshot.select(ANY)

    def count(self, heard: Sequence[Utterance]) -> Count:
        active = [record for record in self.records() if record.holds]
        true = truths(heard, self.clock.now)
        right = [record for record in active if self.states.get(record.id, set()) <= true]
        known = {fact for record in active for fact in self.states.get(record.id, ())}
        return Count(
            (self.clock.now - BEGAN).days,
            round(len(right) / max(len(active), 1), 4),
            round(len(true & known) / max(len(true), 1), 4),
            len(active),
            len(self.states),
            self.waiting,
            round(self.ingest_seconds, 3),
            round(self.maintain_seconds, 3),
        )

    def faults(self, heard: Sequence[Utterance]) -> Iterator[str]:
        """What is active and false, then what is true and missing, each with its story."""
        true = truths(heard, self.clock.now)
        holding = [record for record in self.records() if record.holds]
        known = {fact for record in holding for fact in self.states.get(record.id, ())}
        for record in holding:
            for fact in sorted(self.states.get(record.id, set()) - true, key=lambda one: one.value):
                now = next((one for one in true if one.matter == fact.matter), None)
                yield f"FALSE {record.id} {record.title} ({fact}; true: {now and now.value})"
                yield from (f"      {line}" for line in self.told.get(fact, ()))
                yield from (f"      now {line}" for line in (self.told.get(now, []) if now else ()))
        for fact in sorted(true - known, key=lambda one: (one.matter, one.value)):
            yield f"MISSING {fact}"
            yield from (f"      {line}" for line in self.told.get(fact, ()))


def _candidate(one: Utterance, number: int) -> Candidate:
    primitive, kind = (Primitive.LEARNING, Kind.INSIGHT) if one.is_learning else (Primitive.DECISION, None)
    trust = Trust.USER if one.by_user else Trust.AGENT
    return Candidate(f"c{number}", primitive, one.title, one.body, (), kind, 0.7, trust=trust)


def _written(candidate: Candidate, decision: Decision, evidence: Evidence, change: Change) -> Record:
    """One candidate written as the decision says: the same steps as those of a run."""
    if decision.how is WriteMode.REVISE and decision.revision is not None:
        old, new = change.fetch(decision.targets[0]), decision.revision
        rests_on = tuple(dict.fromkeys((*old.evidence, evidence)))
        began = min(old.valid_from or old.created, evidence.said or old.created)
        revised = change.revise(
            old.id,
            title=new.title,
            body=new.body,
            confidence=new.confidence,
            tags=new.tags,
            evidence=rests_on,
            valid_from=began,
        )
        for target in decision.targets[1:]:
            change.supersede(target, by=old.id, at=evidence.said)
        return revised
    draft = Draft(
        candidate.primitive,
        candidate.title,
        candidate.body,
        candidate.kind,
        confidence=candidate.confidence,
        source="sync",
        evidence=(evidence,),
        trust=candidate.trust,
    )
    record = change.create(draft.record(change.now))
    for target in decision.targets:
        at = max(record.last_said, change.fetch(target).last_said).at
        change.supersede(target, by=record.id, at=at)
    if decision.replaced_by is not None:
        since = change.fetch(decision.replaced_by).last_said.at
        return change.supersede(record.id, by=decision.replaced_by, at=since)
    return record


@contextmanager
def begun(folder: Path) -> Iterator[Life]:
    """A memory without a past."""
    home, project, clock = folder / "home", folder / "project", Clock()
    for made in (home, project / ".git"):
        made.mkdir(parents=True)
    database, local = open_store(home), open_local(home)
    try:
        projects = Projects(database, home, clock)
        scope = Scope(ScopeMode.PROJECT_ONLY, project, home)
        memory = Memory(database, local, scope, projects, projects.lay_out, clock)
        model = find_embedder(home, enabled=True, model="")
        yield Life(memory.target(), clock, memory, Searcher(model, home / "index"))
    finally:
        database.close()
        local.close()


def live(
    life: Life,
    said: Sequence[Utterance],
    tell: Callable[[Count], None],
    *,
    nights: int = 1,
    work: Sequence[Work] = (),
) -> list[Count]:
    """The whole history: what is read and worked on each day, curation every so many nights, a count each month."""
    counts: list[Count] = []
    ahead = list(reversed(work))
    heard: list[Utterance] = []
    due = BEGAN + MONTH
    for number, (_, day) in enumerate(groupby(said, key=lambda one: one.read.date())):
        for one in day:
            life.hear(one)
            heard.append(one)
        if ahead:
            life.serve()
        while ahead and ahead[-1].at <= life.clock.now:
            life.work(ahead.pop().question)
        if number % nights == 0:
            life.sleep()
        if life.clock.now >= due or len(heard) == len(said):
            counts.append(life.count(heard))
            tell(counts[-1])
            due = life.clock.now + MONTH
    return counts


# --- the picture ------------------------------------------------------------------------------------------------------

_LEFT, _TOP, _WIDTH, _HEIGHT = 100, 60, 480, 360


def draw(path: Path, counts: Sequence[Count]) -> None:
    """Shares, counts and seconds by day."""
    canvas = Canvas(1900, 540)
    shares = {"active records that are true": "precision", "truths that are active": "recall"}
    numbers = {"active": "active", "all records": "records", "waiting for a person": "waiting"}
    seconds = {"taking in": "ingest_seconds", "curating": "maintain_seconds"}
    panels = (("share", shares, 1.0), ("records", numbers, None), ("cpu seconds so far", seconds, None))
    for at, (title, curves, most) in enumerate(panels):
        left = _LEFT + at * (_WIDTH + 140)
        top = most or max(max(getattr(count, name) for name in curves.values()) for count in counts) or 1
        _panel(canvas, left, title, counts[-1].day, top)
        for row, (name, attribute) in enumerate(curves.items()):
            points = [(count.day / counts[-1].day, getattr(count, attribute) / top) for count in counts]
            _curve(canvas, left, points, row)
            canvas.text(left, _TOP + _HEIGHT + 44 + 24 * row, name, COLORS[row])
    path.write_bytes(canvas.png())


def _panel(canvas: Canvas, left: int, title: str, days: int, top: float) -> None:
    canvas.text(left, 20, title)
    for quarter in range(5):
        y = _TOP + _HEIGHT * (1 - quarter / 4)
        canvas.line((left, y), (left + _WIDTH, y), GRAY)
        canvas.text(left - 90, y - 7, f"{top * quarter / 4:.3g}".rjust(6))
        x = left + _WIDTH * quarter / 4
        canvas.line((x, _TOP), (x, _TOP + _HEIGHT), GRAY)
        canvas.text(x - 20, _TOP + _HEIGHT + 12, f"{round(days * quarter / 4)}", BLACK)


def _curve(canvas: Canvas, left: int, points: Sequence[Point], row: int) -> None:
    placed = [(left + x * _WIDTH, _TOP + (1 - y) * _HEIGHT) for x, y in points]
    for start, end in pairwise(placed):
        canvas.line(start, end, COLORS[row], 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--days", type=int, default=730)
    parser.add_argument("--talk", type=float, default=30.0, help="how often a matter comes up in two years")
    parser.add_argument("--use", type=float, default=6.0, help="how often a matter is worked on in two years")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of all matters that is talked about")
    parser.add_argument("--nights", type=int, default=1, help="curate every so many nights")
    parser.add_argument("--explain", action="store_true", help="what is false or missing in the end, and why")
    parser.add_argument("--png", type=Path, help="where to draw the curves")
    args = parser.parse_args()
    said = history(args.seed, days=args.days, scale=args.scale, talk=args.talk)
    kinds = {told.value: sum(one.told is told for one in said) for told in Told}
    print(json.dumps({"said": len(said), **kinds}))
    with tempfile.TemporaryDirectory() as folder, begun(Path(folder)) as life:
        work = works(args.seed, days=args.days, scale=args.scale, use=args.use)
        counts = live(
            life, said, lambda count: print(json.dumps(asdict(count)), flush=True), nights=args.nights, work=work
        )
        if args.explain:
            print(*life.faults(said), sep="\n")
    if args.png:
        draw(args.png, counts)


if __name__ == "__main__":
    main()
