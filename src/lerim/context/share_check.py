"""`lerim memory check --share`: what a commit of a project's `.lerim` would reveal, file by file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lerim import openat
from lerim.context.disclosure import is_allowed, lines_of
from lerim.context.discretion import RevealKind, discreet_record, passages, revealed
from lerim.context.face.folder import ID_LINE, MAX_FILE_BYTES, place_of
from lerim.context.place import Place
from lerim.context.records import Record, RecordId
from lerim.errors import UnsafePath

#: How much of a finding is shown.
_SHOWN = 60
_NAME_IN_GIT = re.compile(r"^\s*name\s*=\s*(.+)$", re.MULTILINE)
_GIT_CONFIG_BYTES = 256 * 1024
# Accounts that name nobody.
_ACCOUNTS = frozenset({"root", "user", "admin", "home", "ubuntu", "debian", "runner", "node", "vscode", "dev", "test"})


@dataclass(frozen=True)
class Revelation:
    """Something that a file would tell others. `text` is what it says there; empty for a secret."""

    path: Path
    line: int
    kind: RevealKind
    text: str
    record_id: RecordId | None = None
    #: Whether Lerim wrote it, and so may write it again without.
    ours: bool = False
    #: It was taken out just now.
    fixed: bool = False

    @property
    def is_open(self) -> bool:
        return not self.fixed


@dataclass(frozen=True)
class Sharing:
    """What a project's settings open to git, and what the person who works here goes by."""

    summaries: bool
    traces: bool
    names: tuple[str, ...] = ()


def names_here(env: Mapping[str, str], root: Path) -> tuple[str, ...]:
    """What the person who works here goes by: on this machine, and in the settings of git."""
    home = env.get("HOME", "")
    found = [*(env.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")), Path(home).name]
    for file in (Path(home) / ".gitconfig", root / ".git" / "config"):
        with suppress(OSError, UnsafePath, ValueError):
            found += _NAME_IN_GIT.findall(openat.read(file, _GIT_CONFIG_BYTES).decode("utf-8", "replace"))
    names = (name.strip().strip('"') for name in found)
    return tuple(dict.fromkeys(name for name in names if len(name) > 2 and name.lower() not in _ACCOUNTS))


def would_reveal(place: Place, sharing: Sharing) -> list[Revelation]:
    """What the files that git would take tell of the conversation, the machine and the person."""
    names = sorted(place.folder.scan().files) if place.folder.exists() else []
    found = [item for name in names if _is_shared(name, sharing) for item in _in_file(place, name, sharing.names)]
    return found + (list(_traces(place)) if sharing.traces else [])


def take_out(place: Place, found: Sequence[Revelation]) -> list[Revelation]:
    """Say what Lerim wrote again, without what it reveals. What a person wrote is theirs to change."""
    wanted = dict.fromkeys(item.record_id for item in found if item.ours and item.record_id)
    with place.change("lerim", "said again without the conversation") as change:
        for record_id in wanted:
            record = change.fetch(str(record_id))
            said = discreet_record(record)
            change.revise(
                record.id, "discreet", title=said.title, body=said.body, tags=said.tags, description=said.description
            )
    left = {(item.record_id, item.kind) for name in place.folder.scan().files for item in _in_file(place, name, ())}
    return [replace(item, fixed=item.ours and (item.record_id, item.kind) not in left) for item in found]


def _is_shared(name: str, sharing: Sharing) -> bool:
    return place_of(name)[0].is_lesson or sharing.summaries


def _in_file(place: Place, name: str, names: Iterable[str]) -> Iterator[Revelation]:
    path = place.folder.absolute(name)
    try:
        data = openat.read(path, MAX_FILE_BYTES)
    except (OSError, UnsafePath):
        return
    text = data.decode("utf-8", "replace")
    record = _record_of(place, data)
    record_id, ours = (record.id, _is_ours(place, record)) if record else (None, False)
    quotes = [item.quote for item in record.evidence] if record else []
    spans = sorted([*revealed(text, names), *passages(text, quotes)])
    # A line is named once for each thing it reveals.
    once = {(text.count("\n", 0, span.start) + 1, span.kind): span for span in reversed(spans)}
    for (line, kind), span in sorted(once.items()):
        yield Revelation(path, line, kind, _shown(text[span.start :].partition("\n")[0]), record_id, ours)
    if record is None or not is_allowed(record):
        for line, _ in lines_of(text):
            yield Revelation(path, line, RevealKind.SECRET, "", record_id, ours)


def _shown(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"


def _record_of(place: Place, data: bytes) -> Record | None:
    found = ID_LINE.search(data)
    with place.store.read() as snapshot:
        return snapshot.find(found[1].decode()) if found else None


def _is_ours(place: Place, record: Record) -> bool:
    """Whether every version of it is Lerim's: one that a person touched is theirs."""
    with place.store.read() as snapshot:
        return all(version.author == "lerim" for version in snapshot.history(record.id))


def _traces(place: Place) -> Iterator[Revelation]:
    folder = place.folder.root.parent / "meta" / "traces" / "sessions"
    try:
        with openat.below(folder):
            paths = sorted(folder.rglob("*.jsonl"))
    except (FileNotFoundError, UnsafePath):
        return
    for path in paths:
        yield Revelation(path, 1, RevealKind.TRACE, "a whole conversation (memory.share_traces)")
