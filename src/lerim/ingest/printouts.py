# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What programs print, told from what people type: logs, tables of a shell, results of tests, complaints of compilers. Pure.

Nobody marks such text. A line is known by its form, or stands between lines that are; what a program says in plain words
("Some of the step tasks have been OOM Killed.") is known by what it says it under.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lerim.glance import Glance, seldom
from lerim.text.words import STOP

LOG = re.compile(
    r"""\s*(?:
      \[?\d{4}[-/]\d\d[-/]\d\d(?:[T\ ]|,\ )\d\d:\d\d           # 2026-03-04 10:00 or [2026-03-04, 10:00
    | \S*\s?-?\s?-?\s?\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d       # 10.0.0.7 - - [04/Mar/2026:10:00:00
    | \[?\d\d?[./]\d\d?[./]\d{4},?\ \d\d?:\d\d:\d\d            # 04.03.2026 10:00:00
    | \[?\d\d?:\d\d:\d\d(?:[.,]\d+)*(?:\ [AP]M)?\]?\s          # 10:00:00.123, [00:00:00.011,962]
    | \*{3}\ \S.*\*{3}\s*$                                     # *** Booting Zephyr OS ***
    | [IWEF]\d{4}\ \d\d:\d\d:\d\d\.\d                          # I0304 10:00:00.123, as clusters write it
    | (?:time|ts|level|severity)=\S+\s+\w+=                   # level=info msg="…"
    | \{"(?:level|time|timestamp|ts|severity|msg|message)":
    | (?:[A-Z][a-z]{2}\ {1,2}\d{1,2}\ \d\d:\d\d:\d\d)         # Mar  4 10:00:00
    | \[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\]?(?:\s*[:|\]]|\s{2,}|\s\[|\s-\s)
    | (?:npm\ (?:ERR!|error|warn|WARN)|error\[E\d+\]|error:\ |warning:\ |fatal:\ |panic:\ |E\ {3,})
    | at\ [\w.$<>\[\]/ ]+\(.*:\d+(?::\d+)?\)                  # a frame of JavaScript or Java
    | at\ (?:async\ )?(?:file://|/|[A-Z]:\\)\S+:\d+
    | File\ ".*",\ line\ \d+
    | (?:Traceback\ \(most\ recent\ call\ last\)|Caused\ by:|goroutine\ \d+\ \[)
    | (?:[A-Z]\w*)?(?:Error|Exception|Warning):\s            # TypeError: …, Error: …
    | (?:Assertion\ failed|Uncaught\ \w+)\b|[Uu]sage:\ \S|(?:\w+:\ )*\S+:\ (?:command\ )?not\ found\b
    | \S+(?:\(\d+,\d+\)|:\d+:\d+):?\s+(?:fatal\ )?(?:error|warning|note)\b   # src/a.ts(14,9): error TS2322: …
    | \d\d-\d\d\ \d\d:\d\d:\d\d[.,]\d                        # 10-06 18:22:01.114, as phones write it
    | [\w.-]+-\d+\ +\|\ +\S                                  # shop-db-1  | …, as containers do
    | >\ [\w@/.-]+@\d[\w.-]*\ \w                              # > shop@0.3.0 build
    | [\w.-]+@[\w.-]+[:\s][^\s$\#%]*\s?[$\#%]\s               # me@host:~$
    | (?:❯|➜|\$|PS\ [A-Z]:\\[^>]*>)\s+\S
    | (?:diff\ --git\ |index\ [0-9a-f]{7,}\.\.|@@\ -\d+|\+\+\+\ [ab]/|---\ [ab]/)
    | [✓✗✔✘●⎿│├└╭╰┌▶⎯]\s?
    | FAIL\ {1,2}\S+\.\w+\ >\                              # a test's name, as its runner prints it
    | (?:Enumerating|Counting|Compressing|Writing|Receiving)\ objects:|Resolving\ deltas:|Delta\ compression\ using
    | remote:\ |Total\ \d+\ \(delta\ \d+\)
    )""",
    re.VERBOSE,
)
# The same behind somebody's own words: "seeing this: shop-db-1 | 2026-01-09 19:23:47,502 ERROR …".
LOG_INLINE = seldom(
    r"(?<![\w.])(?:[a-z]\w{0,60}\.){2,12}[A-Z]\w{0,80}(?:Exception|Error):\s[^\n]*"
    r"|(?:(?<![\w.-])[\w.-]{1,80}-\d+ +\| +)?\[?\d{4}-\d\d-\d\d(?:[T ]|, )\d\d:\d\d:\d\d[^\s\[]* +(?:[^\s\[]+ +){0,2}?"
    r"\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b[^\n]*"
    r"|\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d[^\n]*|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d [^\n]*"
    r"|\b[IWEF]\d{4} \d\d:\d\d:\d\d\.\d[^\n]*|\b(?:time|ts|level)=\S+ +(?:level|msg|ts|caller)=[^\n]*"
)

# Lines of tests, compilers, databases, package managers and pipelines.
_PRINTED = re.compile(
    r"""\s*(?:
      (?:FAILED|PASSED|ERROR|SKIPPED|XFAIL|XPASS|PASS|FAIL)\s+\S*(?:::|/|\.\w)\S*(?:\s|$)   # FAILED tests/a.py::test_b - …
    | \S+::\S+\s+(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b
    | ok\s{2,}\S+\s+[\d(]|(?:not\ )?ok\ \d+\ -[ ]
    | [=\s]*\d+\ (?:passed|failed|skipped|errors?|passing|failing|pending|warnings?)(?:,\ \d+\ \w+)*(?:\ in\ \d.*|\ \(.*|\s*=*)$
    | commit\ [0-9a-f]{40}\b|Author:\s+\S.*<\S+@\S+>$|[.FEsxX]{5,}\s*\[\s*\d+%\]
    | (?:Tests|Test\ Suites|Snapshots):?\s+\d+\ (?:passed|failed|skipped|total)|(?:Test\ Files|Duration|Start\ at)\s+\d|Time:\s+\d+(?:\.\d+)?\ ?s
    | ---\ (?:FAIL|PASS|SKIP):\ |===\ (?:RUN|CONT|PAUSE)\ |test\ \S+\ \.\.\.\ |test\ result:\ |running\ \d+\ tests?$|Ran\ \d+\ tests?\ in\ \d
    | [=_]{3,}\ (?:FAILURES|ERRORS|PASSES|.*\b(?:summary|test\ session)\b.*|\w*test\w*[\w.\[\]-]*|\d+\ \w+.*\ in\ .*)\ [=_]{3,}$
    | E\s{2,}\S
    | (?:Expected|Received):\s+\S+$
    | !\ (?:Undefined|Missing|LaTeX|Package|Emergency|I\ can|Extra|Too\ many|Misplaced|Illegal|Paragraph)\b | l\.\d+\s | (?:Over|Under)full\ \\[hv]box\b
    | (?:LaTeX|Package\ \w+|Class\ \w+)(?:\ Font)?\ (?:Warning|Error|Info):
    | [\w./\\@-]+\.\w{1,5}:\d+(?::\d+:\s|:\s(?:\w*(?:Error|Exception|Failed|Warning)\b|in\ \S+$|error|warning|undefined|multiple|$))   # tests/test_a.py:12: AssertionError
    | [\w./\\@-]+\.\w{1,5}:\ (?:In\ (?:member\ |static\ |lambda\ )?(?:function|constructor|instantiation)|(?:fatal\ )?error|warning)\b
    | In\ file\ included\ from\s|(?:required|instantiated)\ from\ (?:here|['‘`])|undefined\ reference\ to\ ['‘`]
    | \d+\ *\|(?:\s.*)?$|\|(?:\s*[\^~-]+.*)?$|-->\ \S+:\d+|=\ (?:note|help):|\.{3}\s*\|
    | (?:make|gmake|ninja)(?:\[\d+\])?:\ (?:\*\*\*|Entering|Leaving|Nothing|Target)|(?:cc1\w*|collect2|slurmstepd|srun|sbatch):\ (?:all|error|warning|fatal|Job|Submitted)
    | [\w./-]+(?:\[\d+\])?:\ (?:error|fatal|warning|cannot|could\ not|failed\ to|permission\ denied|no\ such\ file|command\ not\ found)\b
    | \(\d+\ rows?(?:\ affected)?\)$|\d+\ rows?\ (?:in\ set|affected)|Query\ OK,|(?:INSERT|UPDATE|DELETE|SELECT)\ \d+(?:\ \d+)?$
    | (?:->\s+)?(?:\w+\ ){1,5}.{0,80}\((?:cost|actual\ time)=\d|(?:Planning|Execution)\ [Tt]ime:\ \d|Rows\ Removed\ by\ |Buffers:\ shared
    | Process\ completed\ with\ exit\ code\ |\#\#\[(?:error|group|endgroup|warning|section|command)\]|\d+:\d+\s+(?:error|warning)\s{2,}
    | (?:Get|Hit|Ign|Err):\d+\ |Requirement\ already\ satisfied:|Successfully\ (?:installed|built|tagged)\ |Using\ cached\ |Collecting\ [\w.-]+[=<>~]
    | Step\ \d+/\d+\ :|\#\d+\ (?:\[|DONE|CACHED|ERROR|\d+\.\d)|--->\ [0-9a-f]{8,}|=>\ (?:\[|ERROR|CACHED|=>)
    | \S+\.\w{1,5}\s+\d[\d.,]*\ [kKMG]?i?B(?:\s+[│|].*)?$                    # dist/assets/index.js  227.57 kB │ gzip: …
    | On\ branch\ \S+$|Your\ branch\ is\ (?:up|ahead|behind)|Changes\ (?:not\ staged|to\ be\ committed)|Untracked\ files:$|nothing\ (?:added\ )?to\ commit|no\ changes\ added
    | \((?:use|commit)\ "git\ |Plan:\ \d+\ to\ |[-/+~]+\ resource\ "|\#\ \S+\ (?:must|will)\ be\ (?:replaced|created|destroyed|updated)|No\ changes\.\ Your\ infrastructure
    | (?:added|removed|changed|audited)\ \d+\ packages?\b|\d+\ packages\ are\ looking|found\ \d+\ vulnerabilities|up\ to\ date,\ audited
    | (?!(?i:i|i['’]m|we|my|still|now|and|but|there|it|getting|got)\b).{0,2000}\bUnderstand\ this\ (?:error|warning)$|[\w$.<>()\[\]-]+\ @\ \S+:\d+(?:\s|$)|\S+\.(?:m?js|tsx?|jsx):\d+\s+(?:\[|Uncaught|Failed|Error|Warning|GET|POST)
    | \#\d+\s+(?:0x[0-9a-f]+\s+in\s|\S+\ \(.*\)\ at\ )|VITE\ v\d|Epoch\ \d+/\d+|Terraform\ will\ perform
    | At\ line:\d+\ char:\d+|\+\ (?:CategoryInfo|FullyQualifiedErrorId|~+)|Last\ login:\ .*\ on\ tty|failed\ to\ solve:|Import\ trace\b[^.]*:$
    | Failed\ to\ load\ resource:|net::ERR_|rpc\ error:\ code\ =|exit\ status\ \d+$
    | (?:Segmentation\ fault|Killed|Aborted|Bus\ error|Terminated)(?:\ \(core\ dumped\))?$
    | \[\ *\d+%\]\ |\d+%\|[█▏▎▍▌▋▊▉\ ]*\||\d+/\d+\ \[=+
    )""",
    re.VERBOSE,
)
# What the overlay of a browser copies: its headings, and all between them.
_OVERLAY = re.compile(
    r"(?:^|(?<=\s))#{1,3} Error Type\n.+?(?:^(?:Next\.js|React|Vite) version: [^\n]*|\Z)", re.MULTILINE | re.DOTALL
)
#: A rule of a table, with its columns: "------------ ----------", "----+------".
_COLUMNS_RULED = re.compile(r"\s*[-=]{2,}(?:[ +|]+[-=]{2,})+\s*$|\s*\+(?:[-=]+\+)+\s*$")


def _at_lines(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """What is found in a text where the pattern matches a line of it."""
    # What is verbose may end in a remark.
    end = "\n)" if pattern.flags & re.VERBOSE else ")"
    return re.compile(f"^(?:{pattern.pattern}{end}", pattern.flags | re.MULTILINE)


_ANY_LOG = Glance(_at_lines(LOG))
_ANY_PRINTED = Glance(*map(_at_lines, (LOG, _PRINTED, _COLUMNS_RULED)))
#: The line under the head of a table as people write them, which is told from what stands below by its rows.
_TABLE_RULE = re.compile(r"\s*\|[-: |]+\|\s*$")
#: What proves nothing by itself, and belongs to what is printed beside it: a rule, a path, what is indented.
_BESIDE = re.compile(
    r"\s*[-=_~^*.]{4,}\s*$|\s*(?:[A-Za-z]:\\|\.{0,2}/)?[\w.@+-]+(?:[/\\][\w.@+-]+)+\s*$|(?:\t| {2,})[^\s*•\-–+]"
    r"|(?:help|note|hint): "
)
_CELLS = re.compile(r"\s{2,}|\t| \| ")
_LEAST_CELLS, _LEAST_TOKENS, _MOST_CELL = 3, 4, 40
_BULLET = re.compile(r"\s*(?:[-*•–+]|\(?\w{1,2}[.)]) ")
_ENDS_CLAUSE = (".", "?", "!", ",", ";")
#: "JobID JobName State ExitCode", "CONTAINER ID IMAGE".
_HEADING_TOKEN = re.compile(r"(?:[A-Z][\w%/().:-]*|%\w+|\(\w+\))$")
#: "0:125", "3d", "OUT_OF_ME+", "/dev/sda1", "shop-web:latest".
_VALUE_TOKEN = re.compile(r"\S*\d\S*$|[A-Z][A-Z_+-]+$|\S*[/=@]\S*$|-$")
#: How people write to each other, and how they rule.
_ADDRESSES = re.compile(
    r"(?i)\b(?:i|we|you|us|our|me|my|let'?s|lets|please|pls|u|must|never|always|should|don['’]?t|only|keep|use|from now)\b|\?"
)
#: What code has and people's sentences have not.
_CODE = re.compile(
    r"[=(){}\[\];<>]|^\s*(?:[#@*\d]|//|(?:import|from|def|class|return|raise|with|try|else|except|assert)\b)"
)
#: Fewer pieces than these, or smaller than this share of a message, may stand in what somebody wrote.
_LEAST_PIECES, _LEAST_SHARE = 3, 0.25
_MOST_GAP = 4_000
_PLAIN_BELOW = 3
_MOST_BETWEEN = 4


def printed(text: str) -> Iterator[tuple[int, int]]:
    """The slices that a program printed, paragraph by paragraph."""
    if " Error Type\n" in text:
        yield from (found.span() for found in _OVERLAY.finditer(text))
    start = 0
    for paragraph in text.split("\n\n"):
        lines = paragraph.split("\n")
        starts = [start]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        yield from ((starts[first], starts[last] - 1) for first, last in _stretches(lines))
        start += len(paragraph) + 2


def among(text: str, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What stands between the pieces of a program's text and nobody would say to anybody: code that it shows, values."""
    if len(pieces) < _LEAST_PIECES or sum(end - start for start, end in pieces) < _LEAST_SHARE * len(text):
        return
    for (_, end), (start, _) in pairwise(pieces):
        if start - end <= _MOST_GAP and not any(map(_is_speech, text[end:start].splitlines())):
            yield end, start


def _stretches(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where lines of a program begin and end among those of a paragraph."""
    text = "\n".join(lines)
    known = [False] * len(lines) if _ANY_PRINTED.misses(text) else [is_printed(line) for line in lines]
    for first, last in _tables(lines):
        known[first:last] = [True] * (last - first)
    places = [place for place, one in enumerate(known) if one]
    if not places:
        return
    begin = end = places[0]
    for place in places[1:]:
        if any(map(_is_typed, lines[end + 1 : place])) or place - end > _MOST_BETWEEN:
            yield _widened(lines, begin, end)
            begin = place
        end = place
    yield _widened(lines, begin, end)


def is_printed(line: str) -> bool:
    """Whether a line has the form of what programs print."""
    if _TABLE_RULE.match(line):
        return False
    return LOG.match(line) is not None or _PRINTED.match(line) is not None or _COLUMNS_RULED.match(line) is not None


def _widened(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """With what belongs to it above and below: rules, paths, what is indented; and what is said below in plain words."""
    if first and _COLUMNS_RULED.match(lines[first]):
        first -= 1
    while first and _BESIDE.match(lines[first - 1]):
        first -= 1
    count, end = last - first + 1, last + 1
    while end < len(lines) and (_BESIDE.match(lines[end]) or (count >= _PLAIN_BELOW and _is_plain(lines[end]))):
        end += 1
    return first, end


def _is_typed(line: str) -> bool:
    """Whether somebody typed a line between what programs printed."""
    return line[:1].islower() and _ADDRESSES.search(line) is not None


def _is_speech(line: str) -> bool:
    """Whether a line may be somebody's: no code, and said to somebody or begun as people begin in a hurry."""
    said = line.strip()
    return _CODE.search(said) is None and (said[:1].islower() or _ADDRESSES.search(said) is not None)


def _is_plain(line: str) -> bool:
    """Whether a sentence below what a program printed may be the program's: set as a sentence, and said to nobody."""
    return line[:1].isupper() and _ADDRESSES.search(line) is None


def has_logs(text: str) -> bool:
    """Whether any line of a text may be a log's; no other text has one."""
    return not _ANY_LOG.misses(text)


def _tables(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Lines that are set in columns, one below the other; with its heading, even if only one blank parts the columns."""
    if len(lines) < 2:
        return
    begin = 0
    rows = [_is_row(line) for line in lines]
    for place, (line, below) in enumerate(pairwise(lines)):
        if not (rows[place] and rows[place + 1]) and not _are_squeezed(line, below):
            if place > begin:
                yield begin, place + 1
            begin = place + 1
    if len(lines) - 1 > begin:
        yield begin, len(lines)


def _is_row(line: str) -> bool:
    cells = [cell for cell in _CELLS.split(line.strip()) if cell]
    is_short = all(len(cell) <= _MOST_CELL and not _ends_clause(cell) for cell in cells[:-1])
    return len(cells) >= _LEAST_CELLS and is_short and not line.lstrip().startswith("|") and not _BULLET.match(line)


def _are_squeezed(line: str, below: str) -> bool:
    """Whether two lines are rows whose columns were squeezed: as many words in both, and the lower one of values."""
    heads, values = line.split(), below.split()
    if _BULLET.match(line) or _BULLET.match(below):
        return False
    if len(values) < _LEAST_TOKENS or abs(len(heads) - len(values)) > 1 or STOP & {*line.lower().split(), *values}:
        return False
    is_headed = all(map(_HEADING_TOKEN.match, heads)) or _has_values(heads)
    return is_headed and _has_values(values)


def _has_values(tokens: Sequence[str]) -> bool:
    is_clause = any(map(_ends_clause, tokens))
    return not is_clause and 2 * sum(_VALUE_TOKEN.match(token) is not None for token in tokens) >= len(tokens)


def _ends_clause(token: str) -> bool:
    """Whether a sentence or a part of it ends here; "?" alone is a value that nobody knows."""
    return len(token) > 1 and token.endswith(_ENDS_CLAUSE)
