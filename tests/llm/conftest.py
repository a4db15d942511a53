"""Models against a server of the tests' own, with books in a temporary home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lerim.config.layers import load
from lerim.config.settings import BudgetSettings, Provider, RolesSettings
from lerim.llm import Models, UsageLedger

from . import server as server_module

KEY = "key-0123456789-do-not-tell"


@pytest.fixture
def server() -> Iterator[Any]:
    """A model's server on this machine: fill `script`, look at `seen`."""
    with server_module.ModelServer() as running:
        yield running


@pytest.fixture
def replies() -> ModuleType:
    """What a server can be made to say: text, tool_calls, failure, cut, claude, Reply."""
    return server_module


@pytest.fixture
def ledger(home: Path, clock: Any) -> UsageLedger:
    return UsageLedger(home, clock)


@pytest.fixture
def naps() -> list[float]:
    """How long requests waited before they were tried again."""
    return []


@pytest.fixture
def make(home: Path, ledger: UsageLedger, server: Any, naps: list[float]) -> Callable[..., Models]:
    """Models whose lead and extract are played by the server."""
    defaults = load(home, None, {}).settings

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    def build(
        provider: Provider = Provider.OPENAI_COMPATIBLE,
        model: str = "first",
        *,
        env: dict[str, str] | None = None,
        budget: dict[str, float] | None = None,
        **role: Any,
    ) -> Models:
        role = {"base_url": server.url, "timeout_seconds": 20, **role}
        played = replace(defaults.roles.lead, provider=provider, model=model, **role)
        roles: RolesSettings = replace(defaults.roles, lead=played, extract=played)
        limits: BudgetSettings = replace(defaults.budget, **(budget or {}))
        return Models(roles, limits, {"OPENAI_COMPATIBLE_API_KEY": KEY} if env is None else env, ledger, sleep)

    return build
