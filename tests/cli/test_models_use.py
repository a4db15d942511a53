"""`lerim models use`: found, shown, agreed to, proved, written; with programs and servers on this machine."""

from __future__ import annotations

import json
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lerim.examples import install

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "ZAI_API_KEY", "GEMINI_API_KEY", "GH_TOKEN")

# Claude Code as it is called: it answers what the check asks for, or what `says` says instead.
CLAUDE = """#!{python}
import json, sys
from pathlib import Path
here = Path(__file__).resolve().parent
sys.stdin.read()
(here / "called").touch()
said = here / "says.json"
answer = json.loads(said.read_text()) if said.exists() else {{"number": 7}}
print(json.dumps({{"type": "result", "is_error": False, "result": "", "structured_output": answer, "usage": {{}}}}))
"""


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine on which no reader is found: no key, no program."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def claude(nobody: Path) -> Path:
    """The same with Claude Code on it."""
    script = nobody / "claude"
    script.write_text(CLAUDE.format(python=sys.executable))
    script.chmod(0o755)
    return nobody


@pytest.fixture
def settings(shell: Any, tmp_path: Path) -> Callable[[], dict[str, Any]]:
    path = tmp_path / "lerim-home" / "config.toml"
    return lambda: tomllib.loads(path.read_text()) if path.exists() else {}


@pytest.fixture
def local() -> Iterator[Any]:
    """A local server: it lists models, and answers like one that can keep to a form."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}, {"id": "llama4"}]})

        def do_POST(self) -> None:
            seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            call = {"id": "1", "type": "function", "function": {"name": "final_result", "arguments": '{"number": 7}'}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
            about = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self._send({**about, "choices": [choice], "usage": usage})

        def _send(self, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_agents_program_reads_after_one_command(shell, claude, settings):
    """What goes where and what changes is shown; then it reads, and lead and explorer stay embedded."""
    done = shell.ok("models", "use", "claude", "--yes")

    assert "the text of your sessions, with secrets removed, goes to Claude Code" in done.out
    assert '+provider = "claude"' in done.out
    assert {"extract": {"provider": "claude"}, "summarize": {"provider": "claude"}} == settings()["roles"]
    assert "claude reads from now on" in done.out
    assert (claude / "called").exists()
    assert "claude reads already" in shell.ok("models", "use", "claude", "--yes").out
    shell.ok("models", "check")


def test_what_is_due_is_estimated_first(shell, claude):
    """For the roles that it would play, and no others."""
    plan = shell.ok("models", "use", "claude", "--yes", "--json").json

    assert ["extract", "summarize"] == plan["roles"] == list(plan["estimates"])
    assert (True, "claude") == (plan["used"], plan["reader"]["name"])
    assert all(role["ok"] for role in plan["checks"])


@pytest.mark.parametrize("answer", [{"word": "ok"}, {"number": "many"}])
def test_a_reader_that_cannot_keep_to_a_form_is_not_set(shell, claude, settings, answer):
    """The test call says so, and nothing is written."""
    (claude / "says.json").write_text(json.dumps(answer))

    done = shell("models", "use", "claude", "--yes")

    assert 1 == done.code
    assert "did not prove that it can read; nothing was changed" in done.out
    assert {} == settings()


def test_nothing_happens_without_a_word_of_consent(shell, claude, settings):
    """No call, no change: nobody is there to agree."""
    done = shell("models", "use", "claude")

    assert 2 == done.code
    assert "--yes" in done.err
    assert {} == settings()
    assert not (claude / "called").exists()


def test_a_program_that_is_not_installed_is_named(shell, nobody, settings):
    """And so is a key that is not set, and a server that is not there."""
    assert "'codex' is not installed" in shell("models", "use", "codex", "--yes").err
    assert "OPENAI_API_KEY is not set" in shell("models", "use", "openai", "--yes").err
    refused = shell("models", "use", "vllm", "--yes", "--base-url", "http://127.0.0.1:9/v1")
    assert "no vllm server answers at http://127.0.0.1:9/v1" in refused.err
    assert "'gpt' is no reader" in shell("models", "use", "gpt").err
    assert {} == settings()


def test_a_local_server_reads_with_the_first_model_that_can(shell, nobody, local, settings):
    """One that makes vectors is passed over; nothing leaves this machine."""
    address, seen = local

    done = shell.ok("models", "use", "lmstudio", "--base-url", address, "--yes")

    role = {"provider": "openai_compatible", "model": "qwen3:8b", "base_url": address}
    assert {"extract": role, "summarize": role} == settings()["roles"]
    assert "nothing leaves it" in done.out
    assert {"qwen3:8b"} == {request["model"] for request in seen}


def test_a_model_is_chosen_by_name(shell, nobody, local, settings):
    """One that the server does not have is refused with those it has."""
    address, _ = local

    refused = shell("models", "use", "ollama", "--base-url", address, "--model", "gpt-9", "--yes")
    shell.ok("models", "use", "ollama", "--base-url", address, "--model", "llama4", "--yes")

    assert "qwen3:8b" in refused.err
    assert "llama4" == settings()["roles"]["extract"]["model"]


def test_a_provider_needs_a_model_by_name(shell, nobody, monkeypatch, settings):
    """Whoever pays chooses."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k-0123456789")

    done = shell("models", "use", "anthropic", "--yes")

    assert "name one" in done.err
    assert {} == settings()


def test_a_program_does_not_lead(shell, claude):
    """It is given no tools."""
    assert "can read, but not lead" in shell("models", "use", "claude", "--lead", "--yes").err


def test_the_way_back_is_one_command(shell, claude, settings):
    """Embedded again, in every role, with the rest of the file as it was."""
    shell.ok("models", "use", "claude", "--yes", "--model", "haiku")

    shell.ok("models", "use", "embedded", "--yes")

    assert {"embedded"} == {role["provider"] for role in settings()["roles"].values()}
    assert not any("model" in role for role in settings()["roles"].values())


def test_what_is_there_is_listed(shell, claude, monkeypatch):
    """With the command that sets it."""
    monkeypatch.setenv("ZAI_API_KEY", "k-0123456789")

    done = shell.ok("models", "use")
    names = {reader["name"] for reader in shell.ok("models", "use", "--json").json}

    assert {"claude", "zai"} <= names
    assert "codex" not in names
    assert "lerim models use claude" in done.out + done.err


def test_init_and_the_first_sync_say_who_could_read(shell: Any, claude: Path, tmp_path: Path) -> None:
    """One line with the command; nobody is called for it, and the next sync is silent."""
    install(tmp_path, shell.project, datetime.now(UTC))
    told = [shell("init", "--no-sync"), shell("sync"), shell("sync")]

    lines = [[line for line in (one.out + one.err).splitlines() if "with judgment" in line] for one in told]
    assert [1, 1, 0] == [len(found) for found in lines]
    assert all("claude" in line and "lerim models use claude" in line for [line] in lines[:2])
    assert not (claude / "called").exists()


def test_init_says_nothing_of_readers_where_there_are_none(shell: Any, nobody: Path) -> None:
    """No line about what is not there."""
    told = shell("init", "--no-sync")

    assert "with judgment" not in told.out + told.err


def test_a_silent_port_costs_a_glance_not_a_second(nobody: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes connections and says nothing is seen without being asked anything."""
    import socket

    from lerim.llm import readers

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        monkeypatch.setattr(readers, "_SERVERS", {"ollama": (readers._SERVERS["ollama"][0], address)})

        assert ["ollama"] == [one.name for one in readers.find_readers({}, at_a_glance=True)]


@pytest.mark.parametrize("engine", ["model", "rlm"])
def test_the_way_back_leaves_no_engine_that_needs_a_model(shell, claude, settings, tmp_path, engine):
    """The next sync asks nobody; what was not set is not set on the way, either."""
    shell.ok("models", "use", "claude", "--yes", "--model", "haiku")
    path = tmp_path / "lerim-home" / "config.toml"
    path.write_text(f'{path.read_text()}\n[ingest]\nengine = "{engine}"\n')

    shell.ok("models", "use", "embedded", "--yes")

    assert "auto" == settings()["ingest"]["engine"]
    assert {"extract", "summarize"} == settings()["roles"].keys()
    shell.ok("sync")


def test_an_engine_without_a_model_says_which_setting_asks_for_one(shell, nobody, tmp_path):
    (tmp_path / "lerim-home").mkdir(exist_ok=True)
    (tmp_path / "lerim-home" / "config.toml").write_text('[ingest]\nengine = "model"\n')
    install(tmp_path, shell.project, datetime.now(UTC))

    assert "ingest.engine" in shell("sync").err
