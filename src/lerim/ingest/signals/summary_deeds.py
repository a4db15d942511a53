"""What was done with tools, as facts: files changed, commits made, checks run and how they ended, tasks left open.

Everything here comes from what the agent put into its tools. Of a tool's answer only whether it succeeded and the
number of a pull request are used: its words are not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lerim.ingest.signals.summary_checks import Check, checks_in, overtakes, saw_green
from lerim.ingest.signals.summary_lines import lines_of
from lerim.ingest.signals.summary_pulls import PullRequests, opens_or_merges
from lerim.ingest.signals.summary_tree import WorkTree
from lerim.ingest.signals.summary_words import one_line, visible
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Assistant, Event, Happening, ToolCall, ToolResult, User

_EDITS = re.compile(
    r"(?:^|_|\b)(?:multi_?)?(?:edit|write|patch|create|replace|insert|str_replace|apply_diff)", re.IGNORECASE
)
_NO_EDITS = re.compile(r"todo|stdin|plan|task|issue|pull|memory|branch|comment", re.IGNORECASE)
_READS = re.compile(r"^(?:read|view|glob|grep|ls|list|search|fetch|web|cat|open)", re.IGNORECASE)
_PATH = re.compile(
    r'"(?:file_?path|path|target_file|notebook_path|absolute_path|filename)"\s*:\s*"((?:[^"\\]|\\.){1,400})"',
    re.IGNORECASE,
)
#: As it stands in a patch, or within JSON: there a path of Windows has two strokes, and a line ends in one and an n.
_PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: ((?:[^\n\\]|\\\\|\\(?=[^n\\])){1,300})")
_DELETED = re.compile(r"\*\*\* Delete File: ((?:[^\n\\]|\\\\|\\(?=[^n\\])){1,300})")
#: A tool that writes a whole file, where another one changes a part of it.
_WRITES = re.compile(r"(?:^|_)(?:write|create)", re.IGNORECASE)
#: Files that a command names say what the changed ones are of.
_NAMED = re.compile(r"(?<![\w.-])[\w./-]{1,100}\.(?:pro|ui|qrc|qm|m3u8|mp4|mkv|tsx|jsx?|cpp|hpp|json)\b")
_MARKUP = re.compile(r"<(?:\?xml|!DOCTYPE TS|TS\s|TS>|translation\b|source>|context>)")
#: What git says of a commit that it made, and of one that it did not make.
_COMMITTED = re.compile(r"^\[(?P<branch>[^\]\n]{1,120}) [0-9a-f]{1,40}\] ", re.MULTILINE)
_NOT_COMMITTED = re.compile(
    r"^(?:error: |fatal: |Aborting commit|- hook id: |husky - .{0,60}(?:failed|exited)|.{0,60}\bhook\b.{0,30}\bfailed)",
    re.MULTILINE | re.IGNORECASE,
)
#: It says so of its state, too.
_NOTHING_TO_COMMIT = re.compile(r"^(?:nothing (?:added )?to commit|no changes added to commit)", re.MULTILINE)
_COMMIT = re.compile(r"\bgit\b[^\n|;&]{0,80}?\bcommit\b")
_MESSAGE = re.compile(
    r"(?:-[a-zA-Z]*m|--message)[ =]+"
    r"(?:\"\$\(cat <<-?\s*['\"\\]?\w+['\"]?\s*\n(?P<here>[^\n]+)"
    r"|\"(?P<double>(?:[^\"\\\n]|\\.)+)|'(?P<single>[^'\n]+))"
    r"|(?:-[a-zA-Z]*F|--file)[ =]*(?:-|/dev/stdin)\s*<<-?\s*['\"\\]?\w+['\"]?[^\n]*\n(?P<read>[^\n]+)"
)
#: How a command of git begins, whatever it is told of its folder and settings.
GIT = r"\bgit(?:\s+(?:-[cC]\s+\S+|--?[\w=./-]+))*\s+"
_PUSH = re.compile(rf"{GIT}push\b")
#: What hands work to a machine that does it later, and what looks after it.
_STARTS = re.compile(
    r"(?:^|[;&|(\n]\s*)(?P<job>(?:sbatch|qsub|bsub|condor_submit|oarsub|flux batch|aws batch submit-job"
    r"|gcloud (?:batch|dataflow) jobs? (?:submit|run)|argo submit|gh workflow run|databricks jobs run-now"
    r"|kubectl create job|az ml job create|nomad job run|airflow dags trigger)\b(?: [^\s;&|]+){0,3})"
)
_LOOKS_AFTER = re.compile(
    r"\b(?:squeue|sacct|seff|qstat|bjobs|bpeek|condor_q|oarstat|flux jobs|aws batch describe-jobs|gh run (?:view"
    r"|watch|list)"
    r"|kubectl (?:wait|logs|get (?:jobs?|pods?))|argo (?:get|wait|logs|watch)|databricks (?:jobs )?runs? get"
    r"|nomad job status|az ml job (?:show|stream)|airflow dags (?:state|list-runs)|gcloud \w+ jobs describe)\b"
)
#: What only says what would be done, and what does it.
_PLANS = re.compile(r"\b(?P<tool>terraform|tofu|terragrunt|pulumi|cdk)\b[^\n;&|]{0,60}?\b(?:plan|preview|diff)\b")
_APPLIES = re.compile(r"\b(?:terraform|tofu|terragrunt|pulumi|cdk)\b[^\n;&|]{0,60}?\b(?:apply|up|deploy|destroy)\b")
#: What tells no more of a commit than that there is one, not even its mark, and what says its subject again.
_ONLY_COMMITS = re.compile(
    r"(?:[^\w`]*(?:`[\w./-]*/[\w./-]*`|(?:done|fixed|reverted|committed|commits?|pushed|push|squashed|amended|merged|rebased|staged"
    r"|changes?|both|all|each|everything|the|this|it|its|them|a|an|is|are|was|were|now|and|as|to|on|in|into|at|via|with"
    r"|from|of|well|clean|cleanly|created|made|successfully|locally|remote|upstream|origin|set|tree|working|branch|main"
    r"|master|up|date|pr|one|two|three|four|five|fixup|autosquash|new|tip|already|synced|first"
    r"|opened|against|draft|pull|request|files?|changed|net|lines?|insertions?|deletions?|removed|hook)\b))+[^\w`]*",
    re.IGNORECASE,
)
_OF_COMMITS = re.compile(r"\b(?:commit(?:s|ted)?|push(?:ed)?|merged|squashed|amended|rebased|pr)\b", re.IGNORECASE)
_NAMES_COMMIT = re.compile(r"\W*(?:committed|commit|`?[0-9a-f]{7,40}`?)\b", re.IGNORECASE)
_SUBJECT_CHARS = 40
_TYPE = re.compile(r"^[a-z][\w/-]{0,20}(?:\([^)]*\))?!?:\s+", re.IGNORECASE)
#: Notes of agents and scratch files are no part of the work.
_SCRATCH = re.compile(
    r"^(?:/private)?/tmp/|^/var/folders/|/\.claude/(?:plans|projects)/|scratchpad|/Temp/", re.IGNORECASE
)

_PLAN = re.compile(r"^exit_?plan|plan_?(?:exit|ready|review|presented?)", re.IGNORECASE)
_PLAN_HEAD = re.compile(r"\"plan\"\s*:\s*\"(?:\\\\n|[#*\s])*(?P<head>(?:[^\"\\\\]|\\\\[^n]){3,300})")
_PLAN_LABEL = re.compile(r"^(?:implementation )?plan:\s+", re.IGNORECASE)
_TODO = re.compile(r"todo|plan", re.IGNORECASE)
DOCUMENT = re.compile(r"\.(?:mdx?|rst|txt|adoc)$", re.IGNORECASE)


@dataclass
class Deeds:
    """What the agent's tools did in a session."""

    files: Counter[str] = field(default_factory=Counter)
    #: Those that were put back, deleted again, or thrown away with their branch.
    gone: set[str] = field(default_factory=set)
    #: Those that were read, and those into which markup was written, whatever their ending says.
    seen: set[str] = field(default_factory=set)
    markup: set[str] = field(default_factory=set)
    commits: list[str] = field(default_factory=list)
    #: Commits whose subjects are not told: the agent had the words from a tool.
    unnamed_commits: int = 0
    pulls: PullRequests = field(default_factory=PullRequests)
    checks: dict[str, Check] = field(default_factory=dict)
    #: The check that ran last of all, where it failed.
    failed_last: str = ""
    open_tasks: list[str] = field(default_factory=list)
    #: What was handed to a machine and nobody looked after, and what was planned and not applied; as it was typed.
    started: list[str] = field(default_factory=list)
    planned: str = ""
    is_pushed: bool = False
    calls: int = 0

    @property
    def is_undone(self) -> bool:
        """Whether nothing is left of what was changed."""
        return bool(self.gone) and not self.files and not self.commits

    @property
    def has_only_documents(self) -> bool:
        """Whether nothing was changed that could be run."""
        return all(map(DOCUMENT.search, self.files))

    @property
    def texts(self) -> list[str]:
        """The words in which the agent told its tools what it did."""
        return [*self.commits, *self.pulls.titles, *self.open_tasks]

    def tells_all_of(self, said: str) -> bool:
        """Whether a sentence only says that something was committed, pushed or merged, and these deeds tell it."""
        if not (self.commits or self.unnamed_commits or self.is_pushed):
            return False
        if _OF_COMMITS.search(said) is not None and _ONLY_COMMITS.fullmatch(said) is not None:
            return True
        return _NAMES_COMMIT.match(said) is not None and any(one[:_SUBJECT_CHARS] in said for one in self.commits)

    def without(self, texts: Collection[str]) -> Deeds:
        """The same deeds, with nothing said in these words."""
        commits, titles, tasks = (
            [text for text in wordings if text not in texts]
            for wordings in (self.commits, self.pulls.titles, self.open_tasks)
        )
        unnamed = len(self.commits) - len(commits)
        pulls = replace(self.pulls, titles=titles)
        return replace(self, commits=commits, unnamed_commits=unnamed, pulls=pulls, open_tasks=tasks)


def deeds_of(transcript: Transcript) -> Deeds:
    """The deeds of a session, in order. A call that failed or was refused did nothing."""
    results = {n.line.call: n.line for n in transcript.lines if isinstance(n.line, ToolResult)}
    deeds, tree = Deeds(), WorkTree()
    undone = refused_calls(transcript) | _cut_off(transcript)
    cwd = (transcript.header.cwd or "").replace("\\", "/")
    for numbered in transcript.lines:
        if isinstance(call := numbered.line, ToolCall) and not call.undone:
            deeds.calls += 1
            if call.call not in undone:
                _take(call, results.get(call.call), deeds, tree, cwd)
    deeds.files, deeds.gone = tree.files, tree.gone
    deeds.commits = [one.subject for one in tree.commits]
    return deeds


def refused_calls(transcript: Transcript) -> frozenset[str]:
    """The calls that the user refused: their result says so, and that is no failure of theirs."""
    return frozenset(
        one.line.call
        for one, after in pairwise(transcript.lines)
        if isinstance(one.line, ToolResult) and isinstance(after.line, Event) and after.line.kind is Happening.REJECTED
    )


def _cut_off(transcript: Transcript) -> frozenset[str]:
    """The commands at whose answer a session ends: nobody saw what they did. An edit is what the agent wrote."""
    found: set[str] = set()
    for numbered in reversed(transcript.lines):
        line = numbered.line
        if isinstance(line, ToolResult | Assistant | User):
            break
        if isinstance(line, ToolCall) and not is_edit(line):
            found.add(line.call)
    has_answers = any(isinstance(one.line, ToolResult) for one in transcript.lines)
    return frozenset(found) if has_answers else frozenset()


def _take(call: ToolCall, result: ToolResult | None, deeds: Deeds, tree: WorkTree, cwd: str) -> None:
    failed = result is not None and result.has_failed
    if _TODO.search(call.tool) and call.text.startswith("{"):
        _take_tasks(call.text, deeds)
    elif is_edit(call):
        if not failed:
            _take_edit(call, tree, cwd)
            deeds.markup.update(edited_files(call, cwd) if _MARKUP.search(call.text) else ())
    elif _READS.match(call.tool):
        seen = [_shown_path(path, cwd) for path in _paths(call.text)]
        tree.read(seen)
        deeds.seen.update(seen)
    elif not call.text.startswith("{"):
        _take_command(call, result, deeds, tree, cwd, failed=failed)
    elif not failed:
        deeds.pulls.ran(call, result)


def edited_files(call: ToolCall, cwd: str) -> list[str]:
    """The files that a call changes, as they are shown; none of an agent's own notes."""
    paths = [path.replace("\\", "/") for path in _paths(call.text)]
    return [_shown_path(path, cwd) for path in paths if path.startswith(cwd or "/") or not _SCRATCH.search(path)]


def written_in(call: ToolCall, cwd: str) -> list[str]:
    """The files that a call changes; one without a name for its own notes, and where it does not say which."""
    return edited_files(call, cwd) or [""]


def plan_of(call: ToolCall) -> str:
    """What a plan that is put before the user calls itself. Its middle may be cut out, and then it is no JSON."""
    found = _PLAN_HEAD.search(call.text) if _PLAN.search(call.tool) else None
    return _PLAN_LABEL.sub("", one_line(found["head"].replace('\\"', '"'))) if found is not None else ""


def _take_edit(call: ToolCall, tree: WorkTree, cwd: str) -> None:
    deleted = [_shown_path(path, cwd) for path in _DELETED.findall(call.text)]
    shown = edited_files(call, cwd)
    tree.changed([path for path in shown if path not in deleted], is_new=_WRITES.search(call.tool) is not None)
    tree.deleted(deleted)
    if len(shown) == 1:
        # What nobody can follow stays changed.
        tree.rewritten(shown[0], lines_of(call.text) or Counter({"": 1}))


def _take_command(
    call: ToolCall, result: ToolResult | None, deeds: Deeds, tree: WorkTree, cwd: str, *, failed: bool
) -> None:
    command = call.text
    for name in checks_in(command):
        check = deeds.checks.setdefault(name, Check(name))
        check.take(command, result)
        deeds.failed_last = name if check.is_ok is False else ""
        if check.is_ok:
            _take_over([one for one in deeds.checks.values() if overtakes(name, one.name, command)])
    if result is not None and saw_green(command, result):
        _take_over(deeds.checks.values())
    # Where a later part of a command failed, its commit was made.
    if (found := _COMMIT.search(command)) and _is_made(command, result, failed=failed):
        made = _COMMITTED.search(result.text) if result is not None else None
        on = made["branch"] if made is not None else ""
        tree.committed(_subject(command, found.end()), is_amended="--amend" in command, on=on)
    if failed:
        return
    deeds.seen.update(_NAMED.findall(command))
    tree.ran(command.replace(f"{cwd}/", "") if cwd else command, result.text if result is not None else "")
    deeds.is_pushed = deeds.is_pushed or _PUSH.search(command) is not None
    if deeds.pulls.ran(call, result):
        deeds.pulls.hold(tree.last_together())
    _take_running(command, deeds)


def _take_over(checks: Iterable[Check]) -> None:
    """A check that had failed is of no interest once another one says that things are in order."""
    for check in checks:
        check.is_ok = check.is_ok or None


def _take_running(command: str, deeds: Deeds) -> None:
    """What a command starts that ends some other time, and what it only plans."""
    if _LOOKS_AFTER.search(command):
        deeds.started = []
    deeds.started += [visible(found["job"]).strip() for found in _STARTS.finditer(command)]
    if _APPLIES.search(command):
        deeds.planned = ""
    elif found := _PLANS.search(command):
        deeds.planned = visible(found[0]).strip()


def _is_made(command: str, result: ToolResult | None, *, failed: bool) -> bool:
    """Whether a commit was made, as far as git says: a pipe hides that it was not."""
    said = result.text if result is not None else ""
    is_empty = "status" not in command and _NOTHING_TO_COMMIT.search(said) is not None
    return _COMMITTED.search(said) is not None or not (failed or is_empty or _NOT_COMMITTED.search(said))


def _take_tasks(text: str, deeds: Deeds) -> None:
    """The newest list of tasks replaces the one before."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return
    items = payload.get("todos") or payload.get("plan") if isinstance(payload, dict) else None
    if not isinstance(items, list):
        return
    tasks = [
        (one_line(str(i.get("content") or i.get("step") or "")), i.get("status")) for i in items if isinstance(i, dict)
    ]
    deeds.open_tasks = [task for task, status in tasks if task and status not in {"completed", "cancelled"}]


def is_edit(call: ToolCall) -> bool:
    """Whether a call changes files."""
    is_editor = _EDITS.search(call.tool) is not None and _NO_EDITS.search(call.tool) is None
    return "*** Begin Patch" in call.text[:400] or is_editor


def is_commit(command: str) -> bool:
    """Whether a command commits, pushes, or opens or merges a pull request."""
    return opens_or_merges(command) or any(pattern.search(command) for pattern in (_COMMIT, _PUSH))


def _paths(text: str) -> list[str]:
    if patched := _PATCHED.findall(text):
        return [path.strip().replace("\\\\", "\\") for path in patched]
    if found := _PATH.search(text):
        return [found.group(1).replace("\\\\", "\\")]
    return [text.strip()] if "\n" not in text and len(text) < 300 and not text.startswith("{") else []


def _shown_path(path: str, cwd: str) -> str:
    """Relative to the project; a path elsewhere by its last two parts."""
    path = visible(path)
    root = cwd.replace("\\", "/").rstrip("/") + "/"
    if root != "/" and path.startswith(root):
        return path[len(root) :]
    return "/".join(path.split("/")[-2:]) if path.startswith(("/", "~")) or ":" in path[:3] else path


def _subject(command: str, start: int) -> str:
    found = _MESSAGE.search(command, start)
    return one_line(next(filter(None, found.groups()), "").split("\\n", 1)[0]) if found else ""


_CHORE = re.compile(r"^(?:docs?|chore|style|ci|build|wip)\b[^:]{0,30}:", re.IGNORECASE)


def is_chore(subject: str) -> bool:
    """Whether a commit says of itself that it changes nothing that matters."""
    return _CHORE.match(subject) is not None


def without_type(subject: str) -> str:
    """A commit's subject without `fix(area):` in front."""
    # "report: cost: …" has two.
    text = _TYPE.sub("", _TYPE.sub("", subject))
    return text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() else text
