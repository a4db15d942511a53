"""The shape of the package, read from its source: one meaning per class name, no circles, a layer for every room.

Imports inside functions count, since they tie modules together as much as any other; those for type
checkers only do not. That rooms look down only is import-linter's to check, which counts them too.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import lerim

PACKAGE = Path(lerim.__file__).parent
PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"

Graph = Mapping[str, set[str]]


@pytest.fixture(scope="module", autouse=True)
def _forget_the_source() -> Iterator[None]:
    """So many objects would be looked through again and again, whenever Python collects its garbage."""
    yield
    modules.cache_clear()


# --- what the tests ask


def test_a_class_name_means_one_thing() -> None:
    """Whoever reads a name knows the class, wherever they are in the package."""
    defined: defaultdict[str, list[str]] = defaultdict(list)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                defined[node.name].append(module)

    assert {} == {name: places for name, places in defined.items() if len(places) > 1}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Each module can be read, moved and tested with what it stands on, and without what stands on it."""
    assert [] == circles(imports())


def test_every_room_has_a_layer() -> None:
    """A new room says where it stands before anything is built on it. Examples are no room: nothing imports them."""
    rooms = {".".join(module.split(".")[:2]) for module in modules()} - {"lerim", "lerim.examples"}

    assert set() == rooms - layers()


# --- the tests of the tests: a check that sees nothing would pass for ever


def test_a_circle_is_seen() -> None:
    """Of two modules and of several; what only leads into one is not in it."""
    assert [["a", "b"]] == circles({"a": {"b"}, "b": {"a"}, "c": {"a"}})
    assert [["a", "b", "c"]] == circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})
    assert [] == circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})


def test_late_imports_are_seen_and_those_for_types_are_not() -> None:
    """A module, a name of a module, and a name that is a module."""
    source = """
import lerim.errors
from lerim import service
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from lerim.runtime.agent import LerimAgent
def late():
    from lerim.config.scope import locate
    from lerim.sources import trace
"""
    known = {"lerim", "lerim.errors", "lerim.service", "lerim.sources", "lerim.sources.trace", "lerim.config.scope"}

    found = {named(name, known) for name in imported(ast.parse(source), "lerim.cli.main")}

    assert {"lerim.errors", "lerim.service", "lerim.config.scope", "lerim.sources.trace"} == found - {None}


# --- reading the source


@cache
def modules() -> dict[str, ast.Module]:
    """Every module by its dotted name."""
    return {dotted(path): ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> dict[str, set[str]]:
    """Which modules of the package each module imports."""
    known = modules().keys()
    found = {module: {named(name, known) for name in imported(tree, module)} for module, tree in modules().items()}
    return {module: {other for other in others if other and other != module} for module, others in found.items()}


def imported(tree: ast.AST, module: str) -> Iterator[str]:
    """The dotted names a module imports, late or not: `from a.b import c` gives a.b.c, which may be a name in a.b."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import, which this package does without"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif not is_for_type_checkers(node):
            yield from imported(node, module)


def is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def named(name: str, known: Container[str]) -> str | None:
    """The module of the package that a dotted name is, or is in; None for anything else."""
    return next((module for module in (name, name.rpartition(".")[0]) if module in known), None)


# --- what is made of it


def circles(graph: Graph) -> list[list[str]]:
    """The groups of modules that reach each other, each sorted."""
    left = knot(graph)
    reach = {module: reachable(left, module) for module in left}
    groups = {tuple(sorted(m for m in reach[module] if module in reach[m])) for module in left}
    return [list(group) for group in sorted(groups) if group]


def knot(graph: Graph) -> dict[str, set[str]]:
    """What is left when modules that import nothing are taken away again and again: whatever is in a circle, and what
    leads to it."""
    left = {module: {other for other in others if other in graph} for module, others in graph.items()}
    while ends := {module for module, others in left.items() if not others}:
        left = {module: others - ends for module, others in left.items() if module not in ends}
    return left


def reachable(graph: Graph, start: str) -> set[str]:
    """Everything that is imported from a module on, itself only if it comes back."""
    found: set[str] = set()
    ahead = list(graph[start])
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead += graph.get(module, ())
    return found


def layers() -> set[str]:
    """The rooms that the contract in pyproject.toml has a layer for."""
    contracts = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    listed = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return {name.strip(" ()") for layer in listed for name in layer.split("|")}
