"""What a message tells people to type is there to be typed: in hints, on pages, in the documents."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import lerim
from lerim.cli.command import Command
from lerim.cli.main import DEFAULT_VERBS, NOUNS

PACKAGE = Path(lerim.__file__).parent
REPOSITORY = Path(__file__).parents[2]
#: Up to what is no part of the command any more.
TYPED = re.compile(r"(?<![\w/.@=-])lerim ([a-z][a-z-]*)((?: (?!or\b|and\b|then\b)[^\s`;,:|()“”]+)*)")
QUOTED = re.compile(r"(?<= )'[^'\n]*'|(?<= )\"[^\"\n]*\"")
TICKED = re.compile(r"`[^`\n]+`")
#: Given to every command.
EVERYWHERE = {"--json", "--help", "-h"}


def commands_of(noun: str) -> dict[str, Command]:
    return {command.name: command for command in import_module(NOUNS[noun][0]).COMMANDS.all}


def wrong(text: str) -> list[str]:
    """The commands in a text that nobody can type."""
    text = QUOTED.sub("VALUE", text)
    return [found[0] for found in TYPED.finditer(text) if not is_there(found[1], found[2].split())]


def is_there(noun: str, words: list[str]) -> bool:
    if noun not in NOUNS:
        return False
    commands = commands_of(noun)
    if noun in commands and noun not in DEFAULT_VERBS:
        command = commands[noun]
    elif words and words[0] in commands:
        command = commands[words[0]]
    elif words and re.fullmatch("[a-z-]+", words[0]) and noun != "connect" and not words[0].startswith("-"):
        return False
    else:
        command = commands.get(DEFAULT_VERBS.get(noun, ""), next(iter(commands.values())))
    flags = {word.partition("=")[0].rstrip(".") for word in words if re.match(r"--?[a-z]", word)}
    return flags <= EVERYWHERE | {name for item in command.arguments for name in item.names}


def spelled(node: ast.AST) -> str:
    """What a text says, with a word for each value that is put into it."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(spelled(part) or "VALUE" for part in parts)
        case ast.BinOp(left=left, right=right):
            return spelled(left) + spelled(right)
        case ast.IfExp(body=body, orelse=other):
            return f"{spelled(body)}; {spelled(other)}"
        case ast.BoolOp(values=values):
            return "; ".join(map(spelled, values))
    return ""


def hints() -> Iterator[tuple[str, str]]:
    """Each hint of an error, and what stands in ticks in any other text that is no docstring."""
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            match node:
                case ast.keyword(arg="hint" | "fix" | "example", value=value):
                    yield f"{path.name}:{value.lineno}", spelled(value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if "hint" in name.lower():
                    yield f"{path.name}:{value.lineno}", spelled(value)
                case ast.Constant() | ast.JoinedStr():
                    yield f"{path.name}:{node.lineno}", " ; ".join(TICKED.findall(spelled(node)))


def test_a_hint_names_commands_that_there_are() -> None:
    assert {} == {where: said for where, text in hints() if (said := wrong(text))}


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.html")), ids=lambda path: path.name)
def test_a_page_names_commands_that_there_are(path: Path) -> None:
    html = path.read_text("utf-8")
    told = [*re.findall(r'"(lerim [^"]+)"', html), *re.findall(r"<code>([^<]+)</code>", html)]

    assert [] == [one for text in told for one in wrong(re.sub(r"\{\{.*?\}\}", "VALUE", text))]


@pytest.mark.parametrize(
    "path", sorted([*(REPOSITORY / "docs").glob("*.md"), REPOSITORY / "README.md"]), ids=lambda path: path.name
)
def test_a_document_names_commands_that_there_are(path: Path) -> None:
    assert [] == [one for text in TICKED.findall(path.read_text("utf-8")) for one in wrong(text)]


@pytest.mark.parametrize(
    "text",
    [
        "lerim config set a.b c",
        "lerim frobnicate",
        "lerim memory forget X",
        "lerim sync --tomorrow",
        "lerim queue --gone",
    ],
)
def test_what_cannot_be_typed_is_seen(text: str) -> None:
    assert [text] == wrong(text)


@pytest.mark.parametrize(
    "text",
    ["lerim sync", "lerim review", "lerim memory list; lerim memory show ID", "lerim connect codex", "lerim team"],
)
def test_what_can_be_typed_is_left_alone(text: str) -> None:
    assert [] == wrong(text)
