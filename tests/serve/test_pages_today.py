"""Today, and the frame around every page: what was learned, what waits, what is suspect, and the next step."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from lerim.context.records import Kind, Primitive
from lerim.serve.pages.shell import NAV, Flash, Flashes, ago, count, moment, pieces_of, session_path
from lerim.serve.web.app import STATIC

from .conftest import Workplace
from .dashboard import Visitor, dashboard, propose, require_sound, tags_of, until

HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(2)>'\"{{ 7*7 }}"
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def git(root: Path, *args: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    subprocess.run(["git", "-C", str(root), *who, *args], env={**os.environ, **QUIET}, capture_output=True, check=True)


def lose_ground(workplace: Workplace) -> None:
    """A memory that names a file which is gone."""
    workplace.add("Bearer tokens are issued and checked in src/tokens.py")
    git(workplace.project, "rm", "-q", "src/tokens.py")
    git(workplace.project, "commit", "-q", "-m", "Leave tokens to the gateway")
    with workplace.open() as lerim:
        lerim.check_grounds()


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    made = Workplace(tmp_path_factory.mktemp("today"))
    git(made.project, "init", "-q", "-b", "main")
    (made.project / "src").mkdir()
    (made.project / "src" / "tokens.py").write_text("def issue_token(): ...\n")
    git(made.project, "add", "src")
    git(made.project, "commit", "-q", "-m", "Begin")
    lose_ground(made)
    made.add("Prices are integer cents", "Floats lose money.", primitive=Primitive.LEARNING, kind=Kind.INSIGHT)
    made.add(HOSTILE, HOSTILE, tags=("<b>bold</b>",))
    propose(made, "Use pnpm, never npm", f"Tabs, not spaces {HOSTILE}")
    return made


@pytest.fixture(scope="module")
def visitor(workplace: Workplace) -> Iterator[Visitor]:
    with dashboard(workplace) as found:
        yield found


def test_it_tells_what_was_learned_this_week_and_what_waits(visitor: Visitor) -> None:
    shown = visitor.get("/")

    assert 200 == shown.code
    assert "Today" in shown.text and "3 memories" in shown.text
    assert "Prices are integer cents" in shown.text
    assert "2 waiting for review" in shown.text and "Sessions of your coding agents wait to be read" in shown.text
    assert "Use pnpm, never npm" in shown.text
    assert "2 decisions, 1 learning" in shown.text
    require_sound(shown)


def test_it_tells_what_is_suspect_and_since_when(visitor: Visitor) -> None:
    text = visitor.get("/").text

    assert "Bearer tokens are issued and checked in src/tokens.py" in text
    assert re.search(r"suspect since [0-9a-f]{10} .*src/tokens.py was deleted", text)


def test_where_nothing_is_remembered_the_next_command_is_shown(tmp_path: Path) -> None:
    with dashboard(Workplace(tmp_path)) as visitor:
        shown = visitor.get("/")
        memory, review = visitor.get("/memory"), visitor.get("/review")

    assert "Nothing remembered yet" in shown.text
    assert "<code>lerim sync</code>" in shown.html
    assert "Nothing remembered yet" in memory.text
    assert "Nothing waits for you" in review.text
    for page in (shown, memory, review):
        require_sound(page)


def test_words_of_others_are_text_on_every_page(visitor: Visitor) -> None:
    """Titles, bodies, tags and candidates: shown to the letter, and never run."""
    listed = visitor.get("/memory")
    (ref,) = re.findall(r'href="(/p/here/memory/dec-[^"]+)">[^<]*&lt;/title', listed.html)
    pages = [visitor.get("/"), listed, visitor.get("/memory", q="script alert"), visitor.at(ref)]
    pages += [visitor.at(f"{ref}/edit"), visitor.get("/review"), visitor.get("/memory", tag="<b>bold</b>")]
    for shown in pages:
        require_sound(shown)
        assert "<script>alert" not in shown.html and "<img src=x" not in shown.html and "<b>bold" not in shown.html
        assert "49" not in re.findall(r"\{\{ (\S+) \}\}", shown.text)
    assert "<script>alert(1)</script>" in pages[3].text


def test_the_switcher_leads_to_every_project_and_the_global_memory(visitor: Visitor, workplace: Workplace) -> None:
    with workplace.open() as lerim:
        (project,) = lerim.projects.all()

    shown = visitor.get("/")

    assert f'href="/p/{project.id}/" aria-current="true"' in shown.html
    assert 'href="/p/global/"' in shown.html
    assert "Prices are integer cents" in visitor.at(f"/p/{project.id}/").text
    assert "Nothing remembered yet" in visitor.at("/p/global/memory").text


def test_what_is_not_there_is_said_with_the_next_command(visitor: Visitor) -> None:
    shown = visitor.at("/p/nowhere/")

    assert 404 == shown.code
    assert "no project 'nowhere'" in shown.text
    assert "<code>lerim project list</code>" in shown.html
    require_sound(shown)


def test_a_server_that_only_reads_offers_nothing_else(workplace: Workplace) -> None:
    with dashboard(workplace, is_read_only=True) as visitor:
        pages = [visitor.get(path) for path in ("/", "/memory", "/review")]
        with workplace.open() as lerim:
            first = lerim.memory.page(limit=1).items[0].record.id
        pages.append(visitor.get(f"/memory/{first}"))
        refused = visitor.send(f"/memory/{first}/archive")

    assert not any(shown.has_forms for shown in pages)
    assert all("read-only" in shown.text for shown in pages)
    assert 405 == refused.code


def test_whoever_is_not_logged_in_is_told_of_no_project(visitor: Visitor, workplace: Workplace) -> None:
    visitor.get("/")

    stranger = visitor.without_login("/login?once=made-up")

    assert 401 == stranger.code
    assert "too old" in stranger.text and str(workplace.project) not in stranger.html


def test_new_sessions_are_read_by_a_button(tmp_path: Path) -> None:
    """In the background; what they taught is there when it is done."""
    workplace = Workplace(tmp_path)
    workplace.talk(ago=timedelta(hours=1))
    with dashboard(workplace) as visitor:
        assert "Read them now" in visitor.get("/").text
        assert "Looking for new sessions" in visitor.post("/sync").text
        until(lambda: "1 session read" in visitor.get("/").text)


def test_every_page_can_be_reached_by_a_key_of_its_own(visitor: Visitor) -> None:
    tags = tags_of(visitor.get("/").html)

    keys = [said["data-key"] for tag, said in tags if tag == "a" and "data-key" in said]
    assert len(keys) == len(NAV) == len(set(keys))
    assert "Skip to content" in visitor.get("/").text


def test_what_is_loaded_besides_a_page_is_little(visitor: Visitor) -> None:
    files = {path.name: path.stat().st_size for path in STATIC.iterdir()}

    assert sum(files.values()) < 150_000, files


# --- what all pages share, without a server ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("2026-11-16T09:59:30Z", "just now"),
        ("2026-11-16T09:18:00Z", "42 min ago"),
        ("2026-11-16T07:00:00Z", "3 h ago"),
        ("2026-11-15T08:00:00Z", "a day ago"),
        ("2026-11-12T08:00:00Z", "4 days ago"),
        ("2026-11-03T12:00:00Z", "Nov 3"),
        ("2025-11-03T12:00:00Z", "Nov 3, 2025"),
        ("2026-12-03T12:00:00Z", "Dec 3"),
    ],
)
def test_moments_are_said_as_people_say_them(when: str, said: str) -> None:
    from lerim.context.records import parse_time

    assert said == ago(when, parse_time("2026-11-16T10:00:00Z"))
    assert str(parse_time(when).astimezone().year) in moment(when)


def test_what_is_counted_agrees_with_its_number() -> None:
    assert ["1 memory", "1,204 memories", "0 quotes", "3"] == [
        count(1, "memory", "memories"),
        count(1204, "memory", "memories"),
        count(0, "quote"),
        count(3),
    ]


def test_the_words_that_were_found_are_told_apart() -> None:
    marked = "".join(
        f"[{piece}]" if is_hit else piece for piece, is_hit in pieces_of("Use tokens, not Token", ["token"])
    )

    assert "Use [tokens], not [Token]" == marked
    assert [("nothing", False)] == pieces_of("nothing", [])


def test_evidence_leads_to_its_line() -> None:
    assert "/sessions/claude/3f0a#L120" == session_path("claude/3f0a#L120-L124")
    assert "/sessions/cl%3Fude/a%26b" == session_path("cl?ude/a&b")


def test_what_is_said_after_a_form_is_said_once() -> None:
    flashes = Flashes()
    flashes.put("one", Flash("Saved."))
    for number in range(100):
        flashes.put(f"other {number}", Flash("x"))
    flashes.put("two", Flash("Archived."))

    assert "Archived." == getattr(flashes.take("two"), "text", "")
    assert flashes.take("two") is None
    assert flashes.take("one") is None, "more browsers than anybody has"
