"""Roles, prices and estimates: what is known about a model without asking it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lerim
from lerim.config.layers import load
from lerim.config.settings import Provider
from lerim.errors import ModelError
from lerim.llm import Estimate, Models, Spending
from lerim.llm.endpoints import is_loopback
from lerim.llm.prices import Tokens, cost, tokens_of

RUN = Spending("sync-1")


def refused(models: Models) -> ModelError:
    with pytest.raises(ModelError) as caught:
        models.model("lead", RUN)
    return caught.value


def test_by_default_every_role_is_embedded(home, ledger):
    """Nothing is asked, nothing is paid, and there is no model to be had."""
    settings = load(home, None, {}).settings
    models = Models(settings.roles, settings.budget, {}, ledger)

    assert [True] * 4 == [models.is_embedded(role) for role in ("lead", "explorer", "extract", "summarize")]
    assert Estimate(0, 0, 0, 0.0) == models.estimate("extract", 3, Tokens(10_000))
    error = refused(models)
    assert "roles.lead.provider is 'embedded', which has no model to ask" == error.message
    assert error.hint is not None
    assert error.hint.endswith("then: lerim models check")


def test_a_provider_without_a_model_is_refused(make):
    """There is no model by default: whoever pays should choose."""
    error = refused(make(Provider.OPENAI, "", env={"OPENAI_API_KEY": "k"}))

    assert "roles.lead.provider is 'openai', but roles.lead.model is empty" == error.message
    assert "set roles.lead.model in your config.toml, then: lerim models check" == error.hint


def test_a_server_without_an_address_is_refused(make):
    """An openai_compatible server may be anywhere."""
    error = refused(make(base_url=""))

    assert "roles.lead.provider is 'openai_compatible', but roles.lead.base_url is empty" == error.message


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        (Provider.OPENROUTER, "OPENROUTER_API_KEY"),
        (Provider.OPENAI, "OPENAI_API_KEY"),
        (Provider.ANTHROPIC, "ANTHROPIC_API_KEY"),
        (Provider.ZAI, "ZAI_API_KEY"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_a_missing_key_is_reported_with_its_variable(make, provider, variable, value):
    """Unset, empty or blank: the same to us."""
    error = refused(make(provider, "m", env={} if value is None else {variable: value}))

    assert f"{variable} is not set, and roles.lead.provider is '{provider}'" == error.message
    assert f"set {variable} in the environment, then: lerim models check" == error.hint


@pytest.mark.parametrize("value", ["two words", "naïve-key", "line\nbreak"])
def test_what_cannot_be_a_key_is_not_repeated(make, value):
    """Such a text would end up in an error about headers."""
    error = refused(make(Provider.OPENAI, "m", env={"OPENAI_API_KEY": value}))

    assert "OPENAI_API_KEY does not hold a valid key" == error.message


def test_the_end_of_a_line_is_no_part_of_a_key(make):
    """A key that was read from a file comes with one."""
    assert "abc" == make(Provider.OPENAI, "m", env={"OPENAI_API_KEY": "abc\n"}).endpoint("lead").key


def test_an_openrouter_name_without_its_maker_is_refused(make):
    """What the package complains about when it is built is an error of ours, with the setting to correct."""
    error = refused(make(Provider.OPENROUTER, "gpt-4o", env={"OPENROUTER_API_KEY": "k"}))

    assert error.message.startswith("roles.lead: OpenRouter model names must be prefixed")
    assert "correct roles.lead.model in your config.toml, then: lerim models check" == error.hint


@pytest.mark.parametrize(
    ("provider", "package"), [(Provider.OPENAI_COMPATIBLE, "openai"), (Provider.ANTHROPIC, "anthropic")]
)
def test_a_missing_package_is_reported_with_its_extra(make, monkeypatch, provider, package):
    """Providers' packages are an extra; whoever configures one learns how to get it."""
    monkeypatch.setitem(sys.modules, package, None)

    error = refused(make(provider, env={"ANTHROPIC_API_KEY": "k"}))

    assert (f"the package '{package}' is not installed", "pip install 'lerim[agents]'") == (error.message, error.hint)


def test_dspy_is_an_extra_of_its_own(make, monkeypatch):
    """Only the rlm engine needs it."""
    monkeypatch.setitem(sys.modules, "dspy", None)

    with pytest.raises(ModelError) as caught:
        make().language_model("extract", RUN)

    assert ("the package 'dspy' is not installed", "pip install 'lerim[rlm]'") == (
        caught.value.message,
        caught.value.hint,
    )


def test_loading_the_room_loads_no_provider():
    """Pydantic-ai, dspy and the providers' packages are loaded by whoever asks a model."""
    code = "import sys, lerim.llm, lerim.llm.check; print(*sys.modules)"
    env = {"PYTHONPATH": str(Path(lerim.__file__).parents[1])}

    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)

    assert set() == set(done.stdout.split()) & {"pydantic_ai", "pydantic", "dspy", "openai", "anthropic", "asyncio"}


# --- prices -----------------------------------------------------------------------------------------------------------


def test_an_estimate_says_what_is_known(make):
    """Four characters to a token; money for a model that is listed, none for one that nobody knows."""
    listed = make(Provider.OPENAI, "gpt-4o", env={}).estimate("extract", 1, Tokens(1_000_000))
    unknown = make().estimate("extract", 1, Tokens(10))

    assert (1_000_000, 2.5) == (listed.tokens, pytest.approx(listed.usd))
    assert Estimate(1, 10, 0, None) == unknown


def test_configured_prices_are_for_models_that_are_not_listed(make):
    """They neither replace nor add to what the list says."""
    priced = make(budget={"input_usd_per_million": 1, "output_usd_per_million": 2})
    listed = make(Provider.OPENAI, "gpt-4o", env={}, budget={"input_usd_per_million": 1000})

    assert Estimate(1, 1_000_000, 0, 1.0) == priced.estimate("lead", 1, Tokens(1_000_000))
    assert 2.5 == pytest.approx(listed.estimate("lead", 1, Tokens(1_000_000)).usd)


def test_tokens_from_a_cache_are_cheaper(make):
    """A provider's discount is in the price."""
    budget = make().books.budget
    full = cost(Provider.OPENAI, "gpt-4o", "", Tokens(1000, 0), budget)
    cached = cost(Provider.OPENAI, "gpt-4o", "", Tokens(1000, 0, cache_read=900), budget)

    assert full is not None
    assert cached is not None
    assert cached < full


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost", True),
        ("http://[::1]:8080/v1", True),
        ("http://127.0.0.1.example/v1", False),
        ("http://10.0.0.7/v1", False),
        ("https://localhost.example", False),
    ],
)
def test_what_counts_as_this_machine(address, expected):
    """An address whose name only begins like it is somebody else's."""
    assert expected is is_loopback(address)


@given(st.integers(0, 10**9))
def test_no_text_is_estimated_too_short(chars):
    """Tokens are rounded up, never down."""
    assert 4 * (tokens_of(chars) - 1) < chars <= 4 * tokens_of(chars) or (0, 0) == (chars, tokens_of(chars))
