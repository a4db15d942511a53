"""`Connector`: connects agents and lets them go again. What would change is made first, as a plan that people see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches, unified_diff
from enum import StrEnum
from pathlib import Path

from lerim.connect.agents import AGENTS, AgentEntry, ConnectableAgent, Ground
from lerim.connect.books import BookedFile, ConnectionBooks, digest
from lerim.connect.edits import Unfit
from lerim.connect.edits_text import OwnFile
from lerim.connect.files import AgentFile, remove_empty
from lerim.dataclass import dataclass, field, replace
from lerim.errors import Conflict, ConnectError, UsageError

_LONGEST_LINE = 4_000


class LinkState(StrEnum):
    """How an agent, or one entry of ours, stands."""

    CONNECTED = "connected"
    #: Something of ours is missing or otherwise than it should be.
    PARTLY = "partly"
    NO = "no"
    #: A file cannot be read, or does not parse.
    BROKEN = "broken"


@dataclass(frozen=True)
class FileChange:
    """One file as it is and as it would be; None is no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    #: What of ours is in it then, by agent.
    agents: Mapping[str, Sequence[str]]
    executable: bool = False
    #: Somebody changed a file of ours: this is kept when it goes.
    aside: bool = False

    @property
    def diff(self) -> list[str]:
        """The change as people know it from other programs; of lines without end, the part that changes."""
        old, new = ((data or b"").decode("utf-8", "replace") for data in (self.before, self.after))
        names = (
            "(no file)" if self.before is None else str(self.path),
            "(no file)" if self.after is None else str(self.path),
        )
        lines = unified_diff(_shown(old), _shown(new), *names, n=2, lineterm="")
        return [
            line if len(line) <= _LONGEST_LINE else _cut(line, old if line[0] == "-" else new, old, new)
            for line in lines
        ]


@dataclass(frozen=True)
class ConnectPlan:
    changes: tuple[FileChange, ...]
    #: The agents that would be connected, or let go; and those that cannot, with the reason.
    agents: tuple[str, ...]
    refused: Mapping[str, ConnectError] = field(default_factory=dict)
    #: What is left out, and why.
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class PartStanding:
    part: AgentEntry
    standing: LinkState
    problem: str = ""


@dataclass(frozen=True)
class AgentStanding:
    agent: ConnectableAgent
    is_here: bool
    parts: tuple[PartStanding, ...]

    @property
    def standing(self) -> LinkState:
        found = {part.standing for part in self.parts}
        if LinkState.BROKEN in found:
            return LinkState.BROKEN
        if not found or found == {LinkState.NO}:
            return LinkState.NO
        return LinkState.CONNECTED if found == {LinkState.CONNECTED} else LinkState.PARTLY


def agent_named(name: str) -> ConnectableAgent:
    if name not in AGENTS:
        near = get_close_matches(name, AGENTS, n=1)
        known = f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(AGENTS)}"
        raise UsageError(f"no agent is called '{name}'{known}", hint="lerim connect list")
    return AGENTS[name]


class Connector:
    def __init__(self, home: Path, ground: Ground, now: datetime) -> None:
        self._ground = ground
        self._books = ConnectionBooks.open(home)
        self._now = now

    # --- how it stands

    def standing(self, agents: Iterable[ConnectableAgent] = ()) -> list[AgentStanding]:
        """How each agent stands, those in the order of the table."""
        wanted = [*agents] or [*AGENTS.values()]
        return [
            AgentStanding(agent, agent.is_here(self._ground), tuple(self._parts_standing(agent))) for agent in wanted
        ]

    def _parts_standing(self, agent: ConnectableAgent) -> Iterator[PartStanding]:
        for part in agent.parts(self._ground):
            booked = self._books.files.get(part.path)
            # What another agent was given in a file that both read does not connect this one.
            is_others = booked is not None and agent.name not in booked.agents
            yield PartStanding(part, LinkState.NO) if is_others else self._part_standing(part)

    def is_booked(self, agent: str) -> bool:
        """Whether it was connected here once, and not let go since."""
        return bool(self._books.of(agent, self._ground.project))

    def _part_standing(self, part: AgentEntry) -> PartStanding:
        try:
            data = self._file(part.path).read()
            if data is None:
                return PartStanding(part, LinkState.NO)
            text = _decoded(data)
            is_right = part.edit.put(text) == text
            if not part.edit.finds(text):
                return PartStanding(part, LinkState.NO)
            return PartStanding(part, LinkState.CONNECTED if is_right else LinkState.PARTLY)
        except (Unfit, ConnectError) as error:
            # A file of somebody else's in place of ours keeps nobody from reading the others.
            state = LinkState.NO if isinstance(part.edit, OwnFile) else LinkState.BROKEN
            return PartStanding(part, state, str(error))

    # --- connecting

    def plan(self, agents: Sequence[ConnectableAgent]) -> ConnectPlan:
        """What would be written to connect these agents. Nothing is."""
        texts: dict[Path, _Draft] = {}
        refused: dict[str, ConnectError] = {}
        warnings: list[str] = []
        for agent in agents:
            tried = {path: draft.copy() for path, draft in texts.items()}
            try:
                self._draft(agent, tried, warnings)
            except ConnectError as error:
                refused[agent.name] = error
            else:
                texts = tried
        changes = tuple(change for draft in texts.values() if (change := draft.change()) is not None)
        connected = tuple(agent.name for agent in agents if agent.name not in refused)
        return ConnectPlan(changes, connected, refused, tuple(warnings))

    def _draft(self, agent: ConnectableAgent, drafts: dict[Path, _Draft], warnings: list[str]) -> None:
        for part in agent.parts(self._ground):
            draft = drafts.get(part.path)
            if draft is None:
                draft = drafts[part.path] = _Draft(part.path, self._file(part.path).read(), executable=part.executable)
            try:
                draft.text = part.edit.put(draft.text)
            except Unfit as error:
                if not isinstance(part.edit, OwnFile):
                    again = f"put it right, then: lerim connect {agent.name}"
                    raise ConnectError(f"{part.path} was left as it is: {error}", hint=again) from error
                warnings.append(f"{agent.title} does without its {part.edit.label}: {part.path} is there; {error}")
                continue
            draft.labels.setdefault(agent.name, []).append(part.edit.label)
            if draft.is_changed:
                self._file(part.path).check_writable()

    def connect(self, plan: ConnectPlan) -> None:
        """Write what a plan says, each file in the books before it is touched. Raises Conflict."""
        with self._books.locked():
            self._connect(plan)

    def _connect(self, plan: ConnectPlan) -> None:
        for change in plan.changes:
            file, path = self._file(change.path), change.path
            now, booked = file.read(), self._books.files.get(path)
            # Another command may have done the same.
            if now not in (change.before, change.after):
                raise Conflict(f"{path} was changed meanwhile; nothing was written to it", hint="lerim connect")
            assert change.after is not None
            before = self._baseline(path, now, booked)
            folders = [*self._books.made_above(path), *file.missing_folders()]
            agents = {**(booked.agents if booked else {}), **change.agents}
            entry = BookedFile(
                path, agents, self._books.keep(before), digest(change.after), folders, self._ground.project
            )
            self._books.enter(entry)
            file.write(change.after, executable=change.executable)

    def note_holders(self, plan: ConnectPlan, agents: Sequence[ConnectableAgent]) -> None:
        """Enter agents whose entries were there already: another agent shares them, or nothing was to be done."""
        with self._books.locked():
            for agent in agents:
                for part in agent.parts(self._ground) if agent.name in plan.agents else ():
                    data = self._file(part.path).read()
                    if data is not None and part.edit.finds(_decoded(data)):
                        self._hold(part, agent.name, data)

    def _hold(self, part: AgentEntry, agent: str, data: bytes) -> None:
        booked = self._books.files.get(part.path)
        if booked is None:
            before = self._baseline(part.path, data, None)
            booked = BookedFile(part.path, {}, self._books.keep(before), digest(data), (), self._ground.project)
        labels = booked.agents.get(agent, ())
        if part.edit.label not in labels:
            agents = {**booked.agents, agent: [*labels, part.edit.label]}
            self._books.enter(replace(booked, agents=agents))

    def _baseline(self, path: Path, now: bytes | None, booked: BookedFile | None) -> bytes | None:
        """What a file would be without us: what it was, or, when somebody changed it since, what it is without ours."""
        if booked is not None and now is not None and digest(now) == booked.after:
            return self._books.bytes_of(booked.before)
        if now is None:
            return None
        like = self._books.bytes_of(booked.before) if booked is not None else None
        text: str | None = _decoded(now)
        for part in self._parts_at(path, AGENTS):
            if text is None:
                return None
            text = self._taken(part, text, like) if part.edit.finds(text) else text
        return None if text is None else text.encode()

    # --- letting go

    def plan_disconnect(self, agents: Sequence[ConnectableAgent]) -> ConnectPlan:
        """What would be written to let these agents go: what the books say, and what is found without them."""
        names = [agent.name for agent in agents]
        changes, warnings = [], []
        for path in self._paths_of(agents):
            try:
                change = self._release(path, names)
            except (Unfit, ConnectError) as error:
                warnings.append(f"{path} was left as it is: {error}")
                continue
            if change is not None:
                changes.append(change)
        return ConnectPlan(tuple(changes), tuple(names), {}, tuple(warnings))

    def _paths_of(self, agents: Sequence[ConnectableAgent]) -> list[Path]:
        booked = [file.path for agent in agents for file in self._books.of(agent.name, self._ground.project)]
        usual = [part.path for agent in agents for part in agent.parts(self._ground)]
        return [*dict.fromkeys([*booked, *usual])]

    def _release(self, path: Path, names: Sequence[str]) -> FileChange | None:
        now, booked = self._file(path).read(), self._books.files.get(path)
        others = {} if booked is None else {name: some for name, some in booked.agents.items() if name not in names}
        if now is None:
            return FileChange(path, None, None, others)
        if booked is not None and not others and digest(now) == booked.after:
            before = self._books.bytes_of(booked.before)
            if before is not None or booked.before is None:
                return FileChange(path, now, before, {})
        like = self._books.bytes_of(booked.before) if booked is not None else None
        held = {label for some in others.values() for label in some}
        text: str | None = _decoded(now)
        aside = False
        for part in self._parts_at(path, names):
            if text is not None and part.edit.label not in held and part.edit.finds(text):
                aside |= isinstance(part.edit, OwnFile) and text != part.edit.content
                text = self._taken(part, text, like)
        after = None if text is None else text.encode()
        return FileChange(path, now, after, others, aside=aside)

    def _taken(self, part: AgentEntry, text: str, like: bytes | None) -> str | None:
        return part.edit.take(text, None if like is None else _decoded(like))

    def _parts_at(self, path: Path, names: Iterable[str]) -> list[AgentEntry]:
        """The entries that these agents may have in a file; by their labels when it is not the file they would choose
        today."""
        booked = self._books.files.get(path)
        found: dict[str, AgentEntry] = {}
        for name in names:
            parts = AGENTS[name].parts(self._ground)
            labels = set(booked.agents.get(name, ())) if booked is not None else set()
            for part in parts:
                if part.path == path or (part.edit.label in labels and part.edit.label not in found):
                    found[part.edit.label] = part
        return [*found.values()]

    def disconnect(self, plan: ConnectPlan) -> list[Path]:
        """Do it. Where files of ours were kept that somebody had changed. Raises Conflict."""
        with self._books.locked():
            return self._disconnect(plan)

    def _disconnect(self, plan: ConnectPlan) -> list[Path]:
        kept: list[Path] = []
        folders: list[Path] = []
        for change in plan.changes:
            file, booked = self._file(change.path), self._books.files.get(change.path)
            if file.read() not in (change.before, change.after):
                raise Conflict(f"{change.path} was changed meanwhile; it was left as it is", hint="lerim disconnect")
            if change.aside and change.before is not None:
                kept.append(self._books.set_aside(change.path, change.before, f"{self._now:%Y%m%d-%H%M%S}"))
            if change.after is None:
                file.remove()
                folders += booked.folders if booked is not None else [change.path.parent]
            elif change.after != change.before:
                file.check_writable()
                file.write(change.after)
            self._rebook(change, booked)
        remove_empty([*folders])
        return kept

    def _rebook(self, change: FileChange, booked: BookedFile | None) -> None:
        if booked is None:
            return
        if change.agents and change.after is not None:
            self._books.enter(replace(booked, agents=change.agents, after=digest(change.after)))
        else:
            self._books.strike(change.path)

    def _file(self, path: Path) -> AgentFile:
        return AgentFile(path, self._ground.project)


@dataclass
class _Draft:
    """A file while a plan is made."""

    path: Path
    before: bytes | None
    text: str | None = None
    labels: dict[str, list[str]] = field(default_factory=dict)
    executable: bool = False

    def __post_init__(self) -> None:
        if self.before is not None and self.text is None:
            self.text = _decoded(self.before, self.path)

    @property
    def is_changed(self) -> bool:
        return self.text is not None and self.text.encode() != self.before

    def copy(self) -> _Draft:
        return _Draft(self.path, self.before, self.text, {k: [*v] for k, v in self.labels.items()}, self.executable)

    def change(self) -> FileChange | None:
        if not self.is_changed or self.text is None:
            return None
        return FileChange(self.path, self.before, self.text.encode(), self.labels, self.executable)


def _decoded(data: bytes, path: Path | None = None) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"{path} was left as it is: it" if path else "it"
        raise ConnectError(f"{place} is no text in UTF-8") from error


def _shown(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


def _cut(line: str, whole: str, old: str, new: str) -> str:
    """Of a line without end, what changes in it and a little around."""
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    begin = whole.rfind("\n", 0, at) + 1
    place = max(at - begin - 60, 0)
    piece = line[1 + place : 1 + place + _LONGEST_LINE]
    return f"{line[0]}{'… ' if place else ''}{piece}{' …' if len(line) > 1 + place + _LONGEST_LINE else ''}"
