"""Commands that Claude Code lets run in the background: which call began each, and what says how it ended."""

from __future__ import annotations

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later

_BEGUN = compile_later(r"Command (?:running in background|was manually backgrounded by user) with ID: (\w+)")
_SHELLS = frozenset({"Bash", "PowerShell"})
#: Tools that ask what a command has printed meanwhile, by its id.
_ASKING = frozenset({"TaskOutput", "BashOutput"})
_ID = compile_later(r'"(?:task_id|bash_id|shell_id)":\s*"(\w+)"')
_STATUS = compile_later(r"<status>(\w+)</status>")
_EXIT_CODE = compile_later(r"<exit_code>(-?\d+)</exit_code>|<summary>[^<]*\bexit code (\d+)")
_NOTICE, _TASK = "<task-notification>", compile_later(r"<task-id>(\w+)</task-id>")
#: What ends so was ended by somebody: a server that is no longer needed has not failed.
_KILLED = frozenset({130, 137, 143})


@dataclass(frozen=True, slots=True)
class BackgroundEnd:
    """How a command ended, and the call that began it."""

    call: str
    ok: bool
    exit_code: int | None


class BackgroundCommands:
    """The commands of a session that run in the background."""

    def __init__(self) -> None:
        #: By the id of the command.
        self._calls: dict[str, str] = {}
        #: Which command a call asks for.
        self._asked: dict[str, str] = {}

    def note(self, call: str, tool: str, given: str) -> None:
        """A call of a tool: it may ask for what a command printed."""
        if tool in _ASKING and (found := _ID.search(given)):
            self._asked[call] = found[1]

    def begins(self, call: str, tool: str, text: str) -> bool:
        """Whether a result only says that the command goes on in the background."""
        found = _BEGUN.match(text) if tool in _SHELLS else None
        if found is not None:
            self._calls[found[1]] = call
        return found is not None

    def ended(self, call: str, text: str) -> BackgroundEnd | None:
        """How the command ended for which this call asked, if it has."""
        return self._end(self._asked.pop(call, ""), text)

    def told(self, notice: str) -> BackgroundEnd | None:
        """How the command ended of which a notice tells."""
        found = _TASK.search(notice) if notice.startswith(_NOTICE) else None
        return self._end(found[1], notice) if found is not None else None

    def _end(self, command: str, text: str) -> BackgroundEnd | None:
        head = text.partition("<output>")[0].partition("<stdout>")[0]
        status, code = _STATUS.search(head), _EXIT_CODE.search(head)
        if command not in self._calls or status is None or status[1] not in {"completed", "failed"}:
            return None
        exit_code = int(code[1] or code[2]) if code is not None else None
        call = self._calls.pop(command)
        return (
            None if exit_code in _KILLED else BackgroundEnd(call, status[1] == "completed" and not exit_code, exit_code)
        )
