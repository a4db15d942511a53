"""Which calls surely never began, so that their failure is Claude Code's own words: the user refused them.

Any server and any shell can print "the user said". But Claude Code notes when a server's call begins, and puts the exit
code before what a shell printed. Where a session shows that it does, a failure without that is no server's or shell's.
"""

from __future__ import annotations

import msgspec

from lerim.lazy_regex import compile_later
from lerim.sources.claude_records import ClaudeRecord

_SERVERS, _SHELL = "mcp__", "Bash"
EXIT_CODE = compile_later(r"(?:Error: )?Exit code (\d+)")


class _Progress(msgspec.Struct, gc=False):
    type: str | None = None
    status: str | None = None


class BegunCalls:
    """What a session tells of the calls that began, record by record."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._has_codes = False

    def note(self, record: ClaudeRecord) -> None:
        """A record of progress: a server's call began."""
        try:
            data = msgspec.json.decode(record.data, type=_Progress)
        except msgspec.MsgspecError:
            return
        if data.type == "mcp_progress" and data.status == "started":
            self._begun.update(filter(None, (record.toolUseID, record.parentToolUseID)))

    def failed(self, tool: str, text: str) -> None:
        """A call that failed."""
        self._has_codes = self._has_codes or (tool == _SHELL and EXIT_CODE.match(text) is not None)

    def never(self, call: str, tool: str, text: str) -> bool:
        """Whether a failed call surely never began."""
        if tool.startswith(_SERVERS):
            return bool(self._begun) and call not in self._begun
        return tool == _SHELL and self._has_codes and EXIT_CODE.match(text) is None
