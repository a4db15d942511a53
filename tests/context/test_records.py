"""What a memory is: ids, the values its fields may have, and the times it carries."""

from __future__ import annotations

import ast
import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lerim.context import records
from lerim.context.records import (
    LESSONS,
    MAX_BODY_BYTES,
    MAX_TAG,
    MAX_TAGS,
    MAX_TITLE,
    Draft,
    Evidence,
    Kind,
    Primitive,
    RecordId,
    Status,
    clean_tags,
    clean_title,
    new_id,
    parse_time,
    primitive_of,
    time_text,
    utc_now,
    valid,
)
from lerim.errors import InvalidRecord, UsageError

from ..conftest import examples

T0 = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
DECISION = Draft(Primitive.DECISION, "Use JWT", "Because.").record(T0)


def refused(**fields) -> InvalidRecord:
    with pytest.raises(InvalidRecord) as caught:
        valid(replace(DECISION, **fields))
    return caught.value


# --- ids --------------------------------------------------------------------------------------------------------------


@given(st.sampled_from(Primitive), st.binary(min_size=10, max_size=10))
def test_an_id_is_a_prefix_and_ten_letters(primitive, randomness):
    """Lower-case base32, and it says which primitive it names."""
    found = new_id(primitive, lambda size: randomness[:size])
    prefix, _, letters = found.partition("-")

    assert ({"decision": "dec", "learning": "lrn", "summary": "sum"}[primitive], 10) == (prefix, len(letters))
    assert set(letters) <= set("abcdefghijklmnopqrstuvwxyz234567")
    assert primitive is primitive_of(found)


@given(st.lists(st.integers(0, 2**50 - 1), min_size=2, max_size=20, unique=True))
def test_different_randomness_gives_different_ids(numbers):
    """All fifty bits count."""
    ids = {
        new_id(Primitive.DECISION, lambda size, n=number: bytes((n >> (5 * i)) & 31 for i in range(size)))
        for number in numbers
    }

    assert len(numbers) == len(ids)


def test_the_systems_randomness_does_not_repeat_itself():
    """A thousand ids, a thousand records."""
    assert 1000 == len({new_id(Primitive.DECISION) for _ in range(1000)})


@pytest.mark.parametrize("text", ["dec-abc123", "dec-k3v9q2m7xa", "lrn-def", "sum-" + "a" * 32])
def test_ids_of_the_memory_model_are_ids(text):
    """Shorter ones too: the first memories had them."""
    assert primitive_of(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "dec", "dec-", "dec-ab", "abc-k3v9q2m7xa", "DEC-k3v9q2m7xa", "dec-K3V9Q2M7XA", "dec-a/../b", "dec-äöü"),
        *("dec-" + "a" * 33, "dec-abc def", "dec_abcdef", "dec-abc\n", "dec-٣٤٥"),
    ],
)
def test_anything_else_is_no_id(text):
    """It may end up in a path: nothing but letters and digits."""
    with pytest.raises(InvalidRecord) as caught:
        primitive_of(text)

    assert "id" == caught.value.field


# --- fields -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("id", {"id": RecordId("lrn-aaaaaaaaaa")}),
        ("id", {"id": RecordId("nonsense")}),
        ("kind", {"kind": Kind.INSIGHT}),
        ("superseded_by", {"superseded_by": DECISION.id, "status": Status.SUPERSEDED}),
        ("status", {"status": Status.SUPERSEDED}),
        ("title", {"title": ""}),
        ("title", {"title": " \n\t "}),
        ("title", {"title": "a\x00b"}),
        ("title", {"title": "a\x1b[31mb"}),
        ("title", {"title": "a\x7fb"}),
        ("title", {"title": "a\ud800b"}),
        ("title", {"title": "x" * (MAX_TITLE + 1)}),
        ("source", {"source": ""}),
        ("source", {"source": "a\x07"}),
        ("body", {"body": "a\0b"}),
        ("body", {"body": "a\ud83d"}),
        ("body", {"body": "x" * (MAX_BODY_BYTES + 1)}),
        ("body", {"body": "ä" * (MAX_BODY_BYTES // 2 + 1)}),
        ("body", {"body": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x"}),
        ("body", {"body": "text\r\n<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> x\r\n"}),
        ("confidence", {"confidence": -0.01}),
        ("confidence", {"confidence": 1.01}),
        ("confidence", {"confidence": float("nan")}),
        ("confidence", {"confidence": float("inf")}),
        ("confidence", {"confidence": True}),
        ("confidence", {"confidence": "0.5"}),
        ("confidence", {"confidence": None}),
        ("tags", {"tags": ("x" * (MAX_TAG + 1),)}),
        ("tags", {"tags": tuple(f"t{number}" for number in range(MAX_TAGS + 1))}),
    ],
)
def test_a_value_a_field_cannot_have_is_refused_by_name(field, values):
    """A usage error: it names the field, and nothing was written."""
    error = refused(**values)

    assert (field, True, 2) == (error.field, error.message.startswith(f"{field}: "), error.exit_code)
    assert isinstance(error, UsageError)


def test_a_learning_needs_a_kind():
    """The hint is the option to add."""
    with pytest.raises(InvalidRecord) as caught:
        Draft(Primitive.LEARNING, "T").record(T0)

    assert ("kind", "add --kind insight") == (caught.value.field, caught.value.hint)
    assert Kind.FRICTION is Draft(Primitive.LEARNING, "T", kind=Kind.FRICTION).record(T0).kind


def test_a_draft_becomes_a_record():
    """Ids, times and versions are ours to give."""
    record = Draft(Primitive.DECISION, "  Use   JWT ", "Because.", tags=("#Auth",)).record(T0, lambda size: bytes(size))

    assert ("dec-aaaaaaaaaa", "Use JWT", ("auth",), T0, T0, T0, 1, Status.ACTIVE) == (
        *(record.id, record.title, record.tags, record.created),
        *(record.updated, record.valid_from, record.version, record.status),
    )
    assert record.holds


@pytest.mark.parametrize("title", ["👍", "👨\u200d👩\u200d👧", "日本", "x" * MAX_TITLE, "é" * MAX_TITLE, "-", "#"])
def test_a_title_may_be_anything_one_can_read(title):
    """Emoji families included: they are joined with characters that are not printable."""
    assert title == clean_title(title)


def test_a_title_is_one_line_with_single_spaces():
    """In composed Unicode, so that two keyboards write the same title."""
    assert "Use é here" == clean_title("\n Use\t\te\u0301 \u00a0\u2003here\r\n")


@given(st.text(max_size=120))
def test_a_title_is_clean_after_cleaning_it_once(title):
    """Cleaning it again changes nothing."""
    try:
        once = clean_title(title)
    except InvalidRecord:
        assume(False)

    assert once == clean_title(once)


@pytest.mark.parametrize("body", ["", "x" * MAX_BODY_BYTES, "a\r\nb\rc\n\n", "\x1b[0m", "=======\n", "<<<<<<< only"])
def test_a_body_is_kept_as_it_is(body):
    """Nothing is trimmed or folded: it is the person's text."""
    assert body == valid(replace(DECISION, body=body)).body


@pytest.mark.parametrize(("given", "expected"), [(0, 0.0), (1, 1.0), (0.1 + 0.2, 0.3), (0.123456, 0.1235)])
def test_a_confidence_is_a_number_people_can_read(given, expected):
    """Four digits are more than anyone can mean."""
    found = valid(replace(DECISION, confidence=given)).confidence

    assert (expected, float) == (found, type(found))


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("Auth", "auth", "AUTH"), ("auth",)),
        (("#api", "##api"), ("api",)),
        (("two words", " x  y "), ("two-words", "x-y")),
        (("", "#", "  ", "a"), ("a",)),
        (("b", "a"), ("b", "a")),
        (("Straße", "É"), ("strasse", "é")),
        (("a\x00b",), ("ab",)),
    ],
)
def test_tags_are_written_one_way(tags, expected):
    """Lower case, dashes, no leading hash, each once, in the order given."""
    assert expected == clean_tags(tags)


_TAGS = st.lists(st.text(max_size=8) | st.text("# -aÄ\u0301\u200b\x00İ", max_size=6), max_size=6)


@settings(max_examples=examples(300))
@given(_TAGS)
@example(["# #x"])
@example(["\x00#x"])
@example(["e\u200b\u0301"])
@example(["#-#"])
def test_tags_are_clean_after_cleaning_them_once(tags):
    """Otherwise the same file would make a new version each time it is read."""
    once = clean_tags(tags)

    assert once == clean_tags(once)


@given(_TAGS)
def test_a_tag_is_one_word(tags):
    """Printable, without spaces, and not empty."""
    assert all(tag and tag.isprintable() and not any(c.isspace() for c in tag) for tag in clean_tags(tags))


@settings(max_examples=examples(100))
@given(st.text(max_size=40), st.floats(0, 1), _TAGS, st.text(max_size=40))
def test_a_valid_record_stays_valid(title, confidence, tags, body):
    """Validation is a fixed point: what is stored is what is read and stored again."""
    try:
        once = valid(replace(DECISION, title=title, confidence=confidence, tags=tuple(tags), body=body))
    except InvalidRecord:
        assume(False)

    assert once == valid(once)
    assert unicodedata.is_normalized("NFC", once.title)


# --- evidence ---------------------------------------------------------------------------------------------------------


@given(
    st.text("abcdef-_.0", min_size=1), st.text("abc/#-L1 é", min_size=1), st.integers(0, 10**9), st.integers(0, 10**9)
)
def test_a_reference_leads_back_to_its_evidence(agent, run_id, first, last):
    """Quotes stay in the store; where it was said is all a file carries."""
    evidence = Evidence(agent, run_id, first, last)

    assert evidence == Evidence.parse(evidence.reference)


def test_a_reference_may_name_one_line():
    """`#L7` is `#L7-L7`."""
    assert Evidence("claude", "abc123", 7, 7) == Evidence.parse("claude/abc123#L7")


@pytest.mark.parametrize(
    "text",
    [
        *("", "claude", "claude/abc", "claude/abc#", "claude/abc#7", "claude/abc#L", "/abc#L1", "claude/#L1"),
        *("claude/abc#L1-2", "claude/abc#L-1", "claude/abc#Lx", "claude/abc#L1-L2-L3", "claude/a#L" + "1" * 5000),
    ],
)
def test_anything_else_is_no_reference(text):
    """The message shows what one looks like."""
    with pytest.raises(InvalidRecord) as caught:
        Evidence.parse(text)

    assert "evidence" == caught.value.field


# --- times ------------------------------------------------------------------------------------------------------------

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=zones)  # noqa: DTZ001 - zones are drawn


@given(moments)
def test_a_time_leads_back_to_itself(moment):
    """To the second, in UTC, whatever zone it was said in."""
    text = time_text(moment)

    assert moment.astimezone(UTC).replace(microsecond=0) == parse_time(text)
    assert (20, "Z", text) == (len(text), text[-1], time_text(parse_time(text)))


@given(moments, moments)
def test_times_sort_as_text(one, two):
    """The database compares them that way."""
    one, two = parse_time(time_text(one)), parse_time(time_text(two))

    assert (one < two) == (time_text(one) < time_text(two))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-02-20T10:30:00Z", T0),
        ("2026-02-20T10:30:00", T0),
        ("2026-02-20 10:30", T0),
        ("2026-02-20T12:30:00+02:00", T0),
        ("2026-02-20T10:30:00.999999Z", T0),
        ("2026-02-20", T0.replace(hour=0, minute=0)),
    ],
)
def test_a_time_may_be_written_in_several_ways(text, expected):
    """A date alone means its first second; no zone means UTC."""
    assert expected == parse_time(text)


@pytest.mark.parametrize(
    "text", ["", "now", "2026-13-01", "10:30", "2026-02-30", "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"]
)
def test_anything_else_is_no_time(text):
    """The field is named."""
    with pytest.raises(InvalidRecord) as caught:
        parse_time(text, "created")

    assert "created" == caught.value.field


def test_now_is_utc_to_the_second():
    """What people read, sort and compare in files."""
    assert (UTC, 0) == (utc_now().tzinfo, utc_now().microsecond)


# What is declared once


@pytest.mark.parametrize("name", [*LESSONS, *Kind])
def test_a_primitive_or_kind_is_declared_in_one_module(name: str) -> None:
    """A new one is a line there: nobody else spells their names, but who reads other programs' files or speech acts."""
    package = Path(records.__file__).parents[1]
    others = [package / "context" / "records.py", package / "ingest" / "findings.py", package / "sources"]
    modules = [path for path in package.rglob("*.py") if not any(path.is_relative_to(other) for other in others)]

    # Only where it stands in quotes is there anything to parse.
    quoted = re.compile(rf"[\"'}}]{name}[\"'{{]")
    spelled = [path for path in modules if quoted.search(path.read_text("utf-8")) and name in _literals(path)]

    assert [] == [str(path.relative_to(package)) for path in spelled]


def _literals(path: Path) -> set[object]:
    return {node.value for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant)}


def test_every_primitive_and_kind_has_its_traits() -> None:
    """Ids, folders and other words tell them apart."""
    words = [word for one in (*Primitive, *Kind) for word in (str(one), *one.traits.also, *one.traits.labels)]

    assert len(words) == len(set(words))
    assert len(Primitive) == len({one.traits.prefix for one in Primitive}) == len({p.traits.folder for p in Primitive})
    assert all(one.traits.meaning for one in (*Primitive, *Kind))
