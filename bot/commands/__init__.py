"""What people can ask for in a comment: the words that are read in it, and what a model answers to a question.

`bot/workflow/commands` has a file for each command, and lists them.
"""

from bot.commands.context import CommandContext, CommandReply, Permission
from bot.commands.reading import Command, Mentions, read_mentions
