"""What the sessions room is opened with: the sources that are read, and the salt of what is redacted."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from lerim.config.settings import Sources
from lerim.sessions.connections import Connected, Connections
from lerim.sources.base import Source
from lerim.sources.redact import Redactor
from lerim.sources.registry import SOURCES, source_for
from lerim.storage.database import Database


def imports_folder(home: Path) -> Path:
    """Where traces of one's own lie after an import."""
    return home / "imports"


def connected(
    database: Database, said: Sources, home: Path, projects: Sequence[Path], redactor: Callable[[], Redactor]
) -> list[Source]:
    """Every source, with the folders that a person, a project or the settings add. Raises NotFound for a wrong name."""
    for name in said.disabled:
        source_for(name)
    connections = Connections(database)
    added: dict[str, list[Path]] = {
        "custom": [imports_folder(home), *(Path(folder).expanduser() for folder in said.custom)],
        # Their history lies in the repository they worked on.
        "aider": list(projects),
        "opencode": [root / ".opencode" for root in projects],
    }
    return [
        Connected(source, (*added.get(source.name, ()), *connections.roots(source.name)), redactor)
        for source in SOURCES
    ]


def salt_of(home: Path) -> bytes:
    """What makes the fingerprints of secrets ours: without it nobody can test a guess against them."""
    file = home / "redaction.salt"
    if not file.exists():
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        temp = home / f".redaction.salt.{os.getpid()}"
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(os.urandom(32))
        try:
            os.link(temp, file)  # Who comes second keeps the first one's.
        except FileExistsError:
            pass
        except OSError:
            temp.replace(file)
        temp.unlink(missing_ok=True)
    return file.read_bytes()
