"""The pull requests of a session: which were opened and merged, by the agent's calls and the number its tools named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lerim.ingest.signals.summary_words import one_line
from lerim.sources.trace import ToolCall, ToolResult

_OPENS = re.compile(r"\b(?:gh\s+pr|glab\s+mr)\s+create\b")
_MERGES = re.compile(r"\b(?:gh\s+pr|glab\s+mr)\s+merge\b(?P<options>[^\n;&|]*)")
_READY = re.compile(r"\bgh\s+pr\s+(?:ready|merge)\b")
#: What is merged once its checks pass is not merged yet.
_LATER, _DRAFT = re.compile(r"\s--auto\b"), re.compile(r"\s(?:--draft|-d)\b|\"(?:draft|is_?draft)\"\s*:\s*true")
#: A text that is given to a flag, in quotes.
_GIVEN_TEXT = r"[ =]+(?:\"(?P<double>(?:[^\"\\\n]|\\.)+)\"|'(?P<single>[^'\n]+)')"
_TITLE = re.compile(
    rf"--title{_GIVEN_TEXT}"
    r"|\"title\"\s*:\s*\"(?P<given>(?:[^\"\\]|\\.)+)\""
)
#: What a merge is called where it is not called as the request was.
_SUBJECT = re.compile(rf"--subject{_GIVEN_TEXT}")
#: A number in what a tool answers, and in what it was asked.
_ADDRESS = re.compile(r"/(?:pull|merge_requests)/(\d+)")
_ANSWERED = re.compile(
    r"/(?:pull|merge_requests)/(\d+)|\b(?:pull|merge) request (?:\S*[#!])(\d+)|\"number\"\s*:\s*(\d+)"
)
_NAMED = re.compile(r"/(?:pull|merge_requests)/(\d+)|(?:^|\s)[#!]?(\d+)(?=\s|$)")
_GIVEN = re.compile(r"\"(?:pr|pull|pull_?request|mr|issue)?_?(?:number|iid)\"\s*:\s*\"?(\d+)", re.IGNORECASE)
#: Tools of a server that do it without a shell.
_OPENING_TOOL = re.compile(r"(?:create|open)_(?:draft_)?(?:pull|merge)_?request$", re.IGNORECASE)
_MERGING_TOOL = re.compile(r"merge_(?:pull|merge)_?request$", re.IGNORECASE)


@dataclass
class PullRequests:
    """What was opened and merged in a session, in order, by number."""

    #: Each with the subjects of the commits that it is of, where these are fewer than all.
    opened: dict[str, tuple[str, ...]] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    #: Whether something was merged whose number nobody told.
    has_nameless: bool = False
    #: Whether the last one was opened as a draft.
    is_draft: bool = False

    @property
    def is_merged(self) -> bool:
        return bool(self.merged) or self.has_nameless

    @property
    def numbers(self) -> list[str]:
        """Of all that was opened or merged, the last one last."""
        return list(dict.fromkeys([*self.merged, *self.opened]))

    def ran(self, call: ToolCall, result: ToolResult | None) -> bool:
        """Follow a call that did not fail; whether it opened one."""
        text, answer = call.text, result.text if result is not None else ""
        if text.startswith("{"):
            if _MERGING_TOOL.search(call.tool):
                self._merged(_first(_GIVEN, text) or _first(_ANSWERED, answer))
            if not _OPENING_TOOL.search(call.tool):
                return False
            self._opened(text, 0, _first(_ANSWERED, answer))
            return True
        for merging in _MERGES.finditer(text):
            if not _LATER.search(merging["options"]):
                self._merged(_first(_NAMED, merging["options"]) or _first(_ANSWERED, answer))
                self._call(_SUBJECT.search(text, merging.start("options")))
        if (found := _OPENS.search(text)) is not None:
            self._opened(text, found.end(), _first(_ADDRESS, answer))
            return True
        self.is_draft = self.is_draft and not _READY.search(text)
        return False

    def hold(self, subjects: Sequence[str]) -> None:
        """Which commits the last one is of."""
        if self.opened:
            self.opened[next(reversed(self.opened))] = tuple(subjects)

    def _opened(self, text: str, start: int, number: str) -> None:
        self._call(_TITLE.search(text, start))
        if number:
            self.opened[number] = ()
        self.is_draft = _DRAFT.search(text, start) is not None

    def _call(self, title: re.Match[str] | None) -> None:
        if title is not None:
            self.titles.append(one_line(next(filter(None, title.groups()))))

    def _merged(self, number: str) -> None:
        number = number or next(reversed(self.opened), "")
        self.has_nameless = self.has_nameless or not number
        self.merged += [number] if number and number not in self.merged else []
        self.is_draft = False


def opens_or_merges(command: str) -> bool:
    """Whether a command opens or merges a pull request."""
    return _OPENS.search(command) is not None or _MERGES.search(command) is not None


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return next(filter(None, found.groups()), "") if found is not None else ""
