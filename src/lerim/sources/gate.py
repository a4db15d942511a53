"""The redactor's gate: every word of a session passes it before anybody sees it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.dataclass import dataclass, replace
from lerim.errors import ConfigError, SourceError
from lerim.private import is_writable, make_home, open_private
from lerim.sources.base import Container, Machine, NamesRecords, Reading, ReadsOneFile, SessionRef, Source, TellsHeaders

if TYPE_CHECKING:
    # Start-up: a look at the disk that finds nothing new has nothing to redact.
    from lerim.config.profiles import Profile
    from lerim.sources.redact import Redactor
    from lerim.sources.trace import Header, Line

_SALT_BYTES, _LEAST_SALT = 32, 16


def _as_coding(header: Header, path: Path) -> Profile:
    from lerim.config.profiles import coding_profile  # Start-up: as above.

    return coding_profile()


@dataclass(frozen=True)
class RedactedSource:
    """A source with further folders of its own, whose every word is redacted before anyone sees it.

    This is the edge: the catalog, the archive and all behind them only ever meet redacted sources.
    """

    source: Source
    extra: tuple[Path, ...]
    #: A fresh one per session, by the rules of the project it belongs to: what it takes out is that session's.
    #: Without a header, by the user's rules alone. Raises ConfigError when the project's cannot be read.
    redactor: Callable[[Header | None], Redactor]
    #: How sessions of a project, or of a file, are read. Raises ConfigError when nobody knows.
    profile: Callable[[Header, Path], Profile] = _as_coding

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def title(self) -> str:
        return self.source.title

    def roots(self, machine: Machine) -> list[Path]:
        return list(dict.fromkeys([*self.source.roots(machine), *self.extra]))

    def containers(self, root: Path) -> Iterator[Container]:
        return self.source.containers(root)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        for ref in self.source.sessions(container):
            yield replace(ref, run_id=self._told(ref))

    def accepts(self, path: Path) -> bool:
        return self.source.accepts(path)

    def header(self, ref: SessionRef) -> Header:
        """The facts of a session, as cheaply as its source can give them."""
        source, ref = self.source, self._raw(ref)
        found = _placed(source.header(ref) if isinstance(source, TellsHeaders) else source.read(ref).header, ref)
        redactor, profile = self._redactor_of(found), self._profile_of(found, ref.path)
        if isinstance(redactor, ConfigError) or isinstance(profile, ConfigError):
            # Whoever can break a project's settings must not break the look at everybody's sessions.
            return self._cleaned(replace(found, title=None), self.redactor(None))
        redactor.hide(profile.private, profile.patterns, ())
        return self._cleaned(found, redactor)

    def _profile_of(self, header: Header, path: Path) -> Profile | ConfigError:
        try:
            return self.profile(header, path)
        except ConfigError as error:
            return error

    def _redactor_of(self, header: Header) -> Redactor | ConfigError:
        try:
            return self.redactor(header)
        except ConfigError as error:
            return error

    def _cleaned(self, header: Header, redactor: Redactor) -> Header:
        """A header as it is kept. A project's rules hide text, as the title is; a pattern of its own must not make the
        session another's, or nobody's."""
        plain = self.redactor(None)
        found = plain.header(header)
        title = redactor.clean(found.title) if found.title else found.title
        redactor.hits.update(plain.hits)
        return replace(found, title=title)

    def uuids(self, ref: SessionRef) -> Iterable[tuple[int, str]]:
        """The lines and ids of its records, when the agent gives them ids that survive a fork."""
        return self.source.uuids(self._raw(ref)) if isinstance(self.source, NamesRecords) else ()

    def read(self, ref: SessionRef) -> Reading:
        reading = self.source.read(self._raw(ref))
        reading = replace(reading, header=_placed(reading.header, ref))
        redactor = self._redactor_of(reading.header)
        profile = self._profile_of(reading.header, ref.path)
        for problem in (redactor, profile):
            if isinstance(problem, ConfigError):
                # Raised here, without the error behind it: settings that cannot be read end a sync, a project's do not.
                raise SourceError(f"its project's settings cannot be read: {problem.message}", hint=problem.hint)
        assert not isinstance(redactor, ConfigError) and not isinstance(profile, ConfigError)
        # One counter, shared: it fills while the lines are read.
        reading.account.redactions = redactor.hits
        from lerim.sources.given import told_apart  # Start-up: as above.

        reading = replace(reading, lines=(one for line in reading.lines for one in told_apart(line)))
        lines = people_hidden(reading.lines, redactor, profile)
        header = self._cleaned(reading.header, redactor)
        return replace(reading, header=replace(header, profile=told_profile(profile)), lines=lines)

    @property
    def reads_one_file(self) -> bool:
        """Whether a session that is no fork is in its file alone."""
        return isinstance(self.source, ReadsOneFile) and self.source.reads_one_file

    def _told(self, ref: SessionRef) -> str:
        """Its id, or another one when that has a secret in it."""
        return self.redactor(None).identifier(ref.run_id)

    def _raw(self, ref: SessionRef) -> SessionRef:
        """The session as its source knows it: found again by what its id became."""
        from lerim.sources.redact import REPLACED_ID  # As above.

        if not ref.run_id.startswith(REPLACED_ID):
            return ref
        known = self.source.sessions(Container(ref.agent, ref.path, (0, 0, 0)))
        return next((raw for raw in known if self._told(raw) == ref.run_id), ref)


def _placed(header: Header, ref: SessionRef) -> Header:
    """A header with where it happened: a trace of somebody's own that does not say so belongs to the folder that it was
    put into, and is read by the rules of that."""
    return replace(header, cwd=str(ref.path.parent)) if header.cwd is None and ref.agent == "custom" else header


def told_profile(profile: Profile) -> str | None:
    """What a kept trace says of the profile it was read by: nothing when it is the one of coding."""
    return None if profile.is_coding else profile.name


def people_hidden(lines: Iterable[Line], redactor: Redactor, profile: Profile) -> Iterator[Line]:
    """The lines by whose word they are, without secrets and without what is private in this kind of work."""
    if not profile.is_coding or profile.private or profile.patterns:
        from lerim.sources.casting import cast  # Start-up: as above.
        from lerim.sources.private_data import names_in

        lines = [cast(line, profile) for line in lines]
        # All at once: what somebody is called may be said late, and stands in what was said before.
        names = names_in(lines) if "name" in profile.private else ()
        redactor.hide(profile.private, profile.patterns, names)
    return map(redactor.line, lines)


def salt_of(home: Path) -> bytes:
    """What makes the fingerprints of secrets ours: without it nobody can test a guess against them."""
    file = home / "redaction.salt"
    if not _is_salt(file):
        if home.exists() and not is_writable(file):
            return os.urandom(_SALT_BYTES)  # Nothing is kept, so nothing has to be found again.
        _make_salt(home, file)
    return file.read_bytes()


def _is_salt(file: Path) -> bool:
    """Whether it can serve: an empty file, as a full disk leaves it, would be no secret at all."""
    return file.is_file() and file.stat().st_size >= _LEAST_SALT


def _make_salt(home: Path, file: Path) -> None:
    make_home(home)
    temp = home / f".{file.name}.{os.getpid()}.tmp"
    with open_private(temp) as out:
        out.write(os.urandom(_SALT_BYTES))
    try:
        os.link(temp, file)  # Of two processes at once, the first one's salt stays.
    except FileExistsError:
        if not _is_salt(file):
            temp.replace(file)
    except OSError:
        temp.replace(file)
    temp.unlink(missing_ok=True)
