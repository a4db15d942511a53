"""Models' servers that mean harm: whatever they send, there is one clear error, in bounded time and memory; no key
leaks, no figure is believed that cannot be, and no session is lost."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest
from pydantic_ai import Agent

from lerim.cli.main import main
from lerim.config.layers import load
from lerim.config.settings import Provider
from lerim.errors import LerimError
from lerim.examples import install
from lerim.llm import Models, Spending, UsageLedger
from lerim.service import Lerim

from ..conftest import Prepared
from ..samples import sampled


def _corpus() -> ModuleType:
    """The servers: tests are no packages, so they are loaded by their path."""
    spec = importlib.util.spec_from_file_location("hostile_servers", Path(__file__).with_name("hostile_servers.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


corpus = _corpus()
KEY = corpus.KEY
#: What a request may take at most: its own patience, three times, and this machine's mood.
SECONDS = 4 * corpus.PATIENCE + 12


@pytest.fixture
def models(home: Path) -> Callable[[str], Models]:
    settings = load(home, None, {}).settings

    async def nap(seconds: float) -> None:
        pass

    def build(url: str) -> Models:
        asked = replace(
            settings.roles.lead,
            provider=Provider.OPENAI_COMPATIBLE,
            model="m",
            base_url=url,
            timeout_seconds=corpus.PATIENCE,
        )
        ledger = UsageLedger(home, lambda: datetime.now(UTC))
        roles = replace(settings.roles, lead=asked)
        return Models(roles, settings.budget, {"OPENAI_COMPATIBLE_API_KEY": KEY}, ledger, nap)

    return build


def is_clean(text: str) -> bool:
    """No key, no part of one, nothing that steers a terminal."""
    return not any(one in text for one in (KEY, KEY[:16], KEY[::-1], "\x1b", "\x07", "\u202e", "\U000e0041"))


def test_there_are_enough_of_them() -> None:
    """More than forty, each of its own."""
    assert len(corpus.SERVERS) >= 40


@pytest.mark.parametrize("name", sampled(corpus.SERVERS, 10, 1))
def test_a_request_ends_in_one_clear_error_or_an_answer(name, models, home, caplog):
    """In bounded time, with the next command; books and logs are as they should be."""
    began = time.monotonic()
    with caplog.at_level(logging.DEBUG), corpus.serving(corpus.SERVERS[name]) as url:
        wanted = models(url)
        try:
            output = asyncio.run(Agent(wanted.model("lead", Spending("r")), retries=1).run("hello")).output
        except LerimError as error:
            assert error.hint
            assert len(error.message) < 400
            assert is_clean("".join(traceback.format_exception(error)) + error.message + str(error.hint))
        except Exception as error:
            # The agent's own framework may give up on an answer; whoever runs an agent expects that.
            assert type(error).__module__.startswith("pydantic_ai"), repr(error)
        else:
            assert is_clean(str(output))

    assert time.monotonic() - began < SECONDS
    assert KEY not in caplog.text
    spent = wanted.books.ledger.spent("r")
    assert 0 <= spent.input_tokens < 1_000_000
    assert 0 <= spent.output_tokens < 1_000_000
    assert spent.cost_usd >= 0


@pytest.mark.drill
@pytest.mark.parametrize("name", corpus.BOMBS)
def test_a_bomb_takes_no_memory(name):
    """In a process of its own: gigabytes on the wire or behind it are a few megabytes here."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("hostile_servers.py")), name],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert float(done.stdout) < 200, done.stderr


# --- the commands -----------------------------------------------------------------------------------------------------


def fill(folder: Path) -> None:
    project = folder / "berths"
    project.mkdir()
    install(folder, project, datetime.now(UTC))
    with Lerim(project, env={"HOME": str(folder), "LERIM_HOME": str(folder / ".lerim")}) as lerim:
        lerim.setup.init()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("shop").resolve(), fill)


@pytest.fixture
def shop(filled: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a few sessions and a project."""
    folder = filled.anew()
    for name in ("LERIM_CONFIG", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", KEY)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("LERIM_HOME", str(folder / ".lerim"))
    # Nobody waits between two tries.
    monkeypatch.setattr("lerim.llm.requests.WAITS", (0.0, 0.0))
    monkeypatch.chdir(folder / "berths")
    return folder / "berths"


def configure(project: Path, url: str, *roles: str) -> None:
    role = f'provider = "openai_compatible"\nmodel = "m"\nbase_url = "{url}"\ntimeout_seconds = {corpus.PATIENCE}\n'
    (project.parent / ".lerim" / "config.toml").write_text("".join(f"[roles.{name}]\n{role}" for name in roles))


@pytest.mark.parametrize("name", sampled(corpus.SERVERS, 12, 5))
def test_models_check_never_gives_a_traceback(name, shop, capsys):
    """It says whether the model works, and if not, why and what to do."""
    with corpus.serving(corpus.SERVERS[name]) as url:
        configure(shop, url, "lead")
        capsys.readouterr()
        code = main(["models", "check"])
    printed = capsys.readouterr()

    assert code in (0, 1)
    assert "Traceback" not in printed.out + printed.err
    assert ("all roles are ready" in printed.out) == (code == 0)
    assert code == 0 or "try: " in printed.out
    assert is_clean(printed.out + printed.err)


@pytest.mark.parametrize("name", sampled(corpus.SERVERS, 24, 10))
def test_a_sync_loses_no_session(name, shop, capsys):
    """Nothing half is written, no key is left behind, and each session waits for the next try or is done."""
    with corpus.serving(corpus.SERVERS[name]) as url:
        configure(shop, url, "extract", "summarize")
        capsys.readouterr()
        code = main(["sync", "--limit", "1"])
    printed = capsys.readouterr()

    assert code in (0, 1, 3)
    assert "Traceback" not in printed.out + printed.err
    assert is_clean(printed.out + printed.err)
    with Lerim(shop, env={"HOME": str(shop.parent), "LERIM_HOME": str(shop.parent / ".lerim")}) as lerim:
        states = {str(session.state) for session in lerim.sessions.queue.list()}
    assert states <= {"pending", "failed", "done", "skipped"}, states
    left = [path for path in shop.parent.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert [] == left
