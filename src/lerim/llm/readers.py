"""Which readers there are on this machine: agents' programs, local servers on their usual ports, keys of providers.

Nothing is sent anywhere to find out: servers are looked for on this machine only, and asked for their models' names.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from lerim.config.settings import API_KEYS, Provider
from lerim.dataclass import dataclass
from lerim.llm.endpoints import ADDRESSES, is_loopback
from lerim.llm.programs import PROGRAMS

_PATIENCE = 1.0
#: What a glance may take for a port of this machine, which answers at once or not at all.
_GLANCE = 0.005
_MOST_NAMES = 1 << 20
#: Local servers by the name that people know, and where each is found unless somebody moved it.
_SERVERS: Mapping[str, tuple[Provider, str]] = {
    "ollama": (Provider.OLLAMA, "http://127.0.0.1:11434/v1"),
    "lmstudio": (Provider.OPENAI_COMPATIBLE, "http://127.0.0.1:1234/v1"),
    "llamacpp": (Provider.OPENAI_COMPATIBLE, "http://127.0.0.1:8080/v1"),
    "vllm": (Provider.OPENAI_COMPATIBLE, "http://127.0.0.1:8000/v1"),
}
#: Models that turn text into vectors answer no question.
_NO_READERS = ("embed", "rerank", "whisper", "bge-", "minilm")


@dataclass(frozen=True)
class SessionReader:
    """Somebody who could read sessions."""

    name: str
    provider: Provider
    #: Where the text of sessions would go, in words for people.
    where: str
    base_url: str = ""
    #: The models it has, as far as it tells.
    models: tuple[str, ...] = ()
    #: Why it cannot be used now.
    problem: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether nothing leaves this machine."""
        return bool(self.base_url) and is_loopback(self.base_url)


def reader_names() -> list[str]:
    return [*map(str, PROGRAMS), *_SERVERS, *map(str, API_KEYS)]


def find_readers(env: Mapping[str, str], *, at_a_glance: bool = False) -> list[SessionReader]:
    """Those that are there, the ones that need nothing else first.

    At a glance nobody is asked for models, and what takes longer than a few milliseconds to answer is not there.
    """
    names = [name for name in reader_names() if not at_a_glance or name not in _SERVERS or _listens(_SERVERS[name][1])]
    every = (_unasked(name) if at_a_glance and name in _SERVERS else find_reader(name, env) for name in names)
    return [reader for reader in every if reader is not None and reader.problem is None]


def _listens(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=_GLANCE):
            return True
    except OSError:
        return False


def _unasked(name: str) -> SessionReader:
    provider, address = _SERVERS[name]
    return SessionReader(name, provider, f"to {address} on this machine; nothing leaves it", address)


def find_reader(name: str, env: Mapping[str, str], base_url: str = "") -> SessionReader | None:
    """A reader by name, with what it has to offer or what it lacks; None when there is no such name."""
    if name in _SERVERS:
        provider, address = _SERVERS[name]
        return _server(name, provider, base_url or address)
    provider = next((one for one in Provider if str(one) == name), Provider.EMBEDDED)
    if provider in PROGRAMS:
        program = PROGRAMS[provider]
        where = f"to {program.title}, which sends it to its own provider on your login"
        return SessionReader(name, provider, where, problem=program.problem(env))
    if provider in API_KEYS:
        variable = API_KEYS[provider]
        problem = None if env.get(variable) else f"{variable} is not set in the environment"
        address = base_url or ADDRESSES[provider]
        return SessionReader(name, provider, f"to {address}, with the key in {variable}", base_url, problem=problem)
    return None


def _server(name: str, provider: Provider, address: str) -> SessionReader:
    where = f"to {address} on this machine; nothing leaves it" if is_loopback(address) else f"to {address}"
    try:
        models = tuple(_names(address))
    except (OSError, ValueError):
        return SessionReader(name, provider, where, address, problem=f"no {name} server answers at {address}")
    problem = None if models else f"the {name} server at {address} has no model that reads"
    return SessionReader(name, provider, where, address, models, problem)


def _names(address: str) -> Iterator[str]:
    """The models of a server, as it lists them."""
    import urllib.request  # Start-up: who only glances asks nobody.

    # No proxy: what is on this machine is asked directly.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{address}/models", timeout=_PATIENCE) as answer:
        listed = json.loads(answer.read(_MOST_NAMES))
    found = listed.get("data") if isinstance(listed, dict) else None
    for item in found if isinstance(found, list) else ():
        name = item.get("id") if isinstance(item, dict) else None
        if isinstance(name, str) and name.isprintable() and not any(word in name.lower() for word in _NO_READERS):
            yield name
