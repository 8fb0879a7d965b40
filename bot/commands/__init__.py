"""Read commands in comments, and answer questions with a model.

The commands are in `bot/workflow/commands`, with a file for each command.
"""

from bot.commands.context import CommandContext, CommandReply, Permission
from bot.commands.reading import Command, Mentions, read_mentions
