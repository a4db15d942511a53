"""A reader in one step: what would be sent where, and the exact change of the settings.

A reader reads: it plays extract and summarize. Lead and explorer stay embedded unless they are asked for, since they
make most of the requests and decide little.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lerim.config.layers import load
from lerim.config.settings import EngineChoice, Provider, RoleSettings
from lerim.config.writing import TableChange, changed, difference, read_settings
from lerim.dataclass import dataclass, replace
from lerim.errors import ModelNotReady, UsageError
from lerim.llm.models import RoleName
from lerim.llm.programs import PROGRAMS
from lerim.llm.readers import SessionReader, find_reader, reader_names

READING: tuple[RoleName, ...] = ("extract", "summarize")
LEADING: tuple[RoleName, ...] = ("lead", "explorer")


@dataclass(frozen=True)
class ReaderPlan:
    """What `lerim models use` would do."""

    reader: SessionReader
    model: str
    #: The roles that it would play, as they would be set.
    roles: Mapping[RoleName, RoleSettings]
    path: Path
    before: str
    after: str

    @property
    def diff(self) -> list[str]:
        return difference(self.before, self.after, self.path.name)


def plan_reader(
    name: str, model: str, base_url: str, env: Mapping[str, str], path: Path, also_lead: bool
) -> ReaderPlan:
    """The plan for a reader. Raises UsageError or ModelNotReady with what to do."""
    reader = _embedded() if name == "embedded" else find_reader(name, env, base_url)
    if reader is None:
        known = ", ".join((*reader_names(), "embedded"))
        raise UsageError(f"'{name}' is no reader", hint=f"one of {known}")
    if reader.problem is not None:
        raise ModelNotReady(reader.problem, hint="lerim models use")
    roles = (*READING, *LEADING) if also_lead or reader.provider is Provider.EMBEDDED else READING
    if reader.provider in PROGRAMS and also_lead:
        raise UsageError(f"{name} can read, but not lead: it is given no tools", hint=f"lerim models use {name}")
    chosen = _model(reader, model)
    values = {
        "provider": str(reader.provider),
        "model": chosen or None,
        "base_url": reader.base_url or None,
        # Those of another provider.
        "fallback_models": None,
    }
    before = read_settings(path)
    tables: dict[str, TableChange] = {f"roles.{role}": values for role in roles}
    settings = load(path.parent, None, env).settings
    if reader.provider is Provider.EMBEDDED:
        # What was never set needs no way back.
        tables = {f"roles.{role}": values for role in roles if _is_set(getattr(settings.roles, role))}
    is_at_odds = (settings.ingest.engine is EngineChoice.EMBEDDED) != (reader.provider is Provider.EMBEDDED)
    if is_at_odds and settings.ingest.engine is not EngineChoice.AUTO:
        tables["ingest"] = {"engine": str(EngineChoice.AUTO)}
    after = changed(before, tables)
    return ReaderPlan(reader, chosen, _played(roles, reader, chosen, path, env), path, before, after)


def _is_set(role: RoleSettings) -> bool:
    """Whether a role is anything but embedded."""
    return role.provider is not Provider.EMBEDDED or bool(role.model or role.base_url or role.fallback_models)


def _embedded() -> SessionReader:
    return SessionReader("embedded", Provider.EMBEDDED, "nowhere; nothing leaves this machine")


def _model(reader: SessionReader, model: str) -> str:
    """The model that is named, else the first that a server has. Raises UsageError when one must be named."""
    if reader.models and model and model not in reader.models:
        raise UsageError(f"{reader.name} has no model '{model}'", hint=f"one of {', '.join(reader.models[:10])}")
    if model or reader.models or reader.provider in PROGRAMS or reader.provider is Provider.EMBEDDED:
        return model or (reader.models[0] if reader.models else "")
    raise UsageError(f"{reader.name} has many models; name one", hint=f"lerim models use {reader.name} --model NAME")


def _played(
    roles: tuple[RoleName, ...], reader: SessionReader, model: str, path: Path, env: Mapping[str, str]
) -> dict[RoleName, RoleSettings]:
    settings = load(path.parent, None, env).settings.roles
    now: dict[RoleName, RoleSettings] = {role: getattr(settings, role) for role in roles}
    return {
        role: replace(one, provider=reader.provider, model=model, base_url=reader.base_url, fallback_models=())
        for role, one in now.items()
    }
