"""How many corrections recur within a repository, and how many of them the brief of then would have carried.

    python evals/replay.py TRACES_DIR LABELS_DIR [TRACES_DIR LABELS_DIR ...] [--budget N] [--list]

Labels are as for evals/extract.py. The sessions of each repository are put in the order of time; what a label says a
user stated is a correction. It recurs when a label of an earlier session of that repository says the same; and so does
what a user says that an earlier label said, whether or not it was labeled again. For every
session a real brief is rendered as of its start, twice: from a memory of all that earlier labels say (what a perfect
reader would have kept: this measures the brief), and from what the embedded engine keeps of the earlier sessions (what
people get without a model). A correction is carried when a memory in that brief says the same.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from extract import Labeled, labeled

from lerim.context.records import Draft, Evidence, Kind, Primitive, Record, Trust
from lerim.errors import InvalidRecord
from lerim.ingest.extract import extract
from lerim.ingest.outcomes import SessionReview, says_the_same
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.words import jaccard, stems
from lerim.service import Lerim
from lerim.text.words import words
from lerim.views.view import ViewName

#: This share of a label's keywords, and at least so many, in another memory: it speaks of the same.
_SHARE, _LEAST = 0.67, 3
#: Titles that have so much in common say the same.
_ALIKE = 0.4


@dataclass(frozen=True)
class Told:
    """A labeled session with its time, and what is kept of it: by its labels, and by the embedded engine."""

    session: Labeled
    started: datetime

    @property
    def labels(self) -> list[dict[str, Any]]:
        return [one for one in self.session.label["memories"] if one["primitive"] in ("decision", "learning")]

    @property
    def corrections(self) -> list[dict[str, Any]]:
        return [one for one in self.labels if one.get("stated_by") == "user"]

    def labeled_drafts(self) -> Iterator[Draft]:
        for one in self.labels:
            kind = Kind(one["kind"]) if one.get("kind") else None
            trust = Trust.USER if one.get("stated_by") == "user" else Trust.AGENT
            yield self._draft(Primitive(one["primitive"]), one["title"], one.get("body") or "", kind, trust)

    def kept_drafts(self) -> Iterator[Draft]:
        for one in extract(self.session.transcript, EmbeddedEngine()).candidates:
            yield self._draft(one.primitive, one.title, one.body, one.kind, one.trust)

    def _draft(self, primitive: Primitive, title: str, body: str, kind: Kind | None, trust: Trust) -> Draft:
        where = Evidence(self.session.transcript.header.agent, self.session.name, 2, 2, title, trust, self.started)
        return Draft(primitive, title[:200], body, kind, source="sync", evidence=(where,), trust=trust)


def main() -> None:
    arguments = _arguments()
    counts: Counter[str] = Counter()
    for repository, sessions in sorted(_repositories(arguments.folders).items()):
        found = _repository(sessions, arguments.budget, arguments.list)
        counts += found
        if found["recurring"]:
            print(f"{repository}: {_words(found)}", flush=True)
    print(f"\n{counts['repositories']} repositories with several sessions, {counts['sessions']} sessions")
    print(_words(counts))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How many corrections recur, and how many a brief would have carried.")
    parser.add_argument("folders", nargs="+", type=Path, help="pairs of a folder of traces and a folder of labels")
    parser.add_argument("--budget", type=int, default=9_500, help="characters of a brief")
    parser.add_argument("--list", action="store_true", help="name each correction that recurs")
    return parser.parse_args()


def _repositories(folders: Sequence[Path]) -> dict[str, list[Told]]:
    found: dict[str, list[Told]] = defaultdict(list)
    for traces, labels in zip(folders[::2], folders[1::2], strict=True):
        for session in labeled(traces, labels):
            if (started := session.transcript.said(1)) is not None:
                found[session.group].append(Told(session, started))
    return {name: sorted(told, key=lambda one: one.started) for name, told in found.items() if len(told) > 1}


def _repository(sessions: Sequence[Told], budget: int, named: bool) -> Counter[str]:
    counts: Counter[str] = Counter(repositories=1, sessions=len(sessions))
    counts["corrections"] = sum(len(one.corrections) for one in sessions)
    recurring = [found for at, one in enumerate(sessions) for found in _recurring(one, sessions[:at])]
    counts["recurring"] = len(recurring)
    if not recurring:
        return counts
    by_labels = _carried(sessions, [told.labeled_drafts() for told in sessions], recurring, budget)
    by_engine = _carried(sessions, [told.kept_drafts() for told in sessions], recurring, budget)
    counts["carried of labels"], counts["carried of ours"] = sum(by_labels), sum(by_engine)
    for (one, label, earlier), first, second in zip(recurring, by_labels, by_engine, strict=True):
        if named:
            mark = ("labels" if first else "") + (" ours" if second else "")
            print(
                f"  [{mark.strip() or '-'}] {one.session.name}: {label['title'][:160]}\n      was: {earlier['title']}"
            )
    return counts


def _recurring(one: Told, before: Sequence[Told]) -> Iterator[tuple[Told, dict[str, Any], dict[str, Any]]]:
    """What a session's labels say and those of an earlier one said; and what its user said again, label or not."""
    known = {_record(label).title: label for told in before for label in told.labels}
    seen: set[str] = set()
    for label in one.corrections:
        if same := next((known_one for known_one in known.values() if _same(label, known_one)), None):
            seen.add(same["title"])
            yield one, label, same
    records = {record.id: record for record in map(_record, known.values())}
    review = SessionReview(one.session.transcript)
    for again in review.repeated(lambda text: records.values()):
        same = known[records[again.record].title]
        if same["title"] not in seen:
            said = next(unit.text for unit in review.user_statements if unit.number == again.line)
            yield one, {**same, "title": said, "evidence": []}, same


def _carried(
    sessions: Sequence[Told],
    drafts: Iterable[Iterable[Draft]],
    recurring: Sequence[tuple[Told, dict[str, Any], Any]],
    budget: int,
) -> list[bool]:
    """Whether the brief as of each session's start has what recurs in it."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        (project / ".git").mkdir(parents=True)
        env = {"HOME": folder, "LERIM_HOME": f"{folder}/home", "LERIM_NO_HELPER": "1"}
        with Lerim(project, env=env) as lerim:
            lerim.setup.init()
            _fill(lerim, [draft for told in drafts for draft in told])
            briefs = {one.started: _brief(lerim, one.started, budget) for one, *_ in recurring}
        return [any(_says(label, record) for record in briefs[one.started]) for one, label, _ in recurring]


def _fill(lerim: Lerim, drafts: Sequence[Draft]) -> None:
    with lerim.memory.target().change("lerim", "evaluation") as change:
        for draft in drafts:
            try:
                change.create(draft.record(lerim.house.clock()))
            except InvalidRecord:
                continue


def _brief(lerim: Lerim, moment: datetime, budget: int) -> list[Record]:
    view = lerim.views.render(ViewName.BRIEF, as_of=moment - timedelta(seconds=1), budget=budget)
    return [lerim.memory.find(one).record for one in view.records]


def _same(label: dict[str, Any], known: dict[str, Any]) -> bool:
    return _says(label, _record(known))


def _says(label: dict[str, Any], record: Record) -> bool:
    """Whether a memory says what was labeled: nearly in its words, by its keywords, or in the user's own words."""
    quotes = [piece["quote"] for piece in label.get("evidence", ()) if piece.get("role") == "user"]
    if jaccard(stems(label["title"]), stems(record.title)) >= _ALIKE:
        return True
    texts = [label["title"], *quotes]
    return _is_told(label, f"{record.title} {record.body}") or any(says_the_same(text, record) for text in texts)


def _is_told(label: dict[str, Any], text: str) -> bool:
    keywords, found = {one.lower() for one in label.get("keywords", ())}, set(words(text))
    return len(keywords & found) >= max(_LEAST, _SHARE * len(keywords))


def _record(label: dict[str, Any]) -> Record:
    kind = Kind(label["kind"]) if label.get("kind") else None
    draft = Draft(Primitive(label["primitive"]), label["title"][:200], label.get("body") or "", kind)
    return draft.record(datetime.fromisoformat("2026-01-01T00:00:00+00:00"))


def _words(counts: Counter[str]) -> str:
    recurring = counts["recurring"]
    if not counts["corrections"]:
        return "no corrections"
    share = f"{recurring} of {counts['corrections']} corrections recur ({recurring / counts['corrections']:.0%})"
    if not recurring:
        return share
    labels, ours = counts["carried of labels"], counts["carried of ours"]
    of_labels, of_ours = f"{labels} ({labels / recurring:.0%}) of labels", f"{ours} ({ours / recurring:.0%}) of ours"
    return f"{share}; the brief carries {of_labels}, {of_ours}"


if __name__ == "__main__":
    main()
