"""A browser that is logged in, and somebody who notes whatever goes wrong in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from . import install, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, Response

MANY = 20_000


@pytest.fixture(scope="package")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of the folder. Its driver's event loop is this thread's: nobody else may meet it."""
    if reason := install.missing():
        pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * served.PATIENCE)
    home = {**os.environ, "HOME": str(tmp_path_factory.mktemp("chromium"))}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=install.chromium(), args=["--no-sandbox"], env=home)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that looks for what keeps people out."""
    path = install.axe()
    if path is None:
        pytest.skip("axe-core, which checks accessibility, is not installed")
    return path.read_text("utf-8")


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[served.Served]:
    """The example project. Whoever changes a record adds it first: others look at the same memory."""
    if reason := install.missing():
        pytest.skip(reason)
    with served.serving(served.example(tmp_path_factory.mktemp("example"))) as it:
        yield it


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[served.Served]:
    """A memory that took years."""
    if reason := install.missing():
        pytest.skip(reason)
    with served.serving(served.large(tmp_path_factory.mktemp("large"), MANY)) as it:
        yield it


class Watcher:
    """Notes what no page of ours may do: an error in the console, a request that fails, a window that pops up."""

    def __init__(self, allowed: tuple[int, ...]) -> None:
        self._allowed = allowed
        self.seen: list[str] = []

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)
        page.on("dialog", self._dialog)

    def _console(self, message: ConsoleMessage) -> None:
        is_allowed = any(f"status of {code}" in message.text for code in self._allowed)
        if message.type in ("error", "warning") and not is_allowed:
            self.seen.append(f"console: {message.text} ({message.location.get('url')})")

    def _failed(self, request: Request) -> None:
        # Whoever leaves a page, or types on, gives up what was asked for.
        if request.failure != "net::ERR_ABORTED":
            self.seen.append(f"failed: {request.url} {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self._allowed:
            self.seen.append(f"{response.status}: {response.url}")

    def _dialog(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()


Browse = Callable[..., "Page"]


@pytest.fixture
def browse(chromium: Browser) -> Iterator[Browse]:
    """Log in to what is served. `allowed`: the errors that a test wants to see; the rest is about the browser."""
    watchers, contexts = [], []

    def browse(site: served.Served, path: str = "/", allowed: tuple[int, ...] = (), **browser: Any) -> Page:
        browser = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **browser}
        contexts.append(context := chromium.new_context(**browser))
        context.set_default_timeout(1000 * served.PATIENCE)
        watchers.append(watcher := Watcher(allowed))
        context.on("page", watcher.watch)
        page = context.new_page()
        page.goto(site.login())
        if path != "/":
            page.goto(site.at(path))
        return page

    yield browse
    for context in contexts:
        context.close()
    assert [] == [seen for watcher in watchers for seen in watcher.seen]


@pytest.fixture
def page(browse: Browse, example: served.Served) -> Page:
    """Today, of the example project."""
    return browse(example)
