"""What a repository's manifests name: the packages it depends on, and the commands it offers. Pure.

Line by line, since what left a manifest is known as lines that a commit took away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.lazy_regex import compile_later
from lerim.text.code_names import CodeName, NameKind

#: The files that are looked at, by name; wherever in a repository they lie.
MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "setup.py",
    "requirements*.txt",
    "Pipfile",
    "Cargo.toml",
    "go.mod",
    "Gemfile",
    "composer.json",
    "pubspec.yaml",
    "mix.exs",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
)
_VALUE = compile_later(r'"([^"\s]+)"\s*:\s*"([^"]*)"')
_IS_VERSION = compile_later(
    r"[\^~><=v]*\s*\d|\*|latest|next|workspace:|npm:|file:|link:|git|https?:|catalog:", re.IGNORECASE
)
_NOT_PACKAGES = frozenset(
    {"version", "node", "npm", "pnpm", "yarn", "python", "php", "edition", "rust-version", "name"}
)
_TARGET = compile_later(r"([A-Za-z][\w.-]*)(?:\s+[A-Za-z][\w.-]*)*\s*::?(?![=:])")
_RECIPE = compile_later(r"@?([A-Za-z][\w-]*)(?:\s+[^:=]*)?:(?!=)")
_QUOTED = compile_later(r"""\s*["']([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:[<>=~!;@ ].*)?["'],?\s*(?:#.*)?""")
_LISTED = compile_later(r"\s*[\w-]*(?:dep|require|dev|test|lint|docs)[\w-]*\s*=\s*\[")
_ITEM = compile_later(r"""["'][^"']*["']""")
_REQUIRED = compile_later(r"\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:[<>=~!;@].*)?(?:#.*)?")
_TOML_KEY = compile_later(
    r"""\s*["']?([A-Za-z][\w-]*)["']?\s*=\s*(?:["']\s*[\^~><=*\d]|\{.*(?:version|path|git|workspace)).*"""
)
_GO = compile_later(r"\s*(?:require\s+)?([\w.-]+\.[a-z]+/[\w./~-]+)\s+v[\d.]\S*.*")
_GEM = compile_later(r"""\s*gem\s+["']([\w.-]+)["'].*""")
_YAML = compile_later(r"\s{2,}([a-z][\w]*)\s*:\s*[\^~\"'\d].*")
_HEX = compile_later(r"\s*\{:([a-z]\w*)\s*,.*")


def names_in(manifest: str, lines: list[str]) -> set[CodeName]:
    """What the lines of a manifest name; by the name of the file."""
    return {found for line in lines for found in named_by(manifest, line)}


def named_by(manifest: str, line: str) -> Iterator[CodeName]:
    """What one line of a manifest names, if anything."""
    name = manifest.rpartition("/")[2]
    if name in ("package.json", "composer.json"):
        yield from _json_names(line)
    elif name.lower() in ("makefile", "gnumakefile"):
        yield from _commands("make", _TARGET.match(line))
    elif name.lower() == "justfile":
        yield from _commands("just", _RECIPE.match(line))
    else:
        yield from _package_names(name, line)


def _json_names(line: str) -> Iterator[CodeName]:
    for name, value in _VALUE.findall(line):
        if _IS_VERSION.match(value) and name not in _NOT_PACKAGES:
            yield CodeName(NameKind.PACKAGE, name)
        elif name[0].isalpha():
            yield CodeName(NameKind.COMMAND, f"npm run {name}")


def _commands(runner: str, found: re.Match[str] | None) -> Iterator[CodeName]:
    if found is not None:
        yield CodeName(NameKind.COMMAND, f"{runner} {found[1]}")


def _package_names(name: str, line: str) -> Iterator[CodeName]:
    if name == "pyproject.toml" and _LISTED.match(line):
        for quoted in _ITEM.findall(line):
            yield from _package_names("setup.py", quoted)
    for pattern in _patterns_of(name):
        if (found := pattern.fullmatch(line)) is not None and found[1].lower() not in _NOT_PACKAGES:
            yield CodeName(NameKind.PACKAGE, found[1])


def _patterns_of(name: str) -> tuple[re.Pattern[str], ...]:
    if name.endswith(".txt"):
        return (_REQUIRED,)
    return {
        "pyproject.toml": (_QUOTED, _TOML_KEY),
        "setup.py": (_QUOTED,),
        "Pipfile": (_TOML_KEY,),
        "Cargo.toml": (_TOML_KEY,),
        "go.mod": (_GO,),
        "Gemfile": (_GEM,),
        "pubspec.yaml": (_YAML,),
        "mix.exs": (_HEX,),
    }.get(name, ())
