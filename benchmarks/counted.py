"""A loopback model that answers at once, in a process of its own, and writes down every prompt that it was sent.

    python -m benchmarks.counted LOG

LOG gets one line of JSON per request: the texts of its messages, and the schemas and tools that went with them.
"""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deeprepo_sandbox.providers import Reply, Server


async def main() -> None:
    """Print the base URL of the OpenAI dialect and serve until the process is ended."""
    log = Path(sys.argv[1]).open("a", buffering=1)  # noqa: SIM115 - one line buffered file, for the life of the process

    def answer(body: Mapping[str, Any]) -> Reply:
        log.write(json.dumps({"texts": list(_texts(body)), "schemas": _schemas(body)}) + "\n")
        return Reply()

    server = Server(answer)
    await server.start()
    print(server.openai_url, flush=True)
    await asyncio.Event().wait()


def _texts(body: Mapping[str, Any]) -> Iterator[str]:
    for message in body.get("messages", ()):
        content = message.get("content") or ""
        yield content if isinstance(content, str) else json.dumps(content)


def _schemas(body: Mapping[str, Any]) -> str:
    found = [body[name] for name in ("tools", "response_format") if name in body]
    return json.dumps(found) if found else ""


if __name__ == "__main__":
    asyncio.run(main())
