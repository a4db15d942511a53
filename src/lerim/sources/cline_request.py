"""What Cline, Roo Code and Kilo Code send to a model: tool results, the user's words and the state of the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.sources.pieces import taken_apart

# "[read_file for 'src/app.py'] Result:" opens what came back from a tool.
_MARKER = compile_later(r"^\[(?P<tool>\w+)(?: for [^\n]*)?\] Result:[ \t]*\n?", re.MULTILINE)
_PIECE = compile_later(r"<(?P<tag>task|feedback|answer|user_message)>\n?(?P<inside>.*?)\n?</(?P=tag)>", re.DOTALL)
# What the program puts behind the user's words for each file, folder or page they named.
_CONTENT = (
    r"(?:file_content|folder_content|url_content|terminal_output|workspace_diagnostics|git_commit|git_working_state"
    r"|slash_command|command|explicit_instructions|workspace_mentions)\b"
)
_NAMED = compile_later(rf"<{_CONTENT}[^>]*>")
_NAMED_END = compile_later(rf"</{_CONTENT}>")
# Words of the program itself, around a result or instead of one.
_BOILERPLATE = compile_later(
    r"^(?:# task_progress |# TODO LIST |The user (?:has )?provided (?:the following )?feedback|"
    r"New instructions for task continuation|\[TASK RESUMPTION\]|\[ERROR\])",
    re.MULTILINE,
)
_CWD = compile_later(r"Current (?:Working|Workspace) Directory \((?P<cwd>[^)\n]+)\)")
_MODEL = compile_later(r"<model>(?P<model>[^<\n]+)</model>")
_DENIED = "The user denied this operation"
_REFUSAL = compile_later(rf"\s*{_DENIED}[^\n]*feedback:\s*")
_FAILED = compile_later(r"\s*(?:The tool execution failed|Error |<error>|\[ERROR\])")
_EXIT_CODE = compile_later(r"[Ee]xit(?:ed with)? code:? (-?\d+)")

#: Tools that only talk: what they say and the answer to it stand elsewhere.
TALKING = {
    "attempt_completion",
    "ask_followup_question",
    "plan_mode_respond",
    "act_mode_respond",
    "new_task",
    "condense",
}
#: Tools whose results begin with words of the program. What others give back may say that it was refused, and was not.
_OWN_WORDED = frozenset(
    {"execute_command", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace"}
    | {"new_rule", "switch_mode", "update_todo_list"}
)


@dataclass(frozen=True)
class Piece:
    """A part of a request: under a tag (`task`, `feedback`, …), from a tool (`tool:<name>`), or `rest`."""

    kind: str
    text: str

    @property
    def tool(self) -> str:
        return self.kind.removeprefix("tool:") if self.kind.startswith("tool:") else ""


def pieces(request: str, tool: str = "") -> Iterator[Piece]:
    """The parts of a request in their order; nothing of the text is in none of them but blanks.

    A file that a tool has read, that the user named or whose output a terminal shows may hold the same tags. They count
    only where the program itself puts them, so that nobody's file can speak for the user: the state of the editor and
    the files are taken out as a whole, and what a tool printed goes on to the end. `tool` names the tool whose result
    the text is, if it is one.
    """
    before, state, behind = taken_apart(request, "<environment_details>", "</environment_details>")
    words, files, rest = _with_files_apart(before or ("" if state else behind))
    yield from _tagged(words, tool)
    if files:
        yield Piece("environment_details", files)
        yield from _rest(rest)
    if state:
        inside = state.removeprefix("<environment_details>").removesuffix("</environment_details>")
        yield Piece("environment_details", inside.strip())
        yield from _rest(behind)


def _with_files_apart(text: str) -> tuple[str, str, str]:
    """What stands before the files, folders and pages that the user named, these as a whole, and the rest."""
    opened = _NAMED.search(text)
    *_, closed = [None, *_NAMED_END.finditer(text)]
    if opened is None or closed is None or closed.end() <= opened.start():
        return text, "", ""
    return text[: opened.start()], text[opened.start() : closed.end()], text[closed.end() :]


def _tagged(text: str, tool: str) -> Iterator[Piece]:
    at = 0
    is_foreign = _is_foreign(tool)
    for found in _PIECE.finditer(text):
        before = text[at : found.start()]
        results = _results(before)
        *_, (last, result) = [(tool, before), *results]
        is_foreign = is_foreign or any(_is_foreign(name) for name, _ in results)
        if not is_foreign and _is_genuine(found, last, result):
            yield from _untagged(before)
            yield Piece(found["tag"], found["inside"].strip())
            at, tool = found.end(), last
    yield from _untagged(text[at:])


def _is_foreign(tool: str) -> bool:
    """Whether the result of a tool begins with words that are not the program's own."""
    return bool(tool) and tool not in TALKING and tool not in _OWN_WORDED


def is_denied(tool: str, text: str) -> bool:
    """Whether the result of a tool says that the user refused the call."""
    return not _is_foreign(tool) and text.lstrip().startswith(_DENIED)


def outcome(tool: str, result: str) -> tuple[bool | None, int | None]:
    """Whether a tool worked, and the exit code of a command that reports it."""
    if is_denied(tool, result) or _FAILED.match(result):
        return False, None
    if tool != "execute_command":
        return True, None
    code = _EXIT_CODE.search(result)
    return (int(code[1]) == 0, int(code[1])) if code else (None, None)


def cwd_in(text: str) -> str | None:
    found = _CWD.search(text)
    return found["cwd"] if found else None


def model_in(text: str) -> str | None:
    found = _MODEL.search(text)
    return found["model"] if found else None


def _is_genuine(found: re.Match[str], tool: str, before: str) -> bool:
    if not tool or tool in TALKING:
        return True
    return found["tag"] == "feedback" and _REFUSAL.fullmatch(before) is not None


def _results(text: str) -> list[tuple[str, str]]:
    markers = list(_MARKER.finditer(text))
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    return [(marker["tool"], text[marker.end() : end]) for marker, end in zip(markers, ends, strict=False)]


def _untagged(text: str) -> Iterator[Piece]:
    first = _MARKER.search(text)
    yield from _rest(text[: first.start()] if first else text)
    for tool, result in _results(text):
        boilerplate = _BOILERPLATE.search(result)
        yield Piece(f"tool:{tool}", (result[: boilerplate.start()] if boilerplate else result).strip())
        if boilerplate:
            yield from _rest(result[boilerplate.start() :])


def _rest(text: str) -> Iterator[Piece]:
    if text.strip():
        yield Piece("rest", text.strip())
