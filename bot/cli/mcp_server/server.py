"""Define the MCP tools. Only this module imports the MCP SDK."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations
from pydantic import ValidationError

from bot import __version__
from bot.cli.mcp_server import local
from bot.config.yaml_text import sentence
from bot.errors import DeepRepoError, NothingToReview
from bot.render import visible
from bot.values import Review, ReviewEffort
from bot.wiring.settling import Round

INSTRUCTIONS = (
    "deeprepo reviews a local git change together with the code that depends on it. It never writes to the repository. "
    "Call `review` before you push a change, `explain` with a finding's number to see its proof, "
    "`hand_over` for a prompt that says how to fix the findings, and `callers` before you change a signature. "
    "The answer of `review` ends with `settled:`. If it is true, don't review again, because another review adds nothing. "
    "It is always true after three reviews."
)
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
MAX_TEXT, MAX_ENTRIES = 4_000, 40  # characters in a string argument, and entries in a list
PAYS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=True)


class ToolServer(MCPServer[object]):
    """The SDK's server, which also rejects unknown arguments, such as a misspelled `max_usd`."""

    async def list_tools(self) -> list[Tool]:
        """Return the tools, with schemas that allow no other arguments."""
        tool_list = await super().list_tools()
        without_extras = {"additionalProperties": False}
        return [tool.model_copy(update={"input_schema": tool.input_schema | without_extras}) for tool in tool_list]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[object, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError for arguments that are unknown, invalid or too long."""
        properties = next(
            (tool.input_schema["properties"] for tool in await self.list_tools() if tool.name == name), None
        )
        unknown = ", ".join(sorted(arguments.keys() - properties.keys())) if properties is not None else ""
        if properties is not None and unknown:
            raise ToolError(f"unknown argument {unknown}: {name} takes {', '.join(properties)}")
        for argument, value in arguments.items():
            _check_value(argument, value)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            rows = error.__cause__.errors(include_url=False, include_input=False)
            raise ToolError("; ".join(f"{'.'.join(map(str, row['loc']))}: {sentence(row)}" for row in rows)) from None


def _check_value(argument: str, value: object) -> None:
    """Raise ToolError for a value that is too long, or has characters that file names can't contain."""
    entries = value if isinstance(value, list) else [value]
    if len(entries) > MAX_ENTRIES:
        raise ToolError(f"{argument} has {len(entries):,} entries. Pass {MAX_ENTRIES} at most")
    for text in (entry for entry in entries if isinstance(entry, str)):
        if len(text) > MAX_TEXT:
            raise ToolError(f"{argument} is {len(text):,} characters long. Pass {MAX_TEXT:,} at most")
        if "\0" in text or text.encode("utf-8", "replace").decode() != text:
            raise ToolError(f"{argument} contains characters that cannot be part of a name")


def server(repo: str) -> MCPServer[object]:
    """Return the server for one repository, which remembers the last review."""
    tools = ToolServer(
        "deeprepo", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR", subscriptions=False
    )
    last: list[Review] = []
    rounds: dict[str, Round] = {}  # the last round of each reviewed change

    @tools.tool(annotations=PAYS, structured_output=False)
    async def review(  # noqa: D417 - `context` is not an argument of the tool
        context: Context[object, Any],
        change: str = "",
        effort: ReviewEffort | None = None,
        max_usd: float | None = None,
        consumers: tuple[str, ...] = (),
    ) -> str:
        """Review a local change and return the findings as text. `hand_over` returns a prompt for fixing each.

        The answer ends with `settled: true` if another review can't add anything, and after three reviews.
        To postpone a finding, write `TODO(#123)` on its line or on the line above.

        Args:
            change: "" for what HEAD adds to the default branch, "uncommitted" for all local work, "staged" for the
                index, or a range such as "main..feature".
            effort: how thorough the review is; "none" uses no model. Default: the configured effort.
            max_usd: a hard cap in dollars. Default: the configured cap.
            consumers: paths of clones of repositories that use this one. Breaks there are reported too.
        """
        with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
            flags = {"effort": effort, "usd": max_usd, "with_clones": consumers}
            async with _progress(context) as say:
                return await _result(_review(repo, change, flags, scratch, say, last, rounds))

    @tools.tool(annotations=READ_ONLY, structured_output=False)
    async def explain(finding: int) -> str:
        """Return everything that is known of one finding of the last review: why, the consequence, the proof, the suggestion.

        Args:
            finding: its number in the last review, from 1.
        """
        return await _result(local.explanation(_last(last), finding))

    @tools.tool(annotations=READ_ONLY, structured_output=False)
    async def hand_over(finding: int = 0) -> str:
        """Return a prompt that says what to fix: file, lines, defect, evidence, and what must not change.

        Args:
            finding: its number in the last review, from 1; 0 for all open findings.
        """
        return await _result(local.handover_prompt(_last(last), finding))

    @tools.tool(annotations=READ_ONLY, structured_output=False)
    async def callers(symbol: str) -> str:
        """Return every place of the repository, uncommitted work included, where a name is called, imported or mentioned as code.

        Args:
            symbol: the name as callers write it, "resolve" or "Resolver.resolve".
        """
        with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
            return await _result(local.callers(repo, symbol, scratch))

    return tools


async def _review(
    repo: str,
    change: str,
    flags: Mapping[str, Any],
    scratch: str,
    say: Callable[[str], None],
    last: list[Review],
    rounds: dict[str, Round],
) -> str:
    review, rounds[change] = await local.review(repo, change, flags, scratch, say, rounds.get(change))
    last[:] = [review]
    return local.text(review, rounds[change])


@asynccontextmanager
async def _progress(context: Context[object, Any]) -> AsyncIterator[Callable[[str], None]]:
    """Yield a function that sends progress messages to the client, in order."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    async def pass_on() -> None:
        step = 0
        while (line := await lines.get()) is not None:
            step += 1
            await context.report_progress(step, message=visible(line))

    sending = asyncio.create_task(pass_on())
    try:
        yield lines.put_nowait
    finally:
        lines.put_nowait(None)
        await sending


def _last(reviews: Sequence[Review]) -> Review:
    if not reviews:
        raise ToolError("There is no review yet. Call `review` first.")
    return reviews[0]


async def _result(work: Awaitable[str]) -> str:
    """Await a tool's result. Convert our errors to messages for the agent.

    An empty change is a result, not an error.
    Other exceptions are defects and are not caught.
    """
    try:
        return await work
    except NothingToReview as outcome:
        return visible(str(outcome))
    except DeepRepoError as error:
        raise ToolError(visible(str(error))) from error
