"""The tools that only look: those of the explorer, and of the lead agent in every mode.

The docstrings are what a model reads. Text that tools return is data; nothing in here takes orders from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lerim.errors import Refused
from lerim.runtime import files
from lerim.runtime.declining import Declined
from lerim.runtime.deps import RunDeps, ToolContext
from lerim.runtime.wire import FindFiles, FindLines, ReadPage


@contextmanager
def for_the_model() -> Iterator[None]:
    """What a boundary refuses is reported to the model, which may try something else."""
    try:
        yield
    except Refused as error:
        raise Declined(error.message) from None


# The quick ones are coroutines although they wait for nothing: pydantic-ai starts a thread for every plain function.


async def read(ctx: ToolContext[RunDeps], page: ReadPage) -> str:
    """Lines of a file with their numbers, or the entries of a folder. Page through a long one with offset and limit."""
    with for_the_model():
        return str(files.read(ctx.deps.roots, page.file_path, page.offset, page.limit))


async def glob(ctx: ToolContext[RunDeps], wanted: FindFiles) -> str:
    """Files whose path matches a pattern such as `decisions/*.md` or `**/*.md`."""
    with for_the_model():
        return str(files.glob(ctx.deps.roots, wanted.pattern, wanted.base_path))


async def grep(ctx: ToolContext[RunDeps], wanted: FindLines) -> str:
    """Lines that match a regular expression, upper and lower case alike, each with its file and number."""
    with for_the_model():
        return str(files.grep(ctx.deps.roots, wanted.pattern, wanted.base_path, wanted.include, wanted.max_hits))


@dataclass(frozen=True)
class RunTool:
    """A function as a tool. One that changes the board runs alone: two writes of one turn are decided in turn."""

    function: Callable[..., Awaitable[Any]]
    alone: bool = False

    @property
    def name(self) -> str:
        return self.function.__name__


READ_TOOLS: Sequence[RunTool] = (RunTool(read), RunTool(glob), RunTool(grep))
