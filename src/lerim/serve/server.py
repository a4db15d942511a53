"""The server itself: the official SDK on one side, the tools on the other. Each call runs in a thread, one at a time.

Shaking hands opens no room: what can be asked is data, and what the memory says is looked up when somebody asks. Loads
the SDK, which takes most of a second: only whoever serves imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import IO, Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from lerim import __version__
from lerim.errors import LerimError
from lerim.serve.folder import folder_of
from lerim.serve.greeting import NAME, instructions, start_words
from lerim.serve.opening import Heard, Opened, Say, Unsaid, agent_named
from lerim.serve.tools import (
    BY_NAME,
    PROMPT,
    PROMPT_ABOUT,
    RESOURCES,
    offered,
    prompt_schema,
    resource_schema,
    tool_schema,
)
from lerim.serve.web.gate import MEMBER_KEY

Context = ServerRequestContext[Any, Any]
#: A client that says it knows its roots answers at once; one that does not is not asked again.
_ROOTS_SECONDS = 2.0
_NOT_FOUND = -32002
_T = TypeVar("_T")
#: As requests name the one project there is.
HERE = "here"


class McpServer:
    """The memory of one folder, or of the folders that clients name."""

    def __init__(self, cwd: str, env: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._env = env
        self._asks_roots = True
        # Rooms are not made for two at a time; and an agent that asks five things at once gets them one by one.
        self._turn = anyio.CapacityLimiter(1)
        self.sdk: Server[Any] = Server(
            NAME,
            version=__version__,
            instructions=instructions(),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        # Spans of ours are for runs, and go where the settings say.
        self.sdk.middleware.clear()

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        from lerim.serve.allowed import may_write  # The rooms: not before somebody asks.

        write = await self._in_turn(partial(may_write, self._env_of(ctx)))
        tools = [types.Tool.model_validate(tool_schema(tool), by_name=False) for tool in offered(write=write)]
        return types.ListToolsResult(tools=tools)

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        from lerim.serve.calls import McpCall, answer_always  # As above.

        if params.name not in BY_NAME:
            known = ", ".join(BY_NAME)
            raise MCPError(types.INVALID_PARAMS, f"there is no tool '{params.name[:60]}'; there are {known}")
        call = McpCall(params.name, params.arguments or {}, await self._folder(ctx), self._env_of(ctx), _agent(ctx))
        done = await self._in_turn(partial(answer_always, call))
        return types.CallToolResult(
            content=[types.TextContent(text=done.text)],
            structured_content=dict(done.data) if done.data is not None else None,
            is_error=done.failed,
        )

    async def _list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        found = [types.Resource.model_validate(resource_schema(one), by_name=False) for one in RESOURCES]
        return types.ListResourcesResult(resources=found)

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri not in {one.uri for one in RESOURCES}:
            known = ", ".join(one.uri for one in RESOURCES)
            raise MCPError(_NOT_FOUND, f"there is no resource '{uri[:80]}'; there are {known}")
        text = await self._view(ctx, uri)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
        )

    async def _list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt.model_validate(prompt_schema(), by_name=False)])

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt '{params.name[:60]}'; there is {PROMPT}")
        text = f"{start_words()}\n\n{await self._view(ctx, RESOURCES[0].uri)}"
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=PROMPT_ABOUT, messages=[message])

    async def _view(self, ctx: Context, uri: str) -> str:
        from lerim.serve.calls import read_view  # As above.

        try:
            return await self._in_turn(partial(read_view, await self._folder(ctx), self._env_of(ctx), uri, _agent(ctx)))
        except LerimError as error:
            hint = f". Next: {error.hint}" if error.hint else ""
            raise MCPError(types.INTERNAL_ERROR, f"{error.message}{hint}") from None

    async def _in_turn(self, work: Callable[[], _T]) -> _T:
        """Do some work in a thread. Who takes a request back waits no longer; what was begun ends by itself."""
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._turn)

    def _env_of(self, ctx: Context) -> Mapping[str, str]:
        """The environment of whoever asks: a member of a shared store has one of their own."""
        door = _door(ctx)
        return self._env if door is None else door.env

    async def _folder(self, ctx: Context) -> str:
        door = _door(ctx)
        if door is None:
            return folder_of(await self._roots(ctx), self._env, self._cwd)
        # Folders that a client on another machine names are none of this one's.
        assert ctx.request is not None, "a door is in a request"
        named = ctx.request.query_params.get("project") or HERE
        try:
            return await self._in_turn(partial(door.opener.folder, named))
        except LerimError as error:
            raise MCPError(types.INVALID_PARAMS, f"{error.message}. Next: {error.hint}") from None

    async def _roots(self, ctx: Context) -> list[str]:
        """The folders that a client says it works in; none when it does not say."""
        capabilities = ctx.session.client_capabilities
        if not (self._asks_roots and capabilities and capabilities.roots and ctx.session.can_send_request):
            return []
        try:
            found = await ctx.session.send_request(
                types.ListRootsRequest(),
                types.ListRootsResult,
                request_read_timeout_seconds=_ROOTS_SECONDS,
                metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
            )
        except Exception:  # Whatever a client makes of the question: it has no roots for us.
            self._asks_roots = False
            return []
        return [str(root.uri) for root in found.roots]


def _door(ctx: Context) -> Any:
    """What a member is served with; None for the person whose server this is."""
    return ctx.request.scope.get(MEMBER_KEY) if ctx.request is not None else None


def _agent(ctx: Context) -> str:
    params = ctx.session.client_params
    return agent_named(params.client_info.name if params else "")


async def serve_line(server: McpServer, opened: Opened, incoming: IO[bytes], say: Say) -> None:
    """Go on where the opening ended, until the client is done."""
    from mcp.server.stdio import stdio_server

    # Of a file, the SDK uses what these have.
    read: Any = anyio.wrap_file(Heard(opened, incoming, say))  # type: ignore[arg-type]
    write: Any = anyio.wrap_file(Unsaid(opened, say))  # type: ignore[arg-type]
    async with stdio_server(read, write) as (requests, answers):
        await server.sdk.run(requests, answers, server.sdk.create_initialization_options())
