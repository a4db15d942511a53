"""Cursor's editor conversations: bubbles in `state.vscdb`, or the same bubbles exported as JSON lines.

Three generations lie side by side in real databases:
- 2024: a workspace's `ItemTable` holds chat tabs (`…aichat.chatdata`) and composers (`composer.composerData`) whole.
  Applying a reply of a chat makes a composer that begins with a copy of that prompt and reply.
- 2025: the global `cursorDiskKV` holds `composerData:<id>` with a list of headers, and one `bubbleId:<id>:<bubble>` row
  per message. The list is the order. Rows that are not in it are turns the user sent again or rewound: Cursor drops
  them from the list and leaves them in the table.
- An export: the composer on the first line, its bubbles below in no order.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass, replace
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources import jsonl, sqlite_file
from lerim.sources.base import Account, Reading, SessionRef
from lerim.sources.cursor_bubbles import bubble_lines
from lerim.sources.plain_file import opened_file, read_bytes
from lerim.sources.sqlite_file import AgentDatabase
from lerim.sources.trace import Header, Line
from lerim.sources.values import as_object, compact, instant, objects, parsed, path_of, string

# The only keys that are ever read. `cursorAuth/*` in the same table is account data.
_CHAT_TABS = "workbench.panel.aichat.view.aichat.chatdata"
_COMPOSERS = "composer.composerData"
_COMPOSER_LIST = "composer.composerHeaders"
PROMPTS = "aiService.prompts"
_FILE_URI = compile_later(rb"(?:file|vscode-remote)://[^\x00-\x20\x7f-\xff\"'<>]+")

Bubble = dict[str, Any]


@dataclass(frozen=True)
class BubblePosition:
    """Where a bubble is: its number in the conversation, and whether the conversation went on without it."""

    number: int
    bubble: str
    undone: bool = False


def sessions(database: AgentDatabase) -> Iterator[tuple[str, str]]:
    """Id and fingerprint of every conversation with a message of its own. Empty composers outnumber the others."""
    tabs = _chat_tabs(database)
    for tab in tabs:
        if bubbles := _inline(tab):
            yield _id(tab), f"{_amount(bubbles)}-{tab.get('lastSendTime') or ''}"
    for composer in _inline_composers(database):
        bubbles = _inline(composer)
        if len(bubbles) > _copied(composer, tabs)[0]:
            yield _id(composer), f"{_amount(bubbles)}-{composer.get('lastUpdatedAt') or ''}"
    if database.columns("cursorDiskKV"):
        # Composers can be large: one at a time.
        for (key,) in database.rows(*_range("key", "composerData:")):
            run_id = key.partition(":")[2]
            composer, stored = _row_of(database, run_id), _stored(database, run_id)
            if stored or _inline(composer) or (_listed(composer) and composer.get("conversationMap")):
                yield run_id, _fingerprint(composer, stored)


def read(ref: SessionRef) -> Reading:
    """One conversation of a database. Raises SourceError when it is not there."""
    with sqlite_file.opened(ref.path) as database:
        found = _find(database, ref.run_id)
        if found is None:
            raise SourceError(f"{ref.path} has no conversation {ref.run_id}")
        copied, origin = _copied(found, _chat_tabs(database))
    header = _header(found, ref.run_id, _folder(found, ref), origin)
    account = Account()
    if _inline(found):
        return Reading(header, _inline_lines(found, copied, account, bool(header.parent)), account)
    return Reading(header, _row_lines(ref, found, account, bool(header.parent)), account)


def is_editor_database(database: AgentDatabase) -> bool:
    """Whether this is Cursor's; VS Code and other editors of its family have the same first table."""
    if database.columns("cursorDiskKV"):
        return True
    chats = "SELECT 1 FROM ItemTable WHERE key IN (?, ?, ?)"
    return bool(database.columns("ItemTable")) and database.row(chats, _CHAT_TABS, _COMPOSERS, PROMPTS) is not None


def typed_texts(database: AgentDatabase) -> set[str]:
    """What the user typed in the conversations of a database, and in those that it lists and the editor's own has."""
    inline = [bubble for found in (*_chat_tabs(database), *_inline_composers(database)) for bubble in _inline(found)]
    found = {string(bubble.get("text")).strip() for bubble in inline if bubble.get("type") in {1, "user"}}
    listed = [_id(item) for item in objects(_item(database, _COMPOSERS).get("allComposers"))]
    shared = database.path.parent.parent.parent / "globalStorage" / "state.vscdb"
    if listed and shared != database.path and shared.is_file():
        with sqlite_file.opened(shared) as editor:
            for run_id in listed if editor.columns("cursorDiskKV") else []:
                found.update(_typed_in(editor, run_id))
    return found


def _typed_in(database: AgentDatabase, run_id: str) -> Iterator[str]:
    for head in objects(_row_of(database, run_id).get("fullConversationHeadersOnly")):
        if head.get("type") == 1:
            key = f"bubbleId:{run_id}:{head.get('bubbleId')}"
            row = database.row("SELECT value FROM cursorDiskKV WHERE key = ?", key)
            yield string(as_object(row[0]).get("text")).strip() if row else ""


def read_export(path: Path) -> Reading:
    """A composer and its bubbles as JSON lines."""
    composer = next((record for record in _first_records(path) if "composerId" in record), {})
    header = _header(composer, _id(composer) or path.stem, _folder(composer, None))
    account = Account()
    return Reading(header, _export_lines(path, composer, account, bool(header.parent)), account)


# Of this many records one is a bubble or its composer, when it is an export.
_FIRST = 5


def is_export(path: Path) -> bool:
    """Whether these are a composer and its bubbles. A damaged line or two must not hide it."""
    return any(not record.keys().isdisjoint({"composerId", "bubbleId"}) for record in _first_records(path))


def _first_records(path: Path) -> list[Bubble]:
    return [record for _, record in islice(jsonl.records(path, Account()), _FIRST)]


def first_object(path: Path) -> Bubble:
    """The first record of a JSON lines file; empty when there is none."""
    return next((item for _, item in jsonl.records(path, Account())), {})


def _find(database: AgentDatabase, run_id: str) -> Bubble | None:
    if database.columns("cursorDiskKV"):
        # A composer that is damaged still has its bubbles.
        composer = _row_of(database, run_id) or (_stored(database, run_id) and {"composerId": run_id})
        if composer:
            return composer
    inline = [*_chat_tabs(database), *_inline_composers(database)]
    return next((found for found in inline if _id(found) == run_id), None)


def _row_of(database: AgentDatabase, run_id: str) -> Bubble:
    row = database.row("SELECT value FROM cursorDiskKV WHERE key = ?", f"composerData:{run_id}")
    return as_object(row[0]) if row else {}


def _copied(composer: Bubble, tabs: list[Bubble]) -> tuple[int, str | None]:
    """How many bubbles a composer begins with that are copies from a chat, and which chat that is."""
    if "tabId" in composer or not tabs:
        return 0, None
    tab_of = {
        (compact(bubble.get("type")), string(bubble.get("text")).strip()): _id(tab)
        for tab in tabs
        for bubble in _inline(tab)
    }
    number, origin = 0, None
    for bubble in _inline(composer):
        speaker = "user" if bubble.get("type") == 1 else "ai"
        found = tab_of.get((speaker, string(bubble.get("text")).strip()))
        # What was typed into the composer itself has the editor's rich text; a copy has none.
        if found is None or bubble.get("richText"):
            break
        number, origin = number + 1, found
    return number, origin


def _chat_tabs(database: AgentDatabase) -> list[Bubble]:
    return objects(_item(database, _CHAT_TABS).get("tabs"))


def _inline_composers(database: AgentDatabase) -> list[Bubble]:
    """Composers of a workspace with their messages in them; newer versions keep only the list here."""
    return [found for found in objects(_item(database, _COMPOSERS).get("allComposers")) if _inline(found)]


def _item(database: AgentDatabase, key: str) -> Bubble:
    if not database.columns("ItemTable"):
        return {}
    row = database.row("SELECT value FROM ItemTable WHERE key = ?", key)
    if not row or not row[0]:
        return {}
    found = parsed(row[0])
    if found is None:
        raise SourceError(f"cannot read {database.path}: its {key} is damaged")
    return as_object(found)


def _id(conversation: Bubble) -> str:
    return string(conversation.get("composerId")) or string(conversation.get("tabId"))


def _inline(conversation: Bubble) -> list[Bubble]:
    return objects(conversation.get("conversation")) or objects(conversation.get("bubbles"))


def _listed(composer: Bubble) -> list[str]:
    heads = objects(composer.get("fullConversationHeadersOnly"))
    return [head["bubbleId"] for head in heads if isinstance(head.get("bubbleId"), str)]


def _stored(database: AgentDatabase, run_id: str) -> dict[str, int]:
    """Bubble ids with their row numbers, read from the index alone: bubbles can be large."""
    if not database.columns("cursorDiskKV"):
        return {}
    prefix = f"bubbleId:{run_id}:"
    return {key.removeprefix(prefix): number for key, number in database.rows(*_range("key, rowid", prefix))}


def _range(columns: str, prefix: str) -> tuple[str, str, str]:
    # A range, not LIKE: LIKE cannot use the index. Keys and values may be NULL, a range leaves those out.
    last = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return f"SELECT {columns} FROM cursorDiskKV WHERE key >= ? AND key < ? AND value IS NOT NULL", prefix, last


def _fingerprint(composer: Bubble, stored: dict[str, int]) -> str:
    # Cursor replaces a row to change it, and SQLite gives the new one a higher number.
    return f"{composer.get('lastUpdatedAt')}-{len(_listed(composer))}-{len(stored)}-{max(stored.values(), default=0)}"


def _amount(bubbles: list[Bubble]) -> str:
    # A reply is written while its time is that of the prompt.
    return f"{len(bubbles)}-{sum(len(string(bubble.get('text'))) for bubble in bubbles)}"


def _inline_lines(conversation: Bubble, copied: int, account: Account, is_subagent: bool) -> Iterator[Line]:
    for number, bubble in enumerate(_inline(conversation), 1):
        account.records += 1
        if number <= copied:
            account.skip("copied from a chat")
        else:
            yield from bubble_lines(bubble, number, account, is_subagent)


def _row_lines(ref: SessionRef, composer: Bubble, account: Account, is_subagent: bool) -> Iterator[Line]:
    with sqlite_file.opened(ref.path) as database:
        kept = as_object(composer.get("conversationMap"))

        def fetch(bubble: str) -> Bubble:
            row = database.row("SELECT value FROM cursorDiskKV WHERE key = ?", f"bubbleId:{ref.run_id}:{bubble}")
            return as_object(row[0]) if row else as_object(kept.get(bubble))

        stored = _stored(database, ref.run_id)
        # Nobody but the composer knows which of its bubbles were dropped.
        is_damaged = composer.keys() == {"composerId"}
        listed = sorted(stored, key=stored.__getitem__) if is_damaged else _listed(composer)
        turns = _turns(listed, stored)
        yield from _turn_lines(turns, fetch, account, is_subagent)


def _turns(listed: list[str], stored: dict[str, int]) -> list[BubblePosition]:
    """The listed bubbles in their order, each dropped one before the first listed bubble written after it."""
    dropped = sorted((number, bubble) for bubble, number in stored.items() if bubble not in set(listed))
    order: list[tuple[str, bool]] = []
    for bubble in listed:
        while dropped and dropped[0][0] < stored.get(bubble, 0):
            order.append((dropped.pop(0)[1], True))
        order.append((bubble, False))
    order += [(bubble, True) for _, bubble in dropped]
    return [BubblePosition(number, bubble, undone) for number, (bubble, undone) in enumerate(order, 1)]


def _turn_lines(
    turns: list[BubblePosition], fetch: Callable[[str], Bubble], account: Account, is_subagent: bool
) -> Iterator[Line]:
    if not turns:
        account.records += 1
        account.skip("empty conversation")
    for turn in turns:
        account.records += 1
        try:
            bubble = fetch(turn.bubble)
        except (SourceError, ValueError) as error:
            account.trouble(turn.number, str(error))
            continue
        if not bubble:
            account.skip("listed bubble that is not stored")
            continue
        for line in bubble_lines(bubble, turn.number, account, is_subagent):
            yield replace(line, undone=True) if turn.undone else line


def _export_lines(path: Path, composer: Bubble, account: Account, is_subagent: bool) -> Iterator[Line]:
    places = _places(path, account)
    listed = _listed(composer)
    order = [BubblePosition(number, bubble) for number, bubble in enumerate(listed, 1)]
    dropped = [bubble for bubble in places if bubble not in set(listed)]
    # Without its composer nobody knows which bubbles were dropped.
    was_dropped = bool(composer)
    order += [BubblePosition(number, bubble, was_dropped) for number, bubble in enumerate(dropped, len(listed) + 1)]
    with opened_file(path) as file:

        def fetch(bubble: str) -> Bubble:
            if bubble not in places:
                return {}
            at, nth = places[bubble]
            file.seek(at)
            return jsonl.objects(file.readline())[nth]

        yield from _turn_lines(order, fetch, account, is_subagent)


def _places(path: Path, account: Account) -> dict[str, tuple[int, int]]:
    """Where each bubble is: the offset of its line, and the how many-th it is there. All else is accounted for here."""
    places: dict[str, tuple[int, int]] = {}
    with opened_file(path) as file:
        number, at = 0, 0
        while line := file.readline(jsonl.MAX_LINE_BYTES):
            number += 1
            found = jsonl.counted(number, line, account) if line.strip() else []
            for nth, record in enumerate(found):
                bubble = record.get("bubbleId")
                if isinstance(bubble, str) and bubble not in places:
                    places[bubble] = at, nth
                else:
                    account.skip(_no_bubble(record))
            at += len(line)
    # Bubbles are counted when it is their turn.
    account.records -= len(places)
    return places


def _no_bubble(record: Bubble) -> str:
    if isinstance(record.get("bubbleId"), str):
        return "repeated bubble"
    return "composer" if "composerId" in record else "line without a bubble id"


def _header(conversation: Bubble, run_id: str, cwd: str | None, origin: str | None = None) -> Header:
    model = string(as_object(conversation.get("modelConfig")).get("modelName"))
    replies = (string(bubble.get("modelType")) for bubble in _inline(conversation))
    return Header(
        agent="cursor",
        run_id=run_id,
        cwd=cwd,
        branch=string(conversation.get("createdOnBranch")) or None,
        model=(model if model != "default" else "") or next(filter(None, replies), None),
        started=instant(conversation.get("createdAt")),
        title=string(conversation.get("name")) or string(conversation.get("chatTitle")) or None,
        parent=string(as_object(conversation.get("subagentInfo")).get("parentComposerId")) or None,
        forked_from=origin,
    )


def _folder(conversation: Bubble, ref: SessionRef | None) -> str | None:
    """Where a conversation took place: its workspace, or else what its files have in common."""
    if ref is not None:
        if own := workspace_folder(ref.path.parent):
            return own
        storage = ref.path.parent.parent / "workspaceStorage"
        if listed := _folders(storage, _states(storage)).get(ref.run_id):
            return listed
    workspace = as_object(as_object(conversation.get("workspaceIdentifier")).get("uri"))
    return (
        path_of(workspace.get("fsPath") or workspace.get("external"))
        or _folder_in_state(string(conversation.get("conversationState")))
        or _common_folder(conversation)
    )


def workspace_folder(storage: Path) -> str | None:
    """The folder a workspace's storage belongs to, by the `workspace.json` in it."""
    try:
        workspace = as_object(read_bytes(storage / "workspace.json"))
    except SourceError:
        return None
    if folder := path_of(workspace.get("folder")):
        return folder
    several = path_of(workspace.get("workspace") or workspace.get("configuration"))
    return os.path.dirname(several) if several else None  # noqa: PTH120 - it may be a path of another system


@lru_cache(maxsize=4)
def _folders(storage: Path, states: tuple[tuple[Path, object], ...]) -> dict[str, str]:
    """Composer id → folder, from the lists the workspaces keep. `states` makes a changed database a new question."""
    folders: dict[str, str] = {}
    for path, _ in states:
        folder = workspace_folder(path.parent)
        if not folder:
            continue
        try:
            with sqlite_file.opened(path) as database:
                listed = [_item(database, key).get("allComposers") for key in (_COMPOSERS, _COMPOSER_LIST)]
        except SourceError:
            # One locked or damaged workspace costs its conversations their folder, not the reading.
            continue
        folders |= {_id(composer): folder for found in listed for composer in objects(found)}
    return folders


def _states(storage: Path) -> tuple[tuple[Path, object], ...]:
    return tuple((path, sqlite_file.state(path)) for path in sorted(storage.glob("*/state.vscdb")))


def _folder_in_state(state: str) -> str | None:
    """The workspace's URI in the protobuf that newer composers carry: `~` and base64."""
    if not state.startswith("~"):
        return None
    try:
        raw = base64.b64decode(state[1:], validate=False)
    except (binascii.Error, ValueError):
        return None
    return folder_in(raw)


def folder_in(raw: bytes) -> str | None:
    """The first file URI in a protobuf message, cut to the length that stands before it."""
    found = _FILE_URI.search(raw)
    if found is None:
        return None
    length = raw[found.start() - 1] if found.start() else 0
    return path_of(found[0][: length or None].decode())


def _common_folder(conversation: Bubble) -> str | None:
    folders = {os.path.dirname(path) for uri in _uris(conversation) if (path := path_of(uri))}  # noqa: PTH120
    if not folders:
        return None
    try:
        return os.path.commonpath(sorted(folders)).rstrip("/") or None
    except ValueError:
        # On two drives, or absolute and relative ones: nothing in common.
        return None


def _uris(conversation: Bubble) -> Iterator[object]:
    yield from as_object(conversation.get("codeBlockData"))
    attached = conversation.get("allAttachedFileCodeChunksUris")
    yield from attached if isinstance(attached, list) else ()
    contexts = [conversation, *_inline(conversation)]
    for context in [*contexts, *(as_object(item.get("context")) for item in contexts)]:
        for selection in objects(context.get("fileSelections")):
            uri = as_object(selection.get("uri"))
            yield uri.get("external") or uri.get("fsPath") or uri.get("path")
