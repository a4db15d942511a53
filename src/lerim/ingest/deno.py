"""The sandbox that `rlm` runs a model's code in: dspy's runner in Deno and Pyodide, made ready once, then offline.

Pyodide is fetched with Deno into `~/.lerim/cache/deno/<versions>/`. From then on nothing is looked up or written:
the process reads that folder while it starts, and has no other right.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lerim.errors import EngineError

INSTALL = "pip install 'lerim[rlm]'"
#: What Python may take in the sandbox, in pages of 64 KiB: 1 GiB.
MEMORY_PAGES = 16_384

#: What stands in for runner.js's imports, kept beside this module.
_STAND_INS = Path(__file__).parent / "deno"
#: All that Pyodide needs to start; the rest of its package is for browsers and type checkers.
_PYODIDE_FILES = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_FETCH_SECONDS = 600
_TRY_SECONDS = 120
#: A draft older than this was left by a process that died.
_ABANDONED_SECONDS = 24 * 3600

Tell = Callable[[str], None]


def silent(line: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class Installed:
    """Where the two packages are; None for one that is missing."""

    dspy: Path | None
    dspy_version: str
    deno: Path | None

    @classmethod
    def find(cls) -> Installed:
        """What this Python has. Imports neither of them."""
        return cls(_dspy_folder(), _dspy_version(), _deno_program())


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A prepared interpreter: how its process is started, and with which environment."""

    deno: Path
    runner: Path
    folder: Path

    def command(self) -> list[str]:
        """Deno with the narrowest rights: it may read Pyodide, and the runner gives that up once it has started."""
        pyodide = os.path.realpath(self.folder / "pyodide")
        return [
            str(self.deno),
            "run",
            *("--quiet", "--no-prompt", "--no-config", "--no-lock", "--node-modules-dir=none"),
            *("--cached-only", "--no-remote", "--no-npm", "--deny-import"),
            f"--v8-flags=--wasm-max-mem-pages={MEMORY_PAGES}",
            f"--import-map={self.folder / 'imports.json'}",
            f"--allow-read={pyodide.replace(',', ',,')}",  # a comma would begin the next path
            str(self.runner),
            *("", f"--dspy-deno-dir={pyodide}"),  # no environment variables; what to give up
        ]

    def environment(self) -> dict[str, str]:
        """Nothing of ours. Deno's own folder is where no folder can be, so it has nowhere to keep anything."""
        nowhere = self.folder / "imports.json" / "nowhere"
        return {"DENO_DIR": str(nowhere), **_QUIET, **_system_only(os.environ)}


def prepare(home: Path, progress: Tell = silent, installed: Installed | None = None) -> Path:
    """The folder of the prepared sandbox, made on the first call. Raises EngineError with what to do.

    Any number of processes may call it at once. A new version of dspy or Pyodide gets a folder of its own.
    """
    return sandbox(home, progress, installed).folder


def sandbox(home: Path, progress: Tell = silent, installed: Installed | None = None) -> Sandbox:
    """The prepared sandbox. Raises EngineError when a package or, the first time, the network is missing."""
    parts = _parts(installed or Installed.find())
    ready = Sandbox(parts.deno, parts.runner, home / "cache" / "deno" / parts.key)
    if not ready.folder.is_dir():
        progress(f"Fetching Pyodide {parts.pyodide} for the rlm sandbox, about 12 MB, once")
        _make(ready, parts)
    return ready


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is installed and fits together."""

    deno: Path
    runner: Path
    #: The runner's two imports as they stand in it.
    pyodide_import: str
    lines_import: str
    pyodide: str
    dspy: str

    @property
    def key(self) -> str:
        """The folder's name. It changes with everything that the folder's content depends on."""
        stand_ins = b"".join(file.read_bytes() for file in sorted(_STAND_INS.glob("*.js")))
        return f"dspy-{self.dspy}-pyodide-{self.pyodide}-{hashlib.sha256(stand_ins).hexdigest()[:8]}"


def _parts(installed: Installed) -> _Parts:
    if installed.dspy is None:
        raise EngineError("the engine rlm needs the package 'dspy', which is not installed", hint=INSTALL)
    if installed.deno is None:
        raise EngineError("the engine rlm needs the package 'deno', which is not installed", hint=INSTALL)
    runner = installed.dspy / "primitives" / "runner.js"
    imports = _imports(runner)
    pyodide = next((name for name in imports if name.startswith("npm:pyodide@")), "")
    lines = next((name for name in imports if name.startswith("https:")), "")
    if not pyodide or {pyodide, lines} != imports:
        problem = f"dspy {installed.dspy_version} starts its sandbox in a way this Lerim does not know"
        raise EngineError(problem, hint=f"{INSTALL} --upgrade")
    number = pyodide.removeprefix("npm:pyodide@").partition("/")[0]
    return _Parts(installed.deno, runner, pyodide, lines, number, installed.dspy_version)


def _imports(runner: Path) -> set[str]:
    try:
        return set(re.findall(r'^import .* from "([^"]+)";', runner.read_text("utf-8"), re.MULTILINE))
    except OSError:
        return set()


# -- what is installed


def _dspy_folder() -> Path | None:
    spec = importlib.util.find_spec("dspy")
    return Path(spec.origin).parent if spec and spec.origin else None


def _dspy_version() -> str:
    try:
        return version("dspy")
    except PackageNotFoundError:
        return "unknown"


def _deno_program() -> Path | None:
    """Deno of the Python package, else the one on the PATH."""
    try:
        from deno import find_deno_bin  # type: ignore[import-untyped]

        return Path(find_deno_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("deno")
        return Path(found) if found else None


# -- making it


def _make(ready: Sandbox, parts: _Parts) -> None:
    """The folder, complete or not at all: it is made beside its place and moved there when it works."""
    place = ready.folder.parent
    place.mkdir(parents=True, exist_ok=True)
    _sweep(place)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=place, ignore_cleanup_errors=True) as draft:
        folder = Path(draft) / "sandbox"
        _fetch(parts, Path(draft) / "deno", folder / "pyodide")
        _lay_out(parts, folder)
        _try_out(Sandbox(ready.deno, ready.runner, folder))
        _put_in_place(folder, ready.folder)


def _sweep(place: Path) -> None:
    for draft in place.glob(".new-*"):
        if time.time() - draft.stat().st_mtime > _ABANDONED_SECONDS:
            shutil.rmtree(draft, ignore_errors=True)


def _fetch(parts: _Parts, deno_dir: Path, pyodide: Path) -> None:
    """Pyodide's package by way of Deno, which knows the user's registry, proxy and certificates."""
    command = [str(parts.deno), "cache", "--quiet", "--no-config", "--no-lock", parts.pyodide_import]
    # Deno brings certificates of its own; behind a company's proxy only the system's are the right ones.
    trusted = {"DENO_TLS_CA_STORE": os.environ.get("DENO_TLS_CA_STORE", "system,mozilla")}
    environment = {**os.environ, **trusted, "DENO_DIR": str(deno_dir), **_QUIET}
    done = _run(command, environment, deno_dir.parent, "", _FETCH_SECONDS)
    found = next(deno_dir.glob(f"npm/**/pyodide/{parts.pyodide}/pyodide.js"), None)
    if found is None:
        raise EngineError(
            f"Pyodide {parts.pyodide} for the rlm sandbox could not be fetched: {_last_line(done.stderr)}",
            hint="connect to the network once, then: lerim sync",
        )
    pyodide.mkdir(parents=True)
    for name in _PYODIDE_FILES:
        shutil.move(found.parent / name, pyodide / name)


def _lay_out(parts: _Parts, folder: Path) -> None:
    for file in _STAND_INS.glob("*.js"):
        shutil.copyfile(file, folder / file.name)
    # Relative to the map itself, so that the folder works wherever it is.
    imports = {parts.pyodide_import: "./pyodide.js", parts.lines_import: "./lines.js"}
    (folder / "imports.json").write_text(json.dumps({"imports": imports}, indent=1), "utf-8")


def _try_out(draft: Sandbox) -> None:
    """Let it add two numbers: what does not work is found now, and not in the middle of a session."""
    request = '{"jsonrpc":"2.0","method":"execute","params":{"code":"print(40 + 2)"},"id":"1"}\n'
    done = _run(draft.command(), draft.environment(), draft.folder, request, _TRY_SECONDS)
    if "42" not in done.stdout:
        problem = f"the rlm sandbox does not start: {_last_line(done.stderr or done.stdout)}"
        raise EngineError(problem, hint=f"{INSTALL} --upgrade")


def _put_in_place(folder: Path, place: Path) -> None:
    try:
        folder.rename(place)
    except OSError:
        # Another process was first, and what it made is as good as ours.
        if not place.is_dir():
            raise


def _run(
    command: list[str], environment: Mapping[str, str], cwd: Path, stdin: str, seconds: float
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            input=stdin,
            env=environment,
            cwd=cwd,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer within {seconds:.0f} seconds")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", f"{command[0]}: {error.strerror}")


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason was given")


#: Deno looks for no newer version of itself and for no package.json of the user's, and writes plain text.
_QUIET = {"DENO_NO_UPDATE_CHECK": "1", "DENO_NO_PACKAGE_JSON": "1", "NO_COLOR": "1"}


def _system_only(env: Mapping[str, str]) -> dict[str, str]:
    """What a process cannot start without: nothing, except on Windows."""
    return {"SYSTEMROOT": env.get("SYSTEMROOT", "")} if sys.platform == "win32" else {}
