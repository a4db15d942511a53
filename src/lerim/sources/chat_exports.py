"""Chats as the applications people chat in export them: ChatGPT's conversations, Claude's, and lists of chats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lerim.sources.chat import is_message
from lerim.sources.pieces import Record
from lerim.sources.talks import Step, Talk, Timed, first_text, first_value
from lerim.sources.values import as_object, objects, string

_MOST_TURNS = 20_000


def is_item(record: Record) -> bool:
    """Whether a record is a conversation: a tree of messages, or a list of them."""
    if isinstance(record.get("mapping"), dict):
        return any(isinstance(node, dict) and "message" in node for node in record["mapping"].values())
    return isinstance(record.get("chat_messages"), list) or bool(chat_of(record))


def chat_of(record: Record) -> list[Record]:
    """The messages of a request to a model, with its answer where that is beside it."""
    asked = as_object(record.get("request")) or as_object(record.get("body")) or record
    lists = (asked[key] for key in ("messages", "input", "conversation") if isinstance(asked.get(key), list))
    messages = objects(next(lists, None))
    if not messages or not any(map(is_message, messages)):
        return []
    system = asked.get("system") or asked.get("instructions")
    first = [{"role": "system", "content": system}] if isinstance(system, str | list) and system else []
    return [*first, *messages, *_answer(record)]


def _answer(record: Record) -> Iterator[Record]:
    back = as_object(record.get("response")) or record
    back = as_object(back.get("body")) or back
    for choice in objects(back.get("choices")):
        if isinstance(choice.get("message"), dict):
            yield choice["message"]
    if isinstance(back.get("output"), list):
        yield from objects(back["output"])
    elif back is not record and is_message(back):
        yield back


def talks(records: Iterable[tuple[int, Record]]) -> list[Talk]:
    """The conversations, in the order of the file."""
    return [_talk(number, record) for number, record in records]


def _talk(number: int, record: Record) -> Talk:
    name = first_text(record, "conversation_id", "uuid", "id", "custom_id", "run_id") or f"{number}"
    title = first_text(record, "title", "name")
    started = first_value(record, "create_time", "created_at", "started", "timestamp", "created")
    facts = {"title": title, "started": started, "model": first_text(record, "default_model_slug", "model")}
    facts |= {key: record[key] for key in ("cwd", "branch") if isinstance(record.get(key), str)}
    return Talk(name, facts, tuple(_steps(number, name, record)))


def _steps(number: int, name: str, record: Record) -> Iterator[Step]:
    # One step: what is said twice in a chat was said twice.
    messages = tuple(_messages(record))
    yield Step(number, name, name, messages)


def _messages(record: Record) -> Iterator[Timed]:
    if isinstance(record.get("mapping"), dict):
        yield from ((None, message) for message in _branch(record["mapping"], string(record.get("current_node"))))
    elif isinstance(record.get("chat_messages"), list):
        yield from ((None, message) for message in objects(record["chat_messages"]))
    else:
        yield from ((None, message) for message in chat_of(record))


def _branch(mapping: Record, last: str) -> list[Record]:
    """The messages that led to the last one: edits and answers that were asked for again are other branches."""
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
    at = last if last in nodes else _newest(nodes)
    found: list[Record] = []
    seen: set[str] = set()
    while at in nodes and at not in seen and len(found) < _MOST_TURNS:
        seen.add(at)
        message = nodes[at].get("message")
        if isinstance(message, dict) and _is_shown(message):
            found.append(message)
        at = string(nodes[at].get("parent"))
    return found[::-1]


def _newest(nodes: dict[str, Record]) -> str:
    leaves = [name for name, node in nodes.items() if not node.get("children")]
    return leaves[-1] if leaves else ""


def _is_shown(message: Record) -> bool:
    """Whether somebody saw it: the application puts empty messages and notes of its own between them."""
    metadata = as_object(message.get("metadata"))
    content = as_object(message.get("content"))
    return not metadata.get("is_visually_hidden_from_conversation") and bool(
        content.get("parts") or content.get("text")
    )
