"""Start `deeprepo mcp` and connect to it with the MCP SDK's client, as an editor would."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp import Client


@asynccontextmanager
async def connected(
    command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None
) -> "AsyncIterator[Client]":
    """Yield the connected client, and close it at the end of the block."""
    from mcp import Client, StdioServerParameters  # imported here because it is slow to load and few tests need it

    given = dict(env) if env is not None else None
    async with Client(
        StdioServerParameters(command=command[0], args=list(command[1:]), cwd=folder, env=given)
    ) as client:
        yield client
