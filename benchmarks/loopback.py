"""The benches' loopback servers, each in a process of its own so that its work is not measured with that of its clients."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator

from deeprepo_sandbox.providers import Server


@contextlib.contextmanager
def started(module: str, *arguments: str) -> Iterator[list[str]]:
    """Run a module of this package as a program until the block ends; the addresses that it prints once it serves."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().split() if process.stdout else []
        finally:
            process.terminate()


def serve(server: Server) -> None:
    """Print the base URLs of the OpenAI and the Anthropic dialect, and answer until the process is ended."""

    async def serving() -> None:
        async with server:
            print(server.openai_url, server.anthropic_url, flush=True)
            await asyncio.Event().wait()

    asyncio.run(serving())
