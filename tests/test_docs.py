"""The pages are complete: what the code offers is in them, and what they name exists."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest

from lerim import errors, payloads
from lerim.cli.command import Command
from lerim.cli.main import NOUNS, build_parser
from lerim.context.face.markdown import KEYS, parse, read_record, render
from lerim.context.records import (
    FIELDS,
    Kind,
    Primitive,
    Record,
    RecordId,
    Status,
    Trust,
    primitive_of,
)

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "lerim"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def is_noun(command: Command) -> bool:
    """Whether a command stands by itself; `lerim memory search` is but another name of one that does."""
    nouns = import_module(NOUNS[command.name][0]).COMMANDS.all if command.name in NOUNS else []
    return any(command.run is noun.run for noun in nouns)


def commands() -> Iterator[tuple[str, Command]]:
    """Every command by what one types, put together the way the parser does."""
    for noun, (module, _) in NOUNS.items():
        found = import_module(module).COMMANDS.all
        alone = [(f"lerim {noun}", command) for command in found if command.name == noun]
        yield from alone or [(f"lerim {noun} {command.name}", command) for command in found if not is_noun(command)]


COMMANDS = dict(commands())
each_command = pytest.mark.parametrize("name", COMMANDS)


def section(page: str, heading: str) -> str:
    """What stands under a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", _without_code(page), re.MULTILINE | re.DOTALL)
    assert found, f"no heading '{heading}'"
    return found[1]


def _without_code(page: str) -> str:
    """The page without its code blocks: a `#` in a shell session is no heading."""
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


# The commands


@each_command
def test_a_command_has_help_and_an_example(name: str) -> None:
    """Each says in a sentence what it does, and shows how."""
    command = COMMANDS[name]

    assert command.help.endswith(".")
    assert name in command.example
    assert all(argument.options.get("help") for argument in command.arguments)


@each_command
def test_a_commands_example_can_be_typed(name: str) -> None:
    """The real parser takes it for this command."""
    words = shlex.split(COMMANDS[name].example)
    if words[0] != "lerim":
        pytest.skip("an example of the shell")

    assert COMMANDS[name] is build_parser(None).parse_args(words[1:]).command


@each_command
def test_a_command_is_documented_with_its_flags(name: str) -> None:
    """The table under its heading in docs/cli.md names its arguments, all of them and no others."""
    rows = re.findall(r"^\| `([^`]+)` \|", section(text_of("docs/cli.md"), name), re.MULTILINE)
    documented = {row.replace("\\|", "|").split()[0] for row in rows}

    assert {_shown(argument.names[0], argument.options) for argument in COMMANDS[name].arguments} == documented


def _shown(name: str, options: dict[str, str]) -> str:
    return name if name.startswith("-") else options.get("metavar", name)


def test_every_documented_command_exists() -> None:
    """A heading of a command that is gone would send people looking for it."""
    assert set(COMMANDS) == set(re.findall(r"^### (lerim .*)$", text_of("docs/cli.md"), re.MULTILINE))


def test_every_exit_code_is_documented() -> None:
    """All that an error can end with, and the code for done."""
    raised = [error for error in vars(errors).values() if isinstance(error, type)]
    codes = {0, *(error.exit_code for error in raised if issubclass(error, errors.LerimError))}

    assert codes <= {int(code) for code in re.findall(r"^\| (\d+) \|", text_of("docs/cli.md"), re.MULTILINE)}


def test_every_error_is_in_the_tree() -> None:
    """The module's docstring draws all of them."""
    drawn = set(re.findall(r"^ *([A-Z]\w+)  ", errors.__doc__ or "", re.MULTILINE))

    assert {name for name, value in vars(errors).items() if isinstance(value, type)} == drawn


# The memory


def test_every_field_of_a_record_is_documented() -> None:
    """The table of fields in docs/memory.md has a row for each, and for nothing else."""
    rows = re.findall(r"^\| `(\w+)` \|", section(text_of("docs/memory.md"), "Fields"), re.MULTILINE)

    assert {field.name for field in fields(Record)} == set(rows)
    assert set(FIELDS) <= set(rows)


@pytest.mark.parametrize("values", [Primitive, Kind, Status, Trust], ids=lambda values: values.__name__)
def test_every_value_of_a_field_is_documented(
    values: type[Primitive] | type[Kind] | type[Status] | type[Trust],
) -> None:
    """What a field may say is in docs/memory.md."""
    page = text_of("docs/memory.md")

    assert [] == [value for value in values if f"`{value}`" not in page]


def test_the_frontmatter_examples_are_what_lerim_writes() -> None:
    """Each reads as a record and is written back to the byte; together they show every key."""
    examples = re.findall(r"^```markdown\n(---\n.*?)^```$", text_of("docs/memory.md"), re.MULTILINE | re.DOTALL)
    documents = [parse(example.encode()) for example in examples]
    blanks = [_blank(str(document.values["id"])) for document in documents]

    records = [read_record(document, None, blank) for document, blank in zip(documents, blanks, strict=True)]

    assert examples == [render(record).decode() for record in records]
    assert set(Primitive) == {record.primitive for record in records}
    assert {key for keys in KEYS.values() for key in keys} == {key for d in documents for key in d.values}


def _blank(record_id: str) -> Record:
    primitive, now = primitive_of(record_id), datetime(2026, 1, 1, tzinfo=UTC)
    return Record(RecordId(record_id), primitive, "untitled", "", now, now)


# The documents


def payload_types() -> dict[str, Any]:
    """Every type of a JSON document, or of a part of one."""
    modules = [import_module(f"{payloads.__name__}.{module.name}") for module in iter_modules(payloads.__path__)]
    return {name: value for module in modules for name, value in vars(module).items() if is_typeddict(value)}


PAYLOADS = payload_types()


@pytest.mark.parametrize("name", PAYLOADS)
def test_every_field_of_a_payload_is_documented(name: str) -> None:
    """The table under its heading in docs/json.md, and those it builds on, have its fields with their types."""
    fields = {field: _written(kind, field in PAYLOADS[name].__optional_keys__) for field, kind in _hints(name).items()}

    assert fields == dict(_documented(name))


def _hints(name: str) -> dict[str, Any]:
    return get_type_hints(PAYLOADS[name])


def _written(kind: Any, optional: bool) -> str:
    text = re.sub(r"(lerim\.payloads\.\w+|typing)\.|~", "", repr(kind) if get_args(kind) else kind.__name__)
    return f"`{text}`" + (", *optional*" if optional else "")


def _documented(name: str) -> Iterator[tuple[str, str]]:
    text = section(text_of("docs/json.md"), name)
    for base in re.findall(r"^All of (.*)$", text, re.MULTILINE):
        for other in re.findall(r"\[(\w+)\]", base):
            yield from _documented(other)
    for field, kind in re.findall(r"^\| `(\w+)` \| (.*?) \| \S.* \|$", text, re.MULTILINE):
        yield field, kind.replace("\\|", "|")


def test_every_documented_payload_exists() -> None:
    """A heading of a document that is gone would mislead whoever writes a program."""
    assert set(PAYLOADS) == set(re.findall(r"^### (\w+)$", text_of("docs/json.md"), re.MULTILINE))


def test_every_command_says_which_document_it_answers_with() -> None:
    """The table in docs/json.md has a row for each, and names types that are there."""
    rows = dict(re.findall(r"^\| `(lerim [^`]+)` \| (.*) \|$", text_of("docs/json.md"), re.MULTILINE))

    # What is no command of its own: a flag, and another name for `lerim search`.
    assert {*COMMANDS, "lerim --version", "lerim memory search"} == set(rows)
    assert {} == {
        name: cell for name, cell in rows.items() if not {*re.findall(r"`(\w+Payload)`", cell)} & set(PAYLOADS)
    }


# The pages


def test_the_readme_is_short() -> None:
    """One sentence, one picture, install, five commands, links."""
    assert len(text_of("README.md").splitlines()) < 120


def test_every_page_is_in_the_index() -> None:
    """A page that nothing leads to is not read."""
    index = text_of("docs/index.md")

    assert [] == [page.name for page in ROOT.glob("docs/*.md") if page.name != "index.md" and page.name not in index]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """To a file of the repository, and to a heading that is there."""
    links = re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)", _without_code(page.read_text("utf-8")))
    broken = [f"{path}#{anchor}" for path, anchor in links if not _leads_somewhere(page, path, anchor)]

    assert [] == broken


def _leads_somewhere(page: Path, path: str, anchor: str) -> bool:
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """The anchors a reader's browser makes of headings."""
    headings = re.findall(r"^#+ (.*)$", _without_code(page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


# The architecture


#: Every package whose modules are worth a map, by its path; the examples are data.
ROOMS = sorted(
    str(path.parent.relative_to(PACKAGE))
    for path in PACKAGE.glob("*/**/__init__.py")
    if path.parent.name != "examples" and any(module.name != "__init__.py" for module in path.parent.glob("*.py"))
)
each_room = pytest.mark.parametrize("room", ROOMS)


def _module_map(room: str) -> list[set[str]]:
    """The rows of a room's map. Modules that share a row are one thing in several pieces."""
    rows = re.findall(r"^\| (`.*?`) \|", section(text_of("ARCHITECTURE.md"), f"The modules of `{room}/`"), re.MULTILINE)
    return [set(re.findall(r"`(\w+)\.py`", row)) for row in rows]


@each_room
def test_the_module_map_is_complete(room: str) -> None:
    """Every module of a room is in ARCHITECTURE.md, once."""
    mapped = [name for row in _module_map(room) for name in row]

    assert sorted({module.stem for module in (PACKAGE / room).glob("*.py")} - {"__init__"}) == sorted(mapped)


@each_room
def test_the_module_map_is_in_order(room: str) -> None:
    """A module imports only from those above it, or in its row."""
    above: set[str] = set()
    for row in _module_map(room):
        above |= row
        assert {} == {name: more for name in row if (more := _imported(PACKAGE / room / f"{name}.py", room) - above)}


def _imported(module: Path, room: str) -> set[str]:
    """The modules of the room that a module imports, at its top or later."""
    names: set[str] = set()
    package = f"lerim.{room.replace('/', '.')}"
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= set(re.findall(rf"^{re.escape(package)}\.(\w+)$", node.module))
    return {name for name in names if (PACKAGE / room / f"{name}.py").exists()}


def test_the_tests_that_guard_the_promises_exist() -> None:
    """A promise whose test was renamed away is guarded by nobody."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text_of("ARCHITECTURE.md"))

    assert named
    assert [] == [f"{path}::{test}" for path, test in named if f"def {test}(" not in text_of(path)]


# The repository


def _text_files() -> Iterator[Path]:
    own = [path for path in ROOT.iterdir() if path.is_file()]
    folders = ("src", "tests", "docs", "examples", "benchmarks", ".ci")
    below = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in own + below:
        if "__pycache__" not in path.parts and b"\0" not in path.read_bytes()[:1024]:
            yield path


def test_no_file_names_a_registry_or_a_machine() -> None:
    """Where packages come from, and where somebody keeps a checkout, is the business of each machine."""
    # Put together here, or this file would be the one that names them.
    hosts = ["pypi" + ".org", "python" + "hosted.org", "npm" + "js.org", "ghcr" + ".io", "docker" + ".io"]
    homes = ["/" + "root/", "/" + "Users/"]
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in _text_files()
        for word in [*hosts, str(ROOT) + "/", *([] if _is_invented(path) else homes)]
        if word in path.read_text("utf-8", errors="replace")
    ]

    assert [] == found


def _is_invented(path: Path) -> bool:
    """A session that tests read: it names the places of a machine that never was."""
    return path.is_relative_to(ROOT / "tests" / "sources") and path.suffix != ".py"
