"""How a command is declared: a function, its flags and its example in one place."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from lerim.dataclass import dataclass
from lerim.errors import UsageError
from lerim.printable import one_line

if TYPE_CHECKING:
    from lerim.cli.output import Output
    from lerim.service import Lerim

    #: What a command does: makes one call, renders the result, and returns an exit code when it is not 0.
    Run = Callable[[Lerim, argparse.Namespace, Output], int | None]


@dataclass(frozen=True)
class Argument:
    names: tuple[str, ...]
    options: dict[str, Any]


def argument(*names: str, **options: Any) -> Argument:
    """A flag or positional, in argparse's words. `completer` gives tab completion."""
    return Argument(names, options)


def whole_number(text: str) -> int:
    """A `--limit`: 0 is all, where that is offered. For argparse, whose error names the flag."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is less than nothing; give 0 or more")
    return number


@dataclass(frozen=True)
class Command:
    name: str
    help: str
    example: str
    arguments: tuple[Argument, ...]
    run: Run


class Commands:
    """The commands of one noun, in the order they are declared."""

    def __init__(self) -> None:
        self.all: list[Command] = []

    def add(self, name: str, help: str, *, example: str, arguments: Sequence[Argument] = ()) -> Callable[[Run], Run]:
        """Declare the decorated function as a command."""

        def declare(run: Run) -> Run:
            self.all.append(Command(name, help, example, tuple(arguments), run))
            return run

        return declare


# Start-up: argparse would look for a translation of each of its words; all that Lerim says is English.
argparse._ = str  # type: ignore[attr-defined]


class HelpText(argparse.RawDescriptionHelpFormatter):
    """Asks how wide the terminal is when it prints, and not whenever a flag is declared."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, width=80)

    def format_help(self) -> str:
        from shutil import get_terminal_size  # Start-up: only help needs it.

        self._width = get_terminal_size().columns - 2
        self._max_help_position = min(24, max(self._width - 20, 2 * self._indent_increment))
        return super().format_help()


class Parser(argparse.ArgumentParser):
    """Errors are LerimErrors with the next command to type, and abbreviated flags are not guessed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=HelpText, allow_abbrev=False, **options)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What is not known is told with the help of the command that was typed, not of all of them."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            flags = [name for item in found.command.arguments for name in item.names if name.startswith("-")]
            told = f"unrecognized arguments: {' '.join(unknown)}{_did_you_mean(unknown[0], flags)}"
            raise UsageError(told, hint=f"{found.typed} --help")
        return found

    def error(self, message: str) -> NoReturn:
        if message.endswith(" required: VERB"):
            message = f"say what to do: {', '.join(self._verbs())}"
        raise UsageError(_with_suggestion(message), hint=f"{self.prog} --help")

    def _verbs(self) -> list[str]:
        return [name for action in self._actions if action.metavar == "VERB" for name in action.choices or ()]


def fill(parser: argparse.ArgumentParser, command: Command) -> None:
    """Give a parser a command's flags, help and example."""
    parser.description = command.help
    parser.epilog = f"example:\n  {command.example}"
    for item in command.arguments:
        options = dict(item.options)
        completer = options.pop("completer", None)
        if "choices" in options:
            # An error names them, and an enum's would come with its class.
            options["choices"] = [*map(str, options["choices"])]
        action = parser.add_argument(*item.names, **options)
        if completer is not None:
            action.completer = _typeable(completer)  # type: ignore[attr-defined]
    parser.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document and nothing else"
    )
    parser.set_defaults(command=command, typed=parser.prog)


def _typeable(completer: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """Completions without those that a shell must not print: what an agent calls its sessions is not ours to say."""
    return lambda *args, **kwargs: [word for word in completer(*args, **kwargs) if word == one_line(word)]


def _with_suggestion(message: str) -> str:
    """argparse lists all choices; people want the one they meant to type."""
    if "invalid choice: '" not in message:
        return message
    typed = message.split("invalid choice: '")[1].split("'")[0]
    choices = [choice.strip(" '()") for choice in message.split("choose from")[-1].split(",")]
    suggestion = _did_you_mean(typed, choices)
    if message.startswith(("argument COMMAND", "argument VERB")):
        return f"unknown command '{typed}'{suggestion}"
    return message + suggestion


def _did_you_mean(typed: str, choices: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(typed, choices, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""
