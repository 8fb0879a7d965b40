"""An editor that starts `deeprepo mcp` and speaks to it through the SDK's own client."""

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
    """The client, until the block ends."""
    from mcp import Client, StdioServerParameters  # here: few tests need it, and it takes long to load

    given = dict(env) if env is not None else None
    async with Client(
        StdioServerParameters(command=command[0], args=list(command[1:]), cwd=folder, env=given)
    ) as client:
        yield client
