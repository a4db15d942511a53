"""Whatever sessions and memories say is text: no page runs it, follows it or loads it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from lerim.context.records import Kind, Primitive
from lerim.examples.layouts import LAYOUTS
from lerim.examples.steps import AgentStep, CommandStep, EditStep, ExampleSession, ReadStep, Step, UserStep

from . import install
from .conftest import Browse
from .pages import PAGES, path_of
from .served import Machine, Served, serving

IMAGE = "<img src=x onerror=\"window.ran='image'\">"
SCRIPT = "</script></textarea></title><script>window.ran='script'</script>"
QUOTES = "\"'><svg onload=\"window.ran='svg'\">"
LINK = "[here](javascript:window.ran='link') javascript:window.ran='link'"
TEMPLATE = "{{ 7 * 7 }}{% raw %}${window.ran='template'}"
EVERYTHING = f"{IMAGE} {SCRIPT} {QUOTES} {LINK} {TEMPLATE}"
SAID: tuple[Step, ...] = (
    UserStep(f"Install the linter {EVERYTHING}, please."),
    CommandStep(f"echo '{EVERYTHING}'", EVERYTHING),
    ReadStep(f"src/{IMAGE.replace('/', '')}.py", EVERYTHING),
    EditStep(f"src/{QUOTES.replace('/', '')}.py", EVERYTHING),
    AgentStep(f"Root cause: the linter {EVERYTHING} takes no lock, so two of them overwrite each other."),
    UserStep(f"We use pnpm in this repository, never npm, because {EVERYTHING} breaks the lockfile."),
    AgentStep("Understood, pnpm it is."),
    UserStep(f"Rule for the future: never call {QUOTES} from {IMAGE} again, it costs us a day each time."),
)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Memories, sessions, files and folders whose words are markup, each in its own way."""
    if reason := install.missing():
        pytest.skip(reason)
    machine = Machine(tmp_path_factory.mktemp("hostile"))
    machine.make()
    now = datetime.now(UTC)
    for number, agent in enumerate(sorted(LAYOUTS)):
        began = now - timedelta(days=number + 1)
        session = ExampleSession(agent, f"3f0a6c1e-52b7-4d09-9c1d-0b7a4e5f6a0{number}", began, SAID, branch=QUOTES)
        file = LAYOUTS[agent](session, machine.home, machine.project)
        os.utime(file, (session.ended.timestamp(), session.ended.timestamp()))
    machine.lerim("sync")
    for words in (IMAGE, SCRIPT, QUOTES, LINK, TEMPLATE):
        machine.add(
            f"Never {words}", f"# {words}\n\n{EVERYTHING}\n\n```html\n{EVERYTHING}\n```\n", tags=("lint", "html")
        )
        machine.add(f"Prefer {words}", words, primitive=Primitive.LEARNING, kind=Kind.PITFALL)
    with serving(machine) as it:
        yield it


@pytest.mark.drill
@pytest.mark.parametrize("name", PAGES)
def test_no_page_runs_what_it_shows(browse: Browse, hostile: Served, name: str) -> None:
    """No script ran, nothing was asked of anybody but us, and no link leads to a script."""
    asked: list[str] = []
    page = browse(hostile)
    page.on("request", lambda request: asked.append(request.url))

    page.goto(hostile.at(path_of(hostile, name)), wait_until="load")

    assert page.evaluate("() => window.ran") is None
    assert [] == [url for url in asked if not url.startswith((hostile.url, "data:"))]
    strangers = "script:not([src]), a[href^='javascript:' i], main img[src='x'], main svg[onload], [onerror]"
    assert [] == page.locator(strangers).evaluate_all("(found) => found.map((one) => one.outerHTML)")
