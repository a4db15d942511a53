"""OpenClaw.

Each agent has `agents/<agent>/agent/openclaw-agent.sqlite` under ~/.openclaw (OPENCLAW_STATE_DIR; before, ~/.clawdbot
and ~/.moltbot). Since 2026.7.2 `transcript_events` there holds the sessions, one JSON record in each row, large ones
compressed with zstd; `session_windows` and `session_nodes` say what a session is for. Until then each session was
`agents/<agent>/sessions/<id>.jsonl`, with `sessions.json` beside it, which gives them by their keys. Records are pi's.

Messages come from many places: chats, schedules, other sessions. Under the user's role only those count that the
program took for its owner's (`__openclaw.senderIsOwner`; before there was such a mark, those of a session that is no
group, schedule or subagent's), and not those of other sessions or of itself (`provenance`).

Seen on a session that the program itself wrote (2026.9.6) with an invented model; chats and older files only in small
samples. The same database has credentials, in tables that are not opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources import sqlite_file, zstd
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.jsonl import records
from lerim.sources.pi import PiReader, PiSurvey, header_of
from lerim.sources.pieces import Outcome, Record, container, translated, words
from lerim.sources.plain_file import read_bytes
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import Injection, Line
from lerim.sources.values import as_object, string

_DATABASE = "openclaw-agent.sqlite"
_FIRST = 12
_MOST_BYTES = 8 * 1024 * 1024
#: Where a session's key says that it is not the owner's own: somebody else's words may be in it, or a program's.
_OTHERS = compile_later(r":(?:cron|subagent|group|channel|hook|acp|guild|room|thread)(?::|$)|:heartbeat$")
#: What the program puts before the words of a chat: who writes, and where.
_ENVELOPE = compile_later(r"(?:[A-Z][^\n]{0,80}\(untrusted[^\n]{0,60}\):\n```json\n.*?\n```\s*)+", re.DOTALL)
_HEARTBEAT = "Read HEARTBEAT.md"
_PROGRAMS = frozenset({"cron", "spawn", "plugin", "internal"})


class OpenClawSource:
    name = "openclaw"
    title = "OpenClaw"

    def roots(self, machine: Machine) -> list[Path]:
        if named := machine.env.get("OPENCLAW_STATE_DIR"):
            return [Path(named) / "agents"]
        return [machine.home / folder / "agents" for folder in (".openclaw", ".clawdbot", ".moltbot")]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted(root.glob(f"*/agent/{_DATABASE}")):
            if state := sqlite_file.state(path):
                yield Container(self.name, path, state)
        for path in sorted(root.glob("*/sessions/*.jsonl")):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        path = container.path
        if not sqlite_file.is_database(path):
            if not _is_migrated(path):
                yield SessionRef(self.name, path, path.stem)
            return
        with sqlite_file.opened(path) as database:
            # Before 2026.7.2 there are no sessions in it.
            found = _listed(database) if _is_ours(database) else []
            if not found:
                database.require_sound()
        for run_id, last, number in found:
            yield SessionRef(self.name, path, string(run_id), f"{last}-{number}")

    def accepts(self, path: Path) -> bool:
        try:
            if sqlite_file.is_database(path):
                with sqlite_file.opened(path) as database:
                    return _is_ours(database)
            head = [record for _, record in islice(records(path, Account()), _FIRST)]
        except SourceError:
            return False
        is_session = bool(head) and head[0].get("type") == "session"
        return is_session and any(_is_marked(record) for record in head)

    def read(self, ref: SessionRef) -> Reading:
        is_database = sqlite_file.is_database(ref.path)
        entries = _rows if is_database else _lines
        survey = PiSurvey.of(entries(ref, Account()))
        if not survey.header and not survey.parents and not survey.has_messages:
            raise SourceError(f"no OpenClaw session {ref.run_id} in {ref.path}")
        account = Account()
        is_others = _is_others(ref) if is_database else _is_others_file(ref.path)
        reader = _OpenClawReader(survey, account, is_others=is_others)
        return Reading(header_of(ref, survey), translated(entries(ref, account), account, reader.translate), account)


SOURCE = OpenClawSource()


def _is_ours(database: AgentDatabase) -> bool:
    return {"session_id", "seq", "event_json"} <= database.columns("transcript_events")


def _listed(database: AgentDatabase) -> list[tuple[object, ...]]:
    sql = "SELECT session_id, max(seq), count(*) FROM transcript_events GROUP BY session_id ORDER BY min(rowid)"
    return database.rows(sql)


def _is_marked(record: Record) -> bool:
    """What only OpenClaw writes among the records that it has from pi."""
    kind = string(record.get("customType"))
    message = as_object(record.get("message"))
    return kind.startswith("openclaw") or kind == "model-snapshot" or "__openclaw" in message


def _is_migrated(path: Path) -> bool:
    """Whether the database has the session of a file."""
    sql = "SELECT 1 FROM transcript_events WHERE session_id = ? LIMIT 1"
    return sqlite_file.has_row(path.parent.parent / "agent" / _DATABASE, _is_ours, sql, path.stem)


def _lines(ref: SessionRef, account: Account) -> Iterator[tuple[int, Record]]:
    return records(ref.path, account)


def _rows(ref: SessionRef, account: Account) -> Iterator[tuple[int, Record]]:
    with sqlite_file.opened(ref.path) as database:
        packed = ", event_zstd" if "event_zstd" in database.columns("transcript_events") else ""
        ids = database.rows("SELECT seq FROM transcript_events WHERE session_id = ? ORDER BY seq", ref.run_id)
        for number, (seq,) in enumerate(ids, 1):
            account.records += 1
            sql = f"SELECT event_json{packed} FROM transcript_events WHERE session_id = ? AND seq = ?"
            row = database.row(sql, ref.run_id, seq) or ("",)
            raw = row[0]
            if raw is None and isinstance(row[-1], bytes):
                raw = zstd.row_bytes(ref.path, row[-1], _MOST_BYTES)
            if event := as_object(raw):
                yield number, event
            else:
                account.trouble(number, "the event is not JSON")


def _is_others(ref: SessionRef) -> bool:
    """Whether a session of a database is a program's, or one that others write in. Its messages may know better."""
    with sqlite_file.opened(ref.path) as database:
        if "session_key" not in database.columns("session_windows"):
            return False
        row = database.row("SELECT session_key FROM session_windows WHERE session_id = ?", ref.run_id)
        key = string(row[0]) if row else ""
        made = None
        if "created_via" in database.columns("session_nodes"):
            made = database.row("SELECT created_via FROM session_nodes WHERE session_key = ?", key)
    return bool(_OTHERS.search(key)) or (bool(made) and string(made and made[0]) in _PROGRAMS)


def _is_others_file(path: Path) -> bool:
    try:
        listed = as_object(read_bytes(path.with_name("sessions.json")))
    except SourceError:
        return False
    keys = (key for key, entry in listed.items() if as_object(entry).get("sessionId") == path.stem)
    return any(_OTHERS.search(key) for key in keys)


class _OpenClawReader(PiReader):
    """Reads pi's records, and hears as the user only whom OpenClaw took for its owner."""

    def __init__(self, survey: PiSurvey, account: Account, *, is_others: bool) -> None:
        super().__init__(survey, account, with_history=True)
        self.is_others = is_others

    def user(self, message: Record) -> Outcome:
        marks = as_object(message.get("__openclaw"))
        text = words(message.get("content"))
        sender = string(as_object(message.get("provenance")).get("kind"))
        is_owner = marks["senderIsOwner"] is True if "senderIsOwner" in marks else not self.is_others
        if not is_owner or sender not in ("", "external_user") or text.startswith(_HEARTBEAT):
            return [self.pen.injected(text, Injection.NOTIFICATION)] if text.strip() else []
        lines: list[Line] = []
        if envelope := _ENVELOPE.match(text):
            lines.append(self.pen.injected(envelope[0].strip(), Injection.ENVIRONMENT))
            text = text[envelope.end() :]
        return [*lines, *(self.pen.typed(text) if text.strip() else [])]
