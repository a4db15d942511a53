"""Memories as Markdown: the seed's exact files, any record there and back, and a person's bytes left alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lerim.context.face.markdown import KEYS, MAX_HEADER_BYTES, frontmatter, parse, read_record, render
from lerim.context.records import Evidence, Kind, Primitive, Record, RecordId, Status, Trust, conflict_line, valid
from lerim.errors import InvalidRecord, MarkdownError

from ...conftest import examples

T0 = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)

DECISION = Record(
    id=RecordId("dec-abc123"),
    primitive=Primitive.DECISION,
    title="Use JWT bearer tokens for API auth",
    body="Bearer tokens with short expiry (15min) and refresh tokens...",
    created=T0,
    updated=T0,
    source="sync",
    confidence=0.85,
    tags=("auth", "api", "security"),
    valid_from=T0,
)
DECISION_FILE = """\
---
id: dec-abc123
title: Use JWT bearer tokens for API auth
created: "2026-02-20T10:30:00Z"
updated: "2026-02-20T10:30:00Z"
source: sync
confidence: 0.85
tags:
- auth
- api
- security
---

Bearer tokens with short expiry (15min) and refresh tokens...
"""

LEARNING = Record(
    id=RecordId("lrn-def456"),
    primitive=Primitive.LEARNING,
    title="pytest fixtures must be in conftest.py",
    body="Fixtures defined in test files are not discovered by other test files...",
    created=datetime(2026, 2, 21, 14, tzinfo=UTC),
    updated=datetime(2026, 2, 21, 14, tzinfo=UTC),
    source="sync",
    confidence=0.7,
    tags=("testing", "pytest"),
    kind=Kind.INSIGHT,
    valid_from=datetime(2026, 2, 21, 14, tzinfo=UTC),
)
LEARNING_FILE = """\
---
id: lrn-def456
title: pytest fixtures must be in conftest.py
created: "2026-02-21T14:00:00Z"
updated: "2026-02-21T14:00:00Z"
source: sync
confidence: 0.7
tags:
- testing
- pytest
kind: insight
---

Fixtures defined in test files are not discovered by other test files...
"""

SUMMARY = Record(
    id=RecordId("sum-ghi789"),
    primitive=Primitive.SUMMARY,
    title="Refactored auth module",
    body="## Session Summary\n\nRefactored the authentication module...",
    created=datetime(2026, 2, 22, 15, 45, tzinfo=UTC),
    updated=datetime(2026, 2, 22, 15, 45, tzinfo=UTC),
    source="sync",
    trust=Trust.AGENT,
    tags=("auth", "refactoring"),
    description="Added rate limiting and improved token validation",
    date="2026-02-22",
    time="15:30:00",
    coding_agent="claude",
    raw_trace_path="meta/traces/sessions/claude/abc123.jsonl",
    run_id="abc123",
    repo_name="my-project",
    valid_from=datetime(2026, 2, 22, 15, 30, tzinfo=UTC),
)
SUMMARY_FILE = """\
---
id: sum-ghi789
title: Refactored auth module
description: Added rate limiting and improved token validation
date: "2026-02-22"
time: "15:30:00"
coding_agent: claude
raw_trace_path: meta/traces/sessions/claude/abc123.jsonl
run_id: abc123
repo_name: my-project
created: "2026-02-22T15:45:00Z"
source: sync
tags:
- auth
- refactoring
---

## Session Summary

Refactored the authentication module...
"""

GOLDEN = [(DECISION, DECISION_FILE), (LEARNING, LEARNING_FILE), (SUMMARY, SUMMARY_FILE)]


def read(data: bytes | str, known: Record | None = None, fallback: Record = DECISION) -> Record:
    return read_record(parse(data.encode() if isinstance(data, str) else data), known, fallback)


def problem_of(data: bytes | str, fallback: Record = DECISION) -> MarkdownError:
    with pytest.raises(MarkdownError) as caught:
        read(data, None, fallback)
    return caught.value


def header(*lines: str, newline: str = "\n") -> str:
    return newline.join(["---", "id: dec-abc123", "title: T", *lines, "---", "", "Body", ""])


def full(*lines: str) -> bytes:
    """A header with every field a decision's file has, and `lines` after them."""
    times = ["created: 2026-02-20", "updated: 2026-02-20"]
    return header(*times, "source: sync", "confidence: 0.85", "tags: []", *lines).encode()


# --- the files of the memory model ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("record", "text"), GOLDEN, ids=["decision", "learning", "summary"])
def test_each_primitive_has_the_memory_models_file(record, text):
    """Fields, their order, quoted times and block tags are what the memory model says, byte for byte."""
    assert text == render(record).decode()


@pytest.mark.parametrize(("record", "text"), GOLDEN, ids=["decision", "learning", "summary"])
def test_the_memory_models_file_reads_back_as_its_record(record, text):
    """What was written is what is read, without any help from the store."""
    blank = replace(record, title="?", body="?", tags=(), confidence=0.5, source="?", updated=record.created)

    assert replace(record, confidence=0.5 if record is SUMMARY else record.confidence) == read(text, None, blank)


def test_optional_fields_appear_only_when_they_say_something():
    """A replaced decision with evidence says so after the common fields; quotes stay out of the file."""
    record = replace(
        DECISION,
        status=Status.SUPERSEDED,
        valid_until=T0 + timedelta(days=1),
        superseded_by=RecordId("dec-new1234567"),
        evidence=(Evidence("claude", "abc123", 120, 124, "use JWT", Trust.USER),),
    )

    text = render(record).decode()

    assert [*frontmatter(DECISION), "status", "valid_until", "superseded_by", "evidence"] == list(frontmatter(record))
    assert (
        "- security\nstatus: superseded\n"
        'valid_until: "2026-02-21T10:30:00Z"\nsuperseded_by: dec-new1234567\n'
        'evidence:\n- "claude/abc123#L120-L124 (user)"\n---\n'
    ) in text
    assert "use JWT" not in text


def test_no_tags_are_an_empty_list():
    """The field is always there, so that a person sees where tags go."""
    assert "\ntags: []\n---\n" in render(replace(DECISION, tags=())).decode()


@pytest.mark.parametrize(
    "word", ["yes", "No", "on", "NULL", "~", "1.0", "1e3", "0x1F", "- x", "a: b", "#x", "x #y", "'"]
)
def test_words_yaml_would_misread_stay_text(word):
    """A title is text, whatever a YAML reader would rather see in it."""
    text = render(replace(DECISION, title=word, tags=(word.lower(),), extra={word: word})).decode()
    found = yaml.safe_load(text.split("---\n")[1])

    assert (word, [word.lower()], word) == (found["title"], found["tags"], found[word])


# --- any record, there and back ---------------------------------------------------------------------------------------

_LETTERS = st.characters(exclude_categories=["Cs", "Cc"])
_SPICE = st.sampled_from(
    [
        *("yes", "1.0", "- x", "a: b", "#x", " #", '"', "'", ":", "{", "[", "|", ">", "%", "@", "`", "!", "&a", "*a"),
        *("---", "...", "~", "<<", "\\", "\\n", "\u0085", "\u2028", "\ufeff", "é", "e\u0301", "日本"),
        "👨\u200d👩\u200d👧",
    ]
)
lines_of_text = st.lists(_SPICE | st.text(_LETTERS, max_size=8), min_size=1, max_size=4).map(" ".join)
bodies = st.lists(
    _SPICE
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
    | st.sampled_from(["\n", "\r\n", "\r", "\t", "---", "\n---\n", "=======", "  "]),
    max_size=8,
).map("".join)
_NAMES = st.text(_LETTERS, min_size=1, max_size=6).map(lambda text: text.strip()).filter(bool) | _SPICE
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | lines_of_text.map(lambda text: f" {text} ")
)
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3), max_leaves=6
)
moments = st.datetimes(datetime(1970, 1, 1), datetime(2999, 1, 1)).map(  # noqa: DTZ001 - made UTC below
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
)
_WORDS = st.text("abcXYZ0189._/ -äß日:#'\"", min_size=1, max_size=12).map(str.strip).filter(bool)
evidence = st.builds(
    Evidence,
    st.sampled_from(["claude", "codex"]),
    st.text("ab1-#/ é", min_size=1, max_size=6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
)


@st.composite
def records(draw: st.DrawFn, primitive: Primitive | None = None) -> Record:
    primitive = primitive or draw(st.sampled_from(Primitive))
    prefix = {Primitive.DECISION: "dec", Primitive.LEARNING: "lrn", Primitive.SUMMARY: "sum"}[primitive]
    ids = st.text("abcdefghijklmnopqrstuvwxyz234567", min_size=10, max_size=10)
    other = draw(st.none() | ids.map(lambda text: RecordId(f"{prefix}-{text}")))
    created = draw(moments)
    summary = primitive is Primitive.SUMMARY
    fields = {}
    if summary:
        names = ("description", "coding_agent", "raw_trace_path", "run_id", "repo_name")
        fields = {name: draw(st.none() | _WORDS) for name in names}
        fields |= {"date": created.strftime("%Y-%m-%d"), "time": created.strftime("%H:%M:%S")}
    record = Record(
        id=RecordId(f"{prefix}-{draw(ids)}"),
        primitive=primitive,
        title=draw(lines_of_text),
        body=draw(bodies),
        created=created,
        # Summaries happen once: their files carry no second time and no confidence.
        updated=created if summary else draw(moments),
        source=draw(_WORDS),
        confidence=0.8 if summary else draw(st.floats(0, 1)),
        tags=tuple(draw(st.lists(_WORDS | _SPICE, max_size=3))),
        kind=draw(st.sampled_from(Kind)) if primitive is Primitive.LEARNING else None,
        status=draw(st.sampled_from([Status.ACTIVE, Status.ARCHIVED])) if other is None else Status.SUPERSEDED,
        valid_until=draw(st.none() | moments),
        superseded_by=other,
        evidence=tuple(draw(st.lists(evidence, max_size=2, unique_by=lambda item: item.reference))),
        extra={
            key: value
            for key, value in draw(st.dictionaries(_NAMES, _VALUES, max_size=3)).items()
            if key not in KEYS[primitive]
        },
        **fields,
    )
    try:
        return valid(record)
    except InvalidRecord:
        assume(False)
        raise


def blank(record: Record) -> Record:
    """A record of the same primitive that has nothing in common with it."""
    return Record(
        id=RecordId(f"{record.id[:4]}zzzzzzzzzz"),
        primitive=record.primitive,
        title="blank",
        body="blank",
        created=T0,
        updated=record.created,
        kind=Kind.PITFALL if record.primitive is Primitive.LEARNING else None,
        valid_from=record.valid_from,
    )


@settings(max_examples=examples(250), deadline=None)
@given(records())
@example(replace(DECISION, body="ends in a carriage return\r"))
@example(replace(DECISION, extra={"x": 1e-05, "y": [-1e300, 1.5e-09, "1e5"]}))
@example(replace(DECISION, extra={"on": "on", "a": {"b": [1.5, None, {"c": " d "}]}, "2026-01-01": "x"}))
def test_any_record_survives_the_way_into_a_file_and_back(record):
    """Whatever a valid record holds, its file says it."""
    assert record == read(render(record), None, blank(record))


# --- a person's file stays a person's file ----------------------------------------------------------------------------

PERSONS_FILE = """\
---
# Why this is here: the auth review.
title:   "Use JWT"
id: 'dec-abc123'

tags: [auth, api]   # short list
owner: 'Ada'
reviewers:
  - ada
  # the newest one
  - bob
confidence: .85
created: 2026-02-20 10:30:00
updated: 2026-02-20T10:30:00Z
note: >
  folded
  text
source: sync
# the end
---


Body.

    code
"""


def versions_of(text: str) -> list[bytes]:
    """One text as different editors would save it."""
    crlf = text.replace("\n", "\r\n")
    plain = [text, crlf, text.rstrip("\n"), crlf.rstrip("\r\n"), text + "\n\n", crlf + "\r\n"]
    return [prefix + saved.encode() for prefix in (b"", b"\xef\xbb\xbf") for saved in plain]


@pytest.mark.parametrize("data", versions_of(PERSONS_FILE))
def test_writing_an_unchanged_record_over_its_file_changes_no_byte(data):
    """Comments, order, quoting, byte order mark, line endings and the missing last one stay."""
    document = parse(data)

    assert data == render(read_record(document, None, DECISION), document)


_ENTRIES = {
    "title": st.sampled_from(
        ["title: T", 'title: "T"', "title: 'T'   # said twice", "title: >-\n  T\n  T", "title:  T  T"]
    ),
    "tags": st.sampled_from(
        ["tags: [a, b]", "tags:\n  - a\n  # why\n  - b", "tags: []", "tags: a, b", "tags: [A]", "tags:"]
    ),
    "confidence": st.sampled_from(["confidence: 1", "confidence: .5", "confidence: 0.50", "confidence: 1.0"]),
    "created": st.sampled_from(
        [
            "created: 2026-02-20",
            'created: "2026-02-20T10:30:00Z"',
            "created: 2026-02-20 12:30:00 +02:00",
            "created: 2026-02-20T10:30:00.5Z",
        ]
    ),
    "updated": st.sampled_from(["updated: 2026-02-21", "updated: '2026-02-21T10:30:00Z'"]),
    "source": st.sampled_from(["source: sync", "source: 'sync'", "source: 7", "source: 2026-01-01"]),
    "status": st.sampled_from(["status: active", "status: archived", "status: 'active'"]),
    "evidence": st.sampled_from(["evidence: [claude/a#L1-L2]", "evidence:\n- claude/a#L3", "evidence: []"]),
    "valid_until": st.sampled_from(["valid_until: 2027-01-01", "valid_until: ~", "valid_until:"]),
    "superseded_by": st.sampled_from(["superseded_by: null", "superseded_by: ~"]),
    "owner": st.sampled_from(
        ["owner: 'Ada'", "owner: yes", "owner: 2026-01-01", "owner: [2026-01-01, 1]", "owner: 08"]
    ),
    "kind": st.sampled_from(["kind: of mine", "kind: 1:30"]),
    "on": st.sampled_from(["on: off", "on: |\n  # not a comment\n  text\n  # nor this", "on: {a: {b: [1, 2]}}"]),
    '"a: b"': st.sampled_from(['"a: b": "c # d"', "'a: b': 'it''s'"]),
}
_BETWEEN = st.sampled_from(["", "", "# a comment", "", "   # indented", "#"])


@st.composite
def persons_files(draw: st.DrawFn) -> bytes:
    optional = sorted(set(_ENTRIES) - set(frontmatter(DECISION)))
    keys = draw(st.permutations(["title", "tags", "confidence", "created", "updated", "source"]))
    keys += draw(st.lists(st.sampled_from(optional), unique=True))
    lines = [draw(_ENTRIES[key]) for key in keys]
    lines.insert(draw(st.integers(0, len(lines))), "id: dec-abc123")
    spread = []
    for line in lines:
        spread += [comment for comment in [draw(_BETWEEN)] if comment] + [line]
    fence = draw(st.sampled_from(["---", "---", "--- "]))
    head = "\n".join(["---", *spread, fence])
    lead = draw(st.sampled_from(["\n", "\n\n", "\n\n\n"]))
    body = draw(st.sampled_from(["", "Body", "Body\n\n---\n\nmore", "  indented", "- x\n"]))
    text = head + lead + body + draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


@settings(max_examples=examples(200), deadline=None)
@given(persons_files())
@example(full().removesuffix(b"\n\nBody\n"))
@example(full().replace(b"---\n\n", b"--- \n"))
@example(full().replace(b"---\nid", b"---\r\nid").replace(b"Body\n", b"Body\r\n"))
@example(full("owner: [2026-01-01, 2026-01-02T10:00:00]"))
@example(full("status: active", "evidence: []", "valid_until: ~"))
@example(full().replace(b"tags: []", b"tags: Auth, API"))
def test_any_file_survives_being_written_over_with_what_it_says(data):
    """A rewrite without a change is no change, however the file was written."""
    document = parse(data)

    assert data == render(read_record(document, None, DECISION), document)


@settings(max_examples=examples(100), deadline=None)
@given(records(), records())
def test_our_own_file_survives_too(record, other):
    """What Lerim wrote over what Lerim wrote is the same, and a body from elsewhere does not disturb the header."""
    data = render(record)

    assert data == render(record, parse(data))
    moved = render(replace(record, body=other.body), parse(data))
    assert replace(record, body=other.body) == read(moved, None, blank(record))


CHANGES = {
    "title": ({"title": "Use sessions"}, ['title:   "Use JWT"'], ["title: Use sessions"]),
    "tags": ({"tags": ("auth",)}, ["tags: [auth, api]   # short list"], ["tags:", "- auth"]),
    "no tags": ({"tags": ()}, ["tags: [auth, api]   # short list"], ["tags: []"]),
    "confidence": ({"confidence": 0.3}, ["confidence: .85"], ["confidence: 0.3"]),
    "updated": (
        {"updated": T0 + timedelta(days=1)},
        ["updated: 2026-02-20T10:30:00Z"],
        ['updated: "2026-02-21T10:30:00Z"'],
    ),
    "created": (
        {"created": T0 - timedelta(days=1), "valid_from": T0 - timedelta(days=1)},
        ["created: 2026-02-20 10:30:00"],
        ['created: "2026-02-19T10:30:00Z"'],
    ),
    "source": ({"source": "maintain"}, ["source: sync"], ["source: maintain"]),
    "archived": ({"status": Status.ARCHIVED}, [], ["status: archived"]),
    "valid_until": ({"valid_until": T0}, [], ['valid_until: "2026-02-20T10:30:00Z"']),
    "extra changed": (
        {"extra": {"owner": "Bob", "reviewers": ["ada", "bob"], "note": "folded text\n"}},
        ["owner: 'Ada'"],
        ["owner: Bob"],
    ),
    "extra gone": (
        {"extra": {"owner": "Ada", "note": "folded text\n"}},
        ["reviewers:", "  - ada", "  # the newest one", "  - bob"],
        [],
    ),
    "extra new": (
        {"extra": {"owner": "Ada", "reviewers": ["ada", "bob"], "note": "folded text\n", "on": [1, 2]}},
        [],
        ['"on": [1, 2]'],
    ),
    "folded gone": ({"extra": {"owner": "Ada", "reviewers": ["ada", "bob"]}}, ["note: >", "  folded", "  text"], []),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_field_changes_its_own_lines_only(name, newline):
    """Every other line, comments and unknown keys and all, is where it was."""
    changes, gone, come = CHANGES[name]
    document = parse(PERSONS_FILE.replace("\n", newline).encode())
    record = replace(read_record(document, None, DECISION), **changes)

    text = render(record, document).decode()
    before, after = PERSONS_FILE.split("\n"), text.split(newline)

    assert sorted([*before, *come]) == sorted([*after, *gone])
    assert [line for line in before if line not in gone] == [line for line in after if line not in come]
    assert replace(record, **changes) == read(text, None, DECISION)


def test_a_file_says_since_when_its_memory_holds():
    """What a session of January taught holds since January, in a file that was written in February as well."""
    january = T0 - timedelta(days=40)
    evidence = (Evidence("claude", "s-1", 2, 2, "use JWT", said=january),)
    record = valid(replace(DECISION, evidence=evidence, valid_from=None))

    text = render(record).decode()

    assert january == record.valid_from
    assert 'valid_from: "2026-01-11T10:30:00Z"\n' in text
    assert january == read(text, None, replace(DECISION, valid_from=None)).valid_from
    assert "valid_from" not in render(DECISION).decode()


def test_a_summary_read_from_its_file_alone_is_of_the_day_of_its_session():
    """After a damaged store, or in a clone: of the day it is read, the oldest session would be the last word."""
    record = valid(replace(SUMMARY, date="2026-01-11", time="10:30:00", valid_from=None))

    assert T0 - timedelta(days=40) == read(render(record).decode(), None, replace(SUMMARY, valid_from=None)).valid_from


def test_a_changed_body_leaves_the_header_alone():
    """The header's bytes stay, the new body stands under it with one blank line."""
    document = parse(PERSONS_FILE.encode())

    text = render(replace(read_record(document, None, DECISION), body="New."), document).decode()

    assert PERSONS_FILE.split("\n\n\nBody.")[0] + "\n\nNew.\n" == text


def test_a_status_goes_with_everything_that_came_with_it():
    """A decision that holds again loses its status, its end and its successor, and nothing else."""
    text = PERSONS_FILE.replace(
        "# the end", 'status: superseded\nvalid_until: 2026-03-01\nsuperseded_by: "dec-other12345"\n# the end'
    )
    document = parse(text.encode())
    record = read_record(document, None, DECISION)
    again = replace(record, status=Status.ACTIVE, valid_until=None, superseded_by=None)

    assert (Status.SUPERSEDED, "dec-other12345") == (record.status, record.superseded_by)
    assert PERSONS_FILE == render(again, document).decode()


def test_new_keys_stand_where_they_belong():
    """A key the file did not have is put after its neighbor in the memory model's order."""
    document = parse(full("mine: 1"))
    record = replace(read_record(document, None, DECISION), status=Status.ARCHIVED)

    lines = render(record, document).decode().split("\n")

    assert lines.index("tags: []") + 1 == lines.index("status: archived")
    assert lines.index("mine: 1") > lines.index("status: archived")


def test_a_header_on_one_line_keeps_all_its_keys():
    """YAML may write a mapping in braces; changing one key must not cost the others."""
    document = parse(b"---\n{id: dec-abc123, title: T, owner: Ada}\n---\n\nBody\n")
    record = replace(read_record(document, None, DECISION), title="New")

    assert record == read(render(record, document), None, DECISION)


def test_a_block_of_text_that_ends_in_hash_lines_goes_as_a_whole():
    """Inside a block scalar `#` is text; what replaces the block leaves none of it behind."""
    document = parse(full("note: |", "  text", "  # heading", "mine: 1"))
    record = replace(read_record(document, None, DECISION), extra={"note": "new", "mine": 1})

    text = render(record, document).decode()

    assert "heading" not in text


def test_a_comment_after_a_key_that_goes_does_not_become_text_of_the_block_before_it():
    """Indented, it would belong to the block of text that now stands above it."""
    document = parse(full("on: |", "  text", "evidence: [claude/a#L1-L2]", "", "   # mine", "superseded_by: null"))
    record = replace(read_record(document, None, DECISION), evidence=())

    text = render(record, document).decode()

    assert "\n# mine\n" in text
    assert {"on": "text\n"} == read(text, None, DECISION).extra


@settings(max_examples=examples(150), deadline=None)
@given(persons_files(), records(Primitive.DECISION), st.data())
def test_whatever_changes_the_persons_own_lines_stay(data, other, draw):
    """Unknown keys and comments survive any change of the fields Lerim knows, in their order."""
    document = parse(data)
    record = read_record(document, None, DECISION)
    names = draw.draw(
        st.lists(st.sampled_from(["title", "body", "tags", "confidence", "created", "source", "evidence"]))
    )
    changed = valid(replace(record, **{name: getattr(other, name) for name in names}))

    written = parse(render(changed, document))

    assert changed == read_record(written, changed, DECISION)
    mine = [key for key in document.spans if key not in KEYS[Primitive.DECISION]]
    assert mine == [key for key in written.spans if key not in KEYS[Primitive.DECISION]]
    for key in mine:
        assert span(document, key) == span(written, key)
    comments = [line.strip() for line in loose_lines(document) if line.strip()]
    assert comments == [line.strip() for line in loose_lines(written) if line.strip()]


def span(document, key):
    start, end = document.spans[key]
    return document.header[start:end]


def loose_lines(document):
    held = {number for start, end in document.spans.values() for number in range(start, end)}
    return [line for number, line in enumerate(document.header) if number not in held]


# --- reading what people write ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("created: 2026-02-20", datetime(2026, 2, 20, tzinfo=UTC)),
        ("created: 2026-02-20T10:30:00Z", T0),
        ("created: 2026-02-20 10:30:00", T0),
        ("created: 2026-02-20 11:30:00 +01:00", T0),
        ('created: "2026-02-20T10:30:00+00:00"', T0),
        ("created: 2026-02-20T10:30:00.999Z", T0),
    ],
)
def test_a_time_may_be_written_unquoted(line, expected):
    """YAML makes dates of its own out of these; they mean what the person meant."""
    assert expected == read(header(line)).created


@pytest.mark.parametrize("line", ["time: 15:30:00", "time: '15:30:00'", "time: 55800"])
def test_a_clock_time_may_be_written_unquoted(line):
    """YAML 1.1 reads 15:30:00 in base 60."""
    record = read(header("date: 2026-02-22", line).replace("dec-", "sum-"), None, SUMMARY)

    assert ("2026-02-22", "15:30:00") == (record.date, record.time)


def test_a_clock_time_written_unquoted_is_not_rewritten():
    """It says the same thing, so its line stays."""
    data = SUMMARY_FILE.replace('"15:30:00"', "15:30:00").encode()
    document = parse(data)

    assert data == render(read_record(document, None, SUMMARY), document)


@pytest.mark.parametrize("value", ["tomorrow", "2026-03-01", '"2026-03-01T10:00:00Z"'])
def test_a_summarys_own_updated_key_is_left_alone(value):
    """Summaries have no `updated`; one that a person adds is theirs."""
    data = SUMMARY_FILE.replace("source: sync", f"updated: {value}\nsource: sync").encode()
    document = parse(data)

    assert data == render(read_record(document, None, SUMMARY), document)


def test_tags_may_be_a_line():
    """`tags: auth, api` is what people type."""
    assert ("auth", "api") == read(header("tags: Auth,  API")).tags


def test_a_file_without_frontmatter_is_all_body():
    """Nothing is read into it, and nothing of it is lost."""
    document = parse(b"# Title\r\n\r\ntext")

    assert ({}, (), "# Title\r\n\r\ntext") == (document.values, document.header, document.body)


def test_an_empty_file_is_an_empty_document():
    """No text, no values, no error."""
    assert ({}, "") == (parse(b"").values, parse(b"").body)


@pytest.mark.parametrize("text", ["---\n---\nBody\n", "---\n# nothing\n---\nBody\n"])
def test_an_empty_frontmatter_has_no_values(text):
    """Two fences with nothing between them are a person about to write."""
    document = parse(text.encode())

    assert ({}, "Body") == (document.values, document.body)


def test_quotes_come_from_the_store_when_the_reference_is_the_same():
    """Files carry references only; a known one keeps its words, a new one has none."""
    known = replace(DECISION, evidence=(Evidence("claude", "abc", 1, 2, "said so", Trust.AGENT),))
    text = header("evidence:", "- claude/abc#L1-L2", "- claude/abc#L7")

    found = read(text, known).evidence

    assert (known.evidence[0], Evidence("claude", "abc", 7, 7)) == found


def two_on_one_line() -> Record:
    first, second = (Evidence("claude", "abc", 5, 5, quote, Trust.USER) for quote in ("use pnpm", "never npm"))
    return replace(DECISION, evidence=(first, Evidence("claude", "abc", 9, 9, "agreed", Trust.AGENT), second))


def test_two_quotes_of_one_line_are_one_reference() -> None:
    assert ["claude/abc#L5-L5 (user)", "claude/abc#L9-L9 (agent)"] == frontmatter(two_on_one_line())["evidence"]


@pytest.mark.parametrize("references", [["#L5", "#L9"], ["#L5", "#L9", "#L5"]], ids=["once", "as files had it before"])
def test_an_edit_of_something_else_keeps_every_quote(references: list[str]) -> None:
    known = two_on_one_line()
    text = header("tags: [pnpm]", "evidence:", *(f"- claude/abc{reference}" for reference in references))

    assert known.evidence == read(text, known).evidence


def test_a_reference_a_person_adds_or_takes_away_leaves_the_others_quotes() -> None:
    known = two_on_one_line()
    first, agreed, second = known.evidence

    assert (first, second) == read(header("evidence:", "- claude/abc#L5"), known).evidence
    added = read(header("evidence:", "- claude/abc#L5", "- claude/abc#L9", "- claude/abc#L12"), known).evidence
    assert (first, second, agreed, Evidence("claude", "abc", 12, 12)) == added


# Whose words it rests on


@pytest.mark.parametrize("speaker", [Trust.USER, Trust.AGENT, Trust.TOOL, Trust.UNKNOWN])
def test_a_file_says_who_spoke_and_never_what(speaker: Trust) -> None:
    """Read where nothing else is known, the reference and its speaker are as they were; the words are not there."""
    record = replace(DECISION, evidence=(Evidence("claude", "abc", 5, 5, "use pnpm", speaker),), trust=Trust.AGENT)
    text = render(record)

    found = read_record(parse(text), None, DECISION)

    assert (Evidence("claude", "abc", 5, 5, "", speaker),) == found.evidence
    assert Trust.AGENT is found.trust
    assert b"use pnpm" not in text


@pytest.mark.parametrize(
    ("lines", "trust"),
    [
        ((), Trust.USER),
        (("evidence: [claude/abc#L5]",), Trust.UNKNOWN),
        (("evidence: ['claude/abc#L5 (user)']",), Trust.USER),
        (("evidence: ['claude/abc#L5 (agent)']",), Trust.AGENT),
        (("evidence: ['claude/abc#L5 (agent)']", "trust: user"), Trust.USER),
        (("evidence: ['claude/abc#L5 (user)']", "trust: agent"), Trust.AGENT),
        (("evidence: ['claude/abc#L5 (the boss)']",), Trust.UNKNOWN),
        (("evidence: ['claude/abc#L5 (shared)']",), Trust.UNKNOWN),
    ],
)
def test_what_a_file_does_not_say_is_not_made_up(lines: tuple[str, ...], trust: Trust) -> None:
    """What cites nothing is a person's own word; of what cites a session, only what is written down is known."""
    assert trust is read(header(*lines)).trust


def test_the_store_knows_better_than_a_file_who_spoke() -> None:
    known = replace(DECISION, evidence=(Evidence("claude", "abc", 5, 5, "use pnpm", Trust.AGENT),), trust=Trust.AGENT)

    found = read(header("evidence:", "- claude/abc#L5 (user)", "trust: user"), known)

    assert (known.evidence, Trust.AGENT) == (found.evidence, found.trust)


def test_a_strangers_file_cannot_say_who_spoke() -> None:
    known = replace(DECISION, evidence=(Evidence("claude", "abc", 5, 5, "", Trust.SHARED),), trust=Trust.SHARED)

    found = read(header("evidence:", "- claude/abc#L5 (user)", "- claude/abc#L7 (user)", "trust: user"), known)

    assert {Trust.SHARED} == {found.trust, *(item.speaker for item in found.evidence)}


def test_a_key_of_their_own_called_trust_stays_a_persons() -> None:
    document = parse(full("trust: high"))
    record = read_record(document, None, DECISION)

    assert (Trust.USER, {"trust": "high"}) == (record.trust, record.extra)
    assert b"\ntrust: high\n" in render(replace(record, title="New"), document)


def test_an_older_file_gets_the_speakers_when_it_is_written_next() -> None:
    """It says the same as the store, so nothing is written for their sake alone."""
    known = replace(DECISION, evidence=(Evidence("claude", "abc", 5, 5, "use pnpm", Trust.USER),))
    older = parse(render(known).replace(b" (user)", b""))

    assert known.evidence == read_record(older, known, known).evidence
    assert b"claude/abc#L5-L5 (user)" in render(replace(known, title="New"), older)


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan", "0o17", "!!binary aGk=", "1_000", "1:30:00"])
def test_odd_values_of_unknown_keys_survive_a_change_elsewhere(value):
    """They are the person's: kept as written when something else changes."""
    document = parse(full(f"mine: {value}"))
    record = replace(read_record(document, None, DECISION), title="New")

    assert f"\nmine: {value}\n" in render(record, document).decode()


@pytest.mark.parametrize(
    "line",
    [
        "mine: {2026-01-01: x}",
        "mine: 0x" + "f" * 4000,
        "? [a, b]\n: c",
        "<<: {a: 1}",
        "mine: {1: a, null: b, true: c, 1.5: d}",
    ],
    ids=["date as key", "huge number", "list as key", "merge", "odd keys"],
)
def test_any_yaml_is_read_or_refused_never_a_crash(line):
    """One odd file must not stop the others: it is read, or named with its line."""
    try:
        record = read(header(line))
    except MarkdownError as error:
        assert error.line in range(1, 6)
    else:
        assert "T" == record.title


# --- files that cannot be read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["mine: ]"], 4),
        (["  bad: indent"], 4),
        (["a: b: c"], 4),
        (["\tx: 1"], 4),
        (["mine: *nowhere"], 4),
        (["mine: &a [1]", "b: *a"], 4),
        (["owner: !!python/object/apply:os.system [ls]"], 4),
        (["owner: !mine x"], 4),
        (["title: again"], 4),
        (["tags: []", "mine: 1", "mine: 2"], 6),
        (["created: 2026-13-45"], 4),
        (["x: 1", "mine: 2026-02-30"], 5),
        (["mine: " + "9" * 5000], 4),
        (["x: 1", "mine: a\x07b"], 5),
        (["confidence: 7"], 4),
        (["confidence: -0.1"], 4),
        (["confidence: .nan"], 4),
        (["confidence: yes"], 4),
        (["confidence: high"], 4),
        (["confidence: 1" + "0" * 400], 4),
        (["created: tomorrow"], 4),
        (["created: [2026]"], 4),
        (["created: 0001-01-01T00:00:00+05:00"], 4),
        (["updated: 9999-12-31T23:59:59-05:00"], 4),
        (["tags: {a: b}"], 4),
        (["tags: [[a]]"], 4),
        (["status: done"], 4),
        (["status: superseded"], 4),
        (["valid_until: soon"], 4),
        (["superseded_by: somewhere"], 4),
        (["superseded_by: dec-abc123"], 4),
        (["evidence: claude/a#L1"], 4),
        (["evidence:", "- claude#L1"], 4),
        (["evidence:", "- claude/a#L" + "1" * 5000], 4),
        (["source: [a]"], 4),
        (["source:"], 4),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_at_its_line(lines, line):
    """The line is counted from 1 in the file, fences included."""
    assert line == problem_of(header(*lines)).line


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_wrong_id_or_title_is_refused_at_its_line(newline):
    """Line endings do not shift the count."""
    text = header(newline=newline)

    assert 2 == problem_of(text.replace("dec-abc123", "dec-")).line
    assert 2 == problem_of(text.replace("dec-abc123", "lrn-abc123")).line
    assert 2 == problem_of(text.replace("dec-abc123", "[dec-abc123]")).line
    assert 3 == problem_of(text.replace("title: T", 'title: "a\\0b"')).line
    assert 3 == problem_of(text.replace("title: T", "title: " + "x" * 201)).line
    assert 3 == problem_of(text.replace("title: T", "title: ''")).line


def test_a_learning_with_an_unknown_kind_is_refused_at_its_line():
    """The message lists the kinds there are."""
    error = problem_of(LEARNING_FILE.replace("kind: insight", "kind: wisdom"), LEARNING)

    assert 11 == error.line
    assert "insight, procedure, friction, pitfall, preference" in error.problem


def test_a_missing_closing_fence_is_refused_at_the_first_line():
    """There is no telling where the header should have ended."""
    error = problem_of("---\nid: dec-abc123\ntitle: T\n\nBody\n")

    assert (1, "the frontmatter has no closing '---'") == (error.line, error.problem)


def test_anchors_that_would_unfold_to_gigabytes_are_refused_at_once():
    """The laughs stop at the first anchor."""
    laughs = ["a0: &a0 [lol, lol]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]

    assert (4, "YAML anchors and aliases are not read in a memory") == (
        problem_of(header(*laughs)).line,
        problem_of(header(*laughs)).problem,
    )


@pytest.mark.parametrize("deep", ["[" * 20_000 + "]" * 20_000, "{a: " * 9 + "1" + "}" * 9])
def test_deep_nesting_is_refused_at_its_line(deep):
    """The stack stays whole."""
    assert (5, "YAML nested too deeply") == (
        problem_of(header("x: 1", f"mine: {deep}")).line,
        problem_of(header("x: 1", f"mine: {deep}")).problem,
    )


def test_a_header_too_long_is_refused():
    """A hundred kilobytes of frontmatter are no frontmatter."""
    error = problem_of(header("mine: " + "x" * 100_000))

    assert (4, f"frontmatter longer than {MAX_HEADER_BYTES // 1024} KiB") == (error.line, error.problem)


def test_a_list_is_no_frontmatter():
    """It must be keys and values."""
    assert 2 == problem_of("---\n- a\n- b\n---\n\nBody\n").line


def test_a_binary_file_is_refused_where_it_stops_being_text():
    """The first NUL byte decides."""
    error = problem_of(b"---\nid: dec-abc123\n\x00\x01\n---\n")

    assert (3, "a binary file, not Markdown") == (error.line, error.problem)


def test_another_encoding_is_refused_where_it_shows():
    """Latin-1 is not guessed at."""
    error = problem_of("---\nid: dec-abc123\ntitle: Größe\n---\n".encode("latin-1"))

    assert (3, "not UTF-8 text") == (error.line, error.problem)


def test_an_unresolved_conflict_is_refused_where_it_begins():
    """In the header or in the body, CRLF or not."""
    marks = ["<<<<<<< HEAD", "title: A", "=======", "title: B", ">>>>>>> theirs"]
    inside = header(*marks)
    below = header() + "\n".join(marks)

    assert (4, "unresolved git conflict") == (problem_of(inside).line, problem_of(inside).problem)
    assert 4 == problem_of(inside.replace("\n", "\r\n")).line
    assert 7 == problem_of(below).line


@pytest.mark.parametrize("text", ["Heading\n=======\n", "a <<<<<<< b\n=======\n>>>>>>> c", "<<<<<<< x\nonly\n"])
def test_lines_that_only_look_like_a_conflict_are_text(text):
    """A Setext heading or a quoted marker is none."""
    assert conflict_line(text) is None
    assert text.rstrip("\n") == read(header().replace("Body", text.rstrip("\n"))).body


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.booleans())
def test_any_bytes_are_a_document_or_a_refusal(data, fenced):
    """No input ends in another exception, and what was parsed is put together again as it was."""
    data = b"---\n" + data + b"\n---\n" if fenced else data
    lines = data.count(b"\n") + data.count(b"\r") + 1
    try:
        document = parse(data)
    except MarkdownError as error:
        assert 1 <= error.line <= lines + 1
    else:
        try:
            read_record(document, None, DECISION)
        except MarkdownError as error:
            assert 1 <= error.line <= lines + 1
