"""`lerim models check` and `lerim cost`, against a model's server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ..llm import server as replies

KEY = "key-0123456789-do-not-tell"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "ZAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", KEY)
    with replies.ModelServer() as running:
        yield running


@pytest.fixture
def configure(shell, tmp_path):
    """Write the user's settings."""

    def write(text: str) -> None:
        (tmp_path / "lerim-home" / "config.toml").write_text(text)

    return write


def lead(server: Any, more: str = "") -> str:
    role = f'provider = "openai_compatible"\nmodel = "first"\nbase_url = "{server.url}"\n'
    return f"[roles.lead]\n{role}{more}"


def role(done: Any, name: str) -> dict[str, Any]:
    return next(item for item in done.json if item["role"] == name)


# --- models check -----------------------------------------------------------------------------------------------------


def test_without_settings_every_role_is_ready(shell, server):
    """Embedded roles need no key, no network and no package; nothing is asked."""
    done = shell.ok("models", "check")

    assert "all roles are ready" in done.out
    assert 4 == done.out.count("no key and no network needed")
    assert [] == server.seen


def test_a_model_that_answers_works(shell, server, configure):
    """It and its fallbacks call a tool and answer in form; what that used is in the books, as the check's."""
    configure(lead(server, 'fallback_models = ["second"]\n'))

    done = shell.ok("models", "check", "--json")

    assert [("first", True), ("second", True)] == [(m["model"], m["works"]) for m in role(done, "lead")["models"]]
    assert ["first", "first", "second", "second"] == server.models
    bill = shell.ok("cost", "--by", "run", "--json").json
    assert 4 == bill["total"]["calls"]
    assert bill["lines"][0]["run"].startswith("check-")


def test_a_model_that_roles_share_is_asked_once(shell, server, configure):
    """Four roles, one model, one proof: who can call tools can answer in form."""
    same = lead(server).removeprefix("[roles.lead]\n")
    configure("".join(f"[roles.{name}]\n{same}" for name in ("lead", "explorer", "extract", "summarize")))

    shell.ok("models", "check")

    assert 2 == len(server.seen)


@pytest.mark.parametrize(
    ("reply", "roles"),
    [
        (replies.text("ok"), {"lead", "explorer", "extract", "summarize"}),
        (replies.tool_calls(("final_result", {"number": 4})), {"lead", "explorer"}),
        (replies.tool_calls(("final_result", {"word": "ok"})), {"lead", "explorer", "extract", "summarize"}),
    ],
)
def test_a_model_that_cannot_do_what_a_role_needs_is_a_failure(shell, server, configure, reply, roles):
    """It answers; but it only talks, calls no tool, or keeps to no form. The role and what it needs are named."""
    same = lead(server).removeprefix("[roles.lead]\n")
    configure("".join(f"[roles.{name}]\n{same}" for name in ("lead", "explorer", "extract", "summarize")))
    server.script = [reply] * 20

    done = shell("models", "check", "--json")

    assert 1 == done.code
    assert roles == {item["role"] for item in done.json if not item["ok"]}
    assert "cannot call a tool" in role(done, "lead")["models"][0]["problem"]
    if "extract" in roles:
        assert "cannot answer in the form it is asked for" in role(done, "extract")["models"][0]["problem"]


def test_the_readers_of_rlm_need_no_more_than_words(shell, server, configure):
    """It reads code out of plain text."""
    configure(lead(server).replace("roles.lead", "roles.extract") + '[ingest]\nengine = "rlm"\n')
    server.script = [replies.text("ok")]

    shell.ok("models", "check")

    assert 1 == len(server.seen)


def test_offline_nothing_is_asked(shell, server, configure):
    """Settings, keys and packages are looked at; whether the model answers is left open."""
    configure(lead(server))

    done = shell.ok("models", "check", "--offline", "--json")

    assert [None] == [model["works"] for model in role(done, "lead")["models"]]
    assert ("OPENAI_COMPATIBLE_API_KEY", True) == (role(done, "lead")["key_variable"], role(done, "lead")["key_set"])
    assert [] == server.seen


def test_a_missing_key_is_a_failure(shell, server, configure):
    """The variable to set is named, also offline; the other roles are still ready."""
    configure('[roles.extract]\nprovider = "anthropic"\nmodel = "claude-opus-4-8"\n')

    done = shell("models", "check", "--offline")

    assert 1 == done.code
    assert "ANTHROPIC_API_KEY is not set" in done.out
    assert "try: set ANTHROPIC_API_KEY in the environment, then: lerim models check" in done.out
    assert "1 role not ready" in done.out


def test_a_model_that_does_not_answer_is_a_failure(shell, server, configure):
    """The error of the request is shown; a key that the provider echoes is not."""
    configure(lead(server, 'fallback_models = ["second"]\n'))
    server.script = [replies.failure(404, f"no such model for {KEY}")]

    done = shell("models", "check")

    assert 1 == done.code
    assert "openai_compatible first was not found: no such model for [key]" in done.out
    assert "second                          works" in done.out
    assert KEY not in done.out + done.err


def test_an_address_without_encryption_is_warned_of(shell, server, configure):
    """It may be a machine at home, so it is no failure."""
    configure('[roles.lead]\nprovider = "ollama"\nmodel = "m"\nbase_url = "http://models.example/v1"\n')

    done = shell.ok("models", "check", "--offline")

    assert "http://models.example/v1 is not encrypted" in done.out


def test_an_empty_model_is_a_failure(shell, server, configure):
    """No provider has a model by default."""
    configure('[roles.lead]\nprovider = "ollama"\n')

    done = shell("models", "check")

    assert 1 == done.code
    assert "roles.lead.provider is 'ollama', but roles.lead.model is empty" in done.out


def test_a_check_keeps_to_the_budget(shell, server, configure):
    """What is used up is used up for checks as well; the model itself is not blamed."""
    configure(lead(server) + "[budget]\nday_tokens = 1\n")

    done = shell.ok("models", "check")

    assert "budget.day_tokens is 1" in done.out
    assert "not called" in done.out
    assert [] == server.seen


# --- cost -------------------------------------------------------------------------------------------------------------


def test_without_any_call_nothing_was_paid(shell):
    """Embedded runs cost nothing, and the command says so."""
    assert "no model was called; embedded runs cost nothing\n" == shell.ok("cost").out
    assert {"calls": 0, "cost_usd": 0}.items() <= shell.ok("cost", "--json").json["total"].items()


def test_the_cost_is_a_table_with_todays_budget(shell, server, configure):
    """Lines, a total, and how much of the day is left."""
    prices = "input_usd_per_million = 10\noutput_usd_per_million = 50\n"
    configure(lead(server) + f"[budget]\nday_tokens = 5000\nday_usd = 2.5\nrun_tokens = 1000\n{prices}")
    shell.ok("models", "check")

    out = shell.ok("cost", "--by", "model").out.splitlines()

    assert ["MODEL", "CALLS", "INPUT", "OUTPUT", "CACHED", "COST"] == out[0].split()
    assert ["openai_compatible", "first", "2", "200", "40", "0", "$0.0040"] == out[1].split()
    assert ["total", "2", "200", "40", "0", "$0.0040"] == out[2].split()
    assert ["today: 240 of 5,000 tokens, $0.0040 of $2.50", "a run may use 1,000 tokens"] == out[3:]


def test_a_price_nobody_knows_is_not_called_zero(shell, server, configure):
    """Unknown is unknown."""
    configure(lead(server))
    shell.ok("models", "check")

    assert "unknown" in shell.ok("cost").out
    assert None is shell.ok("cost", "--json").json["total"]["cost_usd"]


def test_the_cost_begins_at_a_date(shell, server, configure):
    """Calls before it are left out."""
    configure(lead(server))
    shell.ok("models", "check")

    assert 0 == shell.ok("cost", "--since", "2999-01-01", "--json").json["total"]["calls"]
    assert 2 == shell.ok("cost", "--since", "2020-01-01", "--json").json["total"]["calls"]
    assert 2 == shell("cost", "--since", "yesterday").code


def test_a_damaged_record_of_costs_is_replaced(shell, server, configure, tmp_path):
    """The command works, and says where the old file is."""
    books = tmp_path / "lerim-home" / "index" / "usage.sqlite3"
    books.parent.mkdir(exist_ok=True)
    books.write_bytes(b"this is no database" * 100)

    done = shell.ok("cost")

    assert "the record of costs was damaged: it is kept as" in done.err


def test_a_record_damaged_inside_is_replaced(shell, server, configure, tmp_path):
    """Damage that opening does not notice is found by the command, which then runs again."""
    configure(lead(server))
    shell.ok("models", "check")
    books = tmp_path / "lerim-home" / "index" / "usage.sqlite3"
    pages = bytearray(books.read_bytes())
    pages[4096:] = b"\xff" * (len(pages) - 4096)
    books.write_bytes(pages)

    done = shell.ok("cost")

    assert "counting starts from zero" in done.err


# --- what a project may say -------------------------------------------------------------------------------------------


def test_a_cloned_repository_sends_nothing_anywhere(shell, server, monkeypatch):
    """Its settings for models are ignored, and `config show` says so and how to trust it."""
    (shell.project / ".lerim" / "config.toml").write_text(lead(server))

    shell.ok("models", "check")
    done = shell.ok("config", "show")

    assert [] == server.seen
    assert "ignored: roles.lead.provider, roles.lead.model, roles.lead.base_url" in done.err
    assert f'trust.projects = ["{shell.project}"] in ' in done.err
    assert ["roles.lead.provider", "roles.lead.model", "roles.lead.base_url"] == [
        item["key"] for item in shell.ok("config", "show", "--json").json if "ignored_in" in item
    ]


def test_a_trusted_repository_chooses_its_models(shell, server, configure):
    """Once listed, its settings count and nothing is reported."""
    configure(f'[trust]\nprojects = ["{shell.project}"]\n')
    (shell.project / ".lerim" / "config.toml").write_text(lead(server))

    shell.ok("models", "check")

    assert {"first"} == set(server.models)
    assert "ignored" not in shell.ok("config", "show").err
