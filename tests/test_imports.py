"""Start-up is a feature: a hook that runs before each session pays for every import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lerim

from .conftest import Prepared

DULL = {"dataclasses", "inspect", "shutil", "tomllib", "locale", "threading"}
#: What no quick command may load, and why it would: each is slow, or belongs to a use case that was not asked for.
HEAVY = {
    *("yaml", "argcomplete", "tempfile", "subprocess", "difflib", "csv", "logging", "asyncio", "socket", "ssl"),
    *("http", "urllib.request", "email", "multiprocessing", "concurrent.futures", "unittest", "importlib.metadata"),
    *("pydantic", "pydantic_ai", "dspy", "numpy", "httpx", "openai", "anthropic", "psycopg", "onnxruntime"),
    *("orjson", "msgspec", "zstandard", "re2"),
    # What the standard dataclasses and argparse would load: more than our own modules together.
    *DULL,
}
#: Modules of our own that only their use case needs.
RARE = {"lerim.context.notes", "lerim.context.upkeep", "lerim.cli.editor"}
#: Rooms of our own that only those who ask for sessions need.
CLOSED = ("lerim.sources", "lerim.sessions.")
#: What `status` needs to count the sessions: the file, none of the readers.
OPEN = {"lerim.sessions.database", "lerim.sessions.session"}

#: Where the package that is being tested lies: another one may be installed.
PACKAGE = str(Path(lerim.__file__).parents[1])

_PRINT_MODULES = f"""
import sys
sys.path.insert(0, {PACKAGE!r})
from lerim.cli.main import main
try:
    code = main(sys.argv[1:])
except SystemExit as done:
    code = done.code
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


def env_of(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.defpath, "PYTHONUTF8": "1", "LERIM_NO_HELPER": "1"}


def fill(home: Path) -> None:
    env = env_of(home)
    (home / ".git").mkdir()
    loaded(home, env, "memory", "add", "--kind", "insight", "--title", "Tokens expire", "--body", "After a while.")
    # A file younger than two seconds is read again, and reading takes the YAML parser.
    for file in (home / ".lerim" / "memory").rglob("*.md"):
        os.utime(file, (time.time() - 60,) * 2)
    loaded(home, env, "sources", "auto")
    loaded(home, env, "status")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("filled"), fill)


@pytest.fixture
def tmp_path(filled: Prepared) -> Path:
    """A home and a repository of their own, with one memory that was kept a while ago, and a catalog."""
    return filled.anew()


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return env_of(tmp_path)


def loaded(cwd: Path, env: dict[str, str], *words: str) -> set[str]:
    """The modules in memory after a command."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", _PRINT_MODULES, *words], cwd=cwd, env=env, capture_output=True, check=False
    )
    assert 0 == done.returncode, done.stderr.decode()
    return set(done.stderr.decode().splitlines()[-1].split())


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "status",
        "status --json",
        "memory list",
        "memory list --json",
        "config show",
        "brief",
        "brief status",
    ],
)
def test_a_command_loads_only_what_it_needs(command: str, env: dict[str, str], tmp_path: Path) -> None:
    """Nothing heavy, and nothing of our own that only a rare command needs."""
    modules = loaded(tmp_path, env, *command.split())

    # Help is as wide as the terminal.
    assert set() == modules & (HEAVY | RARE) - ({"shutil"} if command == "--help" else set())
    assert set() == {name for name in modules - OPEN if name.startswith(CLOSED)}


def test_a_search_by_meaning_loads_numpy_and_nothing_else(env: dict[str, str], tmp_path: Path) -> None:
    """Our own arithmetic answers before onnxruntime would have been loaded."""
    modules = loaded(tmp_path, env, "search", "tokens")

    # What numpy loads is its own affair.
    assert {"numpy"} == modules & (HEAVY | RARE) - DULL
    assert set() == modules & {"tokenizers", "lerim.search.onnx_model", "lerim.search.download"}
    assert set() == {name for name in modules - OPEN if name.startswith(CLOSED)}


def test_a_search_by_words_loads_no_numpy(env: dict[str, str], tmp_path: Path) -> None:
    """Who switched embeddings off does not pay for them."""
    (tmp_path / "words.toml").write_text("[embeddings]\nenabled = false\n")

    modules = loaded(tmp_path, {**env, "LERIM_CONFIG": str(tmp_path / "words.toml")}, "search", "tokens")

    assert {"tomllib"} == modules & (HEAVY | RARE)  # For the settings that say so.
    assert set() == {name for name in modules if name in {"lerim.search.index", "lerim.search.hybrid"}}


def test_keeping_the_memory_true_loads_no_framework_for_models(env: dict[str, str], tmp_path: Path) -> None:
    """By words alone, nobody is asked."""
    modules = loaded(tmp_path, env, "maintain")

    assert "lerim.runtime.curator" in modules
    assert set() == modules & {"pydantic_ai", "dspy", "openai", "anthropic", "lerim.runtime.agent"}


def test_a_session_is_taken_in_without_a_framework_for_models(env: dict[str, str], tmp_path: Path) -> None:
    """It would take longer to load than the session takes, and nobody is asked."""
    project, folder = tmp_path / "work", tmp_path / ".claude" / "projects" / "work"
    (project / ".git").mkdir(parents=True)
    loaded(project, env, "init")
    folder.mkdir(parents=True)
    said = {"role": "user", "content": "From now on always put the lock fixtures into conftest.py, since they leak."}
    line = {"type": "user", "uuid": "1", "sessionId": "a", "cwd": str(project), "timestamp": "2026-02-20T10:30:00Z"}
    (folder / "a.jsonl").write_text(json.dumps({**line, "message": said}) + "\n")

    modules = loaded(project, env, "sync", "--all")

    assert "lerim.runtime.agent" in modules
    assert set() == modules & {"pydantic_ai", "dspy", "openai", "anthropic", "httpx"}


def test_a_sync_without_work_loads_no_reader(env: dict[str, str], tmp_path: Path) -> None:
    """It looks at the disk and at the queue: nothing reads a session, redacts it, or drives an agent."""
    modules = loaded(tmp_path, env, "sync")

    assert set() == modules & (HEAVY | RARE) - {"threading"}
    assert set() == {name for name in modules if name.startswith(("lerim.sources.secret", "lerim.sources.redact"))}
    assert set() == modules & {"lerim.sources.claude_reader", "lerim.runtime.agent", "lerim.ingest", "lerim.llm"}


def test_a_sync_without_work_judges_nothing_that_hooks_gave(env: dict[str, str], tmp_path: Path) -> None:
    """Where agents have hooks, it looks whether a session was given anything; that is all."""
    loaded(tmp_path, env, "hook", "turn-end", "--agent", "claude")

    modules = loaded(tmp_path, env, "sync")

    assert set() == modules & (HEAVY | RARE) - {"threading"}
    assert set() == modules & {"lerim.runtime.usefulness", "lerim.ingest", "lerim.search.similar"}


def test_a_question_without_a_model_loads_no_agent(env: dict[str, str], tmp_path: Path) -> None:
    """It is searched for and put together; the framework of models is for those who have one."""
    modules = loaded(tmp_path, env, "ask", "when do tokens expire?")

    # What numpy loads is its own affair.
    assert {"numpy"} == modules & (HEAVY | RARE) - DULL
    assert set() == modules & {"lerim.runtime.agent", "lerim.runtime.answering", "lerim.ingest.signals.engine"}
    assert set() == {name for name in modules - OPEN if name.startswith(CLOSED)}


@pytest.mark.parametrize("event", ["session-start", "turn-end"])
def test_a_hook_loads_next_to_nothing(event: str, env: dict[str, str], tmp_path: Path) -> None:
    """No settings, no parser, no database: it reads one file and writes one."""
    modules = loaded(tmp_path, env, "hook", event, "--agent", "claude")

    assert set() == modules & (HEAVY | RARE | {"sqlite3", "argparse", "datetime", "lerim.service", "lerim.cli.output"})
    ours = {name for name in modules if name.startswith("lerim.")}
    rooms = ("lerim.cli", "lerim.connect.hook", "lerim.sessions.spool", "lerim.views.shelf", "lerim.config.scope")
    base = {"lerim.connect", "lerim.sessions", "lerim.views", "lerim.config", "lerim.errors", "lerim.digests"}
    assert set() == {name for name in ours - base if not name.startswith(rooms)} - {"lerim.dataclass", "lerim.openat"}


@pytest.mark.parametrize("command", ["--help", "--version"])
def test_help_opens_no_room(command: str, env: dict[str, str], tmp_path: Path) -> None:
    """Asking what there is needs neither the database nor the memory, nor a document."""
    modules = loaded(tmp_path, env, command)

    rooms = ("sqlite3", "lerim.context", "lerim.service", "lerim.payloads")
    assert set() == {name for name in modules if name.startswith(rooms)}


def test_a_command_loads_the_documents_of_its_noun(env: dict[str, str], tmp_path: Path) -> None:
    """Each type takes a moment to define."""
    modules = loaded(tmp_path, env, "status", "--json")

    assert {"lerim.payloads", "lerim.payloads.status"} == {name for name in modules if "payloads" in name}


def test_importing_lerim_loads_none_of_it() -> None:
    """The public names come on first use."""
    code = f"import sys; sys.path.insert(0, {PACKAGE!r}); import lerim; print(lerim.__file__, *sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=True, text=True)

    file, *modules = done.stdout.split()
    assert lerim.__file__ == file
    assert [] == [name for name in modules if name.startswith("lerim.")]


@pytest.mark.parametrize("name", lerim.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """`__all__` keeps its word."""
    assert getattr(lerim, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Loading on first use must not swallow a typing mistake."""
    with pytest.raises(AttributeError, match="Lerimm"):
        lerim.Lerimm  # noqa: B018


def test_a_graph_that_is_up_to_date_loads_no_numpy(env: dict[str, str], tmp_path: Path) -> None:
    """Who looks at it again reads it from disk."""
    loaded(tmp_path, env, "graph", "show")
    modules = loaded(tmp_path, env, "graph", "show")

    assert "lerim.graph.room" in modules
    assert set() == modules & {"numpy", "graspologic_native", "lerim.graph.building", "lerim.search.index"}
