"""What one record is to another: each kind of link on plain cases, and what must not be linked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from lerim.context.links import Edge, EdgeKind
from lerim.context.records import Draft, Evidence, Kind, Primitive, Record, Trust
from lerim.dataclass import replace
from lerim.graph.names import Rarity, names_in, rarity
from lerim.graph.pairs import LinkedText, Tie, link

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
Names = dict[str, Rarity]
RARE: Names = {"keycloak": Rarity.VERY_RARE}


def record(title: str, body: str = "", kind: Kind | None = None, *, day: int = 0, line: int | None = None) -> Record:
    primitive = Primitive.LEARNING if kind else Primitive.DECISION
    evidence = (Evidence("claude", "run-1", line, line, "", Trust.USER),) if line else ()
    return Draft(primitive, title, body, kind, evidence=evidence).record(NOW + timedelta(days=day))


def linked(
    one: Record, other: Record, near: float | None = None, names: dict[str, Rarity] | None = None
) -> Edge | None:
    return link(LinkedText(one), LinkedText(other), Tie(near, names or {}))


def test_a_later_choice_of_the_contrary_contradicts_the_earlier_one() -> None:
    """Whichever of the two is looked at first."""
    old, new = record("Use npm to install packages"), record("Use pnpm to install packages, not npm", day=3)

    for edge in (linked(old, new, 0.8), linked(new, old, 0.8)):
        assert edge is not None
        assert (new.id, old.id, EdgeKind.CONTRADICTS) == (edge.source, edge.target, edge.kind)
        assert edge.reason


def test_what_says_the_same_supports_and_what_says_more_refines() -> None:
    old = record("Tests run in parallel")
    again, more = record("Tests run in parallel", day=1), record("Tests run in parallel on four workers in CI", day=1)

    first, second = linked(old, again, 0.9), linked(old, more, 0.9)

    assert first is not None and (again.id, EdgeKind.SUPPORTS) == (first.source, first.kind)
    assert second is not None and (more.id, EdgeKind.REFINES) == (second.source, second.kind)


def test_a_choice_depends_on_what_it_says_it_needs() -> None:
    """The name must stand behind the word, and be what the other is about."""
    need = record("Login works by single sign-on", "It depends on Keycloak being up.")
    about = record("Our Keycloak runs in its own container", kind=Kind.INSIGHT)
    before = record("For Keycloak we chose a container", "That requires disk space.")

    edge = linked(need, about, 0.5, RARE)

    assert edge is not None
    assert (need.id, about.id, EdgeKind.DEPENDS_ON) == (edge.source, edge.target, edge.kind)
    other = linked(before, about, 0.5, RARE)
    assert other is None or other.kind is not EdgeKind.DEPENDS_ON


def test_a_fact_supports_the_choice_whose_reason_names_it() -> None:
    fact = record("The Keycloak realm forgets sessions", kind=Kind.PITFALL)
    choice = record("Tokens are short", "We do so because Keycloak forgets sessions.")

    edge = linked(choice, fact, 0.5, RARE)

    assert edge is not None
    assert (fact.id, choice.id, EdgeKind.SUPPORTS) == (edge.source, edge.target, edge.kind)


def test_a_fact_is_evidence_for_the_choice_made_in_the_same_words() -> None:
    fact = record("Cold starts take nine seconds", kind=Kind.INSIGHT, line=10)
    choice, elsewhere = record("Keep one worker warm at all times", line=11), record("Keep a worker warm", line=300)

    edge = linked(fact, choice, 0.5)

    assert edge is not None
    assert (fact.id, choice.id, EdgeKind.EVIDENCE_FOR) == (edge.source, edge.target, edge.kind)
    assert linked(fact, elsewhere, 0.5) is None


def test_a_session_is_evidence_for_what_was_said_in_it() -> None:
    lesson = record("Keep one worker warm", line=3)
    told = Draft(Primitive.SUMMARY, "Made cold starts rare", "We did.").record(NOW)
    summary, other = (replace(told, coding_agent="claude", run_id=run) for run in ("run-1", "run-2"))

    edge = linked(lesson, summary)

    assert edge is not None
    assert (summary.id, lesson.id, EdgeKind.EVIDENCE_FOR) == (edge.source, edge.target, edge.kind)
    assert linked(other, lesson) is None


def test_likeness_needs_two_grounds_or_much_of_one() -> None:
    """Near alone must be very near; a name alone, however rare, says nothing."""
    one, other = record("The login page shows a spinner"), record("Keycloak realms live in infra", kind=Kind.INSIGHT)

    assert linked(one, other, 0.5) is None
    assert linked(one, other, None, RARE) is None
    assert linked(one, other) is None
    kinds = [edge.kind for near in (0.45, 0.6) if (edge := linked(one, other, near, RARE))]
    assert [EdgeKind.RELATED, EdgeKind.SAME_TOPIC] == kinds
    alone = linked(one, other, 0.7)
    assert alone is not None and alone.kind is EdgeKind.SAME_TOPIC


@pytest.mark.parametrize("near", [0.4, 0.55, 0.7, 0.95])
def test_a_link_is_the_same_from_both_ends(near: float) -> None:
    one, other = record("Use Keycloak for login"), record("Login by Keycloak needs a realm", kind=Kind.PITFALL, day=1)

    assert linked(one, other, near, RARE) == linked(other, one, near, RARE)


def test_names_are_code_files_and_what_is_written_large() -> None:
    text = (
        "Use `jwt_secret` in src/auth.py, says Keycloak; the handleLogin of `make test` needs 3.11"
        " and --no-verify. The end"
    )

    found = set(names_in(text))

    assert {"jwt_secret", "src/auth.py", "keycloak", "handlelogin", "--no-verify"} <= found
    assert found.isdisjoint({"use", "the", "make", "test", "3.11", "end", "needs"})


def test_a_name_that_many_speak_of_says_nothing() -> None:
    assert [Rarity.VERY_RARE, Rarity.RARE, Rarity.COMMON] == [rarity(count) for count in (2, 8, 9)]
