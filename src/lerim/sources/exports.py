"""Exports of platforms and applications, told by their shape: which one it is, and the conversations in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from lerim.dataclass import replace
from lerim.lazy_regex import compile_later
from lerim.sources import chat_exports, langfuse, langsmith, otel
from lerim.sources.base import Account
from lerim.sources.json_file import ItemSearch
from lerim.sources.jsonl import counted
from lerim.sources.loose_json import decoded
from lerim.sources.pieces import Record
from lerim.sources.talks import Talk

#: A first record may be long before it says what it is.
HEAD_BYTES = 1024 * 1024
#: Records that are looked at to know whose they are: damaged or strange ones among them must not hide it.
_FIRST = 50
#: Lists that an export may be wrapped in.
_WRAPPED = ("data", "runs", "traces", "observations", "conversations", "items", "results", "records")
# What no trace of another form has in its beginning: quick to look for, and only a reason to look closer.
_OWN_MARKS = compile_later(
    rb'"(?:resource_?[sS]pans|resource_?[lL]ogs|scope_?[sS]pans|span_?[iI]d|run_type|observations|mapping'
    rb'|chat_messages|custom_id)"\s*:'
)
_MARKS = compile_later(rb'"(?:trace_?[iI]d|session_?[iI]d|userId|choices)"\s*:|"(?:input|conversation)"\s*:\s*\[\s*\{')
_LIST = compile_later(rb"\s*\[\s*\{")
_CHATS = compile_later(rb'"messages"\s*:\s*\[\s*\{')
# Where a damaged document has records: in a list, or as spans within spans of resources.
_LISTS = compile_later(r'\A\s*\[|"(?:spans|logRecords|data|runs|traces|observations|conversations)"\s*:\s*\[')


class ExportForm(NamedTuple):
    """One platform's form."""

    name: str
    is_item: Callable[[Record], bool]
    talks: Callable[[Iterable[tuple[int, Record]]], list[Talk]]


FORMS = (
    ExportForm("OpenTelemetry spans", otel.is_item, otel.talks),
    ExportForm("LangSmith runs", langsmith.is_item, langsmith.talks),
    ExportForm("Langfuse traces", langfuse.is_item, langfuse.talks),
    ExportForm("chats", chat_exports.is_item, chat_exports.talks),
)


def may_be_export(head: bytes) -> bool:
    """Whether the beginning of a file has something that only an export has."""
    return is_marked(head) or _MARKS.search(head) is not None or len(_CHATS.findall(head)) > 1


def is_marked(head: bytes) -> bool:
    """Whether the beginning of a file has something that nothing but an export has."""
    return _OWN_MARKS.search(head) is not None


def export_of(raw: bytes) -> list[Talk]:
    """The conversations of an export; nothing when it is none. What belongs to none of them is noted with the first."""
    if not may_be_export(raw[:HEAD_BYTES]):
        return []
    account = Account()
    records = _records(raw, account)
    form = _form(record for _, record in records[:_FIRST])
    if form is None or _is_one_chat(form, records):
        return []
    items = [(number, record) for number, record in records if form.is_item(record)]
    account.records = len(account.bad)
    for _ in range(len(records) - len(items)):
        account.records += 1
        account.skip("no part of the export")
    talks = [talk for talk in form.talks(items) if any(step.messages for step in talk.steps)]
    return [replace(talks[0], account=account), *talks[1:]] if talks else []


def _is_one_chat(form: ExportForm, records: Sequence[tuple[int, Record]]) -> bool:
    """Whether it is a single list of messages, which has a form of its own."""
    chats = [record for _, record in records if form.is_item(record)]
    is_plain = form.is_item is chat_exports.is_item and len(chats) == 1
    return is_plain and "messages" in chats[0] and not {"system", "choices", "response"} & chats[0].keys()


def _form(first: Iterable[Record]) -> ExportForm | None:
    """The form that most of the first records have; of two, the one that is named first.

    A record of a platform that is damaged may look like a chat, since it has messages: so chats are what nobody else's
    records are among.
    """
    records = list(first)
    *platforms, chats = FORMS
    known = [sum(map(form.is_item, records)) for form in platforms]
    if any(known):
        return platforms[known.index(max(known))]
    return chats if any(map(chats.is_item, records)) else None


def _records(raw: bytes, account: Account) -> list[tuple[int, Record]]:
    """Every object of the export: one on each line, or in a list of a document, however damaged."""
    try:
        return _unwrapped(decoded(raw), account)
    except ValueError:
        pass
    return _salvaged(raw, account) if _LIST.match(raw) else _by_line(raw, account)


def _by_line(raw: bytes, account: Account) -> list[tuple[int, Record]]:
    """The objects on each line; those of a damaged document when none of them is a record."""
    noted = Account()
    lines = ((number, line) for number, line in enumerate(raw.split(b"\n"), 1) if line.strip())
    found = [(number, item) for number, line in lines for item in counted(number, line, noted)]
    if not any(form.is_item(record) for _, record in found for form in FORMS):
        return _salvaged(raw, account)
    account.bad += noted.bad
    return found


def _unwrapped(document: Any, account: Account) -> list[tuple[int, Record]]:
    if isinstance(document, dict):
        wrapped = next((document[key] for key in _WRAPPED if _is_wrapping(document, key)), None)
        document = wrapped if wrapped is not None else [document]
    found = []
    for number, one in enumerate(document if isinstance(document, list) else [], 1):
        if isinstance(one, dict):
            found.append((number, one))
        else:
            account.trouble(number, f"a {type(one).__name__}, not an object")
    return found


def _is_wrapping(document: Record, key: str) -> bool:
    """Whether a list holds the records. A trace with its observations is a record itself."""
    listed = document.get(key)
    return isinstance(listed, list) and not any(form.is_item(document) for form in FORMS)


def _salvaged(raw: bytes, account: Account) -> list[tuple[int, Record]]:
    """The whole records of a document that is cut or damaged."""
    # NUL bytes are what a crash leaves where a block was never written.
    text = raw.decode("utf-8", "replace").replace("\0", "")
    search = ItemSearch(text, account, lambda item: any(form.is_item(item) for form in FORMS))
    end = 0
    for opening in _LISTS.finditer(text):
        # What lies before the end of a list was read with it.
        end = search.run(opening.end()) if opening.end() > end else end
    return search.items
