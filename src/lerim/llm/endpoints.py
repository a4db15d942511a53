"""Where each provider is, and what it takes to ask it: a key, a package, an address."""

from __future__ import annotations

import importlib.util
import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from lerim.config.settings import API_KEYS, OPTIONAL_API_KEYS, PROGRAM_PROVIDERS, Provider, RoleSettings
from lerim.dataclass import dataclass, field
from lerim.errors import ModelError, ModelNotReady

CHECK = "lerim models check"
INSTALL = "pip install 'lerim[agents]'"

#: Stated here rather than left to their packages, which would look into environment variables of their own.
ADDRESSES: Mapping[Provider, str] = {
    Provider.OPENROUTER: "https://openrouter.ai/api/v1",
    Provider.OPENAI: "https://api.openai.com/v1",
    Provider.ANTHROPIC: "https://api.anthropic.com",
    Provider.ZAI: "https://api.z.ai/api/paas/v4",
    Provider.OLLAMA: "http://127.0.0.1:11434/v1",
}


@dataclass(frozen=True)
class Endpoint:
    """One provider as one role asks it. The key is for requests only: no text that this class makes holds it."""

    role: str
    provider: Provider
    base_url: str
    #: The variable that holds the key, None for the embedded provider.
    variable: str | None
    key: str | None = field(repr=False)
    #: What a program is started with.
    env: Mapping[str, str] = field(repr=False, default_factory=dict, compare=False)

    @property
    def problems(self) -> list[ModelError]:
        """What is missing before anything can be asked. Nothing is asked to find out."""
        found = [_missing_package(name) for name in packages(self.provider) if not is_installed(name)]
        if self.provider in PROGRAM_PROVIDERS:
            return found
        if not self.base_url:
            found.append(self._no_address())
        if self.key is None and self.provider in API_KEYS:
            found.append(self._no_key())
        elif self.key is not None and not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            # Such a text would end up in an error about headers.
            found.append(
                ModelNotReady(f"{self.variable} does not hold a valid key", hint=f"set it again, then: {CHECK}")
            )
        return found

    @property
    def warning(self) -> str | None:
        """What deserves a second look although it works."""
        if self.base_url.startswith("http://") and not is_loopback(self.base_url):
            return f"{self.base_url} is not encrypted: keys and conversations can be read on the way; use https://"
        return None

    def _no_address(self) -> ModelError:
        key = f"roles.{self.role}.base_url"
        problem = f"roles.{self.role}.provider is '{self.provider}', but {key} is empty"
        return ModelNotReady(problem, hint=f'set {key} = "https://host/v1" in your config.toml, then: {CHECK}')

    def _no_key(self) -> ModelError:
        problem = f"{self.variable} is not set, and roles.{self.role}.provider is '{self.provider}'"
        return ModelNotReady(problem, hint=f"set {self.variable} in the environment, then: {CHECK}")


def endpoint_of(name: str, role: RoleSettings, env: Mapping[str, str]) -> Endpoint:
    """Where a role's provider is, with its key from the environment."""
    variable = API_KEYS.get(role.provider) or OPTIONAL_API_KEYS.get(role.provider)
    key = (env.get(variable) or "").strip() if variable else ""
    address = role.base_url or ADDRESSES.get(role.provider, "")
    return Endpoint(name, role.provider, address, variable, key or None, env)


def is_loopback(base_url: str) -> bool:
    """Whether an address leads to this machine."""
    try:
        host = urlsplit(base_url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name, or no address at all
        return False


def packages(provider: Provider) -> tuple[str, ...]:
    """The packages that asking a provider takes."""
    if provider is Provider.EMBEDDED:
        return ()
    if provider in PROGRAM_PROVIDERS:
        return ("pydantic_ai",)
    return ("pydantic_ai", "anthropic" if provider is Provider.ANTHROPIC else "openai")


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _missing_package(name: str) -> ModelError:
    return ModelNotReady(f"the package '{name.replace('_', '-')}' is not installed", hint=INSTALL)
