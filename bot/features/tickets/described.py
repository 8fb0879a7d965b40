"""Print the tickets that a pull request names, by the operator's command."""

import asyncio
import re
import shlex
from contextlib import suppress

from bot import config
from bot.features.tickets.settings import TicketSettings
from bot.features.tickets.variables import TicketVariables
from bot.machine.concurrency import end_process
from bot.workflow.described_hooks import DescribedHooks
from bot.workflow.reviewer import ReviewRun

KEY = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,6}(?![\w-])")
MOST_TICKETS, MAX_TICKET_BYTES, TICKET_SECONDS = 3, 8_000, 20.0
OWN_VARIABLES = "TICKET_"  # the variables of the server that the command gets begin with this


class TicketsOfPull(DescribedHooks):
    """Adds tickets to the description that models see. An outsider could name any ticket, so only who may write is heard."""

    async def describe(self, run: ReviewRun) -> str:
        """Return the tickets as text, and what could not be printed; "" without the setting or the command."""
        command = config.environment().of(TicketVariables).ticket_command
        if not command or not run.settings.of(TicketSettings).tickets or run.state.stranger:
            return ""
        facts = run.state.facts
        keys = dict.fromkeys(KEY.findall("\n".join((facts.title, facts.head_ref, facts.body or ""))))
        texts = [await _print(shlex.split(command), key) for key in [*keys][:MOST_TICKETS]]
        return "\n\n".join(texts)


async def _print(command: list[str], key: str) -> str:
    text = ""
    with suppress(OSError, TimeoutError):
        process = await asyncio.create_subprocess_exec(
            *command,
            key,
            env=config.programs(OWN_VARIABLES),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(TICKET_SECONDS):
                out = await _beginning(process)
                text = out.decode("utf-8", "replace").strip() if not process.returncode else ""
        finally:
            await end_process(process, process.stdout)
    return f"Ticket {key}:\n{text}" if text else f"Ticket {key} could not be read."


async def _beginning(process: asyncio.subprocess.Process) -> bytes:
    """Return what a command prints, up to a limit. A command that prints less has ended by then."""
    out, pipe = b"", process.stdout
    while pipe is not None and len(out) < MAX_TICKET_BYTES:
        part = await pipe.read(MAX_TICKET_BYTES - len(out))
        if not part:
            await process.wait()
            break
        out += part
    return out


TICKETS_OF_PULL = TicketsOfPull()
