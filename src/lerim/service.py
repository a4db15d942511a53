"""Lerim as one line: offers the rooms as attributes, and has methods only for what spans them.

with Lerim() as lerim:
    lerim.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens"))
    for hit in lerim.search("auth tokens"):
        print(hit.kept.record.title)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from lerim.context.filters import Filter
from lerim.context.news import OnEdits, ignore_edits
from lerim.context.progress import Progress, silent
from lerim.context.records import Clock, Random, utc_now
from lerim.dataclass import replace
from lerim.errors import NotFound
from lerim.flows.intake import PATIENCE, Intake
from lerim.house.rooms import House
from lerim.house.workforce import Workforce
from lerim.storage.entries import entries, not_an_entry

if TYPE_CHECKING:
    from lerim.answer.conversation import Exchange
    from lerim.answer.pipeline import Answer
    from lerim.config.layers import Config
    from lerim.context.backups import Backups
    from lerim.context.face.edits import Reconciled
    from lerim.context.feedback import Verdict
    from lerim.context.memory import Memory
    from lerim.context.place import Kept, Place
    from lerim.context.projects import Project, Projects
    from lerim.context.records import Evidence
    from lerim.context.review.desk import Proposed
    from lerim.context.review.room import Review
    from lerim.curate.grounding import Grounding, GroundingReport
    from lerim.flows.agents_word import AgentsWord
    from lerim.flows.moving import Moving
    from lerim.flows.objectives import ServiceReport
    from lerim.flows.overview import Outlook, Overview
    from lerim.flows.readers import Readers
    from lerim.flows.serving import Serving
    from lerim.flows.setup import Setup
    from lerim.flows.team import TeamDesk
    from lerim.flows.team_work import TeamWork
    from lerim.graph.room import ContextGraph
    from lerim.ingest.sheet.page import Sheet
    from lerim.llm import Models, UsageLedger
    from lerim.runtime.maintenance import Maintenance, WrittenPlan
    from lerim.runtime.results import MaintainResult
    from lerim.runtime.runs.folder import Runs
    from lerim.runtime.second_opinion import JudgedCandidate
    from lerim.runtime.why import Considered, Why
    from lerim.runtime.worker import Taken
    from lerim.search.room import SearchIndex
    from lerim.search.search import Hit
    from lerim.sessions.imports import TraceImports
    from lerim.sessions.room import Sessions
    from lerim.sessions.session import Session
    from lerim.views.room import Views
    from lerim.views.view import RenderedView

_T = TypeVar("_T")
# Projects whose views follow a change of the global memory at once; those of others are stale until something changes.
_OTHER_VIEWS = 8


@entries
class Lerim:
    """Everything, for one working directory. Cheap to build: rooms open when they are first used.

    Every call sees the files as they are now, and none fails for a damaged store that can be mended: what people did
    to the files is in `news`, what was mended in `notices`.
    """

    def __init__(
        self,
        cwd: Path | str | None = None,
        *,
        env: Mapping[str, str] | None = None,
        clock: Clock = utc_now,
        random: Random = os.urandom,
        progress: Progress = silent,
        on_edits: OnEdits = ignore_edits,
    ) -> None:
        """`progress` hears how far a long step has come, `on_edits` at once what was picked up from files."""
        self.house = House(cwd, env=env, clock=clock, random=random, progress=progress, on_edits=on_edits)
        #: Who works in it.
        self.workforce = Workforce(self.house)
        #: What was committed when the views were last looked at.
        self._written = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if exc[0] is None:
            self.refresh_views()
        self.close()

    @not_an_entry
    def refresh_views(self) -> None:
        """Bring the views up to date if anything was written here: of this scope, and of projects whose sessions were
        taken in. Never fails: a view that is stale says so."""
        written, self._written = self._written, self.house.database.commits
        taught = self.intake.take_taught() if "intake" in vars(self) else ()
        if self._written == written and not taught:
            return
        # Whatever a view trips over, the command that changed the memory has done its work.
        with suppress(Exception):
            here = self.house.views
            others = [self.projects.find(one) for one in taught]
            if here.refresh_all():
                others += [project for project in self.projects.all() if self.house.has_views(project)][:_OTHER_VIEWS]
            for project in dict.fromkeys(others):
                self.house.views_of(project).refresh_all()

    @not_an_entry
    def close(self) -> None:
        """Let go of all files."""
        self.house.close()

    def enter(self, work: Callable[[], _T]) -> _T:
        return self.house.memory.enter(work)

    # The rooms

    @property
    def memory(self) -> Memory:
        """Records: read, written, moved in and out, checked, rebuilt, reset."""
        return self.house.memory

    @property
    def review(self) -> Review:
        """What nobody is sure of and waits for a decision."""
        return self.house.review

    @property
    def backups(self) -> Backups:
        """Copies of all that cannot be made again: made, listed, restored."""
        return self.house.backups

    @property
    def index(self) -> SearchIndex:
        """The search index: refreshed, and how it stands."""
        return self.house.index

    @property
    def graph(self) -> ContextGraph:
        """How records bear on each other: links, clusters, ways between them."""
        return self.house.graph

    @property
    def grounding(self) -> Grounding:
        """What the memories here rest on in their repository: found out, and shown."""
        return self.house.grounding

    @property
    def views(self) -> Views:
        """The documents that are made from the memory: brief, working memory, run clinic."""
        return self.house.views

    @property
    def curation(self) -> Maintenance:
        """What keeps the memory true: plans, applies them, takes runs back."""
        return self.workforce.curation()

    @property
    def sessions(self) -> Sessions:
        """The sessions of all agents on this machine, within the configured window."""
        return self.house.sessions

    @property
    def traces(self) -> TraceImports:
        """Traces that a person brings."""
        return self.house.traces

    @property
    def runs(self) -> Runs:
        """What runs left behind."""
        return self.house.runs

    @property
    def models(self) -> Models:
        """The models of all roles, as they are configured here."""
        return self.house.models

    @property
    def usage(self) -> UsageLedger:
        """What models used on this machine."""
        return self.house.usage

    @property
    def projects(self) -> Projects:
        """The projects whose memory is kept."""
        return self.house.projects

    @property
    def config(self) -> Config:
        """The settings that hold here, and the layer each came from."""
        return self.house.config

    # What spans rooms, by flow

    @cached_property
    def intake(self) -> Intake:
        """Sessions in: what is due, and what it would cost; those that hooks named."""
        return Intake(self.house, self.serving)

    @cached_property
    def team_work(self) -> TeamWork:
        """Working off what machines uploaded to a store that they share."""
        from lerim.flows.team_work import TeamWork  # As above.

        return TeamWork(self.house)

    @cached_property
    def serving(self) -> Serving:
        """What was handed to sessions, and what they made of it."""
        from lerim.flows.serving import Serving  # As above.

        return Serving(self.house)

    @cached_property
    def moving(self) -> Moving:
        """Where the memory is kept, and how it gets from one place to another."""
        from lerim.flows.moving import Moving  # Start-up: rare.

        return Moving(self.house)

    @cached_property
    def setup(self) -> Setup:
        """What happens to a project as a whole: made one, trusted, shared, forgotten."""
        from lerim.flows.setup import Setup  # Start-up: rare.

        return Setup(self.house)

    @cached_property
    def readers(self) -> Readers:
        """Models and programs that may read sessions here."""
        from lerim.flows.readers import Readers  # As above.

        return Readers(self.house)

    @cached_property
    def team(self) -> TeamDesk:
        """People and rights in a shared store."""
        from lerim.flows.team import TeamDesk  # As above.

        return TeamDesk(self.house)

    @cached_property
    def agents_word(self) -> AgentsWord:
        """What agents say of the user and of memories."""
        from lerim.flows.agents_word import AgentsWord  # As above.

        return AgentsWord(self.house)

    # The line: sessions in

    def sync(
        self,
        sessions: Sessions | None = None,
        *,
        project: Project | None = None,
        limit: int | None = None,
        patience: float | None = PATIENCE,
        jobs: int | None = 1,
        quiet: float = 0.0,
    ) -> Iterator[Taken]:
        """Take in everything due: what became of each session, as it is done. More in `flows/intake.py`."""
        return self.intake.sync(sessions, project=project, limit=limit, patience=patience, jobs=jobs, quiet=quiet)

    def ingest(self, session: Session, sessions: Sessions | None = None) -> Taken:
        """Take in this session now, even if it was taken before. Raises Conflict when another worker is at it."""
        return self.intake.ingest(session, sessions)

    def sheet(self, session: Session, sessions: Sessions | None = None) -> tuple[Sheet, ...]:
        """A session as its readers get it, with the nearest records that its project keeps. Raises SourceError."""
        from lerim.ingest.sheet.making import beside, sheets  # Start-up: only who looks at a sheet needs one.
        from lerim.ingest.transcript import Transcript

        made = sheets(Transcript.of((sessions or self.sessions).show(session).items))
        project = self.projects.at(session.project_root) if session.project_root else None
        return beside(made, self.house.known_in(project, made)) if project else made

    # The line: kept true

    def maintain(self, *, unattended: bool = False) -> list[MaintainResult]:
        """Keep the memory true in every place of this scope, one run each; unattended, only what needs nobody's eye."""
        # What lost its ground is among what is looked at.
        self.intake.refresh_grounds()
        done = self.curation.maintain(unattended=unattended)
        self.graph.follow()
        return done

    def plan(self, path: Path | None = None) -> WrittenPlan:
        """What maintaining would do, written to a file and not done."""
        self.intake.refresh_grounds()
        return self.curation.plan(path)

    def check_grounds(self) -> GroundingReport:
        """Find out what the memories here rest on in their repository; the views follow."""
        return self.intake.check_grounds()

    def feedback(self, record_id: str, verdict: Verdict | str, *, note: str = "") -> Kept:
        """Say that a memory was useful, wrong or outdated: its confidence follows, as a version of its own."""
        from lerim.context.feedback import Verdict, feedback  # Only a verdict needs it.

        return feedback(self.memory.find(record_id), Verdict(verdict), note=note)

    def second_opinion(self, waiting: list[Proposed]) -> Iterator[JudgedCandidate]:
        """Let the model of the extract role decide on candidates. Raises ModelError when none is configured."""
        from lerim.llm import Spending  # Start-up: most commands ask no model.
        from lerim.runtime.second_opinion import SecondOpinion

        spending = Spending(f"review-{self.house.stamp()}")
        self.models.model("extract", spending)  # What is missing is reported before the work begins.
        judge = SecondOpinion(
            self.review,
            lambda: self.models.model("extract", spending),
            self.house.trace_of,
            spending.run_id,
            self.workforce.rooms().tracing,
        )
        yield from judge.judge(waiting)

    # The line: answers out

    def search(
        self,
        query: str,
        wanted: Filter = Filter(),  # noqa: B008 - frozen
        limit: int = 10,
        *,
        as_of: datetime | None = None,
    ) -> list[Hit]:
        """The memories that match a query best, project before global; as they stood at `as_of` when that is given.

        Nothing when nothing has to do with it. Raises UsageError for a query without a word.
        """
        from lerim.search.search import Searcher, search  # Only a search needs it.

        with self.house.timed_search():
            searcher = Searcher(self.index.embedder, self.index.folder)
            return search(self.memory, query, wanted, limit, searcher=searcher, as_of=as_of)

    def titled(self, sessions: Sequence[Session]) -> list[Session]:
        """The sessions, each by the title of its summary where it left one: how it began says less."""
        titles = dict[str, str]()
        for project_id in dict.fromkeys(one.project_id for one in sessions if one.project_id):
            with suppress(NotFound), self.memory.place(self.projects.find(project_id)).store.read() as snapshot:
                titles |= snapshot.summary_titles()
        return [replace(one, title=titles.get(one.name, one.title)) for one in sessions]

    def ask(
        self,
        question: str,
        *,
        as_of: datetime | None = None,
        history: Sequence[Exchange] = (),
        limit: int = 3,
        embedded: bool = False,
    ) -> Answer:
        """What the memory answers to a question, each sentence citing the records it rests on.

        `supported` is False when nothing stored supports an answer. A configured lead model writes it, unless it shall
        be `embedded`; it may say only what the records it cites say. `history` are the turns of a conversation before.
        """
        from lerim.runtime.asking import Asker  # Only a question needs it; a model's framework is loaded by a model.

        asker = Asker(rooms=self.workforce.rooms())
        return asker.ask(question, as_of=as_of, history=history, limit=limit, embedded=embedded)

    def why(self, kept: Kept) -> Why:
        """Where a memory comes from: its words where they stand, and the run that made it one."""
        from lerim.runtime.why import why_record  # Start-up: pydantic is wanted by few.

        candidate, history = self.review.of_record(kept), self.memory.history(kept)
        runs, folder = self.house.runs_of(kept.place), self.house.folder_of(kept.place)
        self._bring_traces(kept.place, kept.record.evidence)
        return why_record(history, kept.record.evidence, candidate, runs, folder)

    def why_waiting(self, proposed: Proposed) -> Why:
        """Where a candidate for review comes from."""
        from lerim.runtime.why import why_candidate  # As above.

        runs, folder = self.house.runs_of(proposed.place), self.house.folder_of(proposed.place)
        self._bring_traces(proposed.place, proposed.candidate.evidence)
        return why_candidate(proposed.candidate, runs, folder)

    def _bring_traces(self, place: Place, evidence: Sequence[Evidence]) -> None:
        """What another machine uploaded is fetched when somebody asks for it."""
        if self.house.team is not None:
            self.house.team.bring(place.project.id, evidence)

    @not_an_entry
    def considered(self, session: str) -> Considered:
        """All that the newest run over a session considered. Raises NotFound or Conflict."""
        from lerim.runtime.why import considered  # As above.

        return considered(session, self.runs)

    def reword_brief(self) -> RenderedView:
        """Have the model of the extract role say the lines of the brief better, as far as the memories behind each say
        the same. Raises ModelError when none is configured, or when it gives no answer."""
        from lerim.llm import Spending  # Start-up: most commands ask no model.
        from lerim.views.view import ViewName

        spending = Spending(f"brief-{self.house.stamp()}")
        self.models.model("extract", spending)  # What is missing is reported before the work begins.
        from lerim.views.writer import worded

        return self.views.reword(
            ViewName.BRIEF,
            lambda lines, records: worded(lines, records, lambda: self.models.model("extract", spending)),
        )

    # Projects

    def project(self, name: str | None = None) -> Project:
        """A registered project by name, path or id; without one, the project here. Raises NotFound."""
        return self.projects.find(name) if name is not None else self.house.project_here()

    # How things stand

    @property
    def notices(self) -> list[str]:
        """What people should know once the work is done: repairs, and where things were put."""
        return self.house.notices

    @not_an_entry
    def news(self) -> list[tuple[Place, Reconciled]]:
        """The edits picked up from people's files since this was last asked, place by place."""
        return self.house.news.take()

    @not_an_entry
    def sessions_on(self, branch: str) -> frozenset[tuple[str, str]]:
        """The sessions that worked on a git branch, as (agent, run id), as the last look at the disk knew them."""
        from lerim.sessions.database import catalog_path, on_branch

        catalog = self.house.catalog
        if not catalog_path(self.house.home).exists():
            return frozenset()
        return catalog.guarded(lambda: on_branch(catalog, branch))

    def status(self) -> Overview:
        """How the memory stands, and what to type next."""
        from lerim.flows.overview import Watch  # Start-up: most commands look at one room.

        return Watch(self.house).status()

    def objectives(self) -> ServiceReport:
        """What is promised against what is: how fresh memories are, what waits and fails, how fast searches are."""
        from lerim.flows.objectives import Promises  # Start-up: seldom asked.

        return Promises(self.house).report()

    def outlook(self) -> Outlook:
        """What is left to do, and what to type next. Looks at no index: it costs next to nothing."""
        from lerim.flows.overview import Watch  # As above.

        return Watch(self.house).outlook()
