"""A loopback server in a process of its own that writes down when each request came.

    python -m benchmarks.clocked LOG DELAY_MS [ROOT_CODE ...]

The model "root" answers at once with the given blocks of code, one after the other; any other model answers after the delay.
LOG gets a line `seconds model` per request, by the clock that all processes of this machine share.
"""

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server


async def main() -> None:
    """Print the two base URLs and serve until the process is ended."""
    log = Path(sys.argv[1]).open("a", buffering=1)  # noqa: SIM115 - one line buffered file, for the life of the process
    delay, blocks = float(sys.argv[2]) / 1000, list(sys.argv[3:])

    def answer(body: Mapping[str, Any]) -> Reply:
        log.write(f"{time.monotonic():.6f} {body['model']}\n")
        if body["model"] == "root":
            return doubles.code(blocks.pop(0) if len(blocks) > 1 else blocks[0])
        return Reply(delay=delay)

    server = Server(answer)
    await server.start()
    print(server.openai_url, server.anthropic_url, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
