"""`/deeprepo ask`: a question about the change, or in a thread about its finding, answered by a model that sees the code."""

from bot.commands import saying, target
from bot.commands.context import CommandContext, CommandReply, Permission

WORD = "ask"
USE = "ask QUESTION"
NEEDS: Permission = "write"
LONG = True


async def run(argument: str, context: CommandContext) -> CommandReply:
    """The answer with the lines that it rests on, and what it cost."""
    if not argument.strip():
        return context.say("reply_no_question", example="`/deeprepo ask who calls this?`")
    if context.open_session is None:
        return context.say("reply_no_model", example="`/deeprepo explain`")
    about = await target.of_thread(context)
    if saying.secret(about):
        return context.say("reply_secret")
    return await saying.model_reply("ask", argument, about, context, context.open_session)
