"""What was ordered, held back, refused or begun and did not come about, as the session itself shows, whoever told it.

Agents seldom end on what they did not do. What was ordered and which command ran is known, and so is what was refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_deeds import GIT, edited_files, is_edit
from lerim.ingest.signals.summary_left import LeftThing
from lerim.ingest.signals.summary_words import as_task, clipped, plain, prose, sentence, visible
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Assistant, Event, Happening, Line, ToolCall, ToolResult, User, Via


class Sending(StrEnum):
    """A deed that sends work off, by what is said of it when it is done."""

    COMMIT = "committed"
    PUSH = "pushed"
    MERGE = "merged"
    TAG = "tagged"
    RELEASE = "released"


_RUNS = {
    Sending.COMMIT: re.compile(rf"{GIT}(?:commit|revert|cherry-pick|merge)\b|\bjj commit\b"),
    Sending.PUSH: re.compile(rf"{GIT}push\b|push_files"),
    Sending.MERGE: re.compile(
        rf"\bgh\s+pr\s+merge\b|\bglab\s+mr\s+merge\b|{GIT}(?:merge|rebase|pull|cherry-pick)\b|merge_pull_request"
    ),
    # A list of tags is none.
    Sending.TAG: re.compile(
        rf"{GIT}tag\s+(?!-l|-n|--list|--sort|--contains|--points|[|&;2])|\bgh\s+release create\b"
        rf"|{GIT}push\b[^\n;&|]*--tags|create_tag|\bnpm version\b"
    ),
    Sending.RELEASE: re.compile(rf"release|publish|{GIT}tag\s", re.IGNORECASE),
}
_VERBS = {
    "commit": Sending.COMMIT,
    "push": Sending.PUSH,
    "merge": Sending.MERGE,
    "tag": Sending.TAG,
    "release": Sending.RELEASE,
}
#: What a command prints that git or the other side refused, whatever a pipe makes of it.
_TURNED_DOWN = re.compile(r"\[(?:remote )?rejected\]|^(?:error|fatal): ", re.MULTILINE)
#: The deed as an order: at the beginning, or behind another one. "Merge the two lists" and "a push message" are none.
_ORDERS = re.compile(
    r"(?:^|[,;&]\s*|\b(?:and|then|und|dann|et|y)\s+)(?:(?:then|also|just|please|pls|now|bitte)\s+)*"
    r"(?P<verb>commit|push|merge|tag|release)(?=\W*$|\s*[,;.&]|\s+(?:it|this|that|them|these|all|everything|up|and|both"
    r"|your|my|our|now|please|pls|when|pr\b|pull request|branch|changes?|v?\d|das|alles"
    r"|(?:to|into) (?:main|master|develop|origin|remote|production)"
    r"|the (?:branch|pr|pull request|commits?|changes?|fix(?:es)?|tag|release|rest|work)\b))"
    r"|\bget (?:it|this|that|them|all(?: of)? (?:it|this)|the (?:pr|branch)) (?P<done>committed|pushed|merged|tagged"
    r"|released)\b",
    re.IGNORECASE,
)
#: One of these stands in each; and so much of a command is read.
_SENDING_WORDS = ("commit", "push", "merge", "tag", "release", "publish", "revert", "rebase", "pull", "pick", "version")
_MOST_COMMAND = 6_000
#: Tools that only speak of work.
_SPEAKS = re.compile(r"question|todo|plan|ask", re.IGNORECASE)
#: What holds it back; and that this is for now.
_HOLDS = re.compile(
    r"\b(?:do not|do ?n['’]?t|hold off(?: on)?|wait (?:with|before)|nicht|not) (?:\w+ ){0,2}?"
    r"(?P<verb>commit|push|merge|tag|release)\w*(?P<behind>[^.;!?\n]{0,60})",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"\b(?:yet|until|till|before|for now|right now|so far|first|unless|noch nicht|erst|bis|vor)\b", re.IGNORECASE
)
_ONLY_IF = re.compile(
    r"\b(?:if|when(?:ever)?|once|after|before|until|unless|always|never|as soon as|every time)\b", re.I
)
#: Before a deed that is not done: "not yet pushed", "once it is merged", "ready to be tagged".
_NOT_DONE = re.compile(
    r"(?:\b(?:not|never|nothing|no|be|once|when|if|until|after|before|get|gets|getting|want|being|nicht)|n['’]t)"
    r"(?: [\w'’#`/-]+){0,3}\W*$",
    re.IGNORECASE,
)
_SAYS_NOT = re.compile(
    r"\b(?:not|n['’]t|never|nothing)(?: (?:been|yet|be|committed (?:or|and)))* (?P<deed>pushed|committed|merged|tagged"
    r"|released)\b(?! to (?:git|your|the repo))"
    r"|\bun(?P<un>pushed|committed|merged|released)\b|\bno (?P<no>commit|push|tag|release) (?:was "
    r"|has been )?(?:made|done|yet)"
    r"|\bready (?:to|for(?: a| the)?) (?P<ready>push|merge)\b|\bahead of [`'\"]?(?P<ahead>origin|remote|upstream)\b"
    r"|\b(?:say the word|want me|let me know|whenever you)\b[^.!?\n]{0,40}\b(?P<word>push(?:ed)?|merge[d]?)\b",
    re.IGNORECASE,
)
#: What somebody says is done: a sentence begins so, or says it of what there is to send off.
_DONE = re.compile(
    r"(?:^\W*|[.!:;,—–-]\s+\W*|\b(?:and|i|we|ve|is|are|was|were|been|now|all|also|got|has|have|everything|changes?|branch"
    r"|commits?|fix(?:es)?|pr(?: #?\d+)?) )(?P<deed>committed|pushed|merged|tagged|released)\b",
    re.IGNORECASE | re.MULTILINE,
)
#: Who was sent out to work, and what that is called.
_SENDS_OUT = re.compile(
    r"\b(?:dispatched|spawned|launched|started|kicked off)\b[^.\n]{0,60}\b(?:workers?|(?:sub)?agents?|task)\b"
    r"|\b(?:workers?|(?:sub)?agents?) (?:was|were|is|has been) (?:dispatched|spawned|launched|started|instructed)\b",
    re.IGNORECASE,
)
_NAMED_WORKER = re.compile(
    r"\b(?:worktree|worker|agent|branch|task)\b\W{0,6}`(?P<name>[\w]+(?:-[\w]+)+)`", re.IGNORECASE
)
_VERSION = re.compile(r"\bv\d+\.\d+(?:\.\d+)*\b")
_PULL = re.compile(r"\bPR #?(\d+)|/pull/(\d+)")
_ANSWERED = re.compile(r"(?m)^A: (.+)$")
_HOLD_WORDS, _POINT_WORDS, _MOST_POINTS = 12, 10, 3
_PLAN = re.compile(r'"plan"\s*:\s*"(?P<plan>(?:[^"\\]|\\.)+)')
_HEADING = re.compile(
    r"^#{1,3}\s+(?:(?:implementation )?plan\s*[:–-]\s*)?(?P<text>\S.*)$", re.IGNORECASE | re.MULTILINE
)
_POINT = re.compile(r"^#{2,4}\s+(?:\d{1,2}[.)]|(?:step|phase|task|part)\s+\d+\s*[:.–-])\s*(?P<text>\S.*)$", re.I | re.M)


@dataclass
class _Course:
    """The words and deeds of a session, each by its place."""

    said: list[tuple[int, str]] = field(default_factory=list)
    told: list[tuple[int, str]] = field(default_factory=list)
    done: dict[Sending, int] = field(default_factory=dict)
    #: The commands, and what was handed to tools besides.
    called: list[tuple[int, str]] = field(default_factory=list)
    #: The last change of a file.
    edited: int = -1

    def is_done(self, sending: Sending, since: int) -> bool:
        """Whether a deed came about behind a place: by a command, or as somebody says."""
        if self.done.get(sending, -1) > since:
            return True
        told = [text for at, text in (*self.told, *self.said) if at > since]
        return any(_tells_done(text, sending) for text in told)


def undone_in(transcript: Transcript) -> list[LeftThing]:
    """What was to be sent off and was not: each deed once, the user's own word on it before what only was so."""
    course = _course_of(transcript)
    found: dict[Sending, LeftThing] = {}
    for sending, thing in (*_held(course), *_ordered(course), *_not_sent(course)):
        found.setdefault(sending, thing)
    # What is not committed is not pushed either.
    if Sending.COMMIT in found:
        found.pop(Sending.PUSH, None)
    return [*found.values(), *_sent_out(course)]


def _sent_out(course: _Course) -> Iterator[LeftThing]:
    """The worker that an agent says it sent out, and that nobody heard of again."""
    for at, text in course.told:
        name = _NAMED_WORKER.search(text) if _SENDS_OUT.search(text) else None
        later = [said for place, said in (*course.told, *course.said, *course.called) if place > at] if name else []
        if name is not None and not any(name["name"] in said for said in later):
            yield LeftThing(f"Started, not seen to end: `{name['name']}`.", (), is_of_work=True)


def _course_of(transcript: Transcript) -> _Course:
    course, cwd = _Course(), transcript.header.cwd or ""
    results = {n.line.call: n.line for n in transcript.lines if isinstance(n.line, ToolResult)}
    for place, line in enumerate(_kept(transcript)):
        if isinstance(line, User):
            course.said.append((place, _own(line)))
        elif isinstance(line, Assistant) and line.text.strip():
            course.told.append((place, line.text))
        elif isinstance(line, ToolCall) and is_edit(line):
            course.edited = place if edited_files(line, cwd) else course.edited
        elif isinstance(line, ToolCall) and not _SPEAKS.search(line.tool):
            course.called.append((place, line.text))
            result = results.get(line.call)
            if result is None or not (result.has_failed or _TURNED_DOWN.search(result.text)):
                course.done.update(dict.fromkeys(_sent_by(f"{line.tool} {line.text[:_MOST_COMMAND]}"), place))
    return course


def _sent_by(called: str) -> list[Sending]:
    """What a call sends off."""
    if not any(word in called for word in _SENDING_WORDS):
        return []
    seen = visible(called)
    return [sending for sending, runs in _RUNS.items() if runs.search(seen)]


def _kept(transcript: Transcript) -> list[Line]:
    return [numbered.line for numbered in transcript.lines if not numbered.line.undone]


def _own(line: User) -> str:
    """The user's own words: of a form, the answers."""
    return "\n".join(_ANSWERED.findall(line.text)) if line.via is Via.ANSWER else line.text


def _held(course: _Course) -> Iterator[tuple[Sending, LeftThing]]:
    """What the user held back for now, or with their last word, and did not let go."""
    for number, (place, text) in enumerate(course.said):
        is_last = number == len(course.said) - 1
        for one in prose(text):
            held = _HOLDS.search(one)
            if held is None or one.endswith("?") or not (is_last or _FOR_NOW.search(held["behind"])):
                continue
            sending = _VERBS[held["verb"].lower()]
            if not course.is_done(sending, place):
                words = clipped(held[0].strip(), _HOLD_WORDS)
                yield sending, LeftThing(sentence(f"Not {sending} yet: “{words}”"), (), is_of_work=True)


def _ordered(course: _Course) -> Iterator[tuple[Sending, LeftThing]]:
    """What the user ordered, and nobody did. What came of a last order that nobody answered is not seen here, nor of
    any where no such command ever ran."""
    last = max((at for at, _ in course.told), default=-1)
    for place, text in course.said if course.done else ():
        if place > last:
            break
        for sending in _orders_in(text):
            if not course.is_done(sending, place):
                what = _which(sending, course.told)
                yield sending, LeftThing(sentence(f"Not {sending} yet{what}"), (), is_of_work=True)


def _orders_in(text: str) -> Iterator[Sending]:
    for one in prose(text):
        task = as_task(one)
        if not task.endswith("?") and not cues.FORBIDS.match(task) and not _ONLY_IF.search(task):
            for found in _ORDERS.finditer(task):
                yield _VERBS[found["verb"].lower()] if found["verb"] else Sending(found["done"].lower())


def _which(sending: Sending, told: Sequence[tuple[int, str]]) -> str:
    """The version or the pull request that the agent's last words name."""
    last = told[-1][1] if told else ""
    if sending in {Sending.TAG, Sending.RELEASE} and (named := _VERSION.findall(last)):
        return f": {named[-1]}"
    if sending is Sending.MERGE and (numbers := _PULL.findall(last)):
        return f": PR #{next(filter(None, numbers[-1]))}"
    return ""


def _not_sent(course: _Course) -> Iterator[tuple[Sending, LeftThing]]:
    """What was committed and not pushed, or changed and not committed, as the agent said and nobody mended."""
    made = course.done.get(Sending.COMMIT, -1)
    for sending, since, said_since in (
        (Sending.PUSH, made, course.done.get(Sending.PUSH, -1)),
        (Sending.COMMIT, course.edited, max(made, course.edited)),
    ):
        is_open = since > course.done.get(sending, -1) and not course.is_done(sending, since)
        if is_open and any(at > said_since and _says_not(text, sending) for at, text in course.told):
            yield sending, LeftThing(sentence(f"Not {sending}"))


def _says_not(text: str, sending: Sending) -> bool:
    """Whether an agent says that something was not sent off yet, or offers to."""
    for found in _SAYS_NOT.finditer(text):
        said = next(filter(None, found.groups())).lower()
        if said.startswith(sending[:4]) or (sending is Sending.PUSH and found["ahead"]):
            return True
    return False


def _tells_done(text: str, sending: Sending) -> bool:
    """Whether somebody says that it is done; "once it is merged" and "not pushed" do not."""
    at = [found.start("deed") for found in _DONE.finditer(text) if found["deed"].lower() == sending]
    return any(_NOT_DONE.search(text, max(0, one - 40), one) is None for one in at)


# --- what the user refused last ---------------------------------------------------------------------------------------


def refused_last(transcript: Transcript) -> LeftThing | None:
    """The plan, the change or the command that the user refused, where the session ends with that."""
    lines = _kept(transcript)
    ended = next((place for place in reversed(range(len(lines))) if _goes_on(lines[place])), -1)
    if not any(isinstance(line, Event) and line.kind is Happening.REJECTED for line in lines[ended + 1 :]):
        return None
    call = lines[ended]
    if not isinstance(call, ToolCall):
        return None
    if plan := _plan_in(call):
        named, points = _told_plan(plan)
        short = sentence(f"Planned, not approved: {named}")
        text = sentence(f"{short.rstrip('.')} ({points})") if points else short
        return LeftThing(text, (), is_of_work=True, short=short)
    files = edited_files(call, transcript.header.cwd or "") if is_edit(call) else []
    return LeftThing(f"Refused: the change of `{files[0]}`.", (), is_of_work=True) if files else None


def _goes_on(line: Line) -> bool:
    return isinstance(line, ToolCall | Assistant | User)


def _plan_in(call: ToolCall) -> str:
    """The plan that a call puts before the user; a long one is cut, and no whole JSON any more."""
    found = _PLAN.search(call.text) if call.text.startswith("{") else None
    return re.sub(r"\\(.)", lambda one: {"n": "\n", "t": " "}.get(one[1], one[1]), found["plan"]) if found else ""


def _told_plan(plan: str) -> tuple[str, str]:
    """A plan's heading, and the first of its numbered points."""
    head = _HEADING.search(plan)
    points = [clipped(plain(one["text"]), _POINT_WORDS) for one in _POINT.finditer(visible(plan))][:_MOST_POINTS]
    named = plain(head["text"]) if head is not None else ""
    return named or "a plan", "; ".join(points)
