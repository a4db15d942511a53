"""The manual page, made from the parser: `python packaging/manpage.py` writes lerim.1 next to this file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from lerim.cli.main import build_parser

PAGE = Path(__file__).with_name("lerim.1")
_ABOUT = """\
Lerim reads the sessions that coding agents leave on this machine, keeps the decisions and learnings worth remembering,
keeps them true over time, and answers from them. Nothing leaves the machine unless a model is configured.
"""
_EXITS = {"0": "done", "1": "failed", "2": "wrong usage", "3": "partly done", "4": "busy: another process is at it"}
_FILES = {
    "~/.lerim/": "the store, the settings of the user, backups and logs",
    ".lerim/memory/": "a project's memories, one Markdown file each",
    ".lerim/config.toml": "a project's settings",
}


def page() -> str:
    """The whole page in roff."""
    return "\n".join([*_head(), *_commands(), *_pairs("EXIT STATUS", _EXITS), *_pairs("FILES", _FILES)]) + "\n"


def _head() -> Iterator[str]:
    parser = build_parser(None)
    yield '.TH LERIM 1 "" "Lerim" "User Commands"'
    yield from (".SH NAME", "lerim \\- " + _text((parser.description or "").rstrip(".").lower()))
    yield from (".SH SYNOPSIS", ".B lerim", ".I COMMAND", "[\\fIVERB\\fR] [\\fIOPTION\\fR ...]")
    yield from (".SH DESCRIPTION", _text(" ".join(_ABOUT.split())))


def _commands() -> Iterator[str]:
    yield ".SH COMMANDS"
    for parser in _leaves(build_parser(None)):
        yield f".SS {_text(parser.prog)}"
        yield _text(parser.description or "")
        for action in parser._actions:
            if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction):
                yield from (".TP", _name(action), _text((action.help or "") % {"default": action.default}))
        example = (parser.epilog or "").partition("\n")[2].strip()
        if example:
            yield from (".PP", "Example:", ".PP", ".nf", ".RS", _text(example), ".RE", ".fi")


def _leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    subs = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not subs:
        yield parser
    for action in subs:
        for child in action.choices.values():
            yield from _leaves(child)


def _name(action: argparse.Action) -> str:
    word = action.metavar or (action.choices and "{" + ",".join(map(str, action.choices)) + "}") or action.dest.upper()
    value = _text(" ".join(word) if isinstance(word, tuple) else str(word))
    if not action.option_strings:
        return f"\\fI{value}\\fR"
    flags = ", ".join(f"\\fB{_text(flag)}\\fR" for flag in action.option_strings)
    return flags if action.nargs == 0 else f"{flags} \\fI{value}\\fR"


def _pairs(heading: str, pairs: dict[str, str]) -> Iterator[str]:
    yield f".SH {heading}"
    for name, meaning in pairs.items():
        yield from (".TP", f"\\fB{_text(name)}\\fR", _text(meaning))


def _text(text: str) -> str:
    """Text that roff takes as text: no escapes, no requests at a line's start, dashes that can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    escaped = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in escaped)
    return re.sub(r"^(?=[.'])", r"\\&", escaped, flags=re.MULTILINE)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"wrote {PAGE}")
