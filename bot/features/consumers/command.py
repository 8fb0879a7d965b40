"""The entry of `deeprepo consumers` in the list of commands."""

from bot.cli.hooks import Command

CONSUMERS = Command(
    "consumers", "List the repositories that use this one, and what they use.", "bot.features.consumers.command_line"
)
