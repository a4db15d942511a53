"""Looking into a container that changed: which sessions it holds, and the headers of those that are not as before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lerim.config.identity import remote_of
from lerim.dataclass import dataclass, replace
from lerim.errors import LerimError
from lerim.sessions.containers import Before, SessionChange, UnreadableContainer, compare
from lerim.sessions.routing import Atlas, FormerDirectory, Route, route
from lerim.sessions.session import clean
from lerim.sources import custom
from lerim.sources.base import Container, SessionRef, Source, TellsHeaders
from lerim.sources.trace import Header


@dataclass(frozen=True)
class FoundSession:
    """One session in a container. It has a header when it changed and could be read, an error when it could not."""

    run_id: str
    fingerprint: str
    change: SessionChange
    #: One of several in its container: neither size nor time of the file are its own.
    shared: bool
    header: Header | None = None
    route: Route | None = None
    place: FormerDirectory | None = None
    error: str | None = None


@dataclass(frozen=True)
class InspectedContainer:
    """What a container that was inspected holds."""

    container: Container
    found: tuple[FoundSession, ...] = ()
    digest: str | None = None
    #: Why its sessions could not be listed.
    problem: str | None = None

    @property
    def troubles(self) -> list[UnreadableContainer]:
        """Everything here that could not be read."""
        reasons = [self.problem, *(found.error for found in self.found)]
        return [UnreadableContainer(self.container.agent, self.container.path, reason) for reason in reasons if reason]


class ContainerInspector:
    """Inspects the containers of one source. Writes nothing; a bad file is reported in its place and stops nobody."""

    def __init__(self, source: Source, atlas: Atlas, fingerprints: Mapping[str, str]) -> None:
        self._source = source
        self._header = source.header if isinstance(source, TellsHeaders) else lambda ref: source.read(ref).header
        self._atlas = atlas
        self._fingerprints = fingerprints
        self._routes: dict[str | None, tuple[Route, FormerDirectory | None]] = {}

    def inspect(self, container: Container, before: Before | None) -> InspectedContainer:
        """The sessions of a container; of those whose fingerprint is known nothing is read."""
        try:
            refs = {ref.run_id: ref for ref in self._source.sessions(container)}
            if all(ref.fingerprint for ref in refs.values()):
                found = [
                    self._found(ref, FoundSession(ref.run_id, ref.fingerprint, SessionChange.CHANGED, True))
                    for ref in refs.values()
                ]
                return InspectedContainer(container, tuple(found))
            change, digest = compare(before, container)
            mark, shared = f"file:{container.state[1]}:{digest}", len(refs) > 1
            found = [
                self._found(r, FoundSession(r.run_id, r.fingerprint or mark, change, shared)) for r in refs.values()
            ]
            return InspectedContainer(container, tuple(found), digest)
        # Whatever a file does to its reader, the scan goes on, and the file is recorded as failed.
        except Exception as error:
            return InspectedContainer(container, problem=_words(error))

    def _found(self, ref: SessionRef, found: FoundSession) -> FoundSession:
        known = self._fingerprints.get(ref.run_id)
        if known == found.fingerprint:
            return replace(found, change=SessionChange.SAME)
        if known is None:
            return self._read(ref, replace(found, change=SessionChange.NEW))
        if found.shared or found.change is SessionChange.GROWN:
            return self._read(ref, found)
        return self._read(ref, replace(found, change=SessionChange.REWRITTEN))

    def _read(self, ref: SessionRef, found: FoundSession) -> FoundSession:
        try:
            header = self._header(ref)
        except Exception as error:  # as in `inspect`
            return replace(found, error=_words(error))
        if header.cwd is None and ref.agent == custom.AGENT:
            # A trace that does not say where it was made belongs to the folder that it was put into.
            header = replace(header, cwd=str(ref.path.parent))
        cwd = clean(header.cwd)
        if cwd not in self._routes:
            former = self._former(cwd, clean(header.remote))
            way = route(cwd, replace(self._atlas, places={**self._atlas.places, **former}) if former else self._atlas)
            self._routes[cwd] = way, next(iter(former.values()), None) or self._place(cwd, way)
        way, place = self._routes[cwd]
        return replace(found, header=header, route=way, place=place)

    def _former(self, cwd: str | None, remote: str | None) -> dict[str, FormerDirectory]:
        """What a directory was that is gone and that nobody has seen, when the session names its repository."""
        if not cwd or not remote or cwd in self._atlas.places or Path(cwd).is_dir():
            return {}
        return {cwd: FormerDirectory(Path(cwd), remote)}

    def _place(self, cwd: str | None, way: Route) -> FormerDirectory | None:
        """What the directory is now, when that is news."""
        root = way.folder or (way.project.root if way.project else None)
        if cwd is None or root is None or not Path(cwd).is_dir():
            return None
        place = FormerDirectory(root, remote_of(root))
        return place if self._atlas.places.get(cwd) != place else None


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, (LerimError, OSError)) else f"{type(error).__name__}: {error}"
