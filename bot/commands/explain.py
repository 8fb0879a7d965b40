"""`/deeprepo explain`: a finding with everything that the review knows of it, and with a model, how it comes about."""

from bot.commands import saying, target
from bot.commands.context import CommandContext, CommandReply, Permission

WORD = "explain"
USE = "explain [NUMBER]"
NEEDS: Permission = "write"
LONG = False


async def run(argument: str, desk: CommandContext) -> CommandReply:
    """A model's explanation, else the evidence that is stored."""
    about = await target.find(argument, desk)
    if about.finding is None or about.said is None:
        return about.missing(desk, f"{WORD} 2")
    stored = saying.stored(about.finding, about.said, desk, model=desk.work is not None)
    if desk.work is None or saying.secret(about):
        return stored
    return await saying.told("explain", about.rest, about, desk, desk.work, instead=stored)
