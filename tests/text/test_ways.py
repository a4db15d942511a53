"""Two ways of one thing exclude each other, and a title allows or forbids in many words."""

from __future__ import annotations

import pytest

from lerim.text.permits import Permit, affirms, permit_of, turns_permit
from lerim.text.statements import statement
from lerim.text.ways import other_way
from lerim.text.words import words


@pytest.mark.parametrize(
    ("earlier", "later", "ways"),
    [
        ("Totals are computed on the server", "the browser computes the totals", ("browser", "server")),
        ("Mails are sent synchronously", "mails go through a queue, a worker sends them", ("queue", "synchronously")),
        ("Drafts are hidden in the list", "drafts are shown with a grey label", ("shown", "hidden")),
        ("Lint errors block the merge", "lint is advisory", ("advisory", "block")),
        ("One database shared by all tenants", "each tenant gets its own database", ("each", "one")),
        ("Scaling is manual", "the cluster scales automatically", ("automatically", "manual")),
    ],
)
def test_another_way_is_told(earlier: str, later: str, ways: tuple[str, str]) -> None:
    assert other_way(words(later), words(earlier)) == ways


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Totals are computed on the server", "totals are rounded on the server"),
        ("Client and server share the types", "the client is written in Swift"),
        ("Keep the exports for 14 days", "exports are kept two weeks"),
    ],
)
def test_no_other_way_is_told(earlier: str, later: str) -> None:
    assert other_way(words(later), words(earlier)) is None


@pytest.mark.parametrize(
    ("title", "permit"),
    [
        ("No tracking pixels in the mails", Permit.FORBIDDEN),
        ("Guests have no access to the archive", Permit.FORBIDDEN),
        ("Hot reload is disabled on devices", Permit.FORBIDDEN),
        ("Guests may read the archive", Permit.ALLOWED),
        ("Tracking pixels are fine", Permit.ALLOWED),
        ("The archive lies on tape", None),
    ],
)
def test_what_a_title_permits_is_told(title: str, permit: Permit | None) -> None:
    assert permit_of(title) is permit


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Guests have no access to the archive", "guests can browse the archive"),
        ("Remote resets of a lift are forbidden", "service may reset a lift remotely"),
        ("Interns may merge pull requests", "interns must not merge pull requests"),
    ],
)
def test_what_was_forbidden_is_allowed_or_the_other_way_round(earlier: str, later: str) -> None:
    assert turns_permit(statement(later, ""), statement(earlier, ""))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # A place or case of its own, or another matter.
        ("Don't push to main", "you can push to the docs branch"),
        ("Default exports are forbidden", "default exports are okay in Next.js pages"),
        ("Tests must not sleep", "sleeping is fine if it is under 10 ms"),
        ("Guests have no access to the archive", "members may rename folders"),
        ("Guests have no access to the archive", "guests must not see the archive"),
    ],
)
def test_an_exception_turns_nothing_around(earlier: str, later: str) -> None:
    assert not turns_permit(statement(later, ""), statement(earlier, ""))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Full-text search is not supported in the archive", "The archive has a full-text search over all volumes"),
        ("Autosave is disabled for drawings", "Drawings are autosaved every minute"),
        ("Captions are unnecessary for tutorial videos", "Every tutorial video has captions"),
    ],
)
def test_what_was_off_is_so_now(earlier: str, later: str) -> None:
    assert affirms(statement(later, ""), statement(earlier, ""))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("No calls on Mondays", "Mondays are call-free"),
        ("Autosave is disabled for drawings", "Drawings are saved only by hand"),
        ("Autosave is disabled for drawings", "Autosave stays off, drawings are never saved"),
        ("The export failed because the bucket was not versioned", "The bucket of the export is versioned"),
        ("Snapshots are off on the build hosts", "Snapshots run on the database hosts in Oslo"),
        ("Autosave runs every minute for drawings", "Drawings are autosaved"),
    ],
)
def test_what_forbids_as_well_or_is_elsewhere_affirms_nothing(earlier: str, later: str) -> None:
    assert not affirms(statement(later, ""), statement(earlier, ""))


@pytest.mark.parametrize(
    "title", ["Nobody may push to main", "Nothing may be shipped by hand", "None of us can deploy"]
)
def test_what_nobody_may_is_forbidden(title: str) -> None:
    assert permit_of(title) is Permit.FORBIDDEN


def test_a_prohibition_said_again_turns_nothing() -> None:
    earlier, later = (statement(title, "") for title in ("Nobody may push to main", "Do not push to main"))
    assert not turns_permit(later, earlier)
