"""Get the text of the tickets that a pull request mentions, from the operator's command."""

import asyncio
import re
import shlex
from contextlib import suppress

from bot import config
from bot.config import Config
from bot.machine.processes import end_process
from bot.workflow.pull_state import PullState

TICKET_KEY = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,6}(?![\w-])")
MOST_TICKETS, MAX_TICKET_BYTES, TICKET_SECONDS = 3, 8_000, 20.0
OWN_VARIABLES = "TICKET_"  # prefix of the environment variables that are passed to the command


async def ticket_texts(settings: Config, state: PullState) -> str:
    """Return the text of the tickets that a pull request names, or "" without the setting or the command.

    This only applies to authors with write access, because others could mention any ticket to see its text.
    """
    command = config.environment().ticket_command
    if not command or not settings.tickets or state.stranger:
        return ""
    facts = state.facts
    keys = dict.fromkeys(TICKET_KEY.findall("\n".join((facts.title, facts.head_ref, facts.body or ""))))
    texts = [await _read_ticket(shlex.split(command), key) for key in [*keys][:MOST_TICKETS]]
    return "\n\n".join(texts)


async def _read_ticket(command: list[str], key: str) -> str:
    text = ""
    with suppress(OSError, TimeoutError):
        process = await asyncio.create_subprocess_exec(
            *command,
            key,
            env=config.program_environment(OWN_VARIABLES),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(TICKET_SECONDS):
                out = await _read_limited(process)
                text = out.decode("utf-8", "replace").strip() if not process.returncode else ""
        finally:
            await end_process(process, process.stdout)
    return f"Ticket {key}:\n{text}" if text else f"Ticket {key} could not be read."


async def _read_limited(process: asyncio.subprocess.Process) -> bytes:
    """Return a command's output, up to the limit. If the output is shorter, the command has exited."""
    out, pipe = b"", process.stdout
    while pipe is not None and len(out) < MAX_TICKET_BYTES:
        part = await pipe.read(MAX_TICKET_BYTES - len(out))
        if not part:
            await process.wait()
            break
        out += part
    return out
