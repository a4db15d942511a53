"""Entries in agents' files: put in and taken out as text, with every other byte left as it was.

The generated files are laid out as people and programs lay them out: comments, commas too many, tabs, blanks and ends
of lines of any kind. What comes out is held against a parser that knows nothing of ours.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import tomlkit
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lerim.connect.edits import Edit, Unfit
from lerim.connect.edits_json import JsonHook, JsonMember
from lerim.connect.edits_text import InstructionBlock, OwnFile
from lerim.connect.edits_toml import TomlHook, TomlTable
from lerim.connect.edits_yaml import YamlMember
from lerim.connect.jsonc import NotJson, parse, put_in, take_out

COMMAND = "LERIM_HOME=/srv/memory/of/everybody/who/works/here '/opt/my tools/lerim' hook session-start --agent claude"
HANDLER = {"type": "command", "command": COMMAND, "timeout": 10}
MARK = "hook session-start --agent claude"
START = JsonHook(("hooks", "SessionStart"), HANDLER, MARK, {"matcher": "startup|clear|compact"})
LENIENT = JsonHook(("hooks", "SessionStart"), HANDLER, MARK, {"matcher": "startup"}, strict=False)
FLAT = JsonHook(("hooks", "sessionStart"), {"command": COMMAND}, MARK, strict=False, frame={"version": 1})
SERVER = JsonMember(("mcpServers", "lerim"), {"command": "/opt/lerim", "args": ["mcp"]}, strict=False)
TABLE = TomlTable(("mcp_servers", "lerim"), {"command": "/opt/my tools/lerim", "args": ["mcp"]})
EXTENSION = YamlMember(
    ("extensions", "lerim"),
    {"enabled": True, "type": "stdio", "cmd": "/opt/lerim", "args": ["mcp"], "envs": {}, "timeout": 300},
    ("type", "cmd", "args"),
)
BLOCK = InstructionBlock("## Memory\n\nAsk `brief` first.")


# --- files as they are made up ----------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "hooks", "mcpServers", "SessionStart", "sessionStart", "env", "é 🙂", 'quo"ted', "lerim2"])
LEAVES = (
    st.none() | st.booleans() | st.integers(-99, 99) | st.sampled_from(["", "x", "//no", "/*no*/", ",}", "\\", "ü"])
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))
OTHER_HOOK = st.fixed_dictionaries({"hooks": st.just([{"type": "command", "command": "other start"}])})
HOOKS = st.dictionaries(st.sampled_from(["SessionStart", "Stop", "sessionStart"]), st.lists(OTHER_HOOK, max_size=2))
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "a": VALUES,
        "hooks": HOOKS,
        "mcpServers": st.dictionaries(st.sampled_from(["git", "db"]), st.just({"command": "x"}), max_size=2),
        "z": VALUES,
    },
)


def laid_out(draw: Callable[[Any], Any], value: Any, depth: int, *, odd: bool, line: str, unit: str) -> str:
    """A document as text, with a layout that is chosen anew at every bracket."""

    def gap(must: bool = False) -> str:
        choices = ["", " ", line + unit * depth, f"{line}{line}{unit * depth}"]
        if odd:
            choices += [f" // note, with }} and ]{line}", f" /* a, {line} b */ ", f'{line}// "x": 1,{line}']
        return str(draw(st.sampled_from(choices)))

    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    parts = []
    for item in value.items() if isinstance(value, dict) else value:
        name = f"{json.dumps(item[0])}{draw(st.sampled_from([':', ': ', ' : ']))}" if isinstance(value, dict) else ""
        inner = item[1] if isinstance(value, dict) else item
        parts.append(f"{gap()}{name}{laid_out(draw, inner, depth + 1, odd=odd, line=line, unit=unit)}{gap()}")
    extra = "," if odd and parts and draw(st.booleans()) else ""
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}{','.join(parts)}{extra}{gap()}{last}"


@st.composite
def json_files(draw: Callable[[Any], Any], odd: bool = True) -> str:
    document = draw(DOCUMENTS)
    line = draw(st.sampled_from(["\n", "\r\n"]))
    kind = draw(st.sampled_from(["free", "plain", "tight"]))
    if kind == "free":
        text = laid_out(draw, document, 0, odd=odd, line=line, unit=draw(st.sampled_from(["  ", "\t", "    "])))
    else:
        text = json.dumps(document, indent=draw(st.sampled_from([2, 4, "\t"])) if kind == "plain" else None)
        text = text.replace("\n", line)
    return str(draw(st.sampled_from(["", "\ufeff"]))) + text + draw(st.sampled_from(["", line, line * 2]))


def plain(text: str) -> Any:
    """The document of a text with comments, by a way of its own: comments and commas too many are blotted out."""
    token = re.compile(r'("(?:\\.|[^"\\])*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
    bare = token.sub(lambda found: found[1] or " ", text.removeprefix("\ufeff"))
    kept = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
    return json.loads(kept.sub(lambda found: found[1] or "", bare))


# --- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edit", [LENIENT, FLAT, SERVER], ids=["grouped", "flat", "server"])
@given(text=json_files())
def test_what_was_put_into_a_json_file_comes_out_to_the_byte(edit: Edit, text: str) -> None:
    """Whatever the layout; and put in twice, it is there once."""
    try:
        after = edit.put(text)
    except Unfit:
        return  # `hooks` is a number, or the like.

    assert edit.finds(after)
    assert after == edit.put(after)
    assert text == edit.take(after, text)


@pytest.mark.parametrize("edit", [LENIENT, FLAT, SERVER], ids=["grouped", "flat", "server"])
@given(text=json_files())
def test_only_our_entry_is_added_to_a_json_file(edit: Edit, text: str) -> None:
    """By the judgment of another parser, all else is as before, and ours is the last."""
    try:
        after = edit.put(text)
    except Unfit:
        return
    before, now = plain(text), plain(after)

    path = (*edit.path[:-1], edit.path[-1])  # type: ignore[attr-defined]
    found = now
    for step in path:
        found = found[step]
    mine = found[-1] if isinstance(found, list) else found
    assert COMMAND in json.dumps(mine, ensure_ascii=False) or mine == SERVER.value
    assert before == without(now, path, before)


def without(document: Any, path: tuple[str, ...], before: Any) -> Any:
    """The document without the last value at a path, and without what was not there before."""
    first, *rest = path
    if rest:
        inner = without(document[first], tuple(rest), before.get(first, {}))
        kept = {**document, first: inner}
    elif isinstance(document[first], list):
        kept = {**document, first: document[first][:-1]}
    else:
        kept = {key: value for key, value in document.items() if key != first}
    return {key: value for key, value in kept.items() if value or key in before}


@pytest.mark.parametrize("edit", [LENIENT, SERVER], ids=["hook", "server"])
@given(text=json_files(), added=st.sampled_from(["front", "behind"]), name=st.sampled_from(["zz", "aa"]))
def test_what_somebody_else_added_since_stays(edit: Edit, text: str, added: str, name: str) -> None:
    """Beside our entry, in the same place: exactly ours goes."""
    try:
        after = edit.put(text)
    except Unfit:
        return
    is_hook = isinstance(edit, JsonHook)
    path = (*edit.path, -1) if is_hook else (edit.path[0], name)  # type: ignore[attr-defined]
    changed = put_in(after, path, {"command": "theirs"})
    if added == "front":
        changed = put_in(changed, ("theirs",), {"x": 1})

    left = edit.take(changed, text)

    assert left is not None
    assert not edit.finds(left)
    wanted = plain(put_in(text, path, {"command": "theirs"}))
    assert (wanted | {"theirs": {"x": 1}} if added == "front" else wanted) == plain(left)


@given(text=json_files(odd=False))
def test_a_file_an_agent_wrote_anew_loses_exactly_our_entry(text: str) -> None:
    """Other blanks, keys in another order: there is nothing left of the layout that we knew."""
    try:
        after = START.put(text)
    except Unfit:
        return
    rewritten = json.dumps(plain(after), indent=1, sort_keys=True)

    left = START.take(rewritten, text)

    assert left is not None
    assert plain(text) == plain(left)


@given(text=st.text(max_size=60) | json_files().flatmap(lambda t: st.integers(0, len(t)).map(lambda n: t[:n])))
def test_a_file_that_does_not_parse_is_refused(text: str) -> None:
    """Cut anywhere, or no JSON at all: nothing is made of it, unless it is a document after all."""
    try:
        document = plain(text)
    except ValueError:
        document = None
    if isinstance(document, dict) or not text.strip("\ufeff \t\r\n"):
        return
    with pytest.raises(Unfit):
        SERVER.put(text)


def test_a_comment_behind_the_last_entry_stays_with_it() -> None:
    """A comma goes before it, and our entry on a line of its own."""
    text = '{\n  "a": 1 // the one\n  // and more\n}\n'

    assert '{\n  "a": 1, // the one\n  "b": 2\n  // and more\n}\n' == put_in(text, ("b",), 2)


def test_a_comma_too_many_is_kept_as_a_habit() -> None:
    assert '{\n  "a": 1,\n  "b": 2,\n}' == put_in('{\n  "a": 1,\n}', ("b",), 2)


def test_a_file_on_one_line_stays_on_one_line() -> None:
    assert '{"a":1,"b":{"c":[1]}}' == put_in('{"a":1}', ("b", "c"), [1])
    assert '{"a": 1, "b": 2}' == put_in('{"a": 1}', ("b",), 2)


def test_a_value_of_the_wrong_kind_is_not_overwritten() -> None:
    for text in ('{"hooks": []}', '{"hooks": {"SessionStart": {}}}', '{"hooks": null}', "[]", "3"):
        with pytest.raises(Unfit):
            START.put(text)


def test_of_a_key_that_is_there_twice_the_last_one_counts() -> None:
    """As in every parser."""
    text = '{"mcpServers": {"x": {}}, "mcpServers": {"y": {}}}'

    after = SERVER.put(text)

    assert {"y", "lerim"} == json.loads(after)["mcpServers"].keys()
    assert text == SERVER.take(after, text)


def test_a_strict_agent_gets_no_file_with_comments() -> None:
    """It would ignore all of it: that is said, and the line."""
    with pytest.raises(Unfit, match="line 2 has a comment"):
        START.put('{\n  // mine\n  "hooks": {}\n}')
    with pytest.raises(Unfit, match="line 1 has a comment or a comma too many"):
        START.put('{"hooks": {},}')


def test_our_command_is_brought_up_to_date_where_it_stands() -> None:
    """Neither its place nor what the user changed of it is touched: agents trust hooks by both."""
    old = {"hooks": {"SessionStart": [{"matcher": "x", "hooks": [{**HANDLER, "command": f"/old/lerim {MARK}"}]}, {}]}}
    old["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] = 30

    after = json.loads(START.put(json.dumps(old)))

    old["hooks"]["SessionStart"][0]["hooks"][0]["command"] = COMMAND
    assert old == after


def test_an_entry_that_an_agent_moved_into_anothers_group_is_found() -> None:
    """Its own handler goes, the group stays."""
    theirs = {"type": "command", "command": "theirs"}
    text = json.dumps({"hooks": {"SessionStart": [{"hooks": [theirs, HANDLER]}]}})

    assert text == START.put(text)
    assert {"hooks": {"SessionStart": [{"hooks": [theirs]}]}} == json.loads(START.take(text, None) or "")


def test_entries_that_are_there_twice_become_one() -> None:
    group = {"hooks": [HANDLER]}
    text = json.dumps({"hooks": {"SessionStart": [group, {"hooks": []}, group]}})

    assert [group, {"hooks": []}] == json.loads(START.put(text))["hooks"]["SessionStart"]


def test_a_server_of_our_name_that_somebody_had_comes_back() -> None:
    text = '{"mcpServers": {"lerim": {"command": "mine", "args": [], "env": {"A": "1"}}}}'
    after = SERVER.put(text)

    assert {"command": "/opt/lerim", "args": ["mcp"], "env": {"A": "1"}} == json.loads(after)["mcpServers"]["lerim"]
    assert json.loads(text) == json.loads(SERVER.take(after.replace("{", "{ "), text) or "")


@pytest.mark.parametrize("edit", [START, FLAT, SERVER], ids=["grouped", "flat", "server"])
def test_a_file_of_our_own_goes_when_nothing_is_left_in_it(edit: Edit) -> None:
    assert edit.take(edit.put(None), None) is None
    assert edit.take(edit.put("  \n"), None) is None


@pytest.mark.parametrize("edit", [START, FLAT, SERVER], ids=["grouped", "flat", "server"])
def test_a_file_that_was_empty_is_empty_again(edit: Edit) -> None:
    """And what somebody wrote into it since stays."""
    for text in ("", " \n", "\ufeff"):
        after = edit.put(text)
        assert text == edit.take(after, text)
        assert '{"mine": 1}' == edit.take('{"mine": 1}', text)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(NotJson):
        parse("[" * 100_000)


def test_taking_out_what_is_not_there_changes_nothing() -> None:
    assert '{"a": 1}' == take_out('{"a": 1}', ("b", "c"))
    assert '{"a": 1}' == START.take('{"a": 1}', None)


# --- TOML -------------------------------------------------------------------------------------------------------------

TOML_PARTS = [
    'model = "gpt-6"\n',
    "# a comment with [mcp_servers.lerim] in it\n",
    'mcp_servers.dotted.command = "x"\n',
    'notify = [\n  "a",  # b\n  "c",\n]\n',
    'text = """\n[mcp_servers.lerim]\ncommand = "no"\n"""\n',
]
TOML_TABLES = [
    '[mcp_servers.git]\ncommand = "git"\nargs = ["x"]\n',
    '[mcp_servers."my own"]\ncommand = "y"  # mine\n[mcp_servers."my own".env]\nA = "1"\n',
    '[[projects]]\npath = "/a"\n[[projects]]\npath = "/b"\n',
    '[profiles.fast]\nmodel = "small"\n\n\n',
    '[hooks.state."/home/u/.codex/hooks.json:session_start:0:0"]\ntrusted_hash = "ab"\n',
    "[empty]\n",
]


@st.composite
def toml_files(draw: Callable[[Any], Any]) -> str:
    parts = draw(st.lists(st.sampled_from(TOML_PARTS), unique=True)) + draw(
        st.lists(st.sampled_from(TOML_TABLES), unique=True)
    )
    if draw(st.booleans()) and not any("mcp_servers" in part and "comment" not in part for part in parts):
        parts.insert(
            0, draw(st.sampled_from(['mcp_servers = { git = { command = "g" } }\n', "mcp_servers = {} # {}\n"]))
        )
    text = draw(st.sampled_from(["", "\n"])).join(parts)
    text = text.removesuffix("\n") if draw(st.booleans()) else text
    return str(text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))))


@given(text=toml_files())
def test_what_was_put_into_a_toml_file_comes_out_to_the_byte(text: str) -> None:
    """Tables in any order, dotted keys, inline tables, no end of line at the end."""
    after = TABLE.put(text)

    assert after == TABLE.put(after)
    assert {**tomllib.loads(text).get("mcp_servers", {}), "lerim": TABLE.values} == tomllib.loads(after)["mcp_servers"]
    assert text == TABLE.take(after, text)


@given(text=toml_files(), since=st.sampled_from(TOML_TABLES), tool=st.booleans())
def test_tables_added_to_a_toml_file_since_stay(text: str, since: str, tool: bool) -> None:
    """Behind ours; and by a program that writes the whole file anew, with its own settings below ours."""
    try:
        tomllib.loads(TABLE.put(text) + "\n" + since)
        after = tomlkit.parse(TABLE.put(text) + "\n" + since)
    except (tomllib.TOMLDecodeError, tomlkit.exceptions.TOMLKitError):
        return  # A table that is there already.
    if tool and "[mcp_servers.lerim]\n" in TABLE.put(text):
        after["mcp_servers"]["lerim"]["tools"] = {"search": {"approval_mode": "approve"}}  # type: ignore[index]

    left = TABLE.take(tomlkit.dumps(after), text)

    wanted = tomllib.loads(tomlkit.dumps(after))
    del wanted["mcp_servers"]["lerim"]
    if not wanted["mcp_servers"] and "mcp_servers" not in tomllib.loads(text):
        del wanted["mcp_servers"]
    assert wanted == tomllib.loads(left or "")


def test_a_table_of_ours_is_brought_up_to_date_where_it_stands() -> None:
    text = '[mcp_servers.lerim]\ncommand = "old" # x\nargs = [\n  "a",\n]\nenabled = true # theirs\n\n[z]\n'

    after = TABLE.put(text)

    assert tomllib.loads(after)["mcp_servers"]["lerim"] == {**TABLE.values, "enabled": True}
    assert after.endswith("enabled = true # theirs\n\n[z]\n")


def test_toml_that_does_not_parse_or_is_no_table_is_refused() -> None:
    for text in ("[a\n", "mcp_servers = 3\n", "[mcp_servers]\nlerim = 3\n", 'a = "\n'):
        with pytest.raises(Unfit):
            TABLE.put(text)


TOML_START = TomlHook(
    "SessionStart", {"matcher": "startup"}, {"type": "command", "command": COMMAND, "timeout": 10}, MARK
)
TOML_HOOKS = [
    '[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = "command"\ncommand = "a"\n',
    '[[hooks.SessionStart]]\nmatcher = "x"  # one\n\n  [[hooks.SessionStart.hooks]]\n  command = """b\n"""\n\n',
    '[[hooks.Stop]]\nhooks = [{ type = "command", command = "c" }]\n',
]


@st.composite
def toml_hook_files(draw: Callable[[Any], Any]) -> str:
    hooks = draw(st.lists(st.sampled_from(TOML_HOOKS), unique=True))
    text = draw(toml_files())
    newline = "\r\n" if "\r\n" in text else "\n"
    return str(text + newline + newline.join(hooks).replace("\r\n", "\n").replace("\n", newline))


@given(text=toml_hook_files(), since=st.sampled_from(["", *TOML_HOOKS[:2], "\n# more\n[zz]\na = 1\n"]))
def test_a_hook_in_toml_comes_and_goes_like_any_entry(text: str, since: str) -> None:
    """Behind the groups of others; and what is added since stays."""
    after = TOML_START.put(text)
    added = since.replace("\n", "\r\n" if "\r\n" in text else "\n")

    assert COMMAND == tomllib.loads(after)["hooks"]["SessionStart"][-1]["hooks"][0]["command"]
    assert after == TOML_START.put(after)
    assert text == TOML_START.take(after, text)
    assert tomllib.loads(text + "\n" + added) == tomllib.loads(TOML_START.take(after + added, text) or "")


def test_a_hook_in_toml_is_brought_up_to_date_where_it_stands() -> None:
    """In the middle of others, and in a group that an agent put together."""
    text = (
        TOML_START.put(TOML_HOOKS[0]).replace("/opt/my tools", "/old") + '[[hooks.SessionStart.hooks]]\ncommand = "z"\n'
    )

    after = TOML_START.put(text)

    assert [["a"], [COMMAND, "z"]] == [
        [one["command"] for one in group["hooks"]] for group in tomllib.loads(after)["hooks"]["SessionStart"]
    ]
    left = tomllib.loads(TOML_START.take(after, TOML_HOOKS[0]) or "")["hooks"]["SessionStart"]
    assert [["a"], ["z"]] == [[one["command"] for one in group["hooks"]] for group in left]


def test_hooks_in_a_line_are_not_added_to() -> None:
    for text in (
        "hooks = {}\n",
        '[hooks]\nSessionStart = [{ hooks = [{ command = "a" }] }]\n',
        "[hooks]\nSessionStart = 3\n",
    ):
        with pytest.raises(Unfit):
            TOML_START.put(text)


# --- YAML -------------------------------------------------------------------------------------------------------------

YAML_PARTS = [
    "GOOSE_PROVIDER: openai\n",
    "# a comment\nGOOSE_MODEL: 'x: y'\n",
    "notes: |\n  extensions:\n    lerim: no\n\n",
    "list:\n- a\n- {b: 1}\n",
]
YAML_EXTENSIONS = [
    "",
    "extensions:\n  developer:\n    enabled: true\n    type: builtin\n",
    "extensions: # mine\n    # one\n    git:\n        cmd: git\n        args: [a, b]\n    # two\n    db: {cmd: db}\n",
    "extensions: {}\n",
    "extensions:\n",
    "extensions: null # none yet\n",
    "extensions: {developer: {enabled: true}}\n",
    'extensions:\n  "developer":\n    description: >-\n      long\n      text\n',
]


@st.composite
def yaml_files(draw: Callable[[Any], Any]) -> str:
    parts = draw(st.lists(st.sampled_from(YAML_PARTS), unique=True))
    parts.insert(draw(st.integers(0, len(parts))), draw(st.sampled_from(YAML_EXTENSIONS)))
    text = draw(st.sampled_from(["", "---\n"])) + "".join(parts)
    text = text.removesuffix("\n") if draw(st.booleans()) else text
    return str(text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))))


@given(text=yaml_files())
def test_what_was_put_into_a_yaml_file_comes_out_to_the_byte(text: str) -> None:
    after = EXTENSION.put(text)
    known = yaml.safe_load(text) or {}

    assert after == EXTENSION.put(after)
    assert {**known, "extensions": {**(known.get("extensions") or {}), "lerim": EXTENSION.value}} == yaml.safe_load(
        after
    )
    assert known == (yaml.safe_load(EXTENSION.take(after, text) or "") or {})
    assert text == EXTENSION.take(after, text) or not known.get("extensions", True)


@given(text=yaml_files())
def test_a_yaml_file_written_anew_loses_exactly_our_entry(text: str) -> None:
    """As goose does when its settings change: everything sorted, no comment left."""
    known = yaml.safe_load(text) or {}
    rewritten = yaml.safe_dump(yaml.safe_load(EXTENSION.put(text)))

    left = yaml.safe_load(EXTENSION.take(rewritten, text) or "") or {}

    assert {key: value for key, value in known.items() if value} == {key: value for key, value in left.items() if value}


def test_yaml_that_does_not_parse_is_refused() -> None:
    for text in ("a: [1\n", "- a\n- b\n", "a: 1\n---\nb: 2\n", "extensions: 3\n", "extensions: [1]\n"):
        with pytest.raises(Unfit):
            EXTENSION.put(text)


# --- plain text -------------------------------------------------------------------------------------------------------


@given(text=st.text(alphabet="ab #\n<!->", max_size=40), newline=st.sampled_from(["\n", "\r\n"]))
def test_a_block_comes_out_of_an_instruction_file_to_the_byte(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    after = BLOCK.put(text)

    assert after == BLOCK.put(after)
    assert text == BLOCK.take(after, text)
    left = BLOCK.take(f"before{newline}{after}{newline}behind", text)
    assert f"before{newline}{text}".split() == (left or "").removesuffix("behind").split()


def test_a_block_is_renewed_where_it_stands() -> None:
    text = InstructionBlock("old").put("# Mine\n") + "\nmore\n"

    after = BLOCK.put(text)

    assert "old" not in after
    assert after.startswith("# Mine\n")
    assert after.endswith("\nmore\n")


def test_a_block_without_an_end_is_refused() -> None:
    with pytest.raises(Unfit):
        BLOCK.put(BLOCK.put("").partition("Ask")[0])


def test_somebodys_file_of_the_same_name_stays() -> None:
    mine = OwnFile("#!/bin/sh\n# written by lerim connect\n", "hook TaskStart")
    with pytest.raises(Unfit):
        mine.put("#!/bin/sh\necho theirs\n")

    assert mine.content == mine.put(None)
    assert mine.take(mine.content, None) is None
    assert mine.take("theirs", None) == "theirs"


@pytest.mark.parametrize(
    "edits", [[TABLE], [TOML_START, TABLE], [TABLE, TOML_START], [BLOCK]], ids=["table", "both", "turned", "block"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_line_is_not_left_ended_that_was_ended_for_us(edits: list, newline: str) -> None:
    """Without an end before, and changed elsewhere meanwhile: what was put at the end takes its line end along."""
    before = f'model = "one"{newline}note = "two"'
    text = before
    for edit in edits:
        text = edit.put(text)
    text = text.replace('"one"', '"three"')
    for edit in reversed(edits):
        text = edit.take(text, before)

    assert before.replace('"one"', '"three"') == text


def test_a_line_that_somebody_wrote_behind_us_stays_apart() -> None:
    before = 'model = "one"'
    text = TABLE.take(f'{TABLE.put(before)}\n[theirs]\nkey = "x"\n', before)

    assert 'model = "one"\n\n[theirs]\nkey = "x"\n' == text
