"""`/deeprepo explain`: a finding with everything that the review knows of it, and with a model, how it comes about."""

from dataclasses import replace

from bot.commands import saying, target
from bot.commands.context import CommandContext, CommandReply, Permission

WORD = "explain"
USE = "explain [NUMBER]"
NEEDS: Permission = "write"
LONG = False


async def run(argument: str, context: CommandContext) -> CommandReply:
    """A model's explanation, else the evidence that is stored."""
    about = await target.find(argument, context)
    about = replace(about, finding=about.finding or about.other)  # to show what a number means now silences nothing
    if about.finding is None or about.last_review is None:
        return about.missing(context, f"{WORD} 2")
    stored_reply = saying.stored_reply(
        about.finding, about.last_review, context, model=context.open_session is not None
    )
    if context.open_session is None or saying.secret(about):
        return stored_reply
    return await saying.model_reply("explain", about.rest, about, context, context.open_session, instead=stored_reply)
