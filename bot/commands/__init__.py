"""Read commands in comments, and answer questions with a model.

`bot/workflow/commands` has a file for each command, and lists them.
"""

from bot.commands.context import CommandContext, CommandReply, Permission
from bot.commands.reading import Command, Mentions, read_mentions
