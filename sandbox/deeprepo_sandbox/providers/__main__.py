"""`python -m deeprepo_sandbox.providers`: a loopback server for a rehearsal, until Ctrl-C. GET /stats tells how many requests came."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.values import ToolCall, Usage
from deeprepo_sandbox.providers.reply import PerModel, Reply, Script
from deeprepo_sandbox.providers.server import Server


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    asked = _parser().parse_args(arguments)
    try:
        script = read_script(asked.script.read_text(encoding="utf-8")) if asked.script else asked.text
    except (OSError, ValueError, TypeError) as error:
        sys.stderr.write(f"{asked.script} is not a script of replies: {error}\n")
        return 2
    try:
        asyncio.run(_serve(Server(script, rejects=tuple(asked.reject), delay=asked.delay_ms / 1000), asked.port))
    except OSError as error:
        sys.stderr.write(f"cannot listen on port {asked.port}: {error.strerror}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deeprepo_sandbox.providers", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one (default)")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="before each reply")
    parser.add_argument(
        "--text", default="", help="the reply to every request; none: made up from the schema asked for"
    )
    parser.add_argument("--script", type=Path, help='JSON: a list of replies, or {"model": [replies]}')
    parser.add_argument("--reject", action="append", default=[], help="a field that is refused with a 400")
    return parser


async def _serve(server: Server, port: int) -> None:
    await server.start(port)
    sys.stdout.write(f"openai    {server.openai_url}\nanthropic {server.anthropic_url}\n")
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


def read_script(text: str) -> Script:
    """A script from JSON: a text, or an object with the fields of Reply. Raises ValueError or TypeError."""
    found = json.loads(text)
    if isinstance(found, list):
        return [_reply(item) for item in found]
    if isinstance(found, dict) and all(isinstance(part, list) for part in found.values()):
        return PerModel({model: [_reply(item) for item in part] for model, part in found.items()})
    return _reply(found)


def _reply(item: str | Mapping[str, Any]) -> Reply:
    if isinstance(item, str):
        return Reply(item)
    fields = dict(item)
    if "calls" in fields:
        fields["calls"] = tuple(ToolCall(**call) for call in fields["calls"])
    if "usage" in fields:
        fields["usage"] = Usage(**fields["usage"])
    return Reply(**fields)


if __name__ == "__main__":
    raise SystemExit(main())
